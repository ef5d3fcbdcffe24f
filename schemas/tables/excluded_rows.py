"""Which rows of a file are no lines: blank ones, headers and notes, those a layout leaves out, and totals."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.layouts.layout import Layout, LeaveOut, fold
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.stated_totals import StatedTotal, find_control_block, find_totals

Mask = npt.NDArray[np.bool_]


def positions_under(raw: RawTable, header: str) -> list[int]:
    """Return the columns that bear a header, compared as people read them."""
    wanted = fold(header)
    return [position for position, found in enumerate(raw.headers) if fold(found) == wanted]


def rows_holding(raw: RawTable, position: int, texts: Sequence[str]) -> Mask:
    """Tell in which rows a column holds one of some texts, compared like headers."""
    wanted = {fold(text) for text in texts}
    codes, distinct = pd.factorize(raw.cells[position])
    return np.array([fold(text) in wanted for text in distinct], dtype=bool)[codes]


class Why(StrEnum):
    """Why a row is no line."""

    BLANK = "blank"
    LEFT_OUT = "left_out"
    TOTAL = "total"


@dataclass(frozen=True, slots=True)
class ExcludedRows:
    """Rows that are no lines.

    Attributes:
        why: Of each row of the file's cells, in order; "" for a line.
        totals: What rows of totals state, in order of row.
        control: What the block below the lines states, in order of row.
        below: Whether the last row is in that block, or below it.
    """

    why: npt.NDArray[Any]
    totals: tuple[StatedTotal, ...] = ()
    control: tuple[StatedTotal, ...] = ()
    below: bool = False

    @property
    def lines(self) -> Mask:
        """Which rows are lines."""
        return np.asarray(self.why == "", dtype=bool)

    def count(self, why: Why) -> int:
        """How many rows are set apart for a reason."""
        return int(np.count_nonzero(self.why == why))


def excluded_rows(raw: RawTable, layout: Layout, positions: Mapping[str, int], *, below: bool = False) -> ExcludedRows:
    """Set the rows apart that are no lines.

    Args:
        raw: The file.
        layout: Says which rows to leave out, and how totals and the block below the lines begin.
        positions: Canonical column -> position in the file.
        below: Whether the block below the lines began above these rows, in another block of the file.
    """
    why = np.full(len(raw.cells), "", dtype=object)
    why[blank_rows(raw)] = Why.BLANK
    block = find_control_block(raw, layout.control, why == "") if layout.control else None
    if below or block is not None:
        first = 0 if below or block is None else block.first
        why[(np.arange(len(why)) >= first) & (why == "")] = Why.TOTAL
    for rule in layout.leave_out:
        why[_left_out(raw, rule) & (why == "")] = Why.LEFT_OUT
    totals = find_totals(raw, layout, positions, why == "") if layout.totals else {}
    why[list(totals)] = Why.TOTAL
    return ExcludedRows(why, tuple(totals.values()), block.stated if block else (), below or block is not None)


def blank_rows(raw: RawTable) -> Mask:
    """Tell which rows hold nothing in any column."""
    blank = np.ones(len(raw.cells), dtype=bool)
    for position in range(len(raw.headers)):
        # Each column only where the row may still be blank; most rows are settled by the first.
        blank[blank] = (raw.cells[position][blank].str.strip() == "").to_numpy(dtype=bool)
        if raw.kinds is not None:  # a formula without a value is an empty text, and not nothing
            blank &= raw.kinds_of(position) != CellKind.FORMULA_WITHOUT_VALUE
    return blank


def _left_out(raw: RawTable, rule: LeaveOut) -> Mask:
    """Tell which rows a layout leaves out; one with too many or too few fields is sure of its first one only."""
    out = np.zeros(len(raw.cells), dtype=bool)
    misshapen = np.asarray(raw.cells.index.isin(list(raw.misshapen_rows)), dtype=bool)
    for position in positions_under(raw, rule.column):
        holding = rows_holding(raw, position, rule.values)
        out |= holding if position == 0 else holding & ~misshapen
    return out
