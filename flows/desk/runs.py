"""Runs on the desk: their state, followed live, and the files they left."""

import datetime as dt
import tempfile
import zipfile
from collections import OrderedDict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Final, Literal

from fastapi import APIRouter, Request, Response
from fastapi.responses import FileResponse, RedirectResponse, StreamingResponse
from starlette.background import BackgroundTask

from flows.books.statement_mail import mail_statements, may_write_to_new_addresses, new_addresses, token_in
from flows.desk.guard import Posted, RequestRefused, Signed, SignedIn, ledger_of
from flows.desk.pages import page_of, show
from flows.payables.waits import RUNNING, is_interrupted
from flows.royalties.rules.statements import statement_token
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads, read_record
from io_adapters.ledger.runs import RunStage, StoredRun
from io_adapters.ledger.statement_mails import StatementMail
from schemas.approval import Role
from schemas.errors import ExitCode, worst
from schemas.job import Job
from schemas.layouts.layout import fold
from schemas.messages import Listed, Message
from schemas.obligation import Obligation, sum_cents
from schemas.reconciliation import Discrepancy, Summary, Totals
from schemas.submission import OPEN, Submission, SubmissionState
from schemas.values.masking import mask_email, mask_tax_id

S = SubmissionState
Where = Literal["done", "now", "waiting", "look", "stopped", "later", "skipped"]

AWAITING: Final = "awaiting_approval"
WENT_ON: Final = "went_on"
REJECTED: Final = "rejected"
INTERRUPTED: Final = "interrupted"
# The stages of a payout, by the step that people are shown.
STEPS: Final = {
    "read": ("read", "draft"),
    "service": ("recover",),
    "checks": ("check_accounts",),
    "plan": ("freeze_plan",),
    "approval": ("approve",),
    "send": ("send", "exchange_rate"),
    "settle": ("settle",),
    "books": ("write",),
}
STATEMENTS: Final = "statements"
KEPT: Final = 64
PIECE_BYTES: Final = 1_000_000
LISTED: Final = 200
STATEMENTS_A_PAGE: Final = 100
BATCHES_SHOWN: Final = 200

# What a later look at the service may settle: then the run's own exit code is a better one.
_MAY_PASS: Final = frozenset({ExitCode.IN_DOUBT, ExitCode.STILL_OPEN, ExitCode.DISCREPANCIES})
_WELL: Final = frozenset({ExitCode.DONE, ExitCode.ROWS_HELD})

router = APIRouter()


@dataclass(frozen=True, slots=True)
class Output:
    """A file a run has left; `token` names it in addresses."""

    token: str
    name: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class StatementLine:
    """A payee's statement that a run has left."""

    output: Output
    name: str = field(default="", repr=False)
    tax_id_masked: str = ""
    amount_cents: int | None = None
    address: str = ""
    address_before: str | None = None
    mail: StatementMail | None = None


@dataclass(frozen=True, slots=True)
class ShownStage:
    """One step of a run, as people are shown it."""

    name: str
    where: Where
    began_at: dt.datetime | None = None
    ended_at: dt.datetime | None = None
    notes: tuple[Message | Listed, ...] = ()


@dataclass(frozen=True, slots=True)
class RunView:
    """How a run stands at this moment."""

    run: StoredRun
    live: bool
    steps: tuple[ShownStage, ...]
    todo: int
    successor: StoredRun | None
    digest: str
    batches: tuple[Submission, ...]
    checks: Mapping[str, int]
    currency: str
    totals: Totals | None
    discrepancies: tuple[Discrepancy, ...]
    issues: Mapping[str, int]
    outputs: tuple[Output, ...]
    statements: int


def planned_runs(ledger: Ledger) -> dict[str, bool]:
    """Return the runs whose plan nobody has taken up or replaced, each with whether people have rejected it."""
    planned = ledger.submissions.list(states={SubmissionState.PLANNED}, bodies=False)
    return {submission.run_id: False for submission in planned} | dict.fromkeys(ledger.plans.rejected_runs(), True)


def as_shown(run: StoredRun, planned: Mapping[str, bool], ledger: Ledger, now: dt.datetime) -> StoredRun:
    """Return a run in the state people are shown: as the ledger has it, or what it could not write down any more.

    A plan that waits no more was rejected, taken up by another run, or replaced; a run whose process is gone was
    interrupted. A night has no plan of its own.
    """
    if run.job and run.state == AWAITING and run.run_id not in planned:
        return replace(run, state=WENT_ON)
    if run.state == AWAITING and planned.get(run.run_id):
        return replace(run, state=REJECTED)
    return replace(run, state=INTERRUPTED) if is_interrupted(run, ledger, now) else run


class RunPages:
    def __init__(self, ledger: Ledger, now: Callable[[], dt.datetime]) -> None:
        self._ledger = ledger
        self._now = now
        self._folders: OrderedDict[str, Path | None] = OrderedDict()
        self._lock = Lock()

    def list(self, limit: int) -> tuple[StoredRun, ...]:
        planned = planned_runs(self._ledger)
        return tuple(as_shown(run, planned, self._ledger, self._now()) for run in self._ledger.runs.list(limit))

    def get(self, run_id: str) -> RunView | None:
        run = self._ledger.runs.get(run_id)
        if run is None:
            return None
        summary = Summary.model_validate_json(run.summary_json) if run.summary_json else None
        batches = tuple(self._ledger.submissions.list(run_id=run_id, bodies=False))
        shown = as_shown(run, planned_runs(self._ledger), self._ledger, self._now())
        live = shown.state == RUNNING and run.finished_at is None
        digest = (summary.plan_digest if summary else None) or (batches[0].plan_digest if batches else "")
        outputs = self._outputs(run_id, top=True) if not live else ()
        return RunView(
            run=shown,
            live=live,
            steps=steps_of(shown, self._ledger.runs.stages(run_id), batches, live=live),
            todo=0 if live or shown.state in {AWAITING, WENT_ON, REJECTED} else run.exit_code or 0,
            successor=self._ledger.runs.next_payout(run) if run.job and not live else None,
            digest=digest,
            batches=batches,
            checks=self._checks(run_id, summary),
            currency=summary.currency if summary else (batches[0].currency if batches else ""),
            totals=summary.totals_cents if summary else None,
            discrepancies=tuple(summary.discrepancies) if summary else (),
            issues=summary.issues if summary else {},
            outputs=outputs,
            statements=len(self._outputs(run_id, top=False)) if outputs else 0,
        )

    def statements(self, run_id: str) -> tuple[StatementLine, ...]:
        by_token = dict[str, StatementLine]()
        payees: dict[str, list[Obligation]] = {}
        record = read_record(self._ledger, run_id)
        before = new_addresses(self._ledger, record) if record else {}
        for obligation in record.obligations if record else ():
            if obligation.kind in {"royalty", "payment"}:
                payees.setdefault(obligation.payee.tax_id, []).append(obligation)
        mails = {mail.token: mail for mail in self._ledger.statement_mails.of_run(run_id)}
        outputs = {token_in(output.name): output for output in self._outputs(run_id, top=False)}
        for tax_id, mine in payees.items():
            if output := outputs.pop(statement_token(run_id, tax_id), None):
                payee, mail = mine[0].payee, mails.get(statement_token(run_id, tax_id))
                facts = (mask_tax_id(tax_id), sum_cents(mine), mask_email(payee.email) if payee.email else "")
                by_token[output.token] = StatementLine(output, payee.name, *facts, before.get(tax_id), mail)
        lines = sorted(by_token.values(), key=lambda line: fold(line.name))
        return (*lines, *map(StatementLine, outputs.values()))

    def statement_paths(self, run_id: str) -> tuple[Path, ...]:
        folder = self._folder(run_id)
        return tuple(_files_in(folder / STATEMENTS)) if folder else ()

    def file(self, run_id: str, token: str) -> Path | None:
        """Find an output by its token; only regular files of the run's own folder are ever found."""
        folder = self._folder(run_id)
        if folder is None:
            return None
        paths = (*_files_in(folder), *_files_in(folder / STATEMENTS))
        return next((path for path in paths if _token(path, folder) == token), None)

    def _outputs(self, run_id: str, *, top: bool) -> tuple[Output, ...]:
        folder = self._folder(run_id)
        if folder is None:
            return ()
        paths = _files_in(folder if top else folder / STATEMENTS)
        return tuple(
            Output(_token(path, folder), path.name, size) for path in paths if (size := _size(path)) is not None
        )

    def _folder(self, run_id: str) -> Path | None:
        """Return the folder a run wrote into, as its record names it; that never changes once it is known."""
        with self._lock:
            if run_id in self._folders:
                return self._folders[run_id]
        head = read_heads(self._ledger, [run_id]).get(run_id)
        if head is None:
            return None
        folder = Path(head.folder)
        with self._lock:
            self._folders[run_id] = folder
            while len(self._folders) > KEPT:
                self._folders.popitem(last=False)
        return folder

    def _checks(self, run_id: str, summary: Summary | None) -> Mapping[str, int]:
        if summary is not None:
            return {"made": summary.account_checks.made, "cost_cents": summary.account_checks.cost_cents}
        return {"made": len(self._ledger.checks.for_run(run_id)), "cost_cents": self._ledger.checks.spent(run_id)}


def steps_of(
    run: StoredRun, stages: Sequence[RunStage], batches: Sequence[Submission], *, live: bool
) -> tuple[ShownStage, ...]:
    """Tell how far a run has come, from what its stages have written down, and what its batches came to since."""
    if not stages:
        return ()
    by_step = {name: [stage for stage in stages if stage.name in names] for name, names in STEPS.items()}
    return tuple(_step(name, its_own, run, batches, live=live) for name, its_own in by_step.items())


def _step(
    name: str, stages: Sequence[RunStage], run: StoredRun, batches: Sequence[Submission], *, live: bool
) -> ShownStage:
    if not stages:
        return ShownStage(name, "later" if live else "skipped")
    codes = {ExitCode(stage.exit_code) for stage in stages if stage.exit_code is not None}
    ended_at = stages[-1].ended_at
    if ended_at is None:
        where: Where = "now" if live else "stopped"
    elif any(stage.stopped for stage in stages):
        where = "stopped"
    else:
        where = _where_by_now(name, worst(codes), run, {batch.state for batch in batches})
    notes = tuple(note for stage in stages for note in stage.notes) if where in {"look", "stopped"} else ()
    return ShownStage(name, where, stages[0].began_at, ended_at, notes)


def _where_by_now(name: str, code: ExitCode, run: StoredRun, batches: set[SubmissionState]) -> Where:
    """Tell how a step that has ended stands by now: an answer that it waited for may have come since."""
    if name == "approval" and code is ExitCode.APPROVAL_WANTED:
        return "waiting" if run.state == AWAITING else "stopped" if run.state == REJECTED else "done"
    if name in {"send", "settle"} and not batches - {S.PLANNED, S.WITHDRAWN}:
        return "skipped" if code is ExitCode.DONE else "look"
    if name == "settle" and batches & OPEN:
        return "waiting"
    if code in _MAY_PASS and run.exit_code in _WELL:
        return "done"
    return "done" if code is ExitCode.DONE else "look"


def _files_in(folder: Path) -> list[Path]:
    """List regular files that really lie in a folder; none of one that is not there, or not ours to read."""
    if folder.is_symlink():
        return []
    try:
        found = sorted(folder.iterdir())
        return [path for path in found if path.is_file() and not path.is_symlink() and path.name[0] != "."]
    except OSError:
        return []


def _size(path: Path) -> int | None:
    """Return how long a file is; None where it has gone since it was listed."""
    try:
        return path.stat().st_size
    except OSError:
        return None


def _token(path: Path, folder: Path) -> str:
    return sha256(str(path.relative_to(folder)).encode()).hexdigest()[:20]


def runs_of(request: Request) -> RunPages:
    runs: RunPages = request.app.state.desk.runs
    return runs


def _view(request: Request, run_id: str) -> RunView:
    view = runs_of(request).get(run_id)
    if view is None:
        raise RequestRefused(404, "desk.refused.nothing")
    return view


@router.get("/runs")
def runs(request: Request, _signed: SignedIn) -> Response:
    return show(request, "runs.html", runs=runs_of(request).list(LISTED))


@router.get("/runs/{run_id}")
def run(request: Request, run_id: str, _signed: SignedIn) -> Response:
    return show(request, "run.html", view=_view(request, run_id), most=BATCHES_SHOWN)


@router.get("/runs/{run_id}/live")
def live(request: Request, run_id: str, _signed: SignedIn) -> Response:
    return show(request, "run_live.html", view=_view(request, run_id), most=BATCHES_SHOWN)


@router.get("/runs/{run_id}/statements")
def statements(request: Request, run_id: str, signed: SignedIn, page: int = 1, done: str = "") -> Response:
    view, lines = _view(request, run_id), runs_of(request).statements(run_id)
    counts = {
        "sent": sum(bool(line.mail and line.mail.sent_at) for line in lines),
        "failed": sum(bool(line.mail and line.mail.failure) for line in lines),
        "to_send": sum(bool(line.address) and not (line.mail and not line.mail.failure) for line in lines),
        "without": sum(not line.address for line in lines),
        "new": sum(line.address_before == "" for line in lines),
        "changed": sum(bool(line.address_before) for line in lines),
    }
    return show(
        request,
        "statements.html",
        view=view,
        rows=page_of(lines, page, STATEMENTS_A_PAGE),
        counts=counts,
        asked=done == "mail",
        can_send=request.app.state.desk.alerts.sends_mail,
        to_new=_may_write_to_new(request, run_id, signed),
    )


def _may_write_to_new(request: Request, run_id: str, signed: Signed) -> bool:
    run = _view(request, run_id).run
    declared = request.app.state.desk.jobs.declared(Path(run.job_file)) if run.job_file else None
    job = declared if isinstance(declared, Job) else None
    return may_write_to_new_addresses(ledger_of(request), run_id, job, signed.user.name)


@router.post("/runs/{run_id}/statements/mail")
def mail(request: Request, run_id: str, signed: SignedIn, _form: Posted) -> Response:
    """Send the statements that were not sent yet to their payees, on the word of somebody who may approve."""
    signed.require(Role.APPROVER)
    desk = request.app.state.desk
    paths = {token_in(path.name): path for path in runs_of(request).statement_paths(run_id)}
    if not paths or not desk.alerts.sends_mail:
        raise RequestRefused(404, "desk.refused.nothing")
    to_new, by = _may_write_to_new(request, run_id, signed), signed.user.name
    sending = BackgroundTask(mail_statements, desk.ledger, desk.alerts, run_id, paths, by=by, to_new=to_new)
    return RedirectResponse(f"/runs/{run_id}/statements?done=mail", status_code=303, background=sending)


@router.get("/runs/{run_id}/statements.zip")
def statements_zip(request: Request, run_id: str, _signed: SignedIn) -> Response:
    view, paths = _view(request, run_id), runs_of(request).statement_paths(run_id)
    if not paths:
        raise RequestRefused(404, "desk.refused.nothing")
    archive = tempfile.TemporaryFile()  # noqa: SIM115  # closed when the last of it is sent
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_STORED) as opened:  # PDFs are compressed already
        for path in paths:
            opened.write(path, path.name)
    length = archive.tell()
    archive.seek(0)
    name = f"{view.run.job}-{view.run.period}-{STATEMENTS}.zip"
    headers = {"Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(length)}
    pieces = iter(lambda: archive.read(PIECE_BYTES), b"")
    return StreamingResponse(
        pieces, media_type="application/zip", headers=headers, background=BackgroundTask(archive.close)
    )


@router.get("/runs/{run_id}/files/{token}")
def download(request: Request, run_id: str, token: str, _signed: SignedIn) -> Response:
    path = runs_of(request).file(run_id, token)
    if path is None:
        raise RequestRefused(404, "desk.refused.nothing")
    kind = "application/octet-stream"
    return FileResponse(path, media_type=kind, filename=path.name, content_disposition_type="attachment")
