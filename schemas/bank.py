"""The bank's side of what reports cost: lines of its statements, what each is, and whether a month closes.

A line is negative where money left the account. It is known by account, day, sum and text, and by the how-maniest equal
line of that day it is: a statement that overlaps an earlier one brings only what is new.
"""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final, NamedTuple

from schemas.values.masking import digest_of, short_token


class BankMatter(StrEnum):
    """What a line of the bank is."""

    FUNDING = "funding"  # money for a report, its fee included, or some of it that came back
    RETURN = "returned"  # what came back of a payment
    CHECKS = "checks"  # of accounts, of one day
    OTHER = "other"  # nothing of the service's
    OPEN = "open"  # nobody knows: what was said of it is taken back


@dataclass(frozen=True, slots=True)
class BankLine:
    """One line of a statement.

    Attributes:
        account: As people call it.
        cents: Below nothing, what left the account.
    """

    id: str
    account: str
    day: dt.date
    cents: int
    text: str


@dataclass(frozen=True, slots=True)
class BankStatement:
    """What one file says of an account.

    Attributes:
        sha256: Of the file.
        opening_cents: Before its first line; None where it does not say.
        closing_cents: After its last line; likewise.
        breaks: Place of each balance that does not follow from the one before by its lines, and by how much.
    """

    account: str
    sha256: str
    first: dt.date
    last: dt.date
    opening_cents: int | None
    closing_cents: int | None
    lines: tuple[BankLine, ...]
    breaks: tuple[tuple[str, int], ...] = ()

    @property
    def gap_cents(self) -> int:
        """By how much its lines do not lead from balance to balance."""
        return sum(abs(cents) for _, cents in self.breaks)


class KnownStatement(NamedTuple):
    """What is on record of a statement beside its lines; as `BankStatement`."""

    account: str
    first: dt.date
    last: dt.date
    opening_cents: int | None
    closing_cents: int | None
    gap_cents: int

    def covers(self, other: "KnownStatement") -> bool:
        """Whether it is of all the days that the other is of."""
        return self.account == other.account and self.first <= other.first and other.last <= self.last


class BankGap(NamedTuple):
    """Days of an account whose lines do not lead from one balance to the next: a line is missing, or a whole file."""

    account: str
    first: dt.date
    last: dt.date
    cents: int


def lines_of(
    account: str, rows: Iterable[tuple[dt.date, int, str]], numbers: Sequence[str] = ()
) -> tuple[BankLine, ...]:
    """Name lines, equal ones of a day apart.

    Args:
        numbers: The bank's own of each line. They stand in its text and not in its name: banks number anew.

    >>> first, second = lines_of("itau", [(dt.date(2026, 10, 1), -5, "pix")] * 2)
    >>> first.id != second.id, lines_of("itau", [(first.day, first.cents, " PIX ")])[0].id == first.id
    (True, True)
    """
    seen, found = Counter[tuple[dt.date, int, str]](), list[BankLine]()
    for at, (day, cents, text) in enumerate(rows):
        plain = " ".join(text.split())
        key = (day, cents, plain.casefold())
        seen[key] += 1
        name = digest_of("bank line", account, day.isoformat(), str(cents), plain.casefold(), str(seen[key]))
        shown = f"{plain} {numbers[at] if numbers else ''}".strip()
        found.append(BankLine("bk-" + short_token(name, _LETTERS), account, day, cents, shown))
    return tuple(found)


_LETTERS: Final = 16


@dataclass(frozen=True, slots=True)
class Need:
    """Something that a line of the bank is to show.

    Attributes:
        subject: A report, what came back (ob-.../r1), or the day of checks (ISO).
        cents: What is to leave the account; 0 of a report for which all is there, which a line may name all the same.
        day: When, as people said or the service did; of what nobody has said to be paid, when that became possible.
        marks: What names it in a line's text: its ids, folded.
        until: The last day on which it may be; None for some days after the first.
    """

    matter: BankMatter
    subject: str
    cents: int
    day: dt.date
    marks: frozenset[str] = frozenset()
    until: dt.date | None = None


@dataclass(frozen=True, slots=True)
class Explained:
    """What a line is of, in part or whole.

    Attributes:
        cents: Of the line; what left the account is positive here.
        how: `marks`, `amount` or `sum`, where the program said it; `person` otherwise.
    """

    line_id: str
    matter: BankMatter
    subject: str
    cents: int
    how: str


@dataclass(frozen=True, slots=True)
class ClosingRow:
    """One report, or the checks of one day, as bank, service and register have it; what left the bank is positive."""

    matter: BankMatter
    subject: str
    job: str
    bank_cents: int
    service_cents: int
    recorded_cents: int

    @property
    def difference_cents(self) -> int:
        """By how much the three are apart."""
        told = (self.bank_cents, self.service_cents, self.recorded_cents)
        return max(told) - min(told)


@dataclass(frozen=True, slots=True)
class BankMonth:
    """Whether bank, service and register agree on a month of which there is a statement."""

    month: str
    is_closed: bool


@dataclass(frozen=True, slots=True)
class Closing:
    """A month, of all accounts of the bank.

    Attributes:
        month: Label.
        unexplained: Lines of the month that nobody has explained.
        explained: What is said of the month's lines.
        missing: What should be in the bank by its end and is not.
        gaps: Where the statements do not lead from one balance to the next.
        covered_until: Last day that the statements of each of its accounts reach; None where there are none.
    """

    month: str
    rows: tuple[ClosingRow, ...]
    unexplained: tuple[BankLine, ...]
    explained: tuple[tuple[BankLine, Explained], ...]
    missing: tuple[Need, ...]
    gaps: tuple[BankGap, ...]
    covered_until: dt.date | None
    last: dt.date

    @property
    def is_closed(self) -> bool:
        """Whether bank, service and register agree to the centavo, and every line is explained."""
        is_whole = self.covered_until is not None and self.covered_until >= self.last
        differs = any(row.difference_cents for row in self.rows)
        return is_whole and not (differs or self.unexplained or self.missing or self.gaps)
