"""Excluded rows: blank ones, headers and notes, those a layout leaves out, and totals."""

import difflib
import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.layout import Layout, LeaveOut, fold
from schemas.parsing.stated_totals import (
    StatedTotal,
    cell_at,
    find_control_block,
    find_sums,
    find_totals,
    rows_empty_but_for,
    totals_above,
)
from schemas.raw_table import RawTable, column_letter
from schemas.sheet_cells import CellKind

Mask = npt.NDArray[np.bool_]


def positions_under(raw: RawTable, header: str) -> list[int]:
    """Return the columns that bear a header, compared as people read them."""
    wanted = fold(header)
    return [position for position, found in enumerate(raw.headers) if fold(found) == wanted]


def rows_holding(raw: RawTable, position: int, texts: Sequence[str]) -> Mask:
    return _holding(raw.cells[position], texts)


def _holding(cells: "pd.Series[str]", texts: Sequence[str]) -> Mask:
    wanted = {fold(text) for text in texts}
    codes, distinct = pd.factorize(cells)
    return np.array([fold(text) in wanted for text in distinct.tolist()], dtype=bool)[codes]


class ExclusionReason(StrEnum):
    """Why a row is no line."""

    BLANK = "blank"
    LEFT_OUT = "left_out"
    TOTAL = "total"
    NOT_ASKED = "not_asked"
    HEADER = "header"
    NOTE = "note"


@dataclass(frozen=True, slots=True)
class ExcludedRows:
    """Rows that are no lines."""

    why: npt.NDArray[Any]
    totals: tuple[StatedTotal, ...] = ()
    control: tuple[StatedTotal, ...] = ()
    below: bool = False

    @property
    def lines(self) -> Mask:
        return np.asarray(self.why == "", dtype=bool)

    @property
    def unlabelled(self) -> frozenset[int]:
        return frozenset(total.row for total in self.totals if not total.labelled)

    @property
    def shown(self) -> Counter[str]:
        return Counter(why for why in self.why.tolist() if why in _TOLD)


_TOLD: Final = frozenset(
    {ExclusionReason.LEFT_OUT, ExclusionReason.NOT_ASKED, ExclusionReason.HEADER, ExclusionReason.NOTE}
)
_NOT_NOUGHT: Final = re.compile("[1-9]")


def excluded_rows(
    raw: RawTable,
    layout: Layout,
    positions: Mapping[str, int],
    *,
    below: bool = False,
    lines: Collection[int] = (),
) -> ExcludedRows:
    """Set the rows apart that are no lines."""
    why = np.full(len(raw.cells), "", dtype=object)
    why[blank_rows(raw)] = ExclusionReason.BLANK
    block = find_control_block(raw, layout.control, why == "") if layout.control else None
    if below or block is not None:
        first = 0 if below or block is None else block.first
        why[(np.arange(len(why)) >= first) & (why == "")] = ExclusionReason.TOTAL
    for rule in layout.leave_out:
        why[_left_out(raw, rule) & (why == "")] = ExclusionReason.LEFT_OUT
    why[_headers_again(raw, layout, positions, why == "")] = ExclusionReason.HEADER
    totals = find_totals(raw, layout, positions, why == "", lines) if layout.totals else {}
    among = (why == "") & ~raw.cells.index.isin(list(lines))
    among[list(totals)] = False
    totals |= find_sums(raw, layout.table, positions, among)
    why[list(totals)] = ExclusionReason.TOTAL
    nothing = [at for at, total in totals.items() if not total.labelled and not _NOT_NOUGHT.search(total.text)]
    why[nothing] = ExclusionReason.NOTE  # a formula that was filled down below the last line
    why[_notes(raw, layout, positions, why == "")] = ExclusionReason.NOTE
    for column, texts in layout.only.items():
        for position in positions_under(raw, column):
            why[~rows_holding(raw, position, texts) & (why == "")] = ExclusionReason.NOT_ASKED
    stated = tuple(totals[at] for at in sorted(totals) if why[at] == ExclusionReason.TOTAL)
    control = (*totals_above(raw, layout), *(block.stated if block else ()))
    return ExcludedRows(why, stated, control, below or block is not None)


_NEARLY: Final = 0.86


def nearly_asked(raw: RawTable, layout: Layout, excluded: ExcludedRows) -> list[Issue]:
    """Warn of rows that are left out although they say nearly what the job asks for: a slip of a pen, mostly."""
    left = excluded.why == ExclusionReason.NOT_ASKED
    issues = []
    for column, texts in layout.only.items():
        asked = {fold(text): text for text in texts}
        for position in positions_under(raw, column):
            cells = raw.cells[position][left]
            near = {text: difflib.get_close_matches(fold(text), asked, 1, _NEARLY) for text in cells.unique()}
            issues += [
                make_issue(
                    IssueCode.ROW_NEARLY_ASKED,
                    file=raw.file.name,
                    sheet=raw.sheet,
                    cell=f"{column_letter(position)}{row}",
                    row=int(row),
                    column=column,
                    asked=asked[near[text][0]],
                )
                for row, text in cells.items()
                if near[text] and near[text][0] != fold(text)
            ]
    return issues


def blank_rows(raw: RawTable) -> Mask:
    return rows_empty_but_for(raw, (), np.ones(len(raw.cells), dtype=bool))


def _left_out(raw: RawTable, rule: LeaveOut) -> Mask:
    """Tell which rows a layout leaves out; one with too many or too few fields is sure of its first one only."""
    out = np.zeros(len(raw.cells), dtype=bool)
    misshapen = np.asarray(raw.cells.index.isin(list(raw.misshapen_rows)), dtype=bool)
    for position in positions_under(raw, rule.column):
        holding = rows_holding(raw, position, rule.values)
        out |= holding if position == 0 else holding & ~misshapen
    return out


def _headers_again(raw: RawTable, layout: Layout, positions: Mapping[str, int], among: Mask) -> Mask:
    """Tell which rows are the header once more, as pages that were put below each other have it."""
    again = among.copy()
    for column in layout.required:
        if column in positions:
            position = positions[column]
            left = np.flatnonzero(again)
            again[left] = _holding(raw.cells[position].iloc[left], [raw.headers[position]])
    if not any(column in positions for column in layout.required):
        return np.zeros(len(again), dtype=bool)
    for at in np.flatnonzero(again).tolist():
        cells = zip(raw.headers, raw.cells.iloc[at], strict=True)
        again[at] = all(fold(header) == fold(cell) for header, cell in cells if cell.strip())
    return again


# The column without which a row of a table says nothing that could be paid or shared out.
_DECISIVE: Final = {"shares": "share", "payees": "tax_id"}
_AMOUNTS: Final = ("amount", "share")
_KEYS: Final = ("tax_id", "pix_key", "account", "isrc", "upc")
_DOCUMENT: Final = re.compile(r"[0-9A-Za-z./ -]{11,18}")
_LETTERS: Final = r"[^@]*[^\W\d_]{3}[^@]*"
_SENTENCE: Final = re.compile(rf"(?=.*\s){_LETTERS}|[\W_]+", re.DOTALL)
# First words of what is written below a table or between its parts, with something beside.
_LABEL: Final = re.compile(
    r"(emiti|emiss|gerad|impress|elabora|prepara|aprova|confer|autoriza|respons|assina|data|pagina|obs|nota|periodo"
    r"|competenc|fonte|issue|generat|print|prepare|approv|sign|page|date|note|source|report|statement).*"
)
_LABEL_AND_WORD: Final = 2


def _notes(raw: RawTable, layout: Layout, positions: Mapping[str, int], among: Mask) -> Mask:
    """Tell which rows are about the table rather than of it: a title, when it was made, a line to sign on.

    Such a row holds one text, or a label and what it labels, and nothing that could be an amount or say whose.
    """
    notes = np.zeros(len(raw.cells), dtype=bool)
    decisive = _DECISIVE.get(layout.table, "amount")
    if decisive not in positions:
        return notes
    cells = raw.cells[positions[decisive]][among]
    meant = cells.str.fullmatch(_DOCUMENT) if decisive in _KEYS else cells.str.contains("[0-9]", regex=True)
    candidates = np.flatnonzero(among)[~meant.to_numpy(dtype=bool)]
    columns = {position: column for column, position in positions.items()}
    for at in candidates.tolist():
        filled = [(position, *cell) for position in range(len(raw.headers)) if (cell := cell_at(raw, at, position))[0]]
        if len(filled) == 1 or (len(filled) == _LABEL_AND_WORD and _labels(filled[0][1], filled[1][1])):
            notes[at] = not any(_may_be(columns.get(position), text, kind) for position, text, kind in filled[-1:])
    return notes


def _labels(text: str, beside: str) -> bool:
    """Tell whether a text labels what stands beside it; names may begin as labels do, and have an address beside."""
    return text.endswith(":") or (_LABEL.fullmatch(fold(text)) is not None and "@" not in beside)


def _may_be(column: str | None, text: str, kind: CellKind) -> bool:
    if kind == CellKind.DATE or column is None:
        return False
    if column in _AMOUNTS:
        return any(mark.isdigit() for mark in text)
    return column in _KEYS and _SENTENCE.fullmatch(text) is None


def names_alone(raw: RawTable, excluded: ExcludedRows, positions: Mapping[str, int]) -> list[Issue]:
    """Warn of notes among the lines that may be people of whom little but the name was filled in."""
    if "name" not in positions or not excluded.lines.any():
        return []
    position, last = positions["name"], int(np.flatnonzero(excluded.lines)[-1])
    among = excluded.why == ExclusionReason.NOTE
    among[last:] = False
    among[among] = (raw.cells[position][among].str.strip() != "").to_numpy(dtype=bool)
    wide = {row for row, _ in raw.oddities.merged}  # a merged cell is a title
    return [
        make_issue(
            IssueCode.ROW_NAME_ALONE,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(position)}{row}",
            row=row,
            column=raw.headers[position],
        )
        for row in raw.cells.index[among].tolist()
        if row not in wide
    ]
