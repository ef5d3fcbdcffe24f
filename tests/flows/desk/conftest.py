"""A jobs folder, a service that pays at once, and a desk in front of them."""

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import pytest

from flows.desk.app import Desk, opened_desk
from flows.desk.guard import DeskSettings
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.approval import Role
from schemas.submission import Submission, SubmissionState
from tests.flows.desk.office import ALL_ROLES, Browser, MovingClock, RunsHere, hashed, plan_of, prepare
from tests.flows.jobs import declare, payment, people, write_sheet
from tests.flows.oracle import CREATE, Oracle
from tests.sandboxes import opened_sandbox


def set_environment(patch: pytest.MonkeyPatch, folder: Path) -> None:
    """No service yet; a home of its own."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        patch.delenv(name)
    patch.delenv("PREFECT_API_URL", raising=False)
    patch.setenv("REPASSE_HOME", str(folder / "home"))


@contextmanager
def opened_service(patch: pytest.MonkeyPatch) -> Iterator[Oracle]:
    """A service that pays at once, and an environment that names it."""
    with opened_sandbox() as sandbox:
        patch.setenv("REPASSE_API_URL", sandbox.url)
        patch.setenv("REPASSE_API_KEY", sandbox.api_key)
        oracle = Oracle(sandbox)
        yield oracle
        oracle.close()


def write_job(place: Path) -> Path:
    """A job of two payments, 10.00 and 20.00."""
    folder = place / "jobs" / "aurora"
    folder.mkdir(parents=True)
    first, second = people(2)
    write_sheet(folder / "payments.xlsx", [payment(first, "10,00"), payment(second, "20,00")])
    return declare(folder / "job.yaml")


class House(NamedTuple):
    """A desk with its job, its service, and the two people it takes."""

    job: Path
    page: str
    service: Oracle
    ana: Browser
    bia: Browser


@pytest.fixture(scope="module")
def lasting_house(tmp_path_factory: pytest.TempPathFactory) -> Iterator[House]:
    """A house whose desk stays open for all tests of a module, which only look at what was paid there."""
    place = tmp_path_factory.mktemp("house")
    job, limits = write_job(place), DeskSettings(uploads=place / "home" / "uploads", upload_limit_bytes=1_000_000)
    with pytest.MonkeyPatch.context() as patch:
        set_environment(patch, place)
        with opened_service(patch) as service, opened_desk(read_settings(), place / "jobs", RunsHere()) as desk:
            with open_ledger_of(read_settings()) as ledger:
                ledger.desk_users.add("Ana Lima", {Role.PREPARER}, hashed())
                ledger.desk_users.add("Bia Reis", {Role.APPROVER}, hashed())
            ana, bia = Browser(desk, limits), Browser(desk, limits)
            ana.sign_in("Ana Lima")
            bia.sign_in("Bia Reis")
            (line,) = desk.jobs.list()
            yield House(job, f"/jobs/{line.token}", service, ana, bia)


@pytest.fixture
def environment(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    set_environment(monkeypatch, tmp_path)
    return tmp_path


@pytest.fixture
def service(environment: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Oracle]:
    with opened_service(monkeypatch) as oracle:
        yield oracle


@pytest.fixture
def job(environment: Path) -> Path:
    return write_job(environment)


@pytest.fixture
def clock() -> MovingClock:
    return MovingClock()


@pytest.fixture
def launcher() -> RunsHere:
    return RunsHere()


@pytest.fixture
def settings(environment: Path) -> DeskSettings:
    return DeskSettings(uploads=environment / "home" / "uploads", upload_limit_bytes=1_000_000)


@pytest.fixture
def desk(environment: Path, job: Path, clock: MovingClock, launcher: RunsHere) -> Iterator[Desk]:
    """Everything behind the desk, but no service: looking needs none."""
    with opened_desk(read_settings(), job.parent.parent, launcher, clock.as_clock()) as opened:
        yield opened


@pytest.fixture
def add(environment: Path) -> Callable[..., None]:
    """Let somebody sign in."""

    def user(name: str, *roles: Role) -> None:
        with open_ledger_of(read_settings()) as ledger:
            ledger.desk_users.add(name, roles or ALL_ROLES, hashed())

    return user


@pytest.fixture
def browser(desk: Desk, settings: DeskSettings) -> Browser:
    """A browser nobody has signed in with."""
    return Browser(desk, settings)


@pytest.fixture
def at_desk(desk: Desk, settings: DeskSettings, add: Callable[..., None]) -> Callable[..., Browser]:
    """Somebody signed in."""

    def open_one(name: str, *roles: Role) -> Browser:
        add(name, *roles)
        one = Browser(desk, settings)
        one.sign_in(name)
        return one

    return open_one


@pytest.fixture
def ana(at_desk: Callable[..., Browser]) -> Browser:
    return at_desk("Ana Lima", Role.PREPARER)


@pytest.fixture
def bia(at_desk: Callable[..., Browser]) -> Browser:
    return at_desk("Bia Reis", Role.APPROVER)


@pytest.fixture
def caio(at_desk: Callable[..., Browser]) -> Browser:
    return at_desk("Caio Nunes", Role.RESOLVER)


@pytest.fixture
def admin(at_desk: Callable[..., Browser]) -> Browser:
    """Somebody who may do anything."""
    return at_desk("Ana Lima")


@pytest.fixture
def the_job(desk: Desk) -> str:
    """The page of the only job."""
    (line,) = desk.jobs.list()
    return f"/jobs/{line.token}"


@pytest.fixture
def plan(ana: Browser, bia: Browser, the_job: str, service: Oracle) -> str:
    """The page of a plan that Ana has prepared."""
    return plan_of(bia, prepare(ana, the_job))


@pytest.fixture
def in_doubt(bia: Browser, plan: str, service: Oracle) -> Submission:
    """A submission whose answer was lost and which the service's list does not show."""
    service.plant(CREATE, "reset", when="before")
    bia.post(f"{plan}/approve", at=plan, total="30,00")
    with open_ledger_of(read_settings()) as ledger:
        (submission,) = ledger.submissions.list()
    assert submission.state is SubmissionState.IN_DOUBT
    return submission
