"""Ways to get the protocol wrong, each a change of a line or two of the product, and what finds each of them out.

A mutant is applied to the code of its functions in place, so that it holds wherever they were imported, and a mutant
whose line is gone from the product fails by itself: change it with the line.
"""

import importlib
import inspect
import sqlite3
import textwrap
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from tests.simulation.behaviours import BEHAVIOURS, LISTINGS, MOODS
from tests.simulation.office import Office
from tests.simulation.points import Point
from tests.simulation.scenarios import Event, Scenario, Twist

Question = Callable[[Path, Office], tuple[str, ...]]


@dataclass(frozen=True, slots=True)
class Change:
    """One line that reads otherwise.

    Attributes:
        where: "module:function" or "module:Class.method".
        old: As it stands in the product, once in that function.
        new: As the mutant has it.
    """

    where: str
    old: str
    new: str


@dataclass(slots=True, init=False)
class Mutant:
    """One way to get it wrong.

    Attributes:
        name: What the mutant believes.
        found_by: Of what kind the violation is: part of its text.
        killer: The scenario, or the direct question, that finds it out.
        changes: The lines.
        without_index: Of ledger files: the index that forbids the same by itself; "" where there is none.
    """

    name: str
    found_by: str
    killer: Scenario | Question
    changes: tuple[Change, ...]
    without_index: str

    def __init__(
        self, name: str, found_by: str, killer: Scenario | Question, *changes: Change, without_index: str = ""
    ) -> None:
        self.name, self.found_by, self.killer = name, found_by, killer
        self.changes, self.without_index = changes, without_index

    @property
    def changes_steps(self) -> bool:
        """Whether what pure steps answer changes with it."""
        return any(change.where.startswith("flows.payables.rules.claims") for change in self.changes)

    @contextmanager
    def alive(self, office: Office) -> Iterator[Office]:
        """Change the product; afterwards it is as it was."""
        by_function: dict[Callable[..., object], list[Change]] = {}
        for change in self.changes:
            by_function.setdefault(_find(change.where), []).append(change)
        originals = {function: function.__code__ for function in by_function}
        try:
            for function, changes in by_function.items():
                _apply(function, changes)
            yield _without_index(office, self.without_index) if self.without_index else office
        finally:
            for function, code in originals.items():
                function.__code__ = code

    def violations(self, folder: Path, office: Office) -> tuple[str, ...]:
        """What its killer finds, in the product as it is now."""
        if isinstance(self.killer, Scenario):
            return self.killer.play(folder, office).violations
        return self.killer(folder, office)


def _find(where: str) -> Callable[..., object]:
    module, _, path = where.partition(":")
    found: Any = importlib.import_module(module)
    for name in path.split("."):
        found = getattr(found, name)
    function: Callable[..., object] = inspect.unwrap(found)
    return function


def _apply(function: Callable[..., object], changes: list[Change]) -> None:
    source = textwrap.dedent(inspect.getsource(function))
    for change in changes:
        assert source.count(change.old) == 1, f"{change.where} has not the one line that its mutant changes"
        source = source.replace(change.old, change.new)
    names = dict(function.__globals__)
    exec(compile(source, changes[0].where, "exec"), names)  # noqa: S102 (the product's own source)
    function.__code__ = inspect.unwrap(names[function.__name__]).__code__


def _without_index(office: Office, name: str) -> Office:
    file = office.empty_ledger.with_name("ledger-without-index.db")
    file.write_bytes(office.empty_ledger.read_bytes())
    with sqlite3.connect(file) as ledger:
        ledger.execute(f"DROP INDEX {name}")
    ledger.close()
    return replace(office, empty_ledger=file)


def when(
    behaviour: str = "accepted",
    listing: str = "tells id and name",
    point: Point | None = None,
    event: Event = Event.NOTHING,
    twist: Twist = Twist.NONE,
) -> Scenario:
    """Name a scenario by what is special about it."""
    (meets,) = (one for one in (*BEHAVIOURS, *MOODS) if one.name == behaviour)
    (told,) = (one for one in LISTINGS if one.name == listing)
    return Scenario(point, event, meets, told, twist)
