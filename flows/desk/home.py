"""The first page of the desk: what waits for whom, the jobs, and the latest runs."""

import datetime as dt
from dataclasses import dataclass
from typing import Any, Final

from fastapi import APIRouter, Request, Response

from flows.desk.guard import SignedIn, ledger_of
from flows.desk.jobs import jobs_of
from flows.desk.pages import show
from flows.desk.plans import PlanPages, PlanState, plans_of
from flows.desk.runs import runs_of
from flows.desk.unresolved import Unresolved, unresolved_of
from flows.nights.due import last_night
from flows.payables.waits import gather_waits
from io_adapters.ledger.account_checks import CheckRequest
from io_adapters.ledger.ledger import Ledger
from schemas.submission import OPEN, Submission, SubmissionState
from schemas.waits import Matter, matters

S = SubmissionState
LATEST: Final = 8

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Waits:
    approvals: tuple[PlanState, ...]
    checks: tuple[CheckRequest, ...]
    doubts: int
    undetermined: int
    unsent: tuple[Submission, ...]
    open: tuple[Submission, ...]
    left: tuple[Matter, ...]


def what_waits(ledger: Ledger, plans: PlanPages, unresolved: Unresolved, now: dt.datetime) -> Waits:
    states = {S.PLANNED, S.APPROVED, S.NOT_SENT, *OPEN}
    found = ledger.submissions.list(states=states, bodies=False)
    digests = dict.fromkeys(submission.plan_digest for submission in found if submission.state is S.PLANNED)
    reviews = [plans.state_of(ledger.plans.get(digest)) for digest in digests]
    return Waits(
        approvals=tuple(review for review in reviews if review.state == "waiting"),
        checks=tuple(ledger.check_requests.waiting(now)),
        doubts=len(unresolved.list()),
        undetermined=len(unresolved.undetermined()),
        unsent=tuple(submission for submission in found if submission.state in {S.APPROVED, S.NOT_SENT}),
        open=tuple(submission for submission in found if submission.state in OPEN),
        left=matters(gather_waits(ledger, now), across_periods=True),
    )


@router.get("/")
def home(request: Request, _signed: SignedIn, done: str = "") -> Response:
    unresolved, now = unresolved_of(request), request.app.state.desk.clock.now()
    facts: dict[str, Any] = {
        "waits": what_waits(ledger_of(request), plans_of(request), unresolved, now),
        "stop": unresolved.stop(),
        "jobs": jobs_of(request).list(),
        "runs": runs_of(request).list(LATEST),
        "night": last_night(ledger_of(request), now),
        "done": done if done in {"settle", "password"} else "",
    }
    return show(request, "home.html", **facts)
