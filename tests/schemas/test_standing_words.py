"""How a run, a submission or a rate stands is told in the reader's language."""

import pytest

from flows.reconciliation.rules.reconcile import state_name
from schemas.exchange_update import ExchangeState
from schemas.exit_codes import ExitCode
from schemas.plan import Place
from schemas.standing_words import PLACE_WORDS, STATE_WORDS, state_in_words
from schemas.submission import SubmissionState

RUNS = {state_name(code, sent=sent) for code in ExitCode for sent in (True, False)}


@pytest.mark.parametrize("state", sorted({*SubmissionState, *ExchangeState, *RUNS} - {"usage"}))
def test_every_state_has_a_word_in_both_languages(state):
    assert state in STATE_WORDS
    assert state_in_words(state, "pt-BR") == STATE_WORDS[state][0] != state


def test_every_place_has_a_word_in_both_languages():
    assert set(PLACE_WORDS) == set(Place)


def test_a_state_nobody_has_named_is_shown_as_it_is():
    assert state_in_words("on_the_moon", "pt-BR") == "on the moon"
