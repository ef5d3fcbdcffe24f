"""What crosses the pipe between reader and parent: JSON, Arrow blocks, and places of cells."""

import json
import struct
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import IO, Any, Final

import numpy as np
import pyarrow as pa

from io_adapters.spreadsheets.text.records import TextBlock, TextTable
from io_adapters.spreadsheets.workbook.calamine_sheet import OpenWorkbook
from io_adapters.spreadsheets.workbook.sheets import WorkbookRefused, columns_of
from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Message, fact_from, fact_json, facts_from, facts_json
from schemas.sheet_cells import OVER_THE_SHEET, HeadRow, Look, Oddities, View

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
    except (ValueError, RecursionError):
        raise Broken from None
    if not isinstance(words, dict):
        raise Broken
    return words, body


def refused_words(failure: UnreadableFile) -> Words:
    """Write down why a file is not read."""
    issue = failure.issues[0]
    told = {"message": fact_json(issue.message), "facts": facts_json(issue.accepts.facts)}
    return {"code": issue.code.value, "sheet": issue.sheet, "row": issue.row} | told


def issue_from(words: Words, file: str) -> Issue:
    """Read what `refused_words` wrote."""
    facts = facts_from(words["facts"])
    issue = make_issue(IssueCode(words["code"]), file=file, sheet=words["sheet"], row=words["row"], **facts)
    return replace(issue, message=fact_from(words["message"]))


def views_words(views: Sequence[View]) -> list[Words]:
    return [
        {
            "name": view.sheet,
            "delimiter": view.delimiter,
            "visible": view.visible,
            "head": [(head.row, head.texts) for head in view.head],
            "rows": view.rows,
        }
        for view in views
    ]


def views_from(words: Sequence[Words]) -> tuple[View, ...]:
    return tuple(
        View(
            shown["name"],
            shown["delimiter"],
            shown["visible"],
            tuple(HeadRow(row, tuple(texts)) for row, texts in shown["head"]),
            shown["rows"],
        )
        for shown in words
    )


def told_words(told: Iterable[Message | str]) -> list[object]:
    return [fact_json(message) for message in told]


def told_from(words: Iterable[object]) -> tuple[Message | str, ...]:
    return tuple(map(fact_from, words))


def text_table_words(table: TextTable) -> Words:
    decisions = told_words(table.decisions)
    return {"done": True, "header_row": table.header_row, "headers": table.headers, "decisions": decisions}


def text_block_message(block: TextBlock) -> tuple[Words, memoryview]:
    columns = [pa.chunked_array([pa.array(block.rows, pa.int64())]), *block.columns]
    table = pa.Table.from_arrays(columns, names=list(map(str, range(len(columns)))))
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, table.schema) as stream:
        stream.write_table(table)
    return {"done": True, "misshapen": block.misshapen}, memoryview(sink.getvalue())


def text_block_from(words: Words, body: bytes) -> TextBlock:
    table = pa.ipc.open_stream(pa.py_buffer(body)).read_all()
    table.validate(full=True)
    rows, *columns = table.columns
    if not len(rows) or rows.type != pa.int64() or rows.null_count or any(column.null_count for column in columns):
        raise ValueError("no block of a text")
    numbers = rows.to_numpy()
    if not (np.diff(numbers) > 0).all() or any(column.type != pa.large_string() for column in columns):
        raise ValueError("no block of a text")
    return TextBlock(numbers, columns, tuple(map(int, words["misshapen"])))


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
        sheets.append({"name": name, "delimiter": None, "visible": visible, "head": head, "rows": rows})
    traits = workbook.workbook.traits
    return {
        "done": True,
        "views": sheets,
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
