"""What a person's word on an obligation answers, and when there is nothing to answer."""

import pytest

from flows.approvals.rules import Question, open_question
from schemas.approval import DecisionKind
from schemas.submission import Claim, SubmissionState
from tests.obligations import obligation

PAY, PAID, DROP = DecisionKind.PAY, DecisionKind.PAID, DecisionKind.DROP
S = SubmissionState
KEY, BESIDE = "ob-1", "ob-2"


def row(place="planned", *, cents=1000, key=KEY, kind="payment", to="there"):
    return obligation(key=key, base_key=KEY, kind=kind, place=place, amount_cents=cents, destination=to)


def claimed(state=S.PAID, *, cents=1000, key=KEY, by="rp-1", kind="payment"):
    withheld = False
    return Claim(key, KEY, "", kind, "ana", cents, "there", withheld, by, state, "run-1", "2026-10")


def question(kind, seen, *claims, key=KEY, answered=(), spoken_of=()):
    return open_question(key, kind, seen, claims, answered=set(answered), spoken_of=set(spoken_of))


@pytest.mark.parametrize("kind", [PAY, PAID, DROP])
@pytest.mark.parametrize("state", [S.PARTIAL, S.EXCLUDED])
def test_a_report_that_did_not_tell_whom_it_paid_is_explained(kind, state):
    assert question(kind, row(), claimed(state)) == Question(KEY, "rp-1", 1000, "there")
    assert question(kind, None, claimed(state, kind="owner")) == Question(KEY, "rp-1", 1000, "there")


@pytest.mark.parametrize("kind", [PAY, PAID, DROP])
@pytest.mark.parametrize("state", [S.APPROVED, S.SENDING, S.IN_DOUBT, S.ACCEPTED, S.PROCESSING, S.PAID, S.NOT_SENT])
def test_what_a_live_report_pays_is_nobody_s_to_decide(kind, state):
    assert question(kind, row("duplicate"), claimed(state)) is None


@pytest.mark.parametrize("kind", [PAY, PAID, DROP])
def test_a_row_in_conflict_is_decided_as_it_stands(kind):
    assert question(kind, row("conflict", cents=1200), claimed()) == Question(KEY, "", 1200, "there")


@pytest.mark.parametrize("kind", [PAY, PAID, DROP])
def test_a_conflict_that_was_paid_since_is_none(kind):
    assert question(kind, row("conflict", cents=1200), claimed(), claimed(cents=1200, key=BESIDE)) is None


def test_of_a_report_and_a_row_that_are_both_open_the_report_comes_first():
    both = (row("conflict", cents=1200), claimed(S.PARTIAL))
    assert question(PAID, *both) == Question(KEY, "rp-1", 1000, "there")
    assert question(PAY, *both, answered=[(KEY, "rp-1")]) == Question(KEY, "", 1200, "there")
    assert question(PAY, *both, answered=[(KEY, "rp-0")]) == Question(KEY, "rp-1", 1000, "there")


@pytest.mark.parametrize("place", ["held", "planned"])
def test_a_row_nobody_claims_may_have_been_paid_outside_and_need_not_be_told_to_be_paid(place):
    assert question(PAID, row(place)) == question(DROP, row(place)) == Question(KEY, "", 1000, "there")
    assert question(PAY, row(place)) is None


def test_a_word_may_be_taken_back_until_the_row_is_claimed():
    assert question(PAY, row("duplicate"), spoken_of=[KEY]) == Question(KEY, "", 1000, "there")
    assert question(PAY, row("duplicate"), claimed(), spoken_of=[KEY]) is None


def test_a_word_on_the_payment_beside_an_earlier_one_is_about_the_row():
    assert question(PAID, row(key=BESIDE, cents=1200), claimed(), key=BESIDE) == Question(KEY, "", 1200, "there")


def test_royalties_and_strangers_have_no_row_to_decide_about():
    assert question(PAID, row("held", kind="royalty")) is None
    assert question(PAID, None) is None
