"""Whatever the service does, wherever a process dies or is overtaken: nothing is paid twice, lost, or told untruly.

Every combination of place, event, behaviour and list is a scenario; each is played to the end of the twenty-fifth hour
and the ledger is then held against what the service received. Of each event two scenarios are played by default; the
long tests play one in 197, and no fewer than five; SIMULATE=5 plays one in five, SIMULATE=all plays all.
"""

import os
import random
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from typing import Final

import pytest

from tests.sampled import sampled
from tests.simulation.behaviours import BEHAVIOURS, LISTINGS, MOODS
from tests.simulation.office import Memory, Office
from tests.simulation.points import Point, Points
from tests.simulation.scenarios import Event, Scenario, Twist, everything
from tests.simulation.world import World

SHARE: Final = os.environ.get("SIMULATE", "197")
ONE_IN: Final = 1 if SHARE == "all" else int(SHARE)
SHUFFLED: Final = random.Random("the same ones each time").sample(ALL := list(everything()), len(ALL))


def played(event: Event, *, one_in: int, at_least: int) -> list[Scenario]:
    """Some scenarios of an event, the same ones each time."""
    of_event = [scenario for scenario in SHUFFLED if scenario.event is event]
    return of_event[:: min(one_in, max(1, len(of_event) // at_least))]


pytestmark = pytest.mark.timeout(3600)


@pytest.fixture
def assert_sound(simulated: Path, office: Office, memory: Memory) -> Callable[[Event, list[Scenario]], Counter[str]]:
    """Play scenarios of an event, see that no ledger says otherwise than the service, and count how they ended."""

    def play(event: Event, scenarios: list[Scenario]) -> Counter[str]:
        came_of = Counter[str]()
        found = []
        for scenario in scenarios:
            verdict = scenario.play(simulated / "world", office)
            came_of["with a person" if verdict.needs_a_person else "settled"] += 1
            came_of["with a person, though all was created"] += verdict.needs_a_person and verdict.was_all_created
            found += [f"{scenario}: {violation}" for violation in verdict.violations]
        print(f"{event.value}: {came_of['settled'] + came_of['with a person']} scenarios, {dict(came_of)}")
        assert not found, "\n".join(found)
        return came_of

    return play


@pytest.mark.parametrize("event", Event, ids=lambda event: event.value)
def test_nothing_is_paid_twice_or_lost_or_told_untruly(event: Event, assert_sound):
    assert_sound(event, played(event, one_in=len(ALL), at_least=2))


@pytest.mark.long
@pytest.mark.parametrize("event", Event, ids=lambda event: event.value)
def test_nothing_is_paid_twice_or_lost_or_told_untruly_in_many_more_ways(event: Event, assert_sound):
    assert assert_sound(event, played(event, one_in=ONE_IN, at_least=5))["settled"]


@pytest.mark.parametrize("listing", sampled(LISTINGS, one_in=len(LISTINGS)), ids=lambda listing: listing.name)
@pytest.mark.parametrize("twist", [Twist.EXTENDED, Twist.AMENDED, Twist.NO_YES], ids=lambda twist: twist.value)
def test_a_changed_file_and_a_missing_yes_change_nothing_about_that(twist, listing, simulated, office, memory):
    for behaviour in (BEHAVIOURS[0], BEHAVIOURS[6]):
        scenario = Scenario(Point.AFTER_INTENT, Event.DIES, behaviour, listing, twist)
        assert scenario.play(simulated / "world", office).violations == ()


@pytest.mark.parametrize("point", [Point.BETWEEN_BATCHES, Point.BEFORE_INTENT], ids=lambda point: point.value)
def test_a_hold_that_comes_while_a_run_is_sending_lets_nothing_more_out(point, simulated, office, memory):
    scenario = Scenario(point, Event.NOTHING, BEHAVIOURS[0], LISTINGS[0], Twist.ON_HOLD)
    assert scenario.play(simulated / "world", office).violations == ()


@pytest.mark.parametrize("mood", [mood for mood in MOODS if mood.freezes], ids=lambda mood: mood.name)
def test_a_service_that_contradicts_itself_is_sent_nothing_more(mood, simulated, office, memory):
    verdict = Scenario(None, Event.NOTHING, mood, LISTINGS[0]).play(simulated / "world", office)
    assert verdict.violations == ()
    assert verdict.is_frozen
    assert mood.copies > 1 or verdict.posts == 2


# A copy that is made in the middle of a run, after its list, is what no list of that run can show.
TWO_AT_ONCE = [
    (Point.BEFORE_FREEZING, "its own"),
    (Point.AFTER_APPROVING, "its own"),
    (Point.BEFORE_INTENT, "its own"),
    (Point.BETWEEN_BATCHES, "its own"),
    (Point.BEFORE_FREEZING, "a copy"),
    (Point.AFTER_APPROVING, "a copy"),
]


@pytest.mark.parametrize(("point", "ledger"), TWO_AT_ONCE, ids=lambda value: getattr(value, "value", value))
def test_two_ledgers_on_one_account_are_noticed_after_one_batch_in_that_run(point, ledger, simulated, office, memory):
    here, there = (World(simulated / name, office, BEHAVIOURS[0], LISTINGS[0]) for name in ("here", "there"))
    there.service, there.clock = here.service, here.clock
    posts: list[int] = []

    def run_the_other() -> None:
        posts.append(len(here.service.posts))
        if ledger == "a copy":
            there.put_back(here.file)
        there.pay(office.six, name="there")
        posts.append(len(here.service.posts))

    here.pay(office.six, name="here", points=Points(point, run_the_other))
    before, after = posts
    in_all = len(here.service.posts)
    assert before == after or in_all - after <= 1
    frozen = []
    for world in (here, there):
        world.pay(office.six, name="again")
        with world.ledger() as opened:
            frozen.append(opened.freeze.current() is not None)
    assert any(frozen)
    assert len(here.service.posts) == in_all
    # What no single look can prevent: each of the two had its first batch on the way before it saw the other's.
    asked = Counter(payee for post in here.service.posts for payee in post.payees)
    assert sum(count - 1 for count in asked.values()) <= 2


@pytest.mark.parametrize("listing", LISTINGS[:3], ids=lambda one: one.name)
def test_a_ledger_put_back_from_yesterday_sends_nothing(listing, simulated, office, memory):
    # Where the list tells neither id nor name, or not yet, nothing can know: this guard is as good as the list.
    verdict = Scenario(None, Event.NOTHING, BEHAVIOURS[0], listing, Twist.OLD_LEDGER).play(simulated / "world", office)
    assert verdict.violations == ()
    assert verdict.needs_a_person
