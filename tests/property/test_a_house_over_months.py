"""Deals, guarantees, advances, reserves, rounding and balances at once, over up to 24 months in any order and again.

After every run what everybody is paid, what the journal says they are owed, and what is the owner's and held, is what
the plain way comes to, to the centavo. Varied: all of `test_deals_month_by_month`, advances with a contract or a part,
guarantees, the minimum, payments that fail. Held constant: one series, one currency, no taxes and invoices.

`HISTORIES=2000 pytest tests/property/test_a_house_over_months.py` plays so many.
"""

import os

import pandas as pd
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import parted
from io_adapters.ledger.ledger import open_ledger
from schemas.journal import AccountKind
from schemas.tables.payees import GUARANTEE
from schemas.tables.royalties import asked_about
from tests.property.plain_house import PlainHouse
from tests.property.plain_months import month_named
from tests.property.test_deals_line_by_line import mostly
from tests.property.test_deals_month_by_month import LINE, SHARES, cost_rows, costs_of, shares_of, sheet_of, told
from tests.spec.office import inputs, statement
from tests.spec.tables import CPF, advances, lines, payees
from tests.spec.year import Calendar, Year

pytestmark = [pytest.mark.long, pytest.mark.timeout(7200)]  # two thousand histories take a quarter of an hour
A = AccountKind
SAID = ("recording", "artist", "territory", "units", "price")
PAYEES = ("ana", "bia", "caio", "davi")
DAY = st.sampled_from(["2025-12-01", "2026-02-10", "2026-12-31", "2027-03-31"])
CENTS = st.sampled_from([1_000, 7_777, 30_000])
ADVANCES = st.dictionaries(
    st.sampled_from(PAYEES),
    st.fixed_dictionaries(
        {},
        optional={
            "disco": st.tuples(DAY, CENTS, mostly("", "50", "1/3"), st.just("")),
            "livro": st.tuples(DAY, CENTS, mostly("", "50"), st.just("c1")),
        },
    ),
    max_size=3,
)
GUARANTEES = st.lists(st.tuples(st.sampled_from(PAYEES[:3]), DAY, CENTS), max_size=2, unique_by=lambda row: row[:1])
EVENTS = st.lists(
    st.tuples(
        st.integers(1, 24),
        st.sampled_from(["run", "run", "run", "again", "fail"]),
        st.lists(LINE, min_size=1, max_size=3),
    ),
    min_size=1,
    max_size=9,
)


@st.composite
def contracts(draw):
    """Shares, some of which are of a contract."""
    return [row | {"contract": draw(mostly("", "c1"))} for row in draw(SHARES)]


def advances_of(paid_ahead, guarantees):
    rows = [
        (name, reference, day, told(cents), most, contract, "")
        for name, theirs in paid_ahead.items()
        for reference, (day, cents, most, contract) in theirs.items()
    ]
    rows += [
        (name, f"g{number}", day, told(cents), "", "", "yes") for number, (name, day, cents) in enumerate(guarantees)
    ]
    header = "| payee | reference | date | amount | part | contract |"
    drawn = "\n".join([header, *("| " + " | ".join(row[:6]) + " |" for row in rows)])
    frame = advances(drawn)
    frame["kind"] = pd.Series([GUARANTEE if row[6] else "" for row in rows], dtype="str")
    return parted(frame)


@settings(
    max_examples=int(os.environ.get("HISTORIES", max(6, settings.default.max_examples // 10))),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
@given(contracts(), cost_rows(), ADVANCES, GUARANTEES, EVENTS, st.sampled_from([0, 2_000]))
def test_a_house_over_months_comes_to_what_the_plain_way_comes_to(
    of_shares, of_costs, paid_ahead, guaranteed, events, minimum
):
    calendar = Calendar()
    ahead, guarantees = advances_of(paid_ahead, guaranteed)
    tables = {"shares": shares_of(of_shares), "costs": costs_of(of_costs), "payees": payees(*PAYEES)}
    tables |= {"advances": ahead, "guarantees": guarantees}
    asked = asked_about([tables["shares"], tables["costs"]])
    plain, last = PlainHouse(of_shares, of_costs, paid_ahead, guaranteed, minimum, PAYEES), {}
    with open_ledger("sqlite://", clock=calendar) as ledger:
        year = Year(ledger.journal, calendar, {"minimum_payout": told(minimum)})
        for month, event, drawn in events:
            label = month_named(month)
            if event == "fail":
                year.fail(label)
                for account in plain.accounts.values():
                    account.fail(label)
                continue
            last[month] = last.get(month, drawn) if event == "again" else drawn
            before = {name: year.paid(CPF[name]) for name in PAYEES}
            sheet = lines(sheet_of(last[month], *SAID, amount=lambda row: told(row["cents"])))
            year.run(label, inputs([statement(sheet, conditions=asked)], **tables))
            paid = plain.run(month, last[month], calendar.now.year * 12 + calendar.now.month)
            assert {name: year.paid(CPF[name]) - before[name] for name in PAYEES} == paid, label
            compare(ledger.journal.balances(), year.series, plain)


def compare(found, series, plain):
    """The journal's balances are those of the plain house, and all of it sums to nothing."""
    assert sum(found.values()) == 0
    for name, account in plain.accounts.items():
        assert -found.get(series.account(A.PAYEE, CPF[name]), 0) == account.balance, name
    for kind, name in ((A.OWNER, "owner"), (A.UNASSIGNED, "held")):
        cents = sum(-cents for account, cents in found.items() if account.kind is kind)
        assert cents == sum(left[name] for left in plain.left.values()), name
