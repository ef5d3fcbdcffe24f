"""Answers of an open workbook as they cross the pipe: JSON, Arrow blocks, and places of cells."""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa

from io_adapters.spreadsheets.workbook.calamine_sheet import OpenWorkbook
from io_adapters.spreadsheets.workbook.sheets import WorkbookRefused, columns_of
from schemas.sheet_cells import OVER_THE_SHEET, Look, Oddities

# What one message may hold; the first rows of a workbook's sheets are words, its tables are bytes.
MOST_WORDS_BYTES: Final = 64 * 2**20
MOST_BODY_BYTES: Final = 2**30
_LENGTHS: Final = struct.Struct(">QQ")

Words = dict[str, Any]


class Broken(Exception): ...


def send(stream: IO[bytes], words: Mapping[str, object], body: bytes | memoryview = b"") -> None:
    """Send one message.

    Raises:
        OSError: the other side is gone.
    """
    head = json.dumps(words).encode()
    stream.write(_LENGTHS.pack(len(head), len(body)))
    stream.write(head)
    stream.write(body)
    stream.flush()


def receive(stream: IO[bytes]) -> tuple[Words, bytes] | None:
    """Receive one message; None when the other side has ended.

    Raises:
        Broken: it ended within a message, or the message is none.
    """
    lengths = stream.read(_LENGTHS.size)
    if not lengths:
        return None
    words_bytes, body_bytes = _LENGTHS.unpack(lengths) if len(lengths) == _LENGTHS.size else (0, 0)
    if not 0 < words_bytes <= MOST_WORDS_BYTES or body_bytes > MOST_BODY_BYTES:
        raise Broken
    head, body = stream.read(words_bytes), stream.read(body_bytes)
    if len(head) < words_bytes or len(body) < body_bytes:
        raise Broken
    try:
        words = json.loads(head)
    except ValueError:
        raise Broken from None
    if not isinstance(words, dict):
        raise Broken
    return words, body


# Headers and titles; a text repeated a million times makes gigabytes of them.
_MOST_HEAD_CHARACTERS: Final = 4_000_000
# How many numbers name one place: its row and position, and of zeros the digits shown.
_PLACES: Final = {"merged": 2, "external": 2, "formulas": 2, "zeros": 3, "shown_otherwise": 2, "struck": 2}


def heads_message(workbook: OpenWorkbook) -> Words:
    """Say what a workbook shows: its sheets with their first rows, and its traits.

    Raises:
        Refused: a sheet cannot be read, or the first rows hold too much.
    """
    sheets, characters = [], 0
    for name, visible, head, rows in workbook.heads():
        characters += sum(len(text) for _, texts in head for text in texts)
        if characters > _MOST_HEAD_CHARACTERS:
            raise WorkbookRefused("FILE_TOO_LARGE", "long_head", sheet=name, limit=_MOST_HEAD_CHARACTERS)
        sheets.append({"name": name, "visible": visible, "head": head, "rows": rows})
    traits = workbook.workbook.traits
    return {
        "done": True,
        "sheets": sheets,
        "macros": traits.macros,
        "date_1904": traits.date_1904,
        "properties": dict(traits.properties),
    }


def table_messages(workbook: OpenWorkbook, sheet: str, header_row: int) -> Iterator[tuple[Words, bytes | memoryview]]:
    """Hand on the cells below a header in blocks, then what else there is to say of them.

    Raises:
        Refused: the sheet cannot be read, or holds too much.
    """
    headers, blocks, loaded = workbook.table(sheet, header_row)
    sent_bytes = 0
    for rows in blocks:
        block = _arrow_bytes(columns_of(rows))
        sent_bytes += len(block)
        if sent_bytes > MOST_BODY_BYTES:
            raise WorkbookRefused("FILE_TOO_LARGE", "long_table", sheet=sheet, limit=MOST_BODY_BYTES // 2**20)
        yield {"block": True}, block
    words, body = _oddities_message(loaded.oddities, header_row)
    yield words | {"done": True, "headers": headers, "width": loaded.width}, body


def oddities_from(words: Words, body: bytes) -> Oddities:
    numbers = np.frombuffer(body, np.int32)
    places, start = dict[str, Any](), 0
    for name, length in _PLACES.items():
        end = start + length * words[name]
        places[name] = frozenset(map(tuple, numbers[start:end].reshape(-1, length).tolist()))
        start = end
    return Oddities(
        tuple(numbers[start:].tolist()),
        tuple(words["hidden_columns"]),
        **places,
        comments=tuple((int(row), int(position), str(text)) for row, position, text in words["comments"]),
        looks=tuple((int(row), int(position), Look(kind), str(text)) for row, position, kind, text in words["looks"]),
        stale=words["stale"],
        values_only=words["values_only"],
    )


def _arrow_bytes(block: pa.RecordBatch) -> memoryview:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, block.schema) as stream:
        stream.write_batch(block)
    return memoryview(sink.getvalue())


def _oddities_message(oddities: Oddities, header_row: int) -> tuple[Words, bytes]:
    """Write down what is odd below the header; there may be millions of formulas."""
    places = {name: _below(getattr(oddities, name), header_row) for name in _PLACES}
    hidden = np.array([row for row in oddities.hidden_rows if row > header_row], np.int32)
    words = {name: len(found) // _PLACES[name] for name, found in places.items()}
    body = b"".join([*(found.tobytes() for found in places.values()), hidden.tobytes()])
    kept = {name: getattr(oddities, name) for name in ("hidden_columns", "stale", "values_only")}
    comments = [comment for comment in oddities.comments if comment[0] > header_row]
    looks = [look for look in oddities.looks if look[0] > header_row or look[2] in OVER_THE_SHEET]
    return words | kept | {"comments": comments, "looks": looks}, body


def _below(places: Iterable[tuple[int, ...]], header_row: int) -> np.ndarray:
    return np.fromiter((number for place in places if place[0] > header_row for number in place), np.int32)
