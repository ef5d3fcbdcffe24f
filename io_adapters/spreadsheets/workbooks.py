"""Workbooks as the reading process tells of them: their sheets, and the cells below a header with kind and oddities."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

import numpy as np
import pandas as pd
import pyarrow as pa

from io_adapters.spreadsheets.limits import FilePlace, refusal
from io_adapters.spreadsheets.readers import ReadInChild
from io_adapters.spreadsheets.transfer import Words, oddities_from, views_from
from schemas.issues import IssueCode
from schemas.layouts.recognise import Fit
from schemas.messages import Message
from schemas.raw_table import FileIdentity, RawTable, text_series, without_rows
from schemas.sheet_cells import NO_ODDITIES, CellKind, HeadRow, Oddities


class OpenedWorkbook:
    """An `OpenedFile`."""

    profile = ""

    def __init__(self, reader: ReadInChild, identity: FileIdentity) -> None:
        """Look at its first rows.

        Raises:
            UnreadableFile: it holds nothing.
        """
        self._reader = reader
        self._identity = identity
        with reader.sound_answers():
            self.views = views_from(reader.shown["views"])
            traits = {"active": reader.shown["macros"], "date_1904": reader.shown["date_1904"]}
            self.properties: Mapping[str, str] = dict(reader.shown["properties"])
        self.decisions = tuple(Message(f"file.{trait}") for trait, holds in traits.items() if holds)
        if not any(view.head for view in self.views):
            raise refusal(IssueCode.FILE_EMPTY, FilePlace(identity.name))

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield a sheet below its header, in one block.

        Raises:
            UnreadableFile: the sheet cannot be read.
        """
        sheet, header_row = fit.view.sheet or "", fit.header.row
        answers = self._reader.ask({"ask": "table", "sheet": sheet, "header_row": header_row})
        with self._reader.sound_answers():
            table = self._table(sheet, fit.header, answers)
        yield table

    def _table(self, sheet: str, header: HeadRow, answers: Sequence[tuple[Words, bytes]]) -> RawTable:
        *blocks, (words, body) = answers
        shown = [*header.texts, *words["headers"][len(header.texts) :]]
        cells, kinds = _cells([part for _, part in blocks], shown, header.row)
        if not len(cells):
            decisions = self._table_decisions(sheet, header.row, NO_ODDITIES)
            return without_rows(RawTable(self._identity, sheet, header.row, tuple(shown), cells, decisions=decisions))
        oddities = _within(oddities_from(words, body), int(cells.index[-1]), cells.shape[1])
        headers = tuple((shown + [""] * cells.shape[1])[: cells.shape[1]])
        decisions = self._table_decisions(sheet, header.row, oddities)
        return RawTable(self._identity, sheet, header.row, headers, cells, kinds, decisions, oddities=oddities)

    def _table_decisions(self, sheet: str, header_row: int, oddities: Oddities) -> tuple[Message | str, ...]:
        decisions = [Message("file.sheet", sheet=sheet)]
        if unread := [str(view.sheet) for view in self.views if not view.visible and view.sheet != sheet]:
            decisions.append(Message("file.hidden_sheets", sheets=", ".join(unread)))
        if oddities.hidden_rows or oddities.hidden_columns:
            decisions.append(Message("file.hidden_lines"))
        return (*decisions, Message("file.header", row=header_row))


def _cells(blocks: list[bytes], headers: list[str], header_row: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Put a sheet's blocks together: texts and kinds, up to the last row and column with anything in them.

    Columns that are under a header count even when they are empty.
    """
    batches = [pa.ipc.open_stream(pa.py_buffer(block)).read_next_batch() for block in blocks]
    for batch in batches:
        batch.validate(full=True)
    width = batches[0].num_columns // 2 if batches else 0
    kinds = np.empty((sum(batch.num_rows for batch in batches), width), np.int8, order="F")
    for position in range(width):
        chunks = [batch.column(width + position) for batch in batches]
        kinds[:, position] = pa.chunked_array(chunks).to_numpy()
    filled = kinds != CellKind.EMPTY
    height = _until_last(filled.any(axis=1))
    used = max(_until_last(filled.any(axis=0)), _until_last(np.array([bool(header) for header in headers], bool)))
    columns = {position: text_series([batch.column(position) for batch in batches], height) for position in range(used)}
    index = pd.RangeIndex(header_row + 1, header_row + 1 + height)
    return pd.DataFrame(columns, copy=False).set_axis(index, axis=0), kinds[:height, :used]


def _until_last(filled: np.ndarray) -> int:
    found = np.flatnonzero(filled)
    return int(found[-1]) + 1 if found.size else 0


def _within(oddities: Oddities, last_row: int, width: int) -> Oddities:
    return replace(
        oddities,
        hidden_rows=tuple(row for row in oddities.hidden_rows if row <= last_row),
        hidden_columns=tuple(position for position in oddities.hidden_columns if position < width),
        merged=frozenset((row, position) for row, position in oddities.merged if row <= last_row and position < width),
        stale=oddities.stale and bool(oddities.formulas),
    )
