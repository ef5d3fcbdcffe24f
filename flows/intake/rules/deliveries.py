"""Of which month a file that is handed in looks to be, and how it stands to those that are there for that month."""

import datetime as dt
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import pandas as pd
import pyarrow as pa

from flows.intake.rules.editions import accounts_of
from flows.intake.rules.inputs import UsedFile
from schemas.deliveries import How, month_after, months_between
from schemas.job import Period, month_near
from schemas.line_sketch import NO_LINES, LineSketch
from schemas.messages import Listed, Message
from schemas.sources import DIGITS_SHOWN, FEWEST_DIGITS

# A payments row: to whom, and how many centavos.
Payment = tuple[str, int]


class FileSays(NamedTuple):
    """What a file says of itself, as far as it bears on the month it is of.

    Attributes:
        months: Labels of the months that its lines were sold in, or that its rows name, latest last.
        rows: Lines that are worth anything, or rows.
        is_used: Whether something was paid, carried or recouped from it.
    """

    name: str
    sha256: str
    rows: int
    months: tuple[str, ...]
    lines: LineSketch = NO_LINES
    payments: frozenset[Payment] = frozenset()
    content_sha256: str = ""
    is_used: bool = False

    @property
    def latest(self) -> str:
        return max(self.months, default="")

    @property
    def message(self) -> Message:
        if not self.rows:
            return Message("file.handed_in", file=self.name)
        if not self.months:
            return Message("file.has", file=self.name, count=self.rows)
        return Message("file.says", file=self.name, count=self.rows, months=Listed(self.months))

    def is_same(self, other: "FileSays") -> bool:
        """Whether they are of the same bytes, or the same rows."""
        content = self.content_sha256
        return self.sha256 == other.sha256 or (bool(content) and content == other.content_sha256)

    def in_common(self, other: "FileSays") -> int:
        """Count the lines or rows that both hold, as far as samples tell."""
        level = max(self.lines.level, other.lines.level)
        lines, others = self.lines.at(level), other.lines.at(level)
        of_lines = int(lines.counts[others.counts_of(lines.hashes) > 0].sum())
        return of_lines + len(self.payments & other.payments)


def months_of_sums(sums: pa.Table) -> tuple[str, ...]:
    """Return the months of account of a statement's lines, the earliest first."""
    return tuple(sorted({account.month for account in accounts_of(sums)} - {""}))


def says_of(file: UsedFile, payments: pd.DataFrame, period: Period) -> FileSays:
    """Return what a file says of itself that was read.

    Args:
        payments: The sound payments rows of all files.
    """
    rows = payments[payments["file"] == file.name]
    paid = frozenset(zip(rows["tax_id"], rows["amount_cents"].astype(int), strict=True))
    months = months_of_sums(file.sums) or month_of_rows(rows["reference"], period.start)
    rows_held = file.lines.lines or len(rows)
    return FileSays(file.name, file.file_sha256, rows_held, months, file.lines, paid, file.content_sha256)


def month_of_rows(references: Iterable[str], day: dt.date) -> tuple[str, ...]:
    """Return the one month that most rows of a list name, nearest to a day; nothing where they name none, or others."""
    named = [month_near(reference, day) for reference in references]
    found = Counter(month for month in named if month)
    ((month, count),) = found.most_common(1) or [("", 0)]
    return (month,) if 2 * count > len(named) else ()


def proposed_month(says: FileSays, period: Period, before: Mapping[str, str]) -> str:
    """Return the month that a file looks to be of; "" where nothing tells.

    A statement comes as long after the months it is of as the one before it did. What it says goes before its name
    where it is of a later month than the period.

    Args:
        before: Month that a file of this source was used for -> the latest month it was of.
    """
    if says.latest and before:
        last = max(before)
        return month_after(says.latest, months_between(before[last], last))
    if is_ahead(says, period, before):
        return says.latest
    return month_near(says.name.rpartition(".")[0], period.start) or ("" if says.lines else says.latest)


def is_ahead(says: FileSays, period: Period, before: Mapping[str, str]) -> bool:
    """Whether most of a file is of a later month than it is to be used for, as no file of this source was before."""
    ahead = max((months_between(label, latest) for label, latest in before.items()), default=0)
    return bool(says.latest) and months_between(period.label[:7], says.latest) > max(ahead, 0)


class Answer(NamedTuple):
    """What whoever hands files in says of them.

    Attributes:
        month: Whether the month was named.
        how: None where nothing was said.
        in_place_of: The beginning of a digest.
    """

    month: bool
    how: How | None
    in_place_of: str = ""


@dataclass(frozen=True, slots=True)
class MonthQuestion:
    """What has to be answered before a file is used, and what it was compared with.

    Attributes:
        proposed: The month and how, as it looks to be.
        there: What is there for the month.
    """

    says: FileSays
    period: str
    proposed: tuple[str, How]
    there: tuple[FileSays, ...]

    @property
    def compared(self) -> Listed:
        """What it was compared with."""
        others = (
            Message("delivery.compared", count=self.says.in_common(other), other=other.message) for other in self.there
        )
        return Listed((self.says.message, *others), "; ")

    @property
    def replaced(self) -> FileSays | None:
        """The file whose place this one may take: what it has most in common with."""
        may = [other for other in self.there if can_replace(self.says, other)]
        return max(may, key=self.says.in_common, default=None)

    @property
    def ways(self) -> Sequence[tuple[str, How]]:
        """Month and how of each answer that would be taken, the proposed one first."""
        new = [] if self.there else [How.NEW]
        replaces = [How.IN_PLACE] if self.replaced else []
        others = [(self.period, how) for how in (*new, *replaces, *([How.ADDED] if self.there else ()))]
        return [self.proposed, *(way for way in others if way != self.proposed)]

    def message(self, command: str) -> Message:
        """Return what people are asked, with what each answer is to be typed behind."""
        month, _ = self.proposed
        first, *others = (f"{command} {options_of(period, how, self.replaced)}" for period, how in self.ways)
        return Message(
            "delivery.how" if month == self.period else "delivery.month",
            file=self.says.name,
            period=self.period,
            proposed=month,
            compared=self.compared,
            first=first,
            others=Listed((*others, Message("delivery.another_month", command=command)), "; "),
        )


def options_of(period: str, how: How, replaced: FileSays | None) -> str:
    """Write an answer as the command line takes it."""
    word = f"--in-place-of {replaced.sha256[:DIGITS_SHOWN]}" if how is How.IN_PLACE and replaced else f"--{how.value}"
    return f"--period {period} {word}"


def question_of(
    says: FileSays, period: Period, answer: Answer, there: Sequence[FileSays], before: Mapping[str, str]
) -> MonthQuestion | None:
    """Return what has to be asked of a file; None where cells, name and what was there leave nothing open."""
    looks = proposed_month(says, period, before)
    others = tuple(there)
    if any(map(says.is_same, others)):
        return None
    is_month = period.label == period.label[: len("2026-10")]  # a job for some days has no other period
    if is_month and not answer.month and looks not in {"", period.label}:
        return MonthQuestion(says, period.label, (looks, How.NEW), others)
    if others and answer.how in {None, How.NEW}:
        how = How.IN_PLACE if any(can_replace(says, other) for other in others) else How.ADDED
        return MonthQuestion(says, period.label, (period.label, how), others)
    return None


def can_replace(says: FileSays, other: FileSays) -> bool:
    """Whether a file may take the place of another: that was not used yet, or they have something in common."""
    return not other.is_used or bool(says.in_common(other)) or bool(set(says.months) & set(other.months))


def replaced_by(says: FileSays, digits: str, there: Iterable[FileSays]) -> FileSays | Message:
    """Return the file whose place another takes, or why it cannot.

    What was used is not replaced by what has nothing in common with it: then one is withdrawn, and the other is new.
    """
    meant = [other for other in there if other.sha256.startswith(digits.lower())]
    if len(digits) < FEWEST_DIGITS or len(meant) != 1:
        return Message("delivery.not_there", hash=digits, there=Listed(tuple(other.message for other in there), "; "))
    (other,) = meant
    if not can_replace(says, other):
        digits = other.sha256[:DIGITS_SHOWN]
        return Message("delivery.nothing_in_common", file=says.name, other=other.message, hash=digits)
    return other
