"""How a layout reads a report: where its table's columns come from."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from io_adapters.spreadsheets.records.headings import Headings
from io_adapters.spreadsheets.records.lending import Lender
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode
from schemas.layouts.headers import fold
from schemas.layouts.layout import Records
from schemas.layouts.recognise import Fit

_NUMBERED: Final = re.compile(r"([A-Z]+)\.([0-9]+)")


@dataclass(frozen=True, slots=True)
class ReadingPlan:
    """Where the columns of a table come from. Positions are of the report's header (`Headings.texts`), from 0.

    Attributes:
        records: The layout's declaration.
        own: Position of each cell of a line; the table begins with them, so that its columns A, B, C are the record's.
        lent: Positions of the columns behind them.
        read: Positions of those that the layout reads; the others are left blank, without a header.
        lenders: Which records lend them.
        same: Groups of positions whose cells must say the same.
    """

    records: Records
    own: tuple[int, ...]
    lent: tuple[int, ...]
    read: frozenset[int]
    lenders: tuple[Lender, ...]
    same: tuple[tuple[int, ...], ...]


def plan_reading(fit: Fit, headings: Headings, place: Place) -> ReadingPlan:
    """Work out how a report is read.

    Raises:
        UnreadableFile: the layout declares no records, or none that state money; the report has no line, or lacks the
            cell by which lines refer to others; or a column is not the cell that the layout gives by number.
    """
    layout, records = fit.layout, fit.layout.records
    if records is None:
        raise refusal(IssueCode.LAYOUT_UNKNOWN, place, "records_no_layout", layout=layout.layout)
    if not records.money:
        raise refusal(IssueCode.COLUMN_MISSING, place, "records_no_money", headers="amount")
    own = next((cells for kind, cells in headings.cells.items() if kind.name == records.line), None)
    if own is None:
        raise refusal(IssueCode.FILE_NO_ROWS, place, "records_none", record=records.line)
    _refuse_other_cells(fit, headings, place)
    same = tuple(_positions(group, headings) for group in records.same)
    read = _read_positions(fit, headings) | {at for group in same for at in group}
    lenders: list[Lender] = []
    lent: list[int] = []
    for declared in records.lend:
        columns = tuple(sorted((_cells_of(declared.record, headings) & read).difference(own, lent)))
        lent += columns
        if columns:
            key, by = _reference(declared.key, headings, place), _reference(declared.by, headings, place)
            lenders.append(Lender(declared.record, columns, key, by, headings, place))
    return ReadingPlan(records, own, tuple(lent), frozenset(read), tuple(lenders), same)


def _read_positions(fit: Fit, headings: Headings) -> set[int]:
    """Return the positions of all headers that the layout reads; of all there are, when it misses one."""
    layout, match = fit.layout, fit.match
    if match.missing:
        return set(range(len(headings.texts)))
    others = [left_out.column for left_out in layout.leave_out] + ([layout.sign.column] if layout.sign else [])
    claimed = {at for positions in match.duplicates.values() for at in positions}
    types = {0} & set(match.ignored)
    return types | claimed | set(match.positions.values()) | set(_positions(others, headings))


def _positions(headers: Sequence[str], headings: Headings) -> tuple[int, ...]:
    wanted = {fold(header) for header in headers}
    return tuple(at for at, text in enumerate(headings.texts) if fold(text) in wanted)


def _reference(headers: Sequence[str], headings: Headings, place: Place) -> tuple[int, ...]:
    found = _positions(headers, headings)
    if headers and not found:
        raise refusal(IssueCode.COLUMN_MISSING, place, wanted=headers[0], near="-", headers=", ".join(headers))
    return found


def _cells_of(record: str, headings: Headings) -> set[int]:
    return {at for kind, cells in headings.cells.items() if kind.answers_to(record) for at in cells[1:]}


def _refuse_other_cells(fit: Fit, headings: Headings, place: Place) -> None:
    """Refuse a report whose `#` lines put a column elsewhere than the layout does by number.

    To the standard these lines are comments: one that is wrong must not choose which cell is the money.
    """
    for column, at in fit.match.positions.items():
        letters = headings.texts[at].partition(".")[0]
        numbers = [found for alias in fit.layout.columns[column] if (found := _NUMBERED.fullmatch(alias))]
        expected = {int(found[2]) for found in numbers if found[1] == letters}
        found_at = {cells.index(at) + 1 for cells in headings.cells.values() if at in cells}
        if expected and not found_at <= expected:
            raise refusal(
                IssueCode.FILE_CORRUPT,
                place,
                "records_cell",
                header=headings.texts[at],
                found=min(found_at - expected),
                expected=min(expected),
            )
