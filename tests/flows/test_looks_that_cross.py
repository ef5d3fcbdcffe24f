"""Two programs look at the same reports at once; the one whose list is older by the time it is used alarms nobody."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from flows.intake.read import read
from flows.payables.draft import draft
from flows.reports.report_list import compare_reports, fetch_reports
from flows.run import QuietProgress, Run
from flows.run_request import RunRequest, read_run_request
from flows.runner import SETTLE, Route, opened_run, walk
from flows.sending.recover import recover
from flows.settings import read_settings
from io_adapters.payout_api.client import SplitApi
from schemas.errors import ExitCode
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.oracle import CREATE

ANA, BIA = people(2)
pytestmark = pytest.mark.long


class Overtaken:
    """The service's client, with something that happens once between a list and its use."""

    def __init__(self, real: SplitApi, call: str, what: Callable[[], object]) -> None:
        self._real = real
        self._call = call
        self._what = [what]

    def __getattr__(self, name: str) -> Any:
        real = getattr(self._real, name)
        if name != self._call or not self._what:
            return real

        def then(*given: Any, **named: Any) -> Any:
            listed = real(*given, **named)
            while self._what:
                self._what.pop()()
            return listed

        return then


@pytest.fixture
def processing(label: Label, service) -> Label:
    """A report that the service is working on."""
    service.behave(done_after_s=1000)
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code == ExitCode.STILL_OPEN
    return label


def overtaken(route: Route, order: RunRequest | None, call: str, what: Callable[[], object]) -> Run:
    """Walk a route, and be overtaken after a call of the service."""
    with opened_run(route.name, order, read_settings(), QuietProgress()) as run:
        service = run.require_service()
        run.service = replace(service, api=Overtaken(service.api, call, what))
        walk(route, run)
    return run


ENDS = pytest.mark.parametrize(
    ("ends", "code", "state"),
    [
        ({"status": "DONE"}, ExitCode.DONE, "paid"),
        ({"status": "ERROR", "donePayments": 0, "paidAmount": 0}, ExitCode.DISCREPANCIES, "failed"),
    ],
    ids=["done", "error"],
)


@ENDS
def test_a_report_that_ended_while_an_older_list_was_read_has_not_gone_back(processing, service, ends, code, state):
    def another_settles():
        service.force(**ends)
        processing.say("settle", code=code)

    run = overtaken(SETTLE, None, "list_reports", another_settles)
    assert run.discrepancies == []
    with processing.ledger() as ledger:
        (submission,) = ledger.submissions.list(bodies=False)
        assert ledger.freeze.current() is None
    assert submission.state.value == state
    assert run.exit_code == code


@ENDS
def test_nor_has_one_that_ended_while_a_sender_read_its_list(processing, service, ends, code, state):
    def another_settles():
        service.force(**ends)
        processing.say("settle", code=code)

    until_the_list = Route("payout", lambda step: step(recover, step(draft, step(read))))
    run = overtaken(until_the_list, read_run_request(processing.job), "list_all_reports", another_settles)
    assert run.discrepancies == []
    assert run.codes == set()
    with processing.ledger() as ledger:
        assert [submission.state.value for submission in ledger.submissions.list(bodies=False)] == [state]
        assert ledger.freeze.current() is None


def test_a_report_that_two_programs_find_at_once_is_one_report(label, service, eventually):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    service.plant(CREATE, "late", seconds=0.5)
    assert label.run().exit_code == ExitCode.IN_DOUBT
    eventually(lambda: len(service.reports) == 1)
    with opened_run(SETTLE.name, None, read_settings(), QuietProgress()) as run:
        look = fetch_reports(run, run.require_service().api.list_all_reports)
        run.ledger.submissions = Overtaken(run.ledger.submissions, "list", lambda: label.say("settle"))
        compare_reports(run, look)
        assert run.ledger.freeze.current() is None
    assert service.posts == 1
    with label.ledger() as ledger:
        assert [submission.state.value for submission in ledger.submissions.list(bodies=False)] == ["paid"]
