"""Prefect starts a flow again, forgets that it did, or starts it twice: people are paid once all the same."""

import os
import socket
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from prefect import flow
from prefect.events.worker import EventsWorker
from prefect.settings import PREFECT_API_URL, PREFECT_SERVER_DATABASE_CONNECTION_URL, temporary_settings

from flows.payout import payout
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.errors import ExitCode
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND, Label
from tests.flows.oracle import CREATE, LIST, Oracle

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]

ANA, BIA, CAIO = people(3)
PAID = [1000, 2000, 3000]


@pytest.fixture
def service() -> Iterator[Oracle]:
    with EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0)) as sandbox:
        oracle = Oracle(sandbox)
        yield oracle
        oracle.close()


@pytest.fixture
def three(tmp_path: Path, service: Oracle, monkeypatch: pytest.MonkeyPatch) -> Label:
    """Three payments in three reports; no answer is waited for longer than a second."""
    for name in [name for name in os.environ if name.startswith("REPASSE_")]:
        monkeypatch.delenv(name)
    monkeypatch.setenv("REPASSE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("REPASSE_API_URL", service.url)
    monkeypatch.setenv("REPASSE_API_KEY", service.api_key)
    monkeypatch.setenv("REPASSE_TIMEOUT_S", "2")
    monkeypatch.setenv("REPASSE_JOBS", str(tmp_path))
    label = Label(tmp_path / "job")
    label.declare(rules={"max_payments_per_batch": 1})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    return label


SOMEBODY_ELSES_FLOW = """
from prefect import flow, task
tries = []
@task
def falls():
    tries.append("task")
    raise RuntimeError
@flow
def around():
    tries.append("flow")
    falls()
around(return_state=True)
print(tries.count("flow"), tries.count("task"))
"""


def test_an_environment_that_retries_by_default_retries_nothing_of_ours(three: Label, service: Oracle):
    """The control: somebody else's flow, with whose decorators nothing is said, is tried again in that environment."""
    retries = {"PREFECT_FLOWS_DEFAULT_RETRIES": "1", "PREFECT_TASKS_DEFAULT_RETRIES": "1"}
    environment = os.environ | retries | {"PREFECT_API_URL": PREFECT_API_URL.value()}
    command = [COMMAND[0], "-c", SOMEBODY_ELSES_FLOW]
    others = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120, check=True)
    assert others.stdout.split() == ["2", "4"]
    service.plant(CREATE, "drop", when="before", call=2)
    ours = [*COMMAND, "run", str(three.job), "--yes"]
    ended = subprocess.run(ours, env=environment, capture_output=True, timeout=120, check=False)
    assert ended.returncode == ExitCode.IN_DOUBT
    with three.ledger() as ledger:
        assert len(ledger.runs.list()) == 1, "Prefect has tried once"
    assert len(service.paid) == 2
    assert service.posts == 3


@flow(name="insistent", retries=2, retry_delay_seconds=0)
def insistent(job: str) -> None:
    """Somebody else's flow around ours, that Prefect runs again for as long as ours fails."""
    payout.with_options(retries=2, retry_delay_seconds=0)(job, yes=True)


def test_a_flow_that_is_retried_after_lost_answers_looks_for_the_report_and_sends_no_other(
    three: Label, service: Oracle
):
    service.plant(CREATE, "drop", when="after", call=2)
    service.plant(LIST, "status", call=8, times=3)  # the look after the doubt fails, too: the first try ends there
    assert insistent(str(three.job), return_state=True).is_completed()
    assert service.calls(LIST) > 14, "Prefect has tried again"
    assert service.paid == PAID
    assert service.posts == 3


def test_a_flow_that_is_retried_never_sends_again_what_is_in_doubt(three: Label, service: Oracle):
    service.plant(CREATE, "drop", when="before", call=2)
    assert insistent(str(three.job), return_state=True).is_failed()
    with three.ledger() as ledger:
        assert len(ledger.runs.list()) == 3, "Prefect has tried three times"
    assert len(service.paid) == 2
    assert service.posts == 3


def test_a_prefect_whose_database_was_deleted_changes_nothing(three: Label, service: Oracle, tmp_path: Path):
    database = tmp_path / "prefect.db"
    with served_prefect(database):
        assert payout(str(three.job), yes=True, return_state=True).name == "Settled"
    for path in tmp_path.glob("prefect.db*"):
        path.unlink()
    with served_prefect(database):
        assert payout(str(three.job), yes=True, return_state=True).name == "NothingToPay"
    assert service.paid == PAID
    assert service.posts == 3


@contextmanager
def served_prefect(database: Path) -> Iterator[None]:
    """Serve Prefect over a database of its own."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    with temporary_settings({PREFECT_SERVER_DATABASE_CONNECTION_URL: f"sqlite+aiosqlite:///{database}"}):
        from prefect.server.api.server import SubprocessASGIServer  # a server's worth of imports

        server = SubprocessASGIServer(port=port)
        server.start(timeout=90)
        try:
            with temporary_settings({PREFECT_API_URL: server.api_url}):
                yield
        finally:
            EventsWorker.drain_all(timeout=30)  # else they are sent to a server that is gone, one by one
            server.stop()


def test_of_a_flow_started_twice_at_once_one_pays(three: Label, service: Oracle):
    service.plant(CREATE, "hang", seconds=1.0, times=None)
    environment = os.environ | {"PREFECT_API_URL": PREFECT_API_URL.value()}
    both = [
        subprocess.Popen(
            [*COMMAND, "run", str(three.job), "--yes"],
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        for _ in range(2)
    ]
    told = [process.communicate(timeout=120)[1] for process in both]
    ends = sorted(process.returncode for process in both)
    assert ends in ([ExitCode.DONE, ExitCode.ANOTHER_RUN], [ExitCode.DONE, ExitCode.DONE]), told
    assert service.paid == PAID
    assert service.posts == 3
