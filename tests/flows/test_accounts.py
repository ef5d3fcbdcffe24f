"""`repasse account` and `repasse owed`: one payee over all periods, and everybody on one day."""

import datetime as dt
import json
import random
import sqlite3
from pathlib import Path

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from schemas.job import BRASILIA
from schemas.journal import AccountKind, Series
from tests.flows.jobs import JOB, PAYER, advance, line, payee, payment, people, private, share
from tests.flows.oracle import CREATE

ANA, BIA, CAIO = people(3)
TODAY = dt.datetime.now(tz=BRASILIA).date()
NOW = TODAY + dt.timedelta(days=1)  # whatever happens while a test runs has happened by the end of that day
pytestmark = pytest.mark.long


@pytest.fixture
def royalties(label, service):
    """Ana and Bia have a quarter each; Ana has an advance of 40.00; less than 20.00 is carried."""
    label.write("payees.xlsx", [payee(ANA), payee(BIA)])
    label.write("shares.xlsx", [share(ANA, "25"), share(BIA, "25")])
    label.write("advances.csv", [advance(ANA, "40,00")])
    return label


def run(label, month, amount=None, *, yes=True, **changes):
    if amount is not None:
        label.write(f"2026-{month}-a.xlsx", [line(amount, f"Faixa {month}")])
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}]
    tables = {"payees": "payees.xlsx", "shares": "shares.xlsx", "advances": "advances.csv"}
    rules = {"minimum_payout": "20.00"}
    label.declare(**{"period": f"2026-{month}", "sources": sources, "rules": rules} | tables | changes)
    return label.run(yes=yes)


def accounts_of(label, who, *words):
    document = label.ask("account", who.tax_id, *words)
    assert private(json.dumps(document, ensure_ascii=False))
    assert private(label.say("account", who.tax_id, *words).output)
    for account in document["accounts"]:
        for period in account["periods"]:
            came_in = period["earned_cents"] + period["rows_cents"] + period["carried_in_cents"]
            assert came_in == sum(period["groups_cents"].values())
    return document["accounts"]


def told(account):
    """Earned, carried in, and where it is, of each period."""
    return [
        (period["period"], period["earned_cents"], period["carried_in_cents"], period["groups_cents"])
        for period in account["periods"]
    ]


@pytest.mark.journey
def test_a_payee_sees_what_was_earned_recouped_carried_and_paid_month_by_month(royalties, service):
    run(royalties, "07", "180,00")
    run(royalties, "08", "40,00")
    run(royalties, "09", "60,00")
    (account,) = accounts_of(royalties, ANA)
    assert told(account) == [
        ("2026-07", 4500, 0, {"recouped": 4000, "carried_out": 500}),
        ("2026-08", 1000, 500, {"carried_out": 1500}),
        ("2026-09", 1500, 1500, {"paid": 3000}),
    ]
    assert (account["opening_cents"], account["balance_cents"]) == (0, 0)
    (paid,) = account["payments"]
    assert (paid["amount_cents"], paid["place"], paid["report"][:3]) == (3000, "paid", "rp-")
    assert paid["sent_at"]
    assert (
        sum(entry["final_amount_cents"] for report in service.reports for entry in report["payments"])
        == 4500 + 1000 + 1500 + 3000
    )


def test_each_line_names_its_run_and_each_payment_its_report(royalties):
    run(royalties, "07", "180,00")
    with royalties.ledger() as ledger:
        (newest,) = ledger.runs.list(limit=1)
        (submission,) = ledger.submissions.list(bodies=False)
    (account,) = accounts_of(royalties, BIA)
    assert [period["run_id"] for period in account["periods"]] == [newest.run_id]
    assert [(payment["run_id"], payment["report"]) for payment in account["payments"]] == [
        (newest.run_id, submission.id)
    ]


def test_one_year_opens_with_what_the_last_one_carried(royalties):
    run(royalties, "11", "40,00")
    run(royalties, "12", "20,00")
    royalties.write("2027-01-a.xlsx", [line("60,00", "Faixa nova")])
    run(royalties, "12", period="2027-01")
    (of_2026,) = accounts_of(royalties, BIA, "--year", "2026")
    assert (of_2026["opening_cents"], of_2026["balance_cents"]) == (0, 1500)
    (of_2027,) = accounts_of(royalties, BIA, "--year", "2027")
    assert told(of_2027) == [("2027-01", 1500, 1500, {"paid": 3000})]
    assert (of_2027["opening_cents"], of_2027["balance_cents"]) == (1500, 0)
    assert "2024" in royalties.say("account", BIA.tax_id, "--year", "2024", code=10).output


def test_rows_of_payments_and_held_sums_have_their_columns(royalties):
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    royalties.payments(payment(ANA, "12,00", "show"))
    sources = [
        {"files": "{period}-*.xlsx", "layout": "royalties"},
        {"files": "payments.xlsx", "layout": "payments"},
    ]
    run(royalties, "07", "100,00", sources=sources, outputs={"folder": "out", "statements": True})
    (of_ana,) = accounts_of(royalties, ANA)
    assert told(of_ana) == [("2026-07", 2500, 0, {"recouped": 2500, "paid": 1200})]
    assert of_ana["periods"][0]["rows_cents"] == 1200
    assert of_ana["periods"][0]["advances_left_cents"] == 1500
    (of_bia,) = accounts_of(royalties, BIA)
    assert told(of_bia) == [("2026-07", 2500, 0, {"held": 2500})]


def test_a_later_period_that_moved_nothing_does_not_hold_what_an_earlier_one_has_paid_since(royalties):
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    run(royalties, "07", "72,00")
    run(royalties, "09", "0,01")
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA)])
    run(royalties, "08", "8,00")
    (of_bia,) = accounts_of(royalties, BIA)
    assert told(of_bia)[1:] == [("2026-08", 200, 1800, {"paid": 2000}), ("2026-09", 0, 0, {})]
    assert of_bia["balance_cents"] == 0


def test_the_sheet_and_the_page_say_the_same_and_are_for_their_owners_eyes(royalties):
    run(royalties, "07", "180,00")
    run(royalties, "08", "400,00")
    sheet, page = royalties.folder / "conta.xlsx", royalties.folder / "conta.pdf"
    royalties.say("account", BIA.tax_id, "--out", sheet)
    royalties.say("account", BIA.tax_id, "--year", "2026", "--out", page)
    assert {path.stat().st_mode & 0o777 for path in (sheet, page)} == {0o600}
    periods, payments = load_workbook(sheet).worksheets
    assert [cell.value for cell in periods[2]][:4] == ["Período", "Rendeu", "Linhas de pagamentos", "Saldo trazido"]
    assert [[cell.value for cell in row][:2] for row in periods.iter_rows(min_row=3)] == [
        ["julho de 2026", 45],
        ["agosto de 2026", 100],
        ["Total", 145],
    ]
    assert [row[2].value for row in payments.iter_rows(min_row=3)] == [45, 100]
    assert {row[5].value.date() for row in payments.iter_rows(min_row=3)} <= {TODAY, NOW}
    assert {row[5].number_format for row in payments.iter_rows(min_row=3)} == {"dd/mm/yyyy"}
    text = " ".join(sheet_page.extract_text() for sheet_page in PdfReader(page).pages)
    assert "145,00" in text
    assert "Conta do favorecido 2026" in text
    assert private(text)


def test_a_file_of_another_kind_is_refused_before_anything_is_written(royalties):
    run(royalties, "07", "180,00")
    for words in (["account", BIA.tax_id], ["owed", "--at", "2026-10-31"]):
        royalties.say(*words, "--out", royalties.folder / "conta.docx", code=10)
    royalties.say("owed", "--at", "31/10/2026", code=10)
    assert not list(royalties.folder.glob("conta*"))


def test_one_of_their_payments_stands_for_the_payee_and_strangers_are_not_found(royalties):
    run(royalties, "07", "180,00")
    run(royalties, "08", "200,00")
    (account,) = accounts_of(royalties, BIA)
    with royalties.ledger() as ledger:
        key = ledger.claims.trace(BIA.tax_id)[0].obligation_key
    assert royalties.ask("account", key)["accounts"] == [account]
    royalties.say("account", CAIO.tax_id, code=2)


def owed_on(label, day, *words):
    """What was owed at the end of a day: (name, period, standing) -> centavos."""
    document = label.ask("owed", "--at", day, *words)
    assert private(json.dumps(document, ensure_ascii=False))
    assert private(label.say("owed", "--at", day, *words).output)
    return {(due["name"], due["period"], due["place"]): due["amount_cents"] for due in document["owed"]}


def a_month_passes(home: Path, days: int = 30) -> None:
    """Let so many days pass: all that is on record moves back."""
    with sqlite3.connect(home / "ledger.db") as ledger:
        for (trigger,) in ledger.execute("SELECT name FROM sqlite_master WHERE type = 'trigger'").fetchall():
            ledger.execute(f'DROP TRIGGER "{trigger}"')
        tables = [name for (name,) in ledger.execute("SELECT name FROM sqlite_master WHERE type = 'table'")]
        for table in tables:
            for _, column, kind, *_ in ledger.execute(f'PRAGMA table_info("{table}")').fetchall():
                if kind == "DATETIME":
                    ledger.execute(
                        f"""UPDATE "{table}" SET "{column}" =
                            strftime('%Y-%m-%d %H:%M:%S', "{column}", '-{days} days') || substr("{column}", 20)
                            WHERE "{column}" IS NOT NULL"""  # noqa: S608
                    )


def test_what_is_carried_held_and_waiting_is_owed_and_what_is_paid_is_not(royalties):
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    run(royalties, "07", "180,00")
    assert owed_on(royalties, NOW) == {
        (ANA.name, "2026-07", "carried"): 500,
        (BIA.name, "2026-07", "held"): 4500,
    }
    assert owed_on(royalties, TODAY - dt.timedelta(days=1)) == {}


def test_a_plan_that_waits_is_owed_until_it_is_paid_and_the_day_before_is_told_as_it_was(royalties, home):
    royalties.write("2026-07-a.xlsx", [line("400,00", "Samba")])
    waiting = run(royalties, "07", yes=False)
    a_month_passes(home, 5)
    monday = TODAY - dt.timedelta(days=4)
    planned = {(ANA.name, "2026-07", "planned"): 6000, (BIA.name, "2026-07", "planned"): 10000}
    assert owed_on(royalties, NOW) == planned
    royalties.approve(waiting.summary.plan_digest, "360,00", "bia")
    royalties.run(yes=False)
    assert owed_on(royalties, NOW) == {}
    assert owed_on(royalties, monday) == planned


def test_only_the_last_period_owes_what_was_carried(royalties, home):
    run(royalties, "07", "40,00", advances=None)
    a_month_passes(home)
    run(royalties, "08", "20,00", advances=None)
    assert owed_on(royalties, NOW) == {(ANA.name, "2026-08", "carried"): 1500, (BIA.name, "2026-08", "carried"): 1500}
    assert owed_on(royalties, TODAY - dt.timedelta(days=29)) == {
        (ANA.name, "2026-07", "carried"): 1000,
        (BIA.name, "2026-07", "carried"): 1000,
    }


def test_what_a_late_statement_adds_to_a_closed_period_is_owed_too(royalties):
    run(royalties, "07", "40,00", advances=None)
    run(royalties, "08", "20,00", advances=None)
    royalties.write("2026-07-b.xlsx", [line("8,00", "Valsa")])
    run(royalties, "07", advances=None)
    document = royalties.ask("owed", "--at", NOW)
    of_bia = [due["amount_cents"] for due in document["owed"] if due["name"] == BIA.name]
    assert sum(of_bia) == 1000 + 500 + 200
    (account,) = accounts_of(royalties, BIA)
    assert account["balance_cents"] == 1700


def test_a_payment_in_doubt_is_owed_although_its_row_has_gone_from_the_sheet(label, service):
    label.payments(payment(ANA, "12,00", "show"))
    service.plant(CREATE, "drop", when="before")
    label.run()
    label.payments(payment(BIA, "5,00"))
    label.run(yes=False)
    owed = {(due["amount_cents"], due["place"]) for due in label.ask("owed", "--at", NOW)["owed"]}
    assert (1200, "in_doubt") in owed


def test_the_sheet_of_what_is_owed_names_people_in_full(royalties):
    run(royalties, "07", "40,00", advances=None)
    path = royalties.folder / "devido.xlsx"
    royalties.say("owed", "--at", NOW, "--out", path)
    totals, sums = load_workbook(path).worksheets
    assert [[cell.value for cell in row] for row in totals.iter_rows(min_row=3)] == [
        ["BRL", "Levado ao próximo período", 20]
    ]
    assert [row[3].value for row in sums.iter_rows(min_row=3)] == [
        who.tax_id for who in sorted([ANA, BIA], key=lambda who: who.name)
    ]


def test_over_random_months_an_account_closes_and_carries_on_what_the_ledger_does(royalties):
    chance = random.Random(20261123)
    for month in ("03", "04", "05", "06", "07"):
        run(royalties, month, f"{chance.randint(1, 200)},{chance.randint(0, 99):02}")
    for month in ("04", "06"):  # a statement that came late
        royalties.write(f"2026-{month}-b.xlsx", [line(f"{chance.randint(1, 90)},{chance.randint(0, 99):02}", "Tarde")])
        run(royalties, month)
    with royalties.ledger() as ledger:
        account = Series(JOB, PAYER, "BRL").account
        balances = ledger.journal.balances()
        carried = {who.tax_id: -balances.get(account(AccountKind.PAYEE, who.tax_id), 0) for who in (ANA, BIA)}
    owed = royalties.ask("owed", "--at", NOW)["owed"]
    for who in (ANA, BIA):
        (account,) = accounts_of(royalties, who)
        assert account["balance_cents"] == carried.get(who.tax_id, 0)
        carries = [due["amount_cents"] for due in owed if (due["name"], due["place"]) == (who.name, "carried")]
        assert sum(carries) == carried.get(who.tax_id, 0)


def unpaid(label, day):
    """What was owed at the end of a day, as programs read it."""
    return sorted(json.dumps(due, sort_keys=True) for due in label.ask("owed", "--at", day)["owed"])


@pytest.mark.parametrize("seed", range(3))
def test_what_was_owed_on_a_day_is_told_alike_on_that_day_and_ever_after(royalties, home, seed):
    chance, months, told = random.Random(seed), ["07"], []
    for _ in range(8):
        month = chance.choice(months)
        what = chance.choice(["statement", "plan", "key", "mended", "again", "next month"])
        if what == "next month":
            month = f"{len(months) + 7:02}"
            months.append(month)
        if what == "statement":
            number = len(list(royalties.folder.glob(f"2026-{month}-*.xlsx")))
            late = [line(f"{chance.randint(-40, 90)},{chance.randint(0, 99):02}", f"Tarde {number}")]
            royalties.write(f"2026-{month}-{number}.xlsx", late)
        if what in {"key", "mended"}:
            wrong = {"Chave Pix": "no key"} if what == "key" else {}
            royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | wrong])
        if not (royalties.folder / f"2026-{month}-a.xlsx").exists():
            royalties.write(f"2026-{month}-a.xlsx", [line(f"{chance.randint(10, 300)},50", f"Faixa {month}")])
        run(royalties, month, yes=what not in {"plan", "next month"})
        told.append(unpaid(royalties, NOW))
        a_month_passes(home, 2)
    for runs_ago, before in enumerate(reversed(told), start=1):
        assert unpaid(royalties, NOW - dt.timedelta(days=2 * runs_ago)) == before
