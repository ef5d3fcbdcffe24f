"""RawTable: one sheet as text, with each cell's place and kind, before any rule has been applied."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

from schemas.messages import Message
from schemas.sheet_cells import NO_ODDITIES, CellKind, HeadRow, Oddities


@dataclass(frozen=True, slots=True)
class FileIdentity:
    """Which file a row came from.

    Attributes:
        sha256: Hex digest of the file's bytes.
    """

    name: str
    sha256: str
    size_bytes: int


@dataclass(frozen=True, slots=True)
class RawTable:
    """One sheet (or text file) below its header row.

    Attributes:
        sheet: Sheet name; None for text files.
        header_row: Physical row of the header, 1-based, as the spreadsheet numbers it.
        headers: Header texts as written, left to right from column A; "" for a column without one.
        cells: One row per physical row below the header, in order, blank rows included (trailing ones left out).
            Index: physical row number. Columns: 0..n-1 positions in `headers`. dtype str; "" for an empty cell.
            Numbers are written in the shortest exact way with a decimal point ("1234.5", "52998224725"); dates as ISO;
            booleans as "TRUE"/"FALSE"; errors as their literal ("#REF!").
        kinds: CellKind of each cell, int8, same shape as `cells`; None when every cell is text.
        misshapen_rows: Rows of a text file with more or fewer fields than the header. Their cells are not to be
            trusted: extra fields are left out, absent ones are "".
        preamble: Canonical column -> what is said once above the header for all rows.
    """

    file: FileIdentity
    sheet: str | None
    header_row: int
    headers: tuple[str, ...]
    cells: pd.DataFrame
    kinds: np.ndarray | None = None
    decisions: tuple[Message | str, ...] = ()
    misshapen_rows: tuple[int, ...] = ()
    oddities: Oddities = NO_ODDITIES
    preamble: Mapping[str, str] = field(default_factory=dict)
    above: tuple[HeadRow, ...] = ()

    def header_at(self, position: int) -> str:
        """Return a column's header; "" for one that was put to the right of the file's own."""
        return self.headers[position] if position < len(self.headers) else ""

    def kinds_of(self, position: int) -> np.ndarray:
        """Return the CellKind of each cell of a column, int8."""
        if self.kinds is not None:
            return self.kinds[:, position]
        return np.where(self.cells[position] == "", CellKind.EMPTY, CellKind.TEXT).astype(np.int8)


def without_rows(table: RawTable) -> RawTable:
    """Return a table of which only the header is there: nothing came in, which is said and is no error."""
    cells = pd.DataFrame({position: pd.Series([], dtype="str") for position in range(len(table.headers))})
    said = Message("file.no_rows", row=table.header_row)
    return replace(table, cells=cells, kinds=None, decisions=(*table.decisions, said))


def joined(blocks: Sequence[RawTable]) -> RawTable:
    """Put blocks of one table together again; what is said of the table as a whole is the first block's."""
    first = blocks[0]
    if len(blocks) == 1:
        return first
    return replace(
        first,
        cells=pd.concat([block.cells for block in blocks]),
        kinds=None if first.kinds is None else np.concatenate([block.kinds for block in blocks]),
        misshapen_rows=tuple(row for block in blocks for row in block.misshapen_rows),
    )


def some_rows(table: RawTable, which: np.ndarray) -> RawTable:
    cells = table.cells[which]
    left = frozenset(cells.index.tolist()) if table.misshapen_rows else frozenset[int]()
    return replace(
        table,
        cells=cells,
        kinds=None if table.kinds is None else table.kinds[which],
        misshapen_rows=tuple(row for row in table.misshapen_rows if row in left),
    )


def with_column(table: RawTable, header: str) -> RawTable:
    """Put an empty column to the right of a table."""
    empty = pd.Series([""] * len(table.cells), index=table.cells.index, dtype="str")
    kinds = np.column_stack([table.kinds_of(position) for position in range(len(table.headers))])
    kinds = np.column_stack([kinds, np.full(len(kinds), CellKind.EMPTY, dtype=np.int8)])
    cells = pd.concat([table.cells, empty.rename(len(table.headers))], axis=1)
    return replace(table, headers=(*table.headers, header), cells=cells, kinds=kinds)


def column_letter(position: int) -> str:
    """Name a column as spreadsheets do.

    >>> column_letter(0), column_letter(25), column_letter(26)
    ('A', 'Z', 'AA')
    """
    letters = ""
    position += 1
    while position:
        position, remainder = divmod(position - 1, 26)
        letters = chr(ord("A") + remainder) + letters
    return letters


_TEXT_DTYPE: Final = pd.StringDtype(na_value=np.nan)


def text_series(chunks: list[pa.Array], length: int | None = None) -> "pd.Series[str]":
    """Wrap Arrow texts as a pandas column of dtype str, without copying; only the first `length` of them."""
    texts = pa.chunked_array(chunks, pa.large_string()).slice(0, length)
    return pd.Series(pd.array(texts, dtype=_TEXT_DTYPE))
