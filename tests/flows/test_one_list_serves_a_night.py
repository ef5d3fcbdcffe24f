"""However many reports of however many jobs are open, one look asks the service for one list."""

import pytest

from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.oracle import CREATE, LIST

GET = "GET /split/{split_id}/get"
STATUSES = 6
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
AT_ONCE = {"processing_after_s": 0, "done_after_s": 0}
PEOPLE = people(24)
pytestmark = pytest.mark.long


@pytest.fixture
def jobs(label, service, tmp_path):
    """Two jobs, each with twelve reports that the service is working on."""
    service.behave(**SLOW)
    both = [label, Label(tmp_path / "another")]
    for number, each in enumerate(both):
        each.declare(job=f"job-{number}", rules={"max_payments_per_batch": 1}, settle={"every_s": "0.1", "for_s": "0"})
        each.payments(*(payment(who, "10,00") for who in PEOPLE[number * 12 : number * 12 + 12]))
        each.run()
    assert len(service.reports) == 24
    return both


def asked_by(service, label, code=0):
    """Settle all jobs; returns how many lists and single reports that asked for."""
    lists, gets = service.calls(LIST), service.calls(GET)
    label.say("settle", code=code)
    return service.calls(LIST) - lists, service.calls(GET) - gets


def states(label):
    with label.ledger() as ledger:
        return {submission.state.value for submission in ledger.submissions.list(bodies=False)}


def test_one_list_and_nothing_else_is_asked_for(jobs, service):
    assert asked_by(service, jobs[0], code=23) == (1, 0)
    service.behave(**AT_ONCE)
    assert asked_by(service, jobs[0]) == (1, 0)
    assert states(jobs[0]) == {"paid"}
    assert service.posts == 24


def test_a_report_the_list_does_not_show_is_asked_for_by_its_id_before_any_alarm(jobs, service):
    service.behave(**AT_ONCE, listing_delay_s=3600)
    lists, gets = asked_by(service, jobs[0])
    assert states(jobs[0]) == {"paid"}
    # Where that many are missing, asking by status as well is less than asking for each.
    assert (lists, gets) == (1 + 1 + STATUSES, 24)


def test_only_what_the_service_no_longer_has_raises_an_alarm(jobs, service):
    service.behave(**AT_ONCE)
    service.force(vanished=True)
    assert asked_by(service, jobs[0], code=40) == (1, 1)
    assert states(jobs[0]) == {"paid", "processing"}


def test_a_doubt_is_looked_for_in_every_way_there_is(label, service):
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    service.plant(CREATE, "drop", when="before")
    label.payments(payment(PEOPLE[0], "10,00"))
    assert label.run().exit_code == 22
    assert asked_by(service, label, code=22) == (1 + STATUSES, 0)
