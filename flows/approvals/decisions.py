"""Recording people's decisions on obligations and on submissions in doubt."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeVar

from flows.approvals.rules import Question, open_question
from flows.payables.earlier_reports import shown_by_id
from flows.payables.rules.claims import says_paid
from flows.reports.report_list import accept_found, doubt_abandoned, freeze, linked_ids, poll_reports
from flows.reports.rules.report_list import Candidate, absence_lacks, candidates_of, differs_from, look_alikes
from flows.run import Run
from io_adapters.ledger.approvals_missing import require_typed_name_counts
from io_adapters.ledger.claims import LedgerMoved
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import last_obligations, read_heads
from schemas.approval import Decision, DecisionKind
from schemas.errors import ApprovalWanted, DecisionRefused
from schemas.messages import Message, Money
from schemas.obligation import Obligation
from schemas.plan import Place
from schemas.submission import Alarm, Claim, Submission, SubmissionState
from schemas.values.names import different_people, normal_reference, same_person
from schemas.wire import SplitReport

_UNMADE: Final = frozenset({DecisionKind.PAY, DecisionKind.DROP})

Asking = Callable[[], AbstractContextManager[Run]]


@dataclass(frozen=True, slots=True)
class PersonsDecision:
    """What a person says, of however many obligations."""

    kind: DecisionKind
    by: str
    evidence: str
    at: dt.datetime
    signed_in: bool = False


def decide(
    ledger: Ledger, asked: Sequence[str], decision: PersonsDecision, asking: Asking, all_but: Collection[str] = ()
) -> list[Decision]:
    """Record a decision on obligations.

    *Pay* frees what a report was to pay, so the service is asked first: what it says is paid, or on its way, is not.

    Args:
        asked: Obligations, and reports: each stands for all it pays on which nobody has decided yet.
        all_but: Obligations that are left out of the reports that are asked for.

    Raises:
        NotSent: the service has to be asked, and cannot be; nothing is recorded.
        SendingFrozen: ledger and service disagree; nothing is recorded.
        DecisionRefused: one of them is unknown, or nothing is open about it, or its job counts only words of people who
            signed in, or the service says that it was paid; then nothing is recorded of any.
    """
    names = list(dict.fromkeys(_obligations_meant(ledger, asked, all_but, decision.kind)))
    if not decision.signed_in and ledger.decision_rules.any_wants_signed_in():
        for job in sorted(_jobs_of(ledger, names)):
            require_typed_name_counts(ledger, job)
    for _ in range(_TRIES - 1):
        with suppress(LedgerMoved):
            return _decide_once(ledger, names, decision, asking)
    return _decide_once(ledger, names, decision, asking)


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


def _decide_once(ledger: Ledger, keys: Sequence[str], decision: PersonsDecision, asking: Asking) -> list[Decision]:
    """Judge what is asked and write the answer down, if nothing was claimed, posted or decided in between.

    Raises:
        LedgerMoved: something was; what was judged no longer stands.
    """
    epoch = ledger.claims.epoch()
    questions = _questions(ledger, keys, decision.kind)
    if decision.kind is DecisionKind.PAY and any(question.submission_id for question in questions):
        with asking() as run:
            reports = poll_reports(run)
            epoch = ledger.claims.epoch()
            questions = _questions(ledger, keys, decision.kind)  # the poll may have settled some
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
    return jobs | {head.job for head in read_heads(ledger, seen_by).values()}


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

    def is_unknown(self, key: str) -> bool:
        return key not in self._seen and not self._claims_of(key)

    def question(self, key: str, kind: DecisionKind) -> Question | None:
        """Return what a decision of a kind would answer; None where nothing is open."""
        seen, claims = self._seen.get(key), self._claims_of(key)
        return open_question(key, kind, seen, claims, answered=self._answered, spoken_of=self._spoken_of)

    def _claims_on(self, key: str) -> list[Claim]:
        mine = self._claims.get(self._bases[key])
        return mine or _under_a_former_key(self._ledger, self._seen.get(key))


def _questions(ledger: Ledger, keys: Sequence[str], kind: DecisionKind) -> list[Question]:
    known, questions = _KnownObligations(ledger, keys), []
    for key in keys:
        question = known.question(key, kind)
        if question is None:
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


S = SubmissionState

WAIT: Final = dt.timedelta(hours=24)

_Subject = TypeVar("_Subject")
_Found = TypeVar("_Found")


def link_report(run: Run, submission_id: str, split_id: str, by: str) -> Submission:
    """Take a person's word that a report of the service is the submission in doubt; the report must not contradict it.

    A submission that was declared absent may be found by hand too.

    Raises:
        DecisionRefused: the submission is not in doubt, the service shows no such report, the report is another
            submission's, or it differs in name, payer, currency, total or number of payments.
        ConfigurationError: the environment names another service than the ledger's.
        NotSent: the service cannot be asked.
        SendingFrozen: the payments were sent again since; the report is linked all the same.
    """
    submission = _submission_in(run, submission_id, {S.IN_DOUBT, S.ABSENT})
    if not split_id.strip(" ."):
        raise DecisionRefused(Message("report.none_named"))
    service = run.require_service()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    report = service.api.find_report(service.path_id(split_id=split_id, report_id=submission.report_id))
    if report is None or report.id not in {None, split_id}:
        raise DecisionRefused(Message("report.unknown", report=split_id))
    found_id = report.id or split_id
    others = [other for other in run.ledger.submissions.list(bodies=False) if other.split_id == found_id]
    if others:
        raise DecisionRefused(Message("report.taken", report=found_id, other=others[0].report_id))
    differences = differs_from(submission, report)
    if differences:
        fields = ", ".join(differences)
        raise DecisionRefused(Message("report.differs", report=found_id, name=submission.report_id, fields=fields))
    reason = Message("attempt.found_by_person")
    alarms = accept_found(run, submission, found_id, by=by, reason=reason, is_persons_word=True)
    if alarms:
        freeze(run, alarms)
    return run.ledger.submissions.get(submission.id)


def look_for(run: Run, submission_id: str) -> tuple[Submission, tuple[Candidate, ...]]:
    """Ask the service which of its reports a submission in doubt could be; takes nobody's word.

    Raises:
        DecisionRefused: the submission is not in doubt.
        NotSent: the service cannot be asked.
    """
    submission = _submission_in(run, submission_id, {S.IN_DOUBT, S.ABSENT})
    reports = run.require_service().api.list_all_reports()
    return submission, candidates_of(submission, reports, linked_ids(run))


def declare_absent(run: Run, submission_ids: Iterable[str], by: Sequence[str], evidence: str) -> list[Submission]:
    """Take two people's word that the service never received submissions, and make their next attempts ready.

    A last look at the service comes first: what shows up there is accepted instead. The list that lacks the others
    must show our reports of that time (`absence_lacks`). A report without a name that could be one of them must be
    named in the evidence: then both have seen it, and know that it is not. All are declared, or none.

    Raises:
        DecisionRefused: one is not in doubt, or not for a day yet, or the list does not speak for its absence, or a
            report that could be it is not named; of several, each that cannot be declared is named with its reason.
        ApprovalWanted: there are not two different people, or one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    people = different_people(by)
    if len(people) < 2:
        raise ApprovalWanted(Message("doubt.two_people"))
    names = list(dict.fromkeys(submission_ids))
    doubtful = ask_each(names, lambda name: _old_enough(run, name, people))
    reports = poll_reports(run)
    stand = {submission.id: submission for submission in run.ledger.submissions.with_ids(names)}
    left = [submission for submission in doubtful if stand[submission.id].state is S.IN_DOUBT]
    sent, linked = run.ledger.submissions.list(bodies=False), linked_ids(run)
    ask_each(left, lambda submission: _require_absence_shown(submission, sent, reports, linked, evidence))
    followed = run.ledger.submissions.declare_absent(
        [submission.id for submission in left], by=by, evidence=evidence, run_id=run.id
    )
    following = {before.id: next_one for before, next_one in zip(left, followed, strict=True)}
    return [following.get(name, stand[name]) for name in names]


def ask_each(subjects: Sequence[_Subject], ask: Callable[[_Subject], _Found]) -> list[_Found]:
    """Ask about each; several refusals are told together, and one alone as it is."""
    found, refusals = list[_Found](), list[DecisionRefused | ApprovalWanted]()
    for subject in subjects:
        try:
            found.append(ask(subject))
        except (DecisionRefused, ApprovalWanted) as refused:
            refusals.append(refused)
    if refusals and len(subjects) == 1:
        raise refusals[0]
    if refusals:
        raise DecisionRefused(Message("doubt.none_declared", why=tuple(refused.content for refused in refusals)))
    return found


def _old_enough(run: Run, name: str, people: Collection[str]) -> Submission:
    """Return a submission that has been in doubt for a day, and that none of these people sent."""
    submission = _submission_in(run, name, {S.IN_DOUBT})
    if submission.sending_at is not None and run.clock.now() < submission.sending_at + WAIT:
        since = f"{submission.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"
        raise DecisionRefused(Message("doubt.wait", name=submission.report_id, since=since))
    sender = run.ledger.runs.get(submission.run_id)
    if sender is not None and same_person(sender.prepared_by) in people:
        raise ApprovalWanted(Message("doubt.sender_of", name=submission.report_id))
    return submission


def _require_absence_shown(
    submission: Submission,
    sent: Sequence[Submission],
    reports: Sequence[SplitReport],
    linked: Collection[str],
    evidence: str,
) -> None:
    alike = [report.id or "" for report in look_alikes(submission, reports, linked)]
    unnamed = [split_id for split_id in alike if split_id not in evidence]
    if unnamed:
        raise DecisionRefused(Message("doubt.alike", name=submission.report_id, reports=", ".join(unnamed)))
    lacks = absence_lacks(submission, sent, reports, evidence)
    if lacks is not None:
        raise DecisionRefused(lacks)


def take_link_back(run: Run, submission_id: str, by: Sequence[str], evidence: str) -> Submission:
    """Take two people's word that a report found by likeness is another one; the submission is in doubt again.

    Raises:
        DecisionRefused: its report was not found by likeness.
        ApprovalWanted: there are not two different people.
        SendingFrozen: what it pays was sent again since; the link is taken back all the same.
    """
    name = submission_id
    paid_twice = run.ledger.submissions.take_link_back(submission_id, by=by, evidence=evidence)
    if paid_twice:
        freeze(run, [Alarm("paid_twice", name, Message("alarm.paid_twice", name=name, count=len(paid_twice)))])
    return run.ledger.submissions.get(submission_id)


def _submission_in(run: Run, submission_id: str, states: set[SubmissionState]) -> Submission:
    doubt_abandoned(run)
    known = {submission.id: submission for submission in run.ledger.submissions.list(states=states | {S.SENDING})}
    if submission_id not in known:
        raise DecisionRefused(Message("doubt.not_in_doubt", name=submission_id))
    if known[submission_id].state is S.SENDING:
        raise DecisionRefused(Message("doubt.being_sent", name=submission_id))
    return known[submission_id]


def lift_freeze(ledger: Ledger, accepted: Sequence[str], by: Sequence[str], evidence: str) -> tuple[str, ...]:
    """Take two people's word that what froze sending is understood: every tag must be accepted by name.

    Raises:
        DecisionRefused: nothing is frozen, or a tag of the freeze is not accepted, or one is not of the freeze.
        ApprovalWanted: there are not two different people.
    """
    frozen = ledger.freeze.current()
    if frozen is None:
        raise DecisionRefused(Message("freeze.none"))
    if len(different_people(by)) < 2:
        raise ApprovalWanted(Message("freeze.two_people"))
    wrong = sorted(set(frozen.tags) ^ set(accepted))
    if wrong:
        raise DecisionRefused(Message("freeze.names", tags=", ".join(frozen.tags), wrong=", ".join(wrong)))
    ledger.freeze.lift(by, evidence, accepted)
    return frozen.tags
