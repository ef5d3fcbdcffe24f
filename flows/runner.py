"""The runner: opens a run, walks its stages in order, and reports its end; with Prefect or without."""

import gc
import secrets
import traceback
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Concatenate, Final, ParamSpec, Protocol, TypeVar

from pydantic import SecretStr

from flows.account_checks.check_accounts import check_accounts
from flows.acts.approve import approve
from flows.books.alerts import NOTHING_TO_TELL, Occasion, alert_after_run
from flows.books.rules.reconcile import state_name
from flows.books.write import rewrite, write
from flows.house_ledger import open_ledger_of, utc_now
from flows.intake.read import read
from flows.payables.draft import Draft, draft
from flows.payables.freeze_plan import freeze_plan
from flows.run import SYSTEM_CLOCK, Clock, Progress, QuietProgress, Run, Service
from flows.run_options import RunOptions
from flows.run_request import RunRequest, read_run_request, require_known_job
from flows.sending.exchange_rates import exchange_rate
from flows.sending.recover import recover
from flows.sending.send import send
from flows.sending.settle import follow, is_anything_open, settle, settle_all
from flows.settings import Folders, ServiceSettings, Settings, check_environment, read_settings
from flows.stage_lines import line_of
from io_adapters.cage import keep_memory_private
from io_adapters.ledger.leases import Owner
from io_adapters.outputs.atomic import sweep_unfinished
from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.client import SplitApi
from schemas.errors import ExitCode, RepasseError, trouble_of_the_machine, worst
from schemas.issues import Issue
from schemas.messages import Listed, Message, for_desk, render
from schemas.reconciliation import Summary

if TYPE_CHECKING:
    from io_adapters.sandbox import EmbeddedSandbox

LEASE_S = 900.0


@contextmanager
def opened_service(
    settings: Settings, clock: Clock = SYSTEM_CLOCK, *, requests_per_s: Decimal | None = None
) -> Iterator[Service]:
    """Open the payout service: the real one, or the embedded sandbox with its state in the home folder.

    Args:
        requests_per_s: The most requests a second; None for no limit.
    """
    chosen = settings.require_service()
    keep_memory_private()  # whoever pays holds the key
    with ExitStack() as exits:
        assumptions = Assumptions.from_environment(settings.assumptions)
        address = chosen.url
        if chosen.embedded:
            address = exits.enter_context(_sandbox(settings)).url
        api = SplitApi(
            address,
            SecretStr(chosen.api_key),
            timeout_s=settings.timeout_s,
            assumptions=assumptions,
            pause=clock.sleep,
            requests_per_s=float(requests_per_s) if requests_per_s else None,
            egress=settings.egress,
        )
        exits.enter_context(api)
        yield Service(api, chosen.url, chosen.key_fingerprint, assumptions)


def _sandbox(settings: Settings) -> "EmbeddedSandbox":
    from io_adapters.sandbox import EmbeddedSandbox  # noqa: PLC0415  # a web server, wanted only for play money

    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return EmbeddedSandbox(settings.home / "sandbox.db")


@contextmanager
def opened_run(
    command: str, order: RunRequest | None, settings: Settings, progress: Progress, clock: Clock = SYSTEM_CLOCK
) -> Iterator[Run]:
    """Open a run: ledger, service, and the lease that keeps other runs of the same job away.

    Its end is written down when it arrives there, and by nobody else: a run that is interrupted has none.

    Raises:
        AnotherRun: another run holds the job.
        ConfigurationError: the environment names no service, a ledger that cannot be opened, or a policy that cannot
            be read or lies beside the job; or the clock is behind the ledger's newest row.
    """
    run_id = f"{clock.now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    if order is not None:
        settings.require_policy_outside(order.folder)
    with ExitStack() as exits:
        pace = order.job.service.requests_per_s if order else None
        service = exits.enter_context(opened_service(settings, clock, requests_per_s=pace))
        ledger = exits.enter_context(open_ledger_of(settings, now=clock.now))
        owner = Owner.current(run_id)
        run = Run(run_id, order, ledger, service, owner, clock, progress, settings.timeout_s)
        run.desk_url = settings.desk_url
        ledger.runs.require_clock()
        if order is not None:
            ledger.leases.take(order.job.job, owner, LEASE_S)
            exits.callback(ledger.leases.release, order.job.job, owner)
            where = (order.job.job, order.period.label)
            payer, is_asked_for = order.job.payer.tax_id, command == PAYOUT.name and not order.is_nights
            begun = (run_id, *where, command, order.by, str(order.job_path), payer)
            ledger.runs.begin(*begun, is_asked_for=is_asked_for)
            ledger.decision_rules.note(order.job.job, order.job.approval.identities)
            sweep_unfinished(order.folder / order.job.outputs.folder / order.job.job)
        yield run
        if order is not None:
            _finish(run)


def _finish(run: Run) -> None:
    summary = run.summary.to_json() if run.summary else None
    state = run.summary.state if run.summary else state_name(run.exit_code, sent=False)
    run.ledger.runs.finish(run.id, state, int(run.exit_code), summary)


def describe_service(service: ServiceSettings | None) -> str:
    """Name the service for people, never with its key."""
    if service is None:
        return "none"
    return "embedded sandbox (play money)" if service.embedded else service.url


_Takes = ParamSpec("_Takes")
_Makes = TypeVar("_Makes")
# A stage takes the run and what the stages before it made, and returns what it makes.
Stage = Callable[Concatenate[Run, _Takes], _Makes]


class Step(Protocol):
    """Calls a stage with the run and with what it takes; one that fails is told, and ends the walk with `Stopped`."""

    def __call__(self, stage: Stage[_Takes, _Makes], /, *made: _Takes.args, **named: _Takes.kwargs) -> _Makes:
        """Return what the stage makes."""


class Watch(Protocol):
    def __call__(self, stage: Stage[_Takes, _Makes], run: Run, /, *made: _Takes.args, **named: _Takes.kwargs) -> _Makes:
        """Return what the stage makes."""


class Stopped(Exception):  # nothing is wrong with the walk
    """A stage has failed, and the run tells why: what is left of the way is its last stage."""

    def __init__(self, code: ExitCode) -> None:
        super().__init__(code)
        self.code = code


@contextmanager
def _written_down(run: Run, stage_name: str) -> Iterator[None]:
    """Keep in the ledger when a stage of a job's run began and ended, and what it came to.

    Whoever looks at the run sees this and guesses nothing. A stage that its process did not outlive has no end.
    """
    if run.asked is None:
        yield
        return
    codes, shown = set(run.codes), len(run.messages)
    number = run.ledger.runs.begin_stage(run.id, stage_name)
    try:
        yield
    except Stopped as stopped:
        run.ledger.runs.end_stage(run.id, number, stopped.code, run.messages[shown:], stopped=True)
        raise
    run.ledger.runs.end_stage(run.id, number, worst(run.codes - codes), run.messages[shown:], stopped=False)


@dataclass(frozen=True, slots=True)
class Route:
    """The way of the data through the stages of a flow."""

    name: str
    way: Callable[[Step], None]


def pay(step: Step) -> None:
    """Pay what a job owes: from its files to its books, which are written whatever becomes of the rest."""
    drafted: Draft | None = None
    with suppress(Stopped):
        intake = step(read)
        drafted = step(draft, intake)
        drafted = step(recover, drafted)
        drafted = step(check_accounts, drafted)
        drafted = step(freeze_plan, drafted)
        step(approve, drafted)
        step(send, drafted.payables.obligations)
        step(exchange_rate)
        step(settle)
    step(write, drafted)


def settle_open(step: Step) -> None:
    with suppress(Stopped):
        step(settle_all)
    step(rewrite)


PAYOUT: Final = Route("payout", pay)
SETTLE: Final = Route("settle", settle_open)


def call(stage: Stage[_Takes, _Makes], run: Run, /, *made: _Takes.args, **named: _Takes.kwargs) -> _Makes:
    return stage(run, *made, **named)


def walk(route: Route, run: Run, watch: Watch = call) -> None:
    """Walk a route to its end.

    Effects: those of the stages. Never raises for what a person must know: that is in the run's codes and messages.
    """

    def step(stage: Stage[_Takes, _Makes], /, *made: _Takes.args, **named: _Takes.kwargs) -> _Makes:
        run.progress.stage(stage.__name__)
        with _written_down(run, stage.__name__):
            try:
                makes = watch(stage, run, *made, **named)
                if line := line_of(stage.__name__, run, makes):
                    run.show(line)
            except RepasseError as error:
                run.end_with(error.exit_code, error.content)
                raise Stopped(error.exit_code) from None
            except Exception as error:  # noqa: BLE001  # the outputs of what was already sent must still be written
                trouble = trouble_of_the_machine(error)
                code = trouble.exit_code if trouble else ExitCode.BUG
                run.end_with(code, trouble.content if trouble else describe_bug(error))
                raise Stopped(code) from None
            return makes

    with suppress(Stopped):
        route.way(step)


def describe_bug(error: BaseException) -> Message:
    """Say where a bug struck, without the exception's text: it may hold people's data."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    place = "/".join(Path(frame.filename).parts[-3:])
    return Message("cli.bug", kind=type(error).__name__, source_line=f"{place}:{frame.lineno}")


def settle_and_follow(for_s: float) -> Route:
    """Make the route of a settlement that polls open reports for some seconds before it settles; one list for all."""

    def follow_and_settle(step: Step) -> None:
        with suppress(Stopped):
            step(follow, for_s)
            step(settle_all)
        step(rewrite)

    return Route(SETTLE.name, follow_and_settle)


@dataclass(frozen=True, slots=True)
class RunReport:
    """What a run came to, for whoever started it.

    Attributes:
        summary: Content of `summary.json`; None when the run did not get that far.
        page: Address of its page on the desk, or of the desk's first page; "" where nobody has said where the desk is.
        occasion: For what people may be called.
    """

    run_id: str
    exit_code: ExitCode
    state: str
    notes: tuple[Message | Listed, ...]
    issues: tuple[Issue, ...]
    outputs: tuple[Path, ...]
    summary: Summary | None
    language: str
    page: str = ""
    occasion: Occasion = NOTHING_TO_TELL

    @property
    def messages(self) -> tuple[str, ...]:
        """What a person must know, in the job's language."""
        return tuple(render(note, self.language) for note in self.notes)

    @property
    def headline(self) -> str:
        """The first thing a person should know of it."""
        return render(self.first_note, self.language) if self.first_note else f"run {self.run_id}"

    @property
    def first_note(self) -> Message | Listed | None:
        return self.notes[-1 if self.exit_code is ExitCode.BUG else 0] if self.notes else None


@dataclass(slots=True)
class Caller:
    """Who watches a flow from within this process, and what they ask for; flow parameters could not carry it."""

    progress: Progress
    report: RunReport | None = None
    asked: tuple[Path, RunOptions] | None = None


CALLER: ContextVar[Caller | None] = ContextVar("CALLER", default=None)


def run_payout(job_path: Path, options: RunOptions, *, watch: Watch = call) -> RunReport:
    """Pay what a job owes: the whole route, from the files to the reconciliation.

    Raises:
        RepasseError: the run could not even begin: configuration, another run of the job, a newer ledger.
    """
    return walk_request(read_run_request(job_path, options), watch)


def walk_request(order: RunRequest, watch: Watch = call) -> RunReport:
    """Pay what an order asks for, that somebody has read and perhaps looked at before.

    Raises:
        RepasseError: the run could not even begin.
    """
    return _walk(PAYOUT, order, None, watch, is_nights=order.is_nights)


def run_settle(job: str | None, watch: Watch = call, *, follow_s: float = 0.0, is_nights: bool = False) -> RunReport:
    """Look at what is open or in doubt, of one job or of all.

    Args:
        job: Name of the job; all jobs when None.
        is_nights: Whether a night asks, which calls people for all of it at its end.

    Raises:
        RepasseError: the run could not even begin; there is no such job.
    """
    if job is not None:
        with open_ledger_of(read_settings(), create=False) as ledger:
            require_known_job(ledger, job, Folders().jobs)
    return _walk(settle_and_follow(follow_s) if follow_s else SETTLE, None, job, watch, is_nights=is_nights)


def nothing_is_open(job: str | None) -> bool:
    """Say whether settling has nothing to look at, from the ledger alone: the service is not called.

    Raises:
        RepasseError: the ledger cannot be opened; there is no such job.
    """
    with open_ledger_of(read_settings(), create=False) as ledger:
        if job is not None:
            require_known_job(ledger, job, Folders().jobs)
        return not is_anything_open(ledger, job, utc_now())


def _walk(route: Route, order: RunRequest | None, only_job: str | None, watch: Watch, *, is_nights: bool) -> RunReport:
    check_environment()
    # A hundred thousand rows make no cycles; looking for some as often as Python does takes a quarter of the time.
    gc.set_threshold(50_000, 10, 10)
    caller = CALLER.get() or Caller(QuietProgress())
    settings = read_settings()
    with opened_run(route.name, order, settings, caller.progress) as run:
        run.only_job = only_job
        walk(route, run, watch)
        notes = _notes_of(run)
    caller.report = RunReport(
        run_id=run.id,
        exit_code=run.exit_code,
        state=run.summary.state if run.summary else state_name(run.exit_code, sent=bool(run.touched)),
        notes=notes,
        issues=tuple(run.issues),
        outputs=tuple(run.outputs),
        summary=run.summary,
        language=order.job.outputs.language if order else "en",
        page=run.desk_page(f"runs/{run.id}" if order else ""),
        occasion=Occasion((run.id,), frozenset(run.codes), notes)
        if order
        else Occasion(tuple(sorted(run.touched)), notes=notes),
    )
    if not is_nights:
        alert_after_run(settings, caller.report.occasion, caller.progress.show)
    return caller.report


def _notes_of(run: Run) -> tuple[Message | Listed, ...]:
    if not run.decides_in_desk:
        return tuple(run.messages)
    notes = tuple(map(for_desk, run.messages))
    where = run.desk_page("doubts")
    return (*notes, Message("cli.in_desk", page=where)) if where and notes != tuple(run.messages) else notes
