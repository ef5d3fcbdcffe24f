"""The service has no idempotency key: a lost answer is looked up, and never a reason to send again."""

import pytest

from schemas.exit_codes import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of
from tests.flows.moments import At
from tests.flows.oracle import CREATE, LIST

ANA, BIA = people(2)
LOST = ["drop", "cut", "status", "garbage", "redirect"]


@pytest.fixture
def one(label):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


@pytest.fixture
def each_alone(label):
    """Seven payments, each in a report of its own."""
    label.declare(rules={"max_payments_per_batch": 1})
    label.payments(*(payment(who, "10,00") for who in people(7)))
    return label


@pytest.mark.parametrize("kind", LOST)
def test_a_report_whose_answer_was_lost_is_found_in_the_list_and_followed_to_its_end(one, service, kind):
    service.plant(CREATE, kind, when="after")
    report = one.run()
    assert report.exit_code == ExitCode.DONE
    assert service.posts == 1
    assert places(summary_of(report)) == {"paid": 3000}


@pytest.mark.parametrize("kind", ["drop", "status", "redirect"])
def test_a_report_that_is_not_in_the_list_stays_in_doubt_and_is_never_sent_again(one, service, kind):
    service.plant(CREATE, kind, when="before")
    first, second = one.run(), one.run()
    assert (first.exit_code, second.exit_code) == (ExitCode.IN_DOUBT, ExitCode.IN_DOUBT)
    assert service.posts == 1
    assert service.paid == []
    for report in (first, second):
        assert places(summary_of(report)) == {"in_doubt": 3000}
    (batch,) = summary_of(first)["batches"]
    assert batch["outcome"] == "in_doubt"


@pytest.mark.parametrize("status", [401, 404, 422, 503])
def test_a_status_that_is_not_the_documented_refusal_proves_nothing(one, service, status):
    service.plant(CREATE, "status", when="before", status=status, body={"detail": "no"})
    assert one.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 1


def test_what_is_in_doubt_shows_in_the_status_until_it_is_found(one, service, eventually):
    service.plant(CREATE, "late", seconds=0.5)
    assert one.run().exit_code == ExitCode.IN_DOUBT
    status = one.ask("status", code=22)
    assert [waiting["amount_cents"] for waiting in status["in_doubt"]] == [3000]
    eventually(lambda: bool(service.reports))
    one.say("settle")
    assert one.ask("status")["in_doubt"] == []
    assert service.posts == 1


def test_an_answer_later_than_the_deadline_is_a_lost_one(one, service, eventually, monkeypatch):
    monkeypatch.setenv("REPASSE_TIMEOUT_S", "0.5")
    service.plant(CREATE, "hang", when="before", seconds=1.5)
    report = one.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    eventually(lambda: bool(service.reports))
    one.say("settle")
    assert service.posts == 1
    assert places(summary_of(report)) == {"paid": 3000}


def test_an_answer_about_another_report_is_not_taken_for_ours(one, service):
    service.plant(CREATE, "wrong_report_id")
    assert one.run().exit_code in {ExitCode.FROZEN, ExitCode.IN_DOUBT}
    report = one.run()
    assert service.posts == 1
    assert service.paid == [1000, 2000]
    assert places(summary_of(report)) == {"duplicate": 3000}


def test_a_doubt_does_not_stop_the_other_reports(each_alone, service):
    service.plant(CREATE, "drop", when="before", call=2)
    report = each_alone.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    assert service.paid == [1000] * 6
    assert places(summary_of(report)) == {"paid": 6000, "in_doubt": 1000}


def test_five_lost_answers_in_a_row_stop_the_sending_and_the_next_run_goes_on(each_alone, service):
    service.plant(CREATE, "drop", when="before", times=None)
    report = each_alone.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    assert service.posts == 5
    assert places(summary_of(report)) == {"in_doubt": 5000, "planned": 2000}
    service.clear()
    report = each_alone.run(yes=False)
    assert report.exit_code == ExitCode.IN_DOUBT
    assert service.posts == 7
    assert places(summary_of(report)) == {"in_doubt": 5000, "paid": 2000}


def test_a_list_that_fails_after_a_doubt_stops_the_sending(each_alone, service):
    service.plant(CREATE, "drop", when="before")
    fault = At("send", lambda: service.plant(LIST, "status", when="before", status=400, times=None))
    assert each_alone.run(progress=fault).exit_code == ExitCode.IN_DOUBT
    assert service.posts == 1
    service.clear()
    assert each_alone.run(yes=False).exit_code == ExitCode.IN_DOUBT
    assert service.paid == [1000] * 6
    assert service.posts == 7
