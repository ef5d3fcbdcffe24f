"""Reading .xlsb, Excel's binary workbook: the package of an .xlsx, with records in place of XML."""

import posixpath
import struct
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property

from io_adapters.spreadsheets.workbook.archive import local_name, open_archive, reading, xml_tree
from io_adapters.spreadsheets.workbook.sheets import Refused, Sheet, SheetName, Traits
from io_adapters.spreadsheets.workbook.xls_numbers import Shown
from io_adapters.spreadsheets.workbook.xlsb_book import read_book, read_styles, read_texts
from io_adapters.spreadsheets.workbook.xlsb_cells import BookContext, SheetReader


def open_xlsb(content: bytes) -> "XlsbWorkbook":
    """Open an .xlsb.

    Raises:
        Refused: FILE_CORRUPT, FILE_XML_FORBIDDEN, and what any ZIP archive is refused for.
    """
    return XlsbWorkbook(open_archive(content))


class XlsbWorkbook:
    """An .xlsb, open.

    Attributes:
        sheets: Its worksheets, in order.
        traits: What is to be said of it as a whole.
    """

    def __init__(self, archive: zipfile.ZipFile) -> None:
        """Read the parts around the sheets."""
        self._archive = archive
        package = _relations(archive, "")
        part = _only(package, "officeDocument")
        if part is None:
            raise Refused("FILE_CORRUPT", "corrupt", reason="_rels/.rels")
        self._related = _relations(archive, part)
        with _reading(part):
            book = read_book(archive.read(part))
            sheets = [(sheet, *self._related[sheet.relation]) for sheet in book.sheets if sheet.relation]
        self._parts = {sheet.name: path for sheet, kind, path in sheets if kind == "worksheet"}
        if len({sheet.name for sheet in book.sheets}) < len(book.sheets):
            raise Refused("FILE_CORRUPT", "corrupt", reason=part)
        self.sheets: Sequence[SheetName] = tuple(
            SheetName(sheet.name, sheet.visible) for sheet, kind, _ in sheets if kind == "worksheet"
        )
        macros = any(kind.lower().endswith("macrosheet") for _, kind, _ in sheets) or any(
            name.endswith("vbaProject.bin") for name in archive.namelist()
        )
        custom = _only(package, "custom-properties")
        self.traits = Traits(macros, book.date_1904, _properties(archive, custom) if custom else {})
        self._book = book

    def load(self, name: str) -> Sheet:
        """Bring one sheet into memory.

        Raises:
            Refused: FILE_CORRUPT, FILE_EXTENT.
        """
        part = self._parts[name]
        context = self._context
        with _reading(part):
            return SheetReader(name, context).read(self._archive.read(part))

    @cached_property
    def _context(self) -> BookContext:
        texts, shown = _only(self._related, "sharedStrings"), _only(self._related, "styles")
        with _reading(texts or ""):
            shared = read_texts(self._archive.read(texts)) if texts else []
        with _reading(shown or ""):
            styles = read_styles(self._archive.read(shown)) if shown else [Shown.NUMBER]
        return BookContext(shared, styles, self._book.date_1904, self._book.stale, self._book.external)


def _properties(archive: zipfile.ZipFile, part: str) -> dict[str, str]:
    return {
        element.get("name", ""): "".join(element.itertext())
        for element in xml_tree(archive, part)
        if local_name(element) == "property"
    }


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Relation id -> (last word of its type, full name of the part it leads to)."""
    folder, name = posixpath.split(part)
    return {
        element.get("Id", ""): (
            element.get("Type", "").rsplit("/", 1)[-1],
            posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/"),
        )
        for element in xml_tree(archive, posixpath.join(folder, "_rels", f"{name}.rels"))
    }


def _only(relations: dict[str, tuple[str, str]], kind: str) -> str | None:
    return next((part for found, part in relations.values() if found == kind), None)


@contextmanager
def _reading(part: str) -> Iterator[None]:
    """Refuse damaged records as well as damaged archives; a refusal names the part and repeats nothing of it."""
    with reading(part):
        try:
            yield
        except (struct.error, IndexError) as error:
            raise Refused("FILE_CORRUPT", "corrupt", reason=f"{part} ({type(error).__name__})") from None
