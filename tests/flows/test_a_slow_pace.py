"""A job may ask for a slow pace, slower than a payment's own time limit: it takes longer, and everything is paid."""

import pytest

from flows.house_ledger import utc_now
from flows.run import SYSTEM_CLOCK, Clock, QuietProgress, Run
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import PAYOUT, opened_run, walk
from flows.settings import read_settings
from schemas.errors import ExitCode
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.oracle import RATE

ANA, BIA = people(2)
ABROAD = {"currency": "USD", "foreign_currency": {"rate": "5.4312"}}


class Patience:
    """A clock whose pauses take no time, and count all the same."""

    def __init__(self) -> None:
        self.waited_s = 0.0

    def sleep(self, seconds: float) -> None:
        self.waited_s += seconds

    def clock(self) -> Clock:
        return Clock(utc_now, lambda: SYSTEM_CLOCK.monotonic_s() + self.waited_s, self.sleep)


def pay(label: Label, clock: Clock) -> Run:
    order = read_run_request(label.job, RunOptions(yes=True, by="ana"))
    with opened_run(PAYOUT.name, order, read_settings({"REPASSE_TIMEOUT_S": "20"}), QuietProgress(), clock) as run:
        walk(PAYOUT, run)
    return run


@pytest.mark.parametrize("currency", [{}, ABROAD], ids=["at home", "abroad"])
def test_a_pace_slower_than_the_time_of_one_payment_delays_payments_and_hinders_none(label, service, currency):
    label.declare(**currency, service={"requests_per_s": "0.01"}, rules={"max_payments_per_batch": 1})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    patience = Patience()
    run = pay(label, patience.clock())
    assert run.exit_code == ExitCode.DONE, run.messages
    assert patience.waited_s > 200
    assert service.paid == [1000, 2000]
    assert service.posts == 2
    assert service.calls(RATE) == (2 if currency else 0)
