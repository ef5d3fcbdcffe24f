"""Viewing and changing a job's own files on the desk: its declaration and its tables.

The files in the folder of jobs stay the truth. Each change is shown first, row by row, against what was, and kept with
who made it and when; what was there before can be had again.
"""

import datetime as dt
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final, NamedTuple

import pandas as pd
from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse

from flows.acts.forms import Withdraw
from flows.desk.acts import act_here
from flows.desk.guard import Posted, RequestRefused, SignedIn, ledger_of, settings_of, signed_in
from flows.desk.job_writing import JobChange, digest_of, write_job
from flows.desk.jobs import job_of, jobs_of
from flows.desk.pages import language_of, show
from flows.desk.uploads import Received, receive
from flows.intake.which_files import Slot, slots_of
from flows.run_request import leads_outside
from io_adapters.ledger.desk import JobVersion
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.models import MODELS, model_file, model_xlsx
from io_adapters.spreadsheets.declarations import read_job, with_table_files
from io_adapters.spreadsheets.files import expand, is_url
from io_adapters.spreadsheets.reading import open_file
from schemas.acts import withdrawn
from schemas.approval import Role
from schemas.errors import RepasseError
from schemas.issues import Issue
from schemas.job import NO_HOUSE_COLUMNS, Job
from schemas.messages import render
from schemas.parsing.content_hash import KEYS, TableChanges, compare_tables, name_payees
from schemas.parsing.table import empty_table, parse_table
from schemas.tables.model import records

LONGEST_JOB: Final = 50_000
VERSIONS_SHOWN: Final = 30
ROWS_SHOWN: Final = 100
_WILD: Final = frozenset("*?[{")

router = APIRouter()


@dataclass(frozen=True, slots=True)
class BesideTable:
    """A table beside a job's sources."""

    name: str
    files: tuple[str, ...]
    path: Path | None

    @property
    def may_be_replaced(self) -> bool:
        """Whether another file can take its place: it has none, or one plain file of the job's own folder."""
        return not self.files or (self.path is not None and not leads_outside(self.files[0]))


@dataclass(frozen=True, slots=True)
class Proposed:
    """A file that would take the place of a table's, held against what it is now."""

    table: str
    file: Received
    adds: bool
    before_sha256: str
    changes: TableChanges
    issues: tuple[Issue, ...]


def path_of(request: Request, token: str) -> Path:
    """Return the file of the job that an address names.

    Raises:
        Refused: there is none.
    """
    path = jobs_of(request).path_of(token)
    if path is None:
        raise RequestRefused(404, "desk.refused.nothing")
    return path


def beside_tables(job: Job, folder: Path) -> tuple[BesideTable, ...]:
    found = []
    for name, files in job.tables.items():
        patterns = tuple(files.files) if files else ()
        alone = patterns[0] if len(patterns) == 1 and not is_url(patterns[0]) and not _WILD & set(patterns[0]) else ""
        found.append(BesideTable(name, patterns, (folder / alone).resolve() if alone else None))
    return tuple(found)


def _slot(job: Job, folder: Path, table: str) -> Slot:
    _, others = slots_of(job, folder, NO_HOUSE_COLUMNS)
    return dict(zip(job.tables, others, strict=True))[table]


def propose(job: Job, folder: Path, table: BesideTable, file: Received, *, adds: bool) -> Proposed:
    """Hold a file against the table whose place it would take.

    Raises:
        UnreadableFile: it is not of that table.
    """
    slot = _slot(job, folder, table.name)
    now, issues = _rows(slot, [str(file.path)], table.name)
    before, _ = _rows(slot, [path for text in table.files for path in expand([text], folder, "")], table.name)
    changes = compare_tables(table.name, before, pd.concat([before, now], ignore_index=True) if adds else now)
    named = name_payees(changes, _names(job, folder)) if table.name != "payees" else changes
    return Proposed(table.name, file, adds, digest_of(table.path), named, issues)


def _rows(slot: Slot, paths: Sequence[str], table: str) -> tuple[pd.DataFrame, tuple[Issue, ...]]:
    frames, issues = [empty_table(table)], list[Issue]()
    layout = slot.layouts[0]
    for path in paths:
        if not Path(path).is_file():
            continue
        with open_file(path) as file:
            for raw in file.tables(layout):
                parsed = parse_table(raw, layout)
                frames.append(parsed.frame)
                issues += parsed.issues
    return pd.concat(frames, ignore_index=True), tuple(issues)


def _names(job: Job, folder: Path) -> dict[str, str]:
    payees = next(table for table in beside_tables(job, folder) if table.name == "payees")
    if payees.path is None or not payees.path.is_file():
        return {}
    rows, _ = _rows(_slot(job, folder, "payees"), [str(payees.path)], "payees")
    return {str(row["tax_id"]): str(row["name"]) for row in records(rows)}


def versions_of(request: Request, path: Path) -> list[JobVersion]:
    return ledger_of(request).job_versions.list(str(path.absolute()))


@router.get("/jobs/{token}/files")
def job_files(request: Request, token: str, _signed: SignedIn) -> Response:
    return _page(request, token)


def _page(request: Request, token: str, *, status: int = 200, problem: str = "", text: str | None = None) -> Response:
    path, line = path_of(request, token), job_of(request, token)
    job = jobs_of(request).declared(path)
    tables = beside_tables(job, path.parent) if isinstance(job, Job) else ()
    facts: dict[str, Any] = {
        "job": line,
        "text": path.read_text("utf-8", errors="replace") if text is None else text,
        "tables": tables,
        "sources": job.sources if isinstance(job, Job) else (),
        "models": list(MODELS),
        "versions": versions_of(request, path)[:VERSIONS_SHOWN],
        "deliveries": _deliveries(ledger_of(request), line.name),
        "problem": problem,
        "digest": digest_of(path),
        "limit_bytes": settings_of(request).upload_limit_bytes,
    }
    return show(request, "job_files.html", status=status, **facts)


class HandedIn(NamedTuple):
    """A file that was handed in for a month of the job."""

    name: str
    period: str
    sha256: str
    at: dt.datetime
    counts: bool


def _deliveries(ledger: Ledger, job: str) -> list[HandedIn]:
    gone = withdrawn(ledger.acts.on_months())
    return [
        HandedIn(name, delivery.period, delivery.sha256, at, delivery not in gone)
        for delivery, name, at in ledger.files.handed_in_for(job, VERSIONS_SHOWN)
    ]


@router.post("/jobs/{token}/deliveries")
def withdraw_delivery(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    """Let a file that was handed in by mistake count no more, or count once more; the next run posts it."""
    signed.require(Withdraw.act)
    path_of(request, token)
    again, job = partial(_page, request, token), job_of(request, token).name
    given = {"job": job, "file": form.get("sha256", "")}
    return act_here(request, signed, Withdraw, form, page=again, then=f"/jobs/{token}/files", **given)


@router.get("/jobs/{token}/job.yaml")
def declaration(request: Request, token: str, _signed: SignedIn) -> Response:
    path = path_of(request, token)
    return FileResponse(path, media_type="application/yaml", filename=path.name, content_disposition_type="attachment")


@router.post("/jobs/{token}/declaration")
def declare(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    """Take another text for the job's file; one with mistakes is told with line and column, and changes nothing."""
    signed.require(Role.PREPARER)
    path = path_of(request, token)
    text = form.get("text", "").replace("\r\n", "\n")[:LONGEST_JOB]
    if form.get("before") != digest_of(path):
        return _page(request, token, status=409, problem=render("desk.files.changed", language_of(request)), text=text)
    change = JobChange(text, signed.user.name)
    try:
        write_job(ledger_of(request), settings_of(request).uploads, path, change)
    except RepasseError as wrong:
        return _page(request, token, status=422, problem=render(wrong.content, language_of(request)), text=text)
    return RedirectResponse(f"/jobs/{token}/files", status_code=303)


@router.post("/jobs/{token}/tables/{table}")
async def upload_table(request: Request, token: str, table: str) -> Response:
    """Take a file for a table beside the sources, and show what it would change; nothing is changed yet."""
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.PREPARER)
    fields, files = await receive(request, signed)
    return await run_in_threadpool(_proposal, request, token, table, fields, files)


def _proposal(
    request: Request, token: str, name: str, fields: Mapping[str, str], files: Sequence[Received]
) -> Response:
    path, table = _table(request, token, name)
    if len(files) != 1:
        raise RequestRefused(422, "desk.files.one")
    (file,) = files
    job = read_job(path).job
    try:
        proposed = propose(job, path.parent, table, file, adds=fields.get("adds") == "yes")
    except RepasseError as wrong:
        return _page(request, token, status=422, problem=render(wrong.content, language_of(request)))
    return show(request, "job_change.html", job=job_of(request, token), proposed=proposed, shown=ROWS_SHOWN)


def _table(request: Request, token: str, name: str) -> tuple[Path, BesideTable]:
    path = path_of(request, token)
    job = jobs_of(request).declared(path)
    tables = beside_tables(job, path.parent) if isinstance(job, Job) else ()
    table = next((table for table in tables if table.name == name), None)
    if table is None or name not in KEYS or not table.may_be_replaced:
        raise RequestRefused(404, "desk.refused.nothing")
    return path, table


@router.post("/jobs/{token}/tables/{table}/take")
def take_table(request: Request, token: str, table: str, signed: SignedIn, form: Posted) -> Response:
    signed.require(Role.PREPARER)
    path, place = _table(request, token, table)
    digest, ledger, uploads = form.get("sha256", ""), ledger_of(request), settings_of(request).uploads
    known = {upload.name: upload for upload in ledger.desk_uploads.find(digest)}
    upload = known.get(form.get("name", ""))
    if upload is None or not (uploads / digest / upload.name).is_file():
        raise RequestRefused(404, "desk.refused.nothing")
    if form.get("before", "") != digest_of(place.path):
        raise RequestRefused(409, "desk.files.changed")
    content, by = (uploads / digest / upload.name).read_bytes(), signed.user.name
    adds, text = form.get("adds") == "yes", path.read_text("utf-8")
    received = Received(table, upload.name, digest, len(content), uploads / digest / upload.name)
    name, files = _place_of(place, path.parent, upload.name, digest, adds=adds)
    if files != place.files:
        text = with_table_files(text, table, files)
    change = JobChange(text, by, tables={name: content})
    try:
        propose(read_job(path).job, path.parent, place, received, adds=adds)  # that it is of this table at all
        write_job(ledger, uploads, path, change)
    except RepasseError as wrong:
        return _page(request, token, status=422, problem=render(wrong.content, language_of(request)))
    return RedirectResponse(f"/jobs/{token}/files", status_code=303)


def _place_of(table: BesideTable, folder: Path, name: str, digest: str, *, adds: bool) -> tuple[str, tuple[str, ...]]:
    if table.path is not None and not adds and table.path.suffix.lower() == Path(name).suffix.lower():
        return table.files[0], table.files
    called = name if not (folder / name).exists() else f"{Path(name).stem}-{digest[:8]}{Path(name).suffix}"
    return called, (*table.files, called) if adds else (called,)


@router.get("/jobs/{token}/versions/{number}")
def version(request: Request, token: str, number: int, signed: SignedIn) -> Response:
    signed.require(Role.PREPARER)
    found = _version(versions_of(request, path_of(request, token)), number)
    path = settings_of(request).uploads / found.sha256 / Path(found.name).name if found else None
    if path is None or not path.is_file():
        raise RequestRefused(404, "desk.refused.nothing")
    kind = "application/octet-stream"
    return FileResponse(path, media_type=kind, filename=path.name, content_disposition_type="attachment")


def _version(versions: Sequence[JobVersion], number: int) -> JobVersion | None:
    return next((version for version in versions if version.number == number), None)


@router.get("/models/{table}.xlsx")
def model(request: Request, table: str, _signed: SignedIn) -> Response:
    if table not in MODELS:
        raise RequestRefused(404, "desk.refused.nothing")
    language = language_of(request)
    headers = {"Content-Disposition": f'attachment; filename="{model_file(table, language)}"'}
    kind = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"
    return Response(model_xlsx(table, language), media_type=kind, headers=headers)
