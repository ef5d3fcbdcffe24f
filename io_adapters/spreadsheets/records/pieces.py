"""Reading a report piece by piece, no block of records cut in two."""

from collections.abc import Iterator
from typing import BinaryIO, Final

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.records.headings import Headings
from io_adapters.spreadsheets.records.piece import Piece
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode

BOM: Final = b"\xef\xbb\xbf"
_READ_BYTES: Final = 4 * 2**20
# How much of the file says what its records are; `#` lines stand at its top, or where a record first occurs.
_FIRST_BYTES: Final = 4 * 2**20


def first_piece(stream: BinaryIO, place: Place) -> Piece:
    """Return the first lines of a report, for what they say of the rest.

    Raises:
        UnreadableFile: no UTF-8, or a line that is no record.
    """
    stream.seek(0)
    data = stream.read(_FIRST_BYTES).removeprefix(BOM)
    end = data.rfind(b"\n") + 1
    if not end and len(data) >= limits.MOST_FIELD_BYTES:
        raise refusal(IssueCode.FILE_CORRUPT, place, "long_field", row=1)
    return _piece(data[:end] if end else data + b"\n", 1, 0, place)


def pieces(stream: BinaryIO, headings: Headings, place: Place) -> Iterator[Piece]:
    """Yield all lines of a report, in pieces that end where a block ends.

    A block is held as a whole, since its records refer to each other; one that does not fit is refused.

    Raises:
        UnreadableFile: no UTF-8, a line that is no record, or a block beyond the limit.
    """
    stream.seek(0)
    pending, row, offset = stream.read(_READ_BYTES), 1, 0
    if pending.startswith(BOM):
        pending, offset = pending[len(BOM) :], len(BOM)
    while True:
        fresh = stream.read(_READ_BYTES)
        if not fresh:
            break
        end = pending.rfind(b"\n") + 1
        if end:
            piece = _piece(pending[:end], row, offset, place)
            blocks = piece.blocks(headings)
            if len(blocks):
                piece.count = blocks.last_start
            if piece.count:
                yield piece
                done = piece.grid.row_start(piece.count) if piece.count < len(piece.grid) else end
                pending, row, offset = pending[done:], row + piece.count, offset + done
        if len(pending) > limits.TEXT_BLOCK_BYTES:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.TEXT_BLOCK_BYTES))
        pending += fresh
    if pending:
        yield _piece(pending if pending.endswith(b"\n") else pending + b"\n", row, offset, place)


def _piece(data: bytes, row: int, offset: int, place: Place) -> Piece:
    try:
        data.decode()
    except UnicodeDecodeError as error:
        byte = offset + error.start + 1
        raise refusal(IssueCode.FILE_ENCODING, place, "records_encoding", byte=byte) from None
    return Piece(data, row, place)
