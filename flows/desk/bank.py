"""The bank, at the desk: statements brought, lines explained, and a month held against service and register."""

import re
from collections.abc import Sequence
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from flows.acts.forms import ExplainLine
from flows.bank.closing import closing_of, months_of_bank, take_statement
from flows.desk.acts import act_here
from flows.desk.guard import Posted, RequestRefused, Signed, SignedIn, ledger_of, settings_of, signed_in
from flows.desk.pages import language_of, show
from flows.desk.previews import XLSX
from flows.desk.uploads import Received, receive
from io_adapters.outputs.accounts import workbook_of
from io_adapters.outputs.bank import closing_grids
from schemas.approval import Role
from schemas.bank import BankMatter, Closing
from schemas.errors import UnreadableFile
from schemas.messages import Listed, catalogue_in, render

# Lines that people explain one by one on the page.
LINES: Final = 50
_MONTH: Final = re.compile(r"20\d{2}-(?:0[1-9]|1[0-2])")

router = APIRouter()


def bank_page(request: Request, month: str = "", *, status: int = 200, problem: str = "", done: str = "") -> Response:
    months = months_of_bank(ledger_of(request))
    closing = _closing(request, month or months[0]) if month or months else None
    facts: dict[str, Any] = {
        "months": months,
        "closing": closing,
        "grids": closing_grids(closing, catalogue_in(language_of(request))) if closing else (),
        "lines": closing.unexplained[:LINES] if closing else (),
        "explained": closing.explained[:LINES] if closing else (),
        "matters": [matter for matter in BankMatter if matter is not BankMatter.OPEN],
        "limit_bytes": settings_of(request).upload_limit_bytes,
    }
    return show(request, "bank.html", status=status, problem=problem, done=done, **facts)


def _closing(request: Request, month: str) -> Closing:
    if not _MONTH.fullmatch(month):
        raise RequestRefused(404, "desk.refused.nothing")
    return closing_of(ledger_of(request), month)


@router.get("/bank")
def bank(request: Request, _signed: SignedIn, month: str = "", done: str = "") -> Response:
    """Show a month of the bank against service and register; the latest there is, where none is named."""
    return bank_page(request, month, done=done if done in {"explained", "bank_read"} else "")


@router.get("/bank/bank.xlsx")
def workbook(request: Request, _signed: SignedIn, month: str) -> Response:
    language = language_of(request)
    grids = closing_grids(_closing(request, month), catalogue_in(language))
    headers = {"Content-Disposition": f'attachment; filename="repasse-bank-{month}.xlsx"'}
    return Response(workbook_of(grids, language), media_type=XLSX, headers=headers)


@router.post("/bank/explain")
def explain(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take somebody's word on what a line is."""
    month = form.get("month", "")
    page = partial(bank_page, request, month)
    return act_here(request, signed, ExplainLine, form, page=page, then=f"/bank?month={month}&done=explained")


@router.post("/bank/read")
async def read(request: Request) -> Response:
    """Take a statement, and explain what can be."""
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.RESOLVER)
    fields, files = await receive(request, signed)
    return await run_in_threadpool(_taken, request, signed, fields.get("account", ""), files)


def _taken(request: Request, signed: Signed, account: str, files: Sequence[Received]) -> Response:
    if len(files) != 1:
        raise RequestRefused(422, "desk.files.one")
    try:
        taken = take_statement(ledger_of(request), files[0].path, account.strip()[:128], "", signed.user.name)
    except UnreadableFile as wrong:
        language = language_of(request)
        cells = tuple(issue.message for issue in wrong.issues[:LINES])
        return bank_page(request, status=422, problem=render(Listed((wrong.content, *cells), "; "), language))
    month = f"{max([line.day for line in taken.statement.lines], default=taken.statement.last):%Y-%m}"
    if taken.breaks:
        return bank_page(
            request, month, problem=render(Listed(tuple(taken.breaks[:LINES]), "; "), language_of(request))
        )
    return RedirectResponse(f"/bank?month={month}&done=bank_read", status_code=303)
