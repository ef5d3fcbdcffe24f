"""Payments on the desk: search over all jobs and periods, CSV export, and a payee's account."""

import csv
import io
from collections.abc import Sequence
from typing import Annotated, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse

from flows.bank.closing import against_bank
from flows.books.account import accounts_of_payee
from flows.books.deals import deals_now
from flows.books.explain import adding_up, explain
from flows.books.month import months, view_of_month
from flows.books.payments import PaymentSearch, Search, receipt_of
from flows.books.trace import trace
from flows.desk.guard import RequestRefused, SignedIn, ledger_of
from flows.desk.pages import language_of, page_of, show
from flows.desk.previews import XLSX
from io_adapters.outputs.accounts import (
    account_grids_of,
    advances_grid,
    deals_grid,
    month_grids,
    receipt_pdf,
    workbook_of,
)
from io_adapters.outputs.bank import bank_months_grids
from io_adapters.outputs.grid import Grid
from io_adapters.outputs.workbook import csv_text
from schemas.account import MonthView, PaymentLine
from schemas.job import labelled_period
from schemas.messages import catalogue_in
from schemas.plan import SHOWN_PLACES
from schemas.values.money import format_cents

ROWS_A_PAGE: Final = 100
LONGEST_WORDS: Final = 120


router = APIRouter()

Text = Annotated[str, Query(max_length=LONGEST_WORDS)]


def payments_of(request: Request) -> PaymentSearch:
    found: PaymentSearch = request.app.state.desk.payments
    return found


def _sums(lines: Sequence[PaymentLine]) -> dict[str, int]:
    sums = dict[str, int]()
    for line in lines:
        sums[line.currency] = sums.get(line.currency, 0) + line.amount_cents
    return sums


@router.get("/payments")
def all_payments(  # what a person can look for
    request: Request,
    _signed: SignedIn,
    q: Text = "",
    job: Text = "",
    period: Text = "",
    state: Text = "",
    page: int = 1,
) -> Response:
    search = Search(q, job, period, state)
    found = payments_of(request).find(search)
    where = payments_of(request).periods()
    asked = urlencode({"q": q, "job": job, "period": period, "state": state})
    return show(
        request,
        "all_payments.html",
        search=search,
        rows=page_of(found, page, ROWS_A_PAGE),
        sums=_sums(found),
        jobs=sorted({name for name, _ in where}),
        periods=sorted({label for _, label in where}, reverse=True),
        places=SHOWN_PLACES,
        asked=asked,
    )


@router.get("/payments.csv")
def payments_csv(
    request: Request, _signed: SignedIn, q: Text = "", job: Text = "", period: Text = "", state: Text = ""
) -> Response:
    language = language_of(request)
    labels = catalogue_in(language)
    out = io.StringIO()
    writer = csv.writer(out, delimiter=";" if language == "pt-BR" else ",", lineterminator="\r\n")
    names = ("payee", "document", "job", "period", "kind", "reference", "state", "currency", "amount", "run", "report")
    writer.writerow([labels(f"desk.payments.{name}") for name in names])
    for line in payments_of(request).find(Search(q, job, period, state)):
        cells = [line.name, line.tax_id_masked, line.job, line.period, labels(f"desk.kind.{line.kind}"), line.reference]
        cells += [labels.of_value("place", line.place), line.currency, format_cents(line.amount_cents, language)]
        writer.writerow([*map(csv_text, cells[:-1]), cells[-1], line.run_id, line.report])
    headers = {"Content-Disposition": 'attachment; filename="payments.csv"'}
    return Response("\ufeff" + out.getvalue(), media_type="text/csv; charset=utf-8", headers=headers)


@router.get("/payments/{key:path}/receipt.pdf")
def receipt(request: Request, key: str, _signed: SignedIn) -> Response:
    found = receipt_of(ledger_of(request), key)
    if found is None:
        raise RequestRefused(404, "desk.refused.no_receipt")
    headers = {"Content-Disposition": f'attachment; filename="receipt-{found.report_id}.pdf"'}
    return Response(receipt_pdf(found), media_type="application/pdf", headers=headers)


@router.get("/months")
def newest_month(request: Request, _signed: SignedIn) -> Response:
    found = months(ledger_of(request))
    return RedirectResponse(f"/months/{found[0]}" if found else "/runs", status_code=303)


@router.get("/months/{month}")
def one_month(request: Request, month: str, _signed: SignedIn) -> Response:
    view = _month(request, month)
    known = months(ledger_of(request))
    labels = catalogue_in(language_of(request))
    grids = [*month_grids(view, labels, runs=False), *_at_bank(request, month)]
    return show(request, "month.html", view=view, grids=grids, months=known)


def _at_bank(request: Request, month: str) -> list[Grid]:
    days = labelled_period(month)
    closed = against_bank(ledger_of(request), days.start, days.end)
    return bank_months_grids(closed, catalogue_in(language_of(request)))


@router.get("/months/{month}/month.xlsx")
def month_workbook(request: Request, month: str, _signed: SignedIn) -> Response:
    grids = month_grids(_month(request, month), catalogue_in(language_of(request))) + _at_bank(request, month)
    headers = {"Content-Disposition": f'attachment; filename="repasse-{month}.xlsx"'}
    return Response(workbook_of(grids, language_of(request)), media_type=XLSX, headers=headers)


@router.get("/deals")
def deals(request: Request, _signed: SignedIn) -> Response:
    """Show how far deals have come that go on over months."""
    grid = deals_grid(deals_now(ledger_of(request)).standings, catalogue_in(language_of(request)))
    return show(request, "deals.html", grid=grid)


@router.get("/deals/deals.xlsx")
def deals_workbook(request: Request, _signed: SignedIn) -> Response:
    language = language_of(request)
    grid = deals_grid(deals_now(ledger_of(request)).standings, catalogue_in(language))
    headers = {"Content-Disposition": 'attachment; filename="repasse-deals.xlsx"'}
    return Response(workbook_of([grid], language), media_type=XLSX, headers=headers)


def _month(request: Request, month: str) -> MonthView:
    ledger = ledger_of(request)
    if month not in months(ledger):
        raise RequestRefused(404, "desk.refused.nothing")
    return view_of_month(ledger, month)


@router.get("/payees/{token}")
def payee(request: Request, token: str, _signed: SignedIn) -> Response:
    """Show a payee's account over all periods, and of each where its sums come from and what became of them."""
    tax_id = payments_of(request).tax_id_of(token)
    if tax_id is None:
        raise RequestRefused(404, "desk.refused.nothing")
    found, accounts = (
        trace(ledger_of(request), tax_id),
        accounts_of_payee(ledger_of(request), tax_id),
    )
    newest = sorted(found.payees, key=lambda period: period.period, reverse=True)
    explained = [(period, [*explain(period), *adding_up(period)]) for period in newest]
    labels = catalogue_in(language_of(request))
    grids = [
        (account, [grid.without_empty() for grid in account_grids_of(account, labels) if grid.rows])
        for account in accounts.accounts
    ]
    advances = advances_grid(accounts, labels) if accounts.advances else None
    return show(request, "payee.html", payee=accounts, accounts=grids, advances=advances, explained=explained)
