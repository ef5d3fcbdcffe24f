"""Dictionary-encoded columns of a block: each distinct text is parsed once, and lines hold its number."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from schemas.layouts.layout import Layout, fold
from schemas.parsing.amounts import AmountColumn, ExactAmount, price_text
from schemas.parsing.cells import ColumnReader, DecidingCells, ParsingDecision, unreadable
from schemas.parsing.excluded_rows import positions_under
from schemas.parsing.readers import DECIDING_AMOUNTS, Convention, plain_amounts, plain_pattern, reader_factory
from schemas.parsing.stated_totals import TotalWords
from schemas.queries import Tables, quoted
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.model import Column, ColumnKind
from schemas.tables.royalties import LINE_AMOUNT
from schemas.values.money import DecimalMark
from schemas.values.reading import BLANKS

Mask = npt.NDArray[np.bool_]
_UNREADABLE_KINDS: Final = (CellKind.ERROR, CellKind.FORMULA_WITHOUT_VALUE)


class Coded(NamedTuple):
    """A column of texts: the different ones, and which of them each row has."""

    codes: npt.NDArray[np.int32]
    texts: pa.Array

    def rows_where(self, meant: Mask) -> Mask:
        return meant[self.codes] if meant.any() else np.zeros(len(self.codes), dtype=bool)


def coded(column: pa.Array | pa.ChunkedArray) -> Coded:
    encoded = column.dictionary_encode()
    if isinstance(encoded, pa.ChunkedArray):
        encoded = encoded.combine_chunks() if encoded.num_chunks else pa.array([], pa.string()).dictionary_encode()
    return Coded(encoded.indices.to_numpy(zero_copy_only=False).astype(np.int32, copy=False), encoded.dictionary)


class BlockCells:
    """The cells of a block."""

    def __init__(self, raw: RawTable, layout: Layout, positions: Mapping[str, int]) -> None:
        self.raw = raw
        self._coded: dict[int, Coded] = {}
        self.not_lines = _rows_not_lines(self, layout, positions)

    def in_lines(self, codes: npt.NDArray[np.int32], count: int) -> Mask:
        if not self.not_lines.any():
            return np.ones(count, dtype=bool)
        found = np.zeros(count, dtype=bool)
        found[codes[~self.not_lines]] = True
        return found

    def texts(self, position: int) -> pa.ChunkedArray:
        return self.raw.cells[position].array.__arrow_array__()

    def coded(self, position: int) -> Coded:
        if position not in self._coded:
            self._coded[position] = coded(self.texts(position))
        return self._coded[position]

    def main_kind(self, position: int) -> CellKind:
        if self.raw.kinds is None:
            return CellKind.TEXT
        kinds = self.raw.kinds_of(position)
        return CellKind.NUMBER if (kinds == CellKind.NUMBER).sum() > (kinds == CellKind.TEXT).sum() else CellKind.TEXT

    def without_value(self, position: int) -> Mask:
        if self.raw.kinds is None:
            return np.zeros(len(self.raw.cells), dtype=bool)
        return np.isin(self.raw.kinds_of(position), _UNREADABLE_KINDS)


@dataclass(frozen=True, slots=True)
class ReadColumn:
    """A column as read."""

    canonical: Coded
    unsound: Mask
    decision: ParsingDecision | None = None
    deciding: DecidingCells = ()


def read_texts(
    cells: BlockCells, column: Column, position: int, convention: Convention, known: DecidingCells
) -> ReadColumn:
    """Read a column of anything but amounts: plain texts as they stand, others by the column's reader."""
    kind = cells.main_kind(position)
    codes, texts = cells.coded(position)
    plain = pc.or_(pc.equal(texts, ""), pc.match_substring_regex(texts, f"^(?:{plain_pattern(column.kind)})$"))
    unread = ~plain.to_numpy(zero_copy_only=False)
    others = np.flatnonzero(unread & cells.in_lines(codes, len(texts)))
    found = [(texts[at].as_py().strip(BLANKS), kind) for at in others.tolist()]
    reader = reader_factory(column.kind, convention)([*known, *found])
    values = [canonical_text(text, kind, reader) for text, _ in found]
    wrong = np.zeros(len(texts), dtype=bool)
    wrong[others] = [value is None for value in values]
    canonical = Coded(codes, texts)
    if unread.any():
        replaced = texts.to_numpy(zero_copy_only=False).copy()
        replaced[unread] = ""
        replaced[others] = [value or "" for value in values]
        canonical = recoded(codes, pa.array(replaced, texts.type))
    unsound = Coded(codes, texts).rows_where(wrong) | cells.without_value(position)
    return ReadColumn(canonical, unsound, reader.decision, reader.deciding)


def recoded(codes: npt.NDArray[np.int32], texts: pa.Array) -> Coded:
    again = coded(texts)
    return Coded(again.codes[codes], again.texts)


def canonical_text(text: str, kind: CellKind, reader: ColumnReader) -> str | None:
    """Return the canonical value of a cell as text; None when its row is the rules' to judge."""
    if text == "":
        return ""
    reading = unreadable(text, kind) or reader.read(text, kind)
    if reading.value is None or reading.code is not None:
        return None
    if isinstance(reading.value, ExactAmount):  # a price that names a currency is held against the line's own
        return None if reading.value.currency else price_text(reading.value.value)
    return str(reading.value)


@dataclass(frozen=True, slots=True)
class ReadAmounts:
    """The column of amounts as read; nothing where a row is the rules' to judge."""

    values: pa.Array
    decision: ParsingDecision | None
    deciding: DecidingCells
    saved_again: bool


class AmountReader:
    def __init__(
        self, database: Tables, cells: BlockCells, position: int, convention: Convention, known: DecidingCells
    ) -> None:
        self._database = database
        self._kind = cells.main_kind(position)
        self._convention = convention
        self._known = known
        self._texts = cells.texts(position)
        strange = cells.without_value(position)
        if cells.raw.kinds is not None:
            kinds = cells.raw.kinds_of(position)
            strange = strange | ((kinds != self._kind) & (kinds != CellKind.EMPTY))
        if (deciding_nothing := cells.not_lines | strange).any():
            self._texts = pc.if_else(pa.array(deciding_nothing), "", self._texts)
        database.register("amounts", pa.table({"text": self._texts}))

    def read(self) -> ReadAmounts:
        """Read all of them: plain ones by the column, others once for each different text."""
        known = (*self._known, *self._first_telling())
        column = self._column(known)
        values, others, found = self._plain(column)
        proven = self._column((*known, *found))
        if (proven.mark, proven.mixed) != (
            column.mark,
            column.mixed,
        ):  # others contradict the first
            values, others, found = self._plain(proven)
        reader = reader_factory(ColumnKind.LINE_AMOUNT, self._convention)([*known, *found])
        read = {cell: self._value(cell, reader) for cell in dict.fromkeys(found)}
        if any(value is not None for value in read.values()):
            filled = pa.array([read[cell] for cell in found], LINE_AMOUNT)
            values = pc.replace_with_mask(values, pa.array(others), filled)
        return ReadAmounts(values, reader.decision, reader.deciding, proven.saved_again)

    def _first_telling(self) -> DecidingCells:
        """Look for a cell that says how decimals are written; what other blocks prove need not be found again."""
        if self._kind is CellKind.NUMBER or self._known:
            return ()
        for pattern in DECIDING_AMOUNTS:
            condition = f"regexp_full_match(text, {quoted(pattern)})"
            found = self._database.arrow(f"SELECT text FROM amounts WHERE {condition} LIMIT 1")["text"].to_pylist()
            if found:
                return ((found[0], self._kind),)
        return ()

    def _column(self, deciding: DecidingCells) -> AmountColumn:
        return AmountColumn(deciding, self._convention.decimal, scientific=True)

    def _plain(self, column: AmountColumn) -> tuple[pa.Array, Mask, list[tuple[str, CellKind]]]:
        """Read plain amounts; returns them, which rows have others, and these as written."""
        mark: DecimalMark | None = "." if self._kind is CellKind.NUMBER else column.mark
        pattern = quoted(plain_amounts(mark, numbers=self._kind is CellKind.NUMBER))
        text = "replace(text, ',', '.')" if mark == "," else "text"
        readable = self._kind is CellKind.NUMBER or not column.mixed
        value = f"CASE WHEN {readable} AND regexp_full_match(text, {pattern}) THEN CAST({text} AS DECIMAL(38, 18)) END"
        values = self._database.arrow(f"SELECT {value} AS value FROM amounts")["value"].combine_chunks()
        others = values.is_null().to_numpy(zero_copy_only=False)
        left = self._texts.filter(pa.array(others)).to_pylist() if others.any() else []
        return values, others, [(text.strip(BLANKS), self._kind) for text in left]

    def _value(self, cell: tuple[str, CellKind], reader: ColumnReader) -> object:
        text, kind = cell
        if text == "" or unreadable(text, kind):
            return None
        reading = reader.read(text, kind)
        # One that names a currency is held against the line's own, which the rules do.
        return None if reading.value is None or reading.code or reading.value.currency else reading.value.value


def rows_like(cells: BlockCells, column: str, texts: Sequence[str]) -> Mask:
    wanted = {fold(text) for text in texts}
    rows = np.zeros(len(cells.raw.cells), dtype=bool)
    for position in positions_under(cells.raw, column):
        found = cells.coded(position)
        rows |= found.rows_where(np.array([fold(text) in wanted for text in found.texts.to_pylist()], dtype=bool))
    return rows


def _rows_not_lines(cells: BlockCells, layout: Layout, positions: Mapping[str, int]) -> Mask:
    rows = np.array(cells.raw.cells.index.isin(list(cells.raw.misshapen_rows)), dtype=bool)
    for rule in layout.leave_out:
        rows |= rows_like(cells, rule.column, rule.values)
    for column, texts in layout.only.items():
        rows |= ~rows_like(cells, column, texts)
    if layout.totals:
        rows |= _rows_beginning(cells, layout.totals) | _amounts_alone(cells, positions)
    if layout.control:
        below = np.flatnonzero(_rows_beginning(cells, layout.control.words))
        rows[below.min(initial=len(rows)) :] = True
    return rows


def _amounts_alone(cells: BlockCells, positions: Mapping[str, int]) -> Mask:
    own = {positions[column] for column in ("amount", "currency") if column in positions}
    alone = np.ones(len(cells.raw.cells), dtype=bool)
    for position in range(len(cells.raw.headers)):
        if position not in own and alone.any():
            found = cells.coded(position)
            empty = pc.equal(pc.utf8_trim_whitespace(found.texts), "").to_numpy(zero_copy_only=False)
            alone &= found.rows_where(empty)
    return alone


def _rows_beginning(cells: BlockCells, words: Sequence[str]) -> Mask:
    labels = TotalWords(words)
    rows = np.zeros(len(cells.raw.cells), dtype=bool)
    for position in range(len(cells.raw.headers)):
        found = cells.coded(position)
        promising = pc.match_substring_regex(found.texts, f"^(?:{labels.beginning})", ignore_case=True)
        meant = promising.to_numpy(zero_copy_only=False).copy()
        for at in np.flatnonzero(meant).tolist():
            meant[at] = labels.begin(found.texts[at].as_py().strip(BLANKS))
        rows |= found.rows_where(meant)
    return rows
