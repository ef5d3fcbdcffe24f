"""A job: bring files for it, look at what they hold, launch its payout."""

from pathlib import Path
from typing import Any

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse

from io_adapters.desk.guard import (
    Posted,
    Refused,
    Signed,
    SignedIn,
    new_token,
    ports_of,
    settings_of,
    signed_in,
)
from io_adapters.desk.pages import Pages
from io_adapters.desk.paging import page_of
from io_adapters.desk.ports import JobLine, Look, names_of
from io_adapters.desk.uploads import Received, receive
from schemas.desk_people import Role

router = APIRouter()
ISSUES_A_PAGE = 50
ROWS_A_PAGE = 100
XLSX = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"


def _job(request: Request, token: str) -> JobLine:
    job = ports_of(request).jobs.get(token)
    if job is None:
        raise Refused(404, "refused.nothing")
    return job


def _look(request: Request, token: str) -> Look:
    look = ports_of(request).looks.get(token)
    if look is None:
        raise Refused(404, "refused.look")
    return look


@router.get("/jobs/{token}")
def job(request: Request, token: str, _signed: SignedIn) -> Response:
    """Show a job, and take files for it."""
    pages: Pages = request.app.state.pages
    limit = settings_of(request).upload_limit_bytes
    return pages.show(request, "job.html", job=_job(request, token), limit_bytes=limit)


@router.post("/jobs/{token}/look")
async def look_at_job(request: Request, token: str) -> Response:
    """Take files, or none, and start to look at the job with them."""
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.PREPARER)
    settings = settings_of(request)
    job = await run_in_threadpool(_job, request, token)
    _, files = await receive(request, settings.uploads, signed.csrf, settings.upload_limit_bytes)
    look = await run_in_threadpool(_begin, request, signed, job, files)
    return RedirectResponse(f"/looks/{look}", status_code=303)


def _begin(request: Request, signed: Signed, job: JobLine, files: list[Received]) -> str:
    ports, sources = ports_of(request), {name for name, _ in job.sources}
    if any(file.source not in sources for file in files):
        raise Refused(400, "refused.form")
    for file in files:
        ports.uploads.record(file.sha256, file.name, file.size_bytes, signed.user.name)
    return ports.looks.begin(job.token, [f"{file.source}={file.path}" for file in files])


@router.get("/looks/{token}")
def look(request: Request, token: str, _signed: SignedIn, page: int = 1) -> Response:
    """Show what was recognised, what is wrong, and what would be paid."""
    pages: Pages = request.app.state.pages
    found = _look(request, token)
    facts: dict[str, Any] = {"look": found, "files": names_of(found.files), "launch": new_token()}
    if found.seen is None:
        return pages.show(request, "looking.html", **facts)
    issues = page_of(found.seen.issues, page, ISSUES_A_PAGE)
    return pages.show(request, "look.html", **facts, seen=found.seen, issues=issues, plan=found.seen.plan)


@router.get("/looks/{token}/payments")
def look_payments(request: Request, token: str, _signed: SignedIn, page: int = 1) -> Response:
    """List every payment of the plan that would be made."""
    pages: Pages = request.app.state.pages
    found = _look(request, token)
    if found.seen is None or found.seen.plan is None:
        raise Refused(404, "refused.look")
    rows = page_of(found.seen.plan.planned, page, ROWS_A_PAGE)
    return pages.show(request, "payments.html", plan=found.seen.plan, rows=rows, back=f"/looks/{token}")


@router.get("/looks/{token}/others")
def look_others(request: Request, token: str, _signed: SignedIn, page: int = 1) -> Response:
    """List everything that would not be paid, and why."""
    pages: Pages = request.app.state.pages
    found = _look(request, token)
    if found.seen is None or found.seen.plan is None:
        raise Refused(404, "refused.look")
    rows = page_of(found.seen.plan.others, page, ROWS_A_PAGE)
    return pages.show(request, "payments.html", plan=found.seen.plan, rows=rows, back=f"/looks/{token}")


@router.get("/looks/{token}/corrections.xlsx")
def corrections(request: Request, token: str, _signed: SignedIn) -> Response:
    """Hand over the person's own sheets with the bad cells marked."""
    found = _look(request, token)
    return _workbook(found.seen.corrections if found.seen else None)


@router.get("/looks/{token}/missing-shares.xlsx")
def missing_shares(request: Request, token: str, _signed: SignedIn) -> Response:
    """Hand over the shares to fill in."""
    found = _look(request, token)
    return _workbook(found.seen.missing_shares if found.seen else None)


def _workbook(path: Path | None) -> Response:
    if path is None or not path.is_file():
        raise Refused(404, "refused.nothing")
    return FileResponse(path, media_type=XLSX, filename=path.name, content_disposition_type="attachment")


@router.post("/looks/{token}/launch")
def launch(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    """Start the payout with the very files that were looked at."""
    signed.require(Role.PREPARER)
    found = _look(request, token)
    if not found.job.name or not form.get("launch"):
        raise Refused(400, "refused.form")
    key = f"look-{token[:24]}-{form['launch'][:43]}"
    period, by = found.job.period, signed.user.name  # of what they have seen, though the month may have turned since
    name = ports_of(request).launches.payout(found.job.token, found.files, by=by, key=key, period=period)
    return RedirectResponse(f"/launches/{name}", status_code=303)


@router.get("/launches/{key}")
def launched(request: Request, key: str, _signed: SignedIn) -> Response:
    """Show what became of a launch: the run, as soon as there is one."""
    pages: Pages = request.app.state.pages
    standing = ports_of(request).launches.get(key)
    if standing is None:
        raise Refused(404, "refused.nothing")
    if standing.run_id:
        return RedirectResponse(f"/runs/{standing.run_id}", status_code=303)
    return pages.show(request, "launched.html", launch=standing)
