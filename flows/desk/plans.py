"""Plans on the desk: reviewed, approved by typing the total, or rejected by people who signed in."""

import datetime as dt
from collections import OrderedDict
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from fastapi import APIRouter, Request, Response

from flows.acts.act import Done
from flows.acts.forms import Approve, Receive, Reject
from flows.desk.acts import act_here
from flows.desk.guard import Posted, RequestRefused, SignedIn, ledger_of
from flows.desk.jobs import JobsFolder, Launches, jobs_of, launches_of
from flows.desk.pages import language_of, page_of, show
from io_adapters.ledger.account_checks import CheckRequest
from io_adapters.ledger.approvals_missing import approvals_given, approvals_missing, approvers_needed, rule_for
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from io_adapters.outputs.plan_grids import others_grid, planned_grid
from schemas.approval import PlanRule
from schemas.job import Job
from schemas.messages import Listed, Message, catalogue_in, render
from schemas.plan import Approval
from schemas.plan_view import PlanView
from schemas.states import PLANS, State
from schemas.submission import LIVE, PlanFate, SubmissionState
from schemas.values.names import same_person

S = SubmissionState
KEPT: Final = 16
ROWS_A_PAGE: Final = 100

# Names of boxes that are ticked: a text that was looked at, and all of a column.
_TEXT: Final = "text:"
_COLUMN: Final = "column:"

router = APIRouter()


@dataclass(frozen=True, slots=True)
class PlanState:
    """A frozen plan and how it stands."""

    stored: StoredPlan
    state: Literal["waiting", "rejected", "approved", "replaced"]
    given: tuple[tuple[Approval, bool], ...]
    missing: int
    only_signed_in: bool
    preparers: tuple[str, ...]
    unclaimed: tuple[str, ...]
    job_problem: Message | Listed | None
    page: PlanView | None

    @property
    def stands(self) -> State:
        return PLANS[self.state]

    @property
    def fate(self) -> PlanFate:
        return PlanFate(self.stored.submissions)


class PlanPages:
    """Plans as they were frozen: nothing of them is worked out again."""

    def __init__(self, ledger: Ledger, jobs: JobsFolder, launches: Launches, now: Callable[[], dt.datetime]) -> None:
        self._ledger = ledger
        self._jobs = jobs
        self._launches = launches
        self._now = now
        self._pages: OrderedDict[tuple[str, str], PlanView] = OrderedDict()
        self._lock = Lock()

    def get(self, digest: str) -> PlanState:
        stored = self._ledger.plans.get(digest)
        return self.state_of(stored, page=self._page(stored.digest))

    def state_of(self, stored: StoredPlan, *, page: PlanView | None = None) -> PlanState:
        declared = self._declared(stored)
        job = declared if isinstance(declared, Job) else None
        given = self._ledger.approvals.given(stored.digest)
        state = _state(stored)
        rule = rule_for(self._ledger, job, stored) if job else stored.rule or PlanRule()
        needed = approvers_needed(rule, stored, needs_review=True)
        counting = approvals_given(self._ledger, rule, stored, needed, self._now()) if job else frozenset()
        taken = state == "approved"
        return PlanState(
            stored,
            state,
            given=tuple((yes, taken or same_person(yes.by) in counting) for yes in given),
            missing=approvals_missing(self._ledger, job, stored, self._now()) if job and state == "waiting" else 0,
            only_signed_in=rule.identities == "signed_in",
            preparers=tuple(sorted(stored.preparers)) if needed > 1 or rule.other_than_preparer is not False else (),
            unclaimed=stored.unclaimed if rule.other_than_preparer and state == "waiting" else (),
            job_problem=None if isinstance(declared, Job) else declared,
            page=page,
        )

    def go_on(self, digest: str, by: str) -> str:
        """Launch the rest of a plan that has every approval it needs; returns the launch, "" where some are missing."""
        stored = self._ledger.plans.get(digest)
        run, job = self._ledger.runs.get(stored.run_id), self._declared(stored)
        if run is None or not isinstance(job, Job) or approvals_missing(self._ledger, job, stored, self._now()):
            return ""
        rule = rule_for(self._ledger, job, stored)
        needed = approvers_needed(rule, stored, needs_review=True)
        people = len(approvals_given(self._ledger, rule, stored, needed, self._now()))
        key = f"approved-{stored.digest}-{stored.run_id}-{people}"
        return self._launches.start(run.job_file, self._launches.again(run, by), key=key, digest=stored.digest)

    def _page(self, digest: str) -> PlanView | None:
        run_id = self._ledger.plan_views.run_of(digest)
        if run_id is None:
            return None
        with self._lock:
            known = self._pages.get((digest, run_id))
        if known is None:
            data = self._ledger.plan_views.get(digest)
            known = PlanView.from_bytes(data) if data else None
        if known is not None:
            with self._lock:
                self._pages[digest, run_id] = known
                self._pages.move_to_end((digest, run_id))
                while len(self._pages) > KEPT:
                    self._pages.popitem(last=False)
        return known

    def _declared(self, stored: StoredPlan) -> Job | Message | Listed:
        run = self._ledger.runs.get(stored.run_id)
        return self._jobs.declared(Path(run.job_file)) if run and run.job_file else Message("desk.job.unknown_file")


def _state(stored: StoredPlan) -> Literal["waiting", "rejected", "approved", "replaced"]:
    states = {submission.state for submission in stored.submissions}
    if stored.rejected_by:
        return "rejected"
    if S.PLANNED in states:
        return "waiting"
    return "approved" if states & LIVE or stored.approved_at is not None else "replaced"


def plans_of(request: Request) -> PlanPages:
    plans: PlanPages = request.app.state.desk.plans
    return plans


@router.get("/plans/{digest}")
def plan(request: Request, digest: str, _signed: SignedIn) -> Response:
    return _plan_page(request, digest)


def _plan_page(request: Request, digest: str, *, status: int = 200, problem: str = "") -> Response:
    state = plans_of(request).get(digest)
    return show(request, "plan.html", status=status, review=state, plan=state.page, problem=problem)


@router.get("/plans/{digest}/payments")
def payments(request: Request, digest: str, _signed: SignedIn, page: int = 1) -> Response:
    return show_planned(request, _frozen(request, digest), page, back=f"/plans/{digest}")


@router.get("/plans/{digest}/others")
def others(request: Request, digest: str, _signed: SignedIn, page: int = 1) -> Response:
    return show_others(request, _frozen(request, digest), page, back=f"/plans/{digest}")


def show_planned(request: Request, plan: PlanView, page: int, *, back: str) -> Response:
    """Show a page of what a plan pays; `back` is the address of the plan."""
    rows = page_of(plan.planned, page, ROWS_A_PAGE)
    grid = planned_grid(rows.items, catalogue_in(language_of(request)), first_ever=plan.first_ever)
    return show(request, "payments.html", plan=plan, rows=rows, grid=grid, back=back)


def show_others(request: Request, plan: PlanView, page: int, *, back: str) -> Response:
    """Show a page of what a plan does not pay; `back` is the address of the plan."""
    rows = page_of(plan.others, page, ROWS_A_PAGE)
    grid = others_grid(rows.items, catalogue_in(language_of(request)))
    return show(request, "payments.html", plan=plan, rows=rows, grid=grid, back=back)


def _frozen(request: Request, digest: str) -> PlanView:
    page = plans_of(request).get(digest).page
    if page is None:
        raise RequestRefused(404, "desk.refused.nothing")
    return page


@router.post("/plans/{digest}/approve")
def approve(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    """Record a yes to the total that was typed; what differs from the plan's is told, and nothing recorded."""
    signed.require(Approve.act)
    plans = plans_of(request)
    review = plans.get(digest)
    page = review.page
    ticked = {name.removeprefix(_TEXT) for name in form if name.startswith(_TEXT)}
    ticked |= {text.token for text in page.to_check if _COLUMN + text.where in form} if page else set()
    seen = len(ledger_of(request).plan_views.texts_of(review.stored.digest).intersection(ticked))

    def then(_done: Done) -> str:
        launch = plans.go_on(digest, signed.user.name)
        return f"/launches/{launch}" if launch else f"/plans/{digest}"

    again = partial(_plan_page, request, digest)
    return act_here(request, signed, Approve, form, page=again, then=then, digest=digest, seen=seen)


@router.post("/plans/{digest}/reject")
def reject(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    again, back = partial(_plan_page, request, digest), f"/plans/{digest}"
    return act_here(request, signed, Reject, form, page=again, then=back, digest=digest)


@router.post("/plans/{digest}/received")
def received(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    again, back = partial(_plan_page, request, digest), f"/plans/{digest}"
    return act_here(request, signed, Receive, form, page=again, then=back, digest=digest)


@dataclass(frozen=True, slots=True)
class ChecksWanted:
    request: CheckRequest
    agreed: tuple[str, ...]


def _wanted(request: Request, digest: str) -> ChecksWanted:
    ledger, now = ledger_of(request), request.app.state.desk.clock.now()
    found = ledger.check_requests.find(digest)
    run = ledger.runs.get(found.run_id) if found else None
    if found is None or run is None or jobs_of(request).of_path(run.job_file) is None:
        raise RequestRefused(404, "desk.refused.nothing")
    declared = jobs_of(request).declared(Path(run.job_file))
    agreed = ledger.check_requests.counting(found, rule_for(ledger, declared), now) if isinstance(declared, Job) else ()
    return ChecksWanted(found, tuple(sorted(agreed)))


@router.get("/checks/{digest}")
def checks(request: Request, digest: str, _signed: SignedIn, done: str = "") -> Response:
    counts_not = render("desk.checks.does_not_count", language_of(request)) if done == "does_not_count" else ""
    return _page(request, digest, problem=counts_not)


def _page(request: Request, digest: str, *, status: int = 200, problem: str = "") -> Response:
    return show(request, "checks.html", status=status, wanted=_wanted(request, digest), problem=problem)


@router.post("/checks/{digest}/agree")
def agree(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    """Record a yes to the cost that was typed; where it counts, the run that asked is started again."""
    signed.require(Approve.act)
    wanted, launches = _wanted(request, digest).request, launches_of(request)
    run = ledger_of(request).runs.get(wanted.run_id)

    def then(_done: Done) -> str:
        if not _wanted(request, digest).agreed:
            return f"/checks/{digest}?done=does_not_count"
        key = f"agreed-{wanted.digest}-{wanted.run_id}"
        assert run is not None  # noqa: S101 - else nothing would be wanted
        # By whoever asked for it: who agrees to its checks has not prepared its plan.
        return f"/launches/{launches.start(run.job_file, launches.again(run, wanted.prepared_by), key=key)}"

    again = partial(_page, request, digest)
    return act_here(request, signed, Approve, form, page=again, then=then, digest=wanted.digest)
