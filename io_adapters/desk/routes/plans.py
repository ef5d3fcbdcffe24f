"""A frozen plan: look at it, approve it by typing its total, or reject it."""

from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.responses import RedirectResponse

from io_adapters.desk.guard import Posted, Refused, SignedIn, ports_of
from io_adapters.desk.pages import Pages, language_of
from io_adapters.desk.paging import page_of
from schemas.desk_people import Role
from schemas.errors import RepasseError

router = APIRouter()
ROWS_A_PAGE = 100
LONGEST_TEXT = 2_000


@router.get("/plans/{digest}")
def plan(request: Request, digest: str, _signed: SignedIn) -> Response:
    """Show a plan as it was frozen, and how it stands."""
    return _plan_page(request, digest)


def _plan_page(request: Request, digest: str, *, status: int = 200, problem: str = "") -> Response:
    pages: Pages = request.app.state.pages
    standing = ports_of(request).plans.get(digest)
    facts: dict[str, Any] = {"standing": standing, "plan": standing.page, "problem": problem}
    return pages.show(request, "plan.html", status=status, **facts)


@router.get("/plans/{digest}/payments")
def payments(request: Request, digest: str, _signed: SignedIn, page: int = 1) -> Response:
    """List every payment of a plan."""
    pages: Pages = request.app.state.pages
    standing = ports_of(request).plans.get(digest)
    if standing.page is None:
        raise Refused(404, "refused.nothing")
    rows = page_of(standing.page.planned, page, ROWS_A_PAGE)
    return pages.show(request, "payments.html", plan=standing.page, rows=rows, back=f"/plans/{digest}")


@router.get("/plans/{digest}/others")
def others(request: Request, digest: str, _signed: SignedIn, page: int = 1) -> Response:
    """List everything of a plan that is not paid, and why."""
    pages: Pages = request.app.state.pages
    standing = ports_of(request).plans.get(digest)
    if standing.page is None:
        raise Refused(404, "refused.nothing")
    rows = page_of(standing.page.others, page, ROWS_A_PAGE)
    return pages.show(request, "payments.html", plan=standing.page, rows=rows, back=f"/plans/{digest}")


@router.post("/plans/{digest}/approve")
def approve(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    """Record a yes to the total that was typed; what differs from the plan's is told, and nothing recorded."""
    signed.require(Role.APPROVER)
    try:
        launch = ports_of(request).plans.approve(digest, by=signed.user.name, total_text=form.get("total", ""))
    except RepasseError as refused:
        return _plan_page(request, digest, status=422, problem=refused.in_words(language_of(request)))
    return RedirectResponse(f"/launches/{launch}" if launch else f"/plans/{digest}", status_code=303)


@router.post("/plans/{digest}/reject")
def reject(request: Request, digest: str, signed: SignedIn, form: Posted) -> Response:
    """Record a no, with its reason."""
    signed.require(Role.APPROVER)
    why = form.get("why", "").strip()[:LONGEST_TEXT]
    if not why:
        raise Refused(422, "refused.why")
    ports_of(request).plans.reject(digest, by=signed.user.name, why=why)
    return RedirectResponse(f"/plans/{digest}", status_code=303)
