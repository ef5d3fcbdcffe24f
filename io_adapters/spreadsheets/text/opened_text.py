"""A text file that is open."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import BinaryIO, Final

import pandas as pd

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.limits import MOST_COLUMNS, MOST_RECORD_BYTES
from io_adapters.spreadsheets.opened import text_series
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.text.cutting import read_pieces, with_blank_rows
from io_adapters.spreadsheets.text.encodings import Utf8Text
from io_adapters.spreadsheets.text.heads import DELIMITERS, HEAD_BYTES, Head, below, views_of
from io_adapters.spreadsheets.text.lines import end_of_last_line
from io_adapters.spreadsheets.text.pieces import BrokenRecord, Form
from io_adapters.spreadsheets.text.quotes import all_structural
from io_adapters.spreadsheets.text.survey import CHUNK_BYTES, survey
from io_adapters.spreadsheets.words import say
from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import View

_LIMITS: Final = {
    "one_cell": limits.size_text(limits.MOST_FIELD_BYTES),
    "one_row": limits.size_text(MOST_RECORD_BYTES),
    "columns": str(MOST_COLUMNS),
    "cells": str(limits.MOST_SHEET_CELLS),
}


def open_text(
    stream: BinaryIO, identity: FileIdentity, language: str, *, block_bytes: int = limits.TEXT_BLOCK_BYTES
) -> "OpenedText":
    """Open a delimited text: go through it once, and look at its first rows under each delimiter.

    Args:
        stream: Its bytes, unpacked and seekable; left open, and needed as long as blocks are read.
        identity: Of the file.
        language: Of decisions and messages.
        block_bytes: How much of the file one block holds.

    Raises:
        UnreadableFile: FILE_ENCODING, FILE_EMPTY, or FILE_TOO_LARGE when a line or the first cell has no end.
    """
    return OpenedText(stream, identity, language, block_bytes)


class OpenedText:
    """An `OpenedFile` that holds delimited text.

    Attributes:
        views: The text under each delimiter that cuts it.
        decisions: The encoding.
        properties: None.
    """

    def __init__(self, stream: BinaryIO, identity: FileIdentity, language: str, block_bytes: int) -> None:
        self._stream = stream
        self._identity = identity
        self._place = Place(identity.name, language)
        self._block_bytes = block_bytes
        with _refusing(self._place):
            self._survey = survey(stream, self._place, min(CHUNK_BYTES, block_bytes))
            self._head = self._read_head()
            self.views: Sequence[View] = views_of(self._head)
        self.decisions: tuple[str, ...] = (self._survey.encoding.name,)
        self.properties: Mapping[str, str] = {}

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield the table below a header, see `OpenedFile.blocks`; each row has the line on which its record starts.

        Raises:
            UnreadableFile: FILE_NO_ROWS; FILE_QUOTE where a quote opens that is not closed at the end of its field;
                FILE_TOO_LARGE where a field, a record or the table's width has no end.
        """
        delimiter = fit.view.delimiter or ","
        form = Form(delimiter, self._quotes_enclose_fields(delimiter, fit.layout), len(fit.header.texts))
        decisions = self._decisions(form, fit.header.row)
        empty = True
        with _refusing(self._place):
            if form.width > MOST_COLUMNS:
                raise BrokenRecord(fit.header.row, "columns")
            position, first_row = below(self._head, fit.header.row, form.delimiter, quoted=form.quoted)
            pieces = read_pieces(self._text(self._block_bytes), position, first_row, form)
            for piece in with_blank_rows(pieces, form.width):
                empty = False
                columns = {number: text_series(texts) for number, texts in enumerate(piece.columns)}
                cells = pd.DataFrame(columns, copy=False).set_axis(piece.rows, axis=0)
                yield RawTable(
                    self._identity,
                    None,
                    fit.header.row,
                    fit.header.texts,
                    cells,
                    decisions=decisions,
                    misshapen_rows=piece.misshapen,
                )
        if empty:
            raise refusal(IssueCode.FILE_NO_ROWS, self._place, "no_rows", row=fit.header.row)

    def _decisions(self, form: Form, header_row: int) -> tuple[str, ...]:
        language = self._place.language
        literally = self._survey.has_quotes and not form.quoted
        return (
            say(DELIMITERS[form.delimiter], language),
            say("header", language, row=header_row),
            *([say("literal_quotes", language)] if literally else []),
        )

    def _quotes_enclose_fields(self, delimiter: str, layout: Layout) -> bool:
        """Decide, once for the file, whether its quotes enclose fields or are characters of their texts.

        Programs that write tabs between fields mostly put no quotes around them, so that one in a title proves there
        that none is more than a character.
        """
        if not self._survey.has_quotes or layout.quotes == "none":
            return False
        return delimiter != "\t" or all_structural(self._text(self._block_bytes), delimiter)

    def _read_head(self) -> Head:
        text = self._text(HEAD_BYTES)
        chunk = text.more()
        while not chunk.last and len(chunk.content) < HEAD_BYTES:
            chunk = text.more(chunk.content)
        length = len(chunk.content) if chunk.last else end_of_last_line(chunk.content)
        return Head(chunk.content[:length], whole=chunk.last)

    def _text(self, chunk_bytes: int) -> Utf8Text:
        return Utf8Text(self._stream, self._survey.encoding, chunk_bytes)


@contextmanager
def _refusing(place: Place) -> Iterator[None]:
    """Turn a record that cannot be read into a file that is refused."""
    try:
        yield
    except BrokenRecord as broken:
        if broken.key == "quote":
            raise refusal(IssueCode.FILE_QUOTE, place, "quote", row=broken.row) from None
        limit = say(broken.key, place.language, most=_LIMITS[broken.key])
        raise refusal(IssueCode.FILE_TOO_LARGE, place, row=broken.row, limit=limit) from None
