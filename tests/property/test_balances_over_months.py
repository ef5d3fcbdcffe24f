"""Random histories of months come to the centavo to what plain accounts come to, run by run, in whatever order.

`HISTORIES=2000 pytest tests/property/test_balances_over_months.py` plays so many.
"""

import os
from fractions import Fraction

from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st

from io_adapters.ledger.ledger import open_ledger
from schemas.journal import AccountKind
from tests.journal_states import balances_of
from tests.property.plain_balances import Deal, PlainAccount
from tests.spec.office import inputs, statement
from tests.spec.tables import CPF, _completed, advances, lines, payees, reais, shares, taxes
from tests.spec.year import Calendar, Year

A = AccountKind
RECORDING_OF = {"ana": "samba", "bia": "valsa", "caio": "choro"}
MONTHS = ("2026-01", "2026-02", "2026-03", "2026-04")
CENTS = st.sampled_from([0, 1, 999, 2_000, 5_000, 12_345, 40_000, -1, -3_000])
ADVANCE = st.tuples(
    st.sampled_from(["2025-06-01", "2026-02-10", "2026-04-30"]), st.sampled_from([1_000, 7_777, 30_000])
)


@st.composite
def deals(draw):
    """What a run is told of everybody."""
    return {
        name: Deal(
            earned=draw(CENTS),
            advances=draw(st.dictionaries(st.sampled_from(["disco", "clipe"]), ADVANCE, max_size=2)),
            is_held=draw(st.sampled_from([False, False, False, True])),
            is_quarterly=draw(st.sampled_from([False, False, True])),
            rate=Fraction(draw(st.sampled_from(["0", "0", "27.5", "100"]))),
            fixed=draw(st.sampled_from([0, 0, 1_100])),
            invoiced=draw(st.sampled_from([None, None, 0, 2_000, 12_345])),
        )
        for name in RECORDING_OF
    }


EVENTS = st.lists(
    st.tuples(st.sampled_from(MONTHS), st.sampled_from(["run", "run", "run", "again", "fail"]), deals()),
    min_size=2,
    max_size=9,
)


def tables_of(month, told):
    """The tables a label would have written of it."""
    earned = {RECORDING_OF[name]: deal.earned for name, deal in told.items() if deal.earned} | {"frevo": 0}
    drawn = [f"| {recording} | {reais(cents)} |" for recording, cents in earned.items()]
    paid_ahead = [
        f"| {name} | {reference} | {day} | {reais(cents)} |"
        for name, deal in told.items()
        for reference, (day, cents) in deal.advances.items()
    ]
    withheld = [f"| {name} | IRRF | {float(deal.rate):g} | |" for name, deal in told.items() if deal.rate]
    withheld += [f"| {name} | INSS | | {reais(deal.fixed)} |" for name, deal in told.items() if deal.fixed]
    known = payees(*(name for name, deal in told.items() if not deal.is_held))
    listed = [name for name, deal in told.items() if not deal.is_held]
    known = known.assign(
        frequency=["quarterly" if told[name].is_quarterly else "" for name in listed],
        must_invoice=[told[name].invoiced is not None for name in listed],
    ).astype(known.dtypes.to_dict())
    invoices = [
        {"tax_id": CPF[name], "number": "1", "period": month, "amount_cents": deal.invoiced}
        for name, deal in told.items()
        if deal.invoiced
    ]
    return inputs(
        [statement(lines("\n".join(["| recording | amount |", *drawn])))],
        payees=known,
        shares=shares(
            "\n".join(["| payee | recording | share |", *(f"| {n} | {r} | 100 |" for n, r in RECORDING_OF.items())])
        ),
        invoices=_completed("invoices", invoices, "notas.csv"),
        **(
            {"advances": advances("\n".join(["| payee | reference | date | amount |", *paid_ahead]))}
            if paid_ahead
            else {}
        ),
        **({"taxes": taxes("\n".join(["| payee | kind | rate | amount |", *withheld]))} if withheld else {}),
    )


@settings(
    max_examples=int(os.environ.get("HISTORIES", max(6, settings.default.max_examples // 12))),
    phases=(Phase.explicit, Phase.reuse, Phase.generate),
    suppress_health_check=list(HealthCheck),
    deadline=None,
)
@given(events=EVENTS, minimum=st.sampled_from([0, 2_000]))
def test_any_history_of_months_comes_to_what_plain_accounts_come_to(events, minimum):
    calendar = Calendar()
    with open_ledger("sqlite://", clock=calendar) as ledger:
        year = Year(ledger.journal, calendar, {"minimum_payout": reais(minimum)})
        plain = {name: PlainAccount() for name in RECORDING_OF}
        last = {}
        for month, event, drawn in events:
            if event == "fail":
                year.fail(month)
                for account in plain.values():
                    account.fail(month)
                continue
            told = last[month] = last.get(month, drawn) if event == "again" else drawn
            paid_before = {name: year.paid(CPF[name]) for name in plain}
            year.run(month, tables_of(month, told))
            this_month = calendar.now.year * 12 + calendar.now.month
            for name, account in plain.items():
                told[name].minimum = minimum
                paid = account.run(month, told[name], this_month)
                assert year.paid(CPF[name]) - paid_before[name] == paid, (month, name)
            compare(ledger, year, plain)
        for month, told in last.items():
            year.run(month, tables_of(month, told))
            before = ledger.journal.balances()
            year.run(month, tables_of(month, told))
            assert ledger.journal.balances() == before, "the same again is the same"


def compare(ledger, year, plain):
    """The journal's balances are those of the plain accounts, and all of it sums to nothing."""
    found = ledger.journal.balances()
    assert found == balances_of(entry for _, _, entry in ledger.journal.entries())
    assert sum(found.values()) == 0
    for name, account in plain.items():
        of = year.series.account
        assert -found.get(of(A.PAYEE, CPF[name]), 0) == account.balance, name
        assert -found.get(of(A.SERVICE, CPF[name]), 0) == sum(month.paid for month in account.months.values())
        withheld = {"IRRF": "percentage", "INSS": "fixed"}
        for kind, field in withheld.items():
            cents = sum(getattr(month, field) for month in account.months.values())
            assert -found.get(of(A.TAX, CPF[name], kind), 0) == cents
