"""Run: what a run is asked for, its dependencies, and the results of its stages so far."""

import datetime as dt
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, Protocol, TextIO

from flows.house_ledger import utc_now
from flows.run_request import RunRequest
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import Ledger, open_ledger
from schemas.errors import ExitCode, errors_in_language, worst
from schemas.issues import Issue
from schemas.job import BRASILIA, Job, Outputs
from schemas.messages import Listed, Message, catalogue_in, render
from schemas.reconciliation import Discrepancy, Summary

if TYPE_CHECKING:  # a check speaks to no service, and need not wait for what that is done with
    from io_adapters.payout_api.assumptions import Assumptions
    from io_adapters.payout_api.client import SplitApi
    from schemas.wire import SplitReport


class Progress(Protocol):
    """How a run lets people see what it does; a terminal, a log, the Prefect UI."""

    def speak(self, language: str) -> None:
        """People are spoken to in this language from now on: that of the job, once it is known."""

    def stage(self, name: str) -> None:
        """A stage begins."""

    def show(self, message: str) -> None:
        """Something worth a line; never with a document, key or account in it."""

    def advance(self, what: str, done: int, total: int) -> None:
        """So many of so many are done."""


class Silence:
    """Nobody watches."""

    def speak(self, language: str) -> None: ...

    def stage(self, name: str) -> None: ...

    def show(self, message: str) -> None: ...

    def advance(self, what: str, done: int, total: int) -> None: ...


class QuietProgress:
    """One line per stage and message, for logs."""

    _language = Outputs().language

    def __init__(self, stream: TextIO | None = None) -> None:
        self._stream = stream or sys.stderr

    def speak(self, language: str) -> None:
        self._language = "en" if language == "en" else "pt-BR"

    def stage(self, name: str) -> None:
        self._write(f"{stage_words(name, self._language)} ...")

    def show(self, message: str) -> None:
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
    labels = catalogue_in(language)
    return labels(f"stage.{name}") if f"stage.{name}" in labels else name.replace("_", " ")


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
        assumptions: What the interface does not say.
    """

    api: "SplitApi"
    url: str
    key_fingerprint: str
    assumptions: "Assumptions"

    def path_id(self, *, split_id: str, report_id: str) -> str:
        """Return the one of a report's two ids that the service's paths take."""
        return self.assumptions.id_for_get(split_id=split_id, report_id=report_id)


# Calls a function with each file elsewhere, several at once; returns what it made, in the files' order.
MapFiles = Callable[[Callable[[Any], Any], Sequence[Any]], Sequence[Any]]


@dataclass(slots=True)
class Run:
    """One run of one job: what it is given, and how it stands.

    What its stages make of the job's files is in no run: `flows.runner` hands it from one to the next. The second group
    is what a run is told by; the third what sending has to remember between batches.
    """

    id: str
    asked: RunRequest | None
    ledger: Ledger
    service: Service | None
    holder: Owner | None
    clock: Clock
    progress: Progress
    timeout_s: float
    only_job: str | None = None
    desk_url: str = ""
    map_files: MapFiles | None = None

    issues: list[Issue] = field(default_factory=list)
    discrepancies: list[Discrepancy] = field(default_factory=list)
    codes: set[ExitCode] = field(default_factory=set)
    messages: list[Message | Listed] = field(default_factory=list)
    outputs: list[Path] = field(default_factory=list)
    summary: Summary | None = None
    touched: set[str] = field(default_factory=set)

    listed: tuple["SplitReport", ...] = ()
    looked_for: set[str] = field(default_factory=set)
    listed_at_s: float | None = None
    one_more_sent: bool = False
    sending_stopped: Message | None = None
    accepted: int = 0
    accepted_when_listed: int = 0

    def __post_init__(self) -> None:
        self.progress.speak(self.language)

    @property
    def request(self) -> RunRequest:
        """What the caller asked for; a run that follows reports of all jobs has no single request."""
        if self.asked is None:
            raise RuntimeError("this run is of no single job")
        return self.asked

    @property
    def is_preview(self) -> bool:
        return self.id == PREVIEW

    @property
    def today(self) -> dt.date:
        return self.clock.now().astimezone(BRASILIA).date()

    @property
    def job(self) -> Job:
        return self.request.job

    @property
    def output_folder(self) -> Path:
        """outputs.folder/<job>/<period>/<run>, relative to the job file; absolute."""
        base = self.request.folder / self.job.outputs.folder
        return (base / self.job.job / self.request.period.label / self.id).absolute()

    @property
    def language(self) -> str:
        """Which language people are spoken to in; the product's own where there is no single job."""
        return self.asked.job.outputs.language if self.asked else Outputs().language

    def show(self, message: Message | Listed) -> None:
        """Let people see a line while the run goes on."""
        self.progress.show(render(message, self.language))

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
    def owner(self) -> Owner:
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


PREVIEW: Final = "check"  # names the run of a preview, of which the ledger keeps nothing
SYSTEM_CLOCK = Clock(now=utc_now, monotonic_s=boot_time_s, sleep=time.sleep)


@contextmanager
def opened_offline(order: RunRequest, progress: Progress, ledger: Ledger | None = None) -> Iterator[Run]:
    """Open a run without a service; without a ledger given it has an empty one that leaves no trace."""
    own = ledger or open_ledger("sqlite://", clock=SYSTEM_CLOCK.now)
    with own, errors_in_language(order.job.outputs.language):
        yield Run(PREVIEW, order, own, None, Owner.current(PREVIEW), SYSTEM_CLOCK, progress, timeout_s=0.0)
