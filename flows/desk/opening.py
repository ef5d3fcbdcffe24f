"""Opens everything the desk works with, from the environment."""

from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from flows.desk.doubts import Unresolved
from flows.desk.jobs import JobsFolder
from flows.desk.launches import Launches
from flows.desk.looks import Previews
from flows.desk.plans import Plans
from flows.desk.runs import Runs
from flows.desk.waiting import Waiting
from flows.launchers import Launcher
from flows.opening import open_ledger_of
from flows.run import Clock
from flows.runner import SYSTEM_CLOCK
from flows.settings import Settings
from io_adapters.desk.ports import Ports

UPLOADS: Final = "uploads"
LOOKS: Final = "desk"
LAUNCHED: Final = "launched"


@contextmanager
def opened_desk(
    settings: Settings, jobs_folder: Path | None, launcher: Launcher, clock: Clock = SYSTEM_CLOCK
) -> Iterator[Ports]:
    """Open what the desk works with, for as long as the context lasts.

    Args:
        settings: Of the environment.
        jobs_folder: The folder of jobs; None where there is none.
        launcher: Starts runs.
        clock: Time.

    Raises:
        ConfigurationError: the ledger cannot be opened.
    """
    with ExitStack() as exits:
        ledger = exits.enter_context(open_ledger_of(settings, now=clock.now))
        settings.home.mkdir(parents=True, exist_ok=True, mode=0o700)
        jobs = JobsFolder(jobs_folder.absolute() if jobs_folder else None, ledger, clock.now)
        looks = Previews(settings.home / LOOKS, jobs, ledger, lambda: open_ledger_of(settings, now=clock.now))
        exits.callback(looks.close)
        launches = Launches(ledger, jobs, launcher, settings.home / LAUNCHED, clock.now)
        plans = Plans(ledger, jobs, launches, clock.now)
        doubts = Unresolved(ledger, lambda: settings, clock)
        yield Ports(
            users=ledger.desk_users,
            sessions=ledger.desk_sessions,
            attempts=ledger.sign_in_attempts,
            uploads=ledger.desk_uploads,
            jobs=jobs,
            looks=looks,
            plans=plans,
            launches=launches,
            runs=Runs(ledger, clock.now),
            doubts=doubts,
            waiting=Waiting(ledger, plans, doubts, clock.now),
        )
