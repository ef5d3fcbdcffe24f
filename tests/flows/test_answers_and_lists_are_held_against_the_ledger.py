"""Answers that are about something else, and lists that show more than the ledger knows, stop the sending for good."""

import datetime as dt
import shutil

import pytest

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import Label, summary_of
from tests.flows.proxy import standing_before

ANA, BIA, CAIO = people(3)
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
ONE_EACH = {"max_payments_per_batch": 1}
pytestmark = pytest.mark.long


@pytest.fixture
def proxy(service, monkeypatch):
    with standing_before(service.url) as proxy:
        monkeypatch.setenv("REPASSE_API_URL", proxy.url)
        yield proxy


@pytest.fixture
def three(label):
    """Three payments, each in a report of its own."""
    label.declare(rules=ONE_EACH, settle={"every_s": "0.1", "for_s": "0.2"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    return label


def states(label):
    with label.ledger() as ledger:
        return [submission.state.value for submission in ledger.submissions.list(bodies=False)]


def two_people_let_it_go_on(label):
    tags = label.ask("status", code=31)["freeze"]["tags"]
    named = [word for tag in tags for word in ("--accept", tag)]
    label.say("unfreeze", *named, "--by", "bia", "--by", "carla", "--evidence", "seen at the service")


def nothing_more_is_sent_until_two_people_have_looked(label, service):
    sent = service.posts
    assert label.run().exit_code == ExitCode.FROZEN
    assert service.posts == sent
    assert label.ask("status", code=31)["freeze"]


@pytest.mark.journey
def test_a_proxy_that_delivers_twice_is_noticed_after_one_batch_in_that_run(three, service, proxy):
    proxy.deliveries = 2
    assert three.run().exit_code == ExitCode.FROZEN
    assert len(service.reports) == 2  # the first batch, twice; the others were never sent
    nothing_more_is_sent_until_two_people_have_looked(three, service)


@pytest.mark.journey
def test_a_single_batch_that_was_delivered_twice_is_noticed_in_that_run_too(label, service, proxy):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    proxy.deliveries = 2
    report = label.run()
    assert report.exit_code == ExitCode.FROZEN
    assert summary_of(report)["state"] == "frozen"


def test_a_run_asks_for_one_list_more_than_before_however_many_batches_it_has(three, proxy):
    three.run()
    first = proxy.lists
    paid = [payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00")]
    three.payments(
        *paid, *(payment(one, f"{n},50", f"nota {n}") for n, one in enumerate([ANA, BIA, CAIO] * 4, start=1))
    )
    three.run()
    assert proxy.lists - first == first


@pytest.mark.parametrize("echoes", [True, False], ids=["named", "nameless"])
def test_an_old_answer_given_again_is_in_doubt_and_never_taken_for_an_acceptance(three, service, proxy, echoes):
    service.behave(echo_report_id=echoes, echo_name=echoes, **SLOW)
    proxy.stale_from = 2
    report = three.run()
    with three.ledger() as ledger:
        linked = [submission.split_id for submission in ledger.submissions.list(bodies=False) if submission.split_id]
    assert len(linked) == len(set(linked))
    told = {batch["split_id"]: batch["amount_cents"] for batch in summary_of(report)["batches"] if batch["split_id"]}
    truth = {report["split_id"]: report["amount_cents"] for report in service.reports}
    assert told.items() <= truth.items()
    if not echoes:
        assert report.exit_code == ExitCode.FROZEN
        assert states(three)[1] == "in_doubt"
        assert service.posts == 2
        nothing_more_is_sent_until_two_people_have_looked(three, service)


LAST_MONTH = {"splitDate": "2026-01-05T10:00:00Z"}
STALE = {
    "made last month": LAST_MONTH,
    "made last month, without a time zone": {"splitDate": "2026-01-05T10:00:00"},
    "made last month, and done": LAST_MONTH | {"status": "DONE", "donePayments": 1},
    "undated, and done": {"splitDate": None, "status": "DONE"},
    "dated as nobody can read, and failed": {"splitDate": "05/01/26", "status": "ERROR"},
}


@pytest.mark.parametrize("said", STALE.values(), ids=STALE)
def test_a_nameless_report_that_cannot_be_the_one_asked_for_is_in_doubt(three, service, proxy, said):
    """A cache answers with a twin of last month's, and the service has made nothing."""
    service.behave(echo_report_id=False, echo_name=False)
    nothing = {"_id": "5f0000000000000000000000", "totalAmount": 10.00, "currency": "BRL"}
    proxy.instead = nothing | {"status": "PENDING", "donePayments": 0} | said
    report = three.run()
    assert report.exit_code == ExitCode.IN_DOUBT
    assert states(three)[0] == "in_doubt"
    assert places(summary_of(report)).keys() == {"in_doubt"} | places(summary_of(report)).keys() - {"paid"}
    assert service.reports == []


@pytest.mark.parametrize(
    "said", [{}, {"splitDate": None}, {"splitDate": "hoje"}, {"splitDate": f"{dt.datetime.now(dt.UTC):%Y-%m-%d}"}]
)
def test_a_nameless_report_that_may_be_the_one_asked_for_is_accepted(three, service, proxy, said):
    service.behave(echo_report_id=False, echo_name=False, **SLOW)
    proxy.changes = lambda report: report.update(said)
    assert three.run().exit_code == ExitCode.STILL_OPEN
    assert len(service.reports) == 3


def test_a_list_that_says_a_report_twice_under_one_id_is_no_alarm(three, service, proxy):
    """Pages overlap where something is added while they are read."""
    proxy.repeats_lists = True
    assert three.run().exit_code == ExitCode.DONE
    three.say("settle")
    assert len(service.reports) == 3


def test_an_answer_whose_name_is_that_of_another_report_is_in_doubt(three, service, proxy):
    service.behave(echo_report_id=False)
    names = []

    def name_of_the_first(report):
        names.append(report["paymentBatchName"])
        report["paymentBatchName"] = names[0]

    proxy.changes = name_of_the_first
    three.run()
    assert states(three)[1] == "in_doubt"


LIES = {
    "amount": ("totalAmount", 10.01),
    "currency": ("currency", "USD"),
    "payer": ("taxId", "11222333000181"),
}


@pytest.mark.parametrize("lie", LIES)
def test_an_answer_with_a_wrong_amount_currency_or_payer_freezes_until_two_people_have_looked(
    three, service, proxy, lie
):
    name, value = LIES[lie]
    proxy.changes = lambda report: report.update({name: value})
    assert three.run().exit_code == ExitCode.FROZEN
    assert service.posts == 1
    proxy.changes = lambda report: None
    nothing_more_is_sent_until_two_people_have_looked(three, service)
    two_people_let_it_go_on(three)
    assert three.run().exit_code == ExitCode.DONE
    assert service.posts == 3
    assert service.paid == [1000, 2000, 3000]


@pytest.mark.parametrize("lie", LIES)
def test_so_does_a_list_that_shows_one_of_our_reports_so(three, service, proxy, lie):
    assert three.run().exit_code == ExitCode.DONE
    name, value = LIES[lie]
    proxy.changes = lambda report: report.update({name: value})
    three.say("settle", code=31)
    proxy.changes = lambda report: None
    three.payments(payment(ANA, "99,00", "nota 9"))
    nothing_more_is_sent_until_two_people_have_looked(three, service)


def test_an_amount_that_was_added_in_doubles_is_the_same_amount(three, service, proxy):
    def add_in_doubles(report):
        for name in ("totalAmount", "paidAmount", "pendingAmount"):
            if report.get(name):
                report[name] = report[name] + 0.00000000000006

    proxy.changes = add_in_doubles
    report = three.run()
    assert report.exit_code == ExitCode.DONE
    assert summary_of(report)["discrepancies"] == []
    assert places(summary_of(report)) == {"paid": 6000}
    assert service.posts == 3


@pytest.fixture
def at_home_elsewhere(home, monkeypatch):
    """Run a job with the ledger of another folder, and come back."""

    def run(label, folder):
        monkeypatch.setenv("REPASSE_HOME", str(folder))
        try:
            return label.run().exit_code
        finally:
            monkeypatch.setenv("REPASSE_HOME", str(home))

    return run


def test_a_second_ledger_on_the_account_is_noticed_after_one_batch_in_that_run(
    three, service, proxy, tmp_path, at_home_elsewhere
):
    other, elsewhere = Label(tmp_path / "other"), tmp_path / "elsewhere"
    other.declare(job="boreal")
    other.payments(payment(ANA, "11,00"))
    codes = []
    proxy.before_post.append(lambda: codes.append(at_home_elsewhere(other, elsewhere)))
    assert three.run().exit_code == ExitCode.FROZEN
    assert codes == [ExitCode.DONE]  # it could not know: the other's list was there before our first batch
    assert service.posts == 2
    other.payments(payment(ANA, "11,00"), payment(BIA, "22,00"))
    assert at_home_elsewhere(other, elsewhere) == ExitCode.FROZEN
    nothing_more_is_sent_until_two_people_have_looked(three, service)
    assert service.posts == 2


@pytest.mark.parametrize("same", [True, False], ids=["the same payments", "other payments"])
def test_a_copied_folder_is_noticed_after_one_batch_in_that_run(
    three, service, proxy, tmp_path, home, at_home_elsewhere, same
):
    three.run(yes=False)
    copy = tmp_path / "copy"
    shutil.copytree(home, copy)
    with three.ledger() as ledger:
        tag = ledger.tag
    twin = Label(tmp_path / "twin")
    twin.declare(rules=ONE_EACH)
    twin.payments(payment(ANA, "10,00") if same else payment(BIA, "21,00", "outra"))
    codes = []
    proxy.before_post.append(lambda: codes.append(at_home_elsewhere(twin, copy)))
    assert three.run().exit_code == ExitCode.FROZEN
    assert codes == [ExitCode.DONE]
    assert service.posts == 2
    assert {report["reportId"].split("-")[1] for report in service.reports} == {tag}
    nothing_more_is_sent_until_two_people_have_looked(three, service)
    twin.payments(payment(CAIO, "31,00", "mais uma"))
    assert at_home_elsewhere(twin, copy) == ExitCode.FROZEN
    assert service.posts == 2


def test_every_list_that_settling_asks_for_is_compared_too(three, service, proxy):
    service.behave(processing_after_s=3600, done_after_s=3600)
    assert three.run().exit_code == ExitCode.STILL_OPEN
    proxy.changes = lambda report: report.update({"reportId": None, "paymentBatchName": "x"})
    three.say("settle", code=23)
    lost = "rp-{}-{}".format(service.reports[0]["reportId"].split("-")[1], "z" * 26)
    proxy.changes = lambda report: report.update({"reportId": lost})
    three.say("settle", code=31)
    assert lost in str(three.ask("status", code=31)["freeze"])
