"""Previews of a job with files that people bring: read and checked once per content, in a thread, cached."""

import datetime as dt
import os
import shutil
from collections import Counter, OrderedDict
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock, Semaphore, Thread
from time import monotonic
from typing import Any, Final

import pandas as pd
from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import FileResponse, RedirectResponse

from flows.desk.guard import Posted, RequestRefused, SignedIn, ledger_of, new_token, settings_of, signed_in
from flows.desk.jobs import JobLine, JobsFolder, job_of, jobs_of, launches_of
from flows.desk.pages import page_of, show
from flows.desk.plans import show_others, show_planned
from flows.desk.problems import CellProblem, ProblemGroup, group_problems, problems_of, typed_values
from flows.desk.problems import Place as CellPlace
from flows.desk.uploads import Received, keep, receive
from flows.house_ledger import utc_now
from flows.intake.intake import Intake, bytes_read
from flows.intake.read import read
from flows.intake.rules.deliveries import MonthQuestion
from flows.payables.corrections import corrections_of, missing_shares_of
from flows.payables.draft import draft_of
from flows.payables.judge_inputs import judge_inputs
from flows.payables.preview import view_plan
from flows.payables.rules.places import count_rows
from flows.payables.snapshot import take_snapshot
from flows.run import Silence, opened_offline
from flows.run_options import RunOptions, as_words
from flows.run_request import INVOICES, read_run_request
from flows.runner import describe_bug
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.atomic import is_running
from io_adapters.spreadsheets.files import expand, is_url
from schemas.approval import Role
from schemas.deliveries import How
from schemas.errors import ConfigurationError, RepasseError
from schemas.job import BRASILIA, Job, month_label
from schemas.messages import Listed, Message
from schemas.plan import KEPT_BACK
from schemas.plan_view import PlanView
from schemas.readers import for_people
from schemas.reconciliation import RowCounts
from schemas.tables.model import records

KEPT: Final = 24
AT_ONCE: Final = 2
# So long a preview speaks for the same content asked again, as by a double click; then what people decided since, or
# what another job has paid, may have changed it.
GOOD_FOR_S: Final = 10.0
NOTHING: Final = RowCounts().model_dump()
PROBLEMS_SHOWN: Final = 8
PROBLEMS_A_PAGE: Final = 50
XLSX: Final = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"

router = APIRouter()


@dataclass(frozen=True, slots=True)
class RecognisedTable:
    """A table that was recognised: where, as what, how many rows went where, and what was decided on the way."""

    file: str
    sheet: str
    layout: str
    header_row: int
    rows: Mapping[str, int]
    decisions: Listed


@dataclass(frozen=True, slots=True)
class Preview:
    """What a preview of a job's files has found.

    Attributes:
        read: Hashes of the bytes that it rests on.
    """

    tables: tuple[RecognisedTable, ...]
    rows: Mapping[str, int]
    problems: tuple[CellProblem, ...]
    corrections: Path | None
    missing_shares: Path | None
    failure: Message | Listed | None
    plan: PlanView | None
    key_types: Mapping[str, str] = field(default_factory=dict)
    questions: tuple[MonthQuestion, ...] = ()
    read: frozenset[str] = frozenset()

    @property
    def types_shown(self) -> Counter[str]:
        return Counter(self.key_types.values())

    @property
    def groups(self) -> tuple[ProblemGroup, ...]:
        return group_problems(self.problems)

    @property
    def held(self) -> tuple[int, int]:
        places = KEPT_BACK
        rows = [row for row in self.plan.not_paid if row.place in places] if self.plan else []
        return sum(row.count for row in rows), sum(row.amount_cents for row in rows)


@dataclass(frozen=True, slots=True)
class JobPreview:
    """A preview of a job's files, made in a thread.

    Attributes:
        job: As it stands in the period of the preview.
        options: What the run is asked for that people launch from it.
    """

    token: str
    job: JobLine
    options: RunOptions
    future: Future[Preview]
    since_s: float

    @property
    def seen(self) -> Preview | None:
        """What it has found; None while it goes on."""
        return self.future.result() if self.future.done() else None

    def is_stale(self) -> bool:
        """Whether asking again is worth another one: it ended, and failed or was some time ago."""
        return self.seen is not None and (bool(self.seen.failure) or monotonic() - self.since_s > GOOD_FOR_S)


class Previews:
    """The previews that people have asked for lately."""

    def __init__(self, folder: Path, jobs: JobsFolder, ledger: Ledger, open_ledger: Callable[[], Ledger]) -> None:
        self._folder = folder / str(os.getpid())
        self._jobs = jobs
        self._ledger = ledger
        self._open_ledger = open_ledger
        self._at_once = Semaphore(AT_ONCE)
        self._kept: OrderedDict[str, JobPreview] = OrderedDict()
        self._lock = Lock()
        _forget_ended(folder)

    def begin(self, job_token: str, options: RunOptions) -> str:
        """Begin a preview; of the same content there is one. Without a period asked for it is of the one at hand."""
        path, line = self._jobs.path_of(job_token), self._jobs.get(job_token)
        if path is None or line is None:
            raise ConfigurationError(Message("error.no_job"))
        options = replace(options, period=options.period or line.period)
        line = replace(line, period=options.period)
        token = self._token(path, line, options)
        with self._lock:
            known = self._kept.get(token)
            if known is None or known.is_stale():
                future = self._start(path, options, self._folder / token)
                self._kept[token] = JobPreview(token, line, options, future, monotonic())
            self._kept.move_to_end(token)
            gone = [self._kept.popitem(last=False)[0] for _ in range(len(self._kept) - KEPT)]
        for name in gone:
            shutil.rmtree(self._folder / name, ignore_errors=True)
        return token

    def get(self, token: str) -> JobPreview | None:
        with self._lock:
            return self._kept.get(token)

    def put_right(self, preview: JobPreview, typed: Mapping[CellPlace, str]) -> Path | None:
        """Write the corrections workbook of a preview with what somebody typed in the place of some cells."""
        path = self._jobs.path_of(preview.job.token)
        if path is None:
            return None
        order = read_run_request(path, preview.options)
        with opened_offline(order, Silence(), self._open_ledger()) as run:
            intake = judge_inputs(run, read(run))
            with suppress(RepasseError):  # what stands against a plan is told by the preview
                intake, snapshot = take_snapshot(run, intake)
                view_plan(run, draft_of(run, intake, snapshot))
            return corrections_of(run, intake, self._folder / f"{preview.token}-typed", at_desk=True, typed=typed)

    def close(self) -> None:
        """Let go of everything; a preview that goes on ends with the program, whatever it is reading."""
        shutil.rmtree(self._folder, ignore_errors=True)

    def _start(self, path: Path, options: RunOptions, folder: Path) -> Future[Preview]:
        """Work in a thread that keeps nobody waiting: a pool's threads are waited for when a program ends."""
        future: Future[Preview] = Future()

        def work() -> None:
            with self._at_once, for_people():
                try:
                    future.set_result(self._preview(path, options, folder))
                except BaseException as error:  # noqa: BLE001  # whoever asks for the result is told
                    future.set_exception(error)

        Thread(target=work, name="preview", daemon=True).start()
        return future

    def _token(self, path: Path, line: JobLine, options: RunOptions) -> str:
        """Name the content of a preview: the job file, what is read, and how the job stands in the ledger."""
        declared, last = self._jobs.declared(path), self._ledger.runs.latest(line.name)
        try:
            content = path.read_bytes()
        except OSError:
            raise ConfigurationError(Message("error.job_unreadable")) from None
        seen = () if last is None else (last.run_id, last.state)
        parts = [content.hex(), *as_words(options), str(self._ledger.claims.epoch()), *seen]
        parts += self._ledger.pix_key_types.known(line.name)
        if isinstance(declared, Job):
            parts += [_fingerprint(name) for name in _files_of(declared, path.parent, line.period)]
        return sha256("\0".join(parts).encode()).hexdigest()[:40]

    def _preview(self, path: Path, options: RunOptions, folder: Path) -> Preview:
        try:
            return self._seen(path, options, folder)
        except RepasseError as error:
            problems = tuple(CellProblem(number, issue, "", "", None) for number, issue in enumerate(error.issues))
            return Preview((), NOTHING, problems, None, None, error.content, None)
        except Exception as bug:  # noqa: BLE001  # the page says so; its text may hold people's data
            return Preview((), NOTHING, (), None, None, describe_bug(bug), None)

    def _seen(self, path: Path, options: RunOptions, folder: Path) -> Preview:
        order = read_run_request(path, options)
        with opened_offline(order, Silence(), self._open_ledger()) as run:
            intake, failure, plan = judge_inputs(run, read(run)), None, None
            try:
                intake, snapshot = take_snapshot(run, intake)
                plan = view_plan(run, draft_of(run, intake, snapshot))
            except RepasseError as unsound:
                failure = unsound.content
            corrections, missing = (
                corrections_of(run, intake, folder, at_desk=True),
                missing_shares_of(run, intake, folder),
            )
            return Preview(
                tables=_tables(intake),
                rows=count_rows(intake.inputs.rows).model_dump(),
                problems=problems_of(run.issues, intake),
                corrections=corrections,
                missing_shares=missing,
                failure=failure,
                plan=plan,
                key_types=intake.proposed_key_types,
                questions=intake.questions,
                read=frozenset(sha256 for _, sha256 in bytes_read(run, intake)),
            )


def _forget_ended(folder: Path) -> None:
    """Remove what desks that have ended left of their previews; another desk of this home keeps its own."""
    for left in folder.glob("*"):
        if not is_running(left.name) or left.name == str(os.getpid()):
            shutil.rmtree(left, ignore_errors=True)


def _tables(intake: Intake) -> tuple[RecognisedTable, ...]:
    counts = _counts(intake.inputs.rows)
    return tuple(
        RecognisedTable(
            file=raw.file.name,
            sheet=raw.sheet or "",
            layout=origin.layout,
            header_row=raw.header_row,
            rows=NOTHING | counts.get((raw.file.name, raw.sheet or ""), {}),
            decisions=_how(decided),
        )
        for (raw, origin, *_), decided in zip(intake.sheets, intake.inputs.decisions, strict=True)
    )


def _how(read: Message | str) -> Listed:
    how = read.facts["how"] if isinstance(read, Message) else read
    return Listed(how.parts if isinstance(how, Listed) else (how,), " · ")


def _counts(runs: pd.DataFrame) -> dict[tuple[str, str], dict[str, int]]:
    found: dict[tuple[str, str], dict[str, int]] = {}
    for row in records(runs):
        of_sheet = found.setdefault((row["file"], row["sheet"]), {})
        of_sheet[row["disposition"]] = of_sheet.get(row["disposition"], 0) + int(row["rows"])
    return found


def _files_of(job: Job, folder: Path, period: str) -> list[str]:
    patterns = [pattern for source in job.sources for pattern in source.files]
    patterns += [pattern for table in job.tables.values() if table for pattern in table.files]
    found: list[str] = []
    for pattern in patterns:
        try:
            found += expand([pattern], folder, period)
        except RepasseError:
            found.append(pattern)
    return found


def _fingerprint(path: str) -> str:
    """Tell one state of a file from another without reading it; a URL's state is asked anew each time."""
    if is_url(path):
        return f"{path} {dt.datetime.now(dt.UTC).isoformat()}"
    try:
        stat = Path(path).stat()
    except OSError:
        return path
    return f"{path} {stat.st_size} {stat.st_mtime_ns} {stat.st_ino}"


def previews_of(request: Request) -> Previews:
    previews: Previews = request.app.state.desk.previews
    return previews


def _preview_of(request: Request, token: str) -> JobPreview:
    preview = previews_of(request).get(token)
    if preview is None:
        raise RequestRefused(404, "desk.refused.preview")
    return preview


def _plan(request: Request, token: str) -> PlanView:
    seen = _preview_of(request, token).seen
    if seen is None or seen.plan is None:
        raise RequestRefused(404, "desk.refused.preview")
    return seen.plan


@router.post("/jobs/{token}/preview")
async def preview_job(request: Request, token: str) -> Response:
    """Take files, or none, and begin a preview of the job with them."""
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.PREPARER)
    _, files = await receive(request, signed)
    preview = await run_in_threadpool(_begin, request, token, RunOptions(), files)
    return RedirectResponse(f"/previews/{preview}", status_code=303)


@router.post("/jobs/{token}/months")
async def open_another_month(request: Request, token: str) -> Response:
    """Open a month of the job, with the rates and sums that hold in it alone, and begin a preview of its files."""
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.PREPARER)
    fields, files = await receive(request, signed)
    preview = await run_in_threadpool(_open_month, request, token, fields, files, signed.user.name)
    return RedirectResponse(f"/previews/{preview}", status_code=303)


def _open_month(request: Request, token: str, fields: Mapping[str, str], files: list[Received], by: str) -> str:
    """Record that a month is open, which is the one that a preview without another word is of from then on."""
    job, period = (
        job_of(request, token),
        month_label(fields.get("month", "").strip(), utc_now().astimezone(BRASILIA).date()),
    )
    path = jobs_of(request).path_of(token)
    if not job.next_month or path is None:
        raise RequestRefused(404, "desk.refused.nothing")
    if not period:
        raise RequestRefused(422, "desk.month.wrong")
    rates = list(filter(None, map(str.strip, fields.get("rates", "").splitlines())))
    received = [
        f"{source}={sum_}" for source, _ in job.sources if (sum_ := fields.get(f"received-{source}", "").strip())
    ]
    options = RunOptions(by=by, period=period, rate=rates, received=received)
    try:
        acts = read_run_request(path, options).acts
    except ConfigurationError as wrong:
        raise RequestRefused(422, "desk.month.wrong") from wrong
    ledger_of(request).acts.record(*acts)
    return _begin(request, token, RunOptions(period=period), files)


def _begin(request: Request, token: str, options: RunOptions, files: list[Received]) -> str:
    job = job_of(request, token)
    sources = {*(name for name, _ in job.sources), INVOICES}
    if any(file.source not in sources for file in files):
        raise RequestRefused(400, "desk.refused.form")
    given = [f"{file.source}={file.path}" for file in files]
    return previews_of(request).begin(token, replace(options, files=given))


@router.post("/previews/{token}/answer")
def answer_of_month(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    """Take of which month files are, and how they stand to those that are there, and begin another preview."""
    signed.require(Role.PREPARER)
    preview = _preview_of(request, token)
    month, how, digest = (*form.get("way", "").split(" "), "", "")[:3]
    month = month_label(form.get("month", "").strip(), utc_now().astimezone(BRASILIA).date()) or month
    asked = replace(preview.options, period=month, new=how == How.NEW, added=how == How.ADDED, in_place_of=digest)
    return RedirectResponse(f"/previews/{previews_of(request).begin(preview.job.token, asked)}", status_code=303)


@router.get("/previews/{token}")
def show_preview(request: Request, token: str, _signed: SignedIn) -> Response:
    preview = _preview_of(request, token)
    seen = preview.seen
    if seen is None:
        return show(request, "previewing.html", preview=preview)
    files = [Path(text.partition("=")[2] or text).name for text in preview.options.files]
    facts: dict[str, Any] = {"preview": preview, "files": files, "launch": new_token(), "shown": PROBLEMS_SHOWN}
    return show(request, "preview.html", **facts, seen=seen, plan=seen.plan)


@router.get("/previews/{token}/problems/{code}")
def problems(request: Request, token: str, code: str, _signed: SignedIn, page: int = 1) -> Response:
    preview = _preview_of(request, token)
    groups = [group for group in preview.seen.groups if group.code == code] if preview.seen else []
    if not groups:
        raise RequestRefused(404, "desk.refused.nothing")
    rows = page_of(groups[0].problems, page, PROBLEMS_A_PAGE)
    return show(request, "problems.html", preview=preview, group=groups[0], rows=rows)


@router.post("/previews/{token}/put-right")
def put_right(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    """Take cells that somebody has put right in the page: a corrections workbook of theirs, laid over the files."""
    signed.require(Role.PREPARER)
    preview = _preview_of(request, token)
    typed = typed_values(form, preview.seen.problems) if preview.seen else {}
    workbook = previews_of(request).put_right(preview, typed) if typed else None
    if workbook is None:
        raise RequestRefused(422, "desk.refused.nothing_typed")
    kept = keep(workbook, settings_of(request).uploads, "{sha256:.8}-corrections.xlsx")
    ledger_of(request).desk_uploads.record(kept.sha256, kept.name, kept.size_bytes, signed.user.name)
    source = preview.job.sources[0][0]
    another = previews_of(request).begin(
        preview.job.token, replace(preview.options, files=[*preview.options.files, f"{source}={kept.path}"])
    )
    return RedirectResponse(f"/previews/{another}", status_code=303)


@router.post("/previews/{token}/key-types")
def take_key_types(request: Request, token: str, signed: SignedIn, _form: Posted) -> Response:
    """Take each Pix key without a type for what it shows, on somebody's word, and begin another preview."""
    signed.require(Role.PREPARER)
    preview = _preview_of(request, token)
    if preview.seen is None or not preview.seen.key_types:
        raise RequestRefused(422, "desk.refused.nothing")
    ledger_of(request).pix_key_types.confirm(preview.job.name, preview.seen.key_types, signed.user.name)
    another = previews_of(request).begin(preview.job.token, preview.options)
    return RedirectResponse(f"/previews/{another}", status_code=303)


@router.get("/previews/{token}/payments")
def preview_payments(request: Request, token: str, _signed: SignedIn, page: int = 1) -> Response:
    return show_planned(request, _plan(request, token), page, back=f"/previews/{token}")


@router.get("/previews/{token}/others")
def preview_others(request: Request, token: str, _signed: SignedIn, page: int = 1) -> Response:
    return show_others(request, _plan(request, token), page, back=f"/previews/{token}")


@router.get("/previews/{token}/corrections.xlsx")
def corrections(request: Request, token: str, _signed: SignedIn) -> Response:
    seen = _preview_of(request, token).seen
    return _workbook(seen.corrections if seen else None)


@router.get("/previews/{token}/missing-shares.xlsx")
def missing_shares(request: Request, token: str, _signed: SignedIn) -> Response:
    seen = _preview_of(request, token).seen
    return _workbook(seen.missing_shares if seen else None)


def _workbook(path: Path | None) -> Response:
    if path is None or not path.is_file():
        raise RequestRefused(404, "desk.refused.nothing")
    return FileResponse(path, media_type=XLSX, filename=path.name, content_disposition_type="attachment")


@router.post("/previews/{token}/launch")
def launch(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    signed.require(Role.PREPARER)
    preview = _preview_of(request, token)
    if not preview.job.name or not form.get("launch"):
        raise RequestRefused(400, "desk.refused.form")
    if preview.seen is None or preview.seen.questions:
        raise RequestRefused(409, "desk.refused.month")
    if Role.APPROVER not in signed.user.roles:  # whose word would keep them from approving these bytes ever after
        ledger_of(request).authors.receive(preview.seen.read, signed.user.name)
    key = f"preview-{token[:24]}-{form['launch'][:43]}"
    # For the month of what they have seen, though it may have turned since.
    name = launches_of(request).payout(preview.job.token, replace(preview.options, by=signed.user.name), key=key)
    return RedirectResponse(f"/launches/{name}", status_code=303)
