"""Decisions on single payments: what a report that does not tell, a conflict or a payment made outside came to."""

import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cache
from typing import Final

from flows.acts.act import Asking, Done, House, Word
from flows.acts.forms import Decide
from flows.acts.returns import may_say
from flows.acts.rules import Question, open_question
from flows.payables.earlier_reports import shown_by_id
from flows.payables.rules.claims import says_paid
from flows.reports.report_list import poll_reports
from flows.run import Run
from io_adapters.ledger.claims import LedgerMoved
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import last_obligations, read_heads
from schemas.approval import Decision, DecisionKind
from schemas.errors import DecisionRefused
from schemas.messages import Message, Money
from schemas.obligation import Obligation
from schemas.plan import Place
from schemas.returns import is_return, payment_of
from schemas.submission import Claim
from schemas.values.names import normal_reference
from schemas.wire import SplitReport

_UNMADE: Final = frozenset({DecisionKind.PAY, DecisionKind.DROP})


@dataclass(frozen=True, slots=True)
class _PersonsDecision:
    """What a person says, of however many obligations."""

    kind: DecisionKind
    by: str
    evidence: str
    at: dt.datetime
    same_account: bool


def decide(house: House, word: Word, said: Decide) -> Done:
    """Record a decision on obligations, and on reports: each stands for all it pays on which nobody has decided yet.

    *Pay* frees what a report was to pay, so the service is asked first: what it says is paid, or on its way, is not.

    Raises:
        NotSent: the service has to be asked, and cannot be; nothing is recorded.
        SendingFrozen: ledger and service disagree; nothing is recorded.
        DecisionRefused: one of them is unknown, or nothing is open about it, or its job counts only words of people who
            signed in, or the service says that it was paid; then nothing is recorded of any.
    """
    kind = DecisionKind(said.kind)
    decided = _decided(house, word, said, kind)
    lines = (Message(f"cli.decided.{kind.value}", count=len(decided), by=word.by), *paid_beside(house.ledger, decided))
    document = [{"obligation": each.obligation_key, "report_id": each.submission_id or None} for each in decided]
    return Done("decided", lines, {"decided": document})


def _decided(house: House, word: Word, said: Decide, kind: DecisionKind) -> list[Decision]:
    names = list(dict.fromkeys(_obligations_meant(house.ledger, said.payments, said.all_but, kind)))
    if not word.is_signed_in and house.ledger.decision_rules.any_wants_signed_in():
        word.require_counts(house.ledger, sorted(_jobs_of(house.ledger, names)))
    decision = _PersonsDecision(kind, word.by, said.evidence, house.clock.now(), said.same_account)
    for _ in range(_TRIES - 1):
        with suppress(LedgerMoved):
            return _decide_once(house.ledger, names, decision, house.asking)
    return _decide_once(house.ledger, names, decision, house.asking)


_TRIES: Final = 5
_REPORT: Final = "rp-"  # begins the name of a report


def _obligations_meant(
    ledger: Ledger, asked: Sequence[str], all_but: Collection[str], kind: DecisionKind
) -> Iterator[str]:
    """Yield obligations as they were asked for, and of reports what nobody has decided on yet, but those left out."""
    of_reports = set[str]()
    for name in asked:
        if not name.startswith(_REPORT):
            yield name
            continue
        keys = [claim.obligation_key for claim in ledger.claims.live_in([name])]
        known, decided = _KnownObligations(ledger, keys), ledger.decisions.on_reports(keys)
        undecided = [key for key in keys if key not in all_but and (key, name) not in decided]
        meant = [key for key in undecided if known.question(key, kind)]
        if not meant:
            raise DecisionRefused(Message("decide.nothing" if keys else "decide.unknown", obligation=name))
        of_reports.update(keys)
        yield from meant
    if strangers := sorted(set(all_but) - of_reports):
        raise DecisionRefused(Message("decide.not_of_report", obligation=", ".join(strangers)))


def _decide_once(ledger: Ledger, keys: Sequence[str], decision: _PersonsDecision, asking: Asking) -> list[Decision]:
    """Judge what is asked and write the answer down, if nothing was claimed, posted or decided in between.

    Raises:
        LedgerMoved: something was; what was judged no longer stands.
    """
    epoch = ledger.claims.epoch()
    questions = _questions(ledger, keys, decision)
    if decision.kind is DecisionKind.PAY and any(question.submission_id for question in questions):
        with asking() as run:
            reports = poll_reports(run)
            epoch = ledger.claims.epoch()
            questions = _questions(ledger, keys, decision)  # the poll may have settled some
            _require_unpaid(run, questions, reports)
    decisions = [
        Decision(
            question.obligation_key,
            question.submission_id,
            decision.kind,
            question.amount_cents,
            question.destination,
            decision.by,
            decision.evidence,
            decision.at,
        )
        for question in questions
    ]
    ledger.decisions.record(decisions, epoch)
    return decisions


def possible_decisions(ledger: Ledger, keys: Collection[str]) -> dict[str, tuple[DecisionKind, ...]]:
    """Return which decisions `decide` would take on each of some obligations now; those without any are left out."""
    known, of_reports = _KnownObligations(ledger, keys), words_on_reports(ledger)
    possible = dict[str, tuple[DecisionKind, ...]]()
    for key in keys:
        questions = {kind: question for kind in DecisionKind if (question := known.question(key, kind))}
        kinds = (kind for kind, asked in questions.items() if kind in of_reports or not asked.submission_id)
        possible[key] = tuple(kinds)
    return {key: kinds for key, kinds in possible.items() if kinds}


def words_on_reports(ledger: Ledger) -> tuple[DecisionKind, ...]:
    """Return what may be said now of payments of a report that ended without telling whom it paid.

    That one was not made wants a look at the service's list, which is not trusted while sending is frozen.
    """
    settled = (DecisionKind.PAID, DecisionKind.DROP)
    return settled if ledger.freeze.current() else (DecisionKind.PAY, *settled)


def paid_beside(ledger: Ledger, decisions: Iterable[Decision]) -> list[Message]:
    """Say of each row that is to be paid beside what was paid for it: by which reports, and what both come to."""
    found = []
    for decision in decisions:
        if decision.submission_id or decision.kind not in {DecisionKind.PAY, DecisionKind.DIFFERENCE}:
            continue
        key = decision.obligation_key
        claims = ledger.claims.live_for([key]) or _under_a_former_key(ledger, _last_seen(ledger, [key]).get(key))
        if not claims:
            continue
        paid_cents = sum(claim.amount_cents for claim in claims)
        facts = {
            "obligation": decision.obligation_key,
            "reports": ", ".join(sorted({claim.submission_id for claim in claims})),
            "paid": Money(paid_cents),
            "row": Money(decision.amount_cents),
            "whole": Money(paid_cents + decision.amount_cents),
            "rest": Money(decision.amount_cents - paid_cents),
        }
        more = decision.amount_cents > paid_cents
        if decision.kind is DecisionKind.DIFFERENCE:
            found.append(Message("decide.difference", **facts))
        else:
            found.append(Message("decide.beside_and_more" if more else "decide.beside", **facts))
    return found


def _require_unpaid(run: Run, questions: Sequence[Question], reports: Sequence[SplitReport]) -> None:
    """Hold the word that payments were not made against what the service says of their reports by now."""
    by_report = defaultdict[str, set[str]](set)
    for question in questions:
        if question.submission_id:
            by_report[question.submission_id].add(question.obligation_key)
    listed = {report.id: report for report in reports}
    for submission in run.ledger.submissions.with_ids(by_report):
        payments = {payment.obligation_key: payment for payment in run.ledger.claims.payments_of(submission.id)}
        decisions = run.ledger.decisions.on_reports(payments)
        unmade = {
            key for (key, report), decision in decisions.items() if report == submission.id and decision.kind in _UNMADE
        }
        unmade |= by_report[submission.id]
        unpaid = [payment for key, payment in payments.items() if key in unmade]
        for report in (listed.get(submission.split_id), shown_by_id(run, submission)):
            cents = sum(payment.amount_cents for payment in unpaid)
            people = sum(payment.kind != "owner" for payment in unpaid)
            if report is not None and says_paid(submission, report, unpaid_cents=cents, unpaid=people):
                status = report.status or "-"
                raise DecisionRefused(Message("decide.service_says_paid", report=submission.report_id, status=status))


def _jobs_of(ledger: Ledger, keys: Sequence[str]) -> set[str]:
    """Name the jobs some obligations are of, by the submissions that claim them and the runs that saw them."""
    claims = ledger.claims.live_for_obligations(keys)
    jobs = {submission.job for submission in ledger.submissions.with_ids({claim.submission_id for claim in claims})}
    missing = set(keys) - {claim.obligation_key for claim in claims}
    seen_by = {run_id for run_id, _ in last_obligations(ledger, missing).values()}
    returned = ledger.returns.of_payments(payment_of(key) for key in keys if is_return(key))
    return jobs | {head.job for head in read_heads(ledger, seen_by).values()} | {each.job for each in returned}


class _KnownObligations:
    """What is known of some obligations: as runs saw them, what claims them, what people have said of them."""

    def __init__(self, ledger: Ledger, keys: Collection[str]) -> None:
        self._ledger, self._seen = ledger, _last_seen(ledger, keys)
        claimed = {claim.obligation_key: claim.base_key for claim in ledger.claims.live_for_obligations(keys)}
        self._bases = {key: self._seen[key].base_key if key in self._seen else claimed.get(key, key) for key in keys}
        self._claims_of = cache(self._claims_on)
        self._claims = defaultdict[str, list[Claim]](list)
        for claim in ledger.claims.live_for(self._bases.values()):
            self._claims[claim.base_key].append(claim)
        self._answered = ledger.decisions.on_reports(keys)
        self._spoken_of = ledger.decisions.on_rows(self._bases.values())
        came_back = ledger.returns.of_payments({payment_of(key) if is_return(key) else key for key in keys})
        self._returned = {each.key: each for each in came_back}
        self._came_back = {each.obligation_key for each in came_back if each.counts}

    def is_unknown(self, key: str) -> bool:
        return key not in self._seen and not self._claims_of(key) and key not in self._returned

    def question(self, key: str, kind: DecisionKind, *, same_account: bool = True) -> Question | None:
        """Return what a decision of a kind would answer; None where nothing is open."""
        if (returned := self._returned.get(key)) is not None:
            may = may_say(returned, kind, same_account=same_account)
            return Question(key, "", returned.amount_cents, returned.destination) if may else None
        if kind is DecisionKind.PAY and key in self._came_back:
            return None  # it was paid, or nothing of it could have come back
        seen, claims = self._seen.get(key), self._claims_of(key)
        return open_question(key, kind, seen, claims, answered=self._answered, spoken_of=self._spoken_of)

    def _claims_on(self, key: str) -> list[Claim]:
        mine = self._claims.get(self._bases[key])
        return mine or _under_a_former_key(self._ledger, self._seen.get(key))


def _questions(ledger: Ledger, keys: Sequence[str], decision: _PersonsDecision) -> list[Question]:
    known, questions = _KnownObligations(ledger, keys), []
    for key in keys:
        question = known.question(key, decision.kind, same_account=decision.same_account)
        if question is None:
            if is_return(key) and decision.kind is DecisionKind.PAY and known.question(key, DecisionKind.DROP):
                raise DecisionRefused(Message("decide.not_again", obligation=key))
            raise DecisionRefused(
                Message("decide.unknown" if known.is_unknown(key) else "decide.nothing", obligation=key)
            )
        questions.append(question)
    return questions


def _under_a_former_key(ledger: Ledger, seen: Obligation | None) -> list[Claim]:
    """Find what was paid for a row in conflict before its payee's document, or its payer's number, was another."""
    if seen is None or seen.place is not Place.CONFLICT or not seen.submission_id:
        return []
    reference = normal_reference(seen.reference)
    documents = {old for old, new in ledger.journal.payee_moves().items() if new == seen.payee.tax_id}
    return [
        claim
        for claim in ledger.claims.live_in([seen.submission_id])
        if claim.kind == "payment"
        and claim.payee in {seen.payee.tax_id, *documents}
        and normal_reference(claim.reference) == reference
    ]


def _last_seen(ledger: Ledger, keys: Collection[str]) -> dict[str, Obligation]:
    return {key: obligation for key, (_, obligation) in last_obligations(ledger, keys).items()}
