"""What was refused, and what certainly never left, is told as such, claims nothing, and is paid later."""

from urllib.parse import urlsplit

import pytest

from schemas.errors import ExitCode
from schemas.issues import IssueCode
from tests.flows.books import places
from tests.flows.gate import Gate
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of
from tests.flows.moments import At
from tests.flows.oracle import CREATE, LIST

pytestmark = pytest.mark.long

ANA, BIA, CAIO = people(3)
REFUSAL = {"detail": [{"loc": ["body", "payments", 0, "bankAccount"], "msg": "no", "type": "value_error"}]}


@pytest.fixture
def three(label):
    """Three payments, each in a report of its own."""
    label.declare(rules={"max_payments_per_batch": 1})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "30,00"))
    return label


def test_no_report_holds_more_payments_than_the_job_allows(label, service):
    label.declare(rules={"max_payments_per_batch": 2})
    label.payments(*(payment(who, "10,00") for who in people(5)))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert [len(created["payments"]) for created in service.reports] == [2, 2, 1]
    assert [batch["payments"] for batch in summary_of(report)["batches"]] == [2, 2, 1]


@pytest.mark.journey
def test_a_refused_report_is_told_by_row_and_does_not_stop_the_others(three, service):
    service.plant(CREATE, "status", when="before", call=2, status=422, body=REFUSAL)
    report = three.run()
    assert report.exit_code == ExitCode.REFUSED
    assert len(service.paid) == 2
    refused = 6000 - sum(service.paid)
    assert places(summary_of(report)) == {"paid": sum(service.paid), "refused": refused}
    (issue,) = (issue for issue in report.issues if issue.code is IssueCode.REFUSED_BY_SERVICE)
    assert (issue.file, issue.row) == ("payments.xlsx", {1000: 2, 2000: 3, 3000: 4}[refused])


def test_a_refused_row_put_right_is_paid_and_the_others_are_not_paid_twice(three, service):
    service.plant(CREATE, "status", when="before", call=1, status=422, body=REFUSAL)
    three.run()
    (refused,) = {1000, 2000, 3000} - set(service.paid)
    rows = {1000: payment(ANA, "10,00"), 2000: payment(BIA, "20,00"), 3000: payment(CAIO, "30,00")}
    rows[refused] = rows[refused] | {"Chave Pix": "corrigida@example.com"}
    three.payments(*rows.values())
    report = three.run()
    assert report.exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]
    assert service.posts == 4


NAMELESS = {"echo_report_id": False, "echo_name": False}


@pytest.mark.long
@pytest.mark.journey
@pytest.mark.parametrize("others_are_named", [True, False])
def test_a_refusal_of_what_the_service_lists_all_the_same_is_a_doubt(three, service, others_are_named):
    """A proxy asks twice, and hands on the second answer."""
    service.behave(listing_delay_s=3600, **NAMELESS)
    service.plant(CREATE, "status", when="after", call=2, status=422, body=REFUSAL)
    report = three.run()
    refused = places(summary_of(report))["refused"]
    name = next(batch["report_id"] for batch in summary_of(report)["batches"] if batch["outcome"] == "refused")
    assert len(service.paid) == 3
    service.behave(listing_delay_s=0)
    for made in service.reports if others_are_named else ():
        if made["reportId"] != name:  # with a name in the list, likeness alone proves nothing
            service.force_one(made["split_id"], reportId=made["reportId"])
    again = three.run()
    assert service.posts == 3
    assert any(name in message for message in again.messages)
    if others_are_named:
        assert again.exit_code == ExitCode.IN_DOUBT
        assert places(summary_of(again))["in_doubt"] == refused
        (made,) = (made for made in service.reports if made["reportId"] == name)
        three.say("resolve", name, "--report", made["split_id"], "--by", "bia")
    assert places(summary_of(three.run())) == {"duplicate": 6000}
    assert service.posts == 3


def test_a_refusal_beside_a_report_of_another_amount_is_a_refusal(three, service):
    service.behave(**NAMELESS)
    service.plant(CREATE, "status", when="before", call=2, status=422, body=REFUSAL)
    three.run()
    three.payments(
        *(payment(who, amount) for who, amount in zip((ANA, BIA, CAIO), ("10,00", "20,00", "30,00"), strict=True))
    )
    report = three.run()
    assert "in_doubt" not in places(summary_of(report))


@pytest.fixture
def gate(service, label, monkeypatch):
    """A service behind a door."""
    parts = urlsplit(service.url)
    with Gate(parts.port) as door:
        monkeypatch.setenv("REPASSE_API_URL", f"http://127.0.0.1:{door.port}{parts.path}")
        yield door


@pytest.mark.journey
def test_nothing_is_sent_where_nobody_answers(three, service, gate):
    gate.shut()
    report = three.run()
    assert report.exit_code == ExitCode.NOT_SENT
    assert service.posts == 0
    gate.open()
    assert three.run().exit_code == ExitCode.DONE
    assert service.paid == [1000, 2000, 3000]


def test_what_met_no_connection_is_sent_by_the_next_run_under_its_own_name(three, service, gate):
    report = three.run(progress=At("send", gate.shut))
    assert report.exit_code == ExitCode.NOT_SENT
    assert service.posts == 0
    assert places(summary_of(report))["not_sent"] > 0
    named = {batch["report_id"] for batch in summary_of(report)["batches"]}
    gate.open()
    report = three.run(yes=False)
    assert report.exit_code == ExitCode.DONE
    assert {created["reportId"] for created in service.reports} == named
    assert service.paid == [1000, 2000, 3000]


@pytest.mark.parametrize("kind", ["cut", "redirect"])
def test_a_list_that_cannot_be_had_whole_stops_a_run_before_it_sends(three, service, kind):
    service.plant(LIST, kind, times=None)
    assert three.run().exit_code == ExitCode.NOT_SENT
    assert service.posts == 0


def test_a_wrong_api_key_is_told_by_the_name_of_its_variable(three, service, monkeypatch, capfd):
    monkeypatch.setenv("REPASSE_API_KEY", "canary-of-a-key")
    report = three.run()
    assert report.exit_code == ExitCode.NOT_SENT
    assert "REPASSE_API_KEY" in report.messages[0]
    assert "canary-of-a-key" not in str(report) + "".join(capfd.readouterr())
    assert service.reports == []
