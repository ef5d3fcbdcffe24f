"""Rows in which a file states totals: among the lines, or in a block below them."""

from collections.abc import Mapping
from typing import Final, NamedTuple

from schemas.layouts.layout import ControlRows, Layout, fold
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.row_words import Mask, RowLabel, row_labels
from schemas.tables.stated_totals import StatedTotal, TotalWords
from schemas.values.reading import BLANKS

# A row that says whom or what it is about is a line, whatever its first words are.
_IDENTIFYING: Final = {"royalty_lines": ("isrc", "upc")}
_IDENTIFYING_PAYEES: Final = ("tax_id", "pix_key")


class ControlBlock(NamedTuple):
    """A block of totals below the lines.

    Attributes:
        first: Its first row among the file's cells, from 0; nothing from there on is a line.
        stated: The totals it states, in order of row.
    """

    first: int
    stated: tuple[StatedTotal, ...]


def find_totals(raw: RawTable, layout: Layout, positions: Mapping[str, int], among: Mask) -> dict[int, StatedTotal]:
    """Find the rows of totals.

    Args:
        raw: The file.
        layout: Says with which words such a row begins.
        positions: Canonical column -> position in the file.
        among: Which rows may be some.

    Returns:
        Row among the file's cells, from 0 -> what it states, in order of row.
    """
    nameless = among.copy()
    for column in _IDENTIFYING.get(layout.table, _IDENTIFYING_PAYEES):
        if column in positions:
            cells = raw.cells[positions[column]][nameless]
            nameless[nameless] = (cells.str.strip() == "").to_numpy(dtype=bool)
    words = TotalWords(layout.totals)
    labels = row_labels(raw, nameless, words)
    return {label.at: _total(raw, label, words, positions) for label in labels}


def find_control_block(raw: RawTable, control: ControlRows, among: Mask) -> ControlBlock | None:
    """Find the block of totals below the lines; None when there is none.

    Args:
        raw: The file.
        control: Says with which words its rows begin.
        among: Which rows may be some.
    """
    words = TotalWords(word for word in (control.rows, control.amount, *control.end) if word)
    labels = row_labels(raw, among, words)
    stated = [
        _control(raw, label, words, counts=counts)
        for label in labels
        for wanted, counts in ((control.rows, True), (control.amount, False))
        if wanted and words.word(label.text) == fold(wanted)
    ]
    return ControlBlock(labels[0].at, tuple(stated)) if labels else None


def _total(raw: RawTable, label: RowLabel, words: TotalWords, positions: Mapping[str, int]) -> StatedTotal:
    """Take the amount from its own column, or else from beside the word."""
    row = int(raw.cells.index[label.at])
    currency = _cell(raw, label.at, positions["currency"])[0] if "currency" in positions else ""
    amount_at = positions.get("amount", label.position)
    if amount_at != label.position:
        text, kind = _cell(raw, label.at, amount_at)
        if text:
            return StatedTotal(row, amount_at, text, kind, currency=currency)
    return StatedTotal(row, label.position, words.amount(label.text), CellKind.TEXT, currency=currency)


def _control(raw: RawTable, label: RowLabel, words: TotalWords, *, counts: bool) -> StatedTotal:
    """Take the value from beside the word, or else from the next cell that holds anything."""
    row = int(raw.cells.index[label.at])
    if text := words.amount(label.text):
        return StatedTotal(row, label.position, text, CellKind.TEXT, counts=counts)
    for position in range(label.position + 1, len(raw.headers)):
        text, kind = _cell(raw, label.at, position)
        if text:
            return StatedTotal(row, position, text, kind, counts=counts)
    return StatedTotal(row, label.position, "", CellKind.EMPTY, counts=counts)


def _cell(raw: RawTable, at: int, position: int) -> tuple[str, CellKind]:
    kind = CellKind.TEXT if raw.kinds is None else CellKind(int(raw.kinds[at, position]))
    return str(raw.cells.iat[at, position]).strip(BLANKS), kind
