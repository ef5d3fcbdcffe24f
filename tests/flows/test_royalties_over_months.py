"""A team that starts in the middle of a year, and months that are run again after later ones."""

import hashlib

import pytest

from sample_data.making.people import masked
from schemas.errors import ExitCode
from schemas.journal import AccountKind
from tests.flows.books import places
from tests.flows.jobs import line, payee, payment, people, share
from tests.flows.label import summary_of

ANA, BIA = people(2)
pytestmark = pytest.mark.long


def balance(who, kind, period, amount, reference=""):
    """Write a row of the opening layout, as a Brazilian team would."""
    return {"CPF": masked(who.tax_id), "Tipo": kind, "Período": period, "Valor": amount, "Referência": reference}


@pytest.fixture
def royalties(label):
    """Ana and Bia have a quarter each, the label has the rest; every month has a statement of R$ 100.00."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "25"), share(BIA, "25")])
    for month, title in (("07", "Samba"), ("08", "Choro"), ("09", "Frevo")):
        label.write(f"2026-{month}-a.xlsx", [line("100,00", title, f"2026-{month}")])
    return label


def run(label, month, **changes):
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx"}
    label.declare(**{"period": f"2026-{month}", "sources": sources} | tables | changes)
    return label.run()


def final_cents(service, number):
    return sorted(entry["final_amount_cents"] for entry in service.reports[number]["payments"])


def test_an_opening_balance_that_contradicts_the_ledger_names_its_cell_and_holds_its_payee(royalties, service):
    run(royalties, "07")
    royalties.write(
        "abertura.xlsx", [balance(ANA, "saldo", "2026-08", "30,00"), balance(BIA, "sobra", "2026-08", "1,00")]
    )
    report = run(royalties, "08", opening="abertura.xlsx")
    assert report.exit_code == ExitCode.ROWS_HELD
    found = {(issue.code.value, issue.file, issue.cell, issue.column) for issue in report.issues}
    assert found == {
        ("OPENING_KIND", "abertura.xlsx", "B3", "Tipo"),
        ("OPENING_LEDGER", "abertura.xlsx", "C2", "Período"),
    }
    assert places(summary_of(report)) == {"held": 5000, "owner": 5000}
    assert service.posts == 1


# --- a statement under the wrong month --------------------------------------------------------------------------------


@pytest.fixture
def mistyped(royalties):
    """July's statement was run as August's, and all of it carried."""
    rules = {"rules": {"minimum_payout": "80.00"}}
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA)])
    royalties.write("shares.xlsx", [share(ANA, "50"), share(BIA, "50")])
    (royalties.folder / "2026-07-a.xlsx").rename(royalties.folder / "2026-08-x.xlsx")
    (royalties.folder / "2026-08-a.xlsx").rename(royalties.folder / "later.xlsx")
    report = run(royalties, "08", **rules)
    assert places(summary_of(report)) == {"carried": 10000}
    (royalties.folder / "2026-08-x.xlsx").rename(royalties.folder / "2026-07-a.xlsx")
    (royalties.folder / "later.xlsx").rename(royalties.folder / "2026-08-a.xlsx")
    return rules


def test_a_statement_that_was_only_carried_under_another_month_is_neither_paid_nor_on_its_way(royalties, mistyped):
    report = run(royalties, "07", **mistyped)
    assert report.exit_code == ExitCode.ROWS_REFUSED
    assert places(summary_of(report)) == {"held": 10000}
    assert [issue.code.value for issue in report.issues] == ["FILE_CARRIED"]
    said = royalties.say("run", royalties.job, "--yes", code=12).output
    assert "paid or on its way" not in said


def test_the_true_month_says_what_it_takes_back_and_the_statement_can_then_be_paid(royalties, service, mistyped):
    assert run(royalties, "08", **mistyped).exit_code == ExitCode.NO_SOUND_PLAN
    july = hashlib.sha256((royalties.folder / "2026-07-a.xlsx").read_bytes()).hexdigest()
    royalties.say("withdraw", july[:12], "--by", "Ana", "--why", "de julho", "--period", "2026-08")
    report = run(royalties, "08", **mistyped)
    assert (report.exit_code, report.issues) == (ExitCode.DONE, ())
    run(royalties, "07", **mistyped)
    run(royalties, "09", **mistyped)
    # One balance: July has paid what August had carried, and September's waits for the minimum.
    assert sum(sum(final_cents(service, number)) for number in range(service.posts)) == 20000
    with royalties.ledger() as ledger:
        carried = [-cents for account, cents in ledger.journal.balances().items() if account.kind is AccountKind.PAYEE]
    assert carried == [5000, 5000]


TOLD_OTHERWISE = {
    "the row is gone": lambda told: told[1:],
    "the other way about": lambda told: told[:1],
    "all of it": lambda told: [],
}


@pytest.mark.parametrize("later", TOLD_OTHERWISE.values(), ids=TOLD_OTHERWISE)
def test_what_was_paid_outside_is_not_paid_because_its_row_is_taken_out_of_the_opening_balances(label, service, later):
    label.payments(payment(ANA, "10,00", "show"), payment(ANA, "15,00", "clipe"), payment(BIA, "20,00"))
    told = [balance(ANA, "pago", "2026-10", "10,00", "show"), balance(BIA, "paid", "2026-10", "20,00")]
    label.write("abertura.xlsx", told)
    label.declare(opening="abertura.xlsx")
    label.run()
    if left := later(told):
        label.write("abertura.xlsx", left)
    label.declare(**{"opening": "abertura.xlsx"} if left else {})
    report = label.run()
    gone = sum({"show": 1000}.get(row["Referência"], 2000) for row in told if row not in left)
    assert report.exit_code == ExitCode.ROWS_HELD
    assert places(summary_of(report))["held"] == gone
    assert {issue.code.value for issue in report.issues} == {"OPENING_GONE"}
    assert service.paid == [1500]
    nothing = [row | {"Valor": "0,00"} if row not in left else row for row in told]
    label.write("abertura.xlsx", nothing)
    label.declare(opening="abertura.xlsx")
    label.run()
    assert sum(service.paid) == 1500 + gone


def test_royalties_paid_outside_are_not_paid_because_their_row_is_gone(royalties, service):
    royalties.write(
        "abertura.xlsx", [balance(ANA, "pago", "2026-07", "20,00"), balance(BIA, "saldo", "2026-07", "1,00")]
    )
    run(royalties, "07", opening="abertura.xlsx")
    sent = service.paid
    royalties.write("abertura.xlsx", [balance(BIA, "saldo", "2026-07", "1,00")])
    report = run(royalties, "07", opening="abertura.xlsx")
    assert service.paid == sent
    assert report.exit_code == ExitCode.ROWS_HELD
    run(royalties, "08", opening="abertura.xlsx")
    assert sum(service.paid) == sum(sent) + 5000  # August's own, and nothing of July's
    royalties.write(
        "abertura.xlsx", [balance(ANA, "pago", "2026-07", "0,00"), balance(BIA, "saldo", "2026-07", "1,00")]
    )
    run(royalties, "07", opening="abertura.xlsx")
    assert sum(service.paid) == sum(sent) + 5000 + 2000


def test_what_a_closed_period_gave_too_much_is_taken_back_in_the_next_one_and_once(royalties, service):
    run(royalties, "07")
    run(royalties, "08")
    royalties.write("2026-07-a.xlsx", [line("60,00", month="2026-07")])
    report = run(royalties, "07")
    assert places(summary_of(report)) == {"duplicate": 10000, "carried": -2000, "owner": -2000}
    run(royalties, "07")
    report = run(royalties, "09")
    assert (summary_of(report)["totals_cents"]["in"], final_cents(service, 2)) == (8000, [1500, 1500])
    run(royalties, "08")
    assert service.posts == 3
