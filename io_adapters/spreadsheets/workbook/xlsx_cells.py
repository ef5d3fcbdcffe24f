"""Cells of a sheet's XML that calamine gets wrong or leaves out, in one pass."""

import functools
import math
import operator
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Final, NamedTuple
from xml.parsers import expat

from defusedxml import DTDForbidden

from io_adapters.spreadsheets.workbook.looks import NO_LOOKS, StyledCell, StyleLooks
from io_adapters.spreadsheets.workbook.sheets import ExactCell
from schemas.sheet_cells import CellKind

_PART: Final = re.compile(r'"[^"]*"|[\\_*].|\[[^\]]*\]|.', re.DOTALL)
_CONDITION: Final = re.compile(r"\[(<=|>=|<>|<|>|=)([0-9]{1,15})\]")
# Colours, and a language without a currency; what else stands in brackets counts time or names a currency.
_HARMLESS_BRACKET: Final = re.compile(r"\[(?:[A-Za-z]{3,}[0-9]{0,2}|\$-[0-9A-Fa-f]+)\]")
_TIME_BRACKET: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    "<=": operator.le, ">=": operator.ge, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
_BARE_MARKS: Final = frozenset("-/ ()+:")
_MOST_DIGITS: Final = 20


class _Section(NamedTuple):
    """One of the up to four parts of a format."""

    applies: Callable[[int], bool] | None
    digits: int


class Mask(NamedTuple):
    sections: tuple[_Section, ...]

    def digits(self, number: int) -> int:
        """Return how many digits a number from 0 on is shown with at the least; 0 where the format does not say.

        >>> mask_of('[<=99999999999]000"."000"."000-00;00"."000"."000"/"0000-00').digits(10**12)
        14
        """
        conditional = any(section.applies for section in self.sections)
        if conditional:
            fitting = (section for section in self.sections[:3] if section.applies is None or section.applies(number))
            return next(fitting, _Section(None, 0)).digits
        which = 2 if number == 0 and len(self.sections) > 2 else 0
        return self.sections[which].digits


def mask_of(code: str) -> Mask | None:
    """Read a format code; None when no part of it is a row of zeros.

    >>> mask_of("00000000000").digits(191), mask_of("0.00"), mask_of("#,##0"), mask_of("0")
    (11, None, None, None)
    """
    sections: list[list[str]] = [[]]
    for part in _PART.findall(code):
        if part == ";":
            sections.append([])
        else:
            sections[-1].append(part)
    read = tuple(map(_section, sections))
    return Mask(read) if any(section.digits for section in read) else None


def _section(parts: list[str]) -> _Section:
    condition = next((found for part in parts if (found := _CONDITION.fullmatch(part))), None)
    applies = None
    if condition:
        compare, bound = _COMPARE[condition[1]], int(condition[2])
        applies = lambda number: compare(number, bound)  # noqa: E731
    shown = "".join(map(_shown, parts))
    # A comma between zeros groups them; behind the last one it would divide by a thousand.
    digits = shown.count("0") if re.fullmatch(r"-*0(?:[-0,]*0)?-*", shown) else 0
    return _Section(applies, digits if 1 < digits <= _MOST_DIGITS else 0)


def _shown(part: str) -> str:
    """Return what a part of a section stands for: "0" a digit, "," the groups of thousands, "-" any mark, "?" else."""
    if part in {"0", ","}:
        return part
    if part in _BARE_MARKS:
        return "-"
    if part[0] in {'"', "\\", "_", "*"} and len(part) > 1:
        return "?" if any(mark.isdigit() for mark in part) else "-"
    if _CONDITION.fullmatch(part) or (_HARMLESS_BRACKET.fullmatch(part) and not _TIME_BRACKET.fullmatch(part)):
        return ""
    return "?"


def shows_percent(code: str) -> bool:
    return "%" in re.sub(r'"[^"]*"|\\.', "", code)


_CURRENCY: Final = re.compile(r"\[\$([^\]-]+)")
_FOREIGN: Final = re.compile(r"\$|€|£|¥|\b(?:USD|EUR|GBP|ARS|MXN|CLP|CAD|CHF|JPY)\b")
_SCALED: Final = re.compile(r"[0#?],+(?![0#?,])")


def shows_otherwise(code: str) -> bool:
    """Tell whether a format shows a number in a foreign currency, or as thousandths of itself.

    >>> [shows_otherwise(code) for code in ('[$$-409]#,##0.00', '"US$ "0.00', '[$R$-416]#,##0.00', '"R$" 0.00', '0.0,')]
    [True, True, False, False, True]
    """
    written = "".join(part.strip('"').lstrip("\\") for part in _PART.findall(code) if part[0] in '"\\$€£¥')
    written += " ".join(_CURRENCY.findall(code))
    bare = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", code)
    return _FOREIGN.search(written.replace("R$", "").replace("BRL", "")) is not None or _SCALED.search(bare) is not None


@dataclass(frozen=True, slots=True)
class CellStyles:
    """The cell styles of a workbook under which a number is not seen as it is stored, or a text is crossed out."""

    percent: frozenset[int] = frozenset()
    masks: Mapping[int, Mask] = field(default_factory=dict)
    otherwise: frozenset[int] = frozenset()
    struck: frozenset[int] = frozenset()
    looks: StyleLooks = NO_LOOKS


_DIGITS: Final = "0123456789"
# Another workbook is named by its number in the package, [1]Sheet!A1, or as '[name.xlsx]Sheet'!A1. Square brackets
# alone are no sign of one: Table1[Amount] is a column of this workbook.
_EXTERNAL: Final = re.compile(r"(?:(?<![\w\]])\[\d+\]|\[[^\[\]]+\.\w+\])(?:[\w.:]*|[^'\[\]]*')!")
_TRUE: Final = frozenset({"1", "true"})
# From here on whole numbers have more digits than a double is sure to keep.
_PRECISE: Final = 10**15


class CellReader:
    """Handlers of the XML parser; there are millions of cells, so each does as little as it can.

    Rows and columns count from 0.
    """

    def __init__(self, styles: CellStyles) -> None:
        self.cells: dict[tuple[int, int], ExactCell] = {}
        self.last_row = self.last_column = -1
        self.formulas: list[tuple[int, int]] = []
        self.external: list[tuple[int, int]] = []
        self.zeros: list[tuple[int, int, int]] = []
        self.shown_otherwise: list[tuple[int, int]] = []
        self.struck: list[tuple[int, int]] = []
        self.styled: list[StyledCell] = []
        self.hidden_rows: list[int] = []
        self.hidden_columns: list[tuple[int, int]] = []
        self._percent = {str(style) for style in styles.percent}
        self._masks = {str(style): mask for style, mask in styles.masks.items()}
        self._otherwise = {str(style) for style in styles.otherwise}
        self._struck = {str(style) for style in styles.struck}
        self._looks = {str(style) for style in styles.looks.styles}
        self._row = self._column = -1
        self._row_text = ""
        self._cell: dict[str, str] = {}
        self._texts: list[str] = []
        self._value = ""
        self._is_formula = self._is_filled = self._is_external = False
        self._shared: str | None = None
        self._shared_external: set[str | None] = set()
        self._parser = expat.ParserCreate()
        self._parser.buffer_text = True
        self._parser.StartDoctypeDeclHandler = _refuse_doctype
        self._parser.StartElementHandler = self._open_root

    def read(self, pieces: Iterable[bytes]) -> None:
        """Read a whole sheet.

        Raises:
            xml.parsers.expat.ExpatError: it is not well-formed XML.
            DTDForbidden: it declares a document type.
            ValueError: a number or a reference is none.
        """
        for piece in pieces:
            self._parser.Parse(piece, False)  # noqa: FBT003  # expat takes no keywords
        self._parser.Parse(b"", True)  # noqa: FBT003

    def _open_root(self, name: str, _: dict[str, str]) -> None:
        # Some programs write <x:c> for <c>; the root tells.
        prefix = name[: name.rfind(":") + 1]
        tags = ("row", "c", "v", "f", "col")
        self._row_tag, self._cell_tag, self._value_tag, self._formula_tag, self._columns_tag = (
            prefix + t for t in tags
        )
        self._parser.StartElementHandler = self._open
        self._parser.EndElementHandler = self._close
        self._parser.CharacterDataHandler = self._texts.append

    def _open(self, name: str, attributes: dict[str, str]) -> None:
        if name == self._cell_tag:
            self._cell, self._value = attributes, ""
            self._is_formula = self._is_filled = False
            reference = attributes.get("r")
            # It may be left out; then cells follow on.
            self._column = self._column + 1 if reference is None else self._column_of(reference)
        elif name == self._row_tag:
            self._open_row(attributes)
        elif name == self._columns_tag:
            if attributes.get("hidden") in _TRUE or _is_nought(attributes.get("width")):
                self.hidden_columns.append((int(attributes["min"]) - 1, int(attributes["max"]) - 1))
        else:
            self._is_filled = True
            self._texts.clear()
            if name == self._formula_tag:
                self._is_formula = True
                # A shared formula is written out once; the others only bear its number.
                self._shared = attributes.get("si")
                self._is_external = self._shared in self._shared_external

    def _column_of(self, reference: str) -> int:
        if not reference.endswith(self._row_text):
            raise ValueError("a cell stands in another's row")
        return column_number(reference[: -len(self._row_text)]) - 1

    def _open_row(self, attributes: dict[str, str]) -> None:
        self._row = int(attributes.get("r", self._row + 2)) - 1
        self._row_text = str(self._row + 1)
        self._column = -1
        if attributes.get("hidden") in _TRUE or _is_nought(attributes.get("ht")):
            self.hidden_rows.append(self._row)

    def _close(self, name: str) -> None:
        if name == self._value_tag:
            self._value = "".join(self._texts)
        elif name == self._cell_tag:
            if self._is_filled:
                self._close_cell()
        elif name == self._formula_tag and _EXTERNAL.search("".join(self._texts)):
            self._is_external = True
            if self._shared is not None:
                self._shared_external.add(self._shared)

    def _close_cell(self) -> None:
        row, column = place = self._row, self._column
        self.last_row = max(self.last_row, row)
        self.last_column = max(self.last_column, column)
        kind, style = self._cell.get("t", "n"), self._cell.get("s")
        if style in self._struck:
            self.struck.append(place)
        if style in self._looks:
            self.styled.append(StyledCell(row, column, int(style or 0)))
        if style in self._otherwise and kind == "n":
            self.shown_otherwise.append(place)
        cell = self._exact(kind, style)
        if cell is not None:
            self.cells[place] = cell
        if self._is_formula:
            if self._is_external:
                self.external.append(place)
            if cell is None or cell.kind is CellKind.NUMBER:
                self.formulas.append(place)

    def _exact(self, kind: str, style: str | None) -> ExactCell | None:
        value = self._value
        if kind == "e":
            return ExactCell(value or "#ERROR!", CellKind.ERROR)
        if self._is_formula and not value and kind != "str":
            return ExactCell("", CellKind.FORMULA_WITHOUT_VALUE)
        if kind != "n" or not value:
            return None
        if style in self._percent:
            return _percentage(float(value))
        if style in self._masks:
            self._note_zeros(self._masks[style], float(value))
        return _long_number(value) if len(value) > 15 else None

    def _note_zeros(self, mask: Mask, number: float) -> None:
        if number.is_integer() and 0 <= number < _PRECISE:
            digits = mask.digits(int(number))
            if digits > len(str(int(number))):
                self.zeros.append((self._row, self._column, digits))


_TEXT: Final = rb"(?:[^<>&\x00-\x08\x0b\x0c\x0e-\x1f\xef]|&(?:amp|lt|gt|quot|apos);|\xef(?!\xbf[\xbe\xbf]))*+"
_NUMBER: Final = rb"-?[0-9]{1,15}(?:\.[0-9]{1,20})?(?:[Ee][+-]?[0-9]{1,3})?"
_CELL: Final = rb"""<c\ r="[A-Z]{1,3}\1"(?:
    (?:%(style)s(?:\ t="n")?><v>%(number)s</v>
    |%(style)s\ t="s"><v>[0-9]{1,9}</v>|%(style)s\ t="b"><v>[01]</v>
    |%(style)s\ t="inlineStr"><is><t(?:\ xml:space="preserve")?>%(text)s</t></is>)</c>
    |(?:\ s="[0-9]{1,5}")?(?:\ t="(?:n|s|inlineStr)")?(?:\ ?/>|></c>))"""
_ROW: Final = rb"""<row\ r="([1-9][0-9]{0,6})"(?:\ spans="[0-9:\ ]+")?(?:\ s="[0-9]+")?(?:\ customFormat="[a-z01]+")?
    (?:\ ht="[1-9][0-9.]*")?(?:\ hidden="(?:0|false)")?(?:\ customHeight="[a-z01]+")?(?:\ outlineLevel="[0-9]")?
    (?:\ collapsed="[a-z01]+")?(?:\ thickTop="1")?(?:\ thickBot="1")?(?:\ x14ac:dyDescent="[0-9.]+")?
    (?:\ ?/>|>(?:%(cell)s)*+</row>)"""
# UTF-8, as a declaration says or as there is none.
_START: Final = re.compile(rb"(?:\xef\xbb\xbf)?(?:<\?xml(?:(?!encoding)[^>])*(?:encoding=.(?i:utf-8)[^>]*)?\?>)?\s*<\w")
_ROWS_BEGIN, _ROWS_END = b"<sheetData>", b"</sheetData>"
_ROW_NUMBER: Final = re.compile(rb'<row r="([0-9]+)"')
_WIDE_COLUMN: Final = re.compile(rb'<c r="([A-Z]{2,3})[0-9]')


@dataclass(frozen=True, slots=True)
class PlainRows:
    """A sheet whose cells are all plain: nothing in them that a `CellReader` would note."""

    around: bytes
    height: int
    width: int


def plain_rows(content: bytes, styles: CellStyles) -> PlainRows | None:
    """Take the rows of a sheet out, where every one of them is spelt as the usual programs spell plain cells.

    It proves that nothing else is there, and looks for nothing: an error, a formula, a hidden row, a style under which
    a number is seen otherwise or a text is crossed out, a comment, and whatever nobody has thought of, is no plain
    cell. Then all of the sheet has to be read by a parser.
    """
    begin, end = content.find(_ROWS_BEGIN) + len(_ROWS_BEGIN), content.find(_ROWS_END)
    if begin < len(_ROWS_BEGIN) or end < begin or not _START.match(content):
        return None
    if _rows_with(styles).fullmatch(content, begin, end) is None or not _is_utf_8(content):
        return None
    around = content[:begin] + content[end:]
    if b"<!" in around:  # a comment, or a document type, which is refused where the whole is read
        return None
    height = max(map(int, _ROW_NUMBER.findall(content, begin, end)), default=0)
    wide = {column_number(letters.decode()) for letters in set(_WIDE_COLUMN.findall(content, begin, end))}
    return PlainRows(around, height, max(wide, default=26))


def _rows_with(styles: CellStyles) -> re.Pattern[bytes]:
    special = sorted({*styles.percent, *styles.masks, *styles.otherwise, *styles.struck})
    others = rb'(?!(?:%s)")' % b"|".join(b"%d" % style for style in special) if special else b""
    cell = _CELL % {b"style": rb'(?:\ s="%s[0-9]{1,5}")?' % others, b"number": _NUMBER, b"text": _TEXT}
    return re.compile(rb"(?:%s)*+" % (_ROW % {b"cell": cell}), re.VERBOSE)


def _is_utf_8(content: bytes) -> bool:
    try:
        return content.isascii() or bool(content.decode())
    except UnicodeDecodeError:
        return False


def plain_styled(content: bytes, styles: Collection[int]) -> Iterator[StyledCell]:
    """Yield the cells of plain rows that have one of these styles."""
    if styles:
        wanted = re.compile(rb'<c r="([A-Z]+)([0-9]+)" s="(%s)"' % b"|".join(b"%d" % style for style in sorted(styles)))
        for letters, row, style in (found.groups() for found in wanted.finditer(content)):
            yield StyledCell(int(row) - 1, column_number(letters.decode()) - 1, int(style))


@functools.cache
def column_number(letters: str) -> int:
    """Return a column's number, from 1.

    Raises:
        ValueError: these are no letters.

    >>> column_number("A"), column_number("XFD")
    (1, 16384)
    """
    number = 0
    for letter in letters:
        if not "A" <= letter <= "Z":
            raise ValueError("a column is named by capital letters")
        number = number * 26 + ord(letter) - ord("A") + 1
    return number


def _percentage(number: float) -> ExactCell | None:
    if not math.isfinite(number):
        return None
    # Through float, as spreadsheets store 0.3333 as 0.33329999999999999.
    shown = Decimal(repr(number)) * 100
    return ExactCell(format(shown.normalize() + 0, "f") + "%", CellKind.NUMBER)


def _long_number(value: str) -> ExactCell | None:
    """Keep the digits of a whole number as they are written; an identifier in a numeric cell is worth each of them."""
    digits = value.strip().removeprefix("-")
    if digits.isascii() and digits.isdigit() and int(digits) >= _PRECISE:
        return ExactCell(str(int(value)), CellKind.NUMBER)
    return None


def _refuse_doctype(name: str, system: str | None, public: str | None, _: object) -> None:
    raise DTDForbidden(name, system or "", public or "")


def _is_nought(size: str | None) -> bool:
    return size is not None and size.startswith("0")
