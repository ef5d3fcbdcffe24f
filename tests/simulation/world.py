"""One world: a service, a ledger file, a clock, and processes that run, die and overtake each other in it.

Everything between spreadsheet and socket is the product's own: stages, steps, ledger on SQLite, HTTP client. Time, the
transport and the moment of death are the simulation's.
"""

import shutil
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Final

import flows.run as product
from flows.books.write import rewrite, write
from flows.intake.intake import Intake
from flows.intake.read import read
from flows.runner import LEASE_S, PAYOUT, SETTLE, Route, Watch, walk
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import Ledger, open_ledger
from io_adapters.payout_api.assumptions import Assumptions
from schemas.errors import AnotherRun, ExitCode
from tests.flows.jobs import JOB, PERIOD
from tests.simulation.behaviours import PATIENCE_S, URL, Behaviour, Listing
from tests.simulation.clock import VirtualClock
from tests.simulation.office import Office, Silence, Spreadsheet
from tests.simulation.points import Points, PowerCut, watched
from tests.simulation.service import Service
from tests.simulation.wire import client_of

LIVES: Final = Owner.current("")
NO_SUCH_PROCESS: Final = 2**22 + 1  # above the highest process id there is: proven gone
SYNCHRONOUS_FULL: Final = 2


@dataclass(frozen=True, slots=True)
class Ending:
    """How one process ended.

    Attributes:
        codes: Its exit codes; None when the power was cut.
        messages: What it said last.
    """

    codes: frozenset[ExitCode] | None
    messages: tuple[str, ...] = ()


class World:
    """A service, a ledger file and a clock.

    Attributes:
        clock: Everybody's time.
        service: What the service received and created.
        file: The ledger.
        endings: How each process ended, in the order of their ends.
        is_restless: Whether every run changes something, and no end is in sight.
        wakes_on_the_wire: Whether a process froze after its last look and woke later: what no design can close.
        stopped_at_s: Since when nothing may be sent any more, by people's will; None for never.
    """

    def __init__(self, folder: Path, office: Office, behaviour: Behaviour, listing: Listing) -> None:
        folder.mkdir(exist_ok=True)
        self.clock = VirtualClock()
        self.service = Service(self.clock, behaviour, listing)
        self.file = folder / "ledger.db"
        self.endings: list[Ending] = []
        self.is_restless = False
        self.wakes_on_the_wire = False
        self.stopped_at_s: float | None = None
        self.put_back(office.empty_ledger)

    def put_back(self, copy_of_ledger: Path) -> None:
        """Put another ledger file in the place of the present one."""
        for leftover in (self.file, *self.file.parent.glob("ledger.db-*")):
            leftover.unlink(missing_ok=True)
        shutil.copyfile(copy_of_ledger, self.file)

    def ledger(self) -> Ledger:
        """Open the ledger, as one more process."""
        return open_ledger(f"sqlite:///{self.file}", clock=self.clock.now)

    def pay(self, sheet: Spreadsheet, *, name: str, points: Points | None = None, owner: Owner = LIVES) -> Ending:
        """Run the payout in a process of its own."""
        return self._process(PAYOUT, sheet, points or Points(), owner, name)

    def settle(self) -> Ending:
        """Run the settlement in a process of its own."""
        return self._process(SETTLE, None, Points(), LIVES, "settling")

    def states(self) -> list[tuple[str, str]]:
        """Where every submission stands."""
        with self.ledger() as ledger:
            return sorted(
                (submission.id, submission.state.value) for submission in ledger.submissions.list(bodies=False)
            )

    def take_lease_away(self, name: str, owner: Owner) -> None:
        """Let the lease of a process be lost."""
        with self.ledger() as ledger:
            ledger.leases.release(JOB, replace(owner, run_id=name))

    def _process(self, route: Route, sheet: Spreadsheet | None, points: Points, owner: Owner, name: str) -> Ending:
        before = self.file.with_suffix(f".{name}")
        shutil.copyfile(self.file, before)
        ledger = self.ledger()
        try:
            ending = self._walk(route, sheet, watched(ledger, points), points, replace(owner, run_id=name))
        except AnotherRun as refused:
            ending = Ending(frozenset({refused.exit_code}), (refused.message,))
        except PowerCut:
            durable = _is_durable(ledger)
            ledger.close()
            if not durable:
                self.put_back(before)
            ending = Ending(None)
        finally:
            ledger.close()
            before.unlink()
        self.endings.append(ending)
        return ending

    def _walk(self, route: Route, sheet: Spreadsheet | None, ledger: Ledger, points: Points, owner: Owner) -> Ending:
        order = sheet.order if sheet else None
        service = product.Service(client_of(self.service, points), URL, "fingerprint of a key", Assumptions())
        run = product.Run(owner.run_id, order, ledger, service, owner, self.clock.for_run(), Silence(), PATIENCE_S)
        if order:
            ledger.leases.take(JOB, owner, LEASE_S)
            ledger.runs.begin(run.id, JOB, PERIOD, route.name, order.by, str(order.job_path))
        walk(route, run, _without_files(sheet))
        if order:
            ledger.leases.release(JOB, owner)
        return Ending(frozenset(run.codes), tuple(map(str, run.messages)))


def _without_files(sheet: Spreadsheet | None) -> Watch:
    """Call stages but for those of files: what is read was read already, and no outputs are written."""

    def watch(stage, run, *made):
        if stage is read and sheet is not None:
            return Intake(sheet.inputs, sheet.inputs, is_judged=True)
        return None if stage in {write, rewrite} else stage(run, *made)

    return watch


def _is_durable(ledger: Ledger) -> bool:
    """Whether what was committed survives a power cut: https://www.sqlite.org/pragma.html#pragma_synchronous."""
    with ledger._database.engine.connect() as connection:
        return int(connection.exec_driver_sql("PRAGMA synchronous").scalar_one()) >= SYNCHRONOUS_FULL
