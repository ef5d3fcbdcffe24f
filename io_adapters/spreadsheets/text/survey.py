"""Going through a text once, to know its encoding and that no line of it is beyond reading."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import BinaryIO, Final

from io_adapters.spreadsheets.limits import MOST_RECORD_BYTES
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.text.encodings import Encoding, Undecodable, Utf8Text, likely_encodings
from io_adapters.spreadsheets.text.lines import count_line_ends_before
from io_adapters.spreadsheets.text.pieces import BrokenRecord
from schemas.issues import IssueCode

# Small enough to stay in the processor's cache while it is looked at several times.
CHUNK_BYTES: Final = 2**20
_START_BYTES: Final = 4


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


def survey(stream: BinaryIO, place: Place, chunk_bytes: int = CHUNK_BYTES) -> Survey:
    """Go through a text.

    Args:
        stream: Seekable; its position is of no consequence.
        place: Which file.
        chunk_bytes: How much of it to look at at a time.

    Raises:
        UnreadableFile: it has no encoding that is read (FILE_ENCODING), or nothing but blanks (FILE_EMPTY).
        BrokenRecord: a line of it has no end.
    """
    stream.seek(0)
    wrong_byte = 0
    for encoding in likely_encodings(stream.read(_START_BYTES)):
        try:
            told, has_quotes = _look(Utf8Text(stream, encoding, chunk_bytes, check=True))
        except Undecodable as undecodable:
            wrong_byte = undecodable.byte
        except _EndlessLine as line:
            ends = count_line_ends_before(Utf8Text(stream, encoding, chunk_bytes), line.offset)
            raise BrokenRecord(1 + ends, "one_row") from None
        else:
            if not told:
                raise refusal(IssueCode.FILE_EMPTY, place, "empty")
            return Survey(encoding, has_quotes)
    raise refusal(IssueCode.FILE_ENCODING, place, "encoding", byte=wrong_byte)


def _look(contents: Iterable[bytes]) -> tuple[bool, bool]:
    """Return whether there is anything but blanks, and any quote.

    Raises:
        _EndlessLine: a line is too long. Such a line goes beyond the chunk it starts in, so that the first and the
            last line end of each chunk tell.
    """
    told = has_quotes = False
    offset = line_start = 0
    for content in contents:
        told = told or bool(content.strip())
        has_quotes = has_quotes or b'"' in content
        ends = [end for end in (content.find(b"\n"), content.find(b"\r")) if end >= 0]
        if offset + min(ends, default=len(content)) - line_start > MOST_RECORD_BYTES:
            raise _EndlessLine(line_start)
        if ends:
            line_start = offset + max(content.rfind(b"\n"), content.rfind(b"\r")) + 1
        offset += len(content)
    return told, has_quotes
