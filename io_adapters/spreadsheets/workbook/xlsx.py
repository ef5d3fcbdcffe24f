"""Reading .xlsx and .xlsm: calamine for speed, the sheet's XML for what calamine leaves out.

calamine gives an empty value for errors and for formulas that were never calculated, knows neither number formats nor
hidden rows, and reserves memory for the whole rectangle between a sheet's corners.
"""

import io
import zipfile
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, replace
from typing import Final

from python_calamine import CalamineError, CalamineSheet, SheetTypeEnum, SheetVisibleEnum, load_workbook

from io_adapters.spreadsheets.limits import MOST_SHEET_CELLS
from io_adapters.spreadsheets.workbook.archive import chunks, open_archive, reading
from io_adapters.spreadsheets.workbook.calamine_sheet import check_extent, sheet_of
from io_adapters.spreadsheets.workbook.sheets import Refused, Sheet, SheetName, Traits
from io_adapters.spreadsheets.workbook.xlsx_cells import CellReader
from io_adapters.spreadsheets.workbook.xlsx_package import XlsxPackage
from io_adapters.spreadsheets.workbook.xlsx_scan import Unusual, glance, telling_xml
from schemas.sheet_cells import Oddities

# A small sheet is read closely in no time, whatever spelling its XML hides behind.
_SMALL_BYTES: Final = 2**18
_KEPT_BYTES: Final = 2**27


@dataclass(frozen=True)
class _Repeated:
    """A part's bytes, unpacked each time anew."""

    archive: zipfile.ZipFile
    part: str

    def __iter__(self) -> Iterator[bytes]:
        return chunks(self.archive, self.part)


def open_xlsx(content: bytes) -> "XlsxWorkbook":
    """Open a workbook.

    Raises:
        Refused: FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_LARGE, FILE_ZIP, FILE_XML_FORBIDDEN.
    """
    return XlsxWorkbook(open_archive(content), content)


class XlsxWorkbook:
    """An open .xlsx or .xlsm.

    Attributes:
        sheets: Its worksheets, in order.
    """

    def __init__(self, archive: zipfile.ZipFile, content: bytes) -> None:
        self._archive = archive
        self._package = XlsxPackage(archive)
        self._fast = load_workbook(io.BytesIO(content))
        self.sheets = [
            SheetName(sheet.name, sheet.visible == SheetVisibleEnum.Visible)
            for sheet in self._fast.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        ]
        if not all(sheet.name in self._package.sheet_parts for sheet in self.sheets):
            raise Refused("FILE_CORRUPT", "corrupt", reason="xl/workbook.xml")

    @property
    def traits(self) -> Traits:
        """What is to be said of it as a whole."""
        return self._package.traits

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory, if that is safe.

        Raises:
            Refused: FILE_CORRUPT, FILE_EXTENT, FILE_XML_FORBIDDEN.
        """
        part = self._package.sheet_parts[name]
        with reading(part):
            size_bytes = self._archive.getinfo(part).file_size
        # What is not too much is unpacked once for all looks at it.
        xml = list(chunks(self._archive, part)) if size_bytes < _KEPT_BYTES else _Repeated(self._archive, part)
        seen = glance(xml)
        if size_bytes < _SMALL_BYTES or not seen.usual or seen.rows * seen.columns > MOST_SHEET_CELLS:
            looked = self._look(part, xml)
            check_extent(name, looked.last_row + 1, looked.last_column + 1)
            return self._sheet(self._load_fast(name), looked)
        # calamine lets other threads work meanwhile.
        with ThreadPoolExecutor(1) as beside:
            loading = beside.submit(self._load_fast, name)
            looked = self._look_where_it_tells(part, xml)
            return self._sheet(loading.result(), looked)

    def _load_fast(self, name: str) -> CalamineSheet:
        try:
            return self._fast.get_sheet_by_name(name)
        except CalamineError as error:  # whose text may repeat a cell
            reason = f"{self._package.sheet_parts[name]} ({type(error).__name__})"
            raise Refused("FILE_CORRUPT", "corrupt", reason=reason) from None

    def _look_where_it_tells(self, part: str, xml: Iterable[bytes]) -> CellReader:
        try:
            return self._look(part, telling_xml(xml, self._package.percent_styles))
        except Unusual:
            return self._look(part, xml)

    def _look(self, part: str, xml: Iterable[bytes]) -> CellReader:
        reader = CellReader(self._package.percent_styles)
        with reading(part):
            reader.read(xml)
        return reader

    def _sheet(self, cells: CalamineSheet, looked: CellReader) -> Sheet:
        sheet = sheet_of(cells, looked.cells)
        hidden_columns = {
            column for first, last in looked.hidden_columns for column in range(first, min(last + 1, sheet.width))
        }
        oddities = Oddities(
            hidden_rows=tuple(sorted({row + 1 for row in looked.hidden_rows})),
            hidden_columns=tuple(sorted(hidden_columns)),
            merged=sheet.oddities.merged,
            external=frozenset((row + 1, column) for row, column in looked.external),
            formulas=frozenset((row + 1, column) for row, column in looked.formulas),
            stale=self._package.stale and bool(looked.formulas),
        )
        return replace(sheet, oddities=oddities)
