"""Runs that are started from elsewhere: once for each occasion, and with a word when they cannot be."""

import socket
from collections.abc import Callable

import pytest
from prefect.settings import PREFECT_API_URL, temporary_settings

from flows.launchers import ChildLauncher, NotLaunched, launcher_for
from flows.prefect_ui.deployments import DeploymentLauncher
from flows.settings import read_settings
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.oracle import Oracle

(ANA,) = people(1)
Eventually = Callable[[Callable[[], bool]], None]


def test_without_prefect_a_child_process_pays_and_the_same_key_starts_no_other(
    label: Label, service: Oracle, eventually: Eventually
):
    label.declare(approval={"above": "1000.00"})
    label.payments(payment(ANA, "10,00"))
    launcher = launcher_for(read_settings())
    assert isinstance(launcher, ChildLauncher)
    for _ in range(3):
        launcher.payout(label.job, by="ana", key="approval 1")
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
