"""Frozen plans for the desk, and the words of people who signed in on them."""

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from flows.approvals.approve import record_approval
from flows.desk.jobs import JobsFolder
from flows.desk.launches import Launches
from io_adapters.desk.ports import Given, PlanStanding
from io_adapters.ledger.approvals_missing import approvals_given, approvals_missing, approvers_needed, rule_for
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from schemas.approval import PlanRule
from schemas.errors import ApprovalWanted
from schemas.job import Job
from schemas.plan import ApprovalKind
from schemas.plan_view import PlanPage
from schemas.submission import LIVE, UNSENT, PlanFate, SubmissionState
from schemas.told import Told
from schemas.values.names import same_person

S = SubmissionState
KEPT: Final = 16


class Plans:
    """Plans as they were frozen: nothing of them is worked out again.

    Args:
        ledger: Where they are.
        jobs: What their jobs declare by now.
        launches: Starts the rest once a plan has the words it needs.
        now: The clock.
    """

    def __init__(self, ledger: Ledger, jobs: JobsFolder, launches: Launches, now: Callable[[], dt.datetime]) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._launches = launches
        self._now = now
        self._pages: OrderedDict[tuple[str, str], PlanPage] = OrderedDict()
        self._lock = Lock()

    def get(self, digest: str) -> PlanStanding:
        """Return a plan and how it stands."""
        stored = self._ledger.plans.get(digest)
        return self.standing_of(stored, page=self._page(stored.digest))

    def standing_of(self, stored: StoredPlan, *, page: PlanPage | None = None) -> PlanStanding:
        """Tell how a plan stands."""
        declared = self._declared(stored)
        job = declared if isinstance(declared, Job) else None
        given = self._ledger.approvals.given(stored.digest)
        state = _state(stored)
        rule = rule_for(self._ledger, job, stored) if job else stored.rule or PlanRule()
        needed = approvers_needed(rule, stored, must_look=True)
        counting = approvals_given(self._ledger, rule, stored, needed, self._now()) if job else frozenset()
        taken = state == "approved"
        return PlanStanding(
            digest=stored.digest,
            job=stored.job,
            period=stored.period,
            currency=stored.currency,
            payments=stored.payees,
            batches=stored.batches,
            total_cents=stored.total_cents,
            largest_cents=stored.largest_cents,
            run_id=stored.run_id,
            prepared_by=stored.prepared_by,
            created_at=stored.created_at,
            state=state,
            rejected=f"{stored.rejected_by}: {stored.rejected_why}" if stored.rejected_by else "",
            given=tuple(
                Given(
                    one.by,
                    one.at,
                    one.kind is ApprovalKind.SIGNED_IN,
                    counts=taken or same_person(one.by) in counting,
                )
                for one in given
            ),
            missing=approvals_missing(self._ledger, job, stored, self._now()) if job and state == "waiting" else 0,
            only_signed_in=rule.identities == "signed_in",
            preparers=tuple(sorted(stored.preparers)) if needed > 1 or rule.other_than_preparer is not False else (),
            fate=PlanFate(stored.submissions),
            job_problem="" if isinstance(declared, Job) else declared,
            page=page,
        )

    def approve(self, digest: str, *, by: str, total_text: str) -> str:
        """Record the yes of somebody signed in; with the last needed one, launch the rest."""
        stored = self._ledger.plans.get(digest)
        if _state(stored) == "replaced":
            raise ApprovalWanted(Told("approval.replaced"))
        given = record_approval(
            self._ledger, stored.digest, by=by, total_text=total_text, kind=ApprovalKind.SIGNED_IN, now=self._now()
        )
        run, job = self._ledger.runs.get(stored.run_id), self._declared(stored)
        if run is None or isinstance(job, str) or approvals_missing(self._ledger, job, stored, self._now()):
            return ""
        rule = rule_for(self._ledger, job, stored)
        needed = approvers_needed(rule, stored, must_look=True)
        people = len(approvals_given(self._ledger, rule, stored, needed, self._now()))
        key = f"approved-{given.digest}-{stored.run_id}-{people}"
        return self._launches.start(
            run.job_file, self._launches.files_of(run), by=given.by, key=key, digest=given.digest, period=stored.period
        )

    def reject(self, digest: str, *, by: str, why: str) -> None:
        """Record a no; approvals so far are void, and what of the plan was not sent is withdrawn."""
        stored = self._ledger.plans.get(digest)
        if not any(submission.state in UNSENT for submission in stored.submissions):
            raise ApprovalWanted(Told("approval.not_waiting"))
        self._ledger.submissions.reject_plan(stored.digest, by, why)

    def _page(self, digest: str) -> PlanPage | None:
        run_id = self._ledger.plan_views.run_of(digest)
        if run_id is None:
            return None
        with self._lock:
            known = self._pages.get((digest, run_id))
        if known is None:
            data = self._ledger.plan_views.get(digest)
            known = PlanPage.from_bytes(data) if data else None
        if known is not None:
            with self._lock:
                self._pages[digest, run_id] = known
                self._pages.move_to_end((digest, run_id))
                while len(self._pages) > KEPT:
                    self._pages.popitem(last=False)
        return known

    def _declared(self, stored: StoredPlan) -> Job | str:
        run = self._ledger.runs.get(stored.run_id)
        return self._jobs.declared(Path(run.job_file)) if run and run.job_file else "no job file is known"


def _state(stored: StoredPlan) -> Literal["waiting", "rejected", "approved", "replaced"]:
    states = {submission.state for submission in stored.submissions}
    if stored.rejected_by:
        return "rejected"
    if S.PLANNED in states:
        return "waiting"
    return "approved" if states & LIVE or stored.approved_at is not None else "replaced"
