"""Choosing which header of a job's files is which column, on the desk.

What is chosen is written into the job's file as `columns:`, for all files of that source or table.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from flows.desk.guard import Posted, RequestRefused, SignedIn, ledger_of, settings_of, signed_in
from flows.desk.job_files import path_of
from flows.desk.job_writing import JobChange, answer_for_the_house, digest_of, write_job
from flows.desk.jobs import job_of, jobs_of
from flows.desk.pages import language_of, show
from flows.desk.uploads import Received, receive
from flows.intake.examine import all_layouts
from flows.intake.proposal import (
    Answers,
    BroughtFile,
    Identify,
    ProposedTable,
    propose_tables,
    word_of,
)
from flows.intake.which_files import Slot, slots_of
from flows.settings import Folders
from io_adapters.spreadsheets.declarations import read_house_columns, with_columns_of
from io_adapters.spreadsheets.files import expand, is_url
from schemas.approval import Role
from schemas.errors import RepasseError, UnreadableFile
from schemas.job import NO_HOUSE_COLUMNS, Job, TableFiles
from schemas.layouts.layout import fold
from schemas.layouts.recognise import Possibilities, as_table, identify
from schemas.messages import Listed, Message, render
from schemas.sheet_cells import View

router = APIRouter()


@dataclass(frozen=True, slots=True)
class TableOfJob:
    """A source of a job, or a table beside its sources, of which headers are chosen."""

    path: Path
    name: str
    declared: TableFiles
    slot: Slot
    period: str


def _place(request: Request, token: str, name: str) -> TableOfJob:
    path, line = path_of(request, token), job_of(request, token)
    job = jobs_of(request).declared(path)
    declared = _declared(job, name) if isinstance(job, Job) else None
    if not isinstance(job, Job) or declared is None:
        raise RequestRefused(404, "desk.refused.nothing")
    sources, others = slots_of(_without_columns(job), path.parent, NO_HOUSE_COLUMNS)
    slot = sources[int(name) - 1] if name.isdecimal() else dict(zip(job.tables, others, strict=True))[name]
    return TableOfJob(path, name, declared, slot, line.period)


def _declared(job: Job, name: str) -> TableFiles | None:
    """Return what a job says of a source by its number, or of a table by its name; None where it has none."""
    if not name.isdecimal():
        return job.tables.get(name)
    return job.sources[int(name) - 1] if 0 < int(name) <= len(job.sources) else None


def _without_columns(job: Job) -> Job:
    plain: dict[str, object] = {"columns": {}}
    tables = {table: files.model_copy(update=plain) for table, files in job.tables.items() if files}
    return job.model_copy(update={**tables, "sources": tuple(s.model_copy(update=plain) for s in job.sources)})


def _identify(slot: Slot) -> Identify:
    if len(slot.layouts) == 1:
        return lambda _file, views: (as_table(views, slot.layouts, slot.layouts[0].layout),)
    return partial(_recognised, {layout.layout for layout in slot.layouts})


def _recognised(known: set[str], _file: BroughtFile, views: Sequence[View]) -> tuple[Possibilities, ...]:
    tables = (tuple(kind for kind in table if kind.layout.layout in known) for table in identify(views, all_layouts()))
    return tuple(table for table in tables if table)


def _sample(request: Request, place: TableOfJob, asked: Mapping[str, str]) -> Received | None:
    """Return the file that headers are chosen from: the one just brought, else the first that the job reads now."""
    digest = asked.get("sha256", "")
    if digest:
        upload = next((u for u in ledger_of(request).desk_uploads.find(digest) if u.name == asked.get("name")), None)
        path = settings_of(request).uploads / digest / upload.name if upload else None
        if upload is None or path is None or not path.is_file():
            raise RequestRefused(404, "desk.refused.nothing")
        return Received(place.name, upload.name, digest, upload.size_bytes, path)
    try:
        found = expand(place.slot.patterns, place.path.parent, place.period)
    except UnreadableFile:
        return None
    first = next((Path(path) for path in found if not is_url(path)), None)
    return Received(place.name, first.name, "", first.stat().st_size, first) if first else None


def _page(
    request: Request, token: str, place: TableOfJob, asked: Mapping[str, str], *, problem: str = "", status: int = 200
) -> Response:
    sample = _sample(request, place, asked)
    tables, problem = _tables(request, place, sample, asked, problem)
    return show(
        request,
        "job_columns.html",
        status=status,
        job=job_of(request, token),
        place=place.name,
        files=place.declared.files,
        sample=sample,
        tables=tables,
        problem=problem,
        digest=digest_of(place.path),
        limit_bytes=settings_of(request).upload_limit_bytes,
    )


def _tables(
    request: Request, place: TableOfJob, sample: Received | None, asked: Mapping[str, str], problem: str
) -> tuple[tuple[ProposedTable, ...], str]:
    if sample is None:
        return (), problem
    try:
        tables = propose_tables(
            [BroughtFile(sample.name, sample.path, sample.name)],
            asked,
            _identify(place.slot),
            place.declared.answers,
            read_house_columns(Folders().columns)[0],
        )
    except RepasseError as wrong:
        return (), problem or render(wrong.content, language_of(request))
    return tuple(table for table in tables if table.kind), problem


@router.get("/jobs/{token}/columns/{place}")
def columns(request: Request, token: str, place: str, signed: SignedIn) -> Response:
    signed.require(Role.PREPARER)
    return _page(request, token, _place(request, token, place), dict(request.query_params))


@router.post("/jobs/{token}/columns/{place}/sample")
async def bring_sample(request: Request, token: str, place: str) -> Response:
    """Take a sheet to choose headers from; the job does not read it."""
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.PREPARER)
    _, files = await receive(request, signed)
    return await run_in_threadpool(_brought, request, token, place, files)


def _brought(request: Request, token: str, place: str, files: Sequence[Received]) -> Response:
    if len(files) != 1:
        raise RequestRefused(422, "desk.files.one")
    (file,) = files
    return _page(request, token, _place(request, token, place), {"sha256": file.sha256, "name": file.name})


@router.post("/jobs/{token}/columns/{place}")
def choose(request: Request, token: str, place: str, signed: SignedIn, form: Posted) -> Response:
    """Take the choices: show again what they would do, or write them into the job's file."""
    signed.require(Role.PREPARER)
    where, language = _place(request, token, place), language_of(request)
    if form.get("act") != "save":
        return _page(request, token, where, form)
    if form.get("before") != digest_of(where.path):
        return _page(request, token, where, form, problem=render("desk.files.changed", language), status=409)
    sample = _sample(request, where, form)
    tables, problem = _tables(request, where, sample, form, "")
    if sample is None or not tables:
        return _page(request, token, where, form, problem=problem, status=422)
    left = [column for table in tables for column in table.missing]
    if left:
        wrong = Message("desk.new_job.missing", file=sample.name, columns=Listed(tuple(map(word_of, left))))
        return _page(request, token, where, form, problem=render(wrong, language), status=422)
    chosen = _chosen(where.declared, tables)
    text = with_columns_of(where.path.read_text("utf-8"), where.name, chosen)
    change = JobChange(text, signed.user.name)
    write_job(ledger_of(request), settings_of(request).uploads, where.path, change)
    uploads, declared = settings_of(request).uploads, where.declared.answers
    answer_for_the_house(ledger_of(request), uploads, tables, signed.user.name, declared)
    return RedirectResponse(f"/jobs/{token}/files", status_code=303)


def _chosen(declared: TableFiles, tables: Sequence[ProposedTable]) -> Answers:
    """Return what is to be said of headers: of those that were shown what was chosen, of all others what was said."""
    shown = {fold(header.text) for table in tables for header in table.headers}
    kept = {header: answer for header, answer in declared.answers.items() if fold(header) not in shown}
    return kept | {header: answer for table in tables for header, answer in table.of_job(declared.answers).items()}
