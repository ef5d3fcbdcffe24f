"""One table says of every state its colour, whose turn it is and what can be done; what is open can be ended."""

import re

import pytest

from flows.books.rules.reconcile import _NAMES, NOTHING_TO_PAY
from schemas.acts import ActKind
from schemas.approval import Role
from schemas.messages import catalogue_in
from schemas.plan import Place
from schemas.states import PAYMENTS, PLANS, REPORTS, RUNS, Tone, Turn, possible_acts, tone_of
from schemas.submission import SubmissionState
from schemas.waits import WaitKind

LANGUAGES = ("pt-BR", "en")
ALL = [
    *((f"place.{name}", state) for name, state in PAYMENTS.items()),
    *(
        (f"state.{name}", state)
        for table in (REPORTS, PLANS, RUNS)
        for name, state in table.items()
        if name != "settled"
    ),
    *((f"wait.{kind}", kind.stands) for kind in WaitKind),
]
NAMED = pytest.mark.parametrize(("text", "state"), ALL, ids=[text for text, _ in ALL])
PARTS = {Turn.PREPARER: Role.PREPARER, Turn.APPROVER: Role.APPROVER, Turn.RESOLVER: Role.RESOLVER}


def test_every_state_there_is_stands_in_the_table():
    assert set(PAYMENTS) == set(Place)
    assert set(REPORTS) == set(SubmissionState)
    assert {*_NAMES.values(), NOTHING_TO_PAY} <= set(RUNS)


@NAMED
def test_every_state_is_named_in_both_languages(text, state):
    assert all(text in catalogue_in(language) for language in LANGUAGES)
    assert all(f"turn.{state.turn}" in catalogue_in(language) for language in LANGUAGES)


@NAMED
def test_whoevers_turn_it_is_can_do_something_about_it(text, state):
    if state.turn in PARTS:
        assert possible_acts(state, {PARTS[state.turn]})
    if state.turn is Turn.SERVICE:
        assert possible_acts(state, ()) == (ActKind.SETTLE,)


@NAMED
def test_what_wants_a_person_is_shown_as_waiting_or_as_trouble_and_nothing_else_is(text, state):
    assert (state.tone in {Tone.WAITING, Tone.TROUBLE}) == (state.turn in PARTS) or text == "place.withheld"


@NAMED
def test_nobody_is_offered_what_is_not_theirs(text, state):
    for part, others in ((role, set(Role) - {role}) for role in Role):
        assert not set(possible_acts(state, others)) & {act for act in state.acts if act in OF_PART[part]}


OF_PART = {
    Role.PREPARER: {ActKind.RUN, ActKind.CORRECT},
    Role.APPROVER: {ActKind.APPROVE, ActKind.REJECT},
    Role.RESOLVER: {ActKind.LINK, ActKind.DECLARE_ABSENT, ActKind.DECIDE},
}


@pytest.mark.parametrize("name", sorted({*map(str, Place)} & {*map(str, SubmissionState)}))
def test_a_report_and_its_payments_have_one_colour(name):
    assert REPORTS[SubmissionState(name)].tone is PAYMENTS[Place(name)].tone is tone_of(name)
    for language in LANGUAGES:
        words = catalogue_in(language)
        assert words(f"place.{name}").casefold() == words(f"state.{name}").casefold()


# How a way on names an act: by a command, or by the file that is to be put right.
NAMES_AN_ACT = {"{command}": ActKind.RUN, "{corrections}": ActKind.CORRECT, "{shares}": ActKind.CORRECT}


@pytest.mark.parametrize("language", LANGUAGES)
@pytest.mark.parametrize("kind", WaitKind)
def test_a_way_on_names_what_can_be_done_about_it_and_nothing_else(kind, language):
    way = catalogue_in(language).template(f"wait.{kind}.way")
    named = {act for name, act in NAMES_AN_ACT.items() if name in way}
    named |= {ActKind(word) for word in re.findall(r"repasse (\w+)", way)}
    assert named
    assert named <= {*kind.stands.acts, ActKind.RUN}  # after each of them the job is run again
    assert ActKind.DECIDE in named or ActKind.DECIDE not in kind.stands.acts
