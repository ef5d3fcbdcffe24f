"""A person's word on a plan, given in a form: what it needs, and what has to be started when it is there."""

import datetime as dt
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from flows.stages.record_approval import record_approval
from flows.stages.words_given import require_typed_word_counts, words_missing
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from io_adapters.spreadsheets.declarations import read_job
from schemas.errors import RepasseError, WordRefused
from schemas.person import different_people, same_person
from schemas.plan import ApprovalKind
from schemas.submission import PlanFate
from schemas.told import Told

Decision = Literal["approve", "reject"]


@dataclass(frozen=True, slots=True)
class Said:
    """What was written down, and of which plan.

    Attributes:
        plan: As it stands.
        job_file: From which the plan was made; None when it is not there any more.
        missing: How many more people must say yes, as far as that is known before the run.
        again: Whether the same word had been given, and taken up, before: nothing was written down.
        rejection: What a no has withdrawn, and what was sent before; None after a yes.
    """

    plan: StoredPlan
    job_file: Path | None
    missing: int = 0
    again: bool = False
    rejection: PlanFate | None = None


def say_word(
    ledger: Ledger, digest: str, decision: Decision, *, name: str, total: str, why: str, now: dt.datetime
) -> Said:
    """Write a typed person's word on a plan down; sends nothing, and starts nothing.

    Args:
        ledger: Where it is written.
        digest: The plan, or at least the first eight hexadecimal digits of its digest.
        decision: Yes or no.
        name: Who says so.
        total: The plan's total as they typed it; not looked at for a no.
        why: What is wrong with the plan, for a no.
        now: The present moment.

    Raises:
        WordRefused: there is no name, no amount, no reason; or the job counts only people who have signed in.
        ApprovalWanted: no such plan, or another total, or the plan is not to be approved any more.
    """
    plan = ledger.plans.get(digest)
    made_by = ledger.runs.get(plan.run_id)
    job_file = Path(made_by.job_file) if made_by is not None and Path(made_by.job_file).is_file() else None
    if decision == "reject":
        require_typed_word_counts(ledger, plan.job)
        if not name.strip() or not why.strip():
            raise WordRefused(Told("approval.rejection_bare"))
        batches = ledger.submissions.reject_plan(plan.digest, name.strip(), why.strip())
        return Said(plan, job_file, rejection=PlanFate(tuple(batches)))
    if plan.approved_at is not None and _said_before(ledger, plan, name):
        return Said(plan, job_file, again=True)
    record_approval(ledger, plan.digest, by=name, total_text=total, kind=ApprovalKind.PERSON, now=now)
    return Said(plan, job_file, missing=_missing(ledger, plan, job_file, now))


def _said_before(ledger: Ledger, plan: StoredPlan, name: str) -> bool:
    return same_person(name) in different_people(approval.by for approval in ledger.approvals.given(plan.digest))


def _missing(ledger: Ledger, plan: StoredPlan, job_file: Path | None, now: dt.datetime) -> int:
    if job_file is None:
        return 0
    try:
        return words_missing(ledger, read_job(job_file).job, plan, now)
    except RepasseError:  # the run itself will say what is wrong with the job
        return 0
