"""Every limit of reading, in one place, and the refusal that names it."""

from dataclasses import dataclass, replace
from typing import Any, BinaryIO, Final, Protocol

from schemas.errors import UnreadableFile
from schemas.issues import IssueCode, make_issue
from schemas.messages import Message

# Text is read in blocks, so that its size costs time and no memory; a workbook is held as a whole.
MOST_TEXT_BYTES: Final = 4 * 2**30
MOST_WORKBOOK_BYTES: Final = 256 * 2**20

# Honest tables pack 5 to 50 times smaller; the densest bombs about 1000 times.
MOST_EXPANSION: Final = 250
HARMLESS_BYTES: Final = 64 * 2**20
MOST_ZIP_MEMBERS: Final = 10_000

# One field of a text, and one record; a quote that is never closed makes a field of the rest of the file.
MOST_FIELD_BYTES: Final = 2**20
MOST_RECORD_BYTES: Final = 4 * MOST_FIELD_BYTES
MOST_COLUMNS: Final = 16_384  # as many as Excel has
TEXT_BLOCK_BYTES: Final = 4 * 2**20
# One block of records of a DDEX report: a release with all its sales, in the profiles that nest them.
MOST_DDEX_BLOCK_BYTES: Final = 16 * 2**20

# A workbook's reader reserves memory for the whole rectangle between a sheet's corners.
MOST_SHEET_CELLS: Final = 40_000_000

# Of payments, payees, shares and the like, each of which is looked at by itself; statement lines have no such limit.
MOST_TABLE_ROWS: Final = 200_000

# Of the process that reads workbooks.
READER_MEMORY_BYTES: Final = 3 * 2**30
READER_SECONDS: Final = 120


def size_text(size_bytes: int) -> str:
    """Write a limit for people.

    >>> size_text(4 * 2**30), size_text(2**20)
    ('4 GB', '1 MB')
    """
    return f"{size_bytes >> 30} GB" if size_bytes >= 2**30 else f"{size_bytes >> 20} MB"


@dataclass(frozen=True, slots=True)
class FilePlace:
    file: str


def refusal(
    code: IssueCode,
    place: FilePlace,
    key: str | Message = "",
    *,
    sheet: str | None = None,
    row: int | None = None,
    **details: Any,  # noqa: ANN401  # whatever the sentence names, as text or number
) -> UnreadableFile:
    """Say why a file is not read; to be raised."""
    issue = make_issue(code, file=place.file, sheet=sheet, row=row, **details)
    if isinstance(key, Message):
        issue = replace(issue, message=key)
    elif key:
        named = details | {name: value for name, value in (("sheet", sheet), ("row", row)) if value is not None}
        issue = replace(issue, message=Message(f"file.{key}", **named))
    return UnreadableFile(Message("file.refused", file=place.file, wrong=issue.message), issues=(issue,))


_CHUNK_BYTES: Final = 2**20


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


def copied(source: _Readable, target: BinaryIO, most_bytes: int) -> bool:
    """Copy a stream; stop and return False when it has more bytes than that."""
    total = 0
    while chunk := source.read(_CHUNK_BYTES):
        total += len(chunk)
        if total > most_bytes:
            return False
        target.write(chunk)
    return True
