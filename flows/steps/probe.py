"""What a probe's observations say of what was assumed: confirmed, contradicted, or not found out. Pure."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final

PREFIX: Final = "REPASSE_ASSUME_"


class Verdict(StrEnum):
    """What a probe says of one assumption."""

    CONFIRMED = "confirmed"
    CONTRADICTED = "contradicted"
    NOT_FOUND_OUT = "not found out"


@dataclass(frozen=True, slots=True)
class ProbeFinding:
    """One assumption, held against what was seen.

    Attributes:
        name: Of the assumption.
        assumed: What Repasse takes to be true, as its setting is written.
        seen: What was seen, likewise; alternatives that both hold are parted by commas. None when nothing was.
        verdict: How the two stand to each other.
        note: How it was seen, or why not; nothing personal.
    """

    name: str
    assumed: str
    seen: str | None
    verdict: Verdict
    note: str

    @property
    def setting(self) -> str | None:
        """The variable and value that make the assumption true; None where none is to be changed."""
        if self.verdict is not Verdict.CONTRADICTED or self.seen is None:
            return None
        return f"{PREFIX}{self.name.upper()}={self.seen.split(',')[0]}"


def written(value: Any) -> str:  # noqa: ANN401  # any of the settings' types
    """Write the value of an assumption as its setting is written.

    >>> written(frozenset({404, 410})), written(True), written("_id")
    ('404,410', 'true', '_id')
    """
    match value:
        case bool():
            return str(value).lower()
        case frozenset():
            numbers = sorted(value)
            whole = len(numbers) > 2 and numbers == list(range(numbers[0], numbers[-1] + 1))
            return f"{numbers[0]}-{numbers[-1]}" if whole else ",".join(map(str, numbers))
        case _:
            return str(value)


def agrees(assumed: Any, seen: str, name: str) -> bool:  # noqa: ANN401  # any of the settings' types
    """Say whether what was seen leaves an assumption standing.

    Args:
        assumed: The value of the assumption, in its own type.
        seen: What a probe saw, as the setting is written; alternatives parted by commas.
        name: Of the assumption: a time in which something happens is kept by every shorter one.
    """
    alternatives = seen.split(",")
    if isinstance(assumed, frozenset):
        return {int(one) for one in alternatives if one.isdecimal()} <= assumed
    if name.endswith("_within_s"):
        return seen.isdecimal() and int(seen) <= int(assumed)
    return written(assumed) in alternatives


def judge(name: str, assumed: Any, seen: str | None, note: str) -> ProbeFinding:  # noqa: ANN401
    """Hold what was seen against what was assumed; None is nothing seen, and proves nothing."""
    if seen is None:
        return ProbeFinding(name, written(assumed), None, Verdict.NOT_FOUND_OUT, note)
    verdict = Verdict.CONFIRMED if agrees(assumed, seen, name) else Verdict.CONTRADICTED
    return ProbeFinding(name, written(assumed), seen, verdict, note)


def contradicted_by(assumed: Mapping[str, Any], found: Mapping[str, str]) -> list[tuple[str, str, str]]:
    """Name the assumptions that something seen before contradicts: name, what is assumed, what was seen."""
    return [
        (name, written(assumed[name]), seen)
        for name, seen in sorted(found.items())
        if name in assumed and not agrees(assumed[name], seen, name)
    ]


def whole_seconds(seconds: float) -> str:
    """Write a time that was measured, rounded up: a setting in seconds must not be shorter."""
    return str(math.ceil(seconds))


def reais(cents: int) -> str:
    """Write centavos for a price list.

    >>> reais(1)
    'R$ 0.01'
    """
    return f"R$ {Decimal(cents).scaleb(-2)}"
