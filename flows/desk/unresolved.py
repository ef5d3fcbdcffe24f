"""The desk's page of open decisions: submissions in doubt, obligations, holds and freezes."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from flows.acts.act import Done
from flows.acts.doubts import ABSENT, UNLIKE, look_for
from flows.acts.forms import (
    Decide,
    DeclareAbsent,
    HoldSending,
    LinkReport,
    RecordReturn,
    Release,
    SetRate,
    TakeLinkBack,
    Unfreeze,
)
from flows.acts.payments import possible_decisions, words_on_reports
from flows.acts.rates import WAIT, lacks_rate
from flows.acts.stops import FREEZE, name_of
from flows.books.payments import Search
from flows.desk.acts import act_here
from flows.desk.guard import Posted, RequestRefused, SignedIn, ledger_of
from flows.desk.pages import language_of, show
from flows.desk.payments import Text, payments_of
from io_adapters.ledger.ledger import Ledger
from schemas.account import PaymentLine
from schemas.acts import ActKind
from schemas.approval import DecisionKind, FirstDecision
from schemas.errors import RepasseError
from schemas.exchange_update import ExchangeState, ExchangeUpdate
from schemas.messages import Listed, Message, for_desk, render
from schemas.plan import Place
from schemas.returns import is_return, payment_of
from schemas.states import PAYMENTS
from schemas.submission import LIKENESS, OPEN, UNTOLD, Submission, SubmissionState

S = SubmissionState
X = ExchangeState
MOST_KEYS: Final = 500
MOST_CANDIDATES: Final = 20
PAYMENTS_SHOWN: Final = 200
OBLIGATION: Final = "key:"
WHOLE_REPORT: Final = "report:"
# What waits for a person's word on each payment, beside reports that did not tell whom they paid.
DECIDED_BY_HAND: Final = tuple(
    place.value
    for place, state in PAYMENTS.items()
    if ActKind.DECIDE in state.acts and place not in {Place.UNDETERMINED, Place.EXCLUDED}
)

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Doubt:
    """A submission, or an exchange rate, that nobody can tell the fate of."""

    subject: str
    job: str
    period: str
    currency: str
    payments: int
    amount_cents: int
    sent_at: dt.datetime | None
    absent_from: dt.datetime | None
    reason: Message | Listed | None
    first_word: FirstDecision | None


@dataclass(frozen=True, slots=True)
class Stop:
    """What stops all sending."""

    hold: str
    freeze: Listed | None
    tags: tuple[str, ...]
    first_word: FirstDecision | None


class Unresolved:
    """What waits for people's words."""

    def __init__(self, ledger: Ledger) -> None:
        self._ledger = ledger

    def list(self) -> tuple[Doubt, ...]:
        """Return everything in doubt: submissions, then exchange rates."""
        submissions = self._ledger.submissions.list(states={S.IN_DOUBT}, bodies=False)
        rates = self._ledger.exchange_updates.list(states={X.IN_DOUBT, X.REFUSED})
        return (*map(self._of_submission, submissions), *map(self._of_rate, rates))

    def undetermined(self) -> tuple[Submission, ...]:
        ended = self._ledger.submissions.list(states=UNTOLD, bodies=False)
        undecided = self._ledger.decisions.undecided(submission.id for submission in ended)
        return tuple(submission for submission in ended if submission.id in undecided)

    def likely(self) -> tuple[tuple[Submission, FirstDecision | None], ...]:
        """Return what was linked to a report by likeness alone, each with the first word that it is another one."""
        linked = self._ledger.submissions.list(linked_by=LIKENESS, bodies=False)
        return tuple((one, self._ledger.first_decisions.pending(UNLIKE, one.id)) for one in linked)

    def unrated(self) -> tuple[Submission, ...]:
        """Return the reports in a foreign currency that wait for a rate which no plan has, or was refused."""
        waiting = self._ledger.submissions.list(states=OPEN, bodies=False)
        return tuple(report for report in waiting if lacks_rate(self._ledger, report))

    def stop(self) -> Stop:
        hold, freeze = self._ledger.hold.current(), self._ledger.freeze.current()
        first = self._ledger.first_decisions.pending(FREEZE, name_of(freeze.tags)) if freeze else None
        return Stop(
            hold=f"{hold.by}: {hold.why}" if hold else "",
            freeze=freeze.reason if freeze else None,
            tags=freeze.tags if freeze else (),
            first_word=first,
        )

    def _of_submission(self, submission: Submission) -> Doubt:
        return Doubt(
            submission.id,
            submission.job,
            submission.period,
            submission.currency,
            submission.payments,
            submission.amount_cents,
            submission.sending_at,
            _from(submission.sending_at),
            submission.reason,
            self._ledger.first_decisions.pending(ABSENT, submission.id),
        )

    def _of_rate(self, update: ExchangeUpdate) -> Doubt:
        first = self._ledger.first_decisions.pending(ABSENT, update.id)
        terms = f"{update.terms.currency} {update.terms.plain_rate}, {update.report_id}, {update.split_id}"
        reason = Listed((terms, update.reason) if update.reason else (terms,), ": ")
        sent = update.sending_at
        return Doubt(
            update.id, update.job, update.period, update.terms.currency, 0, 0, sent, _from(sent), reason, first
        )


def _from(sent_at: dt.datetime | None) -> dt.datetime | None:
    return sent_at + WAIT if sent_at else None


def unresolved_of(request: Request) -> Unresolved:
    unresolved: Unresolved = request.app.state.desk.unresolved
    return unresolved


def doubts_page(
    request: Request, *, status: int = 200, problem: str = "", done: str = "", payment: str = ""
) -> Response:
    found = unresolved_of(request)
    undetermined, payments = found.undetermined(), payments_of(request)
    returning = (
        next((line for line in payments.find(Search(payment)) if line.key == payment), None) if payment else None
    )
    facts: dict[str, Any] = {
        "kinds": DecisionKind,
        "of_reports": words_on_reports(ledger_of(request)),
        "doubts": found.list(),
        "likely": found.likely(),
        "unrated": found.unrated(),
        "undetermined": [(report, payments.of_report(report.id)) for report in undetermined],
        "open": _by_kinds(ledger_of(request), payments.undecided(DECIDED_BY_HAND)),
        "shown": PAYMENTS_SHOWN,
        "stop": found.stop(),
        "stamp": _stamp(found),
        "returning": returning,
        # Of what is back already, the record is put right: that of the payment it came back of.
        "back_of": payment_of(payment) if returning and returning.place == Place.RETURNED else payment,
    }
    return show(request, "doubts.html", status=status, problem=problem, done=done, **facts)


_Choice = tuple[tuple[DecisionKind, ...], bool]


def _by_kinds(ledger: Ledger, lines: Sequence[PaymentLine]) -> list[tuple[_Choice, list[PaymentLine]]]:
    """Group payments by what can be decided on them, what came back apart; one without any word is not offered."""
    possible = possible_decisions(ledger, [line.key for line in lines if line.key])
    groups = defaultdict[_Choice, list[PaymentLine]](list)
    for line in lines:
        if line.key in possible:
            groups[possible[line.key], is_return(line.key)].append(line)
    return list(groups.items())


@router.get("/doubts/stamp")
def stamp(request: Request, _signed: SignedIn) -> Response:
    """Name what waits now, so that a page that is open notices when it is no longer the same."""
    return Response(_stamp(unresolved_of(request)), media_type="text/plain")


def _stamp(found: Unresolved) -> str:
    stamps = [f"{doubt.subject} {doubt.first_word.by if doubt.first_word else ''}" for doubt in found.list()]
    stamps += [f"{report.id} {report.state}" for report in found.undetermined()]
    stamps += [f"{one.id} {word.by if word else ''}" for one, word in found.likely()]
    stop = found.stop()
    return name_of([*stamps, stop.hold, *stop.tags, stop.first_word.by if stop.first_word else ""])


@router.get("/doubts")
def doubts(request: Request, _signed: SignedIn, done: str = "", payment: Text = "") -> Response:
    known = {"linked", "first", "absent", "taken_back", "rated", "rate_open", "decided", "held", "released", "lifted"}
    known |= {"returned"}
    return doubts_page(request, done=done if done in known else "", payment=payment)


@router.post("/doubts/look")
def look(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Ask the service which of its reports something in doubt could be; nobody's word is taken."""
    signed.require(ActKind.LINK)
    try:
        with request.app.state.desk.house.asking() as run:
            ours, candidates = look_for(run, form.get("subject", ""))
    except RepasseError as refused:
        return doubts_page(request, status=422, problem=render(for_desk(refused.content), language_of(request)))
    return show(request, "candidates.html", ours=ours, candidates=candidates[:MOST_CANDIDATES])


def _then(done: Done) -> str:
    return f"/doubts?done={done.name}"


@router.post("/doubts/link")
def link(request: Request, signed: SignedIn, form: Posted) -> Response:
    return act_here(request, signed, LinkReport, form, page=partial(doubts_page, request), then=_then)


@router.post("/doubts/absent")
def absent(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that the service never had it."""
    subjects = (form.get("subject", ""),)
    return act_here(
        request, signed, DeclareAbsent, form, page=partial(doubts_page, request), then=_then, subjects=subjects
    )


@router.post("/doubts/unlink")
def unlink(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that a report which was found by likeness is another one."""
    subjects = (form.get("subject", ""),)
    page = partial(doubts_page, request)
    return act_here(request, signed, TakeLinkBack, form, page=page, then=_then, subjects=subjects)


@router.post("/doubts/rate")
def rate(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word on the exchange rate of one report; both say the same."""
    return act_here(request, signed, SetRate, form, page=partial(doubts_page, request), then=_then)


@router.post("/doubts/decide")
def decide(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take a word on payments that were ticked or typed; of a report that was ticked, on all but these."""
    keys = [name.removeprefix(OBLIGATION) for name in form if name.startswith(OBLIGATION)]
    keys += form.get("obligations", "")[: 40 * MOST_KEYS].replace(",", " ").split()
    reports = [name.removeprefix(WHOLE_REPORT) for name in form if name.startswith(WHOLE_REPORT)]
    if form.get("kind") not in set(DecisionKind) or not (keys or reports) or len(keys) > MOST_KEYS:
        signed.require(ActKind.DECIDE)
        raise RequestRefused(422, "desk.refused.empty")
    of_reports = {claim.obligation_key for claim in ledger_of(request).claims.live_in(reports)}
    payments = (*reports, *(key for key in keys if key not in of_reports))
    all_but = tuple(key for key in keys if key in of_reports)
    return act_here(
        request,
        signed,
        Decide,
        form,
        page=partial(doubts_page, request),
        then=_then,
        payments=payments,
        all_but=all_but,
    )


@router.post("/doubts/returned")
def returned(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that a payment came back, whole or in part."""
    page = partial(doubts_page, request, payment=form.get("payment", ""))
    return act_here(request, signed, RecordReturn, form, page=page, then=_then)


@router.post("/sending/hold")
def hold(request: Request, signed: SignedIn, form: Posted) -> Response:
    return act_here(request, signed, HoldSending, form, page=partial(doubts_page, request), then=_then)


@router.post("/sending/release")
def release(request: Request, signed: SignedIn, form: Posted) -> Response:
    return act_here(request, signed, Release, form, page=partial(doubts_page, request), then=_then)


@router.post("/sending/unfreeze")
def unfreeze(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that what froze sending is understood."""
    return act_here(request, signed, Unfreeze, form, page=partial(doubts_page, request), then=_then)
