"""A worker stands still while it sends, past its lease and its deadline; another run goes on, and then it wakes."""

import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from schemas.errors import ExitCode
from tests.crash import workers
from tests.crash.payday import Payday, check_books, opened_payday, wait_for
from tests.crash.workers import Moment

pytestmark = pytest.mark.crash

M = Moment
# On another machine: on its own, a process that stands still is seen to live, and keeps its lease.
AN_HOUR_LATER = 1.0  # past the lease of fifteen minutes, and past any deadline by more than five


@pytest.fixture
def payday(tmp_path: Path, new_ledger: Callable[[], str]) -> Iterator[Payday]:
    """Three batches of two payments."""
    with opened_payday(tmp_path, 6, per_batch=2, ledger_url=new_ledger()) as opened:
        yield opened


@pytest.mark.parametrize(
    ("moment", "after_the_other", "woken", "in_the_end", "sent_in_all"),
    [
        (M.AFTER_INTENT, "in_doubt", ExitCode.IN_DOUBT, "in_doubt", 2),  # the last look finds that it is too late
        (M.BEFORE_CONNECTING, "in_doubt", ExitCode.ANOTHER_RUN, "paid", 3),  # what no last look can see
        (M.BEFORE_OUTCOME, "paid", ExitCode.ANOTHER_RUN, "paid", 3),
    ],
    ids=lambda value: value.value if isinstance(value, Moment) else "",
)
def test_a_worker_woken_long_after_sends_its_batch_at_most_once_and_no_other(
    payday: Payday, moment: Moment, after_the_other: str, woken: ExitCode, in_the_end: str, sent_in_all: int
):
    frozen = payday.start(payday.job, workers.pay_and_freeze, moment, 2)
    wait_for(frozen.stands_still, "the worker stands still")
    other = payday.start(payday.job, workers.pay_later, AN_HOUR_LATER).ended()
    assert other == (ExitCode.IN_DOUBT if after_the_other == "in_doubt" else ExitCode.DONE)
    assert payday.states() == ["paid", after_the_other, "paid"]
    frozen.goes_on()
    assert frozen.ended() == woken
    last = payday.start(payday.job, workers.pay_later, AN_HOUR_LATER).ended()
    assert last == (ExitCode.IN_DOUBT if in_the_end == "in_doubt" else ExitCode.DONE)
    assert payday.states() == ["paid", in_the_end, "paid"]
    assert payday.posts() == sent_in_all
    check_books(payday)


def test_a_worker_that_sleeps_past_its_deadline_with_nobody_else_at_work_sends_nothing_late(
    tmp_path: Path, new_ledger: Callable[[], str]
):
    with opened_payday(tmp_path, 3, per_batch=1, timeout_s=0.4, ledger_url=new_ledger()) as payday:
        frozen = payday.start(payday.job, workers.pay_and_freeze, M.AFTER_INTENT, 2)
        wait_for(frozen.stands_still, "the worker stands still")
        wait_for(lambda: payday.posts() == 1, "the first batch is sent")
        time.sleep(0.6)
        frozen.goes_on()
        assert frozen.ended() == ExitCode.NOT_SENT
        assert payday.posts() == 1
        assert payday.pay() == ExitCode.DONE
        assert payday.states() == ["paid"] * 3
        assert payday.posts() == 3
        check_books(payday)
