"""At the end every centavo and every row has one place, or the run stops."""

import pytest

from flows.books.rules.reconcile import summarise_batches, withheld_otherwise
from flows.payables.rules.places import count_rows, place_of, place_rows, reconcile, total_up
from schemas.errors import BrokenInvariant
from schemas.plan import Place
from schemas.reconciliation import RowCounts
from schemas.submission import SubmissionState
from schemas.values.money import parse_plain_amount
from tests.spec.placed import PLACES, obligations, rows
from tests.spec.reports import report, submission
from tests.spec.tables import same, table

S = SubmissionState


@pytest.mark.parametrize(("state", "own", "earlier"), PLACES, ids=[state.value for state, *_ in PLACES])
def test_a_payment_is_where_its_report_stands_and_a_duplicate_only_when_an_earlier_run_has_it_paid_or_under_way(
    state, own, earlier
):
    (row,) = obligations("| amount |\n| 1.00 |")
    assert place_of(row, submission(state=state), "run-1").value == own
    assert place_of(row, submission(state=state), "run-2").value == earlier


def test_every_state_has_a_place():
    assert {state for state, *_ in PLACES} == set(S)


def test_paid_is_withheld_where_a_person_wished_so_and_the_owner_s_for_the_owner():
    paid = {"rp-1": submission(state=S.PAID)}
    placed = reconcile(
        obligations(
            """
            | payee | kind    | amount | report | withhold |
            | ana   | payment | 10.00  | rp-1   |          |
            | bia   | payment | 20.00  | rp-1   | yes      |
            |       | owner   | 3.00   | rp-1   |          |
            |       | owner   | 4.00   |        |          |
            """
        ),
        paid,
        "run-1",
    )
    assert same(
        placed,
        """
        | amount | place    |
        | 10.00  | paid     |
        | 20.00  | withheld |
        | 3.00   | owner    |
        | 4.00   | owner    |
        """,
    )


def test_a_draft_leaves_the_owner_s_part_planned():
    draft = obligations("| kind | amount |\n| owner | 4.00 |")
    assert same(reconcile(draft, {}, "run-1", planned_owner=True), "| place |\n| planned |")


def test_a_conflict_stays_a_conflict_whatever_became_of_the_report_it_contradicts():
    conflict = obligations("| amount | place | report | reason |\n| 1.00 | conflict | rp-1 | another amount |")
    placed = reconcile(conflict, {"rp-1": submission(state=S.PAID)}, "run-2")
    assert same(placed, "| place | reason |\n| conflict | another amount |")


def test_the_reason_of_a_report_goes_before_that_of_the_claim():
    claimed = obligations("| amount | place | report | reason |\n| 1.00 | duplicate | rp-1 | claimed by rp-1 |")
    failed = {"rp-1": submission(state=S.FAILED, reason="the service says ERROR")}
    assert same(reconcile(claimed, failed, "run-2"), "| place | reason |\n| failed | the service says ERROR |")


EVERYWHERE = """
    | amount | place        |
    | 1.00   | paid         |
    | 2.00   | processing   |
    | 3.00   | withheld     |
    | 4.00   | owner        |
    | 5.00   | recouped     |
    | -6.00  | carried      |
    | 7.00   | held         |
    | 8.00   | conflict     |
    | 9.00   | duplicate    |
    | 10.00  | planned      |
    | 11.00  | not_sent     |
    | 12.00  | in_doubt     |
    | 13.00  | undetermined |
    | 14.00  | refused      |
    | 15.00  | failed       |
    | 16.00  | excluded     |
    | 17.00  | income_tax   |
    | 18.00  | tax          |
    | 19.00  | returned     |
"""
IN_ALL = sum(parse_plain_amount(row["amount"]) for row in table(EVERYWHERE))


def test_totals_add_up_by_place_and_no_place_is_left_out():
    totals = total_up(obligations(EVERYWHERE), IN_ALL, {}, {}, "run-1")
    assert {row["place"] for row in table(EVERYWHERE)} == {place.value for place in Place}
    told = totals.model_dump(by_alias=True)
    assert told.pop("in") == IN_ALL
    assert told == {row["place"]: parse_plain_amount(row["amount"]) for row in table(EVERYWHERE)}


@pytest.mark.parametrize("missing", [1, -1])
def test_one_centavo_without_a_place_stops_the_run(missing):
    with pytest.raises(BrokenInvariant, match="does not add up"):
        total_up(obligations(EVERYWHERE), IN_ALL + missing, {}, {}, "run-1")


SENT = """
    | payee | amount | report | withhold | place |
    | ana   | 70.00  | rp-1   |          | paid  |
    | bia   | 30.00  | rp-1   | yes      | withheld |
"""


@pytest.mark.parametrize(
    ("figures", "paid", "withheld", "tax"),
    [
        ({}, 7000, 3000, 0),
        ({"withholdAmount": "30.00"}, 7000, 3000, 0),
        ({"withholdAmount": "0.00"}, 10000, 0, 0),
        ({"withholdPayments": 0}, 10000, 0, 0),
        ({"withholdPayments": 1, "withholdAmount": "0.00"}, 7000, 3000, 0),
        ({"irAmount": "7.50"}, 6250, 3000, 750),
        ({"irAmount": "7.4999999999999"}, 6250, 3000, 750),
        ({"irAmount": "0.00", "withholdAmount": None}, 7000, 3000, 0),
    ],
)
def test_what_the_report_says_was_withheld_or_taxed_was_not_paid_out(figures, paid, withheld, tax):
    sent, said = {"rp-1": submission(state=S.PAID)}, {"rp-1": report(status="DONE", **figures)}
    placed = reconcile(obligations(SENT), sent, "run-1", reports=said)
    totals = total_up(placed, 10_000, sent, said, "run-1")
    assert (totals.paid, totals.withheld, totals.income_tax) == (paid, withheld, tax)


def taxed(drawn, figures, **sent):
    paid = {"rp-1": submission(state=S.PAID, **sent)}
    return reconcile(obligations(drawn), paid, "run-1", reports={"rp-1": report(status="DONE", **figures)})


ONE = "| payee | amount | report |\n| ana | 100.00 | rp-1 |"


@pytest.mark.parametrize("figures", [{}, {"paidAmount": "92.50"}, {"paidAmount": "92.4999999999"}])
def test_the_net_of_a_payment_is_told_beside_the_tax_where_the_report_is_of_it_alone(figures):
    placed = taxed(ONE, {"irAmount": "7.50", **figures}, payments=1)
    assert same(
        placed,
        """
        | amount | place      | reason       |
        | 92.50  | paid       | less_tax     |
        | 7.50   | income_tax | tax_withheld |
        """,
    )
    totals = total_up(
        placed, 10_000, {"rp-1": submission(state=S.PAID, payments=1)}, {"rp-1": report(irAmount="7.50")}, "run-1"
    )
    assert (totals.paid, totals.income_tax) == (9_250, 750)


@pytest.mark.parametrize("figures", [{}, {"paidAmount": "0.00"}])
def test_a_tax_as_large_as_the_payment_is_all_there_is(figures):
    placed = taxed(ONE, {"irAmount": "100.00", **figures}, payments=1)
    assert same(placed, "| amount | place | reason |\n| 100.00 | income_tax | tax_withheld |")
    sent = {"rp-1": submission(state=S.PAID, payments=1)}
    totals = total_up(placed, 10_000, sent, {"rp-1": report(irAmount="100.00")}, "run-1")
    assert (totals.paid, totals.income_tax) == (0, 10_000)


@pytest.mark.parametrize(
    ("figures", "sent"),
    [
        ({"irAmount": "7.50"}, {"payments": 2}),
        ({"irAmount": "7.50"}, {"payments": 1, "owner_cents": 100}),
        ({"irAmount": "7.50", "paidAmount": "100.00"}, {"payments": 1}),
    ],
    ids=["of several", "beside the owner's", "the figures do not fit"],
)
def test_where_the_net_is_not_known_a_payment_is_paid_less_tax_and_no_more_is_said(figures, sent):
    assert same(
        taxed(ONE, figures, **sent),
        """
        | amount | place | reason   |
        | 100.00 | paid  | less_tax |
        """,
    )


@pytest.mark.parametrize("figures", [{"irAmount": "0.00"}, {"irAmount": None}, {"irAmount": "0.0000000001"}])
def test_without_tax_paid_is_paid(figures):
    assert same(taxed(ONE, figures, payments=1), "| amount | place | reason |\n| 100.00 | paid | |")


def test_what_people_asked_to_hold_back_and_the_owner_s_part_are_not_taxed_in_words():
    placed = taxed(
        """
        | payee | kind    | amount | report | withhold |
        | ana   | payment | 10.00  | rp-1   |          |
        | bia   | payment | 20.00  | rp-1   | yes      |
        |       | owner   | 3.00   | rp-1   |          |
        """,
        {"irAmount": "1.00", "withholdAmount": "20.00", "withholdPayments": 1},
    )
    assert same(placed, "| place | reason |\n| paid | less_tax |\n| withheld | |\n| owner | |")


def test_another_sum_withheld_than_asked_is_a_discrepancy():
    sent = [submission(state=S.PAID)]
    (one,) = withheld_otherwise(obligations(SENT), sent, {"rp-1": report(withholdAmount="35.00")})
    assert (one.kind, one.expected, one.found) == ("withheld", "3000", "3500")
    assert withheld_otherwise(obligations(SENT), sent, {"rp-1": report(withholdAmount="30.00")}) == []
    assert withheld_otherwise(obligations(SENT), sent, {"rp-1": report()}) == []


def test_every_row_is_counted_where_it_went():
    assert count_rows(rows("used", "used", "held", "ignored")) == RowCounts(read=4, used=2, held=1, ignored=1)


def test_a_row_without_a_known_place_stops_the_run():
    with pytest.raises(BrokenInvariant, match="row has no place"):
        count_rows(rows("used", "lost"))


def test_what_became_of_a_payment_is_told_of_its_row():
    placed = place_rows(
        rows("used", "used", "used", "used", "ignored"),
        obligations(
            """
            | row | amount | place     | reason          |
            | 2   | 1.00   | paid      |                 |
            | 3   | 1.00   | held      | ACCOUNT_INVALID |
            | 4   | 1.00   | conflict  | another amount  |
            | 5   | 1.00   | duplicate | claimed by rp-1 |
            """
        ),
    )
    assert same(
        placed,
        """
        | first_row | last_row | rows | disposition | reason          |
        | 2         | 5        | 1    | used        |                 |
        | 3         | 3        | 1    | held        | ACCOUNT_INVALID |
        | 4         | 4        | 1    | held        | another amount  |
        | 5         | 5        | 1    | duplicate   | claimed by rp-1 |
        | 6         | 6        | 1    | ignored     |                 |
        """,
    )


@pytest.mark.parametrize(
    ("state", "outcome"),
    [
        (S.PAID, "accepted"),
        (S.FAILED, "accepted"),
        (S.PROCESSING, "accepted"),
        (S.REFUSED, "refused"),
        (S.IN_DOUBT, "in_doubt"),
    ],
)
def test_the_outcome_of_sending_is_told_apart_from_what_became_of_the_report(state, outcome):
    (told,) = summarise_batches([submission(state=state, status="DONE")])
    assert (told.outcome, told.status, told.payments, told.amount_cents) == (outcome, "DONE", 2, 10_000)
