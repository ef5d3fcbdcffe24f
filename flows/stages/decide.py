"""People's words on single obligations: bind each to what is open about it, and record them all or none."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from flows.stages.document import RunDocument
from flows.stages.words_given import require_typed_word_counts
from flows.steps.decide import Question, open_question
from io_adapters.ledger.ledger import Ledger
from schemas.decision import Decision, DecisionKind
from schemas.errors import WordRefused
from schemas.tables.frames import Record, records
from schemas.told import Told

RUNS_SEARCHED: Final = 1000


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


def decide(ledger: Ledger, keys: Sequence[str], word: Word) -> list[Decision]:
    """Record a word on obligations.

    Raises:
        WordRefused: one of them is unknown, or nothing is open about it, or its job counts only words of people who
            signed in; then nothing is recorded of any.
    """
    if not word.signed_in and ledger.word_rules.any_wants_signed_in():
        for job in sorted(_jobs_of(ledger, keys)):
            require_typed_word_counts(ledger, job)
    questions = _questions(ledger, list(dict.fromkeys(keys)), word.kind)
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
