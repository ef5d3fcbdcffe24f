"""What runs in the processes that the tests kill: the service, a payer, and a payer that dies at a named moment."""

import os
import sys
from collections.abc import Callable
from dataclasses import replace
from enum import Enum
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Final

from flows.settings import read_settings
from flows.stages.route import PAYOUT, walk
from flows.start import start_payout
from flows.wiring import opened_run, read_order
from io_adapters.ledger.submissions import Submissions
from io_adapters.sandbox import SandboxSettings, serve
from io_adapters.split_api.client import SplitApi
from schemas.errors import RepasseError

DIED: Final = 77


class Moment(Enum):
    """Where `flows.stages.send` can be struck while it sends one batch, in its own order."""

    BEFORE_INTENT = "before the intent is written down"
    AFTER_INTENT = "after the intent is committed"
    BEFORE_CONNECTING = "immediately before connecting"
    BEFORE_OUTCOME = "after the answer, before it is written down"
    AFTER_OUTCOME = "after the answer is committed"


class ToldStages:
    """Progress that tells another process which stage begins."""

    def __init__(self, pipe: Connection) -> None:
        self._pipe = pipe

    def stage(self, name: str) -> None:
        self._pipe.send(name)

    def tell(self, message: str) -> None:
        pass

    def advance(self, what: str, done: int, total: int) -> None:
        pass


def serve_service(database: Path, told: Connection) -> None:
    """Serve the sandbox until told to end; its base URL goes into the pipe."""
    serve("127.0.0.1", 0, database, SandboxSettings(processing_after_s=0.05, done_after_s=0.1), told.send)


def pay(job: Path, environment: dict[str, str], told: Connection) -> None:
    """Run a job as `repasse run JOB --yes` does, and exit with its code."""
    os.environ |= environment
    try:
        report = start_payout(job, [], yes=True, by="payer", progress=ToldStages(told), watched=False)
    except RepasseError as error:
        print(f"worker: exit {int(error.exit_code)}: {error.message}", file=sys.stderr)
        sys.exit(int(error.exit_code))
    sys.exit(int(report.exit_code))


def pay_and_die(job: Path, environment: dict[str, str], moment: Moment, batch: int, told: Connection) -> None:
    """Run a job and die, without a word to anybody, at a moment of sending the n-th batch."""
    os.environ |= environment
    death = _Death(moment, batch)
    order = read_order(job, yes=True, by="payer")
    with opened_run(PAYOUT.name, order, read_settings(), ToldStages(told)) as run:
        run.ledger.submissions = _DyingSubmissions(run.ledger.submissions, death)  # type: ignore[assignment]
        service = run.require_service()
        run.service = replace(service, api=_DyingApi(service.api, death))  # type: ignore[arg-type]
        walk(PAYOUT, run)


class _Death:
    """Waits for its moment; `os._exit` runs no handler, flushes nothing, closes nothing."""

    def __init__(self, moment: Moment, batch: int) -> None:
        self._moment = moment
        self._left = batch

    def may_come(self, moment: Moment) -> None:
        if moment is self._moment:
            self._left -= 1
            if not self._left:
                os._exit(DIED)


class _DyingSubmissions:
    def __init__(self, real: Submissions, death: _Death) -> None:
        self._real = real
        self._death = death

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def take_for_sending(self, *given: Any, **named: Any) -> bool:
        self._death.may_come(Moment.BEFORE_INTENT)
        taken = self._real.take_for_sending(*given, **named)
        self._death.may_come(Moment.AFTER_INTENT)
        return taken

    def record_outcome(self, *given: Any, **named: Any) -> Any:
        self._death.may_come(Moment.BEFORE_OUTCOME)
        recorded = self._real.record_outcome(*given, **named)
        self._death.may_come(Moment.AFTER_OUTCOME)
        return recorded


class _DyingApi:
    def __init__(self, real: SplitApi, death: _Death) -> None:
        self._real = real
        self._death = death

    def __getattr__(self, name: str) -> Any:
        return getattr(self._real, name)

    def create_report(self, body: bytes, *, before_connect: Callable[[], None], **named: Any) -> Any:
        def last_look() -> None:
            before_connect()
            self._death.may_come(Moment.BEFORE_CONNECTING)

        return self._real.create_report(body, before_connect=last_look, **named)
