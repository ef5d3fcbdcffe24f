"""What each payee's statement tells: the sums of their own part, and how it became what is paid."""

import datetime as dt
from decimal import Decimal

import pandas as pd
import pytest

from flows.intake.rules.inputs import RateTable
from flows.payables.rules.places import reconcile
from flows.royalties.rules.balances import History
from flows.royalties.rules.statements import StatementTables, compose_statements, heading_of, stand_of_advances
from schemas.payee_statement import StatementBasis
from schemas.submission import Submission, SubmissionState
from schemas.values.masking import mask_tax_id
from schemas.values.money import parse_plain_amount
from tests.spec.office import Office, inputs, job, statement
from tests.spec.tables import CPF, PAYER, RECORDINGS, advances, lines, payees, payments, reais, shares, table

NAMES_OF_RECORDINGS = {isrc: name for name, isrc in RECORDINGS.items()}
DOLLARS = job(
    sources=[
        {
            "files": "statement.tsv",
            "layout": "royalties",
            "exchange": {"USD": {"rate": "5.00", "date": "2026-10-31", "source": "PTAX"}},
        }
    ],
    rules={"minimum_payout": "50.00"},
)


def told(came_in, office=None, *, submissions=None, change=None):
    """The statements of a run, by payee."""
    office = office or Office(job=DOLLARS)
    payables = office.compute_payables(came_in)
    placed = reconcile(payables.obligations, submissions or {}, "run-1")
    earnings = change(payables.earnings) if change else payables.earnings
    advances_stand = stand_of_advances(came_in.advances, payables.royalties.recouped, office.history)
    found = compose_statements(
        StatementBasis(heading_of(office.job, office.period), advances_stand),
        StatementTables(earnings, payables.territories, payables.balances, placed),
        run_id="run-1",
        submissions=submissions,
    )
    names = {mask_tax_id(cpf): name for name, cpf in CPF.items()}
    return {names[one.tax_id_masked]: one for one in found}


def drawn(value):
    """A cell: an exact amount without an exponent and without trailing zeros."""
    if not isinstance(value, Decimal):
        return str(value)
    return f"{value:f}".rstrip("0").rstrip(".") if "." in f"{value:f}" else f"{value:f}"


def same(rows, text, **cells):
    """Whether rows are what a drawn table says, in its order; a cell is an attribute or made by `cells`."""
    expected = table(text)
    found = [
        {name: drawn(cells[name](row) if name in cells else getattr(row, name)) for name in expected[0]} for row in rows
    ]
    assert found == expected
    return True


MONTH = """
    | recording | title | artist | store | territory | units | currency | amount | month   |
    | samba     | Samba | Lua    | Onda  | BR        | 10    | USD      | 100.00 | 2026-08 |
    | samba     | Samba | Lua    | Onda  | BR        | 2     | USD      | 20.00  | 2026-09 |
    | samba     | SAMBA | Lua    | Maré  | PT        | 1     | BRL      | 10.00  | 2026-09 |
    | valsa     | Valsa | Sol    | Maré  | PT        | 3     | BRL      | 30.005 | 2026-08 |
"""
SPLIT = """
    | payee | recording | share | role   |
    | ana   | samba     | 50    | author |
    | ana   | samba     | 10    | singer |
    | bia   | samba     | 40    | author |
    | ana   | valsa     | 100   | author |
"""


def a_month(**tables):
    given = {"payees": payees("ana", "bia"), "shares": shares(SPLIT)} | tables
    return inputs([statement(lines(MONTH), rates={"USD": "5.00"})], **given)


def test_each_recording_is_told_by_currency_rate_and_share_the_largest_recording_first():
    assert same(
        told(a_month())["ana"].recordings,
        """
        | recording | title | artist | role   | lines | source_currency | source_amount | rate | percent | earned |
        | samba     | Samba | Lua    | author | 1     | BRL             | 10            | 1    | 50      | 5      |
        | samba     | Samba | Lua    | singer | 1     | BRL             | 10            | 1    | 10      | 1      |
        | samba     | Samba | Lua    | author | 2     | USD             | 120           | 5    | 50      | 300    |
        | samba     | Samba | Lua    | singer | 2     | USD             | 120           | 5    | 10      | 60     |
        | valsa     | Valsa | Sol    | author | 1     | BRL             | 30.005        | 1    | 100     | 30.005 |
        """,
        recording=lambda one: NAMES_OF_RECORDINGS[one.isrc],
        percent=lambda one: one.share_ppm // 10_000,
    )


def test_the_same_part_is_summed_by_platform_and_by_month_to_the_last_digit():
    ana = told(a_month())["ana"]
    assert same(ana.platforms, "| name | earned |\n| Onda | 360 |\n| Maré | 36.005 |")
    whole = sum(recording.earned for recording in ana.recordings)
    assert sum(platform.earned for platform in ana.platforms) == whole == ana.way.earned_exact == Decimal("396.005")


def test_territories_months_and_units_are_told():
    ana = told(a_month())["ana"]
    assert same(ana.territories, "| name | earned |\n| BR | 360 |\n| PT | 36.005 |")
    assert sum(month.earned for month in ana.months) == Decimal("396.005")
    assert [month.name for month in ana.months] == ["2026-08", "2026-09"]
    assert {recording.title: recording.units for recording in ana.recordings if recording.role == "author"}[
        "Samba"
    ] in {12, 1}


def test_a_statement_does_not_depend_on_the_order_of_rows_or_on_how_they_are_cut():
    def shuffled(earnings):
        return earnings.sample(frac=1, random_state=7).reset_index(drop=True)

    def cut(earnings):
        def halves(column):
            return [amount / 2 for amount in earnings[column]]

        half = earnings.assign(earned=halves("earned"), source_amount=halves("source_amount"))
        return pd.concat([half, half], ignore_index=True)

    whole, halves = told(a_month())["ana"], told(a_month(), change=cut)["ana"]
    assert told(a_month(), change=shuffled)["ana"] == whole
    assert halves.platforms == whole.platforms
    assert [recording.earned for recording in halves.recordings] == [recording.earned for recording in whole.recordings]


def test_the_title_is_the_one_most_lines_write():
    came_in = inputs(
        [statement(lines(
            """
            | recording | title      | amount |
            | samba     | SAMBA      | 900.00 |
            | samba     | Samba (ao vivo) | 1.00 |
            | samba     | Samba (ao vivo) | 1.00 |
            """
        ))],
        payees=payees("ana"), shares=shares("| payee | share |\n| ana | 100 |"),
    )  # fmt: skip
    (only,) = told(came_in)["ana"].recordings
    assert (only.title, only.lines, only.earned) == ("Samba (ao vivo)", 3, Decimal(902))


def test_a_recording_without_isrc_is_known_by_product_and_title():
    came_in = inputs(
        [statement(lines(
            """
            | product | release | title | amount |
            | album   | Mar     | Um    | 2.00   |
            | album   | Mar     | Dois  | 3.00   |
            | album   | Mar     |       | 1.00   |
            """
        ))],
        payees=payees("ana"), shares=shares("| payee | share |\n| ana | 100 |"),
    )  # fmt: skip
    parts = told(came_in, Office())["ana"].recordings
    assert same(parts, "| title | earned |\n| Dois | 3 |\n| Um | 2 |\n| Mar | 1 |")
    assert {part.isrc for part in parts} == {""}
    assert all(part.upc for part in parts)


WAYS = """
    | case              | advance | carried | earned | recouped | carried in | carried out | held | payable |
    | all is paid       | 0.00    | 0.00    | 396.00 | 0.00     | 0.00       | 0.00        | 0.00 | 396.00  |
    | an advance        | 100.00  | 0.00    | 396.00 | 100.00   | 0.00       | 0.00        | 0.00 | 296.00  |
    | below the minimum | 380.00  | 0.00    | 396.00 | 380.00   | 0.00       | 16.00       | 0.00 | 0.00    |
    | a carried balance | 0.00    | 25.00   | 396.00 | 0.00     | 25.00      | 0.00        | 0.00 | 421.00  |
    | owed back         | 0.00    | -500.00 | 396.00 | 0.00     | -500.00    | -104.00     | 0.00 | 0.00    |
"""


def in_reais(way, names=("earned", "recouped", "carried in", "carried out", "held", "payable")):
    """The way to what is paid, drawn."""
    return {name: reais(getattr(way, f"{name.replace(' ', '_')}_cents")) for name in names}


@pytest.mark.parametrize("case", table(WAYS), ids=lambda case: case["case"])
def test_the_way_from_earned_to_paid_is_told_in_centavos(case):
    carried = parse_plain_amount(case["carried"])
    office = Office(job=DOLLARS, history=History(carried_in={CPF["ana"]: carried} if carried else {}, recouped={}))
    had = case["advance"] != "0.00"
    paid_ahead = advances(f"| payee | reference | amount |\n| ana | A1 | {case['advance']} |")
    way = told(a_month(**({"advances": paid_ahead} if had else {})), office)["ana"].way
    found = in_reais(way)
    assert found == {name: case[name] for name in found}
    assert way.residue == Decimal("-0.005")


def test_advances_are_told_oldest_first_with_what_is_still_to_recoup():
    came_in = a_month(
        advances=advances(
            """
            | payee | reference | recording | amount | date       |
            | ana   | studio    | valsa     | 100.00 | 2026-03-01 |
            | ana   | tour      |           | 200.00 | 2026-01-01 |
            | ana   | new       |           | 900.00 | 2026-05-01 |
            | ana   | done      |           | 10.00  | 2025-01-01 |
            """
        )
    )
    history = History(carried_in={}, recouped={(CPF["ana"], "done"): 1_000, (CPF["ana"], "tour"): 5_000})
    ana = told(came_in, Office(job=DOLLARS, history=history))["ana"]
    assert same(
        ana.advances,
        """
        | reference | recording | recouped | left   |
        | tour      |           | 150.00   | 0.00   |
        | studio    | valsa     | 30.00    | 70.00  |
        | new       |           | 216.00   | 684.00 |
        """,
        recording=lambda one: NAMES_OF_RECORDINGS.get(one.scope, ""),
        recouped=lambda one: reais(one.recouped_cents),
        left=lambda one: reais(one.outstanding_cents),
    )
    assert sum(advance.recouped_cents for advance in ana.advances) == ana.way.recouped_cents


def test_what_is_recouped_is_told_even_when_nobody_says_of_which_advance():
    came_in = a_month(advances=advances("| payee | reference | amount |\n| ana | A1 | 100.00 |"))
    office = Office(job=DOLLARS)
    payables = office.compute_payables(came_in)
    heading = heading_of(office.job, office.period)
    tables = StatementTables(payables.earnings, payables.territories, payables.balances, payables.obligations)
    ana, _ = compose_statements(StatementBasis(heading), tables, run_id="run-1")
    assert same(ana.advances, "| reference | recouped_cents | outstanding_cents |\n|  | 10000 | None |")


def test_a_payee_who_cannot_be_paid_is_told_what_is_held_and_why():
    both = payees("ana", "bia")
    nowhere = both.assign(pix_key=["", "x@example.com"], pix_key_type=["", "email"])
    ana = told(a_month(payees=nowhere, payee_problems={CPF["ana"]: "PIX_EMAIL,NAME_LENGTH"}))["ana"]
    assert in_reais(ana.way, ("earned", "held", "payable")) == {"earned": "396.00", "held": "396.00", "payable": "0.00"}
    assert ana.way.held_reasons == ("NAME_LENGTH", "PIX_EMAIL")
    assert same(ana.payments, "| amount | place | report |\n| 396.00 | held |  |", amount=paid)


def sent(state=SubmissionState.PAID, at=dt.datetime(2026, 11, 6, 1, 30, tzinfo=dt.UTC)):
    """The report rp-1 of run-1."""
    return Submission(
        id="rp-1", plan_digest="sha256:x", batch_number=1, content_hash="x", attempt=1, report_id="rp-1", job="selo",
        period="2026-10", currency="BRL", state=state, payments=1, amount_cents=1, owner_cents=0, body=b"{}",
        split_id="s", status="DONE", run_id="run-1", sending_at=at, was_in_doubt=False, reason=None,
    )  # fmt: skip


def paid(one):
    return reais(one.amount_cents)


def test_payments_rows_are_told_by_reference_with_what_became_of_them():
    rows = payments(
        """
        | payee | reference | amount |
        | ana   | NF 1      | 100.00 |
        | ana   | NF 2      | 25.50  |
        | bia   |           | 7.00   |
        """
    )
    office = Office()
    office.send(inputs(payments=rows.iloc[:1]))
    found = told(inputs(payments=rows), office, submissions={"rp-1": sent()})
    assert same(
        found["ana"].payments,
        """
        | reference | amount | place   | report | sent_on    |
        | NF 1      | 100.00 | paid    | rp-1   | 2026-11-05 |
        | NF 2      | 25.50  | planned |        | None       |
        """,
        amount=paid,
    )
    assert found["ana"].way is None
    assert same(found["bia"].payments, "| amount | place |\n| 7.00 | planned |", amount=paid)


def test_what_was_sent_too_much_is_told_as_owed_back():
    office = Office(job=DOLLARS)
    office.send(a_month())
    less = inputs(
        [statement(lines("| recording | amount |\n| valsa | 300.00 |"))],
        payees=payees("ana", "bia"), shares=shares(SPLIT),
    )  # fmt: skip
    ana = told(less, office, submissions={"rp-1": sent()})["ana"]
    assert (ana.way.payable_cents, ana.way.overpaid_cents) == (30_000, -9_600)
    assert sum(payment.amount_cents for payment in ana.payments) + ana.way.overpaid_cents == ana.way.payable_cents


def test_the_owner_and_lines_of_nobody_get_no_statement():
    half = shares("| payee | recording | share |\n| ana | samba | 50 |")
    found = told(a_month(shares=half))
    assert set(found) == {"ana"}
    assert all(one.tax_id_masked[:2] != PAYER[:2] for one in found.values())


def test_a_statement_shows_no_whole_tax_id_not_even_in_a_traceback():
    came_in = a_month(advances=advances("| payee | reference | amount |\n| ana | A1 | 100.00 |"))
    ana = told(came_in)["ana"]
    assert ana.advances
    assert CPF["ana"] not in repr(ana)
    assert ana.tax_id_masked == f"***.{CPF['ana'][3:6]}.{CPF['ana'][6:9]}-**"


def test_tokens_are_those_of_the_run_and_tell_payees_apart():
    first, again = told(a_month()), told(a_month())
    assert {name: one.token for name, one in first.items()} == {name: one.token for name, one in again.items()}
    assert len({one.token for one in first.values()}) == 2


def test_the_heading_says_period_currency_and_every_rate_with_its_day_and_origin():
    (source,) = DOLLARS.sources
    period = Office(job=DOLLARS).period
    quotes = RateTable((), frozenset()).quotes(source.exchange, DOLLARS.currency, period)
    heading = heading_of(DOLLARS, period, [*quotes, *quotes])
    assert (heading.period, str(heading.first_day), str(heading.last_day)) == ("2026-10", "2026-10-01", "2026-10-31")
    assert same(
        heading.quotes,
        "| currency | rate | day | origin |\n| USD | 5 | 2026-10-31 | PTAX |",
    )
    assert heading.minimum_payout_cents == 5_000
