"""A message is a value; each language writes it, its numbers, days and plurals as its readers do."""

import datetime as dt
import pickle
from decimal import Decimal

import pytest

from flows.books.rules.reconcile import state_name
from schemas.errors import ApprovalWanted, ExitCode
from schemas.exchange_update import ExchangeState
from schemas.messages import Message, Money, catalogue_in, render, state_text
from schemas.plan import SHOWN_PLACES, Place
from schemas.submission import SubmissionState

RUNS = {state_name(code, sent=sent) for code in ExitCode for sent in (True, False)}


def test_a_message_is_equal_to_another_of_the_same_id_and_facts():
    message = Message("approval.too_few", plan="sha256:ab", given=1, wanted=2)
    assert message == Message("approval.too_few", wanted=2, given=1, plan="sha256:ab") != Message("approval.too_few")
    assert {message: 1}[pickle.loads(pickle.dumps(message))] == 1  # noqa: S301  # our own bytes
    assert message.facts == {"plan": "sha256:ab", "given": 1, "wanted": 2}


def test_an_error_is_told_in_the_readers_language_and_logged_in_english():
    error = ApprovalWanted(Message("approval.too_few", plan="sha256:ab", given=1, wanted=2))
    assert render(error.content, "pt-BR") == "o plano sha256:ab tem 1 de 2 aprovações"
    assert error.message == str(error) == render(error.content, "en") == "plan sha256:ab has 1 of 2 approvals"


def test_an_error_in_plain_words_says_them_in_every_language():
    assert render(ApprovalWanted("as it is").content, "pt-BR") == "as it is"


@pytest.mark.parametrize(
    ("fact", "portuguese", "english"),
    [
        (Money(123456, "BRL"), "R$ 1.234,56", "R$ 1,234.56"),
        (Money(-5), "-0,05", "-0.05"),
        (Decimal("1234.5670"), "1.234,5670", "1,234.5670"),
        (dt.date(2026, 10, 31), "31/10/2026", "2026-10-31"),
        (dt.datetime(2026, 10, 31, 9, 5, tzinfo=dt.UTC), "31/10/2026 09:05", "2026-10-31 09:05"),
        (Message("state.paid"), "pago", "paid"),
        ((Message("state.paid"), "rp-1"), "pago\n  rp-1", "paid\n  rp-1"),
        (7, "7", "7"),
        (12345, "12345", "12345"),
    ],
)
def test_facts_are_written_as_readers_write_them(fact, portuguese, english):
    assert render("cli.send.refused", "pt-BR", report="rp-1", reason=fact) == f"rp-1 foi recusado: {portuguese}"
    assert render(Message("cli.send.refused", report="rp-1", reason=fact), "en") == f"rp-1 was refused: {english}"


def test_a_text_or_a_fact_that_is_not_there_is_a_bug():
    with pytest.raises(KeyError):
        render("no.such.text", "en")
    with pytest.raises(KeyError):
        render("approval.too_few", "en", plan="sha256:ab")


@pytest.mark.parametrize("state", sorted({*SubmissionState, *ExchangeState, *RUNS} - {"usage"}))
def test_every_state_has_a_word_in_both_languages(state):
    assert f"state.{state}" in catalogue_in("en")
    assert state_text(state, "pt-BR") != state


def test_every_place_has_a_word_in_both_languages():
    assert {*Place} < {*SHOWN_PLACES}
    assert all(f"place.{place}" in catalogue_in(language) for place in SHOWN_PLACES for language in ("pt-BR", "en"))


def test_a_state_nobody_has_named_is_shown_as_it_is():
    assert state_text("on_the_moon", "pt-BR") == "on the moon"
