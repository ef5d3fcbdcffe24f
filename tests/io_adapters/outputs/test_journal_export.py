"""The journal in accountants' formats: their programs accept it, and find out any line that was changed."""

import csv
import datetime as dt
import io
import os
import random
import re
import shutil
import subprocess
from collections import Counter
from decimal import Decimal

import pyarrow.parquet as pq
import pytest
from beancount import loader

from io_adapters.outputs.journal_export import Booked, JournalToExport, export_journal
from schemas.journal import (
    STATED,
    AccountKind,
    EntryKind,
    JournalAccount,
    JournalEntry,
    Series,
    Transfer,
    entry_id,
    postings_of,
)
from tests.spec.tables import CPF, PAYER

A, K = AccountKind, EntryKind
AURORA, BOREAL = Series("aurora-royalties", PAYER, "BRL"), Series("boreal", PAYER, "USD")
YEAR = dt.date(2026, 1, 1), dt.date(2026, 12, 31)
PEOPLE = tuple(CPF.values())[:3]


def life_of_a_year(seed=7):
    """A year in which everybody earns, repays, is taxed and paid, and now and then a report fails."""
    chance, booked = random.Random(seed), []

    def post(day, series, kind, moves):
        transfer = Transfer()
        for debit, credit, cents in moves:
            transfer.move(debit, credit, cents)
        name = entry_id(kind, len(booked))
        postings = postings_of(transfer.sums)
        booked.append(
            Booked(day, JournalEntry(name, kind, series, f"{day:%Y-%m}", day.replace(day=1), "rp-x", postings))
        )

    for month in range(1, 13):
        for series in (AURORA, BOREAL):
            day, of = dt.date(2026, month, chance.randint(2, 20)), series.account
            earned = {person: chance.randint(1_000, 90_000) for person in PEOPLE}
            post(day, series, K.READ, [
                *((of(A.SOURCE), of(A.PAYEE, person), cents) for person, cents in earned.items()),
                (of(A.SOURCE), of(A.OWNER), 5_000), (of(A.SOURCE), of(A.UNASSIGNED, reference="unshared"), 700),
            ])  # fmt: skip
            post(day, series, K.RECOUP, [(of(A.PAYEE, PEOPLE[0]), of(A.ADVANCE, PEOPLE[0], "disco"), 1_000)])
            send = [(of(A.PAYEE, person), of(A.TRANSIT, person), cents // 2) for person, cents in earned.items()]
            post(day, series, K.SEND, [
                *send, (of(A.PAYEE, PEOPLE[1]), of(A.TAX, PEOPLE[1], "IRRF"), 111),
                (of(A.OWNER), of(A.OWNER, reference=STATED), 5_000),
            ])  # fmt: skip
            later = day + dt.timedelta(days=chance.randint(1, 8))
            if chance.random() < 0.3:
                post(later, series, K.RELEASE, [(transit, payee, cents) for payee, transit, cents in send])
            else:
                post(later, series, K.REPORT, [
                    (transit, of(A.SERVICE, transit.payee), cents) for _, transit, cents in send
                ] + [(of(A.SERVICE), of(A.SERVICE_TAX), 33)])  # fmt: skip
    return sorted(booked, key=lambda found: found.day)


def journal(booked, since=YEAR[0], until=YEAR[1], codes=None):
    within = [found for found in booked if since <= found.day <= until]
    opening = Counter[JournalAccount]()
    for found in booked:
        for posting in found.entry.postings if found.day < since else ():
            opening[posting.account] += posting.amount_cents
    accounts = dict.fromkeys(posting.account for found in booked for posting in found.entry.postings)
    numbers = {account: number for number, account in enumerate(accounts, start=1)}
    standing = {account: cents for account, cents in sorted(opening.items()) if cents}
    return JournalToExport(within, standing, since, until, numbers, codes or {})


def errors_of(text):
    return loader.load_string(text)[1]


def test_an_exported_year_passes_bean_check_with_a_balance_of_every_payee_and_advance_each_month():
    text = export_journal(journal(life_of_a_year()), "beancount").decode()
    assert errors_of(text) == []
    asserted = re.findall(r"^2026-\d\d-01 balance Liabilities:Payee:Aurora-royalties:", text, re.MULTILINE)
    assert len(asserted) == 11 * len(PEOPLE)  # December's are of the next year's first day
    assert len(re.findall(r"^\S+ balance Assets:Advance", text, re.MULTILINE)) == 24


def undetected_changes(form, passes):
    """Two hundred changes of one line each that a program which checks the books does not find."""
    lines = export_journal(journal(life_of_a_year()), form).decode().splitlines()
    figures = [number for number, line in enumerate(lines) if re.search(r"-?\d+\.\d\d [A-Z]{3}( |$)", line)]
    chance, undetected = random.Random(11), []
    for number in chance.sample(figures, 200):
        changed = list(lines)
        changed[number] = mutated(lines[number], chance)
        if changed != lines and passes("\n".join(changed) + "\n"):
            undetected.append((lines[number], changed[number]))
    return undetected


@pytest.mark.long
def test_any_line_of_the_year_that_is_changed_is_found_out():
    assert undetected_changes("beancount", lambda text: not errors_of(text)) == []


def hledger_passes(text):
    command = [require_hledger(), "-f", "-", "check"]
    return subprocess.run(command, input=text.encode(), capture_output=True, check=False, timeout=60).returncode == 0


def require_hledger():
    found = shutil.which("hledger")
    if found is None:
        missing = pytest.fail if os.environ.get("REPASSE_REQUIRE_SYSTEM") else pytest.skip
        missing("hledger is not installed")
    return found


def test_an_exported_year_passes_hledger_check():
    assert hledger_passes(export_journal(journal(life_of_a_year()), "hledger").decode())


@pytest.mark.long
def test_any_line_of_the_year_that_is_changed_is_found_out_by_hledger():
    require_hledger()
    assert undetected_changes("hledger", hledger_passes) == []


def mutated(line, chance):
    """Change a line: another amount, another sign, another account, or none at all."""
    kind = chance.choice(["amount", "sign", "account", "gone"])
    if kind == "amount" or "balance" in line or " = " in line:
        tenth = r"(\d)\.(\d)"
        return re.sub(tenth, lambda digits: f"{digits[1]}.{(int(digits[2]) + 1) % 10}", line, count=1)
    if kind == "sign":
        return re.sub(r"  (-?)(\d+\.\d\d)", lambda found: f"  {'' if found[1] else '-'}{found[2]}", line)
    if kind == "account":
        return re.sub(r":P(\d+)", lambda found: f":P{int(found[1]) + 1}", line) if ":P" in line else ""
    return ""


@pytest.mark.parametrize("form", ["beancount", "hledger", "csv"])
def test_what_was_exported_stays_byte_for_byte_when_more_is_booked(form):
    booked = life_of_a_year()
    june = dt.date(2026, 6, 30)
    first = export_journal(journal(booked, until=june), form)
    assert export_journal(journal(booked), form).startswith(first)


def test_what_stood_before_the_first_day_opens_the_journal():
    text = export_journal(journal(life_of_a_year(), since=dt.date(2026, 7, 1)), "beancount").decode()
    assert '2026-07-01 * "opening" "balances before 2026-07-01"' in text
    assert errors_of(text) == []


def test_csv_and_parquet_say_the_same_to_the_centavo_and_name_the_codes_of_accounts():
    codes = {"Liabilities:Payee": "2.1", "Liabilities:Payee:Boreal": "2.2"}
    exported = journal(life_of_a_year(), codes=codes)
    rows = list(csv.DictReader(io.StringIO(export_journal(exported, "csv").decode())))
    table = pq.read_table(io.BytesIO(export_journal(exported, "parquet"))).to_pylist()
    assert [{name: str(value) for name, value in row.items()} for row in table] == rows
    sums = Counter()
    for row in table:
        sums[row["entry"], row["currency"]] += row["debit"] - row["credit"]
    assert not any(sums.values())
    assert {row["code"] for row in rows if ":Payee:" in row["account"]} == {"2.1", "2.2"}
    assert {row["code"] for row in rows if row["account"].startswith("Equity")} == {""}


@pytest.mark.parametrize("form", ["csv", "parquet"])
@pytest.mark.parametrize("cuts", [[], [7], [2, 7, 11], list(range(2, 13))])
def test_the_rows_of_any_cut_joined_are_those_of_the_whole_year(form, cuts):
    booked = life_of_a_year()
    firsts = [YEAR[0], *(dt.date(2026, month, 1) for month in cuts)]
    lasts = [*(day - dt.timedelta(days=1) for day in firsts[1:]), YEAR[1]]
    parts = [rows_of(journal(booked, since, until), form) for since, until in zip(firsts, lasts, strict=True)]
    assert [row for part in parts for row in part] == rows_of(journal(booked), form)


def rows_of(exported, form):
    content = export_journal(exported, form)
    if form == "csv":
        return list(csv.DictReader(io.StringIO(content.decode())))
    return pq.read_table(io.BytesIO(content)).to_pylist()


def test_one_centavo_that_is_moved_inside_an_entry_is_found_out_by_a_balance():
    """What beancount would pass over by itself: the entry still sums to zero."""
    lines = export_journal(journal(life_of_a_year()), "beancount").decode().splitlines()
    legs = [at for at, line in enumerate(lines) if re.search(r"^  (Liabilities:Payee|Assets:Advance)\S+  ", line)]
    pairs = [(at, at + 1) for at in legs if at + 1 in legs and lines[at].split()[-1] == lines[at + 1].split()[-1]]
    assert len(pairs) > 20
    for one, other in random.Random(3).sample(pairs, 20):
        changed = list(lines)
        for at, cents in ((one, 1), (other, -1)):
            changed[at] = re.sub(r"-?\d+\.\d\d", lambda found, by=cents: moved(found[0], by), lines[at], count=1)
        assert errors_of("\n".join(changed) + "\n"), (lines[one], lines[other])


def moved(amount, cents):
    return f"{Decimal(amount) + Decimal(cents).scaleb(-2):.2f}"


@pytest.mark.parametrize("form", ["beancount", "hledger", "csv", "parquet"])
def test_nobody_is_named_in_any_format(form):
    content = export_journal(journal(life_of_a_year()), form)
    assert not [person for person in (*PEOPLE, PAYER) if person.encode() in content]
