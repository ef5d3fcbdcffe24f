"""The package of an .xlsx: which part is which sheet, and what is to be said of the workbook as a whole."""

import posixpath
import re
import zipfile
from functools import cached_property
from typing import Final
from xml.etree.ElementTree import Element

from io_adapters.spreadsheets.workbook.archive import forbid_document_types, local_name, reading, xml_tree
from io_adapters.spreadsheets.workbook.sheets import Refused, Traits

_RELATION_IDS: Final = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_BUILT_IN_PERCENT: Final = frozenset({9, 10})
_TRUE: Final = frozenset({"1", "true"})


class XlsxPackage:
    """The parts of a workbook, apart from its cells.

    Attributes:
        archive: What holds them.
        sheet_parts: Sheet name -> name of the part that holds its cells.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the workbook part.

        Raises:
            Refused: FILE_CORRUPT, FILE_XML_FORBIDDEN; the latter for any part that a reader of cells would look at.
        """
        self.archive = archive
        self._package = self._relations("")
        workbook = next((part for kind, part in self._package.values() if kind == "officeDocument"), None)
        if workbook is None:
            raise Refused("FILE_CORRUPT", "corrupt", reason="_rels/.rels")
        self._related = self._relations(workbook)
        self._workbook = xml_tree(archive, workbook)
        sheets = [element for element in self._workbook.iter() if local_name(element) == "sheet"]
        with reading(workbook):
            self.sheet_parts = {element.get("name", ""): self._related[_relation(element)][1] for element in sheets}
        if len(self.sheet_parts) < len(sheets):
            raise Refused("FILE_CORRUPT", "corrupt", reason=workbook)
        # The sheets are looked at one by one, as they are loaded; custom XML is nobody's business.
        later = {*self.sheet_parts.values()}
        forbid_document_types(
            archive,
            [
                name
                for name in archive.namelist()
                if name.lower().endswith((".xml", ".rels")) and name not in later and not name.startswith("customXml/")
            ],
        )

    @cached_property
    def percent_styles(self) -> tuple[int, ...]:
        """The cell styles that show their number as a percentage: 0.5 is seen as 50%."""
        part = next((part for kind, part in self._related.values() if kind == "styles"), None)
        if part is None:
            return ()
        tree = xml_tree(self.archive, part)
        with reading(part):
            custom = {
                int(element.get("numFmtId", "0"))
                for element in tree.iter()
                if local_name(element) == "numFmt" and _shows_percent(element.get("formatCode", ""))
            }
            formats = next((element for element in tree if local_name(element) == "cellXfs"), ())
            return tuple(
                style
                for style, element in enumerate(formats)
                if int(element.get("numFmtId", "0")) in custom | _BUILT_IN_PERCENT
            )

    @cached_property
    def traits(self) -> Traits:
        """Macros, the day from which it counts, and its custom properties."""
        macros = any(name.endswith("vbaProject.bin") for name in self.archive.namelist())
        part = next(
            (part for kind, part in self._package.values() if kind in {"custom-properties", "customProperties"}), None
        )
        properties = {
            element.get("name", ""): "".join(element.itertext())
            for element in (xml_tree(self.archive, part) if part else ())
            if local_name(element) == "property"
        }
        return Traits(macros, self._says("workbookPr", "date1904") in _TRUE, properties)

    @cached_property
    def stale(self) -> bool:
        """Whether it asks to be calculated again on opening, or is calculated only when someone says so."""
        return self._says("calcPr", "fullCalcOnLoad") in _TRUE or self._says("calcPr", "calcMode") == "manual"

    def _says(self, tag: str, attribute: str) -> str | None:
        return next((element.get(attribute) for element in self._workbook if local_name(element) == tag), None)

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        """Relation id -> (last word of its type, full name of the part it leads to)."""
        folder, name = posixpath.split(part)
        tree = xml_tree(self.archive, posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            element.get("Id", ""): (
                element.get("Type", "").rsplit("/", 1)[-1],
                posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/"),
            )
            for element in tree
        }


def _relation(sheet: Element) -> str:
    return next((identifier for key in _RELATION_IDS if (identifier := sheet.get(key))), "")


def _shows_percent(format_code: str) -> bool:
    return "%" in re.sub(r'"[^"]*"|\\.', "", format_code)
