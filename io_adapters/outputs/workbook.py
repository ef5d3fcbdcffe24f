"""Workbooks: styles, safe cells (nothing runs), and the same bytes for the same content."""

import datetime as dt
import io
import re
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import count
from typing import Final, NamedTuple

from xlsxwriter import Workbook
from xlsxwriter.chart import Chart
from xlsxwriter.format import Format
from xlsxwriter.worksheet import CellErrorTuple, Worksheet

from io_adapters.outputs.grid import Toned
from schemas.states import Tone

_STARTS_A_FORMULA: Final = "=+-@"
_RUNS_AT_ONCE: Final = "\t\r\n\0"

# What XML 1.0 cannot bear: control characters, halves of surrogate pairs, two non-characters.
_NOT_XML: Final = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")

LONGEST_CELL_TEXT: Final = 32_767


def looks_like_formula(text: str) -> bool:
    """Tell whether a spreadsheet program could take a text for a formula.

    >>> [looks_like_formula(t) for t in ("=1+1", "  @sum", "＝1", "Ana", "10")]
    [True, True, True, False, False]
    """
    if not text:
        return False
    if text[0].isascii() and text[0].isalnum():
        return False
    if text[0] in _RUNS_AT_ONCE:
        return True
    for character in text:
        if unicodedata.category(character)[0] not in "ZC":  # spaces, controls and invisible marks hide what follows
            return unicodedata.normalize("NFKC", character)[0] in _STARTS_A_FORMULA
    return False


def cell_text(text: str) -> str:
    """Return a text as an xlsx cell stores it: what XML cannot bear becomes U+FFFD, the length is Excel's."""
    return (text if text.isprintable() else _NOT_XML.sub("\ufffd", text))[:LONGEST_CELL_TEXT]


def csv_text(text: str) -> str:
    """Return a text as a CSV field that no spreadsheet program runs: a formula gets a leading apostrophe."""
    kept = _NOT_XML.sub("\ufffd", text)
    return f"'{kept}" if looks_like_formula(text) else kept


LONGEST: Final = 31
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def unique_sheet_name(wanted: str, taken: set[str]) -> str:
    """Return a name as near to the one wanted as Excel allows, and add it to those taken.

    >>> unique_sheet_name("Royalties 2026/10", {"royalties 2026_10"})
    'Royalties 2026_10 (2)'
    """
    plain = _cut(_FORBIDDEN.sub("_", wanted).strip("' "), LONGEST).rstrip("' ") or "_"
    for number in count(1):
        suffix = "" if number == 1 else f" ({number})"
        name = _cut(plain, LONGEST - len(suffix)) + suffix
        if name.casefold() not in taken:
            break
    taken.add(name.casefold())
    return name


def _cut(text: str, units: int) -> str:
    """Cut a text as Excel counts: a character beyond U+FFFF is two."""
    return text.encode("utf-16-le", "replace")[: 2 * units].decode("utf-16-le", "ignore")


GENERAL: Final = "General"
TEXT: Final = "@"
MONEY: Final = '#,##0.00;-#,##0.00;"–"'  # each program shows it with the marks of its own language; zero is a dash
PRECISE: Final = "#,##0.000000"
WHOLE: Final = '#,##0;-#,##0;"–"'
MOMENT: Final = "yyyy-mm-dd hh:mm"
MOMENT_PT: Final = "dd/mm/yyyy hh:mm"
ON_THE_LEFT: Final = frozenset({GENERAL, TEXT, MOMENT, MOMENT_PT})

# A spreadsheet number holds fifteen significant digits; what needs more is written as text.
NUMBER_DIGITS: Final = 15
_CREATED: Final = dt.datetime(1980, 1, 1)  # noqa: DTZ001  a constant, not a moment


# Few and light, as RGB.
BACKGROUNDS: Final = {
    Tone.HEADER: "D9E1E8",
    Tone.GOOD: "E2EFDA",
    Tone.MOVING: "DDEBF7",
    Tone.WAITING: "FFF2CC",
    Tone.TROUBLE: "F8D9CF",
    Tone.QUIET: "EDEDED",
}


class Ink(NamedTuple):
    number_format: str = GENERAL
    tone: Tone = Tone.NONE
    bold: bool = False
    size: int = 11
    wrap: bool = False
    right: bool = False
    indent: bool = False
    strike: bool = False


PLAIN: Final = Ink()
HEADER: Final = Ink(tone=Tone.HEADER, bold=True, wrap=True)
NUMBER_HEADER: Final = HEADER._replace(right=True)
TEXT_HEADER: Final = HEADER._replace(indent=True)
HEADING: Final = Ink(bold=True, size=13)
TITLE: Final = Ink(bold=True, size=16)

Value = str | int | Decimal | bool | dt.date | None


class Formula(NamedTuple):
    text: str
    value: int | Decimal | str


class Cell(NamedTuple):
    """A cell to be written."""

    value: Value | Formula
    ink: Ink = PLAIN
    comment: str = ""
    is_error: bool = False


class Linked(NamedTuple):
    text: str
    sheet: str
    cell: str


@dataclass(frozen=True, slots=True)
class Setup:
    """What is said of a sheet before its first row is written."""

    title: str
    widths: Sequence[int]
    header_row: int = 0
    text_columns: frozenset[int] = frozenset()
    folded_columns: frozenset[int] = frozenset()


class Book:
    """A workbook, written from its first sheet to its last, in memory that does not grow with its rows."""

    def __init__(self) -> None:
        self._file = io.BytesIO()
        self._workbook = Workbook(self._file, {"constant_memory": True})
        self._workbook.set_properties({"author": "Repasse", "created": _CREATED})
        self._formats: dict[tuple[Ink, bool], Format] = {}

    def page(self, setup: Setup) -> "Page":
        sheet = self._workbook.add_worksheet(setup.title)
        text = self._workbook.add_format({"num_format": TEXT})
        for position, width in enumerate(setup.widths):
            column_format = text if position + 1 in setup.text_columns else None
            options = _FOLDED if position + 1 in setup.folded_columns else None
            sheet.set_column_pixels(position, position, width * _PIXELS, column_format, options)
        if setup.header_row:
            sheet.freeze_panes(setup.header_row, 0)
            sheet.repeat_rows(setup.header_row - 1)
        sheet.set_landscape()
        sheet.set_paper(9)  # A4
        sheet.fit_to_pages(1, 0)
        sheet.set_margins(left=_MARGIN, right=_MARGIN, top=_MARGIN, bottom=2 * _MARGIN)
        sheet.set_footer("&R&P / &N")
        return Page(self, sheet, setup.widths)

    def add_bars(self, page: "Page", bars: "Bars") -> None:
        chart = self._workbook.add_chart({"type": "bar"})
        first, last = bars.first_row - 1, bars.last_row - 1
        chart.add_series(
            {
                "categories": [bars.title, first, 0, last, 0],
                "values": [bars.title, first, 1, last, 1],
                "points": [{"fill": {"color": f"#{colour}"}} for colour in bars.colours],
                "data_labels": {"value": True, "num_format": "#,##0.00"},
                "gap": 40,
            }
        )
        chart.set_title({"name": bars.heading, "name_font": {"size": 12}, "overlay": False})
        chart.set_legend({"none": True})
        room = {"max": bars.highest * 13 // 10 + 1} if bars.highest > 0 else {}  # for the figures beside the bars
        chart.set_x_axis({"visible": False, "major_gridlines": {"visible": False}} | room)
        chart.set_y_axis({"reverse": True})
        chart.set_size({"width": 560, "height": _ROW_PIXELS * bars.rows})
        page.place(bars.at, chart)

    def remember(self, properties: Mapping[str, str]) -> None:
        # `set_custom_property` adds nothing to this but a warning that quotes what is longer than Excel shows.
        self._workbook.custom_properties += [(name, text, "text") for name, text in properties.items()]

    def format_of(self, ink: Ink, *, quoted: bool = False) -> Format:
        """Return the format of a look; `quoted` marks a cell as text even when a person edits it."""
        known = self._formats.get((ink, quoted))
        if known is None:
            look: dict[str, object] = {"font_name": "Calibri", "font_size": ink.size, "bold": ink.bold}
            look |= {"num_format": ink.number_format, "valign": "top", "text_wrap": ink.wrap, "quote_prefix": quoted}
            look |= {"align": "right"} if ink.right else {}
            look |= {"font_strikeout": True} if ink.strike else {}
            look |= {"align": "left", "indent": 1} if ink.indent else {}
            look |= {"bg_color": f"#{BACKGROUNDS[ink.tone]}"} if ink.tone else {}
            known = self._formats[ink, quoted] = self._workbook.add_format(look)
        return known

    def to_bytes(self) -> bytes:
        """Return the file; the book can take no more sheets then."""
        self._workbook.close()
        return self._file.getvalue()


_MARGIN: Final = 0.35  # inches
_LINE_HEIGHT: Final = 15  # points
_MOST_LINES: Final = 8
_LETTERS_PER_WIDTH: Final = 1.1  # widths are told in digits, which are wider than most letters
_FOLDED: Final = {"level": 1, "hidden": True}
# Of one sheet, as Excel counts them.
_MOST_LINKS: Final = 65_530
_ROW_PIXELS: Final = 20
# Of one character's width.
_PIXELS: Final = 7


class Page:
    def __init__(self, book: Book, sheet: Worksheet, widths: Sequence[int]) -> None:
        self._book = book
        self._sheet = sheet
        self._widths = widths
        self.rows_written = 0
        self._links = 0

    def append(self, cells: Iterable[Cell | None] = ()) -> None:
        """Write the next row; None leaves a cell out."""
        row = list(cells)
        self._make_room(
            self._lines(position, cell.value) for position, cell in enumerate(row) if cell is not None and cell.ink.wrap
        )
        for position, cell in enumerate(row):
            if cell is not None:
                if isinstance(cell.value, Formula):
                    self._compute(position, cell.value, cell.ink)
                else:
                    self._put(position, cell.value, cell.ink)
                if cell.is_error:
                    self._make_error(position, cell)
                if cell.comment:
                    self._comment(position, cell.comment)
        self.rows_written += 1

    def write(self, *values: Value, ink: Ink = PLAIN) -> None:
        self.append(Cell(value, ink) for value in values)

    def write_row(self, row: "Row", inks: Sequence[Ink]) -> None:
        lines = max(
            (self._lines(position, value) for position, value in enumerate(row) if inks[position].wrap), default=1
        )
        if lines > 1:  # not every program makes room for lines by itself
            self._sheet.set_row(self.rows_written, lines * _LINE_HEIGHT)
        for position, (value, ink) in enumerate(zip(row, inks, strict=True)):
            if isinstance(value, Toned):
                self._put(position, value.text, ink._replace(tone=value.tone))
            elif isinstance(value, Linked):
                self._link(position, value, ink)
            elif isinstance(value, Formula):
                self._compute(position, value, ink)
            else:
                self._put(position, value, ink)
        self.rows_written += 1

    def _make_room(self, lines: Iterable[int]) -> None:
        """Make the next row as high as its longest text needs; not every program does so by itself."""
        if (most := max(lines, default=1)) > 1:
            self._sheet.set_row(self.rows_written, most * _LINE_HEIGHT)

    def _lines(self, position: int, value: object) -> int:
        text = value.text if isinstance(value, Toned | Linked) else value
        if not isinstance(text, str):
            return 1
        fitting = self._widths[position] * _LETTERS_PER_WIDTH
        return min(_MOST_LINES, sum(1 + int(len(line) / fitting) for line in text.split("\n")))

    def _put(self, position: int, value: Value, ink: Ink) -> None:
        """Write a cell. Text is text whatever it begins with; a number that would lose digits becomes text."""
        row, sheet = self.rows_written, self._sheet
        if isinstance(value, Decimal) and has_too_many_digits(value):
            value = f"{value:f}"
        if not value and isinstance(value, str | None):
            if ink != PLAIN:
                sheet.write_blank(row, position, None, self._book.format_of(ink))
        elif isinstance(value, str):
            text, look = cell_text(value), self._book.format_of(ink, quoted=looks_like_formula(value))
            if text.startswith("<r>"):  # what ends in </r> too, XlsxWriter takes for markup, and does not escape
                sheet.write_rich_string(row, position, text[:1], text[1:], look)
            else:
                sheet.write_string(row, position, text, look)
        elif isinstance(value, bool):
            sheet.write_boolean(row, position, value, self._book.format_of(ink))
        elif isinstance(value, dt.date):
            sheet.write_datetime(row, position, value, self._book.format_of(ink))
        else:
            sheet.write_number(row, position, value, self._book.format_of(ink))

    def _compute(self, position: int, formula: Formula, ink: Ink) -> None:
        look = self._book.format_of(ink)
        self._sheet.write_formula(self.rows_written, position, formula.text, look, formula.value)

    def print_on_one_page(self) -> None:
        self._sheet.fit_to_pages(1, 1)

    def place(self, cell: str, chart: Chart) -> None:
        self._sheet.insert_chart(cell, chart, {"x_offset": 12})  # off the figures at its left

    def mark_failed_checks(self, cell: str, good: str) -> None:
        """Colour a check that computes: green while it says what it should, red otherwise."""
        for criteria, tone in (("==", Tone.GOOD), ("!=", Tone.TROUBLE)):
            look = self._book.format_of(Ink(tone=tone, bold=True))
            rule = {"type": "cell", "criteria": criteria, "value": f'"{good}"', "format": look}
            self._sheet.conditional_format(cell, rule)

    def _link(self, position: int, link: Linked, ink: Ink) -> None:
        if self._links == _MOST_LINKS:
            self._put(position, link.text, ink)
            return
        self._links += 1
        sheet, look = link.sheet.replace("'", "''"), self._book.format_of(ink)
        self._sheet.write_url(self.rows_written, position, f"internal:'{sheet}'!{link.cell}", look, link.text)

    def _make_error(self, position: int, cell: Cell) -> None:
        """Put an error literal in the place of the text that was just written; XlsxWriter has no method for it."""
        self._sheet.table[self.rows_written][position] = CellErrorTuple(cell.value, self._book.format_of(cell.ink), 0)

    def _comment(self, position: int, comment: str) -> None:
        height = 40 + 18 * (comment.count("\n") + len(comment) // 40)
        options = {"author": "Repasse", "height": height, "width": 340}
        self._sheet.write_comment(self.rows_written, position, cell_text(comment), options)

    def offer(self, position: int, choices: Sequence[str], *, nothing_else: bool) -> None:
        rule = {"validate": "list", "source": list(choices), "show_error": nothing_else}
        self._sheet.data_validation(self.rows_written, position, ROWS_PER_SHEET, position, rule)

    def filter(self, header_row: int, columns: int) -> None:
        self._sheet.autofilter(header_row - 1, 0, self.rows_written - 1, columns - 1)


def has_too_many_digits(value: Decimal) -> bool:
    """Tell whether a number loses some in a spreadsheet; zeros at its end are none that count."""
    return len(value.as_tuple().digits) > NUMBER_DIGITS < len(value.normalize().as_tuple().digits)


# Excel has 1,048,576 rows; a table that is longer goes on in another sheet.
ROWS_PER_SHEET: Final = 1_000_000


@dataclass(frozen=True, slots=True)
class Bars:
    """A chart of a table of two columns, a name and an amount: one bar a row."""

    title: str
    heading: str
    first_row: int
    last_row: int
    colours: Sequence[str]
    at: str
    rows: int
    highest: Decimal


Row = Sequence[Value | Toned | Linked | Formula]
