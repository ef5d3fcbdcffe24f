"""The service may say when something moves. We look, and believe what we see: never what was said."""

import threading
import time

import pytest

from flows.desk.hooks import SettleBell
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.errors import ConfigurationError, NotLaunched, RepasseError
from schemas.messages import Message
from tests.flows.desk.test_routes import changes_of

TOKEN = "a" * 32
HOOK = f"/hooks/{TOKEN}"


class Settles:
    """A launcher that counts what it is asked for."""

    is_queued = False

    def __init__(self, failure: RepasseError | None = None) -> None:
        self.keys, self.failure, self.rung = [], failure, threading.Event()

    def settle(self, *, key: str) -> None:
        self.keys.append(key)
        self.rung.set()
        if self.failure:
            raise self.failure

    def payout(self, *_: object, **__: object) -> None:
        raise AssertionError("a webhook never pays")

    def close(self) -> None:
        pass


@pytest.fixture
def launcher():
    """In place of the desk's launcher."""
    return Settles()


@pytest.fixture
def registered(environment):
    """The address, which the service was given."""
    with open_ledger_of(read_settings()) as ledger:
        return ledger.webhooks.begin("https://desk.example", TOKEN)


@pytest.mark.parametrize("body", [b"", b"{", b'{"status": "DONE", "paidAmount": 30}', b"x" * 1_000_000])
def test_a_delivery_polls_whatever_it_says_and_changes_nothing_itself(browser, desk, launcher, registered, body):
    before = changes_of(desk)
    answer = browser.http.post(HOOK, content=body, headers={"Origin": "https://elsewhere.example"})
    assert (answer.status_code, answer.content) == (204, b"")
    assert launcher.rung.wait(60)
    assert changes_of(desk) == before


@pytest.mark.parametrize("path", ["/hooks/x", f"/hooks/{TOKEN[:-1]}", f"/hooks/{TOKEN}b", "/hooks/%00"])
def test_an_address_that_nobody_registered_answers_the_same_and_polls_nothing(browser, launcher, registered, path):
    assert browser.http.post(path).status_code in {204, 404, 405}
    assert launcher.keys == []


def test_a_retired_address_polls_nothing(browser, launcher, registered):
    with open_ledger_of(read_settings()) as ledger:
        ledger.webhooks.retire(registered)
    assert browser.http.post(HOOK).status_code == 204
    assert launcher.keys == []


def test_a_body_that_never_comes_is_not_waited_for(browser, launcher, registered):
    browser.http.post(HOOK, content=iter([b"x"] * 3))
    assert launcher.rung.wait(60)


def test_a_thousand_deliveries_are_one_poll_now_and_one_a_minute_later():
    launcher = Settles()
    with SettleBell(launcher, every_s=60) as bell:
        for _ in range(1000):
            bell.ring()
        assert launcher.rung.wait(60)
        for _ in range(1000):
            bell.ring()
        assert len(launcher.keys) == 1
        assert 0 < bell._waiting.interval <= 60, "what came since is served when the minute is over"


@pytest.mark.parametrize("kind", [NotLaunched, ConfigurationError])
def test_what_came_during_a_poll_is_looked_at_afterwards_even_if_a_poll_cannot_start(capsys, kind):
    launcher = Settles(kind(Message("error.prefect_down")))
    with SettleBell(launcher, every_s=0.2) as bell:
        bell.ring()
        assert launcher.rung.wait(60)
        launcher.rung.clear()
        while not launcher.rung.is_set():  # the first start has failed by now, and the bell goes on
            bell.ring()
            time.sleep(0.01)
    assert len(set(launcher.keys)) == len(launcher.keys) >= 2
    told = ""
    while "Prefect" not in told:  # by the thread that failed, which may be slower than the next ring
        told += capsys.readouterr().err
        time.sleep(0.01)
