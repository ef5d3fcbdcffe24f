"""What the parts around an .xlsb's sheets say: the workbook itself, its shared texts, its cell styles."""

import re
import struct
from dataclasses import dataclass, field
from typing import Final

from io_adapters.spreadsheets.workbook.xls_numbers import BUILT_IN_CODES, Shown, shown_as
from io_adapters.spreadsheets.workbook.xls_records import external_pattern
from io_adapters.spreadsheets.workbook.xlsb_records import records, wide_text

_FORMAT: Final = 44
_STYLE: Final = 47
_SHARED_TEXT: Final = 19
_BOOK_PROPERTIES: Final = 153
_BUNDLED_SHEET: Final = 156
_CALCULATION: Final = 157
# Supporting links: to another workbook; to this one, to the sheet the formula is on, to functions of an add-in.
_LINK_OUT: Final = 355
_OWN_LINKS: Final = frozenset({357, 358, 667})
_REFERENCES: Final = 362
_BEGIN_STYLES: Final = 617
_END_STYLES: Final = 618
_REFERENCE: Final = struct.Struct("<Iii")


@dataclass(frozen=True, slots=True)
class BundledSheet:
    """A sheet, as the workbook lists it: its name, whether it is shown, and the relation to its part."""

    name: str
    visible: bool
    relation: str


@dataclass(slots=True)
class Book:
    """What the workbook part says.

    Attributes:
        sheets: Its sheets, in order, those of charts and macros among them.
        date_1904: It counts days from 1904.
        stale: It asks to be calculated again on opening, or is calculated only when someone says so.
        external: Finds a reference to another workbook in a parsed formula; None when there can be none.
    """

    sheets: list[BundledSheet] = field(default_factory=list)
    date_1904: bool = False
    stale: bool = False
    external: re.Pattern[bytes] | None = None


def read_book(part: bytes) -> Book:
    """Read the workbook part.

    Raises:
        struct.error, IndexError, UnicodeDecodeError: it is damaged.
    """
    book = Book()
    links: list[int] = []
    for kind, body in records(part):
        if kind == _BUNDLED_SHEET:
            relation, end = wide_text(body, 8)
            book.sheets.append(BundledSheet(wide_text(body, end)[0], not any(body[:4]), relation))
        elif kind == _BOOK_PROPERTIES:
            book.date_1904 = bool(body[0] & 1)
        elif kind == _CALCULATION:
            # Only when someone says so, or on opening.
            book.stale = not any(body[4:8]) or bool(body[24] & 1)
        elif kind == _LINK_OUT or kind in _OWN_LINKS:
            links.append(kind)
        elif kind == _REFERENCES:
            (count,) = struct.unpack_from("<I", body)
            references = _REFERENCE.iter_unpack(body[4 : 4 + _REFERENCE.size * count])
            book.external = external_pattern([link for link, _, _ in references], links, _OWN_LINKS)
    return book


def read_texts(part: bytes) -> list[str]:
    """Read the texts that cells share; how they look and are pronounced is left out.

    Raises:
        struct.error, IndexError, UnicodeDecodeError: they are damaged.
    """
    return [wide_text(body, 1)[0] for kind, body in records(part) if kind == _SHARED_TEXT]


def read_styles(part: bytes) -> list[Shown]:
    """Tell as what each cell style shows a number.

    Raises:
        struct.error, IndexError, UnicodeDecodeError: the styles are damaged.
    """
    codes = dict(BUILT_IN_CODES)
    styles: list[Shown] = []
    of_cells = False
    for kind, body in records(part):
        if kind == _FORMAT:
            codes[struct.unpack_from("<H", body)[0]] = wide_text(body, 2)[0]
        elif kind in (_BEGIN_STYLES, _END_STYLES):
            of_cells = kind == _BEGIN_STYLES
        elif kind == _STYLE and of_cells:
            styles.append(shown_as(codes.get(struct.unpack_from("<H", body, 2)[0], "General")))
    return styles
