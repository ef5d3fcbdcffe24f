"""The package of an .xlsx: which part holds which sheet, and properties of the workbook as a whole."""

import io
import posixpath
import zipfile
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import cached_property
from typing import Final
from xml.etree.ElementTree import Element

from python_calamine import CalamineError, CalamineSheet, SheetTypeEnum, SheetVisibleEnum, load_workbook

from io_adapters.spreadsheets.limits import MOST_SHEET_CELLS
from io_adapters.spreadsheets.workbook.archive import (
    chunks,
    forbid_document_types,
    local_name,
    open_archive,
    reading,
    xml_tree,
)
from io_adapters.spreadsheets.workbook.calamine_sheet import check_extent, sheet_of
from io_adapters.spreadsheets.workbook.looks import StyledCell, drawn_in, looks_of, seen_in
from io_adapters.spreadsheets.workbook.sheets import Sheet, SheetName, Traits, WorkbookRefused
from io_adapters.spreadsheets.workbook.xlsx_cells import (
    CellReader,
    CellStyles,
    column_number,
    mask_of,
    plain_rows,
    plain_styled,
    shows_otherwise,
    shows_percent,
)
from schemas.sheet_cells import NOTE_MARK, Oddities, SeenBeside

_RELATION_IDS: Final = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}id",
)
_BUILT_IN_PERCENT: Final = frozenset({9, 10})
_TRUE: Final = frozenset({"1", "true"})


class XlsxPackage:
    """The parts of a workbook, apart from its cells."""

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the workbook part.

        Raises:
            Refused: FILE_CORRUPT, FILE_XML_FORBIDDEN; the latter for any part that a reader of cells would look at.
        """
        self.archive = archive
        self._package = self._relations("")
        workbook = next((part for kind, part in self._package.values() if kind == "officeDocument"), None)
        if workbook is None:
            raise WorkbookRefused("FILE_CORRUPT", "corrupt", reason="_rels/.rels")
        self._related = self._relations(workbook)
        self._workbook = xml_tree(archive, workbook)
        sheets = [element for element in self._workbook.iter() if local_name(element) == "sheet"]
        with reading(workbook):
            self.sheet_parts = {element.get("name", ""): self._related[_relation(element)][1] for element in sheets}
        if len(self.sheet_parts) < len(sheets):
            raise WorkbookRefused("FILE_CORRUPT", "corrupt", reason=workbook)
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
    def styles(self) -> CellStyles:
        """The cell styles under which a number is not seen as it is stored: 0.5 as 50%, 191 as 00000000191."""
        part = next((part for kind, part in self._related.values() if kind == "styles"), None)
        if part is None:
            return CellStyles()
        tree = xml_tree(self.archive, part)
        with reading(part):
            codes = {
                int(element.get("numFmtId", "0")): element.get("formatCode", "")
                for element in tree.iter()
                if local_name(element) == "numFmt"
            }
            formats = next((element for element in tree if local_name(element) == "cellXfs"), ())
            used = {style: int(element.get("numFmtId", "0")) for style, element in enumerate(formats)}
            fonts = next((element for element in tree if local_name(element) == "fonts"), ())
            crossing = {number for number, font in enumerate(fonts) if any(map(_strikes, font))}
            theme = next((target for kind, target in self._related.values() if kind == "theme"), "")
            looks = looks_of(tree, xml_tree(self.archive, theme) if theme in self.archive.namelist() else None)
            struck = {style for style, look in enumerate(formats) if int(look.get("fontId", "0")) in crossing}
        percent = {number for number, code in codes.items() if shows_percent(code)} | _BUILT_IN_PERCENT
        masks = {number: mask for number, code in codes.items() if (mask := mask_of(code))}
        otherwise = {number for number, code in codes.items() if shows_otherwise(code)}
        return CellStyles(
            frozenset(style for style, number in used.items() if number in percent),
            {style: masks[number] for style, number in used.items() if number in masks},
            frozenset(style for style, number in used.items() if number in otherwise),
            frozenset(struck),
            looks,
        )

    def comments(self, part: str) -> tuple[tuple[int, int, str], ...]:
        """Return what people, not Repasse, have written beside cells of a sheet: row from 1, column from 0, text."""
        written = [(row, column, text.partition(NOTE_MARK)[0].strip()) for row, column, text in self._comments(part)]
        own = sorted((row, column, text[:_LONGEST_COMMENT]) for row, column, text in written if text)
        return tuple(own[:_MOST_COMMENTS])

    def _comments(self, part: str) -> Iterator[tuple[int, int, str]]:
        related = self._relations(part).values() if self._has_relations(part) else ()
        for comments in (
            target for kind, target in related if kind == "comments" and target in self.archive.namelist()
        ):
            tree = xml_tree(self.archive, comments)
            with reading(comments):
                for element in (node for node in tree.iter() if local_name(node) == "comment"):
                    reference = element.get("ref", "")
                    letters = reference.rstrip("0123456789")
                    yield int(reference[len(letters) :]), column_number(letters) - 1, "".join(element.itertext())

    def _has_relations(self, part: str) -> bool:
        folder, name = posixpath.split(part)
        return posixpath.join(folder, "_rels", f"{name}.rels") in self.archive.namelist()

    def looks(self, part: str, styled: Iterable[StyledCell]) -> tuple[SeenBeside, ...]:
        """Return what a sheet shows beside the values of its cells."""
        with reading(part):
            ours = {(row, column) for row, column, text in self._comments(part) if NOTE_MARK in text}
            drawn = drawn_in(self.archive, self._relations, part) if self._has_relations(part) else ()
            return tuple(sorted((*seen_in(styled, self.styles.looks, ours), *drawn)))

    @cached_property
    def traits(self) -> Traits:
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
        return self._says("calcPr", "fullCalcOnLoad") in _TRUE or self._says("calcPr", "calcMode") == "manual"

    def _says(self, tag: str, attribute: str) -> str | None:
        return next((element.get(attribute) for element in self._workbook if local_name(element) == tag), None)

    def _relations(self, part: str) -> dict[str, tuple[str, str]]:
        folder, name = posixpath.split(part)
        tree = xml_tree(self.archive, posixpath.join(folder, "_rels", f"{name}.rels"))
        return {
            element.get("Id", ""): (
                element.get("Type", "").rsplit("/", 1)[-1],
                posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/"),
            )
            for element in tree
        }


_MOST_COMMENTS: Final = 5_000
# A longer sheet is read piece by piece.
_MOST_AT_ONCE_BYTES: Final = 1 << 27
_LONGEST_COMMENT: Final = 500


def _strikes(element: Element) -> bool:
    return local_name(element) in {"strike", "dstrike"} and element.get("val", "1") in _TRUE


def _relation(sheet: Element) -> str:
    return next((identifier for key in _RELATION_IDS if (identifier := sheet.get(key))), "")


def open_xlsx(content: bytes) -> "XlsxWorkbook":
    """Open a workbook.

    Raises:
        Refused: FILE_CORRUPT, FILE_ENCRYPTED, FILE_TOO_LARGE, FILE_ZIP, FILE_XML_FORBIDDEN.
    """
    return XlsxWorkbook(open_archive(content), content)


class XlsxWorkbook:
    """An open .xlsx or .xlsm."""

    def __init__(self, archive: zipfile.ZipFile, content: bytes) -> None:
        self._archive = archive
        self._package = XlsxPackage(archive)
        self._calamine = load_workbook(io.BytesIO(content))
        self.sheets = [
            SheetName(sheet.name, sheet.visible == SheetVisibleEnum.Visible)
            for sheet in self._calamine.sheets_metadata
            if sheet.typ == SheetTypeEnum.WorkSheet
        ]
        if not all(sheet.name in self._package.sheet_parts for sheet in self.sheets):
            raise WorkbookRefused("FILE_CORRUPT", "corrupt", reason="xl/workbook.xml")

    @property
    def traits(self) -> Traits:
        return self._package.traits

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory, if that is safe.

        Raises:
            Refused: FILE_CORRUPT, FILE_EXTENT, FILE_XML_FORBIDDEN.
        """
        part = self._package.sheet_parts[name]
        looked = self._plain(part) or self._looked_at(name, part)
        return self._sheet(self._values(name), looked, part)

    def _plain(self, part: str) -> CellReader | None:
        """Read a sheet around its rows, where all of these are plain and of an extent that anybody could hold."""
        with reading(part):
            size = self._archive.getinfo(part).file_size
        if size > _MOST_AT_ONCE_BYTES:
            return None
        content = b"".join(chunks(self._archive, part))
        plain = plain_rows(content, self._package.styles)
        if plain is None or plain.height * plain.width > MOST_SHEET_CELLS:
            return None
        looked = CellReader(self._package.styles)
        with reading(part):
            looked.read([plain.around])
        looked.styled += plain_styled(content, self._package.styles.looks.styles)
        return looked

    def _looked_at(self, name: str, part: str) -> CellReader:
        forbid_document_types(self._archive, [part])
        looked = CellReader(self._package.styles)
        with reading(part):
            looked.read(chunks(self._archive, part))
        check_extent(name, looked.last_row + 1, looked.last_column + 1)
        return looked

    def _values(self, name: str) -> CalamineSheet:
        try:
            return self._calamine.get_sheet_by_name(name)
        except CalamineError as error:  # whose text may repeat a cell
            reason = f"{self._package.sheet_parts[name]} ({type(error).__name__})"
            raise WorkbookRefused("FILE_CORRUPT", "corrupt", reason=reason) from None

    def _sheet(self, cells: CalamineSheet, looked: CellReader, part: str) -> Sheet:
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
            zeros=frozenset((row + 1, column, digits) for row, column, digits in looked.zeros),
            shown_otherwise=frozenset((row + 1, column) for row, column in looked.shown_otherwise),
            struck=frozenset((row + 1, column) for row, column in looked.struck),
            comments=self._package.comments(part),
            looks=self._package.looks(part, looked.styled),
            stale=self._package.stale and bool(looked.formulas),
        )
        return replace(sheet, oddities=oddities)
