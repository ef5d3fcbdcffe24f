"""Writes small .xls files record by record, for what no program at hand can be made to write.

An OLE file (the stream of a workbook, and whatever names are wanted beside it) around BIFF8 records: type and length,
two bytes each, then the body. See [MS-CFB] 2.2 and 2.6, [MS-XLS] 2.4.
"""

import struct
from collections.abc import Sequence

_SECTOR = 512
_END, _FREE, _IS_TABLE = -2, -1, -3


def record(kind: int, body: bytes = b"") -> bytes:
    return struct.pack("<HH", kind, len(body)) + body


def beginning(sheet: bool = False, version: int = 0x0600) -> bytes:
    return record(0x0809, struct.pack("<HHHHII", version, 0x10 if sheet else 5, 0x0DBB, 0x07CC, 0, 0))


END = record(0x000A)


def excel_95(rows: Sequence[Sequence[str | float]], *, locked: bool = False) -> bytes:
    """Return the stream of a workbook of Excel 95 with one sheet: BIFF5, whose texts have one byte a character."""
    begin, sheet = (record(0x0809, struct.pack("<HHHH", 0x0500, kind, 0x0DBB, 0x07CC)) for kind in (0x05, 0x10))
    for row, values in enumerate(rows):
        for column, value in enumerate(values):
            if isinstance(value, float):
                sheet += number(row, column, value)
            else:
                text = value.encode("cp1252")
                sheet += record(0x0204, struct.pack("<HHHH", row, column, 0, len(text)) + text)
    head = begin + (record(0x002F, b"\0" * 4) if locked else b"") + record(0x0042, struct.pack("<H", 1252))
    offset = len(head) + 4 + 7 + len("Folha") + len(END)
    return head + record(0x0085, struct.pack("<IBBB", offset, 0, 0, 5) + b"Folha") + END + sheet + END


LOCKED = record(0x002F, b"\0" * 6)


def label(row: int, column: int, text: str, style: int = 0) -> bytes:
    return record(0x0204, struct.pack("<HHHHB", row, column, style, len(text), 1) + text.encode("utf-16-le"))


def number(row: int, column: int, value: float, style: int = 0) -> bytes:
    return record(0x0203, struct.pack("<HHHd", row, column, style, value))


def error(row: int, column: int, code: int) -> bytes:
    return record(0x0205, struct.pack("<HHHBB", row, column, 0, code, 1))


def formula(row: int, column: int, result: float | str | None) -> bytes:
    """A formula with a number, a text (its record follows) or an empty text for a result."""
    if result is None:
        told = b"\x03\0\0\0\0\0\xff\xff"
    elif isinstance(result, str):
        told = b"\0\0\0\0\0\0\xff\xff"
    else:
        told = struct.pack("<d", result)
    body = struct.pack("<HHH8sHIH", row, column, 0, told, 0, 0, 3) + b"\x1e\1\0"
    text = (
        record(0x0207, struct.pack("<HB", len(result), 1) + result.encode("utf-16-le"))
        if isinstance(result, str)
        else b""
    )
    return record(0x0006, body) + text


def workbook(
    sheets: Sequence[tuple[str, bytes]],
    *,
    formats: Sequence[str] = (),
    states: Sequence[int] = (),
    kinds: Sequence[int] = (),
    version: int = 0x0600,
) -> bytes:
    """Return the stream of a workbook.

    Args:
        sheets: Name and records of each, without those that begin and end it.
        formats: Number formats; cell style 0 is plain, style n has the n-th of these.
        states: 0 shown, 1 hidden, 2 very hidden; shown where left out.
        kinds: 0 worksheet, 1 macro sheet; worksheet where left out.
        version: Of the records; 0x0500 is Excel 95.
    """
    head = beginning(version=version)
    for place, code in enumerate(formats):
        head += record(0x041E, struct.pack("<HHB", 164 + place, len(code), 1) + code.encode("utf-16-le"))
    for place in range(len(formats) + 1):
        head += record(0x00E0, struct.pack("<HHHBBBBIIH", 0, 163 + place if place else 0, 0, 0, 0, 0, 0xFC, 0, 0, 0))
    names = [name.encode("utf-16-le") for name, _ in sheets]
    offset = len(head) + sum(4 + 8 + len(name) for name in names) + len(END)
    bodies = [beginning(sheet=True) + body + END for _, body in sheets]
    for place, (name, body) in enumerate(zip(names, bodies, strict=True)):
        state, kind = [*states, *[0] * len(sheets)][place], [*kinds, *[0] * len(sheets)][place]
        head += record(0x0085, struct.pack("<IBBBB", offset, state, kind, len(name) // 2, 1) + name)
        offset += len(body)
    return head + END + b"".join(bodies)


def ole_file(stream: bytes, *, name: str = "Workbook", beside: Sequence[str] = ()) -> bytes:
    """Wrap a stream; `beside` are names of empty storages next to it."""
    stream = stream.ljust(4096, b"\0")
    sectors = -(-len(stream) // _SECTOR)
    folders = -(-(2 + len(beside)) // 4)
    # The table of sectors, the directory, the stream.
    follows = [_IS_TABLE]
    for length in (folders, sectors):
        follows += [*range(len(follows) + 1, len(follows) + length), _END]
    table = struct.pack("<128i", *follows, *[_FREE] * (128 - len(follows)))
    header = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(16) + struct.pack("<HHHHH6x", 0x3E, 3, 0xFFFE, 9, 6)
    header += struct.pack("<iiiiiiiiii", 0, 1, 1, 0, 4096, _END, 0, _END, 0, 0) + struct.pack("<108i", *[_FREE] * 108)
    entries = _entry("Root Entry", 5, child=1) + _entry(name, 2, 2 if beside else _FREE, 1 + folders, len(stream))
    for place, storage in enumerate(beside, 2):
        entries += _entry(storage, 1, place + 1 if place < len(beside) + 1 else _FREE)
    return header + table + entries.ljust(folders * _SECTOR, b"\0") + stream.ljust(sectors * _SECTOR, b"\0")


def _entry(name: str, kind: int, right: int = _FREE, start: int = 0, size: int = 0, child: int = _FREE) -> bytes:
    written = name.encode("utf-16-le") + b"\0\0"
    links = struct.pack("<64sHBBiii", written, len(written), kind, 1, _FREE, right, child)
    return links + bytes(36) + struct.pack("<iQ", start if kind == 2 else _END, size)
