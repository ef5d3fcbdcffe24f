"""What nobody but people can tell of a payment: conflicts, reports that ended untold, and payments made outside."""

import csv
import datetime as dt
from contextlib import contextmanager

import pytest

from flows.acts.act import House, Word
from flows.acts.forms import Decide
from flows.acts.perform import perform
from flows.run import SYSTEM_CLOCK, Silence
from flows.runner import opened_run
from flows.settings import read_settings
from schemas.errors import DecisionRefused, ExitCode
from schemas.job import BRASILIA
from tests.flows.books import assert_books_close, places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import digest_of, summary_of

ANA, BIA, CAIO = people(3)
KEY, AMOUNT = "Código do pagamento", "Valor"
pytestmark = pytest.mark.long


def keys_of(report):
    """The obligations of a run as its CSV names them, by amount."""
    (path,) = (path for path in report.outputs if path.suffix == ".csv")
    with path.open(encoding="utf-8-sig", newline="") as stream:
        return {row[AMOUNT]: row[KEY] for row in csv.DictReader(stream, delimiter=";")}


def rows_of(report):
    return {name: count for name, count in summary_of(report)["rows"].items() if count and name != "read"}


def decide(label, kind, *keys, code=0):
    return label.say("decide", *keys, f"--{kind}", "--by", "bia", "--evidence", "bank statement", code=code)


def told(report):
    """A run's summary as it stands now, its books closed again."""
    summary = summary_of(report)
    assert_books_close(summary)
    return summary


def approve_and_run(label, report, total):
    label.approve(digest_of(report), total, "bia")
    return label.run(yes=False)


# --- conflicts -------------------------------------------------------------------------------------------------------


@pytest.fixture
def conflict(label, service):
    """Ten were paid to ana; now the sheet says twelve."""
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, "12,00"))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.ROWS_HELD, {"conflict": 1200})
    return keys_of(report)["12,00"]


def owed_now(label):
    tomorrow = dt.datetime.now(tz=BRASILIA).date() + dt.timedelta(days=1)
    return [due["amount_cents"] for due in label.ask("owed", "--at", tomorrow)["owed"]]


@pytest.mark.parametrize("kind", ["paid", "drop"])
def test_what_people_settle_is_owed_no_more_from_then_on_and_again_once_it_is_to_be_paid(
    label, service, conflict, kind
):
    assert owed_now(label) == [200]
    decide(label, kind, conflict)
    assert owed_now(label) == []
    assert label.run().exit_code == ExitCode.DONE
    assert owed_now(label) == []
    (month,) = label.ask("month", "2026-10")["jobs"]
    assert [month[f"{name}_cents"] for name in ("came_in", "paid", "outside", "owed")] == [1200, 1000, 200, 0]
    (account,) = label.ask("account", ANA.tax_id)["accounts"]
    sums = [sum(entry[name] for entry in account["entries"]) for name in ("paid_cents", "outside_cents")]
    assert (sums, account["closing_cents"]) == ([1000, 200], 0)
    decide(label, "pay", conflict)
    assert owed_now(label) == [200]
    label.run()
    assert (service.paid, owed_now(label)) == ([1000, 1200], [])


@pytest.mark.long
@pytest.mark.journey
def test_a_conflict_that_was_paid_otherwise_is_a_duplicate_until_the_sheet_says_something_else(
    label, service, conflict
):
    decide(label, "paid", conflict)
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"duplicate": 1200})
    assert rows_of(report) == {"duplicate": 1}
    label.payments(payment(ANA, "13,00"))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.ROWS_HELD, {"conflict": 1300})
    label.payments(payment(ANA, "12,00", **{"Chave Pix": BIA.destination.pix_key}))
    assert places(summary_of(label.run())) == {"conflict": 1200}
    assert service.paid == [1000]


@pytest.mark.long
@pytest.mark.journey
def test_a_conflict_that_is_to_be_paid_is_paid_beside_the_earlier_one_after_an_approval_and_only_once(
    label, service, conflict
):
    decide(label, "pay", conflict)
    waiting = label.run(yes=False)
    assert (waiting.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    report = approve_and_run(label, waiting, "12,00")
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"paid": 1200})
    decide(label, "pay", conflict, code=2)
    again = label.run()
    assert (again.exit_code, places(summary_of(again))) == (ExitCode.DONE, {"duplicate": 1200})
    assert service.paid == [1000, 1200]
    assert len(set(service.paid_for)) == 2


def test_whoever_decides_on_a_row_that_was_paid_with_less_is_told_both_sums_and_the_rest(label, service, conflict):
    report = service.reports[0]["reportId"]
    said = decide(label, "pay", conflict).output
    for told in ("10.00", report, "12.00", "22.00", "2.00", "--difference"):
        assert told in said
    waiting = label.run(yes=False)
    (call,) = (message for message in waiting.messages if "repasse approve" in message)
    for told in ("10,00", report, "22,00"):
        assert told in call
    assert "22,00" in label.say("plan", label.job).output


def test_only_the_difference_is_paid_where_people_say_so_and_once(label, service, conflict):
    said = decide(label, "difference", conflict).output
    assert "the rest is 2.00" in said
    waiting = label.run(yes=False)
    report = approve_and_run(label, waiting, "2,00")
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"duplicate": 1000, "paid": 200})
    assert rows_of(report) == {"used": 1}
    assert places(summary_of(label.run())) == {"duplicate": 1200}
    assert service.paid == [200, 1000]
    label.payments(payment(ANA, "15,00"))
    assert places(summary_of(label.run())) == {"conflict": 1500}
    assert service.paid == [200, 1000]


@pytest.mark.parametrize("amount", ["8,00", "10,00"])
def test_there_is_no_difference_of_a_row_that_says_no_more_than_was_paid(label, service, amount):
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, amount, **{"Chave Pix": BIA.destination.pix_key}))
    report = label.run()
    decide(label, "difference", keys_of(report)[amount], code=2)
    assert service.posts == 1


def test_a_conflict_that_was_dropped_is_left_out(label, service, conflict):
    decide(label, "drop", conflict)
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"excluded": 1200})
    assert rows_of(report) == {"ignored": 1}
    assert service.posts == 1


def test_the_last_word_on_a_conflict_counts(label, service, conflict):
    decide(label, "drop", conflict)
    assert places(summary_of(label.run())) == {"excluded": 1200}
    decide(label, "paid", conflict)
    assert places(summary_of(label.run())) == {"duplicate": 1200}
    decide(label, "pay", conflict)
    assert places(summary_of(label.run())) == {"paid": 1200}
    assert service.paid == [1000, 1200]


def test_the_plan_shows_what_was_decided(label, conflict):
    decide(label, "paid", conflict)
    assert label.ask("plan", label.job)["totals_cents"]["duplicate"] == 1200


# --- reports that ended without telling whom they paid ---------------------------------------------------------------


@pytest.fixture
def partial(label, service):
    """Of ana's ten and bia's twenty the service has paid one, and does not say which."""
    service.behave(failing_payees=[BIA.destination.pix_key])
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DISCREPANCIES, {"undetermined": 3000})
    service.behave(failing_payees=[])
    return report


def test_a_partial_report_waits_for_people_wherever_they_look(label, service, partial):
    (waiting,) = label.ask("status", code=40)["undetermined"]
    assert (waiting["amount_cents"], waiting["state"]) == (3000, "partial")
    assert waiting["report_id"] in label.say("status", code=40).stdout
    for report in (partial, label.run()):
        assert (report.exit_code, places(told(report))) == (ExitCode.DISCREPANCIES, {"undetermined": 3000})
    assert service.posts == 1


def test_a_partial_report_of_which_all_was_paid_is_paid(label, service, partial):
    keys = keys_of(partial)
    decide(label, "paid", keys["10,00"])
    label.say("settle", code=40)
    assert places(told(partial)) == {"paid": 1000, "undetermined": 2000}
    assert len(label.ask("status", code=40)["undetermined"]) == 1
    decide(label, "paid", keys["20,00"])
    label.say("settle")
    summary = told(partial)
    assert (summary["exit_code"], summary["state"], places(summary)) == (0, "done", {"paid": 3000})
    assert label.ask("status")["undetermined"] == []
    again = label.run()
    assert (again.exit_code, places(summary_of(again))) == (ExitCode.DONE, {"duplicate": 3000})
    assert service.posts == 1


@pytest.mark.parametrize("first", ["the one", "the others"])
def test_a_whole_report_is_decided_but_for_the_payments_that_are_named(label, service, first):
    service.behave(failing_payees=[BIA.destination.pix_key])
    label.payments(*(payment(who, amount) for who, amount in ((ANA, "10,00"), (BIA, "20,00"), (CAIO, "30,00"))))
    report = label.run()
    service.behave(failing_payees=[])
    keys, (name,) = keys_of(report), [batch["report_id"] for batch in summary_of(report)["batches"]]
    assert f"repasse decide {name} --paid --all-but" in " ".join(label.say("settle", code=40).output.split())
    failed = keys["20,00"]
    for wrong in ([name, "--all-but", "ob-nobody"], [keys["10,00"], "--all-but", failed], ["rp-nobody"]):
        decide(label, "paid", *wrong, code=2)
    if first == "the one":
        decide(label, "pay", failed)
        decide(label, "paid", name)
    else:
        decide(label, "paid", name, "--all-but", failed)
        decide(label, "pay", name)  # of what is left: nobody's decision is turned by naming the whole
    decide(label, "paid", name, code=2)
    label.say("settle")
    assert places(told(report)) == {"paid": 4000, "failed": 2000}
    again = approve_and_run(label, label.run(yes=False), "20,00")
    assert places(summary_of(again)) == {"duplicate": 4000, "paid": 2000}
    assert service.reports[-1]["extPaymentIds"] == [failed]


def test_a_payment_that_was_not_made_is_planned_again_alone_and_wants_an_approval(label, service, partial):
    keys = keys_of(partial)
    decide(label, "paid", keys["10,00"])
    decide(label, "pay", keys["20,00"])
    waiting = label.run(yes=False)
    assert (waiting.exit_code, service.posts) == (ExitCode.APPROVAL_WANTED, 1)
    assert places(summary_of(waiting)) == {"duplicate": 1000, "planned": 2000}
    report = approve_and_run(label, waiting, "20,00")
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.DONE, {"duplicate": 1000, "paid": 2000})
    assert service.reports[-1]["extPaymentIds"] == [keys["20,00"]]
    assert places(summary_of(label.run())) == {"duplicate": 3000}
    assert service.posts == 2
    label.say("settle")
    summary = told(partial)
    assert (summary["exit_code"], places(summary)) == (0, {"paid": 1000, "failed": 2000})


def test_a_whole_excluded_report_may_be_paid_again(label, service):
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    service.force(status="EXCLUDED")
    label.say("settle", code=40)
    assert places(told(report)) == {"excluded": 3000}
    service.behave(processing_after_s=0, done_after_s=0)
    decide(label, "pay", *keys_of(report).values())
    again = label.run()
    assert places(summary_of(again)) == {"paid": 3000}
    first, second = service.reports
    assert (first["reportId"] != second["reportId"], first["extPaymentIds"]) == (True, second["extPaymentIds"])
    assert places(summary_of(label.run())) == {"duplicate": 3000}
    assert service.posts == 2


def test_a_second_report_that_does_not_tell_either_is_a_new_question(label, service, partial):
    keys = keys_of(partial)
    decide(label, "paid", keys["10,00"])
    decide(label, "pay", keys["20,00"])
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    service.behave(done_after_s=3600)
    report = label.run()
    service.force(status="ERROR", donePayments=None, paidAmount=None)
    label.say("settle", code=40)
    assert places(told(report)) == {"duplicate": 1000, "undetermined": 2000}
    assert [batch["amount_cents"] for batch in label.ask("status", code=40)["undetermined"]] == [2000]
    decide(label, "paid", keys["20,00"])
    label.say("settle")
    assert (told(report)["exit_code"], places(told(report))) == (0, {"duplicate": 1000, "paid": 2000})
    assert places(told(partial)) == {"paid": 1000, "failed": 2000}


def test_a_partial_report_of_which_the_rest_was_dropped_is_done(label, service, partial):
    keys = keys_of(partial)
    decide(label, "paid", keys["10,00"])
    decide(label, "drop", keys["20,00"])
    label.say("settle")
    assert (told(partial)["exit_code"], places(told(partial))) == (0, {"paid": 1000, "excluded": 2000})
    assert places(summary_of(label.run())) == {"duplicate": 1000, "excluded": 2000}
    assert service.posts == 1


def test_royalties_of_a_partial_report_are_decided_like_payments_the_owner_s_part_too(label, service):
    label.declare(
        sources=[{"files": "statement.csv", "layout": "royalties"}], payees="payees.xlsx", shares="shares.xlsx"
    )
    label.write("statement.csv", [line("100,00")])
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50%"), share(BIA, "30%")])
    service.behave(failing_payees=[BIA.destination.pix_key])
    report = label.run()
    assert places(summary_of(report)) == {"undetermined": 10000}
    service.behave(failing_payees=[])
    keys = keys_of(report)
    (batch,) = summary_of(report)["batches"]
    decide(label, "paid", batch["report_id"], "--all-but", keys["30,00"])  # the owner's part among them
    decide(label, "pay", keys["30,00"])
    again = label.run()
    assert places(summary_of(again)) == {"duplicate": 7000, "paid": 3000}
    label.say("settle")
    assert places(told(report)) == {"paid": 5000, "owner": 2000, "failed": 3000}
    assert service.reports[-1]["extPaymentIds"] == [keys["30,00"]]


# --- the service is asked before a payment is free to be made again ---------------------------------------------------


@pytest.mark.parametrize(
    "says",
    [
        {"status": "DONE", "donePayments": 2, "paidAmount": 30.00, "pendingAmount": 0},
        {"status": "PROCESSING"},
        {"status": "PENDING"},
        {"status": "REOPENED"},
        {"status": "ERROR", "donePayments": 2, "paidAmount": 30.00},
        {"status": "ERROR", "donePayments": None, "paidAmount": 30.00},
    ],
)
def test_what_the_service_says_is_paid_or_on_its_way_is_not_freed(label, service, partial, says):
    keys = keys_of(partial)
    service.force(**says)
    said = decide(label, "pay", keys["20,00"], code=2)
    assert "the service says" in said.output or "nothing to decide" in said.output
    assert label.run().exit_code != ExitCode.APPROVAL_WANTED
    assert service.posts == 1


def test_nothing_is_freed_when_the_service_cannot_be_asked(label, service, partial):
    service.plant("GET /split", "status", when="before", status=400, times=None)
    decide(label, "pay", keys_of(partial)["20,00"], code=21)
    service.clear()
    label.run()
    assert service.posts == 1
    decide(label, "paid", *keys_of(partial).values())  # a word that frees nothing asks nobody
    assert places(summary_of(label.run())) == {"duplicate": 3000}


# --- payments made outside -------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "found"), [("paid", {"duplicate": 3000}), ("drop", {"excluded": 1000, "duplicate": 2000})]
)
def test_a_held_payment_that_was_made_outside_is_not_made_again_when_it_could_be(label, service, kind, found):
    service.behave(invalid_accounts=[ANA.destination.pix_key])
    label.declare(account_checks={"when": "new_or_changed", "budget": "25.00"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    assert (report.exit_code, places(summary_of(report))) == (ExitCode.ROWS_HELD, {"held": 1000, "paid": 2000})
    decide(label, kind, keys_of(report)["10,00"])
    service.behave(invalid_accounts=[])
    label.declare()
    again = label.run()
    assert (again.exit_code, places(summary_of(again))) == (ExitCode.DONE, found)
    assert service.paid == [2000]


def test_a_planned_payment_that_was_made_outside_leaves_the_plan_that_then_wants_another_approval(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    waiting = label.run(yes=False)
    label.approve(digest_of(waiting), "30,00", "bia")
    decide(label, "paid", keys_of(waiting)["10,00"])
    changed = label.run(yes=False)
    assert changed.exit_code == ExitCode.APPROVAL_WANTED
    assert places(summary_of(changed)) == {"duplicate": 1000, "planned": 2000}
    report = approve_and_run(label, changed, "20,00")
    assert (report.exit_code, service.paid) == (ExitCode.DONE, [2000])


# --- nothing to decide -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["pay", "paid", "drop"])
def test_nothing_is_decided_about_what_is_paid_or_unknown_and_one_wrong_key_stops_all(label, service, partial, kind):
    label.declare(job="other")
    label.write("payments.xlsx", [payment(CAIO, "30,00")])
    paid = keys_of(label.run())["30,00"]
    open_key = keys_of(partial)["10,00"]
    for wrong in (paid, "ob-nobody"):
        decide(label, kind, wrong, code=2)
        decide(label, kind, open_key, wrong, code=2)
    label.say("settle", code=40)
    assert places(told(partial)) == {"undetermined": 3000}
    assert len(label.ask("status", code=40)["undetermined"]) == 1


@pytest.mark.parametrize("kind", ["pay", "paid", "drop"])
def test_what_is_in_doubt_is_not_decided(label, service, kind):
    service.plant("POST /split", "drop", when="before")
    label.payments(payment(ANA, "10,00"))
    report = label.run()
    decide(label, kind, keys_of(report)["10,00"], code=2)
    assert label.run().exit_code == ExitCode.IN_DOUBT
    assert service.posts == 1


@pytest.mark.parametrize(
    "words",
    [
        ["--by", "bia", "--evidence", "x"],
        ["--pay", "--paid", "--by", "bia", "--evidence", "x"],
        ["--paid", "--by", " ", "--evidence", "x"],
        ["--paid", "--by", "bia", "--evidence", " "],
    ],
)
def test_a_word_without_kind_name_or_evidence_is_refused(label, service, conflict, words):
    label.say("decide", conflict, *words, code=2)
    assert places(summary_of(label.run())) == {"conflict": 1200}


# --- two people at one moment ----------------------------------------------------------------------------------------


@contextmanager
def asking(label):
    with opened_run("resolve", None, read_settings(), Silence(), SYSTEM_CLOCK) as run:
        yield run


def decide_on(ledger, key, kind, by, asking):
    perform(House(ledger, SYSTEM_CLOCK, asking), Word((by,)), Decide((key,), kind, "the bank's list"))


@pytest.mark.parametrize("ending", ["between the service's answer and the record", "before the service is asked"])
def test_two_people_who_decide_at_one_moment_never_free_more_than_the_report_left_unpaid(label, service, ending):
    """Each alone may be right: one of two equal payments was made. Of both together the second is judged anew."""
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    label.payments(payment(ANA, "400,00"), payment(BIA, "400,00"))
    label.run()
    service.force(status="DONE", donePayments=1, pendingPayments=1, paidAmount=400)
    label.say("settle", code=ExitCode.DISCREPANCIES)
    first, second = service.paid_for
    others = [second]

    @contextmanager
    def meanwhile():
        if ending.startswith("before"):
            other_decides()
        with asking(label) as run:
            yield run
        other_decides()

    def other_decides():
        if others:
            with label.ledger() as ledger:
                decide_on(ledger, others.pop(), "pay", "caio", lambda: asking(label))

    with label.ledger() as ledger, pytest.raises(DecisionRefused):
        decide_on(ledger, first, "pay", "bia", meanwhile)
    with label.ledger() as ledger:
        assert {by.by for by in ledger.decisions.on_reports([first, second]).values()} == {"caio"}


def test_two_who_say_the_same_of_one_row_are_both_taken(label, service, conflict):
    for by in ("bia", "caio"):
        with label.ledger() as ledger:
            decide_on(ledger, conflict, "paid", by, lambda: asking(label))
    assert label.run().exit_code == ExitCode.DONE
