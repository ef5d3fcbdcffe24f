"""Run: what a run is asked for, its dependencies, and the results of its stages so far."""

import datetime as dt
import getpass
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TextIO

from flows.reach import require_within_reach
from flows.settings import cluster_address
from io_adapters.spreadsheets.declarations import read_job
from schemas.errors import ConfigurationError, errors_in_language
from schemas.exit_codes import ExitCode, worst
from schemas.issues import Issue
from schemas.job import BRASILIA, Job, Outputs, Period, period_asked, resolve_period
from schemas.messages import Listed, Message, catalogue_in, render
from schemas.reconciliation import Discrepancy, Summary
from schemas.waits import OpenPeriod

if TYPE_CHECKING:  # a check has neither ledger nor service, and need not wait for what they are made with
    from io_adapters.ledger.leases import Owner
    from io_adapters.ledger.ledger import Ledger
    from io_adapters.payout_api.assumptions import Assumptions
    from io_adapters.payout_api.client import SplitApi
    from schemas.wire import SplitReport


class Progress(Protocol):
    """How a run lets people see what it does; a terminal, a log, the Prefect UI."""

    def speak(self, language: str) -> None:
        """People are spoken to in this language from now on: that of the job, once it is known."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def tell(self, message: str) -> None:
        """Something worth a line; never with a document, key or account in it."""

    def advance(self, what: str, done: int, total: int) -> None:
        """So many of so many are done."""


class Silence:
    """Nobody watches."""

    def speak(self, language: str) -> None:
        """Say nothing."""

    def stage(self, name: str) -> None:
        """Say nothing."""

    def tell(self, message: str) -> None:
        """Say nothing."""

    def advance(self, what: str, done: int, total: int) -> None:
        """Say nothing."""


class QuietProgress:
    """One line per stage and message, for logs."""

    _language = Outputs().language

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def speak(self, language: str) -> None:
        """Stages are named in this language from now on."""
        self._language = "en" if language == "en" else "pt-BR"

    def stage(self, name: str) -> None:
        """A stage begins."""
        self._write(f"{stage_words(name, self._language)} ...")

    def tell(self, message: str) -> None:
        """Something worth a line."""
        self._write(f"  {message}")

    def advance(self, what: str, done: int, total: int) -> None:
        """Only ends are worth a line in a log."""
        if done == total:
            counted = progress_words(what, self._language)
            self._write("  " + render("progress.ended", self._language, what=counted, done=done, total=total))

    def _write(self, line: str) -> None:
        with suppress(OSError):  # a log nobody reads any more must not keep money from being accounted for
            print(line, file=self._stream, flush=True)


def stage_words(name: str, language: str) -> str:
    """Name a stage as people do; one nobody has named yet is shown as it is.

    >>> stage_words("freeze_plan", "pt-BR"), stage_words("land_on_the_moon", "en")
    ('plano', 'land on the moon')
    """
    words = catalogue_in(language)
    return words(f"stage.{name}") if f"stage.{name}" in words else name.replace("_", " ")


def progress_words(what: str, language: str) -> str:
    """Name what is counted while a stage goes on."""
    return catalogue_in(language).of_value("progress", what)


@dataclass(frozen=True, slots=True)
class Clock:
    """Time, injected.

    Attributes:
        now: The present instant (UTC).
        monotonic_s: Seconds since some fixed instant, unmoved by changes of the date.
        sleep: Waits for some seconds.
    """

    now: Callable[[], dt.datetime]
    monotonic_s: Callable[[], float]
    sleep: Callable[[float], None]


@dataclass(frozen=True, slots=True)
class Service:
    """The payout service a run talks to.

    Attributes:
        api: Its client.
        url: Its identity in the ledger.
        key_fingerprint: What the ledger remembers of the API key.
        assumptions: What the interface does not say.
    """

    api: "SplitApi"
    url: str
    key_fingerprint: str
    assumptions: "Assumptions"

    def path_id(self, *, split_id: str, report_id: str) -> str:
        """Return the one of a report's two ids that the service's paths take."""
        return self.assumptions.id_for_get(split_id=split_id, report_id=report_id)


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the caller asked for.

    Attributes:
        job: The declaration.
        job_path: Where it was read.
        period: Its days.
        files: Source (layout name or position; "" for the only one) and path: read instead of the declared files.
        yes: Whether the caller approves the plan that will be made.
        by: Who asks; prepares the plan.
        again: Base names of files to use although they, or lines of theirs, were used before.
        one_more: Whether one batch is to be sent although so many are in doubt that sending has stopped.
        key_types: Whether each Pix key without a type is of the one that it shows, on the caller's word.
        cluster: Address of the scheduler whose workers read files of statement lines; None reads them here.
        job_sha256: Hex digest of the declaration's bytes.
    """

    job: Job
    job_path: Path
    period: Period
    files: tuple[tuple[str, str], ...] = ()
    yes: bool = False
    by: str = ""
    again: frozenset[str] = frozenset()
    one_more: bool = False
    key_types: bool = False
    cluster: str | None = None
    job_sha256: str = ""

    @property
    def folder(self) -> Path:
        """What relative paths in the job are relative to."""
        return self.job_path.parent


@dataclass(slots=True)
class Run:
    """One run of one job: what it is given, and how it stands.

    What its stages make of the job's files is in no run: `flows.runner` hands it from one to the next. The second group
    is what a run is told by; the third what sending has to remember between batches.
    """

    id: str
    asked: RunRequest | None
    ledger: "Ledger"
    service: Service | None
    holder: "Owner | None"
    clock: Clock
    progress: Progress
    timeout_s: float
    only_job: str | None = None
    desk_url: str = ""

    issues: list[Issue] = field(default_factory=list)
    discrepancies: list[Discrepancy] = field(default_factory=list)
    codes: set[ExitCode] = field(default_factory=set)
    messages: list[Message | Listed] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)
    summary: Summary | None = None
    left: OpenPeriod | None = None
    touched: set[str] = field(default_factory=set)

    listed: tuple["SplitReport", ...] = ()
    looked_for: set[str] = field(default_factory=set)
    listed_at_s: float | None = None
    one_more_sent: bool = False
    sending_stopped: Message | None = None
    accepted: int = 0
    accepted_when_listed: int = 0

    def __post_init__(self) -> None:
        """Let whoever watches be spoken to in the job's language."""
        self.progress.speak(self.language)

    @property
    def request(self) -> RunRequest:
        """What the caller asked for; a run that follows reports of all jobs has no single request."""
        if self.asked is None:
            raise RuntimeError("this run is of no single job")
        return self.asked

    @property
    def today(self) -> dt.date:
        """The day of the run, in Brazil."""
        return self.clock.now().astimezone(BRASILIA).date()

    @property
    def job(self) -> Job:
        """The declaration."""
        return self.request.job

    @property
    def language(self) -> str:
        """Which language people are spoken to in; the product's own where there is no single job."""
        return self.asked.job.outputs.language if self.asked else Outputs().language

    def tell(self, message: Message | Listed) -> None:
        """Let people see a line while the run goes on."""
        self.progress.tell(render(message, self.language))

    def desk_page(self, path: str) -> str:
        """Return the address of a page of the desk; "" where nobody has said where the desk is."""
        return f"{self.desk_url}/{path}" if self.desk_url else ""

    @property
    def decides_in_desk(self) -> bool:
        """Whether words on what this run tells count only from people who have signed in."""
        rules = self.ledger.decision_rules
        return rules.wants_signed_in(self.job.job) if self.asked else rules.any_wants_signed_in()

    @property
    def exit_code(self) -> ExitCode:
        """How the run stands, were it to end now."""
        return worst(self.codes)

    def end_with(self, code: ExitCode, message: Message | Listed) -> None:
        """Note an outcome, and what people are told of it."""
        self.codes.add(code)
        if message not in self.messages:
            self.messages.append(message)

    def note_discrepancies(self, found: Iterable[Discrepancy]) -> None:
        """Note what is wrong with reports, each kind once for each report however often it is seen."""
        known = {(discrepancy.kind, discrepancy.report_id) for discrepancy in self.discrepancies}
        self.discrepancies += [
            discrepancy for discrepancy in found if (discrepancy.kind, discrepancy.report_id) not in known
        ]

    @property
    def owner(self) -> "Owner":
        """Who holds what the run takes in the ledger; a check takes nothing."""
        if self.holder is None:
            raise RuntimeError("this run holds nothing")
        return self.holder

    def require_service(self) -> Service:
        """Return the service; a route that needs one is only walked with one."""
        if self.service is None:
            raise RuntimeError("this route was opened without a service")
        return self.service


def boot_time_s() -> float:
    """Tell the seconds since the machine started, those it slept included where there is such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


def whoever_runs_this() -> str:
    """Name the person or account the program runs for."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def read_run_request(  # noqa: PLR0913  # one for every option of the command line
    job_path: Path,
    *,
    files: Sequence[str] = (),
    yes: bool = False,
    by: str | None = None,
    again: Sequence[str] = (),
    period: str | None = None,
    one_more: bool = False,
    key_types: bool = False,
) -> RunRequest:
    """Read the job file and settle what the caller asked for.

    Args:
        job_path: The job file.
        files: "[SOURCE=]PATH": read instead of the files the job names.
        yes: Whether the caller approves the plan that will be made.
        by: Who asks; whoever runs the program when None.
        again: Files to pay although they were used before, under another job or period.
        period: The month a job for `previous_month` is run for; that before the present one when None.
        one_more: Whether one batch is to be sent although so many are in doubt that sending has stopped.
        key_types: Whether each Pix key without a type is of the one that it shows.

    Raises:
        ConfigurationError: the job file is wrong, every problem with line and column; it is for another period, reads
            where the house does not let jobs read, or wants a cluster that the environment does not name.
    """
    declared = read_job(job_path)
    job = declared.job
    require_within_reach(job, job_path)
    try:
        spec = period_asked(job.period, period) if period else job.period
    except ValueError as error:
        raise ConfigurationError(Message("error.in_job_file", file=job_path.name, why=str(error))) from None
    resolved = resolve_period(spec, dt.datetime.now(BRASILIA).date())
    known = {str(position) for position in range(1, len(job.sources) + 1)}
    known |= {source.layout if isinstance(source.layout, str) else source.layout.layout for source in job.sources}
    given = tuple(_given_file(text, known) for text in files)
    names = frozenset(Path(text).name for text in again)
    with errors_in_language(job.outputs.language):
        cluster = cluster_address(job.engine)
    return RunRequest(
        job,
        job_path.absolute(),
        resolved,
        given,
        yes,
        by or whoever_runs_this(),
        names,
        one_more,
        key_types,
        cluster,
        declared.sha256,
    )


def _given_file(text: str, sources: set[str]) -> tuple[str, str]:
    """Tell for which source a file was given, when that was said; a name may hold the sign itself."""
    name, mark, path = text.partition("=")
    if mark and name in sources:
        return name, str(Path(path).absolute())
    return "", str(Path(text).absolute())


def utc_now() -> dt.datetime:
    """Tell the time; the only place that asks the system for it."""
    return dt.datetime.now(dt.UTC)


SYSTEM_CLOCK = Clock(now=utc_now, monotonic_s=boot_time_s, sleep=time.sleep)
