"""What a person's word on an obligation answers, and when there is nothing to answer."""

import datetime as dt

import pytest

from flows.acts.rules import Question, open_question
from schemas.approval import Decision, DecisionKind
from schemas.submission import Claim, SubmissionState
from tests.obligations import obligation

PAY, PAID, DROP, DIFFERENCE = DecisionKind.PAY, DecisionKind.PAID, DecisionKind.DROP, DecisionKind.DIFFERENCE
S = SubmissionState
KEY, BESIDE = "ob-1", "ob-2"


def row(place="planned", *, cents=1000, key=KEY, kind="payment", to="there"):
    return obligation(key=key, base_key=KEY, kind=kind, place=place, amount_cents=cents, destination=to)


def claimed(state=S.PAID, *, cents=1000, key=KEY, by="rp-1", kind="payment"):
    withheld = False
    return Claim(key, KEY, "", kind, "ana", cents, "there", withheld, by, state, "run-1", "2026-10")


def said(kind, *, cents=1000):
    return Decision(KEY, "", kind, cents, "there", "bia", "a slip", dt.datetime(2026, 10, 5, tzinfo=dt.UTC))


def question(kind, seen, *claims, key=KEY, answered=(), words=()):
    spoken_of = {word.obligation_key: word for word in words}
    return open_question(key, kind, seen, claims, answered=set(answered), spoken_of=spoken_of)


@pytest.mark.parametrize("kind", [PAY, PAID, DROP])
def test_a_conflict_that_was_paid_since_is_none(kind):
    assert question(kind, row("conflict", cents=1200), claimed(), claimed(cents=1200, key=BESIDE)) is None


def test_a_word_may_be_taken_back_until_the_row_is_claimed():
    assert question(PAY, row("duplicate"), words=[said(DROP)]) == Question(KEY, "", 1000, "there")
    assert question(PAY, row("duplicate"), claimed(), words=[said(DROP)]) is None


def test_another_person_may_take_over_that_the_difference_is_paid():
    by_now = row(cents=500)  # what is still planned of 15.00, beside the 10.00 that were paid
    assert question(DIFFERENCE, by_now, claimed(), words=[said(DIFFERENCE, cents=1500)]) == Question(
        KEY, "", 1500, "there"
    )
    assert question(DIFFERENCE, by_now, claimed(), words=[said(PAY)]) is None


def test_royalties_and_strangers_have_no_row_to_decide_about():
    assert question(PAID, row("held", kind="royalty")) is None
    assert question(PAID, None) is None
