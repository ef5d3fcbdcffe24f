"""What was paid and came back is owed again, exactly that, once: until another account or a person's word pays it.

Judged by what the service received and by what people are told. Held constant: one job in BRL whose payees' keys are
e-mails, at a terminal. Varied: rows or royalties, whole or a part, who says that it came back, what people do then, in
which month, and what becomes of the second payment.
"""

from datetime import UTC, datetime, timedelta

import pytest
from pypdf import PdfReader

from schemas.errors import ExitCode
from tests.flows.books import places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import summary_of

ANA, BIA, CAIO = people(3)
DAY = (datetime.now(UTC) - timedelta(hours=3)).date().isoformat()  # in Brazil
BY = ("--by", "bia", "--evidence", "extrato do banco")


def key_of(service, cents=1000):
    """The payment of the first report that pays so much."""
    return next(p["extPaymentId"] for p in service.reports[0]["payments"] if p["final_amount_cents"] == cents)


def came_back(label, key, amount, code=0, by=BY, day=DAY):
    return label.ask("returned", key, f"--amount={amount}", "--day", day, *by, code=code)


def decide(label, key, *words, code=0):
    return label.say("decide", key, *words, *BY, code=code)


def owed(label):
    return {(due["kind"], due["place"]): due["amount_cents"] for due in label.ask("owed", "--at", DAY)["owed"]}


@pytest.fixture
def paid(label, service):
    """Ana and Bia have 10.00 and 20.00."""
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert places(summary_of(label.run())) == {"paid": 3000}
    return label


def test_what_came_back_is_owed_and_waits_for_a_decision(paid, service):
    told = came_back(paid, key_of(service), "10,00")
    assert told["obligation"] == f"{key_of(service)}/r1"
    assert [act["kind"] for act in paid.ask("acts")["acts"]].count("returned") == 1
    assert "Devolvido 10,00" in paid.say("explain", ANA.name).output
    assert owed(paid) == {("returned", "returned"): 1000}
    again = paid.run()
    assert (places(summary_of(again)), again.exit_code) == ({"duplicate": 3000, "returned": 1000}, ExitCode.ROWS_HELD)
    assert owed(paid) == {("returned", "returned"): 1000}
    assert "--same-account" in paid.say("status", code=ExitCode.ROWS_HELD).output
    assert service.posts == 1


def test_the_books_of_the_run_that_paid_say_what_its_payees_have(label, service):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    first = label.run()
    came_back(label, key_of(service), "4,00")
    label.say("settle")
    assert places(summary_of(first)) == {"paid": 2600, "returned": 400}
    account = label.ask("account", ANA.name, "--from", DAY, "--to", DAY)["accounts"][0]
    assert {(line["kind"], line["place"]): line["amount_cents"] for line in account["payments"]} == {
        ("payment", "paid"): 600, ("returned", "returned"): 400
    }  # fmt: skip


def test_another_account_of_the_row_pays_exactly_what_came_back(paid, service):
    key = key_of(service)
    came_back(paid, key, "4,00")
    paid.payments(payment(ANA, "10,00", Chave_Pix=CAIO.destination.pix_key), payment(BIA, "20,00"))
    again = paid.run()
    assert places(summary_of(again)) == {"duplicate": 3000, "paid": 400}
    assert service.paid == [400, 1000, 2000]
    assert service.reports[-1]["extPaymentIds"] == [f"{key}/r1"]
    assert service.reports[-1]["reportId"] in paid.say("explain", f"{key}/r1").output
    assert places(summary_of(paid.run())) == {"duplicate": 3400}
    assert service.posts == 2


def test_the_same_account_is_paid_again_on_a_persons_word_alone(paid, service):
    key = f"{key_of(service)}/r1"
    came_back(paid, key_of(service), "10,00")
    assert "--same-account" in decide(paid, key, "--pay", code=ExitCode.USAGE).output
    decide(paid, key, "--pay", "--same-account")
    assert places(summary_of(paid.run())) == {"duplicate": 3000, "paid": 1000}
    assert service.paid_for.count(key) == 1
    decide(paid, key, "--pay", "--same-account", code=ExitCode.USAGE)


def test_what_came_back_can_be_kept_by_the_owner_or_be_paid_outside(paid, service):
    key = key_of(service)
    came_back(paid, key, "4,00")
    came_back(paid, key, "6,00")
    assert "R$ 0.00" in paid.say("returned", key, "--amount=0,01", "--day", DAY, *BY, code=ExitCode.USAGE).output
    decide(paid, f"{key}/r1", "--drop")
    decide(paid, f"{key}/r2", "--paid")
    assert places(summary_of(paid.run())) == {"duplicate": 3000}
    decide(paid, f"{key}/r1", "--pay", "--same-account", code=ExitCode.USAGE)
    came_back(paid, key, "-6,00", code=ExitCode.USAGE)
    assert owed(paid) == {}
    assert service.posts == 1


def test_what_was_recorded_wrongly_is_taken_back_while_nothing_came_of_it(paid, service):
    key = key_of(service)
    came_back(paid, key, "4,00")
    came_back(paid, key, "-5,00", code=ExitCode.USAGE)
    came_back(paid, key, "-4,00")
    came_back(paid, key, "-4,00", code=ExitCode.USAGE)
    assert places(summary_of(paid.run())) == {"duplicate": 3000}
    came_back(paid, key, "4,00")
    assert places(summary_of(paid.run())) == {"duplicate": 3000, "returned": 400}
    decide(paid, f"{key}/r2", "--pay", "--same-account")
    paid.run()
    came_back(paid, key, "-4,00", code=ExitCode.USAGE)
    assert service.paid == [400, 1000, 2000]


def test_a_row_whose_payment_did_not_come_back_after_all_is_in_conflict_with_another_account(paid, service):
    key = key_of(service)
    came_back(paid, key, "10,00")
    came_back(paid, key, "-10,00")
    paid.payments(payment(ANA, "10,00", Chave_Pix=CAIO.destination.pix_key), payment(BIA, "20,00"))
    assert places(summary_of(paid.run())) == {"duplicate": 2000, "conflict": 1000}
    assert service.posts == 1


def test_royalties_that_came_back_are_paid_with_the_next_month_and_never_netted(label, service):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write("2026-10.xlsx", [line("100,00", month="2026-10")])
    label.write("2026-11.xlsx", [line("60,00", month="2026-11")])
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    sources = [{"files": "{period}.xlsx", "layout": "royalties"}]
    label.declare(period="2026-10", sources=sources, **tables)
    assert places(summary_of(label.run())) == {"paid": 10000}
    key = key_of(service, 5000)
    came_back(label, key, "50,00")
    label.declare(period="2026-11", sources=sources, **tables)
    assert places(summary_of(label.run())) == {"paid": 6000, "returned": 5000}
    decide(label, f"{key}/r1", "--pay", "--same-account")
    assert places(summary_of(label.run())) == {"duplicate": 6000, "paid": 5000}
    for who in (ANA, BIA):
        for month in ("2026-10", "2026-11"):
            label.say("explain", who.name, "--period", month)
    label.declare(period="2026-10", sources=sources, **tables)
    assert places(summary_of(label.run())) == {"duplicate": 10000}
    assert service.paid == [3000, 3000, 5000, 5000, 5000]


def test_a_second_payment_may_come_back_too_and_is_owed_under_its_own_key(paid, service):
    key = key_of(service)
    came_back(paid, key, "10,00")
    decide(paid, f"{key}/r1", "--pay", "--same-account")
    paid.run()
    came_back(paid, f"{key}/r1", "3,00")
    decide(paid, f"{key}/r1/r1", "--pay", "--same-account")
    assert places(summary_of(paid.run())) == {"duplicate": 4000, "paid": 300}
    assert service.paid == [300, 1000, 1000, 2000]


def test_a_second_payment_that_fails_is_owed_again(paid, service):
    key = key_of(service)
    came_back(paid, key, "10,00")
    decide(paid, f"{key}/r1", "--pay", "--same-account")
    service.behave(processing_after_s=3600, done_after_s=3600)
    paid.declare(settle={"every_s": "0.1", "for_s": "0"})
    paid.run()
    service.force(status="ERROR", donePayments=0, paidAmount=0)
    paid.say("settle", code=ExitCode.DISCREPANCIES)
    service.behave(processing_after_s=0, done_after_s=0)
    paid.declare()
    again = paid.run()
    assert places(summary_of(again)) == {"duplicate": 3000, "planned": 1000}  # a second attempt wants a person's yes
    paid.approve(summary_of(again)["plan_digest"], "10,00", by="caio")
    assert places(summary_of(paid.run())) == {"duplicate": 3000, "paid": 1000}
    assert service.posts == 3


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("--amount=10,01", "--day", DAY), "10.00"),
        (("--amount=0,00", "--day", DAY), ""),
        (("--amount=-1,00", "--day", DAY), ""),
        (("--amount=1,00", "--day", "2026-01-01"), DAY),
        (("--amount=1,00", "--day", "2099-01-01"), ""),
        (("--amount=1,00", "--day", "ontem"), ""),
    ],
)
def test_what_cannot_have_come_back_is_not_recorded(paid, service, words, says):
    refused = paid.say("returned", key_of(service), *words, *BY, code=ExitCode.USAGE)
    assert says in refused.output
    paid.say("returned", "ob-" + "a" * 26, "--amount=1,00", "--day", DAY, *BY, code=ExitCode.USAGE)
    assert "returned" not in [act["kind"] for act in paid.ask("acts")["acts"]]


def look(label, code=0):
    return label.say("settle", code=code).output


def standing(label):
    """Sum and state of everything that came back, by the payments' own words."""
    with label.ledger() as ledger:
        return [(each.amount_cents, each.state.value) for each in ledger.returns.all() if each.counts]


@pytest.mark.parametrize(("amount", "of"), [("10.00", "whole"), ("20.00", "whole"), ("30.00", "both")])
def test_a_report_that_goes_back_opens_the_difference_alone(paid, service, amount, of):
    given = {"10.00": [1000], "20.00": [2000], "30.00": [1000, 2000]}[amount]
    for cents in given:
        assert service.give_back(key_of(service, cents), f"{cents / 100:.2f}") == 200
    assert "repasse returned" in look(paid, ExitCode.DISCREPANCIES)
    assert sorted(standing(paid)) == [(cents, "unconfirmed") for cents in given]
    look(paid)
    again = paid.run()
    whole = sum(given)
    assert places(summary_of(again)) == {"duplicate": 3000, "returned": whole}
    for cents in given:
        decide(paid, f"{key_of(service, cents)}/r1", "--pay", "--same-account", code=ExitCode.USAGE)
        came_back(paid, key_of(service, cents), f"{cents // 100},00", code=ExitCode.APPROVAL_WANTED)
        came_back(paid, key_of(service, cents), f"{cents // 100},00", by=(*BY, "--by", "caio"))
        decide(paid, f"{key_of(service, cents)}/r1", "--pay", "--same-account")
    assert places(summary_of(paid.run())) == {"duplicate": 3000, "paid": whole}
    assert service.paid == sorted([*given, 1000, 2000])


def test_what_people_recorded_is_not_opened_again_when_the_report_shows_it(paid, service):
    key = key_of(service)
    came_back(paid, key, "10,00")
    service.give_back(key, "10.00")
    look(paid, ExitCode.DISCREPANCIES)
    look(paid)
    assert standing(paid) == [(1000, "open")]


def test_a_part_that_comes_back_of_several_is_nobodys_until_a_person_names_the_payment(paid, service):
    key = key_of(service)
    service.give_back(key, "4.00")
    for _ in range(2):
        assert "repasse returned" in look(paid, ExitCode.DISCREPANCIES)
    assert standing(paid) == [(400, "unconfirmed")]
    assert service.reports[0]["reportId"] in paid.say("status", code=ExitCode.ROWS_HELD).output
    came_back(paid, key, "3,00")
    look(paid, ExitCode.DISCREPANCIES)
    assert sorted(standing(paid)) == [(100, "unconfirmed"), (300, "open")]
    came_back(paid, key, "1,00")
    look(paid, ExitCode.DISCREPANCIES)  # the run's books are written anew
    look(paid)
    assert sorted(standing(paid)) == [(100, "open"), (300, "open")]
    assert places(summary_of(paid.run())) == {"duplicate": 3000, "returned": 400}


def test_a_report_that_says_paid_again_withdraws_what_it_alone_had_shown(paid, service):
    key = key_of(service)
    service.give_back(key, "10.00")
    look(paid, ExitCode.DISCREPANCIES)
    service.give_back(key, "-10.00")
    look(paid, ExitCode.DISCREPANCIES)
    assert standing(paid) == []
    look(paid)
    assert places(summary_of(paid.run())) == {"duplicate": 3000}
    service.give_back(key, "10.00")
    look(paid, ExitCode.DISCREPANCIES)
    assert standing(paid) == [(1000, "unconfirmed")]


def test_a_report_that_says_paid_again_of_what_was_paid_anew_freezes_sending(paid, service):
    key = key_of(service)
    service.give_back(key, "10.00")
    look(paid, ExitCode.DISCREPANCIES)
    came_back(paid, key, "10,00", by=(*BY, "--by", "caio"))
    decide(paid, f"{key}/r1", "--pay", "--same-account")
    paid.run()
    service.give_back(key, "-10.00")
    look(paid, ExitCode.FROZEN)
    assert service.posts == 2


def test_what_payees_are_sent_says_what_came_back(label, service):
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    label.write("2026-10.xlsx", [line("100,00", month="2026-10")])
    sources = [{"files": "{period}.xlsx", "layout": "royalties"}]
    outputs = {"folder": "out", "statements": True, "formats": ["json"]}
    label.declare(sources=sources, payees="payees.xlsx", shares="shares.xlsx", outputs=outputs)
    report = label.run()
    came_back(label, key_of(service, 5000), "20,00")
    label.say("settle")
    assert places(summary_of(report)) == {"paid": 8000, "returned": 2000}
    pages = [PdfReader(path).pages[0].extract_text() for path in label.folder.rglob("*.pdf")]
    assert len(pages) == 2
    assert ["Devolvido" in page for page in sorted(pages, key=lambda page: "Devolvido" in page)] == [False, True]
    decide(label, f"{key_of(service, 5000)}/r1", "--pay", "--same-account")
    again = label.run()
    assert places(summary_of(again)) == {"duplicate": 10000, "paid": 2000}
    paths = {path.name for path in again.outputs if path.suffix == ".pdf"}
    texts = [PdfReader(path).pages[0].extract_text() for path in label.folder.rglob("*.pdf") if path.name in paths]
    assert ["Devolvido, pago de novo" in text for text in sorted(texts, key=len)][-1]
    assert all("R$ 50,00" in text for text in texts)  # what each has: 30,00 and 20,00 again, or 50,00
