"""What is tried: every point, what happens there, what the service does, and what it tells of it."""

import itertools
from collections.abc import Iterator
from dataclasses import dataclass, replace
from enum import Enum
from pathlib import Path
from typing import Final

from io_adapters.ledger.leases import Owner
from tests.simulation.behaviours import BEHAVIOURS, LISTINGS, MOODS, Behaviour, Listing
from tests.simulation.office import Office, Spreadsheet
from tests.simulation.points import IN_TRANSACTION, Point, Points, PowerCut
from tests.simulation.verdict import Verdict, judge
from tests.simulation.world import LIVES, NO_SUCH_PROCESS, World

P = Point
FROZEN_FOR_S: Final = 1200.0  # longer than a lease, and than a sender is waited for
A_MOMENT_S: Final = 0.1
MINUTE_S: Final = 60.0
HALF_AN_HOUR_S: Final = 1800.0
A_DAY_S: Final = 86_400.0


class Event(Enum):
    """What happens to the first process at its point."""

    NOTHING = "nothing"
    DIES = "it dies"
    DIES_FAR_AWAY = "it dies on another machine"
    OVERTAKEN = "its lease is lost and another run goes all the way"
    OVERTAKEN_LATE = "it freezes for twenty minutes, another run goes all the way"


E = Event


class Twist(Enum):
    """What people do besides."""

    NONE = "the file stays as it is"
    EXTENDED = "the file has one more payment from the second run on"
    AMENDED = "the file has other amounts from the second run on"
    NO_YES = "nobody approves anything"
    ON_HOLD = "sending is put on hold at the point, and stays so"
    OLD_LEDGER = "after the first run the ledger's file of before it is put back"


T = Twist
EXTREMES: Final = (LISTINGS[0], LISTINGS[3])
BEFORE_ANY_POST: Final = frozenset({P.BEFORE_FREEZING, P.BEFORE_APPROVING, P.IN_APPROVING, P.AFTER_APPROVING})
AROUND_AN_ANSWER: Final = (P.AFTER_INTENT, P.BEFORE_OUTCOME, P.AFTER_OUTCOME)


@dataclass(frozen=True, slots=True)
class Scenario:
    """One way things can go."""

    point: Point | None
    event: Event
    behaviour: Behaviour
    listing: Listing
    twist: Twist = T.NONE

    def __str__(self) -> str:
        where = f"{self.point.value}: {self.event.value}" if self.point else "nobody dies"
        return f"{where}; POST 2: {self.behaviour.name}; list {self.listing.name}; {self.twist.value}"

    def play(self, folder: Path, office: Office) -> Verdict:
        """Let it go that way to the end of the twenty-fifth hour, and hold ledger and service against each other."""
        world = World(folder, office, self.behaviour, self.listing)
        first, later = self._sheets(office)
        owner = _owner(self.event)
        points = Points(self.point, lambda: self._strike(world, owner, later))
        world.pay(first, name="first", points=points, owner=owner)
        if not points.is_passed and self.twist is not T.NO_YES:
            raise AssertionError(f"the first process never came there: {self}")
        if self.twist is T.OLD_LEDGER:
            world.put_back(office.empty_ledger)
            world.stopped_at_s = world.clock.monotonic_s()
        elif self.twist is T.NO_YES:
            world.stopped_at_s = -1.0
        _afterwards(world, later)
        verdict = judge(world, later.owed)
        is_seen = self.event is E.NOTHING and (self.behaviour.copies == 1 or self.listing.report_id)
        if self.behaviour.freezes and is_seen and not verdict.is_frozen:
            verdict = replace(verdict, lies=(*verdict.lies, "the service contradicts itself, and no people must look"))
        return verdict

    def _sheets(self, office: Office) -> tuple[Spreadsheet, Spreadsheet]:
        later = {T.EXTENDED: office.seven, T.AMENDED: office.amended}.get(self.twist, office.six)
        return (office.six.without_yes(), later.without_yes()) if self.twist is T.NO_YES else (office.six, later)

    def _strike(self, world: World, owner: Owner, later: Spreadsheet) -> None:
        if self.twist is T.ON_HOLD:
            with world.ledger() as ledger:
                ledger.hold.put("bia", "wait")
            world.stopped_at_s = world.clock.monotonic_s()
            world.clock.sleep(A_MOMENT_S)
        match self.event:
            case E.DIES | E.DIES_FAR_AWAY:
                raise PowerCut
            case E.OVERTAKEN:
                world.take_lease_away("first", owner)
                world.pay(later, name="second")
            case E.OVERTAKEN_LATE:
                world.wakes_on_the_wire = self.point is P.BEFORE_CONNECTING
                world.clock.sleep(FROZEN_FOR_S)
                world.pay(later, name="second")


def _owner(event: Event) -> Owner:
    if event is E.DIES:
        return replace(LIVES, pid=NO_SUCH_PROCESS, process_start="1")
    return replace(LIVES, host="far-away", boot_id="of-that-machine") if event is E.DIES_FAR_AWAY else LIVES


def _afterwards(world: World, sheet: Spreadsheet) -> None:
    """A run soon, settling when everything late is there, and when a day is over runs until one changes nothing."""
    world.clock.sleep(MINUTE_S)
    world.pay(sheet, name="third")
    world.clock.sleep(HALF_AN_HOUR_S)
    world.settle()
    world.clock.sleep(A_DAY_S)
    before = None
    for number in range(1, 6):
        if before == (before := world.states()):
            return
        world.pay(sheet.with_one_more(), name=f"last-{number}")
        world.clock.sleep(HALF_AN_HOUR_S)
    world.is_restless = True


def everything() -> Iterator[Scenario]:
    """The whole product, but for what differs in nothing; and each mood where an answer is known, or lost."""
    for behaviour, listing in itertools.product(BEHAVIOURS, LISTINGS):
        yield Scenario(None, E.NOTHING, behaviour, listing)
        for point, event in itertools.product(Point, Event):
            # Before the first POST nothing was told yet: what lists show differs only for the next run, which is new.
            if can_happen(point, event, behaviour) and (point not in BEFORE_ANY_POST or listing in EXTREMES):
                yield Scenario(point, event, behaviour, listing, T.EXTENDED if event is E.OVERTAKEN else T.NONE)
    for mood, listing in itertools.product(MOODS, EXTREMES):
        yield Scenario(None, E.NOTHING, mood, listing)
        for point, event in itertools.product(AROUND_AN_ANSWER, (E.DIES, E.OVERTAKEN)):
            yield Scenario(point, event, mood, listing, T.EXTENDED if event is E.OVERTAKEN else T.NONE)


def can_happen(point: Point, event: Event, behaviour: Behaviour) -> bool:
    """Whether the first process gets to the point, and others can act while it stands there.

    Within a transaction nobody else can write: whoever overtakes waits until it is over.
    """
    if event is E.NOTHING or (point is P.AFTER_EFFECT and not behaviour.arrives):
        return False
    return point not in IN_TRANSACTION or event is E.DIES
