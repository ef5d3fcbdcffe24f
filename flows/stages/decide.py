"""People's words on single obligations: bind each to what is open about it, and record them all or none."""

import datetime as dt
from collections import defaultdict
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Final

from flows.stages.document import RunDocument
from flows.stages.earlier_reports import shown_by_id
from flows.stages.listing import look_at_service
from flows.stages.run import Run
from flows.stages.words_given import require_typed_word_counts
from flows.steps.decide import Question, open_question
from flows.steps.pay_again import says_paid
from io_adapters.ledger.ledger import Ledger
from schemas.decision import Decision, DecisionKind
from schemas.errors import WordRefused
from schemas.tables.frames import Record, records
from schemas.told import Told
from schemas.wire import SplitReport

RUNS_SEARCHED: Final = 1000
_UNMADE: Final = frozenset({DecisionKind.PAY, DecisionKind.DROP})

Asking = Callable[[], AbstractContextManager[Run]]


@dataclass(frozen=True, slots=True)
class Word:
    """What a person says, of however many obligations.

    Attributes:
        kind: What is said.
        by: Who says it.
        evidence: What they rely on.
        at: When (UTC).
        signed_in: Whether the name is that of a user who signed in, or one that was typed.
    """

    kind: DecisionKind
    by: str
    evidence: str
    at: dt.datetime
    signed_in: bool = False


def decide(ledger: Ledger, keys: Sequence[str], word: Word, asking: Asking) -> list[Decision]:
    """Record a word on obligations.

    *Pay* frees what a report was to pay, so the service is asked first: what it says is paid, or on its way, is not.

    Args:
        ledger: Where it is written.
        keys: The obligations.
        word: What is said of them.
        asking: Opens a run that can ask the service; opened only where it has to be asked.

    Raises:
        NotSent: the service has to be asked, and cannot be; nothing is recorded.
        SendingFrozen: ledger and service disagree; nothing is recorded.
        WordRefused: one of them is unknown, or nothing is open about it, or its job counts only words of people who
            signed in, or the service says that it was paid; then nothing is recorded of any.
    """
    if not word.signed_in and ledger.word_rules.any_wants_signed_in():
        for job in sorted(_jobs_of(ledger, keys)):
            require_typed_word_counts(ledger, job)
    questions = _questions(ledger, list(dict.fromkeys(keys)), word.kind)
    if word.kind is DecisionKind.PAY and any(question.submission_id for question in questions):
        with asking() as run:
            reports = look_at_service(run)
            questions = _questions(ledger, list(dict.fromkeys(keys)), word.kind)  # the look may have settled some
            _require_unpaid(run, questions, reports)
    decisions = [
        Decision(
            question.obligation_key,
            question.submission_id,
            word.kind,
            question.amount_cents,
            question.destination,
            word.by,
            word.evidence,
            word.at,
        )
        for question in questions
    ]
    ledger.decisions.record(decisions)
    return decisions


def _require_unpaid(run: Run, questions: Sequence[Question], reports: Sequence[SplitReport]) -> None:
    """Hold the word that payments were not made against what the service says of their reports by now."""
    by_report = defaultdict[str, set[str]](set)
    for question in questions:
        if question.submission_id:
            by_report[question.submission_id].add(question.obligation_key)
    listed = {report.id: report for report in reports}
    for submission in run.ledger.submissions.with_ids(by_report):
        payments = {one.obligation_key: one for one in run.ledger.claims.payments_of(submission.id)}
        words = run.ledger.decisions.on_reports(payments)
        unmade = {key for (key, report), said in words.items() if report == submission.id and said.kind in _UNMADE}
        unmade |= by_report[submission.id]
        unpaid = [one for key, one in payments.items() if key in unmade]
        for report in (listed.get(submission.split_id), shown_by_id(run, submission)):
            cents = sum(one.amount_cents for one in unpaid)
            people = sum(one.kind != "owner" for one in unpaid)
            if report is not None and says_paid(submission, report, unpaid_cents=cents, unpaid=people):
                status = report.status or "-"
                raise WordRefused(Told("decide.service_says_paid", report=submission.report_id, status=status))


def _jobs_of(ledger: Ledger, keys: Sequence[str]) -> set[str]:
    """Name the jobs some obligations are of, by the submissions that claim them and the runs that saw them."""
    claims = ledger.claims.live_for_obligations(keys)
    jobs = {one.job for one in ledger.submissions.with_ids({claim.submission_id for claim in claims})}
    missing = set(keys) - {claim.obligation_key for claim in claims}
    for run in ledger.runs.list(RUNS_SEARCHED) if missing else []:
        stored = ledger.runs.document(run.run_id)
        seen = missing & set(RunDocument.from_bytes(stored).obligations["key"]) if stored else set()
        if seen:
            jobs.add(run.job)
            missing -= seen
    return jobs


def _questions(ledger: Ledger, keys: Sequence[str], kind: DecisionKind) -> list[Question]:
    seen = _last_seen(ledger, keys)
    claimed = {one.obligation_key: one.base_key for one in ledger.claims.live_for_obligations(keys)}
    bases = {key: seen[key]["base_key"] if key in seen else claimed.get(key, key) for key in keys}
    claims = ledger.claims.live_for(bases.values())
    answered = ledger.decisions.on_reports(keys)
    spoken_of = ledger.decisions.on_rows(bases.values())
    questions = []
    for key in keys:
        mine = [one for one in claims if one.base_key == bases[key]]
        question = open_question(key, kind, seen.get(key), mine, answered=answered, spoken_of=spoken_of)
        if question is None and key not in seen and not mine:
            raise WordRefused(Told("decide.unknown", obligation=key))
        if question is None:
            raise WordRefused(Told("decide.nothing", obligation=key))
        questions.append(question)
    return questions


def _last_seen(ledger: Ledger, keys: Sequence[str]) -> dict[str, Record]:
    """Find each obligation as the latest run that knew it saw it."""
    found: dict[str, Record] = {}
    for run in ledger.runs.list(RUNS_SEARCHED):
        missing = set(keys) - set(found)
        if not missing:
            break
        stored = ledger.runs.document(run.run_id)
        if stored is not None:
            obligations = RunDocument.from_bytes(stored).obligations
            found |= {row["key"]: row for row in records(obligations[obligations["key"].isin(missing)])}
    return found
