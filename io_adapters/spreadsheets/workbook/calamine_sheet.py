"""A sheet as calamine reads it, in any format, as rows from A1, with the cells it gets wrong corrected."""

import io
import itertools
import re
import zipfile
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any, Final

from python_calamine import CalamineError, CalamineSheet, PasswordError, SheetTypeEnum, SheetVisibleEnum, load_workbook

from io_adapters.spreadsheets.limits import MOST_COLUMNS, MOST_SHEET_CELLS
from io_adapters.spreadsheets.workbook.archive import forbid_document_types, local_name, open_archive, xml_tree
from io_adapters.spreadsheets.workbook.ods_cells import Beside, beside_cells
from io_adapters.spreadsheets.workbook.sheets import (
    CellValue,
    ExactCell,
    Sheet,
    SheetName,
    Traits,
    Workbook,
    WorkbookRefused,
    cell_text,
)
from schemas.sheet_cells import HEAD_ROWS, NO_ODDITIES, Oddities

# A merged cell of a table covers a few others; a workbook of a kilobyte can say that one covers them all.
_MOST_COVERED_CELLS: Final = 1_000_000

Place = tuple[int, int]


def sheet_of(
    cells: CalamineSheet, exact: Mapping[Place, ExactCell] | None = None, oddities: Oddities = NO_ODDITIES
) -> Sheet:
    """Lay exact cells over what calamine read.

    Raises:
        Refused: with the exact cells, the sheet extends beyond the limits.
    """
    exact = exact or {}
    last_row, last_column = cells.end or (-1, -1)
    height = 1 + max([last_row, *(row for row, _ in exact)])
    width = 1 + max([last_column, *(column for _, column in exact)])
    check_extent(cells.name, height, width)
    if cells.merged_cell_ranges:
        merged = ((top, left, down + 1, right + 1) for (top, left), (down, right) in cells.merged_cell_ranges)
        oddities = replace(oddities, merged=_covered_cells(cells.name, merged, height, width))
    rows = _rows(cells, width)
    return Sheet(_overlaid(rows, exact, height, width) if exact else rows, height, width, oddities)


def check_extent(sheet: str, rows: int, columns: int) -> None:
    """Refuse a sheet whose rectangle, from A1 to its last row and column, no reader could hold.

    Raises:
        Refused: FILE_EXTENT.
    """
    if columns > MOST_COLUMNS:
        raise WorkbookRefused("FILE_EXTENT", sheet=sheet, rows=rows, columns=columns)
    if rows * columns > MOST_SHEET_CELLS:
        raise WorkbookRefused("FILE_EXTENT", sheet=sheet, rows=rows, columns=columns)


def _covered_cells(
    sheet: str, merged: Iterable[tuple[int, int, int, int]], height: int, width: int
) -> frozenset[tuple[int, int]]:
    """Return the cells that merged ones cover, as `Oddities.merged` has them.

    Raises:
        Refused: FILE_EXTENT, when they cover more cells than those of any table.
    """
    spans = [
        (top, left, range(top, min(bottom, height)), range(left, min(right, width)))
        for top, left, bottom, right in merged
    ]
    if sum(len(rows) * len(columns) for _, _, rows, columns in spans) > _MOST_COVERED_CELLS:
        raise WorkbookRefused("FILE_EXTENT", "merged_extent", sheet=sheet, limit=_MOST_COVERED_CELLS)
    return frozenset(
        (row + 1, column)
        for top, left, rows, columns in spans
        for row in rows
        for column in columns
        if (row, column) != (top, left)
    )


def _rows(cells: CalamineSheet, width: int) -> Iterator[list[CellValue]]:
    if cells.start is None or cells.end is None:
        return iter(())
    # calamine fills up the empty rows above the first cell, but not the empty columns beside it.
    rows: Iterator[list[Any]] = iter(cells.iter_rows())
    left, right = [""] * cells.start[1], [""] * (width - cells.end[1] - 1)
    return (left + row + right for row in rows) if left or right else rows


def _overlaid(
    rows: Iterator[list[CellValue]], exact: Mapping[Place, ExactCell], height: int, width: int
) -> Iterator[list[CellValue]]:
    by_row: dict[int, list[tuple[int, ExactCell]]] = {}
    for (row, column), cell in exact.items():
        by_row.setdefault(row, []).append((column, cell))
    # The last rows may hold nothing but cells that calamine takes for empty.
    blanks = ([""] * width for _ in itertools.count())
    everything: Iterator[list[Any]] = itertools.islice(itertools.chain(rows, blanks), height)
    for number, cells in enumerate(everything):
        for column, cell in by_row.get(number, ()):
            cells[column] = cell
        yield cells


_VALUES_ONLY: Final = Oddities(values_only=True)
# Of an .xls of Excel 95 and later: the first record, perhaps one that advises against changes, and what says that all
# that follows is locked ([MS-XLS] 2.4.21, 2.4.349, 2.4.117). calamine takes some locked workbooks for readable ones.
_XLS_BEGINNING: Final = re.compile(
    rb"\x09\x08(?:\x10\0\0\x06\x05\0.{12}|\x08\0\0[\x05\x06]\x05\0.{4})(?:\x86\0\0\0)?(\x2f\0)?", re.DOTALL
)
_XLS_MACROS: Final = "_VBA_PROJECT".encode("utf-16-le")
_ODS_MANIFEST: Final = "META-INF/manifest.xml"
# Part -> element, of the properties that people or programs gave a workbook.
_PROPERTIES: Final = {"meta.xml": "user-defined", "docProps/custom.xml": "property"}


def open_values_only(content: bytes) -> "ValuesOnlyWorkbook":
    """Open a workbook of one of these kinds.

    Raises:
        Refused: FILE_ENCRYPTED, FILE_CORRUPT, FILE_XML_FORBIDDEN, and what any ZIP archive is refused for.
    """
    traits = _zip_traits(content) if content.startswith(b"PK") else _xls_traits(content)
    return ValuesOnlyWorkbook(content, traits)


class ValuesOnlyWorkbook:
    """A workbook, open."""

    def __init__(self, content: bytes, traits: Traits) -> None:
        self._content = content
        try:
            self._book = load_workbook(io.BytesIO(content))
        except PasswordError:
            raise WorkbookRefused("FILE_ENCRYPTED") from None
        except CalamineError as error:
            raise _damaged(error) from None
        self.traits = traits
        self.sheets = [
            SheetName(sheet.name, sheet.visible == SheetVisibleEnum.Visible)
            for sheet in self._book.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        ]
        if len({sheet.name for sheet in self.sheets}) < len(self.sheets):
            raise WorkbookRefused("FILE_CORRUPT")

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: FILE_CORRUPT, FILE_EXTENT.
        """
        beside = self._beside.get(name, Beside([], []))
        zeros = frozenset((row + 1, column, digits) for row, column, digits in beside.zeros)
        comments = tuple((row + 1, column, text) for row, column, text in beside.comments)
        try:
            return sheet_of(
                self._book.get_sheet_by_name(name), oddities=replace(_VALUES_ONLY, zeros=zeros, comments=comments)
            )
        except CalamineError as error:
            raise _damaged(error) from None

    @cached_property
    def _beside(self) -> Mapping[str, Beside]:
        """What the cells of an .ods have beside their values; of the other kinds it is not known."""
        if not self._content.startswith(b"PK"):
            return {}
        with open_archive(self._content) as archive:
            return beside_cells(archive)


def _damaged(error: CalamineError) -> WorkbookRefused:
    # Without its text, which may repeat a cell.
    return WorkbookRefused("FILE_CORRUPT", "corrupt", reason=type(error).__name__)


def _xls_traits(content: bytes) -> Traits:
    beginning = _XLS_BEGINNING.search(content)
    if beginning is None:
        raise WorkbookRefused("FILE_CORRUPT")
    if beginning[1]:
        raise WorkbookRefused("FILE_ENCRYPTED")
    return Traits(macros=_XLS_MACROS in content)


def _zip_traits(content: bytes) -> Traits:
    with open_archive(content) as archive:
        names = archive.namelist()
        forbid_document_types(archive, (name for name in names if name.endswith((".xml", ".rels"))))
        if _ODS_MANIFEST in names and _holds(archive, _ODS_MANIFEST, "encryption-data"):
            raise WorkbookRefused("FILE_ENCRYPTED")
        macros = any(name.endswith("vbaProject.bin") or name.startswith(("Basic/", "Scripts/")) for name in names)
        return Traits(macros=macros, properties=_properties(archive))


def _holds(archive: zipfile.ZipFile, part: str, tag: str) -> bool:
    return any(local_name(element) == tag for element in xml_tree(archive, part).iter())


def _properties(archive: zipfile.ZipFile) -> dict[str, str]:
    return {
        next((text for name, text in element.items() if name.rsplit("}", 1)[-1] == "name"), ""): "".join(
            element.itertext()
        )
        for part, tag in _PROPERTIES.items()
        if part in archive.namelist()
        for element in xml_tree(archive, part).iter()
        if local_name(element) == tag
    }


# Sheets are kept between the look at their first rows and the reading of one, as long as they are not too many.
_MOST_KEPT_CELLS: Final = MOST_SHEET_CELLS // 2
# What fits a processor's cache is turned into columns twice as fast.
_BLOCK_ROWS: Final = 4096

Head = list[tuple[int, list[str]]]


@dataclass
class _Loaded:
    sheet: Sheet
    seen: list[list[CellValue]] = field(default_factory=list)

    def head(self) -> Head:
        """Return the first rows that hold anything: their numbers and texts, empty cells at the end left out."""
        head: Head = []
        for row in self.sheet.rows:
            self.seen.append(row)
            texts = list(map(cell_text, row))
            while texts and not texts[-1]:
                texts.pop()
            if texts:
                head.append((len(self.seen), texts))
            if len(head) == HEAD_ROWS:
                break
        return head

    def rows(self) -> Iterator[list[CellValue]]:
        return itertools.chain(self.seen, self.sheet.rows)


class OpenWorkbook:
    def __init__(self, workbook: Workbook) -> None:
        self.workbook = workbook
        self._loaded: dict[str, _Loaded] = {}

    def heads(self) -> list[tuple[str, bool, Head, int]]:
        """Return name, visibility, first rows and how many rows there are of each sheet.

        Raises:
            Refused: a visible sheet cannot be read. A hidden one that cannot shows nothing.
        """
        heads = []
        for name, visible in self.workbook.sheets:
            try:
                loaded = self._load(name)
                head = loaded.head()
                rows = len(head) if len(head) < HEAD_ROWS else loaded.sheet.height
            except WorkbookRefused:
                if visible:
                    raise
                head, rows = [], 0
            heads.append((name, visible, head, rows))
        return heads

    def table(self, name: str, header_row: int) -> tuple[list[str], Iterator[list[list[CellValue]]], Sheet]:
        """Return a sheet's header texts, the rows below in blocks, and the sheet; row 0 stands for no header.

        Raises:
            Refused: it cannot be read.
        """
        loaded = self._loaded.pop(name, None) or self._reloaded(name)
        rows = itertools.islice(loaded.rows(), max(header_row - 1, 0), None)
        headers = list(map(cell_text, next(rows, ()))) if header_row else []
        return headers, _blocks(rows), loaded.sheet

    def _load(self, name: str) -> _Loaded:
        loaded = self._loaded[name] = self._reloaded(name)
        while len(self._loaded) > 1 and sum(map(_cells, self._loaded.values())) > _MOST_KEPT_CELLS:
            del self._loaded[next(iter(self._loaded))]
        return loaded

    def _reloaded(self, name: str) -> _Loaded:
        return _Loaded(self.workbook.load(name))


def _cells(loaded: _Loaded) -> int:
    return loaded.sheet.height * loaded.sheet.width


def _blocks(rows: Iterator[list[CellValue]]) -> Iterator[list[list[CellValue]]]:
    while block := list(itertools.islice(rows, _BLOCK_ROWS)):
        yield block
