"""The one place where concrete parts are chosen: opens a run with its ledger, its service and its clock."""

import datetime as dt
import getpass
import secrets
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING

from pydantic import SecretStr

from flows.opening import open_ledger_of, utc_now
from flows.settings import ServiceSettings, Settings
from flows.stages.probing import Probing
from flows.stages.run import Clock, Order, Progress, Run, Service
from flows.steps.probe_parties import ProbeParties
from flows.steps.run_state import state_name
from io_adapters.ledger.owner import Owner
from io_adapters.split_api.assumptions import Assumptions
from io_adapters.split_api.client import SplitApi
from io_adapters.split_api.probing import ProbeApi
from io_adapters.spreadsheets.declarations import read_job
from schemas.errors import ConfigurationError
from schemas.job import period_asked, resolve_period

if TYPE_CHECKING:
    from io_adapters.sandbox import EmbeddedSandbox

LEASE_S = 900.0


def boot_time_s() -> float:
    """Tell the seconds since the machine started, those it slept included where there is such a clock."""
    return time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


SYSTEM_CLOCK = Clock(now=utc_now, monotonic_s=boot_time_s, sleep=time.sleep)


def whoever_runs_this() -> str:
    """Name the person or account the program runs for."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def read_order(
    job_path: Path,
    *,
    files: Sequence[str] = (),
    yes: bool = False,
    by: str | None = None,
    again: Sequence[str] = (),
    period: str | None = None,
    one_more: bool = False,
) -> Order:
    """Read the job file and settle what the caller asked for.

    Args:
        job_path: The job file.
        files: "[SOURCE=]PATH": read instead of the files the job names.
        yes: Whether the caller approves the plan that will be made.
        by: Who asks; whoever runs the program when None.
        again: Files to pay although they were used before, under another job or period.
        period: The month a job for `previous_month` is run for; that before the present one when None.
        one_more: Whether one batch is to be sent although so many are in doubt that sending has stopped.

    Raises:
        ConfigurationError: the job file is wrong, every problem with line and column; or it is for another period.
    """
    job = read_job(job_path).job
    try:
        spec = period_asked(job.period, period) if period else job.period
    except ValueError as error:
        raise ConfigurationError(f"{job_path.name}: {error}") from None
    resolved = resolve_period(spec, dt.datetime.now().astimezone().date())
    known = {str(position) for position in range(1, len(job.sources) + 1)}
    known |= {source.layout if isinstance(source.layout, str) else source.layout.layout for source in job.sources}
    given = tuple(_given_file(text, known) for text in files)
    names = frozenset(Path(text).name for text in again)
    return Order(job, job_path.absolute(), resolved, given, yes, by or whoever_runs_this(), names, one_more)


def _given_file(text: str, sources: set[str]) -> tuple[str, str]:
    """Tell for which source a file was given, when that was said; a name may hold the sign itself."""
    name, mark, path = text.partition("=")
    if mark and name in sources:
        return name, str(Path(path).absolute())
    return "", str(Path(text).absolute())


@contextmanager
def opened_service(
    settings: Settings,
    clock: Clock = SYSTEM_CLOCK,
    *,
    requests_per_s: Decimal | None = None,
    client: type[SplitApi] = SplitApi,
) -> Iterator[Service]:
    """Open the payout service: the real one, or the embedded sandbox with its state in the home folder.

    Args:
        settings: Which service, and with which key.
        clock: Time.
        requests_per_s: The most requests a second; None for no limit.
        client: Kind of client.
    """
    chosen = settings.require_service()
    with ExitStack() as exits:
        assumptions = Assumptions.from_environment(settings.assumptions)
        address = chosen.url
        if chosen.embedded:
            address = exits.enter_context(_sandbox(settings)).url
        api = client(
            address,
            SecretStr(chosen.api_key),
            timeout_s=settings.timeout_s,
            assumptions=assumptions,
            pause=clock.sleep,
            requests_per_s=float(requests_per_s) if requests_per_s else None,
        )
        exits.enter_context(api)
        yield Service(api, chosen.url, chosen.key_fingerprint, assumptions)


@contextmanager
def opened_probe(
    settings: Settings, parties: ProbeParties | None, progress: Progress, clock: Clock = SYSTEM_CLOCK
) -> Iterator[Probing]:
    """Open what a probe needs: the service, asked in its ways, and the ledger that keeps what it sees.

    Raises:
        ConfigurationError: the environment names no service, or a ledger that cannot be opened.
    """
    run_id = f"probe-{clock.now():%Y%m%dT%H%M%S}-{secrets.token_hex(3)}"
    with (
        opened_service(settings, clock, client=ProbeApi) as service,
        open_ledger_of(settings, now=clock.now) as ledger,
    ):
        if not isinstance(service.api, ProbeApi):
            raise TypeError("a probe asks through a ProbeApi")
        run = Run(run_id, None, ledger, service, Owner.current(run_id), clock, progress, settings.timeout_s)
        yield Probing(run, service.api, parties)


def _sandbox(settings: Settings) -> "EmbeddedSandbox":
    from io_adapters.sandbox import EmbeddedSandbox  # noqa: PLC0415  # a web server, wanted only for play money

    settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
    return EmbeddedSandbox(settings.home / "sandbox.db")


@contextmanager
def opened_run(
    command: str, order: Order | None, settings: Settings, progress: Progress, clock: Clock = SYSTEM_CLOCK
) -> Iterator[Run]:
    """Open a run: ledger, service, and the lease that keeps other runs of the same job away.

    Raises:
        AnotherRun: another run holds the job.
        ConfigurationError: the environment names no service, a ledger that cannot be opened, or a policy that cannot
            be read or lies beside the job.
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
        if order is not None:
            ledger.leases.take(order.job.job, owner, LEASE_S)
            exits.callback(ledger.leases.release, order.job.job, owner)
            where = (order.job.job, order.period.label)
            ledger.runs.begin(run_id, *where, command, order.by, str(order.job_path))
            ledger.word_rules.note(order.job.job, order.job.approval.identities)
            exits.callback(_finish, run)
        yield run


def _finish(run: Run) -> None:
    summary = run.summary.to_json() if run.summary else None
    state = run.summary.state if run.summary else state_name(run.exit_code, sent=False)
    run.ledger.runs.finish(run.id, state, int(run.exit_code), summary, run.left)


def describe_service(service: ServiceSettings | None) -> str:
    """Name the service for people, never with its key."""
    if service is None:
        return "none"
    return "embedded sandbox (play money)" if service.embedded else service.url
