"""What waits for whom, the jobs, the latest runs."""

from typing import Any

from fastapi import APIRouter, Request, Response

from io_adapters.desk.guard import SignedIn, ports_of
from io_adapters.desk.pages import Pages

router = APIRouter()
LATEST = 8
LISTED = 200


@router.get("/")
def home(request: Request, _signed: SignedIn, told: str = "") -> Response:
    """Show what waits first, then the jobs and the latest runs."""
    ports = ports_of(request)
    pages: Pages = request.app.state.pages
    facts: dict[str, Any] = {"waits": ports.waiting.now(), "stop": ports.doubts.stop(), "jobs": ports.jobs.list()}
    said = told if told == "settle" else ""
    return pages.show(request, "home.html", **facts, runs=ports.runs.list(LATEST), told=said)


@router.get("/runs")
def runs(request: Request, _signed: SignedIn) -> Response:
    """List the latest runs."""
    pages: Pages = request.app.state.pages
    return pages.show(request, "runs.html", runs=ports_of(request).runs.list(LISTED))
