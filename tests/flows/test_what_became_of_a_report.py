"""What a report came to is what its best figures say, wherever people read it; nobody is paid again for it."""

import csv
import datetime as dt

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from flows.books.accountant import SERVICE_TAX, taxed_payments
from schemas.errors import ExitCode
from schemas.job import BRASILIA
from tests.flows.books import assert_books_close, places
from tests.flows.jobs import payment, people
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
ALL_PAID = {
    "status": "DONE", "donePayments": 2, "pendingPayments": 0, "withholdPayments": 0, "paidAmount": 30.00,
    "pendingAmount": 0, "withholdAmount": 0,
}  # fmt: skip
NO_FIGURES = dict.fromkeys(ALL_PAID) | {"status": "DONE", "irAmount": None}
ZEROS = dict.fromkeys(ALL_PAID, 0) | {"status": "DONE"}
ONE_OF_TWO = ALL_PAID | {"donePayments": 1, "paidAmount": 10.00}
NOTHING_PAID = ALL_PAID | {"status": "ERROR", "donePayments": 0, "paidAmount": 0}
pytestmark = pytest.mark.long


@pytest.fixture
def still_open(label, service):
    """A run whose report of two payments had not ended when its time ran out."""
    service.behave(**SLOW)
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    return label.run()


def told(report):
    """How a run's books stand by now."""
    summary = summary_of(report)
    assert_books_close(summary)
    return places(summary), summary["exit_code"]


def rows_of(report):
    """(Name, amount, place) of payments.csv; the workbook says the very same."""
    (path,) = (path for path in report.outputs if path.name == "payments.csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        rows = list(csv.DictReader(stream, delimiter=";"))
    book = load_workbook(path.with_name("reconciliation.xlsx"), read_only=True)
    in_book = [
        (row[0], f"{row[6]:.2f}".replace(".", ","), row[7])
        for title in ("Pagamentos", "Retidos")
        for row in book[title].iter_rows(values_only=True)
        if isinstance(row[6], int | float) and row[0] != "Total"
    ]
    found = [(row["Favorecido"], row["Valor"], row["Situação"]) for row in rows]
    assert sorted(found) == sorted(in_book)
    return sorted(found)


@pytest.mark.parametrize("first", [ONE_OF_TWO, ZEROS, {"status": "ERROR", "donePayments": None}])
def test_a_partial_report_that_turns_out_to_be_paid_is_paid_and_settling_says_40_until_then(
    label, service, still_open, first
):
    service.force(**first)
    label.say("settle", code=40)
    assert told(still_open) == ({"undetermined": 3000}, 40)
    label.say("settle", code=40)
    service.force(**ALL_PAID)
    label.say("settle")
    assert told(still_open) == ({"paid": 3000}, 0)
    label.say("settle")
    again = label.run()
    assert places(summary_of(again)) == {"duplicate": 3000}
    assert service.posts == 1


def test_paid_by_its_status_alone_is_undetermined_once_the_counters_say_otherwise(label, service, still_open):
    service.force(**NO_FIGURES)
    label.say("settle")
    assert told(still_open) == ({"paid": 3000}, 0)
    service.force(**ONE_OF_TWO)
    label.say("settle", code=40)
    assert told(still_open) == ({"undetermined": 3000}, 40)
    service.force(**ALL_PAID)
    label.say("settle")
    assert told(still_open) == ({"paid": 3000}, 0)


@pytest.mark.journey
def test_a_failed_report_that_was_paid_after_all_claims_its_payments_again(label, service, still_open):
    service.force(**NOTHING_PAID)
    label.say("settle", code=40)
    assert told(still_open) == ({"failed": 3000}, 40)
    service.force(**ALL_PAID)
    label.say("settle", code=31)
    assert told(still_open)[0] == {"paid": 3000}
    tags = label.ask("status", code=31)["freeze"]["tags"]
    assert tags == [service.reports[0]["reportId"]]
    label.say("unfreeze", "--accept", *tags, "--by", "bia", "--by", "caio", "--evidence", "paid on the 20th")
    assert places(summary_of(label.run())) == {"duplicate": 3000}
    assert service.posts == 1


def test_a_report_that_flaps_ends_as_the_service_says_last(label, service, still_open):
    for says in (NOTHING_PAID, {"status": "PROCESSING"}, ONE_OF_TWO, {"status": "PENDING"}, ALL_PAID):
        service.force(**says)
        label.say("settle", code=31 if says is not NOTHING_PAID else 40)
    assert told(still_open)[0] == {"paid": 3000}
    assert service.posts == 1


def test_a_decision_that_the_service_contradicts_later_is_told_and_pays_nobody(label, service, still_open):
    service.force(**ONE_OF_TWO)
    label.say("settle", code=40)
    keys = service.reports[0]["extPaymentIds"]
    label.say("decide", *keys, "--drop", "--by", "bia", "--evidence", "nobody was paid")
    label.say("settle")
    service.force(**ALL_PAID)
    label.say("settle", code=40)
    summary = summary_of(still_open)
    assert places(summary) == {"paid": 3000}
    assert "decided" in [discrepancy["kind"] for discrepancy in summary["discrepancies"]]
    label.run()
    assert service.posts == 1


def test_the_books_of_an_earlier_run_follow_what_a_later_one_has_seen(label, service, still_open):
    service.force(**ONE_OF_TWO)
    label.say("settle", code=40)
    service.force(**ALL_PAID)
    label.run()
    assert told(still_open) == ({"undetermined": 3000}, 40)
    label.say("settle")
    assert told(still_open) == ({"paid": 3000}, 0)


@pytest.mark.usefixtures("workbooks")
@pytest.mark.parametrize(
    "says",
    [
        ALL_PAID | {"donePayments": 1, "withholdPayments": 1, "paidAmount": 10.00, "withholdAmount": 20.00},
        ALL_PAID | {"donePayments": 1, "withholdPayments": 1, "paidAmount": None, "withholdAmount": None},
        NO_FIGURES | {"paidAmount": 10.00, "withholdAmount": 20.00},
    ],
    ids=["both", "by count alone", "by amount alone"],
)
def test_nothing_is_paid_for_certain_where_the_service_held_back_unasked(label, service, still_open, says):
    service.force(**says)
    label.say("settle", code=40)
    assert told(still_open) == ({"undetermined": 3000}, 40)
    told_of_each = {place for _, _, place in rows_of(still_open)}
    figures = {says["donePayments"], says["paidAmount"]}
    assert told_of_each == ({"Indeterminado"} if None in figures else {"Pago, deduzido", "Não pago, deduzido"})
    (key, *_) = service.reports[0]["extPaymentIds"]
    assert {obligation["place"] for obligation in label.ask("explain", key)["explanations"][0]["obligations"]} == {
        "undetermined"
    }


@pytest.mark.usefixtures("workbooks")
def test_what_people_asked_to_hold_back_is_held_and_the_others_are_paid(label, service):
    label.payments(payment(ANA, "10,00", Reter="sim"), payment(BIA, "20,00", Reter="não"))
    report = label.run()
    assert report.exit_code == ExitCode.DONE
    assert rows_of(report) == sorted([(ANA.name, "10,00", "Reservado a pedido"), (BIA.name, "20,00", "Pago")])
    label.say("settle")
    assert summary_of(label.run())["discrepancies"] == []


@pytest.mark.usefixtures("workbooks")
def test_tax_that_the_service_kept_of_one_payment_is_told_beside_the_net(label, service):
    service.behave(income_tax_rate="0.075")
    label.payments(payment(ANA, "100,00"))
    report = label.run()
    assert rows_of(report) == [(ANA.name, "7,50", "Imposto de renda"), (ANA.name, "92,50", "Pago, menos imposto")]
    assert places(summary_of(report)) == {"paid": 9250, "income_tax": 750}
    (key,) = service.reports[0]["extPaymentIds"]
    traced = label.ask("explain", key)["explanations"][0]
    assert {obligation["place"]: obligation["amount_cents"] for obligation in traced["obligations"]} == {
        "paid_less_tax": 9250,
        "income_tax": 750,
    }
    assert "92,50" in label.say("explain", key).output


@pytest.mark.usefixtures("workbooks")
def test_of_several_payments_each_is_paid_less_tax_and_no_net_is_made_up(label, service):
    service.behave(income_tax_rate="0.075")
    label.payments(payment(ANA, "100,00"), payment(BIA, "20,00"))
    report = label.run()
    assert {place for _, _, place in rows_of(report)} == {"Pago, menos imposto"}
    assert places(summary_of(report)) == {"paid": 11_100, "income_tax": 900}
    (key, *_) = service.reports[0]["extPaymentIds"]
    assert label.ask("explain", key)["explanations"][0]["obligations"][0]["place"] == "paid_less_tax"


def test_tax_on_a_report_of_several_stands_beside_it_in_each_account_as_in_the_month_and_for_the_accountant(
    label, service
):
    service.behave(income_tax_rate="0.075")
    label.payments(payment(ANA, "100,00"), payment(BIA, "20,00"))
    label.run()
    for who in (ANA, BIA):
        (account,) = label.ask("account", who.name)["accounts"]
        assert account["entries"][-1]["report_tax_cents"] == 900
        assert "IR de R$ 9,00 no relatório todo" in label.say("account", who.name).output
    (month,) = label.ask("month", "2026-10")["jobs"]
    assert (month["paid_cents"], month["income_tax_cents"]) == (11_100, 900)
    today = dt.datetime.now(BRASILIA).date()
    with label.ledger() as ledger:
        taxed = taxed_payments(ledger, today, today)
    assert sum(paid.net_cents for paid in taxed) == 11_100
    assert [paid.withheld_cents for paid in taxed if not paid.tax_id] == [{SERVICE_TAX: 900}]


@pytest.mark.journey
@pytest.mark.usefixtures("workbooks")
def test_which_payee_a_partial_report_paid_is_inferred_where_its_figures_admit_one_answer(label, service, still_open):
    service.force(**ONE_OF_TWO)
    label.say("settle", code=40)
    assert told(still_open) == ({"undetermined": 3000}, 40), "an inference moves no centavo"
    assert [(amount, place) for _, amount, place in rows_of(still_open)] == [
        ("10,00", "Pago, deduzido"),
        ("20,00", "Não pago, deduzido"),
    ]
    assert places(summary_of(label.run())) == {"undetermined": 3000}
    assert service.posts == 1, "and it frees no payment"


def test_a_payee_is_told_what_is_known_and_not_what_is_inferred(label, service):
    service.behave(**SLOW)
    label.declare(settle={"every_s": "0.1", "for_s": "0"}, outputs={"folder": "out", "statements": True})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    service.force(**ONE_OF_TWO)
    label.say("settle", code=40)
    pages = [path for path in report.outputs if path.suffix == ".pdf"]
    texts = ["".join(page.extract_text() for page in PdfReader(path).pages) for path in pages]
    assert len(texts) == 2
    assert not any("deduzido" in text for text in texts)


# --- paid, and then otherwise -----------------------------------------------------------------------------------------


@pytest.fixture
def paid(label, service):
    """A run whose report of two payments was paid, as its figures prove."""
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    assert told(report) == ({"paid": 3000}, 0)
    return report


def test_money_that_came_back_of_a_report_without_figures_waits_for_people(label, service, paid):
    service.force(**dict.fromkeys(ALL_PAID) | {"status": "ERROR"})
    label.say("settle", code=40)
    assert told(paid) == ({"undetermined": 3000}, 40)
    (waiting,) = label.ask("status", code=40)["undetermined"]
    assert waiting["report_id"] == service.reports[0]["reportId"]
    assert places(summary_of(label.run())) == {"undetermined": 3000}
    assert service.posts == 1
    (key, *_) = service.reports[0]["extPaymentIds"]
    label.say("decide", key, "--pay", "--by", "bia", "--evidence", "the Pix came back on the 3rd")
    waiting = label.run(yes=False)
    amount = summary_of(waiting)["totals_cents"]["planned"]
    label.approve(summary_of(waiting)["plan_digest"], f"{amount // 100},00", "bia")
    label.run(yes=False)
    assert service.posts == 2
    assert service.reports[-1]["extPaymentIds"] == [key]


def test_a_paid_report_that_the_service_shows_no_longer_is_told_by_every_command_that_looks(label, service, paid):
    service.force(vanished=True)
    said = label.say("settle", code=40)
    assert service.reports[0]["reportId"] in said.output
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"), payment(CAIO, "5,00"))
    report = label.run()
    assert report.exit_code == ExitCode.DISCREPANCIES
    assert [discrepancy["kind"] for discrepancy in summary_of(report)["discrepancies"]] == ["vanished"]
    assert service.paid == [500, 1000, 2000]
    service.force_one(service.reports[0]["split_id"], vanished=False)
    label.say("settle")
