"""An open workbook: its sheets' first rows, and their tables, each cell with its kind."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import TracebackType
from typing import Protocol, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from io_adapters.spreadsheets.columns import text_series
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.words import say
from io_adapters.spreadsheets.workbook.messages import Words
from io_adapters.spreadsheets.workbook.transfer import oddities_from
from schemas.file_view import HeadRow, View
from schemas.issues import IssueCode
from schemas.layouts.recognise import Fit
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import CellKind, Oddities


class Source(Protocol):
    """Where an open workbook's cells come from."""

    def heads(self) -> Words:
        """Return what it shows."""

    def table(self, sheet: str, header_row: int) -> list[tuple[Words, bytes]]:
        """Return the cells below a header, in blocks, and last what else there is to say of them."""

    def close(self) -> None:
        """Let go of it."""


class OpenedWorkbook:
    """An `OpenedFile`; leaving its `with` block closes it.

    Attributes:
        views: Its worksheets, in order.
        decisions: That its macros were not run, and that it counts its days from 1904.
        properties: Custom document properties, name -> text.
    """

    def __init__(self, source: Source, identity: FileIdentity, language: str) -> None:
        """Look at its first rows.

        Raises:
            UnreadableFile: it cannot be read, or holds nothing.
        """
        self._source = source
        self._identity = identity
        self._place = Place(identity.name, language)
        shown = source.heads()
        self.views = tuple(_view(told) for told in shown["sheets"])
        traits = {"active": shown["macros"], "date_1904": shown["date_1904"]}
        self.decisions = tuple(say(trait, language) for trait, holds in traits.items() if holds)
        self.properties: Mapping[str, str] = shown["properties"]
        if not any(view.head for view in self.views):
            self.close()
            raise refusal(IssueCode.FILE_EMPTY, self._place)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Free the memory that it takes."""
        self._source.close()

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield a sheet below its header, in one block.

        Raises:
            UnreadableFile: FILE_NO_ROWS, or the sheet cannot be read.
        """
        sheet, header_row = fit.view.sheet or "", fit.header.row
        *blocks, (words, body) = self._source.table(sheet, header_row)
        cells, kinds = _cells([part for _, part in blocks], words["headers"], header_row)
        if cells.empty:
            raise refusal(IssueCode.FILE_NO_ROWS, self._place, "no_rows", sheet=sheet, row=header_row)
        oddities = _within(oddities_from(words, body), int(cells.index[-1]), cells.shape[1])
        headers = tuple((words["headers"] + [""] * cells.shape[1])[: cells.shape[1]])
        decisions = self._table_decisions(sheet, header_row, oddities)
        yield RawTable(self._identity, sheet, header_row, headers, cells, kinds, decisions, oddities=oddities)

    def _table_decisions(self, sheet: str, header_row: int, oddities: Oddities) -> tuple[str, ...]:
        language = self._place.language
        decisions = [say("sheet", language, sheet=sheet)]
        if unread := [str(view.sheet) for view in self.views if not view.visible and view.sheet != sheet]:
            decisions.append(say("hidden_sheets", language, sheets=", ".join(unread)))
        if oddities.hidden_rows or oddities.hidden_columns:
            decisions.append(say("hidden_lines", language))
        return (*decisions, say("header", language, row=header_row))


def _view(told: Words) -> View:
    head = tuple(HeadRow(row, tuple(texts)) for row, texts in told["head"])
    return View(told["name"], None, told["visible"], head, told["rows"])


def _cells(blocks: list[bytes], headers: list[str], header_row: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Put a sheet's blocks together: texts and kinds, up to the last row and column with anything in them.

    Columns that are under a header count even when they are empty.
    """
    batches = [pa.ipc.open_stream(pa.py_buffer(block)).read_next_batch() for block in blocks]
    width = batches[0].num_columns // 2 if batches else 0
    kinds = np.empty((sum(batch.num_rows for batch in batches), width), np.int8, order="F")
    for position in range(width):
        chunks = [batch.column(width + position) for batch in batches]
        kinds[:, position] = pa.chunked_array(chunks).to_numpy()
    told = kinds != CellKind.EMPTY
    height = _until_last(told.any(axis=1))
    used = max(_until_last(told.any(axis=0)), _until_last(np.array([bool(header) for header in headers], bool)))
    columns = {position: text_series([batch.column(position) for batch in batches], height) for position in range(used)}
    index = pd.RangeIndex(header_row + 1, header_row + 1 + height)
    return pd.DataFrame(columns, copy=False).set_axis(index, axis=0), kinds[:height, :used]


def _until_last(told: np.ndarray) -> int:
    found = np.flatnonzero(told)
    return int(found[-1]) + 1 if found.size else 0


def _within(oddities: Oddities, last_row: int, width: int) -> Oddities:
    """Leave out what is hidden or merged beyond the table."""
    return replace(
        oddities,
        hidden_rows=tuple(row for row in oddities.hidden_rows if row <= last_row),
        hidden_columns=tuple(position for position in oddities.hidden_columns if position < width),
        merged=frozenset((row, position) for row, position in oddities.merged if row <= last_row and position < width),
        stale=oddities.stale and bool(oddities.formulas),
    )
