"""Reading .xls, .xlsb and .ods: the values that calamine finds in them, and nothing beside these.

An error, and a formula that was never calculated, is an empty cell; hidden rows and columns are like all others; a
percentage is the number under it. `Oddities.values_only` says so, and whoever checks the rows tells it once per file.
"""

import io
import re
import zipfile
from typing import Final

from python_calamine import CalamineError, PasswordError, SheetTypeEnum, SheetVisibleEnum, load_workbook

from io_adapters.spreadsheets.workbook.archive import forbid_document_types, local_name, open_archive, xml_tree
from io_adapters.spreadsheets.workbook.calamine_sheet import sheet_of
from io_adapters.spreadsheets.workbook.sheets import Refused, Sheet, SheetName, Traits
from schemas.sheet_cells import Oddities

_VALUES_ONLY: Final = Oddities(values_only=True)
# Of an .xls of Excel 97 and later: the first record, perhaps one that advises against changes, and what says that all
# that follows is locked ([MS-XLS] 2.4.21, 2.4.349, 2.4.117). calamine takes some locked workbooks for readable ones.
_XLS_BEGINNING: Final = re.compile(
    rb"\x09\x08(?:\x10\0\0\x06\x05\0.{12}|\x08\0\0\x06\x05\0.{4})(?:\x86\0\0\0)?(\x2f\0)?", re.DOTALL
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
    """A workbook, open.

    Attributes:
        sheets: Its worksheets, in order.
        traits: What is to be said of it as a whole.
    """

    def __init__(self, content: bytes, traits: Traits) -> None:
        try:
            self._book = load_workbook(io.BytesIO(content))
        except PasswordError:
            raise Refused("FILE_ENCRYPTED") from None
        except CalamineError as error:
            raise _damaged(error) from None
        self.traits = traits
        self.sheets = [
            SheetName(sheet.name, sheet.visible == SheetVisibleEnum.Visible)
            for sheet in self._book.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        ]
        if len({sheet.name for sheet in self.sheets}) < len(self.sheets):
            raise Refused("FILE_CORRUPT")

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: FILE_CORRUPT, FILE_EXTENT.
        """
        try:
            return sheet_of(self._book.get_sheet_by_name(name), oddities=_VALUES_ONLY)
        except CalamineError as error:
            raise _damaged(error) from None


def _damaged(error: CalamineError) -> Refused:
    # Without its text, which may repeat a cell.
    return Refused("FILE_CORRUPT", "corrupt", reason=type(error).__name__)


def _xls_traits(content: bytes) -> Traits:
    beginning = _XLS_BEGINNING.search(content)
    if beginning is None:
        raise Refused("FILE_CORRUPT")
    if beginning[1]:
        raise Refused("FILE_ENCRYPTED")
    return Traits(macros=_XLS_MACROS in content)


def _zip_traits(content: bytes) -> Traits:
    with open_archive(content) as archive:
        names = archive.namelist()
        forbid_document_types(archive, (name for name in names if name.endswith((".xml", ".rels"))))
        if _ODS_MANIFEST in names and _holds(archive, _ODS_MANIFEST, "encryption-data"):
            raise Refused("FILE_ENCRYPTED")
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
