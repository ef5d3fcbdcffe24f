"""What no library tells of an .xls: its formulas, which of them were ever calculated, and which look elsewhere.

The stream is a sequence of records: type and length, two bytes each, then the body ([MS-XLS] 2.1.4).
"""

import itertools
import re
import struct
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Final

from io_adapters.spreadsheets.workbook.sheets import Refused

_BOF: Final = 0x0809
_EOF: Final = 0x000A
_FILE_PASS: Final = 0x002F
_BOUND_SHEET: Final = 0x0085
_SUP_BOOK: Final = 0x01AE
_EXTERN_SHEET: Final = 0x0017
_FORMULA: Final = 0x0006
_ARRAY: Final = 0x0221
_UNCALCED: Final = 0x005E
_CALC_MODE: Final = 0x000D
_HEADER: Final = struct.Struct("<HH")
_FORMULA_BODY: Final = struct.Struct("<HHH8sHIH")
_ARRAY_BODY: Final = struct.Struct("<HHBBHIH")
_BIFF8: Final = 0x0600
_WORKSHEET: Final = 0
_MACRO_SHEET: Final = 1
# Links of a workbook to itself, to functions of an add-in, and to the sheet the formula is on ([MS-XLS] 2.4.271).
_OWN_LINKS: Final = frozenset({0x0401, 0x3A01, 0x0001})
# A result that is no number ends in FFFF and begins with its kind.
_NO_NUMBER: Final = b"\xff\xff"
_ERROR_RESULT: Final = 2
_EMPTY_RESULT: Final = 3
_ALWAYS_CALCULATE: Final = 1


@dataclass(frozen=True, slots=True)
class BoundSheet:
    """A worksheet, as the workbook lists it.

    Attributes:
        offset: Of its records in the stream.
        visible: Whether it is shown.
    """

    offset: int
    visible: bool


@dataclass(frozen=True, slots=True)
class Globals:
    """What the stream says of the workbook as a whole.

    Attributes:
        worksheets: In order; charts and macro sheets are none.
        macro_sheets: There are macros of the kind older than Visual Basic.
        external: Finds a reference to another workbook in a formula; None when there can be none.
    """

    worksheets: tuple[BoundSheet, ...]
    macro_sheets: bool
    external: re.Pattern[bytes] | None


@dataclass(slots=True)
class Formulas:
    """The formulas of a sheet.

    Attributes:
        places: (row, column), both from 0, of the formulas whose result is no error.
        vacant: Those of them whose result is an empty text, or a zero that is to be calculated yet.
        external: Of the formulas that look into another workbook, whatever their result.
        stale: They were not calculated again before the file was saved, or are calculated only when someone says so.
    """

    places: set[tuple[int, int]] = field(default_factory=set)
    vacant: set[tuple[int, int]] = field(default_factory=set)
    external: set[tuple[int, int]] = field(default_factory=set)
    stale: bool = False


def read_globals(stream: bytes) -> Globals:
    """Read the records before the first sheet.

    Raises:
        Refused: the workbook is locked by a password, or older than Excel 97.
        struct.error, IndexError: it is damaged.
    """
    kind, body = next(_records(stream, 0))
    if kind != _BOF or struct.unpack_from("<H", body)[0] != _BIFF8:
        raise Refused("FILE_CORRUPT")
    worksheets: list[BoundSheet] = []
    links: list[int] = []
    references: list[int] = []
    macro_sheets = False
    for kind, body in _records(stream, 0):
        if kind == _FILE_PASS:
            raise Refused("FILE_ENCRYPTED")
        if kind == _BOUND_SHEET:
            offset, state, sheet_kind = struct.unpack_from("<IBB", body)
            macro_sheets = macro_sheets or sheet_kind == _MACRO_SHEET
            if sheet_kind == _WORKSHEET:
                worksheets.append(BoundSheet(offset, not state & 3))
        elif kind == _SUP_BOOK:
            links.append(struct.unpack_from("<HH", body)[1])
        elif kind == _EXTERN_SHEET:
            references += (link for link, _, _ in struct.iter_unpack("<HHH", body[2 : 2 + len(body[2:]) // 6 * 6]))
    return Globals(tuple(worksheets), macro_sheets, external_pattern(references, links, _OWN_LINKS))


def external_pattern(references: Sequence[int], links: Sequence[int], own: Collection[int]) -> re.Pattern[bytes] | None:
    """Return what finds a reference to another workbook in a parsed formula; None when there can be none.

    Bytes of a constant may look the same; then a formula is taken for external that is not, never the other way round.

    Args:
        references: What formulas refer to by number, each as the position of its link.
        links: The kind of each link.
        own: The kinds of link that lead to no other workbook.
    """
    places = b"|".join(
        re.escape(struct.pack("<H", place))
        for place, link in enumerate(references)
        if link >= len(links) or links[link] not in own
    )
    # A name, a cell, an area, and the latter two when what they referred to is gone: each in three classes of value.
    return re.compile(rb"[\x39-\x3d\x59-\x5d\x79-\x7d](?:" + places + rb")", re.DOTALL) if places else None


def read_formulas(stream: bytes, offset: int, external: re.Pattern[bytes] | None) -> Formulas:
    """Read the formulas of a sheet.

    Raises:
        struct.error: it is damaged.
    """
    formulas = Formulas()
    for kind, body in _records(stream, offset):
        if kind == _FORMULA:
            row, column, _, result, flags, _, _ = _FORMULA_BODY.unpack_from(body)
            place = row, column
            if external is not None and external.search(body, _FORMULA_BODY.size):
                formulas.external.add(place)
            if result[6:] != _NO_NUMBER or result[0] != _ERROR_RESULT:
                formulas.places.add(place)
            if _is_vacant(result, flags):
                formulas.vacant.add(place)
        elif kind == _ARRAY:
            if external is not None and external.search(body, _ARRAY_BODY.size):
                top, bottom, left, right, *_ = _ARRAY_BODY.unpack_from(body)
                formulas.external.update(itertools.product(range(top, bottom + 1), range(left, right + 1)))
        elif kind == _UNCALCED or (kind == _CALC_MODE and not any(body)):
            formulas.stale = True
    return formulas


def _is_vacant(result: bytes, flags: int) -> bool:
    if result[6:] == _NO_NUMBER:
        return result[0] == _EMPTY_RESULT
    return bool(flags & _ALWAYS_CALCULATE) and not any(result)


def _records(stream: bytes, offset: int) -> Iterator[tuple[int, bytes]]:
    """Yield type and body of each record of a substream, those of charts within a sheet aside."""
    depth = 0
    unpack, end = _HEADER.unpack_from, len(stream)
    while offset < end:
        kind, size = unpack(stream, offset)
        offset += 4
        if kind == _BOF:
            depth += 1
        elif kind == _EOF:
            depth -= 1
            if not depth:
                return
        if depth == 1:
            yield kind, stream[offset : offset + size]
        offset += size
    raise Refused("FILE_CORRUPT")
