"""Terms a payee may have of their own: a minimum, when royalties are due, what advances take from, and a hold."""

import datetime as dt

import pytest

from flows.royalties.rules.statements import heading_of
from flows.royalties.rules.terms import held_back, is_due
from schemas.job import resolve_period
from schemas.payee_statement import StatementBasis
from schemas.plan import Place
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, lines, payees, payments, reais, shares, table

HALVES = "| payee | share |\n| ana | 50 |\n| bia | 50 |"


def with_terms(of="ana", **terms):
    """Ana and Bia, one of them with terms of her own."""
    known = payees("ana", "bia")
    mine = known["tax_id"] == CPF[of]
    return known.assign(**{name: known[name].mask(mine, value) for name, value in terms.items()})


@pytest.fixture
def plays(year):
    """Play months of which Ana has everything: what she earned, and what it came to."""

    def play(text, *, rules=None, paid_ahead="", **terms):
        year.rules, year.paid_ahead, found = rules or {}, paid_ahead, []
        for row in table(text):
            came_in = year.came_in(row["month"], {"samba": row["samba"]})
            mine = {"payees": with_terms(**terms)}
            payables = year.run(row["month"], year.opened(row["month"], came_in, **mine))
            own = [owed for owed in payables.obligations if owed.payee.tax_id == CPF["ana"]]
            told = {
                "recouped": reais(sum(owed.amount_cents for owed in own if owed.place is Place.RECOUPED)),
                "carried out": reais(sum(owed.amount_cents for owed in own if owed.place is Place.CARRIED)),
                "why": ", ".join(owed.reason for owed in own if owed.place is Place.CARRIED),
                "paid before": reais(sum(owed.amount_cents for owed in own if owed.place is Place.DUPLICATE)),
                "paid now": reais(sum(owed.amount_cents for owed in own if owed.place is Place.PLANNED)),
            }
            found.append({name: told.get(name, row[name]) for name in row})
        assert found == table(text)

    return play


def test_a_minimum_of_ones_own_goes_before_the_jobs(plays):
    plays(
        """
        | month   | samba | carried out | why           | paid now |
        | 2026-01 | 30.00 | 30.00       | below_minimum | 0.00     |
        | 2026-02 | 30.00 | 0.00        |               | 60.00    |
        """,
        rules={"minimum_payout": "20.00"},
        minimum_cents=5_000,
    )


def test_a_minimum_of_nothing_pays_every_centavo(plays):
    plays(
        "| month | samba | carried out | paid now |\n| 2026-01 | 0.01 | 0.00 | 0.01 |",
        rules={"minimum_payout": "20.00"},
        minimum_cents=0,
    )


def test_quarterly_royalties_are_carried_until_the_quarter_ends(plays):
    plays(
        """
        | month   | samba | carried out | why     | paid now |
        | 2026-01 | 30.00 | 30.00       | not_due | 0.00     |
        | 2026-02 | 30.00 | 60.00       | not_due | 0.00     |
        | 2026-03 | 30.00 | 0.00        |         | 90.00    |
        | 2026-04 | 30.00 | 30.00       | not_due | 0.00     |
        """,
        frequency="quarterly",
    )


def test_what_is_due_and_below_the_minimum_waits_for_the_next_quarter(plays):
    plays(
        """
        | month   | samba | carried out | why           | paid now |
        | 2026-03 | 30.00 | 30.00       | below_minimum | 0.00     |
        | 2026-04 | 30.00 | 60.00       | not_due       | 0.00     |
        | 2026-06 | 1.00  | 0.00        |               | 61.00    |
        """,
        rules={"minimum_payout": "50.00"},
        frequency="quarterly",
    )


@pytest.mark.parametrize(
    ("frequency", "due"),
    [
        ("", "01 02 03 04 05 06 07 08 09 10 11 12"),
        ("monthly", "01 02 03 04 05 06 07 08 09 10 11 12"),
        ("quarterly", "03 06 09 12"),
        ("half_yearly", "06 12"),
    ],
)
def test_the_months_in_which_royalties_are_due(frequency, due):
    months = [f"{month:02}" for month in range(1, 13)]
    assert [month for month in months if is_due(frequency, resolve_period(f"2026-{month}", None))] == due.split()


ADVANCE = "| payee | reference | amount |\n| ana | disco | 100.00 |"


def test_advances_take_from_what_was_earned_and_leave_what_was_carried_in(plays):
    plays(
        """
        | month   | samba | recouped | carried out | paid now |
        | 2026-01 | -5.00 | 0.00     | -5.00       | 0.00     |
        | 2026-02 | 30.00 | 30.00    | -5.00       | 0.00     |
        """,
        paid_ahead=ADVANCE,
    )


def test_advances_take_from_the_balance_too_where_that_is_the_deal(year, plays):
    year.balances = "| payee | kind | month | amount |\n| ana | carried | 2026-01 | 40.00 |"
    plays(
        """
        | month   | samba | recouped | carried out | paid now |
        | 2026-01 | 30.00 | 70.00    | 0.00        | 0.00     |
        | 2026-02 | 50.00 | 30.00    | 0.00        | 20.00    |
        """,
        paid_ahead=ADVANCE,
        recoup_from="earned_and_carried",
    )


def test_the_job_says_it_for_everybody_who_has_no_deal_of_their_own(year, plays):
    year.balances = "| payee | kind | month | amount |\n| ana | carried | 2026-01 | 40.00 |"
    plays(
        "| month | samba | recouped | carried out | paid now |\n| 2026-01 | 30.00 | 70.00 | 0.00 | 0.00 |",
        rules={"recoup_from": "earned_and_carried"},
        paid_ahead=ADVANCE,
    )


def test_what_a_month_run_again_adds_is_paid_by_the_next_run_of_a_month_in_which_it_is_due(plays):
    """Before there was one balance, March had been paid and left R$ 5.00 of January to June."""
    plays(
        """
        | month   | samba | carried out | paid before | paid now |
        | 2026-01 | 30.00 | 30.00       | 0.00        | 0.00     |
        | 2026-03 | 30.00 | 0.00        | 0.00        | 60.00    |
        | 2026-01 | 35.00 | 35.00       | 0.00        | 0.00     |
        | 2026-03 | 30.00 | 0.00        | 60.00       | 5.00     |
        | 2026-04 | 1.00  | 1.00        | 0.00        | 0.00     |
        | 2026-06 | 1.00  | 0.00        | 0.00        | 2.00     |
        """,
        frequency="quarterly",
    )


HOLDS = """
    | word        | until      | on         | held with        |
    |             |            | 2026-11-23 |                  |
    | dispute     |            | 2026-11-23 | HOLD_DISPUTE     |
    | invoice     | 2026-11-23 | 2026-11-23 | HOLD_INVOICE     |
    | court_order | 2026-11-22 | 2026-11-23 |                  |
    | court_order | 2026-12-31 | 2026-11-23 | HOLD_COURT_ORDER |
    | other       |            | 2026-11-23 | HOLD_OTHER       |
"""


@pytest.mark.parametrize("row", table(HOLDS), ids=lambda row: f"{row['word']} {row['until']}".strip() or "none")
def test_a_hold_lasts_through_its_last_day(row):
    known = with_terms(hold=row["word"], hold_until=row["until"])
    found = held_back(known, dt.date.fromisoformat(row["on"]))
    assert {tax_id: code.value for tax_id, code in found.items()} == (
        {CPF["ana"]: row["held with"]} if row["held with"] else {}
    )


def test_royalties_and_payments_rows_of_a_payee_on_hold_are_held_whole_and_nobody_elses():
    came_in = inputs(
        [statement(lines("| recording | amount |\n| samba | 10.00 |"))],
        payees=payees("ana", "bia"),
        shares=shares(HALVES),
        payments=payments("| payee | amount |\n| ana | 7.00 |\n| bia | 8.00 |"),
    )
    office = Office(job=job(), on_hold={CPF["ana"]: "HOLD_COURT_ORDER"})
    found = {
        (owed.payee.tax_id, owed.kind): (reais(owed.amount_cents), owed.place.value, owed.reason)
        for owed in office.compute_payables(came_in).obligations
    }
    assert found == {
        (CPF["ana"], "payment"): ("7.00", "held", "HOLD_COURT_ORDER"),
        (CPF["ana"], "royalty"): ("5.00", "held", "HOLD_COURT_ORDER"),
        (CPF["bia"], "payment"): ("8.00", "planned", ""),
        (CPF["bia"], "royalty"): ("5.00", "planned", ""),
    }


def test_a_statement_speaks_its_payees_language_and_names_her_own_minimum():
    heading = heading_of(job(rules={"minimum_payout": "20.00"}), Office(job=job()).period)
    basis = StatementBasis(heading, languages={CPF["ana"]: "en"}, minimums_cents={CPF["bia"]: 5_000})
    told = {name: basis.heading_for(CPF[name]) for name in ("ana", "bia", "caio")}
    assert {name: (of.language, of.minimum_payout_cents) for name, of in told.items()} == {
        "ana": ("en", 2_000),
        "bia": ("pt-BR", 5_000),
        "caio": ("pt-BR", 2_000),
    }
