"""Reading .ods, the format of LibreOffice and of Google's and Microsoft's OpenDocument exports."""

import itertools
import zipfile
from collections.abc import Iterator, Sequence

from io_adapters.spreadsheets.workbook.archive import local_name, open_archive, reading, xml_tree
from io_adapters.spreadsheets.workbook.ods_content import ContentReader
from io_adapters.spreadsheets.workbook.ods_table import Span, Table
from io_adapters.spreadsheets.workbook.sheets import Refused, Sheet, SheetName, Traits
from io_adapters.spreadsheets.workbook.spans import covered_cells, places_within
from schemas.sheet_cells import Oddities

_CONTENT = "content.xml"
_META = "meta.xml"
_MANIFEST = "META-INF/manifest.xml"


def open_ods(content: bytes) -> "OdsWorkbook":
    """Open an .ods and read all of its sheets, which stand in one part.

    Raises:
        Refused: FILE_ENCRYPTED, FILE_CORRUPT, FILE_XML_FORBIDDEN, FILE_EXTENT, and what any ZIP archive is refused for.
    """
    with open_archive(content) as archive:
        if _is_locked(archive):
            raise Refused("FILE_ENCRYPTED")
        reader = ContentReader()
        with reading(_CONTENT), archive.open(_CONTENT) as stream:
            reader.read(stream)
        macros = any(name.startswith(("Basic/", "Scripts/")) and not name.endswith("/") for name in archive.namelist())
        return OdsWorkbook(reader.tables, Traits(macros, reader.date_1904, _properties(archive)))


class OdsWorkbook:
    """An .ods, read.

    Attributes:
        sheets: Its sheets, in order.
        traits: What is to be said of it as a whole.
    """

    def __init__(self, tables: Sequence[Table], traits: Traits) -> None:
        self.sheets: Sequence[SheetName] = tuple(SheetName(table.name, table.visible) for table in tables)
        self.traits = traits
        self._tables = {table.name: table for table in tables}
        if len(self._tables) < len(tables):
            raise Refused("FILE_CORRUPT", "corrupt", reason=_CONTENT)

    def load(self, name: str) -> Sheet:
        """Hand a sheet on."""
        table = self._tables[name]
        return Sheet(table.written_out(), table.height, table.width, _oddities(table))


def _oddities(table: Table) -> Oddities:
    height, width = table.height, table.width
    return Oddities(
        hidden_rows=tuple(row + 1 for row in places_within(table.hidden_rows, height)),
        hidden_columns=tuple(places_within(table.hidden_columns, width)),
        merged=covered_cells(table.name, table.merged, height, width),
        external=frozenset(_places(table.external, height, width)),
        formulas=frozenset(_places(table.formulas, height, width)),
    )


def _places(spans: Sequence[Span], height: int, width: int) -> Iterator[tuple[int, int]]:
    for top, left, bottom, right in spans:
        yield from itertools.product(range(top + 1, min(bottom, height) + 1), range(left, min(right, width)))


def _is_locked(archive: zipfile.ZipFile) -> bool:
    return _MANIFEST in archive.namelist() and any(
        local_name(element) == "encryption-data" for element in xml_tree(archive, _MANIFEST).iter()
    )


def _properties(archive: zipfile.ZipFile) -> dict[str, str]:
    """The properties that people or programs gave the document."""
    if _META not in archive.namelist():
        return {}
    return {
        next((value for key, value in element.items() if key.endswith("}name")), ""): "".join(element.itertext())
        for element in xml_tree(archive, _META).iter()
        if local_name(element) == "user-defined"
    }
