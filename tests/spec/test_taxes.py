"""Taxes that the accountant gives: what is withheld of what is payable, over months and runs, to the centavo."""

import random
from fractions import Fraction

import pytest

from flows.royalties.rules.terms import Tax, taxes_of, withhold
from schemas.job import resolve_period
from schemas.plan import Place
from tests.sampled import sampled
from tests.spec.tables import CPF, reais, table, taxes

WITHHELD = """
    | taxes                    | gross  | withheld                 |
    | IRRF 27.5 %              | 100.00 | IRRF 27.50               |
    | IRRF 27.5 %              | 0.02   | IRRF 0.01                |
    | IRRF 25 %                | 0.02   |                          |
    | IRRF 25 %                | 0.06   | IRRF 0.02                |
    | ISS 5 %, IRRF 1.5 %      | 200.00 | ISS 10.00, IRRF 3.00     |
    | INSS 120.00              | 500.00 | INSS 120.00              |
    | INSS 120.00, ISS 5 %     | 100.00 | INSS 100.00              |
    | IRRF 27.5 %              | 0.00   |                          |
    | IRRF 27.5 %              | -10.00 |                          |
"""


@pytest.mark.parametrize("row", table(WITHHELD), ids=lambda row: f"{row['taxes']} of {row['gross']}")
def test_what_is_withheld_of_a_gross_amount(row):
    told = []
    for words in row["taxes"].split(", "):
        kind, figure, *percent = words.split()
        told.append(
            Tax(
                kind,
                Fraction(figure) / 100 if percent else Fraction(0),
                0 if percent else round(Fraction(figure) * 100),
            )
        )
    found = withhold(told, round(Fraction(row["gross"]) * 100))
    assert ", ".join(f"{kind} {reais(cents)}" for kind, cents in found.items()) == row["withheld"]


def test_a_tax_holds_where_the_first_day_of_the_period_lies_within_its_days():
    drawn = taxes(
        """
        | payee | kind | rate | from       | to         |
        | ana   | IRRF | 15   |            | 2026-06-30 |
        | ana   | IRRF | 20   | 2026-07-01 |            |
        """
    )
    rates = [
        [str(tax.part * 100) for tax in taxes_of(drawn, resolve_period(month, None))[CPF["ana"]]]
        for month in ("2026-06", "2026-07")
    ]
    assert rates == [["15"], ["20"]]


@pytest.fixture
def plays(year):
    """Play months of which Ana has everything: what she earned, and what it came to."""

    def play(text, drawn, *, rules=None, paid_ahead=""):
        year.rules, year.paid_ahead, found = rules or {}, paid_ahead, []
        for row in table(text):
            came_in = year.came_in(row["month"], {"samba": row["samba"]})
            payables = year.run(row["month"], year.opened(row["month"], came_in, taxes=taxes(drawn)))
            own = [owed for owed in payables.obligations if owed.payee.tax_id == CPF["ana"]]
            sums = {place: sum(owed.amount_cents for owed in own if owed.place is place) for place in Place}
            told = {
                "recouped": reais(sums[Place.RECOUPED]),
                "withheld": ", ".join(
                    f"{owed.reference} {reais(owed.amount_cents)}" for owed in own if owed.place is Place.TAX
                ),
                "carried out": reais(sums[Place.CARRIED]),
                "paid before": reais(sums[Place.DUPLICATE]),
                "paid now": reais(sums[Place.PLANNED]),
            }
            found.append({name: told.get(name, row[name]) for name in row})
        assert found == table(text)

    return play


FIFTEEN = "| payee | kind | rate |\n| ana | IRRF | 15 |"


def test_tax_is_taken_after_advances_and_minimum_of_what_would_be_paid(plays):
    plays(
        """
        | month   | samba  | recouped | withheld   | carried out | paid now |
        | 2026-01 | 100.00 | 40.00    | IRRF 9.00  | 0.00        | 51.00    |
        | 2026-02 | 10.00  | 0.00     |            | 10.00       | 0.00     |
        | 2026-03 | 30.00  | 0.00     | IRRF 6.00  | 0.00        | 34.00    |
        """,
        FIFTEEN,
        rules={"minimum_payout": "20.00"},
        paid_ahead="| payee | reference | amount |\n| ana | disco | 40.00 |",
    )


def test_an_open_month_run_again_withholds_of_the_whole_month(plays):
    plays(
        """
        | month   | samba  | withheld   | paid before | paid now |
        | 2026-01 | 100.00 | IRRF 15.00 | 0.00        | 85.00    |
        | 2026-01 | 100.00 | IRRF 15.00 | 85.00       | 0.00     |
        | 2026-01 | 120.00 | IRRF 18.00 | 85.00       | 17.00    |
        """,
        FIFTEEN,
    )


def test_a_closed_month_withholds_of_the_difference_alone(plays):
    plays(
        """
        | month   | samba  | withheld   | carried out | paid before | paid now |
        | 2026-01 | 100.00 | IRRF 15.00 | 0.00        | 0.00        | 85.00    |
        | 2026-02 | 100.00 | IRRF 15.00 | 0.00        | 0.00        | 85.00    |
        | 2026-01 | 120.00 | IRRF 18.00 | 0.00        | 85.00       | 17.00    |
        | 2026-01 | 120.00 | IRRF 18.00 | 0.00        | 102.00      | 0.00     |
        | 2026-02 | 100.00 | IRRF 15.00 | 0.00        | 85.00       | 0.00     |
        """,
        FIFTEEN,
    )


def test_what_was_paid_and_withheld_too_much_of_a_closed_month_is_carried(plays):
    plays(
        """
        | month   | samba  | withheld   | carried out | paid before | paid now |
        | 2026-01 | 100.00 | IRRF 15.00 | 0.00        | 0.00        | 85.00    |
        | 2026-02 | 10.00  | IRRF 1.50  | 0.00        | 0.00        | 8.50     |
        | 2026-01 | 90.00  | IRRF 15.00 | -10.00      | 85.00       | 0.00     |
        | 2026-03 | 30.00  | IRRF 3.00  | 0.00        | 0.00        | 17.00    |
        """,
        FIFTEEN,
    )


@pytest.mark.parametrize("seed", sampled(range(6)))
def test_over_random_months_every_centavo_earned_is_paid_withheld_recouped_or_carried(year, seed):
    chance = random.Random(seed)
    months, earned = ("2026-01", "2026-02", "2026-03"), {}
    year.rules = {"minimum_payout": chance.choice(["0", "20.00"])}
    year.paid_ahead = chance.choice(["", "| payee | reference | amount |\n| ana | disco | 55.55 |"])
    rates = [f"{chance.randint(0, 30)}.{chance.randint(0, 99):02}" for _ in range(2)]
    drawn = "| payee | kind | rate |\n" + "\n".join(
        f"| ana | {kind} | {rate} |" for kind, rate in zip(("IRRF", "ISS"), rates, strict=True)
    )
    withheld = {}
    for _ in range(9):
        month = chance.choice(months[: max(1, len(earned) + 1)])
        earned[month] = chance.randint(-2_000, 20_000)
        came_in = year.came_in(month, {"samba": reais(earned[month])})
        payables = year.run(month, year.opened(month, came_in, taxes=taxes(drawn)))
        withheld[month] = sum(owed.amount_cents for owed in payables.obligations if owed.place is Place.TAX)
        again = year.run(month, year.opened(month, came_in, taxes=taxes(drawn)))
        assert not [owed for owed in again.obligations if owed.place is Place.PLANNED and owed.kind != "owner"]
    left = year.history("2026-12")
    placed = year.paid(CPF["ana"]) + sum(withheld.values()) + sum(left.recouped.values())
    assert sum(earned.values()) == placed + left.carried_in.get(CPF["ana"], 0)
    gross = year.paid(CPF["ana"]) + sum(withheld.values())
    whole = sum(Fraction(rate) / 100 for rate in rates)
    assert sum(withheld.values()) <= gross
    if min(earned.values()) >= 0 and whole:
        assert sum(withheld.values()) > 0 or gross == 0
