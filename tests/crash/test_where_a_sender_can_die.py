"""A sender dies at each step of sending one batch; the next run knows what to do, and nothing is sent twice."""

import os
import signal
from collections.abc import Iterator
from pathlib import Path

import pytest

from schemas.errors import ExitCode
from tests.crash.payday import Payday, check_books, opened_payday, wait_for
from tests.crash.workers import DIED, Moment

pytestmark = pytest.mark.crash

M = Moment
DOUBTFUL = ["paid", "in_doubt", "paid"]
PAID = ["paid", "paid", "paid"]


@pytest.fixture
def payday(tmp_path: Path) -> Iterator[Payday]:
    """Three batches of two payments."""
    with opened_payday(tmp_path, 6, per_batch=2) as opened:
        yield opened


@pytest.mark.parametrize(
    ("moment", "sent_before", "states", "sent_in_all", "exit_code"),
    [
        (M.BEFORE_INTENT, 1, PAID, 3, ExitCode.DONE),
        (M.AFTER_INTENT, 1, DOUBTFUL, 2, ExitCode.IN_DOUBT),
        (M.BEFORE_CONNECTING, 1, DOUBTFUL, 2, ExitCode.IN_DOUBT),
        (M.BEFORE_OUTCOME, 2, PAID, 3, ExitCode.DONE),
        (M.AFTER_OUTCOME, 2, PAID, 3, ExitCode.DONE),
    ],
    ids=lambda value: value.value if isinstance(value, Moment) else "",
)
def test_a_batch_whose_sender_died_is_sent_at_most_once(  # the table above is the promise
    payday: Payday, moment: Moment, sent_before: int, states: list[str], sent_in_all: int, exit_code: ExitCode
):
    assert payday.pay_and_die(moment, batch=2) == DIED
    assert payday.posts() == sent_before
    for _ in range(3):
        assert payday.pay() == exit_code
        assert payday.states() == states
        assert payday.posts() == sent_in_all
    check_books(payday)


@pytest.mark.parametrize("ends_by", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT], ids=lambda one: one.name)
def test_a_sender_that_ends_while_it_waits_for_the_answer_leaves_a_report_that_is_found(
    payday: Payday, ends_by: signal.Signals
):
    payday.plant("POST /split", "hang", when="after", seconds=30)
    worker = payday.start()
    wait_for(lambda: len(payday.audit()["creates"]) == 1, "the report is created")
    os.kill(worker.process.pid, ends_by)
    assert worker.ended() != ExitCode.DONE
    assert payday.pay() == ExitCode.DONE
    assert payday.states() == PAID
    assert payday.posts() == 3
    check_books(payday)


def test_a_report_that_comes_into_being_after_its_sender_was_killed_is_found_later_and_never_sent_again(
    payday: Payday,
):
    payday.plant("POST /split", "hang", when="before", seconds=10)
    worker = payday.start()
    wait_for(lambda: payday.posts() == 1, "the request arrives")
    worker.process.kill()
    assert worker.ended() == -signal.SIGKILL
    assert payday.pay() == ExitCode.IN_DOUBT
    assert payday.states() == ["in_doubt", "paid", "paid"]
    wait_for(lambda: len(payday.audit()["creates"]) == 3, "the late report is created")
    assert payday.pay() == ExitCode.DONE
    assert payday.states() == PAID
    assert payday.posts() == 3
    check_books(payday)
