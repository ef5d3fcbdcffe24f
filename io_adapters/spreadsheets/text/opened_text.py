"""A text file that is open: surveyed once, shown under each delimiter, read block by block."""

import csv
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import BinaryIO, Final

import pyarrow as pa
import pyarrow.compute as pc

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.limits import MOST_COLUMNS, MOST_RECORD_BYTES, FilePlace, refusal
from io_adapters.spreadsheets.text.csv_reader import read_pieces, with_blank_rows
from io_adapters.spreadsheets.text.encodings import (
    START_BYTES,
    Encoding,
    Undecodable,
    Utf8Text,
    likely_encodings,
    words_beyond_ascii,
)
from io_adapters.spreadsheets.text.records import (
    BrokenRecord,
    Form,
    RecordReader,
    TextBlock,
    TextTable,
    all_structural,
    broken_record,
    count_line_ends_before,
    end_of_last_line,
    line_start,
    part_is_structural,
)
from schemas.issues import IssueCode
from schemas.messages import Message
from schemas.sheet_cells import HEAD_ROWS, HeadRow, View

# Small enough to stay in the processor's cache while it is looked at several times.
CHUNK_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True)
class Survey:
    """What is known of a text as a whole: its encoding, and whether there is any quote in it."""

    encoding: Encoding
    has_quotes: bool


class _EndlessLine(Exception):
    """A line longer than any record; `offset` is where it starts in the text as UTF-8."""

    def __init__(self, offset: int) -> None:
        super().__init__(f"line at {offset}")
        self.offset = offset


def survey(stream: BinaryIO, place: FilePlace, chunk_bytes: int = CHUNK_BYTES) -> Survey:
    """Go through a text.

    Raises:
        UnreadableFile: it has no encoding that is read (FILE_ENCODING), or nothing but blanks (FILE_EMPTY).
        BrokenRecord: a line of it has no end.
    """
    stream.seek(0)
    wrong_byte = 0
    for encoding in likely_encodings(stream.read(START_BYTES), partial(words_beyond_ascii, stream, chunk_bytes)):
        try:
            is_filled, has_quotes = _look(Utf8Text(stream, encoding, chunk_bytes, check=True))
        except Undecodable as undecodable:
            wrong_byte = undecodable.byte
        except _EndlessLine as line:
            ends = count_line_ends_before(Utf8Text(stream, encoding, chunk_bytes), line.offset)
            raise BrokenRecord(1 + ends, "one_row") from None
        else:
            if not is_filled:
                raise refusal(IssueCode.FILE_EMPTY, place, "empty")
            return Survey(encoding, has_quotes)
    raise refusal(IssueCode.FILE_ENCODING, place, "encoding", byte=wrong_byte)


def _look(contents: Iterable[bytes]) -> tuple[bool, bool]:
    """Return whether there is anything but blanks, and any quote.

    Raises:
        _EndlessLine: a line is too long. Such a line goes beyond the chunk it starts in, so that the first and the
            last line end of each chunk tell.
    """
    is_filled = has_quotes = False
    offset = line_start = 0
    for content in contents:
        is_filled = is_filled or bool(content.strip())
        has_quotes = has_quotes or b'"' in content
        ends = [end for end in (content.find(b"\n"), content.find(b"\r")) if end >= 0]
        if offset + min(ends, default=len(content)) - line_start > MOST_RECORD_BYTES:
            raise _EndlessLine(line_start)
        if ends:
            line_start = offset + max(content.rfind(b"\n"), content.rfind(b"\r")) + 1
        offset += len(content)
    return is_filled, has_quotes


# Each with its name in `words`.
DELIMITERS: Final[Mapping[str, str]] = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
HEAD_BYTES: Final = MOST_RECORD_BYTES
# No header stands below so many lines, blank ones included.
_HEAD_LINES: Final = 10_000


@dataclass(frozen=True, slots=True)
class Head:
    """The first lines of a text, as UTF-8; `whole` when there are no more."""

    content: bytes
    whole: bool


def views_of(head: Head) -> tuple[View, ...]:
    """Return a text under each delimiter that cuts any of its first rows; under the comma when none does.

    Raises:
        BrokenRecord: there is nothing to show, since the first field has no end.
    """
    views = []
    endless: BrokenRecord | None = None
    for delimiter in DELIMITERS:
        rows, broken = _rows(head, delimiter)
        views.append(View(None, delimiter, visible=True, head=rows))
        endless = endless or broken
    if endless and not any(view.head for view in views):
        raise endless
    return tuple(view for view in views if any(len(row.texts) > 1 for row in view.head)) or (views[0],)


def _rows(head: Head, delimiter: str) -> tuple[tuple[HeadRow, ...], BrokenRecord | None]:
    """Return the first rows that hold anything, and the row that has no end when that is why there are no more."""
    quoted = delimiter != "\t" or _quotes_enclose_fields(head, delimiter)
    records = RecordReader(head.content, 1, delimiter, quoted=quoted, strict=False)
    rows: list[HeadRow] = []
    try:
        for row, fields in records:
            if any(map(str.strip, fields)):
                rows.append(HeadRow(row, tuple(fields)))
            if len(rows) == HEAD_ROWS or row > _HEAD_LINES:
                return tuple(rows), None
    except csv.Error:
        return tuple(rows), BrokenRecord(records.row, "one_cell")
    return tuple(rows if head.whole else rows[:-1]), None  # the last one may go on


def _quotes_enclose_fields(head: Head, delimiter: str) -> bool:
    return all_structural([head.content], delimiter) if head.whole else part_is_structural(head.content, delimiter)


def below(head: Head, header_row: int, delimiter: str, *, quoted: bool) -> tuple[int, int]:
    """Return where the record after the header starts: (position in the text as UTF-8, physical line).

    Raises:
        BrokenRecord: the header itself has no end.
    """
    if header_row == 0:
        return 0, 1
    header = head.content[line_start(head.content, header_row - 1) :]
    records = RecordReader(header, header_row, delimiter, quoted=quoted)
    try:
        next(iter(records))
    except csv.Error as error:
        raise broken_record(header, header_row, delimiter, error, quoted=quoted) from None
    return line_start(head.content, records.row - 1), records.row


_LIMITS: Final = {
    "one_cell": limits.size_text(limits.MOST_FIELD_BYTES),
    "one_row": limits.size_text(MOST_RECORD_BYTES),
    "columns": str(MOST_COLUMNS),
    "cells": str(limits.MOST_SHEET_CELLS),
}


def _unguarded(texts: pa.ChunkedArray) -> pa.ChunkedArray:
    """Take texts out of the formula in which an export puts them to keep their zeros: ="00123" is 00123."""
    if not pc.any(pc.starts_with(texts, '="')).as_py():
        return texts
    return pc.replace_substring_regex(texts, _GUARDED, r"\1")


_GUARDED: Final = r'^="([^"]*)"$'


def open_text(stream: BinaryIO, name: str, *, block_bytes: int = limits.TEXT_BLOCK_BYTES) -> "OpenedText":
    """Open a delimited text: go through it once, and look at its first rows under each delimiter.

    Raises:
        UnreadableFile: FILE_ENCODING, FILE_EMPTY, or FILE_TOO_LARGE when a line or the first cell has no end.
    """
    return OpenedText(stream, name, block_bytes)


class OpenedText:
    """Delimited text that is open."""

    def __init__(self, stream: BinaryIO, name: str, block_bytes: int) -> None:
        self._stream = stream
        self._place = FilePlace(name)
        self._block_bytes = block_bytes
        with _refusing(self._place):
            self._survey = survey(stream, self._place, min(CHUNK_BYTES, block_bytes))
            self._head = self._read_head()
            self.views: Sequence[View] = views_of(self._head)
        encoding = self._survey.encoding
        encoding_text = Message("file.encoding_doubtful", name=encoding.name) if encoding.doubtful else encoding.name
        self.decisions: tuple[Message | str, ...] = (encoding_text,)

    def table(self, delimiter: str, header: HeadRow, *, quotes: str) -> TextTable:
        """Find the table below a header; each row has the line on which its record starts.

        Args:
            quotes: `none` where the layout says that quotes are characters like others.

        Raises:
            UnreadableFile: FILE_QUOTE where a quote opens that is not closed at the end of its field;
                FILE_TOO_LARGE where a field, a record or the table's width has no end. So do the blocks.
        """
        form = Form(delimiter, self._quotes_enclose_fields(delimiter, quotes), len(header.texts))
        with _refusing(self._place):
            if form.width > MOST_COLUMNS:
                raise BrokenRecord(header.row, "columns")
            position, first_row = below(self._head, header.row, delimiter, quoted=form.quoted)
        blocks = self._blocks(form, position, first_row)
        return TextTable(header.row, header.texts, self._decisions(form, header.row), blocks)

    def _blocks(self, form: Form, position: int, first_row: int) -> Iterator[TextBlock]:
        with _refusing(self._place):
            pieces = read_pieces(self._text(self._block_bytes), position, first_row, form)
            for piece in with_blank_rows(pieces, form.width):
                columns = [_unguarded(pa.chunked_array(texts, pa.large_string())) for texts in piece.columns]
                yield TextBlock(piece.rows, columns, piece.misshapen)

    def _decisions(self, form: Form, header_row: int) -> tuple[Message | str, ...]:
        literally = self._survey.has_quotes and not form.quoted
        return (
            Message(f"file.{DELIMITERS[form.delimiter]}"),
            Message("file.header", row=header_row),
            *([Message("file.literal_quotes")] if literally else []),
        )

    def _quotes_enclose_fields(self, delimiter: str, quotes: str) -> bool:
        """Decide, once for the file, whether its quotes enclose fields or are characters of their texts.

        Programs that write tabs between fields mostly put no quotes around them, so that one in a title proves there
        that none is more than a character.
        """
        if not self._survey.has_quotes or quotes == "none":
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
def _refusing(place: FilePlace) -> Iterator[None]:
    try:
        yield
    except BrokenRecord as broken:
        if broken.key == "quote":
            raise refusal(IssueCode.FILE_QUOTE, place, "quote", row=broken.row) from None
        limit = Message(f"file.{broken.key}", most=_LIMITS[broken.key])
        raise refusal(IssueCode.FILE_TOO_LARGE, place, row=broken.row, limit=limit) from None
