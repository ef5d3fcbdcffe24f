"""The wall clock jumps a day forth or back between any two steps: what is sent depends on states, never on time."""

import datetime as dt
from dataclasses import replace

import pytest

from flows.house_ledger import utc_now
from flows.run import SYSTEM_CLOCK, Clock, QuietProgress, Run
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, opened_run, walk
from flows.settings import read_settings
from io_adapters.ledger.leases import Owner
from schemas.errors import AnotherRun, ConfigurationError, ExitCode
from tests.flows.jobs import payment, people
from tests.flows.label import Label, digest_of
from tests.flows.moments import At, power_cut
from tests.flows.oracle import CREATE
from tests.stages import stages_of

ANA, BIA, CAIO = people(3)
DAY = dt.timedelta(days=1)
pytestmark = pytest.mark.long


class Wall:
    """A wall clock that can be set."""

    def __init__(self) -> None:
        self.off = dt.timedelta()

    def jump(self, by: dt.timedelta) -> None:
        self.off += by

    def clock(self) -> Clock:
        return replace(SYSTEM_CLOCK, now=lambda: utc_now() + self.off)


@pytest.fixture
def three(label: Label) -> Label:
    label.declare(rules={"max_payments_per_batch": 1})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    return label


def pay(label: Label, wall: Wall, progress: QuietProgress) -> Run:
    order = read_run_request(label.job, RunOptions(yes=True, by="ana"))
    with opened_run(PAYOUT.name, order, read_settings(), progress, wall.clock()) as run:
        walk(PAYOUT, run)
    return run


@pytest.mark.parametrize("days", [1, -1])
@pytest.mark.parametrize("stage", stages_of(PAYOUT)[:-1])
def test_a_jump_before_any_stage_changes_nothing_that_is_paid(three, service, stage, days):
    wall = Wall()
    assert pay(three, wall, At(stage, lambda: wall.jump(days * DAY))).exit_code == ExitCode.DONE
    wall.jump(2 * DAY)
    assert pay(three, wall, QuietProgress()).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]
    assert service.posts == 3


class JumpsAtEachBatch(QuietProgress):
    """The clock jumps whenever a batch has been sent, forth and back in turn."""

    def __init__(self, wall: Wall) -> None:
        super().__init__()
        self._wall = wall

    def advance(self, what: str, done: int, total: int) -> None:
        if what == "batches":
            self._wall.jump(DAY if done % 2 else -2 * DAY)


@pytest.mark.journey
def test_a_jump_between_two_batches_neither_sends_one_twice_nor_leaves_one_out(three, service):
    wall = Wall()
    assert pay(three, wall, JumpsAtEachBatch(wall)).exit_code == ExitCode.DONE
    wall.jump(3 * DAY)
    assert pay(three, wall, QuietProgress()).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]
    assert service.posts == 3


def test_a_doubt_outlives_a_jump_and_is_found_after_it(three, service):
    service.plant(CREATE, "drop", when="after", call=2)
    wall = Wall()
    with pytest.raises(KeyboardInterrupt):
        pay(three, wall, At("settle", power_cut))
    wall.jump(DAY)
    assert pay(three, wall, QuietProgress()).exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]
    assert service.posts == 3


def test_a_doubt_nothing_can_settle_is_not_sent_again_because_time_has_passed(three, service):
    service.plant(CREATE, "drop", when="before", call=2)
    wall = Wall()
    for _ in range(3):
        assert pay(three, wall, QuietProgress()).exit_code == ExitCode.IN_DOUBT
        wall.jump(DAY)
    assert len(service.paid) == 2
    assert service.posts == 3


# --- a clock that is behind -------------------------------------------------------------------------------------------


def test_nothing_begins_by_a_clock_that_is_behind_what_was_written_last(three, service):
    """An approval that had expired would count again."""
    digest = digest_of(three.run(yes=False))
    three.approve(digest, "60,00", "bia")
    wall = Wall()
    wall.jump(9 * DAY)
    with pytest.raises(KeyboardInterrupt):
        pay(three, wall, At("read", power_cut))
    wall.jump(-9 * DAY)
    with pytest.raises(ConfigurationError, match="doctor --accept-clock"):
        pay(three, wall, QuietProgress())
    assert service.posts == 0


def test_a_clock_that_was_ahead_is_put_right_on_a_persons_word(three, service):
    wall = Wall()
    wall.jump(400 * DAY)
    assert pay(three, wall, QuietProgress()).exit_code == ExitCode.DONE
    refused = three.ask("run", three.job, "--yes", code=10)
    assert "--accept-clock" in refused["error"]
    three.say("doctor", "--accept-clock", code=2)
    three.say("doctor", "--accept-clock", "--by", "Bia Prado")
    assert three.run().exit_code == ExitCode.DONE
    assert service.posts == 3


def test_a_clock_an_hour_ahead_takes_no_living_runs_place(three, service):
    with three.ledger() as ledger:
        ledger.leases.take("aurora", Owner.current("another-run"), 900)
    wall = Wall()
    wall.jump(dt.timedelta(hours=1))
    with pytest.raises(AnotherRun, match="another-run"):
        pay(three, wall, QuietProgress())
    assert service.posts == 0
