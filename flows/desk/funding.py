"""What reports cost, at the desk: codes to pay, whom they pay, and what was paid."""

from functools import partial
from typing import Any, Final

import segno
from fastapi import APIRouter, Request, Response
from markupsafe import Markup

from flows.acts.act import Done
from flows.acts.forms import ConfirmReceiver, Fund
from flows.acts.funding import first_word_on
from flows.desk.acts import act_here
from flows.desk.guard import Posted, SignedIn, ledger_of
from flows.desk.pages import language_of, show
from flows.reports.funding import unsettled_fundings
from io_adapters.outputs.service_reports import funding_grid
from schemas.funding import WANTS_PAYER, FundingState, ReportFunding
from schemas.messages import catalogue_in
from schemas.states import FUNDINGS

# Reports that are told one by one; of more the table says it.
CARDS: Final = 50

router = APIRouter()


def funding_page(request: Request, *, status: int = 200, problem: str = "", done: str = "") -> Response:
    ledger = ledger_of(request)
    found = unsettled_fundings(ledger)
    wanting = [stands for stands in found if stands.state in WANTS_PAYER]
    facts: dict[str, Any] = {
        "wanting": [(stands, FUNDINGS[stands.state], first_word_on(ledger, stands)) for stands in wanting[:CARDS]],
        "left_out": max(0, len(wanting) - CARDS),
        "grid": funding_grid(found, catalogue_in(language_of(request))),
        "states": FundingState,
        "drawn": _drawn,
    }
    return show(request, "funding.html", status=status, problem=problem, done=done, **facts)


def _drawn(stands: ReportFunding) -> Markup:
    """Draw a code to be read by a telephone, black on white whatever the page's colours are."""
    drawn = segno.make(stands.payload, error="m")
    return Markup(drawn.svg_inline(scale=4, border=4, dark="#000", light="#fff"))  # noqa: S704  # a drawing of squares


@router.get("/funding")
def funding(request: Request, _signed: SignedIn, done: str = "") -> Response:
    """Show what reports cost and wait for."""
    return funding_page(request, done=done if done in {"funded", "confirmed", "first"} else "")


@router.post("/funding/paid")
def paid(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take somebody's word on what was paid for a report."""
    return act_here(request, signed, Fund, form, page=partial(funding_page, request), then=_then)


@router.post("/funding/receiver")
def receiver(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that a code's receiver is the service."""
    return act_here(request, signed, ConfirmReceiver, form, page=partial(funding_page, request), then=_then)


def _then(done: Done) -> str:
    return f"/funding?done={done.name}"
