"""`repasse account` and `repasse owed`: one payee over all periods, and everybody on one day."""

import csv
import datetime as dt
import json
import random
import sqlite3
from pathlib import Path

import pytest
from openpyxl import load_workbook
from pypdf import PdfReader

from flows.settings import ACTS_HEAD, read_settings
from io_adapters.ledger.acts import ChainHead
from io_adapters.ledger.engine import Seal
from schemas.account import WHERE_IT_IS
from schemas.acts import BEGINNING, Act, ActKind, chained
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
        for entry in account["entries"]:
            assert entry["came_in_cents"] == sum(entry[name] for name in WHERE_IT_IS)
        owed_cents = sum(entry["owed_cents"] for entry in account["entries"])
        assert account["closing_cents"] == account["opening_cents"] + owed_cents
    return document["accounts"]


def told(account):
    """Of each entry: what it is, of which period, what came in, and where it went; what is owed since."""
    return [
        (
            entry["kind"],
            entry["period"],
            entry["came_in_cents"],
            {name: entry[name] for name in WHERE_IT_IS if entry[name]},
        )
        for entry in account["entries"]
    ]


@pytest.mark.long
@pytest.mark.journey
def test_a_payee_sees_day_by_day_what_came_in_was_recouped_sent_and_paid(royalties, service):
    run(royalties, "07", "180,00")
    run(royalties, "08", "40,00")
    run(royalties, "09", "60,00")
    (account,) = accounts_of(royalties, ANA)
    assert told(account) == [
        ("read", "2026-07", 4500, {"owed_cents": 4500}),
        ("recoup", "2026-07", 0, {"recouped_cents": 4000, "owed_cents": -4000}),
        ("read", "2026-08", 1000, {"owed_cents": 1000}),
        ("read", "2026-09", 1500, {"owed_cents": 1500}),
        ("send", "2026-09", 0, {"transit_cents": 3000, "owed_cents": -3000}),
        ("report", "2026-09", 0, {"transit_cents": -3000, "paid_cents": 3000}),
    ]
    assert (account["opening_cents"], account["closing_cents"]) == (0, 0)
    (paid,) = account["payments"]
    assert (paid["amount_cents"], paid["place"], paid["report"][:3]) == (3000, "paid", "rp-")
    assert paid["sent_at"]
    assert (
        sum(entry["final_amount_cents"] for report in service.reports for entry in report["payments"])
        == 4500 + 1000 + 1500 + 3000
    )


def test_what_was_sent_names_its_report_in_the_entry_and_in_the_payment(royalties):
    run(royalties, "07", "180,00")
    with royalties.ledger() as ledger:
        (newest,) = ledger.runs.list(limit=1)
        (submission,) = ledger.submissions.list(bodies=False)
    (account,) = accounts_of(royalties, BIA)
    assert {entry["report"] for entry in account["entries"] if entry["kind"] in {"send", "report"}} == {submission.id}
    assert [(payment["run_id"], payment["report"]) for payment in account["payments"]] == [
        (newest.run_id, submission.report_id)
    ]


def test_some_days_open_with_what_was_owed_before_them_and_end_with_what_is_owed_after(royalties, home):
    run(royalties, "11", "40,00")
    run(royalties, "12", "20,00")
    a_month_passes(home, 400)
    royalties.write("2027-01-a.xlsx", [line("60,00", "Faixa nova")])
    run(royalties, "12", period="2027-01")
    before, year = TODAY - dt.timedelta(days=400), TODAY.year
    for days in (["--to", before + dt.timedelta(days=1)], ["--from", before, "--to", TODAY - dt.timedelta(days=30)]):
        (of_last_year,) = accounts_of(royalties, BIA, *map(str, days))
        assert (of_last_year["opening_cents"], of_last_year["closing_cents"]) == (0, 1500)
        assert [entry["period"] for entry in of_last_year["entries"]] == ["2026-11", "2026-12"]
        assert of_last_year["payments"] == [], "what was sent later is of later days"
    (of_this_year,) = accounts_of(royalties, BIA, "--year", str(year))
    assert told(of_this_year)[0] == ("read", "2027-01", 1500, {"owed_cents": 1500})
    assert (of_this_year["opening_cents"], of_this_year["closing_cents"]) == (1500, 0)
    assert [payment["amount_cents"] for payment in of_this_year["payments"]] == [3000]
    assert accounts_of(royalties, BIA, "--year", "2020") == []
    assert "nada foi lançado" in royalties.say("account", BIA.tax_id, "--year", "2020").output
    royalties.say("account", BIA.tax_id, "--year", str(year), "--to", str(TODAY), code=10)
    royalties.say("account", BIA.tax_id, "--to", "ontem", code=10)


def test_a_correction_has_a_line_and_a_day_of_its_own_and_the_days_before_are_told_as_they_were(royalties, home):
    run(royalties, "07", "400,00")
    a_month_passes(home)
    then = TODAY - dt.timedelta(days=29)
    (before,) = accounts_of(royalties, BIA, "--to", str(then))
    royalties.write("2026-07-b.xlsx", [line("-36,00", "Faixa 07")])
    run(royalties, "07")
    (account,) = accounts_of(royalties, BIA)
    assert told(account)[-1] == ("read", "2026-07", -900, {"owed_cents": -900})
    assert account["closing_cents"] == -900
    assert accounts_of(royalties, BIA, "--to", str(then)) == [before]


@pytest.mark.parametrize("outcome", ["DONE", "ERROR"])
def test_a_day_that_is_over_is_told_again_as_it_was_whatever_became_of_its_reports_since(label, home, service, outcome):
    service.behave(processing_after_s=3600, done_after_s=3600)
    label.declare(settle={"every_s": "0.1", "for_s": "0"})
    label.payments(payment(BIA, "30,00", "show"))
    label.run()
    a_month_passes(home)
    then = str(TODAY - dt.timedelta(days=29))
    before = label.ask("account", BIA.name, "--to", then)
    figures = {"donePayments": 1, "paidAmount": 30} if outcome == "DONE" else {"donePayments": 0, "paidAmount": 0}
    service.force(status=outcome, pendingPayments=0, **figures)
    label.type("settle")
    assert [payment["place"] for payment in before["accounts"][0]["payments"]] == ["processing"]
    assert label.ask("account", BIA.name, "--to", then) == before
    assert (
        label.ask("account", BIA.name)["accounts"][0]["payments"][0]["place"]
        == {
            "DONE": "paid",
            "ERROR": "failed",
        }[outcome]
    )


def test_a_row_of_a_sheet_and_a_held_balance_stand_in_the_account_with_their_reason_beside_them(royalties):
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    royalties.payments(payment(ANA, "12,00", "show"))
    sources = [
        {"files": "{period}-*.xlsx", "layout": "royalties"},
        {"files": "payments.xlsx", "layout": "payments"},
    ]
    run(royalties, "07", "100,00", sources=sources, outputs={"folder": "out", "statements": True})
    (of_ana,) = accounts_of(royalties, ANA)
    sums = {name: sum(entry[name] for entry in of_ana["entries"]) for name in ("came_in_cents", *WHERE_IT_IS)}
    assert {name: cents for name, cents in sums.items() if cents} == {
        "came_in_cents": 2500 + 1200,
        "recouped_cents": 2500,
        "paid_cents": 1200,
    }
    (advance_left,) = royalties.ask("account", ANA.tax_id)["advances"]
    assert (advance_left["reference"], advance_left["left_cents"]) == ("adv-1", 1500)
    (of_bia,) = accounts_of(royalties, BIA)
    assert told(of_bia) == [("read", "2026-07", 2500, {"owed_cents": 2500})]
    (held,) = of_bia["payments"]
    assert (held["place"], held["amount_cents"], "PIX" in held["reason"]) == ("held", 2500, True)


def test_a_later_period_that_moved_nothing_says_nothing_of_what_an_earlier_one_has_paid_since(royalties):
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    run(royalties, "07", "72,00")
    run(royalties, "09", "0,01")
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA)])
    run(royalties, "08", "8,00")
    (of_bia,) = accounts_of(royalties, BIA)
    assert sum(entry["paid_cents"] for entry in of_bia["entries"]) == 2000
    assert of_bia["closing_cents"] == 0
    assert [payment["place"] for payment in of_bia["payments"]] == ["paid"]


def test_a_payee_of_whom_a_plan_waits_has_the_payment_in_the_account_and_no_entry(royalties):
    run(royalties, "07", "400,00", yes=False)
    (of_bia,) = accounts_of(royalties, BIA)
    assert (of_bia["entries"], of_bia["closing_cents"]) == ([], 0)
    assert [(payment["place"], payment["amount_cents"]) for payment in of_bia["payments"]] == [("planned", 10000)]


def test_the_sheet_and_the_page_say_the_same_and_are_for_their_owners_eyes(royalties):
    run(royalties, "07", "180,00")
    run(royalties, "08", "400,00")
    sheet, page = royalties.folder / "conta.xlsx", royalties.folder / "conta.pdf"
    royalties.say("account", BIA.tax_id, "--out", sheet)
    royalties.say("account", BIA.tax_id, "--year", TODAY.year, "--out", page)
    assert {path.stat().st_mode & 0o777 for path in (sheet, page)} == {0o600}
    entries, payments = load_workbook(sheet).worksheets
    headers = [cell.value for cell in entries[2]]
    assert headers == ["Dia", "Período", "O quê", "Entrou", "Em trânsito", "Pago", "Saldo", "Relatório"]
    rows = [[cell.value for cell in row] for row in entries.iter_rows(min_row=3)]
    assert [row[2] for row in rows] == [
        "Saldo anterior", *["Valores das folhas", "Enviado para pagamento", "Resposta do serviço"] * 2, "Total",
    ]  # fmt: skip
    assert rows[-1][3:7] == [145, 0, 145, 0]
    assert [row[6] for row in rows] == [0, 45, 0, 0, 100, 0, 0, 0]
    assert [row[2].value for row in payments.iter_rows(min_row=3)] == [100, 45]
    assert {row[5].value.date() for row in payments.iter_rows(min_row=3)} <= {TODAY, NOW}
    assert {row[5].number_format for row in payments.iter_rows(min_row=3)} == {"dd/mm/yyyy"}
    text = " ".join(sheet_page.extract_text() for sheet_page in PdfReader(page).pages)
    assert "145,00" in text
    assert "Conta do favorecido" in text
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
        days = f"-{days} days"
        ledger.execute(
            "UPDATE journal_entries SET day = date(day, ?), month = substr(date(day, ?), 1, 7)", (days, days)
        )
    chain_again(home)


def chain_again(home: Path) -> None:
    """Let the acts, whose days have moved, follow from each other as the program would have written them."""
    seal, previous, number = Seal(read_settings().key_of_approvals), BEGINNING, 0
    with sqlite3.connect(home / "ledger.db") as ledger:
        rows = ledger.execute('SELECT id, kind, "by", subject, why, at, facts_json FROM acts ORDER BY id').fetchall()
        for number, kind, by, subject, why, at, facts in rows:
            moment = dt.datetime.fromisoformat(at).replace(tzinfo=dt.UTC)
            sha256 = chained(previous, Act(ActKind(kind), by, subject, why, moment, json.loads(facts)))
            values = (previous, sha256, seal.of("act", sha256), number)
            ledger.execute("UPDATE acts SET previous = ?, sha256 = ?, seal = ? WHERE id = ?", values)
            previous = sha256
    head = ChainHead(home / ACTS_HEAD, seal)
    head.forget()
    head.keep(number, previous)


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


def test_what_is_owed_is_told_with_its_age_and_summed_up_by_it(royalties, home):
    """Of Bia what is held since July is over 30 days old, although more has come since; of Ana what is carried."""
    royalties.write("payees.xlsx", [payee(ANA), payee(BIA) | {"Chave Pix": "no key"}])
    run(royalties, "07", "180,00")
    a_month_passes(home, 40)
    run(royalties, "08", "20,00")
    since = {due["name"]: due["since"] for due in royalties.ask("owed", "--at", TODAY)["owed"]}
    assert since == dict.fromkeys((ANA.name, BIA.name), str(TODAY - dt.timedelta(days=40)))
    out = royalties.folder / "devido.xlsx"
    royalties.say("owed", "--at", TODAY, "--out", out)
    totals, sums = load_workbook(out)
    assert [cell.value for cell in totals[2]] == [
        *("Moeda", "Situação", "Valor", "Até 30 dias", "31 a 60 dias", "61 a 90 dias", "Mais de 90 dias"),
    ]
    ages = {row[1].value: [cell.value for cell in row[2:]] for row in totals.iter_rows(min_row=3)}
    assert ages == {"Levado ao próximo período": [10, 0, 10, 0, 0], "Retido": [50, 0, 50, 0, 0]}
    assert sums.cell(2, sums.max_column).value == "Devido desde"


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
    assert account["closing_cents"] == 1700


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
        ["BRL", "Levado ao próximo período", 20, 20, 0, 0, 0]
    ]
    assert [row[4].value for row in sums.iter_rows(min_row=3)] == [
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
        assert account["closing_cents"] == carried.get(who.tax_id, 0)
        carries = [due["amount_cents"] for due in owed if (due["name"], due["place"]) == (who.name, "carried")]
        assert sum(carries) == carried.get(who.tax_id, 0)


def unpaid(label, day):
    """What was owed at the end of a day, as programs read it, and for how many days it was."""
    found = label.ask("owed", "--at", day)["owed"]
    ages = [due["since"] and (day - dt.date.fromisoformat(due["since"])).days for due in found]
    return sorted(json.dumps(due | {"since": age}, sort_keys=True) for due, age in zip(found, ages, strict=True))


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


def test_the_key_says_apart_from_the_journal_whose_each_code_is(royalties):
    royalties.payments(payment(CAIO, "12,00", "show"))
    sources = [{"files": "{period}-*.xlsx", "layout": "royalties"}, {"files": "payments.xlsx", "layout": "payments"}]
    run(royalties, "07", "180,00", sources=sources)
    run(royalties, "08", "4,00")
    journal, key = royalties.folder / "diario.csv", royalties.folder / "codigos.xlsx"
    days = ["--from", "2020-01-01", "--to", "2099-12-31"]
    document = royalties.ask("journal", *days, "--out", journal, "--key", key)
    assert document["key"] == str(key)
    assert key.stat().st_mode & 0o777 == 0o600
    (sheet,) = load_workbook(key).worksheets
    rows = [[cell.value for cell in row] for row in sheet.iter_rows(min_row=3)]
    named = {code: (account, tax_id, job, reference) for code, account, _, tax_id, job, reference in rows}
    whose = {tax_id: code for code, (_, tax_id, _, _) in named.items() if code.startswith("P")}
    assert whose.keys() == {ANA.tax_id, BIA.tax_id}
    advances = [about for code, about in named.items() if code.startswith("A")]
    assert [(tax_id, reference) for _, tax_id, _, reference in advances] == [(ANA.tax_id, "adv-1")]
    assert [tax_id for code, (_, tax_id, _, _) in named.items() if code.startswith("R")] == [CAIO.tax_id]
    with journal.open(encoding="utf-8", newline="") as stream:
        booked = list(csv.DictReader(stream))
    assert {account for account, *_ in named.values()} <= {row["account"] for row in booked}
    assert private(journal.read_text(encoding="utf-8"))
    assert not [name for who in (ANA, BIA, CAIO) for name in who.name.split() if name in journal.read_text("utf-8")]
    for who in (ANA, BIA):
        assert royalties.ask("account", who.tax_id)["code"] == whose[who.tax_id]
        assert whose[who.tax_id] in royalties.say("account", who.tax_id).output
    (owed,) = [due for due in royalties.ask("owed", "--at", NOW)["owed"] if due["name"] == BIA.name]
    assert owed["code"] == whose[BIA.tax_id]
    royalties.say("journal", *days, "--out", journal, "--key", royalties.folder / "codigos.csv", code=10)
