"""The service has no idempotency key: a lost answer is looked up, and never a reason to send again."""

import pytest

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of
from tests.flows.moments import At
from tests.flows.oracle import CHECK, CREATE, LIST

ANA, BIA = people(2)
LOST = ["drop", "cut", "status", "garbage", "redirect"]
pytestmark = pytest.mark.long


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


@pytest.mark.journey
@pytest.mark.parametrize("kind", LOST)
def test_a_report_whose_answer_was_lost_is_found_in_the_list_and_followed_to_its_end(one, service, kind):
    service.plant(CREATE, kind, when="after")
    report = one.run()
    assert report.exit_code == ExitCode.DONE
    assert service.posts == 1
    assert places(summary_of(report)) == {"paid": 3000}


@pytest.mark.journey
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


@pytest.mark.journey
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
    assert one.run().exit_code == ExitCode.DISCREPANCIES  # and the list shows ours, which is followed to its end
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


@pytest.fixture
def five_lost(each_alone, service):
    """Five of seven reports were lost on their way, one after another; two wait."""
    service.plant(CREATE, "drop", when="before", times=None)
    report = each_alone.run()
    assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 5)
    assert places(summary_of(report)) == {"in_doubt": 5000, "planned": 2000}
    service.clear()
    return each_alone


def test_five_doubts_stop_all_further_sending_of_whatever_run_and_job(five_lost, service):
    report = five_lost.run(yes=False)
    assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 5)
    assert places(summary_of(report)) == {"in_doubt": 5000, "planned": 2000}
    assert any("--one-more" in message for message in report.messages)
    five_lost.declare(job="another-job")
    five_lost.payments(payment(ANA, "30,00"))
    report = five_lost.run()
    assert (report.exit_code, service.posts) == (ExitCode.NOT_SENT, 5)
    assert any("5 envios estão em dúvida" in message for message in report.messages)
    assert service.paid == []


def test_doubts_of_several_runs_add_up(each_alone, service):
    service.plant(CREATE, "drop", when="before", times=3)
    three = each_alone.run()
    assert places(summary_of(three)) == {"in_doubt": 3000, "paid": 4000}
    extra = [payment(who, "20,00", "extra") for who in people(7)]
    each_alone.payments(*(payment(who, "10,00") for who in people(7)), *extra)
    service.plant(CREATE, "drop", when="before", times=None)
    assert each_alone.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 7 + 2
    service.clear()
    each_alone.run(yes=False)
    assert service.posts == 7 + 2


def test_a_person_may_send_one_batch_more_to_see_whether_the_service_takes_them_again(five_lost, service):
    report = five_lost.run(yes=False, one_more=True)
    assert (report.exit_code, service.posts, service.paid) == (ExitCode.IN_DOUBT, 6, [1000])
    assert places(summary_of(report)) == {"in_doubt": 5000, "paid": 1000, "planned": 1000}
    assert five_lost.run(yes=False).exit_code == ExitCode.IN_DOUBT
    assert service.posts == 6


def test_once_a_doubt_is_settled_the_rest_goes(each_alone, service, eventually):
    service.plant(CREATE, "late", seconds=2.0, times=5)
    assert each_alone.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 5
    eventually(lambda: len(service.reports) == 5)
    report = each_alone.run(yes=False)
    assert (report.exit_code, service.posts) == (ExitCode.DONE, 7)
    assert service.paid == [1000] * 7


@pytest.mark.parametrize("status", [401, 403, 404, 405, 413, 429])
def test_an_answer_that_every_batch_would_get_stops_all_runs_at_the_first(each_alone, service, status):
    """Each batch sent after it would be one more doubt, for two people and a day."""
    service.plant(CREATE, "status", when="before", status=status, body={"detail": "no"}, times=None)
    report = each_alone.run()
    assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 1)
    assert places(summary_of(report)) == {"in_doubt": 1000, "planned": 6000}
    for _ in range(3):
        report = each_alone.run(yes=False)
        assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 1)
        assert any("--one-more" in message for message in report.messages)
    report = each_alone.run(yes=False, one_more=True)
    assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 2)
    service.clear()
    assert each_alone.run(yes=False).exit_code == ExitCode.IN_DOUBT
    assert service.posts == 2
    report = each_alone.run(yes=False, one_more=True)
    assert (report.exit_code, service.posts) == (ExitCode.IN_DOUBT, 7)
    assert places(summary_of(report)) == {"in_doubt": 2000, "paid": 5000}
    each_alone.declare(job="another-job")
    each_alone.payments(payment(ANA, "30,00"))
    each_alone.run()
    assert service.paid[-1] == 3000


def test_no_account_is_checked_for_money_once_the_service_has_refused_to_go_on(each_alone, service):
    service.plant(CREATE, "status", when="before", status=401, times=None)
    each_alone.run()
    each_alone.declare(rules={"max_payments_per_batch": 1}, account_checks={"when": "new_or_changed", "fee": "0.35"})
    assert each_alone.run(yes=False).exit_code == ExitCode.IN_DOUBT
    assert (service.posts, service.calls(CHECK)) == (1, 0)


def test_statuses_of_which_the_provider_says_that_they_refuse_leave_no_doubt(each_alone, service, monkeypatch):
    monkeypatch.setenv("REPASSE_ASSUME_REFUSING_STATUSES", "401, 503")
    service.plant(CREATE, "status", when="before", status=401)
    report = each_alone.run()
    assert (report.exit_code, service.posts) == (ExitCode.REFUSED, 1)
    assert places(summary_of(report)) == {"refused": 1000, "planned": 6000}
    report = each_alone.run()
    assert (report.exit_code, service.paid) == (ExitCode.DONE, [1000] * 7)
    assert service.posts == 8


def test_a_refusing_status_that_speaks_of_the_report_s_id_leaves_the_doubt(one, service, monkeypatch):
    monkeypatch.setenv("REPASSE_ASSUME_REFUSING_STATUSES", "409")
    service.plant(CREATE, "status", when="before", status=409, body={"error": "report_id already exists"})
    assert one.run().exit_code == ExitCode.IN_DOUBT
    assert one.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 1


def test_a_list_that_fails_after_a_doubt_stops_the_sending(each_alone, service):
    service.plant(CREATE, "drop", when="before")
    fault = At("send", lambda: service.plant(LIST, "status", when="before", status=400, times=None))
    assert each_alone.run(progress=fault).exit_code == ExitCode.IN_DOUBT
    assert service.posts == 1
    service.clear()
    assert each_alone.run(yes=False).exit_code == ExitCode.IN_DOUBT
    assert service.paid == [1000] * 6
    assert service.posts == 7
