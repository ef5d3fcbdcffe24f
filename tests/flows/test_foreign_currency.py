"""Reports in a foreign currency are paid once their rate is set: the approved rate, once, in doubt when unanswered."""

import os
import signal
import subprocess

import httpx
import pytest

from flows.acts.forms import DeclareAbsent
from flows.cli.acts import perform_here
from schemas.errors import ApprovalWanted, DecisionRefused, ExitCode
from schemas.exchange_update import ExchangeState
from schemas.messages import Message
from tests.flows.another_dialect import AnotherDialect
from tests.flows.books import places
from tests.flows.gate import Gate
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND, digest_of, summary_of
from tests.flows.moments import At, later, power_cut
from tests.flows.oracle import CREATE, RATE

X = ExchangeState
ANA, BIA, CAIO = people(3)
THREE = [(ANA, "10,00", ""), (BIA, "20,00", ""), (CAIO, "30,00", "sim")]
TERMS = {"rate": "5.4312", "order_id": "EX-1", "show_exchange_data": True}
SOON = {"every_s": "0.1", "for_s": "0.3"}  # a rate in doubt keeps a run waiting for as long as it may
DOLLARS = {"currency": "USD", "foreign_currency": TERMS, "settle": SOON}
REFUSAL = {"detail": [{"loc": ["body", "orderId"], "msg": "unknown order", "type": "value_error"}]}
pytestmark = pytest.mark.long


@pytest.fixture
def abroad(label):
    """Two payments in dollars."""
    label.declare(**DOLLARS)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label


@pytest.fixture
def each_alone(abroad):
    """Seven payments in dollars, each in a report of its own."""
    abroad.declare(**DOLLARS, rules={"max_payments_per_batch": 1})
    abroad.payments(*(payment(who, "10,00") for who in people(7)))
    return abroad


def update_of(label):
    with label.ledger() as ledger:
        return ledger.exchange_updates.list()[-1]


def state_of(label):
    return update_of(label).state


def name_of_report(label):
    return update_of(label).report_id


def exchange_of(report):
    (batch,) = summary_of(report)["batches"]
    return batch["exchange"]


@pytest.mark.journey
def test_dollars_are_paid_once_their_rate_is_set(abroad, service):
    service.behave(fee_rate="0.01", income_tax_rate="0.1")
    rows = [payment(who, amount, Reter=word) for who, amount, word in THREE]
    abroad.payments(*rows)
    report = abroad.run()
    assert report.exit_code == ExitCode.DONE
    summary = summary_of(report)
    assert summary["currency"] == "USD"
    assert places(summary) == {"paid": 2700, "income_tax": 300, "withheld": 3000}
    (created,) = service.reports
    assert created["currency"] == "USD"
    assert service.rates == [(created["split_id"], "5.4312")]
    update = update_of(abroad)
    assert exchange_of(report) == {
        "update_id": update.id, "currency": "USD", "rate": "5.4312", "order_id": "EX-1", "outcome": "accepted",
    }  # fmt: skip
    assert update.body == b'{"currency":"USD","orderId":"EX-1","rate":5.4312,"showExchangeData":true}'


def test_every_report_gets_the_rate_once_however_often_the_job_runs(each_alone, service):
    assert each_alone.run().exit_code == ExitCode.DONE
    each_alone.run()
    each_alone.say("settle")
    assert sorted(service.rates) == sorted((report["split_id"], "5.4312") for report in service.reports)
    assert len(service.rates) == service.calls(RATE) == 7


def test_reports_in_reais_are_given_no_rate(label, service):
    label.declare(foreign_currency=TERMS)
    label.payments(payment(ANA, "10,00"))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert "exchange" not in summary_of(report)["batches"][0]
    assert service.calls(RATE) == 0


def test_a_foreign_job_without_a_rate_is_refused_before_anything_is_read(label, service):
    label.declare(currency="USD")
    assert label.ask("run", label.job, code=10)["exit_code"] == 10
    assert service.posts == 0


def test_the_plan_and_the_call_for_approval_name_currency_and_rate(abroad):
    assert "1 USD = BRL 5.4312" in abroad.say("plan", abroad.job).output
    assert abroad.ask("plan", abroad.job)["exchange"] == {"currency": "USD", "rate": "5.4312", "order": "EX-1"}
    words = "\n".join(abroad.run(yes=False).messages)
    assert "USD 30,00" in words
    assert "1 USD = BRL 5.4312, ordem EX-1" in words


@pytest.mark.parametrize(
    "changed",
    [{"rate": "5.4313"}, {"order_id": "EX-2"}, {"show_exchange_data": False}],
    ids=lambda one: next(iter(one)),
)
def test_what_is_changed_before_the_approval_makes_another_plan(abroad, service, changed):
    before = digest_of(abroad.run(yes=False))
    abroad.declare(currency="USD", foreign_currency=TERMS | changed)
    after = digest_of(abroad.run(yes=False))
    assert after != before
    abroad.approve(after, "30,00", "bia")
    assert abroad.run(yes=False).exit_code == ExitCode.DONE
    assert [rate for _, rate in service.rates] == [changed.get("rate", "5.4312")]


def test_the_rate_of_a_report_that_was_sent_is_the_approved_one_whatever_the_job_says_by_then(abroad, service):
    with pytest.raises(KeyboardInterrupt):
        abroad.run(progress=At("exchange_rate", power_cut))
    abroad.declare(currency="USD", foreign_currency=TERMS | {"rate": "9.99"})
    assert abroad.run(yes=False).exit_code == ExitCode.DONE
    assert [rate for _, rate in service.rates] == ["5.4312"]
    assert service.posts == service.calls(RATE) == 1


def test_a_rate_that_changes_before_an_approved_report_was_sent_wants_a_new_yes(abroad, service):
    with pytest.raises(KeyboardInterrupt):
        abroad.run(progress=At("send", power_cut))
    abroad.declare(currency="USD", foreign_currency=TERMS | {"rate": "9.99"})
    anew = abroad.run(yes=False)
    assert anew.exit_code == ExitCode.APPROVAL_WANTED
    assert service.posts == 0
    abroad.approve(digest_of(anew), "30,00", "bia")
    assert abroad.run(yes=False).exit_code == ExitCode.DONE
    assert [rate for _, rate in service.rates] == ["9.99"]
    assert service.posts == service.calls(RATE) == 1


@pytest.mark.parametrize("kind", ["drop", "cut", "cut_head", "reset", "status", "garbage", "html", "redirect"])
def test_a_rate_whose_answer_was_lost_is_found_in_the_report(abroad, service, kind):
    service.plant(RATE, kind, when="after")
    report = abroad.run()
    assert report.exit_code == ExitCode.DONE
    assert places(summary_of(report)) == {"paid": 3000}
    assert service.calls(RATE) == len(service.rates) == 1


@pytest.mark.parametrize("kind", ["drop", "reset", "status", "garbage", "redirect"])
def test_a_rate_that_the_report_does_not_show_stays_in_doubt_and_is_never_sent_again(abroad, service, kind):
    service.plant(RATE, kind, when="before")
    first, second = abroad.run(), abroad.run()
    abroad.say("settle", code=22)
    assert (first.exit_code, second.exit_code) == (ExitCode.IN_DOUBT, ExitCode.IN_DOUBT)
    assert (service.calls(RATE), service.rates) == (1, [])
    assert places(summary_of(first)) == {"processing": 3000}
    assert exchange_of(first)["outcome"] == "in_doubt"
    (rate,) = abroad.ask("status", code=22)["exchange_rates"]
    assert (rate["state"], rate["rate"], rate["update_id"]) == ("in_doubt", "5.4312", update_of(abroad).id)


def test_a_rate_that_takes_effect_late_is_found_by_settle(abroad, service, eventually):
    service.plant(RATE, "late", seconds=0.5)
    report = abroad.run()
    assert report.exit_code in {ExitCode.IN_DOUBT, ExitCode.DONE}
    eventually(lambda: bool(service.rates))
    abroad.say("settle")
    assert places(summary_of(report)) == {"paid": 3000}
    assert service.calls(RATE) == 1


def test_a_success_without_a_word_is_believed_and_the_report_followed(abroad, service):
    service.plant(RATE, "empty", when="before")
    assert abroad.run().exit_code == ExitCode.STILL_OPEN
    assert state_of(abroad) is X.ACCEPTED
    abroad.say("settle", code=23)
    assert service.calls(RATE) == 1


@pytest.mark.parametrize("status", [401, 404, 409, 422, 500])
def test_a_status_that_is_not_the_documented_refusal_proves_nothing(abroad, service, status):
    service.plant(RATE, "status", when="before", status=status, body={"detail": "no"})
    assert abroad.run().exit_code == ExitCode.IN_DOUBT
    assert service.calls(RATE) == 1


@pytest.fixture
def refused(abroad, service):
    """A run whose rate the service refused."""
    service.plant(RATE, "status", when="before", status=422, body=REFUSAL)
    report = abroad.run()
    assert report.exit_code == ExitCode.REFUSED
    return report


def test_a_refused_rate_is_told_and_not_sent_again(abroad, service, refused):
    assert abroad.run().exit_code == ExitCode.REFUSED
    output = abroad.say("settle", code=20).output
    assert "body.orderId" in output
    assert "unknown order" not in output
    assert service.calls(RATE) == 1


def test_a_refused_rate_that_a_person_sets_in_the_service_is_noticed(abroad, service, refused):
    service.set_rate("5.4312")
    abroad.say("settle")
    assert places(summary_of(refused)) == {"paid": 3000}


def test_a_refused_rate_goes_again_on_two_peoples_word_once_the_cause_is_put_right(abroad, service, refused):
    absent(abroad, hours=0)
    assert service.rates == []
    abroad.say("settle")
    assert service.calls(RATE) == 2
    assert len(service.rates) == 1
    assert places(summary_of(refused)) == {"paid": 3000}


def test_no_connection_is_no_doubt_and_the_next_run_sends(abroad, service, monkeypatch):
    with Gate(httpx.URL(service.url).port) as gate:
        monkeypatch.setenv("REPASSE_API_URL", str(httpx.URL(service.url).copy_with(port=gate.port)))
        report = abroad.run(progress=At("exchange_rate", gate.shut))
        assert report.exit_code == ExitCode.NOT_SENT
        assert state_of(abroad) in {X.APPROVED, X.NOT_SENT}
        assert service.calls(RATE) == 0
        gate.open()
        abroad.say("settle")
    assert [rate for _, rate in service.rates] == ["5.4312"]
    assert places(summary_of(report)) == {"paid": 3000}


def hold(label):
    with label.ledger() as ledger:
        ledger.hold.put("Bia", "wait")


def freeze(label):
    with label.ledger() as ledger:
        ledger.freeze.put(Message("attempt.evidence", text="a second ledger"), ["abcdef"])


def test_a_report_found_without_an_id_waits_for_its_rate_and_stops_nothing_else(abroad, service, monkeypatch):
    with AnotherDialect(service.url) as dialect:
        dialect.hides_ids = True
        monkeypatch.setenv("REPASSE_API_URL", dialect.url)
        service.plant(CREATE, "status", when="after", status=502)
        assert abroad.run().exit_code not in {ExitCode.DONE, ExitCode.BUG}
        document = abroad.ask("settle", code=ExitCode.NOT_SENT)
        rated = ("exchange-rate", name_of_report(abroad), "--rate", "5.4312", "--by", "bia")
        assert "shows no report" in abroad.say(*rated, code=2).output
    assert "5.4312" in str(document["messages"])
    assert service.calls(RATE) == 0


def test_a_hold_stops_setting_rates_and_settle_sends_what_is_left_over(abroad, service):
    report = abroad.run(progress=At("exchange_rate", lambda: hold(abroad)))
    assert report.exit_code == ExitCode.NOT_SENT
    abroad.say("settle", code=21)
    assert service.calls(RATE) == 0
    abroad.say("release", "--by", "bia")
    abroad.say("settle")
    assert service.calls(RATE) == 1
    assert places(summary_of(report)) == {"paid": 3000}


def test_a_freeze_stops_setting_rates(abroad, service):
    report = abroad.run(progress=At("exchange_rate", lambda: freeze(abroad)))
    assert report.exit_code == ExitCode.FROZEN
    abroad.say("settle", code=31)
    assert service.calls(RATE) == 0


def test_a_frozen_settle_still_finds_what_was_in_doubt(abroad, service):
    service.plant(RATE, "drop", when="before")
    report = abroad.run()
    freeze(abroad)
    service.set_rate("5.4312")
    abroad.say("settle", code=31)
    assert state_of(abroad) is X.ACCEPTED
    assert places(summary_of(report)) == {"paid": 3000}


def test_a_rate_that_somebody_has_set_already_is_not_set_again(abroad, service):
    report = abroad.run(progress=At("exchange_rate", lambda: service.set_rate("5.43120")))
    assert report.exit_code == ExitCode.DONE
    assert len(service.rates) == 1
    assert exchange_of(report)["outcome"] == "accepted"


def test_another_rate_than_the_approved_one_is_for_people_and_nothing_is_sent(abroad, service):
    report = abroad.run(progress=At("exchange_rate", lambda: service.set_rate("5.50")))
    assert report.exit_code == ExitCode.DISCREPANCIES
    (found,) = [
        discrepancy for discrepancy in summary_of(report)["discrepancies"] if discrepancy["kind"] == "exchange_rate"
    ]
    assert (found["expected"], found["found"]) == ("5.4312 USD", "5.50 USD")
    abroad.say("settle", code=40)
    assert abroad.run().exit_code == ExitCode.DISCREPANCIES
    assert len(service.rates) == 1


def test_an_answer_that_shows_another_rate_stops_the_run(each_alone, service):
    service.plant(RATE, "status", when="after", status=200, body={"exchangeRate": 9})
    report = each_alone.run()
    assert report.exit_code == ExitCode.NOT_SENT  # the others were not, and that outranks the discrepancy
    assert [discrepancy["kind"] for discrepancy in summary_of(report)["discrepancies"]] == ["exchange_rate"]
    assert service.calls(RATE) == 1


def test_a_rate_that_changes_afterwards_is_an_alarm(abroad, service):
    service.behave(processing_after_s=3600, done_after_s=3600)
    report = abroad.run()
    assert report.exit_code == ExitCode.STILL_OPEN
    service.set_rate("5.50")
    abroad.say("settle", code=40)
    assert "exchange_rate" in [discrepancy["kind"] for discrepancy in summary_of(report)["discrepancies"]]


def test_five_lost_answers_stop_the_setting_of_rates_for_as_long_as_they_stand(each_alone, service):
    service.plant(RATE, "drop", when="before", times=None)
    assert each_alone.run().exit_code == ExitCode.IN_DOUBT
    assert service.calls(RATE) == 5
    service.clear()
    assert each_alone.run(yes=False).exit_code == ExitCode.IN_DOUBT
    assert (service.calls(RATE), len(service.rates)) == (5, 0)


def start(*words):
    return subprocess.Popen([*COMMAND, *map(str, words)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


@pytest.mark.parametrize("takes_effect", ["before the kill", "after the kill"])
def test_a_worker_killed_between_intent_and_answer_leaves_a_rate_that_is_found_and_never_sent_again(
    abroad, service, eventually, takes_effect
):
    early = takes_effect == "before the kill"
    service.plant(RATE, "hang", when="after" if early else "before", seconds=30 if early else 2)
    worker = start("run", abroad.job, "--yes")
    eventually(lambda: service.calls(RATE) == 1 and (bool(service.rates) or not early))
    os.kill(worker.pid, signal.SIGKILL)
    assert worker.wait() == -signal.SIGKILL
    assert state_of(abroad) is X.SENDING
    found = {ExitCode.DONE} if early else {ExitCode.IN_DOUBT, ExitCode.DONE}  # it may come while the next run looks
    assert abroad.run().exit_code in found
    eventually(lambda: bool(service.rates))
    abroad.say("settle")
    assert state_of(abroad) is X.ACCEPTED
    assert service.calls(RATE) == len(service.rates) == 1


def test_a_settle_beside_a_run_leaves_the_rate_to_the_run(abroad, service, eventually):
    service.plant(RATE, "hang", when="before", seconds=4)
    worker = start("run", abroad.job, "--yes")
    eventually(lambda: service.calls(RATE) == 1)
    abroad.say("settle", code=22)
    assert state_of(abroad) is X.SENDING
    assert worker.wait(30) == 0
    assert service.calls(RATE) == len(service.rates) == 1


def test_of_several_settles_at_once_one_sets_the_rate(abroad, service):
    abroad.run(progress=At("exchange_rate", lambda: hold(abroad)))
    abroad.say("release", "--by", "bia")
    workers = [start("settle") for _ in range(3)]
    for worker in workers:
        worker.wait(60)
    assert service.calls(RATE) == len(service.rates) == 1
    abroad.say("settle")


@pytest.fixture
def in_doubt(abroad, service):
    """A run whose rate is in doubt, and was not set."""
    service.plant(RATE, "drop", when="before")
    report = abroad.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    return report


def absent(label, *by, hours=25):
    said = DeclareAbsent((update_of(label).id,), "the desk says so, ticket 7")
    resolved = perform_here(by or ("bia", "caio"), said, as_json=False, clock=later(hours=hours))
    label.back_to_today()
    return resolved


def test_two_people_after_a_day_let_the_rate_be_sent_again(abroad, service, in_doubt):
    absent(abroad)
    assert service.calls(RATE) == 1
    assert abroad.run(yes=False).exit_code == ExitCode.DONE
    assert (service.calls(RATE), len(service.rates)) == (2, 1)
    assert update_of(abroad).attempt == 2


@pytest.mark.parametrize(
    ("by", "hours", "error"),
    [
        (("bia", "BIA"), 25, ApprovalWanted),
        (("bia", "ana"), 25, ApprovalWanted),
        (("bia", "caio"), 23, DecisionRefused),
    ],
    ids=["one person", "its sender", "too early"],
)
def test_less_than_that_changes_nothing(abroad, service, in_doubt, by, hours, error):
    with pytest.raises(error):
        absent(abroad, *by, hours=hours)
    assert state_of(abroad) is X.IN_DOUBT


def test_the_last_look_counts_before_peoples_word(abroad, service, in_doubt):
    service.set_rate("5.4312")
    absent(abroad)
    assert state_of(abroad) is X.ACCEPTED
    abroad.say("settle")
    assert len(service.rates) == 1


def test_a_person_says_that_the_report_has_the_rate_where_the_service_does_not_show_it(abroad, service, in_doubt):
    service.set_rate("5.4312")
    service.force(exchangeRate=None)
    abroad.say("settle", code=22)
    update = update_of(abroad)
    abroad.say("resolve", update.id, "--report", "another", "--by", "bia", code=2)
    abroad.say("resolve", update.id, "--report", update.split_id, "--by", "bia")
    abroad.say("settle")
    assert places(summary_of(in_doubt)) == {"paid": 3000}
    assert len(service.rates) == 1


def test_a_persons_word_does_not_stand_against_what_the_service_shows(abroad, service, in_doubt):
    service.force(exchangeRate=6)
    update = update_of(abroad)
    abroad.say("resolve", update.id, "--report", update.split_id, "--by", "bia", code=2)
    assert state_of(abroad) is X.IN_DOUBT
