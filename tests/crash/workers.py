"""What runs in the processes that the tests kill: the service, payers, and payers that are struck at a named moment."""

import datetime as dt
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from enum import Enum
from io import StringIO
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from flows.house_ledger import utc_now
from flows.launch import start_payout, start_settle
from flows.reports.report_list import doubt_abandoned, poll_reports
from flows.run import SYSTEM_CLOCK, QuietProgress, Run
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, Route, opened_run, walk
from flows.sending.send import send
from flows.settings import read_settings
from io_adapters.ledger import leases
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.submissions import Submissions
from io_adapters.payout_api.client import SplitApi
from io_adapters.sandbox import SandboxSettings, serve
from schemas.errors import ExitCode, RepasseError

DIED: Final = 77
SENT: Final = "a batch was sent"


class Moment(Enum):
    """Where `flows.sending.send` can be struck while it sends one batch, in its own order."""

    BEFORE_INTENT = "before the intent is written down"
    AFTER_INTENT = "after the intent is committed"
    BEFORE_CONNECTING = "immediately before connecting"
    BEFORE_OUTCOME = "after the answer, before it is written down"
    AFTER_OUTCOME = "after the answer is committed"


class ToldStages(QuietProgress):
    """Progress that tells another process which stage begins, and when a batch has been sent."""

    def __init__(self, pipe: Connection) -> None:
        super().__init__(StringIO())
        self._pipe = pipe

    def stage(self, name: str) -> None:
        self._pipe.send(name)

    def advance(self, what: str, done: int, total: int) -> None:
        if what == "batches":
            self._pipe.send(SENT)


class EndsBefore(ToldStages):
    """Ends the process, without a word to anybody, when a stage begins."""

    def __init__(self, stage: str, pipe: Connection) -> None:
        super().__init__(pipe)
        self._stage = stage

    def stage(self, name: str) -> None:
        if name == self._stage:
            os._exit(DIED)


def serve_service(database: Path, told: Connection) -> None:
    """Serve the sandbox until told to end; its base URL goes into the pipe."""
    serve("127.0.0.1", 0, database, SandboxSettings(processing_after_s=0.05, done_after_s=0.1), told.send)


def pay(job: Path, environment: dict[str, str], told: Connection) -> None:
    """Run a job as `repasse run JOB --yes` does, and exit with its code."""
    os.environ |= environment
    with exit_code_of_errors():
        report = start_payout(job, RunOptions(yes=True, by="payer"), progress=ToldStages(told), watched=False)
        sys.exit(int(report.exit_code))


def prepare(job: Path, environment: dict[str, str], told: Connection) -> None:
    """Plan and approve a job, and send nothing."""
    pay_and_die_before(job, environment, "send", told)


def pay_and_die_before(job: Path, environment: dict[str, str], stage: str, told: Connection) -> None:
    """Run a job and die when a stage begins."""
    os.environ |= environment
    with exit_code_of_errors():
        report = start_payout(job, RunOptions(yes=True, by="payer"), progress=EndsBefore(stage, told), watched=False)
        sys.exit(int(report.exit_code))


def finish_stored(job: Path, environment: dict[str, str], told: Connection) -> None:
    """Do with stored batches what every run does with them in its stage `recover`, and neither read nor write files."""

    def recover(run: Run) -> None:
        doubt_abandoned(run)
        poll_reports(run)
        send(run, ())

    os.environ |= environment
    with exit_code_of_errors():
        order = read_run_request(job, RunOptions(by="payer"))
        with opened_run(PAYOUT.name, order, read_settings(), ToldStages(told)) as run:
            walk(Route(PAYOUT.name, lambda step: step(recover)), run)
        sys.exit(int(run.exit_code))


def settle(job: Path, environment: dict[str, str], told: Connection) -> None:
    """Look at everything open or in doubt, as `repasse settle` does for all jobs, beside whoever is sending."""
    os.environ |= environment
    with exit_code_of_errors():
        sys.exit(int(start_settle(None, progress=ToldStages(told)).exit_code))


@contextmanager
def exit_code_of_errors() -> Iterator[None]:
    """End the process as the command line would."""
    try:
        yield
    except RepasseError as error:
        if error.exit_code is not ExitCode.ANOTHER_RUN:
            print(f"worker: exit {int(error.exit_code)}: {error.message}", file=sys.stderr)
        sys.exit(int(error.exit_code))


def pay_later(job: Path, environment: dict[str, str], hours: float, told: Connection) -> None:
    """Run a job on another machine, whose wall clock is so many hours ahead: no process here can be seen from there."""
    os.environ |= environment
    here = Owner.current("")
    leases.Owner.current = classmethod(  # type: ignore[assignment,method-assign]
        lambda _, run_id: replace(here, host="another-machine", boot_id="its-own", run_id=run_id)
    )
    clock = replace(SYSTEM_CLOCK, now=lambda: utc_now() + dt.timedelta(hours=hours))
    with exit_code_of_errors():
        with opened_run(
            PAYOUT.name, read_run_request(job, RunOptions(by="payer")), read_settings(), ToldStages(told), clock
        ) as run:
            walk(PAYOUT, run)
        sys.exit(int(run.exit_code))


def pay_and_die(job: Path, environment: dict[str, str], moment: Moment, batch: int, told: Connection) -> None:
    """Run a job and die, without a word to anybody, at a moment of sending the n-th batch."""
    os.environ |= environment
    _pay_with(job, _Blow(moment, batch, lambda: os._exit(DIED)), told)


def pay_and_freeze(job: Path, environment: dict[str, str], moment: Moment, batch: int, told: Connection) -> None:
    """Run a job and stand still at a moment of sending the n-th batch, until SIGCONT."""
    os.environ |= environment
    _pay_with(job, _Blow(moment, batch, _stand_still), told)


def _stand_still() -> None:
    """Stop here: a signal to the process may be taken by another thread, and this one go on for a moment."""
    signal.pthread_kill(threading.get_ident(), signal.SIGSTOP)


def _pay_with(job: Path, blow: "_Blow", told: Connection) -> None:
    order = read_run_request(job, RunOptions(yes=True, by="payer"))
    with exit_code_of_errors():
        with opened_run(PAYOUT.name, order, read_settings(), ToldStages(told)) as run:
            run.ledger.submissions = _StruckSubmissions(run.ledger.submissions, blow)  # type: ignore[assignment]
            service = run.require_service()
            run.service = replace(service, api=_StruckApi(service.api, blow))  # type: ignore[arg-type]
            walk(PAYOUT, run)
        sys.exit(int(run.exit_code))


class _Blow:
    """Waits for its moment. `os._exit` runs no handler, flushes nothing, closes nothing; SIGSTOP cannot be caught."""

    def __init__(self, moment: Moment, batch: int, strikes: Callable[[], None]) -> None:
        self._moment = moment
        self._left = batch
        self._strikes = strikes

    def may_come(self, moment: Moment) -> None:
        if moment is self._moment:
            self._left -= 1
            if not self._left:
                self._strikes()


class _StruckSubmissions:
    def __init__(self, real: Submissions, blow: _Blow) -> None:
        self._real = real
        self._blow = blow

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def take_for_sending(self, *given: Any, **named: Any) -> bool:
        self._blow.may_come(Moment.BEFORE_INTENT)
        taken = self._real.take_for_sending(*given, **named)
        self._blow.may_come(Moment.AFTER_INTENT)
        return taken

    def record_outcome(self, *given: Any, **named: Any) -> Any:
        self._blow.may_come(Moment.BEFORE_OUTCOME)
        recorded = self._real.record_outcome(*given, **named)
        self._blow.may_come(Moment.AFTER_OUTCOME)
        return recorded


class _StruckApi:
    def __init__(self, real: SplitApi, blow: _Blow) -> None:
        self._real = real
        self._blow = blow

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_report(self, body: bytes, *, before_connect: Callable[[], None], **named: Any) -> Any:
        def last_look() -> None:
            before_connect()
            self._blow.may_come(Moment.BEFORE_CONNECTING)

        return self._real.create_report(body, before_connect=last_look, **named)
