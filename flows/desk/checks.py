"""Account checks on the desk that wait for a person's yes: what they cost, who asks, and the agreement."""

from dataclasses import dataclass
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from flows.approvals.approve import record_consent
from flows.desk.guard import Posted, Refused, SignedIn, ledger_of
from flows.desk.jobs import jobs_of, launches_of
from flows.desk.pages import language_of, show
from io_adapters.ledger.approvals_missing import rule_for
from io_adapters.ledger.check_requests import CheckRequest
from schemas.desk_people import Role
from schemas.errors import RepasseError
from schemas.job import Job
from schemas.messages import for_desk, render
from schemas.plan import ApprovalKind

router = APIRouter()


@dataclass(frozen=True, slots=True)
class ChecksWanted:
    """A request for account checks.

    Attributes:
        request: What is asked.
        agreed: Who has agreed, and counts.
    """

    request: CheckRequest
    agreed: tuple[str, ...]


def _wanted(request: Request, digest: str) -> ChecksWanted:
    ledger, now = ledger_of(request), request.app.state.desk.clock.now()
    found = ledger.check_requests.find(digest)
    run = ledger.runs.get(found.run_id) if found else None
    if found is None or run is None or jobs_of(request).of_path(run.job_file) is None:
        raise Refused(404, "desk.refused.nothing")
    declared = jobs_of(request).declared(Path(run.job_file))
    agreed = ledger.check_requests.counting(found, rule_for(ledger, declared), now) if isinstance(declared, Job) else ()
    return ChecksWanted(found, tuple(sorted(agreed)))


@router.get("/checks/{digest}")
def checks(request: Request, digest: str, _signed: SignedIn) -> Response:
    """Show what checks would cost, and who asks for them."""
    return _page(request, digest)


def _page(request: Request, digest: str, *, status: int = 200, problem: str = "") -> Response:
    return show(request, "checks.html", status=status, wanted=_wanted(request, digest), problem=problem)


@router.post("/checks/{digest}/agree")
def agree(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    """Record a yes to the cost that was typed; where it counts, the run that asked is started again."""
    signed.require(Role.APPROVER)
    desk, wanted = request.app.state.desk, _wanted(request, digest)
    ledger, now, found = desk.ledger, desk.clock.now(), wanted.request
    typed = {"by": signed.user.name, "total_text": form.get("total", "")}
    try:
        record_consent(ledger, found, **typed, kind=ApprovalKind.SIGNED_IN, now=now)
    except RepasseError as refused:
        return _page(request, digest, status=422, problem=render(for_desk(refused.content), language_of(request)))
    if not _wanted(request, digest).agreed:
        return _page(request, digest, problem=render("desk.checks.does_not_count", language_of(request)))
    run = ledger.runs.get(found.run_id)
    launches, key = launches_of(request), f"agreed-{found.digest}-{found.run_id}"
    files = launches.files_of(run)
    # By whoever asked for it: who agrees to its checks has not prepared its plan.
    name = launches.start(run.job_file, files, by=found.prepared_by, key=key, period=found.period)
    return RedirectResponse(f"/launches/{name}", status_code=303)
