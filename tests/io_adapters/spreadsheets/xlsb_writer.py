"""Writes small .xlsb files record by record, since no program at hand writes them; LibreOffice reads them.

A package as that of an .xlsx, whose parts are records: type and length, seven bits a byte, then the body. See [MS-XLSB]
2.1.4 and, for each record, 2.4.
"""

import io
import struct
import zipfile
from collections.abc import Mapping, Sequence

_RELATIONS = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_TYPES = "application/vnd.ms-excel."


def record(kind: int, body: bytes = b"") -> bytes:
    told = bytes([kind]) if kind < 0x80 else bytes([kind & 0x7F | 0x80, kind >> 7])
    size = len(body)
    while size >= 0x80:
        told += bytes([size & 0x7F | 0x80])
        size >>= 7
    return told + bytes([size]) + body


def wide(text: str) -> bytes:
    written = text.encode("utf-16-le")
    return struct.pack("<I", len(written) // 2) + written


def row(number: int, *cells: bytes) -> bytes:
    """A row, counted from 0, and its cells."""
    head = struct.pack("<IIHBBBI", number, 0, 300, 0, 0, 0, 0)
    return record(0, head) + b"".join(cells)


def _cell(column: int, style: int) -> bytes:
    return struct.pack("<II", column, style)


def whole(column: int, number: int, *, hundredths: bool = False) -> bytes:
    """A whole number, or its hundredth, packed into four bytes."""
    return record(2, _cell(column, 0) + struct.pack("<i", number << 2 | 2 | hundredths))


def short(column: int, number: float, style: int = 0, *, hundredths: bool = False) -> bytes:
    """A number that the upper half of a double holds, or its hundredth."""
    (upper,) = struct.unpack("<i", struct.pack("<d", number)[4:])
    return record(2, _cell(column, style) + struct.pack("<i", upper & ~3 | hundredths))


def real(column: int, number: float, style: int = 0) -> bytes:
    return record(5, _cell(column, style) + struct.pack("<d", number))


def error(column: int, code: int) -> bytes:
    return record(3, _cell(column, 0) + bytes([code]))


def flag(column: int, *, value: bool) -> bytes:
    return record(4, _cell(column, 0) + bytes([value]))


def text(column: int, value: str) -> bytes:
    return record(6, _cell(column, 0) + wide(value))


def shared(column: int, place: int) -> bytes:
    return record(7, _cell(column, 0) + struct.pack("<I", place))


SEVEN = b"\x1e\7\0"  # the formula =7, parsed


def formula(column: int, result: float | str | bool, parsed: bytes = SEVEN, style: int = 0) -> bytes:
    told = struct.pack("<HI", 0, len(parsed)) + parsed + struct.pack("<I", 0)
    if isinstance(result, bool):
        return record(10, _cell(column, style) + bytes([result]) + told)
    if isinstance(result, str):
        return record(8, _cell(column, style) + wide(result) + told)
    return record(9, _cell(column, style) + struct.pack("<d", result) + told)


def sheet(rows: bytes) -> bytes:
    """The part of a sheet."""
    head = record(129) + record(148, struct.pack("<IIII", 0, 9, 0, 9))
    return head + record(145) + rows + record(146) + record(130)


def package(
    sheets: Mapping[str, bytes],
    *,
    texts: Sequence[str] = (),
    formats: Sequence[str | int] = (),
    states: Sequence[int] = (),
    parts: Mapping[str, bytes] | None = None,
) -> bytes:
    """Return a file.

    Args:
        sheets: Name -> part.
        texts: Shared ones.
        formats: Number formats, or the numbers of built-in ones; cell style 0 is plain, style n has the n-th of these.
        states: 0 shown, 1 hidden, 2 very hidden; shown where left out.
        parts: What replaces parts, or stands beside them.
    """
    listed = b"".join(
        record(
            156,
            struct.pack("<II", [*states, *[0] * len(sheets)][place], place + 1) + wide(f"rId{place + 1}") + wide(name),
        )
        for place, name in enumerate(sheets)
    )
    book = record(131) + record(153, bytes(8) + wide("")) + record(143) + listed + record(144)
    names = {f"rId{place}": ("worksheet", f"worksheets/sheet{place}.bin") for place in range(1, len(sheets) + 1)}
    names |= {"rId100": ("styles", "styles.bin"), "rId101": ("sharedStrings", "sharedStrings.bin")}
    members = {
        "[Content_Types].xml": _content_types(len(sheets)),
        "_rels/.rels": _relations({"rId1": ("officeDocument", "xl/workbook.bin")}),
        "xl/workbook.bin": book + record(132),
        "xl/_rels/workbook.bin.rels": _relations(names),
        "xl/styles.bin": _styles(formats),
        "xl/sharedStrings.bin": _shared_texts(texts),
        **{f"xl/worksheets/sheet{place}.bin": part for place, part in enumerate(sheets.values(), 1)},
        **(parts or {}),
    }
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, content in members.items():
            archive.writestr(name, content)
    return packed.getvalue()


def _shared_texts(texts: Sequence[str]) -> bytes:
    items = b"".join(record(19, b"\0" + wide(value)) for value in texts)
    return record(159, struct.pack("<II", len(texts), len(texts))) + items + record(160)


def _styles(formats: Sequence[str | int]) -> bytes:
    custom = [(164 + place, code) for place, code in enumerate(formats) if isinstance(code, str)]
    numbers = [0, *(code if isinstance(code, int) else 164 + place for place, code in enumerate(formats))]
    written = b"".join(record(44, struct.pack("<H", number) + wide(code)) for number, code in custom)
    # A font, two fills and a border have to be there, whatever they are; LibreOffice asks for no more.
    font = record(
        43, struct.pack("<HHHHBBBB", 220, 0, 400, 0, 0, 2, 0, 0) + b"\7\1\0\0\0\0\0\xff" + b"\2" + wide("Calibri")
    )
    looks = [
        record(47, struct.pack("<HHHHHBBHH", 0, number, 0, 0, 0, 0, 0, 0x1010, 1 if number else 0))
        for number in numbers
    ]
    return b"".join(
        (
            record(278),
            record(615, struct.pack("<I", len(custom))) + written + record(616),
            record(611, struct.pack("<I", 1)) + font + record(612),
            record(626, struct.pack("<I", 1)) + record(47, b"\xff\xff" + bytes(14)) + record(627),
            record(617, struct.pack("<I", len(looks))) + b"".join(looks) + record(618),
            record(279),
        )
    )


def _content_types(sheets: int) -> bytes:
    kinds = {f"/xl/worksheets/sheet{place}.bin": "worksheet" for place in range(1, sheets + 1)}
    kinds |= {"/xl/styles.bin": "styles", "/xl/sharedStrings.bin": "sharedStrings"}
    told = "".join(f'<Override PartName="{part}" ContentType="{_TYPES}{kind}"/>' for part, kind in kinds.items())
    return (
        f'<Types xmlns="{_PACKAGE}/content-types">'
        f'<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>'
        f'<Default Extension="bin" ContentType="{_TYPES}sheet.binary.macroEnabled.main"/>{told}</Types>'
    ).encode()


def _relations(targets: Mapping[str, tuple[str, str]]) -> bytes:
    told = "".join(
        f'<Relationship Id="{name}" Type="{_RELATIONS}/{kind}" Target="{target}"/>'
        for name, (kind, target) in targets.items()
    )
    return f'<Relationships xmlns="{_PACKAGE}/relationships">{told}</Relationships>'.encode()
