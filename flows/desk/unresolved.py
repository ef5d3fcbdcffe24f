"""The desk's page of open decisions: submissions in doubt, obligations, holds and freezes."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from flows.approvals import decisions
from flows.approvals.decisions import WAIT, PersonsDecision
from flows.desk.guard import LONGEST_TEXT, Form, Posted, RequestRefused, SignedIn, ledger_of
from flows.desk.pages import language_of, show
from flows.desk.payments import payments_of
from flows.reports.rules.report_list import Candidate
from flows.run import Clock, Run, Silence
from flows.runner import opened_run
from flows.sending.exchange_rates import declare_rates_absent, link_rate
from flows.settings import Settings
from io_adapters.ledger.ledger import Ledger
from schemas.account import PaymentLine
from schemas.acts import ActKind
from schemas.approval import DecisionKind, FirstDecision
from schemas.errors import DecisionRefused, RepasseError
from schemas.exchange_update import ID_PREFIX, ExchangeState, ExchangeUpdate
from schemas.messages import Listed, Message, for_desk, render
from schemas.plan import Place
from schemas.states import PAYMENTS
from schemas.submission import UNTOLD, Submission, SubmissionState
from schemas.values.names import same_person

S = SubmissionState
X = ExchangeState
ABSENT: Final = "absent"
FREEZE: Final = "freeze"
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

    def __init__(self, ledger: Ledger, settings: Settings, clock: Clock) -> None:
        self._ledger = ledger
        self._settings = settings
        self._clock = clock

    def list(self) -> tuple[Doubt, ...]:
        """Return everything in doubt: submissions, then exchange rates."""
        submissions = self._ledger.submissions.list(states={S.IN_DOUBT}, bodies=False)
        rates = self._ledger.exchange_updates.list(states={X.IN_DOUBT, X.REFUSED})
        return (*map(self._of_submission, submissions), *map(self._of_rate, rates))

    def undetermined(self) -> tuple[Submission, ...]:
        ended = self._ledger.submissions.list(states=UNTOLD, bodies=False)
        undecided = self._ledger.decisions.undecided(submission.id for submission in ended)
        return tuple(submission for submission in ended if submission.id in undecided)

    def link(self, subject: str, report_id: str, *, by: str) -> None:
        with self._asking() as run:
            if subject.startswith(ID_PREFIX):
                link_rate(run, subject, report_id, by)
            else:
                decisions.link_report(run, subject, report_id, by)

    def look_for(self, subject: str) -> tuple[Submission, tuple[Candidate, ...]]:
        with self._asking() as run:
            return decisions.look_for(run, subject)

    def declare_absent(self, subject: str, *, by: str, evidence: str) -> bool:
        """Keep the first word; with that of a second person, declare it absent."""
        doubt = next((listed for listed in self.list() if listed.subject == subject), None)
        if doubt is None:
            raise DecisionRefused(Message("doubt.settled", name=subject))
        if doubt.absent_from is not None and self._clock.now() < doubt.absent_from:
            raise DecisionRefused(Message("doubt.wait", name=subject, since=f"{doubt.absent_from:%Y-%m-%d %H:%M} UTC"))
        first = self._ledger.first_decisions.pending(ABSENT, subject)
        if first is None or same_person(first.by) == same_person(by):
            self._ledger.first_decisions.record(ABSENT, subject, by, evidence)
            return False
        people, both = (first.by, by), f"{first.by}: {first.evidence}; {by}: {evidence}"
        with self._asking() as run:
            if subject.startswith(ID_PREFIX):
                declare_rates_absent(run, [subject], people, both)
            else:
                decisions.declare_absent(run, [subject], people, both)
        return True

    def decide(
        self, keys: Sequence[str], kind: DecisionKind, *, by: str, evidence: str, reports: Sequence[str] = ()
    ) -> int:
        """Decide on payments; and on all payments of some reports but those of `keys`."""
        word = PersonsDecision(kind, by, evidence, self._clock.now(), signed_in=True)
        of_reports = {claim.obligation_key for claim in self._ledger.claims.live_in(reports)}
        asked = [*reports, *(key for key in keys if key not in of_reports)]
        all_but = [key for key in keys if key in of_reports]
        return len(decisions.decide(self._ledger, asked, word, self._asking, all_but))

    def stop(self) -> Stop:
        hold, freeze = self._ledger.hold.current(), self._ledger.freeze.current()
        first = self._ledger.first_decisions.pending(FREEZE, _name_of(freeze.tags)) if freeze else None
        return Stop(
            hold=f"{hold.by}: {hold.why}" if hold else "",
            freeze=freeze.reason if freeze else None,
            tags=freeze.tags if freeze else (),
            first_word=first,
        )

    def hold(self, *, by: str, why: str) -> None:
        self._ledger.hold.put(by, why)

    def release(self, *, by: str) -> None:
        self._ledger.hold.release(by)

    def unfreeze(self, tags: Sequence[str], *, by: str, evidence: str) -> bool:
        """Keep the first word on a freeze; with that of a second person on the same tags, lift it."""
        freeze = self._ledger.freeze.current()
        if freeze is None:
            raise DecisionRefused(Message("freeze.none"))
        if set(tags) != set(freeze.tags):
            raise DecisionRefused(Message("freeze.changed"))
        subject = _name_of(freeze.tags)
        first = self._ledger.first_decisions.pending(FREEZE, subject)
        if first is None or same_person(first.by) == same_person(by):
            self._ledger.first_decisions.record(FREEZE, subject, by, evidence)
            return False
        decisions.lift_freeze(self._ledger, tags, (first.by, by), f"{first.by}: {first.evidence}; {by}: {evidence}")
        return True

    @contextmanager
    def _asking(self) -> Iterator[Run]:
        with opened_run("resolve", None, self._settings, Silence(), self._clock) as run:
            yield run

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


def _name_of(tags: Sequence[str]) -> str:
    """Name a freeze by what froze it: a word on other tags is a word on another freeze."""
    return sha256("\0".join(sorted(tags)).encode()).hexdigest()


def unresolved_of(request: Request) -> Unresolved:
    unresolved: Unresolved = request.app.state.desk.unresolved
    return unresolved


def _page(request: Request, *, status: int = 200, problem: str = "", done: str = "") -> Response:
    found = unresolved_of(request)
    undetermined, payments = found.undetermined(), payments_of(request)
    facts: dict[str, Any] = {
        "kinds": DecisionKind,
        "of_reports": decisions.words_on_reports(ledger_of(request)),
        "doubts": found.list(),
        "undetermined": [(report, payments.of_report(report.id)) for report in undetermined],
        "open": _by_kinds(ledger_of(request), payments.undecided(DECIDED_BY_HAND)),
        "shown": PAYMENTS_SHOWN,
        "stop": found.stop(),
        "stamp": _stamp(found),
    }
    return show(request, "doubts.html", status=status, problem=problem, done=done, **facts)


def _by_kinds(ledger: Ledger, lines: Sequence[PaymentLine]) -> list[tuple[tuple[DecisionKind, ...], list[PaymentLine]]]:
    """Group payments by what can be decided on them; one on which nothing can be is not offered."""
    possible = decisions.possible_decisions(ledger, [line.key for line in lines if line.key])
    groups = defaultdict[tuple[DecisionKind, ...], list[PaymentLine]](list)
    for line in lines:
        if line.key in possible:
            groups[possible[line.key]].append(line)
    return list(groups.items())


@router.get("/doubts/stamp")
def stamp(request: Request, _signed: SignedIn) -> Response:
    """Name what waits now, so that a page that is open notices when it is no longer the same."""
    return Response(_stamp(unresolved_of(request)), media_type="text/plain")


def _stamp(found: Unresolved) -> str:
    stamps = [f"{doubt.subject} {doubt.first_word.by if doubt.first_word else ''}" for doubt in found.list()]
    stamps += [f"{report.id} {report.state}" for report in found.undetermined()]
    stop = found.stop()
    return _name_of([*stamps, stop.hold, *stop.tags, stop.first_word.by if stop.first_word else ""])


@router.get("/doubts")
def doubts(request: Request, _signed: SignedIn, done: str = "") -> Response:
    known = {"linked", "first", "absent", "decided", "held", "released", "lifted"}
    return _page(request, done=done if done in known else "")


@router.post("/doubts/look")
def look(request: Request, signed: SignedIn, form: Posted) -> Response:
    signed.require(ActKind.LINK)
    try:
        ours, candidates = unresolved_of(request).look_for(_text(form, "subject"))
    except RepasseError as refused:
        return _page(request, status=422, problem=render(for_desk(refused.content), language_of(request)))
    return show(request, "candidates.html", ours=ours, candidates=candidates[:MOST_CANDIDATES])


@router.post("/doubts/link")
def link(request: Request, signed: SignedIn, form: Posted) -> Response:
    signed.require(ActKind.LINK)
    try:
        unresolved_of(request).link(_text(form, "subject"), _text(form, "report"), by=signed.user.name)
    except RepasseError as refused:
        return _page(request, status=422, problem=render(for_desk(refused.content), language_of(request)))
    return RedirectResponse("/doubts?done=linked", status_code=303)


@router.post("/doubts/absent")
def absent(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Take the first, or the second, word that the service never had it."""
    signed.require(ActKind.DECLARE_ABSENT)
    try:
        ended = unresolved_of(request).declare_absent(
            _text(form, "subject"), by=signed.user.name, evidence=_text(form, "evidence")
        )
    except RepasseError as refused:
        return _page(request, status=422, problem=render(for_desk(refused.content), language_of(request)))
    return RedirectResponse(f"/doubts?done={'absent' if ended else 'first'}", status_code=303)


@router.post("/doubts/decide")
def decide(request: Request, signed: SignedIn, form: Posted) -> Response:
    signed.require(ActKind.DECIDE)
    keys = [name.removeprefix(OBLIGATION) for name in form if name.startswith(OBLIGATION)]
    keys += form.get("obligations", "")[: 40 * MOST_KEYS].replace(",", " ").split()
    reports = [name.removeprefix(WHOLE_REPORT) for name in form if name.startswith(WHOLE_REPORT)]
    kinds = {kind.value: kind for kind in DecisionKind}
    if form.get("kind") not in kinds or not (keys or reports) or len(keys) > MOST_KEYS:
        raise RequestRefused(422, "desk.refused.empty")
    try:
        evidence = _text(form, "evidence")
        found = unresolved_of(request)
        found.decide(keys, kinds[form["kind"]], by=signed.user.name, evidence=evidence, reports=reports)
    except RepasseError as refused:
        return _page(request, status=422, problem=render(for_desk(refused.content), language_of(request)))
    return RedirectResponse("/doubts?done=decided", status_code=303)


@router.post("/sending/hold")
def hold(request: Request, signed: SignedIn, form: Posted) -> Response:
    """Stop all sending; anybody may."""
    unresolved_of(request).hold(by=signed.user.name, why=_text(form, "why"))
    return RedirectResponse("/doubts?done=held", status_code=303)


@router.post("/sending/release")
def release(request: Request, signed: SignedIn, _form: Posted) -> Response:
    signed.require(ActKind.DECIDE)
    unresolved_of(request).release(by=signed.user.name)
    return RedirectResponse("/doubts?done=released", status_code=303)


@router.post("/sending/unfreeze")
def unfreeze(request: Request, signed: SignedIn, form: Posted) -> Response:
    signed.require(ActKind.DECIDE)
    tags = [name.removeprefix("tag:") for name in form if name.startswith("tag:")]
    try:
        ended = unresolved_of(request).unfreeze(tags, by=signed.user.name, evidence=_text(form, "evidence"))
    except RepasseError as refused:
        return _page(request, status=422, problem=render(for_desk(refused.content), language_of(request)))
    return RedirectResponse(f"/doubts?done={'lifted' if ended else 'first'}", status_code=303)


def _text(form: Form, name: str, longest: int = LONGEST_TEXT) -> str:
    text = form.get(name, "").strip()
    if not text or len(text) > longest:
        raise RequestRefused(422, "desk.refused.empty")
    return text
