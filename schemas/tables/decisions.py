"""What was decided about a file while it was parsed (encoding, header, marks, rows left out), for people."""

from collections.abc import Iterable, Mapping
from enum import StrEnum
from types import MappingProxyType
from typing import NamedTuple

from schemas.messages import Message


class StoodIn(NamedTuple):
    """From where the cells that a column leaves empty were taken.

    Attributes:
        column: Header of the column they were taken for.
        source: Header of the other column, or the headers of the parts.
        computed: Whether they are what parts come to.
    """

    column: str
    source: str
    computed: bool


class ParsingDecision(StrEnum):
    """What the cells of a column left open, and the layout or the other cells decided."""

    DECIMAL_COMMA = "decimal_comma"
    DECIMAL_POINT = "decimal_point"
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


def decisions_of(
    decided: Iterable[ParsingDecision],
    excluded: Mapping[str, int],
    stand_ins: Mapping[StoodIn, int] = MappingProxyType({}),
) -> list[Message]:
    """Say what was decided for columns, each thing once, what stood in, and how many rows were set apart and why."""
    messages = [Message(f"table.{decision}") for decision in dict.fromkeys(decided)]
    messages += [
        Message("table.computed" if of.computed else "table.stood_in", column=of.column, source=of.source, count=count)
        for of, count in stand_ins.items()
    ]
    return [*messages, *(Message(f"table.{why}", count=count) for why, count in sorted(excluded.items()))]
