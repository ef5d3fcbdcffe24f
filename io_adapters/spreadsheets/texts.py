"""Text files as the reading process tells of them: delimited text and reports of typed records, block by block."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from types import MappingProxyType

import pandas as pd

from io_adapters.spreadsheets.readers import ReadInChild
from io_adapters.spreadsheets.text.records import TextBlock, TextTable
from io_adapters.spreadsheets.transfer import text_block_from, told_from, views_from
from schemas.layouts.recognise import Fit
from schemas.messages import Message
from schemas.raw_table import FileIdentity, RawTable, text_series, without_rows


class TextFile:
    """An `OpenedFile` that holds text.

    Attributes:
        profile: Of a DDEX sales report; "" for any other text.
    """

    def __init__(self, reader: ReadInChild, identity: FileIdentity) -> None:
        self._reader = reader
        self._identity = identity
        with reader.sound_answers():
            self.views = views_from(reader.shown["views"])
            self.decisions: tuple[Message | str, ...] = told_from(reader.shown["decisions"])
            self.profile = str(reader.shown["profile"])
        self.properties: Mapping[str, str] = MappingProxyType({})

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield the table below a header, see `OpenedFile.blocks`.

        Raises:
            UnreadableFile: FILE_QUOTE, FILE_TOO_LARGE, FILE_CORRUPT, FILE_NO_ROWS, FILE_PARSER.
        """
        header, layout = fit.header, fit.layout.model_dump(mode="json", by_alias=True)
        asked = {"delimiter": fit.view.delimiter or ",", "row": header.row, "texts": header.texts, "layout": layout}
        words, _ = self._reader.ask({"ask": "table"} | asked)[-1]
        with self._reader.sound_answers():
            decisions = told_from(words["decisions"])
            table = TextTable(int(words["header_row"]), tuple(words["headers"]), decisions, self._blocks())
        return raw_tables(table, self._identity)

    def _blocks(self) -> Iterator[TextBlock]:
        while True:
            words, body = self._reader.next_block()
            if "end" in words:
                return
            with self._reader.sound_answers():
                block = text_block_from(words, body)
            yield block


def raw_tables(table: TextTable, identity: FileIdentity) -> Iterator[RawTable]:
    """Yield a table of a text in blocks; one that says so where it has no row."""
    whole = RawTable(identity, None, table.header_row, table.headers, pd.DataFrame(), decisions=table.decisions)
    empty = True
    for block in table.blocks:
        columns = {position: text_series(texts.chunks) for position, texts in enumerate(block.columns)}
        cells = pd.DataFrame(columns, copy=False).set_axis(_index_of(block), axis=0)
        yield replace(whole, cells=cells, misshapen_rows=block.misshapen)
        empty = False
    if empty:
        yield without_rows(whole)


def _index_of(block: TextBlock) -> "pd.Index[int]":
    first, last, count = int(block.rows[0]), int(block.rows[-1]), len(block.rows)
    return pd.RangeIndex(first, last + 1) if last - first + 1 == count else pd.Index(block.rows)
