"""Reading spreadsheets: a file is opened safely, shows its sheets, and hands its tables on."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Protocol

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.files import FileContent, opened_content
from io_adapters.spreadsheets.kinds import WORKBOOKS, ZIP, FileKind, kind_by_name
from io_adapters.spreadsheets.limits import FilePlace, refusal
from io_adapters.spreadsheets.readers import READERS, Readers, ReadInChild
from io_adapters.spreadsheets.texts import TextFile
from io_adapters.spreadsheets.workbooks import OpenedWorkbook
from schemas.issues import IssueCode
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.money_column import is_number
from schemas.layouts.recognise import (
    Fit,
    candidates,
    currency_of_amounts,
    find_header,
    is_data,
    missing_of_nearest,
    no_known_header,
    preamble_of,
)
from schemas.messages import Message
from schemas.raw_table import RawTable, joined
from schemas.sheet_cells import HeadRow, View


def recognised(views: Sequence[View], layouts: Iterable[Layout], place: FilePlace) -> Layout:
    """Return the one layout that recognises a file.

    Raises:
        UnreadableFile: none does (LAYOUT_UNKNOWN, naming the nearest), or several do (LAYOUT_AMBIGUOUS).
    """
    layouts = list(layouts)
    found = candidates(views, layouts)
    if len(found) == 1:
        return found[0].layout
    if found:
        raise refusal(IssueCode.LAYOUT_AMBIGUOUS, place, found=", ".join(fit.layout.layout for fit in found))
    if nearest := missing_of_nearest(views, layouts):
        raise refusal(IssueCode.LAYOUT_UNKNOWN, place, near=nearest[0].layout, missing=", ".join(nearest[1]))
    rows = (head for view in views for head in view.head)
    widest = max(rows, key=lambda head: len(head.texts), default=HeadRow(1, ()))
    raise refusal(IssueCode.LAYOUT_UNKNOWN, place, no_known_header(widest.row, widest.texts), row=widest.row)


def fits_of(views: Sequence[View], layout: Layout, place: FilePlace) -> list[Fit]:
    """Return what a layout reads of a file: one table, or one for each sheet it names.

    A table that lacks required columns is returned all the same, under its likeliest header: the parser tells what is
    missing, as it does of cells.

    Raises:
        UnreadableFile: no sheet is of the name wanted, no sheet fits, or several do, or there is nothing to read.
    """
    if layout.sheets and any(view.sheet is not None for view in views):
        return [_fit_or_likeliest([view], layout, place) for view in _named(views, layout, place)]
    left_alone = set(map(fold, layout.not_sheets))
    visible = [view for view in views if view.visible and fold(view.sheet or "") not in left_alone]
    if not visible:
        raise refusal(IssueCode.SHEET_MISSING, place, "no_visible_sheet")
    if len(visible) == 1 or visible[0].sheet is None:
        return [_fit_or_likeliest(visible, layout, place)]
    fitting = [fit for view in visible if (fit := find_header(view, layout))]
    # A row such as "Total | 100" of a cover is no header beside one that is all words.
    fitting = [fit for fit in fitting if not any(map(is_number, fit.header.texts))] or fitting
    names = ", ".join(str(fit.view.sheet) for fit in fitting)
    if not fitting:
        required = ", ".join(layout.columns[column][0] for column in layout.required)
        sheets = ", ".join(str(view.sheet) for view in visible)
        raise refusal(IssueCode.SHEET_AMBIGUOUS, place, "no_sheet_fits", sheets=sheets, columns=required)
    if len(fitting) > 1:
        raise refusal(IssueCode.SHEET_AMBIGUOUS, place, "which_sheet", sheets=names)
    return fitting


def _named(views: Sequence[View], layout: Layout, place: FilePlace) -> list[View]:
    exact = [view for view in views if view.sheet in layout.sheets]
    wanted = {fold(name) for name in layout.sheets}
    found = exact or [view for view in views if view.sheet is not None and fold(view.sheet) in wanted]
    if not found:
        there = ", ".join(view.sheet or "-" for view in views)
        named = ", ".join(layout.sheets)
        raise refusal(IssueCode.SHEET_MISSING, place, "no_such_sheet", sheet=named, sheets=there)
    return found


def _fit_or_likeliest(views: Sequence[View], layout: Layout, place: FilePlace) -> Fit:
    fits = [fit for view in views if (fit := find_header(view, layout))]
    if fits:
        return max(fits, key=lambda fit: fit.known)
    rows = [(view, head) for view in views for head in view.head if layout.header_row in (None, head.row)]
    if not rows:
        if not any(view.head for view in views):
            raise refusal(IssueCode.FILE_EMPTY, place, "empty", sheet=views[0].sheet)
        raise refusal(IssueCode.FILE_NO_ROWS, place, "no_rows", sheet=views[0].sheet, row=layout.header_row)
    return max((_fit(view, head, layout) for view, head in rows), key=_likelihood)


def _fit(view: View, head: HeadRow, layout: Layout) -> Fit:
    return Fit(layout, view, head, match_headers(head.texts, layout))


def _likelihood(fit: Fit) -> tuple[int, int, int]:
    """Rank headers of which none is complete: the most columns of the layout, the widest cut, the uppermost row."""
    words = sum(bool(text.strip()) and not is_data([text]) for text in fit.header.texts)
    return fit.known, words, -fit.header.row


class OpenedFile(Protocol):
    """A file that is open; closing it is its opener's business."""

    @property
    def views(self) -> Sequence[View]:
        """Its sheets, or its text under each delimiter that cuts it."""

    @property
    def decisions(self) -> tuple[Message | str, ...]:
        """What was decided on opening it, for people."""

    @property
    def properties(self) -> Mapping[str, str]:
        """Custom properties of a workbook, name -> text; none, for text."""

    @property
    def profile(self) -> str:
        """Of a report of typed records, which it says that it follows; "" for any other file."""

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield the table below a header, in blocks of physical rows, in order; at least one block.

        Blank rows are among the others, those after the last row with anything in it are not. Each block bears the
        same headers and the decisions of this table alone.

        Raises:
            UnreadableFile: the file turns out to be damaged, or to hold no row below the header.
        """


@dataclass(frozen=True, slots=True)
class Found:
    """What a file turned out to be.

    Attributes:
        name: Of what was unpacked, or of the file itself.
        packing: `gzip` or `zip`; "" where it was not packed.
    """

    kind: FileKind
    name: str
    packing: str


@dataclass(frozen=True, slots=True)
class SpreadsheetFile:
    """An open file, of whatever kind."""

    _opened: OpenedFile
    _content: FileContent
    _found: "Found"
    _decisions: list[Message | str] = field(default_factory=list)

    @property
    def name(self) -> str:
        return self._place.file

    @property
    def _place(self) -> FilePlace:
        return self._content.place

    @property
    def views(self) -> Sequence[View]:
        """Its sheets, or its text under each delimiter."""
        return self._opened.views

    @property
    def properties(self) -> Mapping[str, str]:
        """Custom properties of a workbook, name -> text."""
        return self._opened.properties

    def recognise(self, layouts: Iterable[Layout]) -> Layout:
        """Return the one of several layouts that the file has, and tell of it with the other decisions.

        Raises:
            UnreadableFile: LAYOUT_UNKNOWN or LAYOUT_AMBIGUOUS.
        """
        layouts = list(layouts)
        if self._opened.profile and not candidates(self.views, layouts):
            raise refusal(IssueCode.LAYOUT_UNKNOWN, self._place, "ddex_unknown", profile=self._opened.profile)
        layout = recognised(self.views, layouts, self._place)
        self._decisions.append(Message("file.layout", layout=layout.layout))
        return layout

    def tables(self, layout: Layout) -> Iterator[RawTable]:
        """Yield what a layout reads of the file: one table, or one for each sheet it names.

        Missing columns are no error here: the parser reports them, as it does the cells.

        Raises:
            UnreadableFile: no sheet fits, several do, there are no rows, the file is damaged or changed meanwhile.
        """
        for fit in self.fits(layout):
            yield joined(list(self.blocks(fit)))

    def fits(self, layout: Layout) -> list[Fit]:
        """Return where a layout's tables are in the file: one, or one for each sheet it names.

        Raises:
            UnreadableFile: no sheet fits, or several do, or there is nothing to read.
        """
        fits = fits_of(self.views, layout, self._place)
        for fit in fits:
            self._require_few(layout, fit.view.rows - fit.header.row)
        return fits

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield the table below a header in blocks of bounded size; see `OpenedFile.blocks`."""
        identity, (preamble, notes) = self._content.identity(), _above(fit)
        before = (*self._decisions, *_packing(self._found), *self._opened.decisions)
        above = tuple(head for head in fit.view.head if head.row < fit.header.row)
        rows = 0
        for block in self._opened.blocks(fit):
            rows += len(block.cells)
            self._require_few(fit.layout, rows)
            decisions = (*before, *block.decisions, *notes)
            yield replace(block, file=identity, decisions=decisions, preamble=preamble, above=above)
        self._content.check_unchanged()

    def _require_few(self, layout: Layout, rows: int) -> None:
        if layout.table != "royalty_lines" and rows > limits.MOST_TABLE_ROWS:
            raise refusal(IssueCode.FILE_TOO_LARGE, self._place, "table_rows", limit=limits.MOST_TABLE_ROWS)


@contextmanager
def open_file(path: str) -> Iterator[SpreadsheetFile]:
    """Open a file to read tables from it.

    Reads workbooks (.xlsx, .xlsm, .xls, .xlsb, .ods), delimited text (.csv, .tsv, .txt) and reports of typed records,
    tables of HTML pages and XML spreadsheets, also packed with gzip or alone in a ZIP archive. What a file is, its
    bytes say; that its name says otherwise is told with the decisions.

    Raises:
        UnreadableFile: with one issue that says why the file cannot be read.
    """
    with opened_content(path) as content, opened_in_child(content) as (opened, found):
        yield SpreadsheetFile(opened, content, found, [*_named_otherwise(found)])


def xlsx_of(path: str, sha256: str, most_bytes: int) -> bytes | None:
    """Return the bytes of what may be an .xlsx; None for what is none, for other bytes, and for more of them.

    Args:
        sha256: Hex digest of the bytes that are meant.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    with opened_content(path) as content:
        is_meant = not content.member and content.identity().sha256 == sha256
        if not is_meant or content.name_only.size_bytes > most_bytes:
            return None
        content.stream.seek(0)
        found = content.stream.read()
        return found if found.startswith(ZIP) else None


def read_table(path: str, layout: Layout) -> RawTable:
    """Read the one table that a layout means in a file, every cell as text.

    Raises:
        UnreadableFile: as `open_file` and `SpreadsheetFile.tables`.
    """
    with open_file(path) as file:
        return next(file.tables(layout))


@contextmanager
def opened_in_child(content: FileContent, readers: Readers = READERS) -> Iterator[tuple[OpenedFile, "Found"]]:
    """Have a process that does nothing else read a file.

    Raises:
        UnreadableFile: why it cannot be read.
    """
    reader = ReadInChild(content, readers)
    try:
        with reader.sound_answers():
            shown = reader.shown
            found = Found(FileKind(shown["kind"]), str(shown["name"]), str(shown["packing"]))
        of_its_kind = OpenedWorkbook if found.kind in WORKBOOKS else TextFile
        yield of_its_kind(reader, content.name_only), found
    finally:
        reader.close()


def _above(fit: Fit) -> tuple[dict[str, str], tuple[Message, ...]]:
    """Return what stands above the header for all rows, and how to tell of it and of what the layout rests on."""
    found = preamble_of(fit)
    messages = [Message("file.above", text=text, row=row) for text, row in found.values()]
    values = {column: text for column, (text, _) in found.items()}
    if (currency := currency_of_amounts(fit)) and "currency" not in values:
        values["currency"] = currency
        messages.append(Message("file.header_currency", currency=currency))
    rests_on = fit.layout.rests_on
    if rests_on is not None and rests_on.kind == "assumption":
        messages.append(Message("file.assumed"))
    return values, tuple(messages)


def _packing(found: Found) -> tuple[Message, ...]:
    return (Message(f"file.{found.packing}", name=found.name),) if found.packing else ()


def _named_otherwise(found: Found) -> tuple[Message, ...]:
    is_so = kind_by_name(found.name) in (None, found.kind)
    return () if is_so else (Message("file.named", kind=Message(f"file.kind_{found.kind}")),)
