"""What a report that goes back shows: the difference alone, of whom arithmetic alone leaves no doubt, else of nobody.

A row says who was paid what, what is on record (p of a person, r of the report, b of both), what the report says was
paid and done by now, and what it shows beside that: seen, borne out, nobody's, paid again.
"""

import datetime as dt
from decimal import Decimal

import pytest

from flows.reports.rules.came_back import what_came_back
from schemas.plan import BatchPayment
from schemas.returns import ReportWentBack, Returned, Witness
from schemas.wire import SplitReport

WHEN = dt.datetime(2026, 11, 20, tzinfo=dt.UTC)
SEEN_BY = {"p": {Witness.PERSON}, "r": {Witness.REPORT}, "b": {Witness.PERSON, Witness.REPORT}}

CASES = """
    | paid                 | on record     | says     | done | seen     | borne | nobodys | again |
    | A 10, B 20, C 30     |               | 50       | 2    | A 10     |       |         |       |
    | A 10, B 20, C 30     |               | 30       | 2    | C 30     |       |         |       |
    | A 10, B 20, C 30     |               | 30       | 1    | A 10 B 20 |      |         |       |
    | A 10, B 20, C 30     |               | 0        | 0    | A 10 B 20 C 30 | |         |       |
    | A 10, B 10, C 30     |               | 40       | 2    |          |       | 10      |       |
    | A 10, B 10, C 30     |               | 30       | 1    | A 10 B 10 |      |         |       |
    | A 10, B 20           |               | 26       | 2    |          |       | 4       |       |
    | A 10                 |               | 6        | 1    | A 4      |       |         |       |
    | A 10                 | A 4 r         | 6        | 1    |          |       |         |       |
    | A 10, B 20, C 30     | A 10 p        | 50       | 2    |          | A 10  |         |       |
    | A 10, B 20, C 30     | A 10 p        | 60       | 3    |          |       |         |       |
    | A 10, B 20, C 30     | A 10 p        | 20       | 1    | C 30     | A 10  |         |       |
    | A 20, B 20, C 30     | A 20 p        | 20       | 1    | C 30     | A 20  |         |       |
    | A 10, B 20, C 30     | A 10 p        | 30       | 2    | C 30     |       |         |       |
    | A 10, B 20, C 30     | A 10 r        | 30       | 1    | B 20     |       |         |       |
    | A 10, B 20, C 30     | A 10 r, B 20 p | 0       | 0    | C 30     | B 20  |         |       |
    | A 10, B 20, C 30     | A 10 p        | 46       | 2    |          | A 10  | 4       |       |
    | A 10, B 20, C 30     | A 10 r        | 60       | 3    |          |       |         | A 10  |
    | A 10, B 10, C 20     | rp-1 10 r     | 10       | 1    |          |       | 20      |       |
    | A 10, B 10, C 20     | rp-1 10 r, A 10 p | 30   | 3    |          |       |         |       |
    | A 10, B 10, C 20     | rp-1 10 r, C 20 p | 10   | 2    |          | C 20  |         |       |
    | A 10, B 10, C 20     | rp-1 10 r, C 20 p | 0    | 0    |          | C 20  | 10      |       |
    | A 10, B 20, C 30     | A 10 b        | 60       | 3    |          |       |         | A 10  |
    | A 10, B 20, C 30     | A 10 r, B 20 r | 50      | 2    |          |       |         | B 20  |
    | A 10, B 20, C 30     | A 10 r, B 20 r | 45      | 2    |          |       |         |       |
"""


def cases():
    header, *rows = ([cell.strip() for cell in line.split("|")[1:-1]] for line in CASES.strip().splitlines())
    return [pytest.param(dict(zip(header, row, strict=True)), id=" / ".join(filter(None, row))) for row in rows]


def payment(text):
    name, amount = text.split()
    return BatchPayment(name, name, "", "payment", name, int(amount) * 100, "there", withheld=False)


def returned(text, number):
    name, amount, who = text.split()
    facts = {"obligation_key": name, "number": number, "submission_id": "rp-1", "seen_by": frozenset(SEEN_BY[who])}
    whose = dict.fromkeys(("job", "payer", "period", "base_key", "reference", "payee", "destination"), "")
    money = {"currency": "BRL", "amount_cents": int(amount) * 100, "day": WHEN.date(), "at": WHEN}
    return Returned(**facts, **whose, **money)


def parts(text):
    return [part.strip() for part in text.split(",") if part.strip()]


def written(sums):
    return " ".join(f"{key} {cents // 100}" for key, cents in sums)


def sums_of(found):
    return [(each.obligation_key, each.amount_cents) for each in found]


@pytest.mark.parametrize("case", cases())
def test_a_report_that_goes_back(case):
    payments = [payment(part) for part in parts(case["paid"])]
    known = [returned(part, number) for number, part in enumerate(parts(case["on record"]), start=1)]
    whole = sum(one.amount_cents for one in payments)
    before = SplitReport(status="DONE", paidAmount=Decimal(whole) / 100, donePayments=len(payments))
    now = SplitReport(status="DONE", paidAmount=Decimal(case["says"]), donePayments=int(case["done"]))
    found = what_came_back(before, now, payments, known) or ReportWentBack()
    assert {name: case[name] for name in ("seen", "borne", "nobodys", "again")} == {
        "seen": written(found.seen),
        "borne": written(sums_of(found.borne_out)),
        "nobodys": str(found.nobodys_cents // 100 or ""),
        "again": written(sums_of(found.paid_again)),
    }


@pytest.mark.parametrize(("before", "now"), [(None, 10), (30, None), (30, 31)])
def test_figures_that_do_not_tell_how_much_came_back_leave_it_to_people(before, now):
    amounts = [None if amount is None else Decimal(amount) for amount in (before, now)]
    looks = [SplitReport(status="DONE", paidAmount=amount, donePayments=1) for amount in amounts]
    assert what_came_back(*looks, [payment("A 30")], []) is None
