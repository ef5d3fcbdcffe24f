"""People's words on payments rows and on reports that did not tell: what is paid then, and where every centavo is."""

import pytest

from flows.books.rules.reconcile import closing_codes
from flows.payables.rules.places import place_of, place_rows, reconcile
from schemas.approval import Decision, DecisionKind
from schemas.errors import ExitCode
from schemas.submission import UNTOLD, SubmissionState
from tests.spec.office import SAID_AT, Office, inputs, statement
from tests.spec.placed import PLACES, obligations, rows
from tests.spec.reports import submission
from tests.spec.tables import CPF, lines, payees, payments, same, shares

PAY, PAID, DROP, DIFFERENCE = DecisionKind.PAY, DecisionKind.PAID, DecisionKind.DROP, DecisionKind.DIFFERENCE
S = SubmissionState

TEN = "| payee | amount |\n| ana | 10.00 |"
TWELVE = "| payee | amount |\n| ana | 12.00 |"
ELSEWHERE = "| payee | amount | key |\n| ana | 12.00 | nova@example.com |"


def sheet(text):
    return inputs(payments=payments(text))


@pytest.fixture
def changed():
    """An office that has paid ten, and is now told to pay twelve."""
    office = Office()
    office.send(sheet(TEN))
    return office


def test_a_conflict_that_was_paid_otherwise_is_a_duplicate(changed):
    changed.decide(PAID, sheet(TWELVE))
    payables = changed.compute_payables(sheet(TWELVE))
    assert same(payables.obligations, "| amount | place | reason |\n| 12.00 | duplicate | paid, decided by bia |")
    assert changed.plan(payables).batches == ()


def test_a_conflict_that_was_dropped_is_left_out(changed):
    changed.decide(DROP, sheet(TWELVE))
    payables = changed.compute_payables(sheet(TWELVE))
    assert same(payables.obligations, "| amount | place | reason |\n| 12.00 | excluded | drop, decided by bia |")
    assert changed.plan(payables).batches == ()


def test_of_a_row_of_which_only_the_difference_is_wanted_the_rest_is_paid_once(changed):
    changed.decide(DIFFERENCE, sheet(TWELVE))
    payables = changed.compute_payables(sheet(TWELVE))
    assert same(
        payables.obligations,
        "| amount | place | reason |\n| 10.00 | duplicate | claimed by rp-1 |\n| 2.00 | planned | difference |",
    )
    changed.send(sheet(TWELVE), submission="rp-2")
    again = changed.compute_payables(sheet(TWELVE))
    assert same(again.obligations, "| amount | submission_id |\n| 10.00 | rp-1 |\n| 2.00 | rp-2 |")


def test_a_difference_to_a_payment_that_failed_since_is_the_whole_row_and_is_called_no_difference(changed):
    changed.decide(DIFFERENCE, sheet(TWELVE))
    changed.give_up("rp-1")
    payables = changed.compute_payables(sheet(TWELVE))
    assert same(payables.obligations, "| amount | place | reason |\n| 12.00 | planned | |")


def test_a_conflict_that_is_to_be_paid_is_paid_beside_the_earlier_payment_and_only_once(changed):
    changed.decide(PAY, sheet(TWELVE))
    plan = changed.send(sheet(TWELVE), submission="rp-2")
    assert plan.total_cents == 1200
    (payment,) = plan.batches[0].payments
    assert payment.base_key == changed.identity.payment_key(CPF["ana"], "")
    assert payment.obligation_key != payment.base_key
    again = changed.compute_payables(sheet(TWELVE))
    assert same(again.obligations, "| amount | place | submission_id |\n| 12.00 | duplicate | rp-2 |")
    back = changed.compute_payables(sheet(TEN))
    assert same(back.obligations, "| amount | place | submission_id |\n| 10.00 | duplicate | rp-1 |")


@pytest.mark.parametrize("kind", list(DecisionKind))
@pytest.mark.parametrize("other", [ELSEWHERE, TWELVE.replace("12.00", "12.01")], ids=["elsewhere", "more"])
def test_a_word_on_one_amount_and_destination_says_nothing_of_another(changed, kind, other):
    changed.decide(kind, sheet(TWELVE))
    payables = changed.compute_payables(sheet(other))
    assert same(payables.obligations, "| place | submission_id |\n| conflict | rp-1 |")


def test_a_third_amount_is_paid_beside_the_two_before():
    office = Office()
    keys = set()
    for number, amount in enumerate(("10.00", "12.00", "13.00"), start=1):
        came_in = sheet(TEN.replace("10.00", amount))
        if number > 1:
            office.decide(PAY, came_in)
        plan = office.send(came_in, submission=f"rp-{number}")
        keys |= {payment.obligation_key for payment in plan.batches[0].payments}
    assert len(keys) == 3


def test_a_payment_beside_another_is_never_taken_for_a_row_that_people_numbered_themselves():
    numbered = "| payee | reference | amount |\n| ana | show | 10.00 |\n| ana | show/2 | 5.00 |"
    office = Office()
    office.send(sheet(numbered))
    more = numbered.replace("10.00", "12.00")
    office.decide(PAY, sheet(more))
    payables = office.compute_payables(sheet(more))
    assert same(payables.obligations, "| amount | place |\n| 12.00 | planned |\n| 5.00 | duplicate |")
    office.send(sheet(more), submission="rp-2")
    keys = [claim.obligation_key for claim in office.claims]
    assert len(set(keys)) == len(keys) == 3


HELD = {"payee_problems": {CPF["ana"]: "PIX_CPF"}}


def held(amount="10.00"):
    """A row whose payee's data has problems, so that it has nowhere to go."""
    return inputs(payments=payments(f"| payee | key | amount |\n| ana | | {amount} |"), **HELD)


@pytest.mark.parametrize(("kind", "place"), [(PAID, "duplicate"), (DROP, "excluded")])
def test_a_held_row_that_was_paid_outside_or_dropped_is_not_paid(kind, place):
    office = Office()
    assert same(office.compute_payables(held()).obligations, "| place |\n| held |")
    office.decide(kind, held())
    assert same(office.compute_payables(held()).obligations, f"| place |\n| {place} |")


@pytest.mark.parametrize("kind", [PAID, DROP])
@pytest.mark.parametrize("corrected", [TEN, TWELVE])
def test_a_row_paid_outside_that_is_corrected_later_is_a_conflict_and_not_paid_as_if_nobody_had_said_a_word(
    kind, corrected
):
    office = Office()
    office.decide(kind, held())
    payables = office.compute_payables(sheet(corrected))
    reason = f"another amount or destination than was {kind}, decided by bia"
    assert same(payables.obligations, f"| place | reason |\n| conflict | {reason} |")
    office.decide(PAY, sheet(corrected))
    payables = office.compute_payables(sheet(corrected))
    assert same(payables.obligations, "| place |\n| planned |")
    assert [owed.key for owed in payables.obligations] == [office.identity.payment_key(CPF["ana"], "")]


def earned(amount):
    return inputs(
        [statement(lines(f"| recording | amount |\n| samba | {amount} |"))],
        payees=payees("ana"),
        shares=shares("| payee | recording | share |\n| ana | samba | 100 |"),
    )


def test_royalties_that_a_report_did_not_pay_are_planned_again_under_a_key_that_nobody_claims():
    office = Office()
    for number, amount in enumerate(("10.00", "13.00"), start=1):
        office.send(earned(amount), submission=f"rp-{number}")
    office.give_up("rp-1")
    payables = office.compute_payables(earned("13.00"))
    assert same(
        payables.obligations,
        """
        | reference   | amount | place     | submission_id |
        | royalties/2 | 3.00   | duplicate | rp-2          |
        | royalties   | 10.00  | planned   |               |
        """,
    )
    plan = office.remember(office.plan(payables), submission="rp-3")
    assert plan.total_cents == 1000
    keys = [claim.obligation_key for claim in office.claims]
    assert len(set(keys)) == len(keys)
    assert office.plan(office.compute_payables(earned("13.00"))).batches == ()


def word(kind, report="rp-1", key=""):
    return Decision(key, report, kind, 1000, "there", "bia", "a receipt", SAID_AT)


@pytest.mark.parametrize("state", [S.PARTIAL, S.EXCLUDED])
@pytest.mark.parametrize(
    ("kind", "own", "earlier"), [(PAY, "failed", "failed"), (PAID, "paid", "duplicate"), (DROP, "excluded", "excluded")]
)
def test_what_a_report_did_not_tell_is_where_people_say(state, kind, own, earlier):
    (row,) = obligations("| amount |\n| 1.00 |")
    assert place_of(row, submission(state=state), "run-1", kind).value == own
    assert place_of(row, submission(state=state), "run-2", kind).value == earlier


@pytest.mark.parametrize(("state", "own", "earlier"), [case for case in PLACES if case[0] not in UNTOLD])
def test_where_the_report_tells_no_word_counts(state, own, earlier):
    (row,) = obligations("| amount |\n| 1.00 |")
    for kind in DecisionKind:
        assert place_of(row, submission(state=state), "run-1", kind).value == own
        assert place_of(row, submission(state=state), "run-2", kind).value == earlier


def test_a_word_counts_for_the_report_it_was_said_of_and_for_no_other():
    owed = obligations("| amount | report |\n| 10.00 | rp-1 |\n| 10.00 | rp-2 |")
    sent = {name: submission(name, state=S.PARTIAL) for name in ("rp-1", "rp-2")}
    placed = reconcile(owed, sent, "run-1", decisions={("", "rp-1"): word(PAID)})
    assert same(placed, "| place | reason |\n| paid | paid, decided by bia |\n| undetermined | |")


def test_what_people_say_was_paid_is_the_owner_s_or_withheld_like_any_other():
    owed = obligations(
        "| kind | amount | report | withhold |\n| owner | 1.00 | rp-1 | |\n| payment | 2.00 | rp-1 | yes |"
    )
    placed = reconcile(owed, {"rp-1": submission(state=S.PARTIAL)}, "run-1", decisions={("", "rp-1"): word(PAID)})
    assert same(placed, "| amount | place |\n| 1.00 | owner |\n| 2.00 | withheld |")


def test_a_report_that_people_have_explained_stands_in_nobody_s_way():
    sent = [submission("rp-1", state=S.PARTIAL), submission("rp-2", state=S.PAID)]
    noted = [ExitCode.DISCREPANCIES]
    assert closing_codes(noted, sent, (), ever_sent=True) == {ExitCode.DISCREPANCIES}
    assert closing_codes(noted, sent, (), ever_sent=True, decided={"rp-1"}) == {ExitCode.DONE}
    assert closing_codes(noted, sent[:1], (), ever_sent=True, decided={"rp-1"}) == {ExitCode.DONE}


def test_a_dropped_row_was_not_used_but_one_of_an_excluded_report_was():
    owed = obligations(
        """
        | row | amount | place    | report | reason               |
        | 2   | 1.00   | excluded |        | drop, decided by bia |
        | 3   | 1.00   | excluded | rp-1   |                      |
        """
    )
    assert same(
        place_rows(rows("used", "used"), owed),
        "| rows | disposition | reason |\n| 1 | ignored | drop, decided by bia |\n| 1 | used | |",
    )
