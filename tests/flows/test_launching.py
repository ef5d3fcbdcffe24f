"""Runs that are started from elsewhere: once for each occasion, and with a word when they cannot be."""

import socket
from collections.abc import Callable
from contextlib import closing

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.desk.hooks import SettleBell
from flows.launch import ChildLauncher, launcher_for
from flows.prefect_ui.deployments import DeploymentLauncher, deploy
from flows.run_options import RunOptions
from flows.settings import read_settings
from schemas.errors import ConfigurationError, NotLaunched
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import Label, summary_of
from tests.flows.oracle import Oracle

(ANA,) = people(1)
Eventually = Callable[[Callable[[], bool]], None]
pytestmark = pytest.mark.long


def test_without_prefect_a_child_process_pays_and_the_same_key_starts_no_other(
    label: Label, service: Oracle, eventually: Eventually
):
    label.declare(approval={"above": "1000.00"})
    label.payments(payment(ANA, "10,00"))
    launcher = launcher_for(read_settings())
    assert isinstance(launcher, ChildLauncher)
    for _ in range(3):
        launcher.payout(label.job, RunOptions(by="ana"), key="approval 1")
    eventually(lambda: bool(finished(label)))
    assert service.paid == [1000]
    assert [(run.prepared_by, run.state) for run in finished(label)] == [("ana", "done")]


def finished(label: Label) -> list:
    with label.ledger() as ledger:
        return [run for run in ledger.runs.list() if run.exit_code is not None]


def test_a_prefect_that_does_not_answer_is_a_word_and_not_a_fault(label: Label, monkeypatch: pytest.MonkeyPatch):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        address = f"http://127.0.0.1:{nobody.getsockname()[1]}/api"
        monkeypatch.setenv("PREFECT_API_URL", address)
        launcher = launcher_for(read_settings())
        assert isinstance(launcher, DeploymentLauncher)
        # This process may have read Prefect's settings before.
        with temporary_settings({PREFECT_API_URL: address}):
            with pytest.raises(NotLaunched, match="does not answer"):
                launcher.settle(key="delivery 1")
            refused = label.ask("run", label.job, code=10)
        assert "nothing was begun" in refused["error"]


@pytest.mark.parametrize("url", [None, "http://127.0.0.1:9/api"])
def test_a_server_that_is_not_there_is_not_set_up_and_none_is_started_in_its_place(url: str | None):
    with temporary_settings({PREFECT_API_URL: url}), pytest.raises(ConfigurationError, match="PREFECT_API_URL"):
        deploy()


def test_a_child_that_is_kept_ready_takes_the_run_and_another_takes_its_place(
    label: Label, service: Oracle, eventually: Eventually
):
    label.declare(approval={"above": "1000.00"})
    label.payments(payment(ANA, "10,00"))
    with closing(ChildLauncher(read_settings(), warm=True)) as launcher:
        assert launcher.wait_until_warm()
        ready = launcher._ready
        for _ in range(2):
            launcher.payout(label.job, RunOptions(by="ana"), key="approval 1")
        eventually(lambda: bool(finished(label)))
        assert ready.wait(60) == 0, "the very process that was ready has run it"
        assert launcher.wait_until_warm()
        assert launcher._ready.pid != ready.pid
        waiting = launcher._ready
    assert service.paid == [1000]
    assert waiting.wait(60) == 0, "nobody is left waiting"


def test_a_child_that_died_while_it_waited_keeps_no_run_from_starting(
    label: Label, service: Oracle, eventually: Eventually
):
    label.declare(approval={"above": "1000.00"})
    label.payments(payment(ANA, "10,00"))
    with closing(ChildLauncher(read_settings(), warm=True)) as launcher:
        launcher.wait_until_warm()
        launcher._ready.kill()
        launcher._ready.wait(60)
        launcher.payout(label.job, RunOptions(by="ana"), key="approval 1")
        eventually(lambda: bool(finished(label)))
    assert service.paid == [1000]


def test_the_desk_starts_runs_itself_where_it_is_told_to_though_prefect_is_there(label: Label, monkeypatch):
    monkeypatch.setenv("PREFECT_API_URL", "http://127.0.0.1:1/api")
    assert launcher_for(read_settings()).is_queued
    monkeypatch.setenv("REPASSE_LAUNCH", "here")
    assert not launcher_for(read_settings()).is_queued


def test_what_the_service_rings_for_is_settled_by_a_child_process(
    label: Label, service: Oracle, eventually: Eventually
):
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.declare(settle={"every_s": "0.1", "for_s": "0.1"}, approval={"above": "1000.00"})
    label.payments(payment(ANA, "10,00"))
    report = label.run()
    assert places(summary_of(report)) == {"processing": 1000}
    service.force(status="DONE")
    with SettleBell(ChildLauncher(read_settings())) as bell:
        bell.ring()
        eventually(lambda: places(summary_of(report)) == {"paid": 1000})
