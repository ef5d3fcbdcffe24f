"""Statements sent in several files: which part a file is, by its name, and which parts are not there."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode

# DSR Part 1, "File naming convention": elements between underscores, "7of9" among them, a creation time after it.
_PART: Final = re.compile(r"(?<![^_])([0-9]{1,3})of([0-9]{1,3})(?![^_.])")
_ENDING: Final = re.compile(r"(?:_[0-9]{8}T[0-9]{6,9})?(?:\.[A-Za-z0-9]+)*$")


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A part that is not there.

    Attributes:
        file: Base name of a part that is.
        part: Which is missing, from 1.
        parts: Of how many.
    """

    file: str
    part: int
    parts: int

    def issue(self, language: str) -> Issue:
        """Return the issue that tells it."""
        return make_issue(
            IssueCode.FILE_PART_MISSING, language=language, file=self.file, part=self.part, parts=self.parts
        )


def part_of(name: str) -> tuple[int, int] | None:
    """Return which part of how many a file is, by its name; None when the name does not say.

    >>> part_of("DSR_Aurora_Onda_Premium_2026-09_BR_1of2_20261012T090000.tsv.gz"), part_of("sales.csv")
    ((1, 2), None)
    """
    found = _PART.search(name)
    return (int(found[1]), int(found[2])) if found else None


def missing_parts(names: Sequence[str]) -> list[MissingPart]:
    """Name each part that is not among the files of one source.

    Parts belong together when their names are alike but for the part and the packing. They should bear one creation
    time; where those of no single time are complete, parts of different times are taken together, since some senders
    stamp each file as it is written.

    Args:
        names: Base names of the files; those that say of no part are passed over.

    Returns:
        In the order of names and parts; nothing when all parts are there, or a name says "3of2" or "0of2".
    """
    files = [name for name in names if (part := part_of(name)) and 1 <= part[0] <= part[1]]
    complete = {name for group in _grouped(files, exactly=True) if not _absent(group) for name in group}
    rest = [name for name in files if name not in complete]
    return [missing for group in _grouped(rest, exactly=False) for missing in _absent(group)]


def _grouped(names: Iterable[str], *, exactly: bool) -> list[list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for name in names:
        ending = _ENDING.search(name)
        stamp = ending[0].partition(".")[0] if ending and exactly else ""
        alike = _PART.sub(lambda part: f"of{int(part[2])}", _ENDING.sub("", name), count=1)
        groups.setdefault((alike, stamp), []).append(name)
    return list(groups.values())


def _absent(group: Sequence[str]) -> list[MissingPart]:
    there = {part for name in group if (part := part_of(name))}
    parts = max(count for _, count in there)
    return [MissingPart(group[0], part, parts) for part in range(1, parts + 1) if (part, parts) not in there]
