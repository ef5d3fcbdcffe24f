"""A report that waits for the payer's money says so, with what to pay, until the service has gone on with it.

Judged by what the service says it waits for, and by what people are told. Held constant: one report of two payments, at
a terminal. Varied: how the service is paid and what becomes of it, what people record, and who reads.
"""

from datetime import UTC, datetime, timedelta

import pytest

from schemas.errors import ExitCode
from schemas.journal import AccountKind, EntryKind
from schemas.readers import for_strangers
from schemas.values.brcode import read_brcode
from tests.flows.jobs import payment, people

ANA, BIA = people(2)
RECEIVER = "SANDBOX, SAO PAULO, 0c3f6a5e-6f0e-4d0f-9a53-2f4f6f1b7c11"
SOON = {"settle": {"every_s": "0.1", "for_s": "0.3"}}
BY = ("--by", "bia", "--evidence", "recibo 7")
TODAY = (datetime.now(UTC) - timedelta(days=1)).date().isoformat()


@pytest.fixture
def waiting(label, service):
    """Two payments, 30.00 in all, whose report waits for its Pix."""
    service.behave(funding="pix")
    label.declare(**SOON)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.run().exit_code is ExitCode.STILL_OPEN
    assert service.awaits == ["money"]
    return label


def told(label, code=ExitCode.STILL_OPEN):
    (report,) = label.ask("funding", code=code)["reports"]
    return report


def confirm(label, code=0, receiver=RECEIVER, by=BY):
    return label.say("funding", "receiver", told_report(label), "--receiver", receiver, *by, code=code).output


def told_report(label):
    with label.ledger() as ledger:
        return ledger.submissions.list(bodies=False)[-1].report_id


def record(label, amount, day=TODAY, code=ExitCode.STILL_OPEN):
    words = ("funding", "paid", told_report(label), f"--amount={amount}", "--day", day, *BY)
    return label.say(*words, code=code).output


def look_again(label, code=ExitCode.STILL_OPEN):
    return label.say("settle", code=code).output


def test_whoever_pays_sees_the_code_once_they_have_said_whom_it_pays(waiting, service):
    first = told(waiting)
    assert (first["funding"], first["receiver"], first["due_cents"]) == ("receiver_unknown", RECEIVER, 3000)
    assert "confirm the receiver before R$ 30.00 is paid" in waiting.say("--names", "funding", code=23).output
    confirm(waiting)
    now = told(waiting)
    assert (now["funding"], now["due_cents"]) == ("yours_to_pay", 3000)
    assert read_brcode(now["payload"]).code.amount_cents == 3000
    printed = waiting.say("--names", "funding", "--qr", code=ExitCode.STILL_OPEN).output
    assert now["payload"] in printed.splitlines()
    assert "waits for your Pix of R$ 30.00" in printed
    assert "█" in printed or "▀" in printed
    assert "your Pix, R$ 30.00" in look_again(waiting)
    assert service.funded_cents == []


def test_what_was_paid_is_on_record_and_in_the_books_and_the_report_goes_on(waiting, service):
    confirm(waiting)
    assert service.fund(payload=told(waiting)["payload"]) == 200
    assert "is paid; the service has not confirmed it yet" in record(waiting, "30,00")
    assert told(waiting)["funding"] == "paid_waiting"
    assert service.paid == [1000, 2000]
    settle_to_the_end(waiting)
    assert waiting.ask("funding")["reports"] == []
    with waiting.ledger() as ledger:
        balances = {account.kind: cents for account, cents in ledger.journal.balances().items()}
        (entry,) = [entry for _, _, entry in ledger.journal.entries() if entry.kind is EntryKind.FUND]
    assert balances[AccountKind.BANK] == -3000
    assert balances[AccountKind.FLOAT] == 3000
    assert {posting.account.reference for posting in entry.postings} == {"", told_report(waiting)}
    kinds = [act["kind"] for act in waiting.ask("acts")["acts"]]
    assert kinds.count("fund") == kinds.count("confirm_receiver") == 1


def settle_to_the_end(label):
    while label.type("settle").exit_code == ExitCode.STILL_OPEN:
        pass


@pytest.mark.parametrize(
    ("recorded", "found", "sum_text", "code"),
    [
        (["12,34"], "short", "R$ 17.66 is missing", 23),
        (["12,34", "17,66"], "paid_waiting", "R$ 30.00 is paid", 23),
        (["40,00"], "over", "R$ 10.00 more than it costs was paid", 15),
        (["40,00", "-10,00"], "paid_waiting", "R$ 30.00 is paid", 23),
        (["30,00", "-30,00"], "yours_to_pay", "waits for your Pix of R$ 30.00", 23),
    ],
)
def test_what_is_missing_or_too_much_is_told_with_its_sum(waiting, recorded, found, sum_text, code):
    confirm(waiting)
    for amount in recorded[:-1]:
        waiting.type("funding", "paid", told_report(waiting), f"--amount={amount}", "--day", TODAY, *BY)
    assert sum_text in record(waiting, recorded[-1], code=code)
    assert told(waiting, code)["funding"] == found


@pytest.mark.parametrize(
    ("amount", "day", "words"),
    [
        ("0,00", TODAY, "not an amount"),
        ("trinta", TODAY, "not an amount"),
        ("-0,01", TODAY, "less than nothing"),
        ("30,00", "ontem", "not one such as"),
        ("30,00", "2999-01-01", "still to come"),
    ],
)
def test_what_nobody_can_have_paid_is_refused_and_leaves_nothing(waiting, amount, day, words):
    confirm(waiting)
    assert words in record(waiting, amount, day, code=ExitCode.USAGE)
    assert told(waiting)["funded_cents"] == 0
    assert "fund" not in [act["kind"] for act in waiting.ask("acts")["acts"]]


def test_a_code_that_pays_somebody_else_afterwards_is_not_shown_until_people_confirm_it(waiting, service):
    confirm(waiting)
    service.behave(receiver="OUTRO NOME")
    assert "do not pay" in look_again(waiting, ExitCode.DISCREPANCIES)
    changed = told(waiting, ExitCode.DISCREPANCIES)
    assert (changed["funding"], changed["payload"]) == ("mismatch", "")
    other = RECEIVER.replace("SANDBOX", "OUTRO NOME")
    assert "another receiver" in confirm(waiting, ExitCode.USAGE, receiver=RECEIVER)
    confirm(waiting, receiver=other)
    assert told(waiting)["funding"] == "yours_to_pay"


@pytest.mark.parametrize("asked", ["30.01", "29.99", "3000.00"])
def test_a_code_for_another_sum_is_never_shown(waiting, service, asked):
    confirm(waiting)
    wrong = told(waiting)["payload"].replace("540530.00", f"54{len(asked):02}{asked}")
    service.force(pixQrCodePayload=wrong)
    look_again(waiting, ExitCode.DISCREPANCIES)
    found = told(waiting, ExitCode.DISCREPANCIES)
    assert (found["funding"], found["payload"]) == ("mismatch", "")
    assert waiting.ask("status", code=ExitCode.DISCREPANCIES)["freeze"] is None


def test_an_expired_code_is_renewed_and_only_the_new_one_can_be_paid(waiting, service):
    confirm(waiting)
    old = told(waiting)["payload"]
    service.behave(payload_valid_s=0.001)
    assert service.fund(payload=old) == 409
    service.behave(payload_valid_s=3600)
    look_again(waiting)
    new = told(waiting)["payload"]
    assert service.fund(payload=new) == 200
    assert service.funded_cents == [3000]


def test_a_fee_that_is_not_paid_is_told_after_everybody_is_paid_until_the_service_has_it(label, service):
    service.behave(fee_rate="0.05", fee_paid_after_s=3600)
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    assert report.exit_code is ExitCode.DONE
    assert any("R$ 1,50" in message for message in report.messages)
    assert (told(label, 15)["funding"], told(label, 15)["fee_cents"]) == ("fee_unpaid", 150)
    service.behave(fee_paid_after_s=0)
    look_again(label, ExitCode.DONE)
    assert label.ask("funding")["reports"] == []


def test_a_fee_that_people_have_paid_is_asked_for_no_more(label, service):
    service.behave(fee_rate="0.05", fee_paid_after_s=3600)
    label.payments(payment(ANA, "10,00"))
    label.run()
    record(label, "0,50", code=ExitCode.DONE)
    assert told(label, 0)["funding"] == "done"


@pytest.mark.parametrize(
    ("assumed", "found"), [("unknown", "not_said"), ("pix", "not_said"), ("balance", "from_balance")]
)
def test_a_report_without_a_code_says_no_more_than_is_known(label, service, monkeypatch, assumed, found):
    monkeypatch.setenv("REPASSE_ASSUME_FUNDING", assumed)
    service.behave(funding="balance")
    label.declare(**SOON)
    label.payments(payment(ANA, "10,00"))
    label.run()
    assert told(label)["funding"] == found
    service.fund()
    settle_to_the_end(label)
    assert service.paid == [1000]


def test_what_is_paid_from_the_beginning_waits_for_nobody(label, service):
    label.payments(payment(ANA, "10,00"))
    assert label.run().exit_code is ExitCode.DONE
    assert label.ask("funding")["reports"] == []


def test_two_people_confirm_a_receiver_where_plans_take_two(label, service):
    service.behave(funding="pix")
    label.declare(**SOON, approval={"above": "0.00", "approvers": 2})
    label.payments(payment(ANA, "10,00"))
    report = label.run()
    label.approve(report.summary.plan_digest, "10,00", "bia")
    label.approve(report.summary.plan_digest, "10,00", "caio")
    label.run(yes=False)
    assert "two people" in confirm(label, ExitCode.APPROVAL_WANTED)
    confirm(label, by=("--by", "bia", "--by", "caio", "--evidence", "contrato"))
    assert told(label)["funding"] == "yours_to_pay"


def test_strangers_are_told_the_sum_and_not_the_receiver(waiting):
    confirm(waiting)
    payload = told(waiting)["payload"]
    with for_strangers():
        printed = waiting.say("funding", code=ExitCode.STILL_OPEN).output + str(told(waiting))
    assert "SANDBOX" not in printed
    assert payload not in printed
    assert "R$ 30.00" in printed
