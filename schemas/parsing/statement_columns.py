"""Columns of a statement that its layout does not know: what stands in them, and which of them a person has to answer.

A column with amounts, with yes and no, or with so few texts that they may be a state holds its statement until the job
says that it is `ignored`, or what it is; any other is noted. A statement has dozens of columns and millions of rows:
what stands in one is added up block by block, and asked about once the whole file is read.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from decimal import Context, Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.answers import CellsOf, IgnoredWhile, columns_yaml
from schemas.messages import Listed, Message
from schemas.parsing.amounts import AmountColumn
from schemas.parsing.line_sums import TableSource
from schemas.parsing.unread_columns import (
    FEWEST_COUNTED,
    HELD_KINDS,
    KindCounts,
    UnreadColumn,
    are_tellable,
    is_money_or_fraction,
    is_no_money,
    quoted,
    where_answered,
)
from schemas.raw_table import RawTable, column_letter
from schemas.sheet_cells import CellKind
from schemas.values.reading import BLANKS

_FEW_TEXTS: Final = 20
_MOST_TOLD: Final = 10
_LONGEST_NUMBER: Final = 9
_EXACT: Final = Context(prec=120)


@dataclass(frozen=True, slots=True)
class StatementColumn:
    """What stands in a column that the layout does not know, in a statement or in some of its rows.

    Attributes:
        texts: Distinct texts with how often each stands there; of many, some.
        counts: How many of them there are of each kind, those of one block beside those of the others.
        amount: The sum of its amounts.
        counted: First and last number, where its cells count the rows one by one; None where they do not.
        was: What its cells were when the job answered it; "" where it has not.
    """

    header: str
    cell: str
    row: int
    texts: tuple[tuple[str, int], ...]
    counts: KindCounts
    amount: Decimal
    counted: tuple[int, int] | None
    was: str = ""

    def __add__(self, other: "StatementColumn") -> "StatementColumn":
        seen = dict(self.texts)
        for text, count in other.texts:
            seen[text] = seen.get(text, 0) + count
        return replace(
            self,
            texts=_most(seen),
            counts=self.counts.plus(other.counts),
            amount=_EXACT.add(self.amount, other.amount),
            counted=_counted_on(self.counted, other.counted),
        )

    @property
    def kind(self) -> CellsOf:
        return self.counts.kind

    @property
    def is_open(self) -> bool:
        """Whether a person has to say what it is."""
        first, last = self.counted or (-1, -1)
        numbers_rows = first in {0, 1} and last - first + 1 >= FEWEST_COUNTED
        if not self.counts.texts or self.kind == self.was or numbers_rows:
            return False
        return bool(self.was) or self.kind in HELD_KINDS or len(self.texts) <= _FEW_TEXTS

    @property
    def told(self) -> Message:
        """Its header with what stands there: the sum of amounts, texts that name nobody."""
        texts = quoted(self.texts[:_MOST_TOLD]) if are_tellable(dict(self.texts)) else Message("condition.texts")
        if self.kind is CellsOf.MONEY:
            return Message("column.seen_money", column=self.header, sum=self.amount, texts=texts)
        return Message("column.seen", column=self.header, texts=texts)


def statement_columns(
    raw: RawTable, unread: Iterable[UnreadColumn], among: npt.NDArray[np.bool_]
) -> tuple[StatementColumn, ...]:
    """Look at the columns of some rows of a statement that its layout does not know.

    Args:
        among: The rows that are lines.
    """
    return tuple(
        _looked_at(raw, column, among) for column in unread if column.condition is None and not column.is_asked
    )


def _looked_at(raw: RawTable, column: UnreadColumn, among: npt.NDArray[np.bool_]) -> StatementColumn:
    cells = pd.Series(raw.cells[column.position][among]).str.strip(BLANKS)
    counts = {
        str(text): int(count)
        for text, count in cells.value_counts().items()
        if str(text) and not is_no_money(str(text))
    }
    amounts = [text for text in counts if is_money_or_fraction(text)]
    read = AmountColumn([(text, CellKind.TEXT) for text in amounts], "auto", scientific=False)
    values = [(read.exact(text, CellKind.TEXT).value, counts[text]) for text in amounts]
    return StatementColumn(
        column.header,
        f"{column_letter(column.position)}{raw.header_row}",
        raw.header_row,
        _most(counts),
        KindCounts.of(counts),
        sum((_EXACT.multiply(amount.value, Decimal(count)) for amount, count in values if amount), Decimal()),
        _counted(cells.tolist()),
        column.was,
    )


def _counted(texts: Sequence[str]) -> tuple[int, int] | None:
    if not texts or not all(text.isdecimal() and len(text) <= _LONGEST_NUMBER for text in texts):
        return None
    first, last = int(texts[0]), int(texts[0]) + len(texts) - 1
    return (first, last) if all(int(text) == first + at for at, text in enumerate(texts)) else None


def _counted_on(before: tuple[int, int] | None, after: tuple[int, int] | None) -> tuple[int, int] | None:
    return (before[0], after[1]) if before and after and after[0] == before[1] + 1 else None


def _most(counts: dict[str, int]) -> tuple[tuple[str, int], ...]:
    return tuple(sorted(counts.items(), key=lambda seen: (-seen[1], seen[0]))[: _FEW_TEXTS + 1])


def issues_of_columns(columns: Sequence[StatementColumn], source: TableSource) -> list[Issue]:
    """Ask about all columns at once that a person has to answer, and note the others."""
    unanswered = [column for column in columns if column.is_open]
    others = [column for column in columns if not column.is_open and not column.was]
    told: list[tuple[IssueCode, StatementColumn, dict[str, Any]]] = []
    if unanswered:
        answers = columns_yaml({column.header: IgnoredWhile(column.kind) for column in unanswered})
        facts = {
            "columns": Listed(tuple(column.told for column in unanswered)),
            "where": where_answered("royalty_lines", source.sender),
            "answers": f"{source.sender or 'columns'}: {answers}",
            "others": Message("answers.of_lines"),
        }
        told.append((IssueCode.COLUMN_UNANSWERED, unanswered[0], facts))
    told += [(IssueCode.COLUMN_UNKNOWN, column, {}) for column in others]
    return [
        make_issue(
            code, file=source.file, sheet=source.sheet, cell=seen.cell, row=seen.row, column=seen.header, **facts
        )
        for code, seen, facts in told
    ]
