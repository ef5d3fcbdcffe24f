"""How a delimited text file is laid out: encoding, delimiter and header are decided once, then nothing is guessed."""

import codecs
import csv
import io
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.file_view import HEAD_ROWS as HEADER_SEARCH_ROWS
from schemas.issues import IssueCode
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout

# Each with its name in `words`.
DELIMITERS: Final = {",": "comma", ";": "semicolon", "\t": "tab", "|": "bar"}
_BOMS: Final = ((b"\xef\xbb\xbf", "utf-8-sig"), (b"\xff\xfe", "utf-16"), (b"\xfe\xff", "utf-16"))
# Blanks in any of the encodings, and the byte order marks.
_BLANK_BYTES: Final = b" \t\r\n\0\xef\xbb\xbf\xff\xfe"
_CHECK_BYTES: Final = 2**20

Record = tuple[int, list[str]]


class BrokenRecord(Exception):
    """A quote is not closed, or a field has no end; `row` is where the record starts."""

    def __init__(self, row: int, *, too_long: bool) -> None:
        super().__init__(f"record in row {row}")
        self.row = row
        self.too_long = too_long


@dataclass(frozen=True, slots=True)
class TextForm:
    """How a text file is laid out.

    Attributes:
        encoding: Python's name.
        delimiter: Between fields.
        header_row: Physical line on which the header starts, 1-based.
        headers: Its fields.
    """

    encoding: str
    delimiter: str
    header_row: int
    headers: tuple[str, ...]


def decide_encoding(content: bytes, place: Place) -> str:
    """Decide a file's encoding: a byte order mark, else strict UTF-8, else cp1252.

    Returns:
        Python's name of an encoding in which every byte is legal.

    Raises:
        UnreadableFile: there is none, or nothing but blanks to decode.
    """
    if not content.strip(_BLANK_BYTES):
        raise refusal(IssueCode.FILE_EMPTY, place, "empty")
    marked = [encoding for mark, encoding in _BOMS if content.startswith(mark)]
    position = 0
    for encoding in marked or ("utf-8", "cp1252"):
        decoder = codecs.getincrementaldecoder(encoding)()
        try:
            for position in range(0, len(content), _CHECK_BYTES):
                decoder.decode(content[position : position + _CHECK_BYTES])
            decoder.decode(b"", final=True)
        except UnicodeDecodeError as error:
            position += error.start
        else:
            return encoding
    raise refusal(IssueCode.FILE_ENCODING, place, "encoding", byte=position + 1)


def decide_form(content: bytes, encoding: str, layout: Layout, place: Place) -> TextForm:
    """Take the delimiter under which most of the layout's headers are found in a row that has all required ones.

    Without such a row the header is where the layout says, or in the first line: the parser tells what is missing.

    Raises:
        UnreadableFile: the file ends before the row where the layout says the header is.
    """
    complete: list[tuple[int, TextForm]] = []
    fallback: list[tuple[int, int, TextForm]] = []
    for delimiter in DELIMITERS:
        for number, fields in _head(content, encoding, delimiter, layout):
            match = match_headers(fields, layout)
            known = len(match.positions) + len(match.duplicates)
            form = TextForm(encoding, delimiter, number, tuple(fields))
            if number == (layout.header_row or 1):
                fallback.append((known, len(fields), form))
            if not match.missing:
                complete.append((known, form))
                break
    if complete:
        return max(complete, key=lambda scored: scored[0])[1]
    if fallback:
        return max(fallback, key=lambda scored: scored[:2])[2]
    raise refusal(IssueCode.FILE_NO_ROWS, place, "no_rows", row=layout.header_row or 1)


def _head(content: bytes, encoding: str, delimiter: str, layout: Layout) -> Iterator[Record]:
    """Yield the records that may be the header."""
    records = records_of(content, TextForm(encoding, delimiter, 1, ()), strict=False)
    try:
        for number, fields in itertools.islice(records, layout.header_row or HEADER_SEARCH_ROWS):
            if layout.header_row in (None, number):
                yield number, fields
    except BrokenRecord:  # an endless field: no header further on, and the strict reading says so
        return


def records_of(content: bytes, form: TextForm, *, strict: bool) -> Iterator[Record]:
    """Yield (physical line on which it starts, fields) of each record from the header on; a blank line has no fields.

    Raises:
        BrokenRecord: with strict, a quote that is never closed, which would swallow the rest of the file as one cell.
    """
    lines = io.TextIOWrapper(io.BytesIO(content), encoding=form.encoding, newline="")
    reader = csv.reader(itertools.islice(lines, form.header_row - 1, None), delimiter=form.delimiter, strict=strict)
    start = form.header_row
    try:
        for fields in reader:
            yield start, fields
            start = form.header_row + reader.line_num
    except csv.Error as error:
        raise BrokenRecord(start, too_long="limit" in str(error)) from error
