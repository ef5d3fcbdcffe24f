"""A report stands in one way towards whoever pays for it, whatever the service says of it and people have paid.

The first row that holds counts; the table is the rule. Varied: the report's own state and word, its Pix code, what was
paid for it, its rate and fee, and what the house assumes. Each code is written by the sandbox and read by the product.
"""

from decimal import Decimal
from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_adapters.sandbox.codes import br_code
from schemas.errors import ExitCode
from schemas.funding import CodeStanding, FundingState, funding_state, stand_towards_payer
from schemas.states import FUNDINGS, Tone, Turn, possible_acts
from schemas.submission import ENDED, OPEN, SubmissionState
from schemas.wire import SplitReport, amount_from_cents
from tests.spec.reports import submission

F, C, S = FundingState, CodeStanding, SubmissionState
COST = 100_00
# state, status, code, paid, lacks a rate, owes a fee, collects -> how it stands
TABLE = [
    (S.FAILED, "ERROR", C.RIGHT, 0, False, True, "unknown", F.ENDED),
    (S.EXCLUDED, "EXCLUDED", C.WRONG, COST, False, False, "pix", F.ENDED),
    (S.PARTIAL, "CLOSED", C.NONE, COST + 1, False, True, "balance", F.ENDED),
    (S.PROCESSING, "ON_HOLD", C.RIGHT, 0, False, False, "unknown", F.ENDED),
    (S.PROCESSING, "PENDING", C.WRONG, 0, False, False, "unknown", F.MISMATCH),
    (S.PROCESSING, "PENDING", C.WRONG, COST, False, False, "unknown", F.MISMATCH),
    (S.PROCESSING, "PENDING", C.OTHER_RECEIVER, COST, True, False, "pix", F.MISMATCH),
    (S.PROCESSING, "PENDING", C.UNCONFIRMED, 0, False, False, "unknown", F.RECEIVER_UNKNOWN),
    (S.PROCESSING, "PENDING", C.RIGHT, COST + 1, False, False, "unknown", F.OVER),
    (S.PAID, "DONE", C.NONE, COST + 1, False, True, "unknown", F.OVER),
    (S.ACCEPTED, None, C.RIGHT, COST, False, False, "unknown", F.PAID_WAITING),
    (S.PROCESSING, "PENDING", C.NONE, COST, False, False, "balance", F.PAID_WAITING),
    (S.PROCESSING, "PENDING", C.RIGHT, COST - 1, False, False, "unknown", F.SHORT),
    (S.PROCESSING, "PROCESSING", C.NONE, 1, False, False, "unknown", F.SHORT),
    (S.PROCESSING, "PENDING", C.RIGHT, 0, False, False, "unknown", F.YOURS_TO_PAY),
    (S.PROCESSING, "PENDING", C.RIGHT, 0, True, False, "balance", F.YOURS_TO_PAY),
    (S.PROCESSING, "PENDING", C.NONE, 0, True, False, "unknown", F.RATE_WANTED),
    (S.PROCESSING, "PROCESSING", C.WRONG, 0, True, False, "unknown", F.AT_SERVICE),
    (S.PROCESSING, "PROCESSING", C.NONE, COST, False, True, "balance", F.AT_SERVICE),
    (S.PROCESSING, "PENDING", C.NONE, 0, False, False, "balance", F.FROM_BALANCE),
    (S.PROCESSING, "PENDING", C.NONE, 0, False, False, "unknown", F.NOT_SAID),
    (S.ACCEPTED, None, C.NONE, 0, False, False, "pix", F.NOT_SAID),
    (S.PAID, "DONE", C.NONE, 0, False, True, "unknown", F.FEE_UNPAID),
    (S.PAID, "DONE", C.RIGHT, COST - 1, False, False, "unknown", F.DONE),
    (S.PAID, "CLOSED", C.WRONG, 0, False, False, "pix", F.DONE),
]
EVERY = list(
    product(
        [*OPEN, *ENDED],
        [None, "PENDING", "PROCESSING", "DONE", "CLOSED", "ERROR", "EXCLUDED", "ON_HOLD"],
        CodeStanding,
        [None, COST],
        [0, 1, COST, COST + 1],
        [False, True],
        [False, True],
        ["unknown", "pix", "balance"],
    )
)


def stands(row) -> FundingState:
    state, status, code, due, paid, lacks_rate, owes_fee, collects = row
    return funding_state(
        state,
        status,
        code,
        due_cents=due,
        funded_cents=paid,
        lacks_rate=lacks_rate,
        owes_fee=owes_fee,
        collects=collects,
    )


@pytest.mark.parametrize("row", TABLE, ids=str)
def test_the_first_row_that_holds_says_how_a_report_stands(row):
    state, status, code, *rest, found = row
    assert stands((state, status, code, COST, *rest)) is found


def test_every_state_has_a_row_and_every_input_a_state():
    assert {row[-1] for row in TABLE} == set(F) == set(FUNDINGS)
    for inputs in EVERY:
        assert stands(inputs) in F


def test_nobody_is_told_to_pay_a_code_that_is_not_right_or_what_is_paid_already():
    for inputs in EVERY:
        state, status, code, due, paid, *_ = inputs
        if stands(inputs) is F.YOURS_TO_PAY:
            assert state in OPEN
            assert status in {None, "PENDING"}
            assert code is C.RIGHT
            assert not paid or due is None


def test_nothing_that_waits_for_the_payer_says_that_it_waits_for_the_service():
    for inputs in EVERY:
        state, status, code, due, paid, *_ = inputs
        turn = FUNDINGS[stands(inputs)].turn
        if turn is Turn.SERVICE:
            assert status == "PROCESSING" or paid == due == COST
        if state in OPEN and status in {None, "PENDING"} and code is not C.NONE:
            assert turn in {Turn.APPROVER, Turn.RESOLVER} or paid == due


@pytest.mark.parametrize("found", F)
def test_whoevers_turn_it_is_can_do_something_and_what_is_wrong_is_shown_in_red(found):
    state = FUNDINGS[found]
    assert possible_acts(state, state_parts(state.turn)) or state.turn is Turn.NOBODY
    assert (state.tone is Tone.TROUBLE) == (found in {F.MISMATCH, F.OVER})


def state_parts(turn):
    return [turn.value] if turn in {Turn.APPROVER, Turn.RESOLVER, Turn.PREPARER} else []


@pytest.mark.parametrize(
    ("found", "code"),
    [(F.MISMATCH, 40), (F.OVER, 15), (F.FEE_UNPAID, 15), (F.DONE, 0), (F.ENDED, 0), (F.YOURS_TO_PAY, 23)],
)
def test_a_program_is_told_by_an_exit_code(found, code):
    assert found.exit_code is ExitCode(code)


RECEIVER = "SERVICO SA, SAO PAULO, pix@servico.example"


def code_for(amount_cents, *, name="SERVICO SA", key="pix@servico.example"):
    amount = None if amount_cents is None else amount_from_cents(amount_cents)
    return br_code(key, amount, txid="rp1", description="", reusable=False, name=name, city="SAO PAULO")


def standing(payload, *, paid=0, receivers=(RECEIVER,), covers="unknown", currency="BRL", **fields):
    report = SplitReport.model_validate({"status": "PENDING", "pixQrCodePayload": payload, **fields})
    ours = submission(state=S.PROCESSING, amount_cents=COST, currency=currency)
    return stand_towards_payer(
        ours, report, funded_cents=paid, receivers=frozenset(receivers), collects="unknown", covers=covers
    )


FEE = {"feeAmount": Decimal("6.01"), "feePaid": False}


@pytest.mark.parametrize(
    ("payload", "fields", "found", "sum_cents"),
    [
        (code_for(COST), {}, F.YOURS_TO_PAY, COST),
        (code_for(COST + 601), FEE, F.YOURS_TO_PAY, COST + 601),
        (code_for(COST), FEE, F.YOURS_TO_PAY, COST),
        (code_for(None), {}, F.YOURS_TO_PAY, COST),
        (code_for(COST + 1), {}, F.MISMATCH, COST),
        (code_for(COST + 602), FEE, F.MISMATCH, COST),
        (code_for(COST)[:-1] + "?", {}, F.MISMATCH, COST),
        ("not a code", {}, F.MISMATCH, COST),
        (code_for(COST, name="OUTRA SA"), {}, F.MISMATCH, COST),
        (code_for(COST, key="outra@servico.example"), {}, F.MISMATCH, COST),
        ("", {}, F.NOT_SAID, COST),
        (None, FEE, F.NOT_SAID, COST),
    ],
)
def test_a_code_is_paid_only_where_checksum_amount_and_receiver_are_the_reports(payload, fields, found, sum_cents):
    stood = standing(payload, **fields)
    assert (stood.state, stood.sum_cents) == (found, sum_cents)
    assert bool(stood.payload) == (found is F.YOURS_TO_PAY)
    assert bool(stood.wrong) == (found is F.MISMATCH)


def test_the_first_receiver_is_confirmed_by_people_and_another_one_afterwards_is_a_mismatch():
    assert standing(code_for(COST), receivers=()).state is F.RECEIVER_UNKNOWN
    assert standing(code_for(COST), receivers=()).receiver == RECEIVER
    assert standing(code_for(COST), receivers=("OUTRA SA, RIO, x",)).state is F.MISMATCH


@pytest.mark.parametrize(
    ("covers", "paid", "found"),
    [
        ("unknown", COST, F.PAID_WAITING),
        ("unknown", COST + 601, F.PAID_WAITING),
        ("total_and_fee", COST, F.SHORT),
        ("total_and_fee", COST + 601, F.PAID_WAITING),
        ("total", COST + 601, F.PAID_WAITING),
        ("unknown", COST + 602, F.OVER),
        ("unknown", COST + 600, F.OVER),
        ("unknown", COST - 1, F.SHORT),
    ],
)
def test_without_a_code_a_report_costs_its_total_or_its_total_and_fee(covers, paid, found):
    assert standing(None, paid=paid, covers=covers, **FEE).state is found


def test_a_report_in_another_currency_is_compared_at_its_rate_and_not_without():
    rated = {"exchangeRate": Decimal("5.4321")}
    assert standing(code_for(54321), currency="USD", **rated).state is F.YOURS_TO_PAY
    assert standing(code_for(54322), currency="USD", **rated).state is F.MISMATCH
    assert standing(code_for(99999), currency="USD").state is F.YOURS_TO_PAY
    assert standing(None, currency="USD").state is F.RATE_WANTED


@given(st.text(max_size=300) | st.binary(max_size=200).map(lambda raw: raw.decode("latin-1")))
def test_no_text_of_a_stranger_is_taken_for_a_code_to_pay(text):
    assert standing(text).state in {F.MISMATCH, F.NOT_SAID}


@given(st.integers(1, 10**9), st.integers(0, 10**6))
def test_a_code_with_one_character_changed_is_never_to_be_paid(amount_cents, at):
    payload = code_for(COST)
    index = at % len(payload)
    changed = payload[:index] + chr((ord(payload[index]) - 32 + 1 + amount_cents % 90) % 95 + 32) + payload[index + 1 :]
    assert changed == payload or standing(changed).state is F.MISMATCH
