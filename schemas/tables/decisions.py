"""What was decided while a file was parsed, for people."""

from collections.abc import Iterable
from enum import StrEnum

from schemas.messages import Message


class Decision(StrEnum):
    """What the cells of a column left open, and the layout or the other cells decided."""

    DECIMAL_COMMA = "decimal_comma"
    DECIMAL_POINT = "decimal_point"
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


def decisions_of(decided: Iterable[Decision], left_out: int) -> list[Message]:
    """Say what was decided for columns, each thing once, and how many rows the layout left out."""
    messages = [Message(f"table.{decision}") for decision in dict.fromkeys(decided)]
    return [*messages, Message("table.left_out", count=left_out)] if left_out else messages
