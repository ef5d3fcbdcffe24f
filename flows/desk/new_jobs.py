"""Creating a job on the desk from people's sheets, asking what they do not say."""

import re
from collections import OrderedDict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, Final

from fastapi import APIRouter, Request, Response
from fastapi.concurrency import run_in_threadpool
from fastapi.responses import RedirectResponse

from flows.desk.guard import Posted, RequestRefused, SignedIn, ledger_of, new_token, settings_of, signed_in
from flows.desk.job_writing import JobChange, answer_for_the_house, write_job
from flows.desk.jobs import jobs_of
from flows.desk.pages import language_of, show
from flows.desk.uploads import Received, receive
from flows.house_ledger import utc_now
from flows.intake.examine import all_layouts
from flows.intake.proposal import (
    BroughtFile,
    OpenedTable,
    ProposedTable,
    headers_of,
    is_a_table,
    open_table,
    propose_job,
    propose_tables,
    word_of,
)
from flows.settings import Folders
from io_adapters.outputs.models import MODELS
from io_adapters.spreadsheets.declarations import check_job, read_house_columns
from schemas.approval import Language, Role
from schemas.errors import RepasseError
from schemas.job import BRASILIA, month_label
from schemas.job_draft import SOURCE_TABLES, DraftedFiles, job_yaml, name_of_file, received_as_typed, right_of_received
from schemas.layouts.recognise import Possibilities, identify, variants_of
from schemas.messages import Listed, Message, render
from schemas.plan import HOME_CURRENCY
from schemas.sheet_cells import View
from schemas.values.tax_id import require_tax_id

KEPT: Final = 24
# As a job file takes it; it names a folder, too.
_SOUND_NAME: Final = re.compile(r"[a-z0-9][a-z0-9-]{0,62}")

router = APIRouter()


def _identify(_file: BroughtFile, views: Sequence[View]) -> tuple[Possibilities, ...]:
    known = all_layouts()
    near = variants_of(views, known)
    return identify(views, known) or ((near,) if near else ())


def _brought(files: Sequence[Received]) -> list[BroughtFile]:
    return [BroughtFile(file.name, file.path, file.name) for file in files]


class NewJobs:
    """Files that people have brought to make a job of; kept while they answer, the latest ones alone."""

    def __init__(self) -> None:
        self._kept: OrderedDict[str, tuple[Received, ...]] = OrderedDict()
        self._lock = Lock()

    def begin(self, files: Sequence[Received]) -> str:
        token = new_token()[:32]
        with self._lock:
            self._kept[token] = tuple(files)
            while len(self._kept) > KEPT:
                self._kept.popitem(last=False)
        return token

    def get(self, token: str) -> tuple[Received, ...] | None:
        with self._lock:
            return self._kept.get(token)


@dataclass(frozen=True, slots=True)
class Making:
    """What a new job would be."""

    text: str
    tables: Mapping[str, bytes]
    layouts: Mapping[str, bytes]
    problems: tuple[Message | Listed, ...]


def make_job(tables: Sequence[ProposedTable], form: Mapping[str, str], language: Language) -> Making:
    """Write the text of a job from what was found and answered."""
    problems = tuple(_left_open(tables, form))
    if problems:
        return Making("", {}, {}, problems)
    files = {table.file.name: table.file.path.read_bytes() for table in tables}
    drafted, read = dict[str, bytes](), list[tuple[str, DraftedFiles]]()
    for table in tables:
        opened = open_table(table)
        try:
            received = _received(opened, form.get(f"received-{table.number}", "").strip())
        except ValueError:
            right = right_of_received(opened.currencies)
            wrong = Message("desk.new_job.received_wrong", file=table.file.name, right=right)
            return Making("", {}, {}, (wrong,))
        said = form.get(f"money-{table.number}", "")
        money = opened.strange.money(received, said) if opened.strange else None
        if opened.strange and (received or said) and not money:
            nearest = opened.strange.nearest(received)
            sums = Message(
                "desk.new_job.nothing_came_in", file=table.file.name, sums=opened.strange.shown_sums(received)
            )
            return Making("", {}, {}, (sums, *nearest[1:]) if nearest else (sums,))
        made = opened.in_job(language, received, money)
        if made.beside:
            drafted[made.beside.name] = made.beside.text.encode()
        read.append((table.table, made))
    name, tax_id, payer, period = (
        form.get(key, "").strip() for key in ("name", "payer_tax_id", "payer_name", "period")
    )
    period = month_label(period, utc_now().astimezone(BRASILIA).date())
    try:
        draft = propose_job(read, name=name, payer=(tax_id, payer), period=period, language=language, four_eyes=True)
        text = job_yaml(draft)
        check_job(text, "job.yaml")
    except RepasseError as wrong:
        return Making("", {}, {}, (wrong.content,))
    return Making(text, files, drafted, ())


def _received(opened: OpenedTable, stated: str) -> Mapping[str, str]:
    exchanged = HOME_CURRENCY if opened.strange else ""
    return received_as_typed(stated, opened.currencies, exchanged) if stated and opened.is_statement else {}


def _left_open(tables: Sequence[ProposedTable], form: Mapping[str, str]) -> Iterator[Message]:
    """Say what must still be answered before there can be a job."""
    try:
        require_tax_id(form.get("payer_tax_id", ""))
    except ValueError:
        yield Message("new.right.tax_id")
    if not form.get("payer_name", "").strip():
        yield Message("new.right.name")
    if not _SOUND_NAME.fullmatch(form.get("name", "").strip()):
        yield Message("desk.new_job.name_right")
    for table in tables:
        if table.missing:
            columns = Listed(tuple(map(word_of, table.missing)))
            yield Message("desk.new_job.missing", file=table.file.name, columns=columns)
        if table.sheets and not table.sheet:
            yield Message("desk.new_job.which_sheet", file=table.file.name)
    if not any(table.table in SOURCE_TABLES for table in tables):
        yield Message("error.new_no_source")


def new_jobs_of(request: Request) -> NewJobs:
    found: NewJobs = request.app.state.desk.new_jobs
    return found


@router.get("/new-job")
def new_job(request: Request, signed: SignedIn) -> Response:
    signed.require(Role.PREPARER)
    return show(request, "new_job.html", models=list(MODELS), limit_bytes=settings_of(request).upload_limit_bytes)


@router.post("/new-job")
async def bring_sheets(request: Request) -> Response:
    signed = await run_in_threadpool(signed_in, request)
    signed.require(Role.PREPARER)
    _, files = await receive(request, signed)
    if not files:
        raise RequestRefused(422, "desk.new_job.none")
    return RedirectResponse(f"/new-job/{new_jobs_of(request).begin(files)}", status_code=303)


def _draft_page(
    request: Request, token: str, form: Mapping[str, str], problems: Sequence[str] = (), status: int = 200
) -> Response:
    files = new_jobs_of(request).get(token)
    if files is None:
        raise RequestRefused(404, "desk.refused.preview")
    try:
        tables = _tables(files, form)
        undeclared = [table.file.name for table in tables if not is_a_table(table)]
    except RepasseError as error:
        raise RequestRefused(422, "desk.new_job.unreadable") from error
    words = [*problems, *(render("error.new_not_a_table", language_of(request), file=name) for name in undeclared)]
    drafted = {table.number: headers_of(table) for table in tables if not table.kind}
    facts: dict[str, Any] = {
        "token": token,
        "tables": tables,
        "drafted": drafted,
        "form": {"name": name_of_file(files[0].name), **form},
    }
    return show(request, "new_job_draft.html", status=status, problems=words, **facts)


@router.get("/new-job/{token}")
def draft(request: Request, token: str, signed: SignedIn) -> Response:
    signed.require(Role.PREPARER)
    return _draft_page(request, token, {})


@router.post("/new-job/{token}")
def answer(request: Request, token: str, signed: SignedIn, form: Posted) -> Response:
    """Take the answers: show again what they change, or write the job."""
    signed.require(Role.PREPARER)
    folder, files = jobs_of(request).folder, new_jobs_of(request).get(token)
    if files is None or folder is None:
        raise RequestRefused(404, "desk.refused.preview")
    if form.get("act") != "make":
        return _draft_page(request, token, form)
    language = language_of(request)
    tables = [*filter(is_a_table, _tables(files, form))]
    making = make_job(tables, form, language)
    home = folder / form.get("name", "").strip()
    problems = [render(problem, language) for problem in making.problems]
    known = {line.name for line in jobs_of(request).list()} | ledger_of(request).runs.jobs()
    if not problems and (home.name in known or not _make_folder(home)):
        problems = [render("desk.new_job.there", language, name=home.name)]
    if problems:
        return _draft_page(request, token, form, problems, 422)
    token = _write(request, home, making, signed.user.name)
    answer_for_the_house(ledger_of(request), settings_of(request).uploads, tables, signed.user.name)
    return RedirectResponse(f"/jobs/{token}", status_code=303)


def _tables(files: Sequence[Received], form: Mapping[str, str]) -> Sequence[ProposedTable]:
    house, _ = read_house_columns(Folders().columns)
    return propose_tables(_brought(files), form, _identify, house=house)


def _make_folder(home: Path) -> bool:
    """Make the folder of a new job, for whoever the folder of jobs is for; False where there is one of that name."""
    try:
        home.mkdir(mode=0o700)
    except FileExistsError:
        return False
    home.chmod(home.parent.stat().st_mode)
    return True


def _write(request: Request, home: Path, making: Making, by: str) -> str:
    path = home / "job.yaml"
    change = JobChange(making.text, by, tables=making.tables, layouts=making.layouts)
    try:
        write_job(ledger_of(request), settings_of(request).uploads, path, change)
    except RepasseError:
        home.rmdir()
        raise
    return jobs_of(request).token_of(path)
