"""The ZIP package of an .xlsx: which part is which sheet, and whether opening it is safe."""

import posixpath
import re
import zipfile
from typing import Final
from xml.etree.ElementTree import Element

from defusedxml import ElementTree

from io_adapters.spreadsheets.files import HARMLESS_BYTES, MAX_EXPANSION
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode

_MOST_PARTS: Final = 10_000
_RELATION_ID: Final = "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}id"
_STRICT_RELATION_ID: Final = "{http://purl.oclc.org/ooxml/officeDocument/relationships}id"
_BUILT_IN_PERCENT: Final = frozenset({9, 10})


def check_size(archive: zipfile.ZipFile, place: Place) -> None:
    """Refuse archives made to exhaust memory.

    Raises:
        UnreadableFile: too many parts, or one that expands beyond what a table does.
    """
    parts = archive.infolist()
    if len(parts) > _MOST_PARTS:
        raise refusal(IssueCode.FILE_CORRUPT, place, "bomb", part=f"{len(parts)} parts")
    for part in parts:
        if part.file_size > max(HARMLESS_BYTES, MAX_EXPANSION * part.compress_size):
            raise refusal(IssueCode.FILE_CORRUPT, place, "bomb", part=part.filename)


def has_macros(archive: zipfile.ZipFile) -> bool:
    """Tell whether the workbook carries macros; they are never run."""
    return any(name.endswith("vbaProject.bin") for name in archive.namelist())


def sheet_parts(archive: zipfile.ZipFile) -> dict[str, str]:
    """Return sheet name -> name of the part that holds its cells.

    Raises:
        KeyError: the package lacks a part that it must have.
        xml.etree.ElementTree.ParseError: a part is not XML.
    """
    workbook_part = _workbook_part(archive)
    targets = _relations(archive, workbook_part)
    parts: dict[str, str] = {}
    for element in _tree(archive, workbook_part).iter():
        if _local(element) == "sheet":
            relation = element.get(_RELATION_ID) or element.get(_STRICT_RELATION_ID) or ""
            parts[element.get("name", "")] = targets[relation][1]
    return parts


def percent_styles(archive: zipfile.ZipFile) -> tuple[int, ...]:
    """Return the cell styles that show their number as a percentage: 0.5 is seen as 50%."""
    styles_part = next(
        (part for kind, part in _relations(archive, _workbook_part(archive)).values() if kind == "styles"), None
    )
    if styles_part is None:
        return ()
    tree = _tree(archive, styles_part)
    custom = {
        int(element.get("numFmtId", "0"))
        for element in tree.iter()
        if _local(element) == "numFmt" and _shows_percent(element.get("formatCode", ""))
    }
    formats = next((element for element in tree if _local(element) == "cellXfs"), ())
    return tuple(
        style
        for style, element in enumerate(formats)
        if int(element.get("numFmtId", "0")) in custom | _BUILT_IN_PERCENT
    )


def _shows_percent(format_code: str) -> bool:
    return "%" in re.sub(r'"[^"]*"|\\.', "", format_code)


def _workbook_part(archive: zipfile.ZipFile) -> str:
    documents = [part for kind, part in _relations(archive, "").values() if kind == "officeDocument"]
    if not documents:
        raise KeyError("officeDocument")
    return documents[0]


def _relations(archive: zipfile.ZipFile, part: str) -> dict[str, tuple[str, str]]:
    """Relation id -> (last word of its type, full name of the part it leads to)."""
    folder, name = posixpath.split(part)
    tree = _tree(archive, posixpath.join(folder, "_rels", f"{name}.rels"))
    return {
        element.get("Id", ""): (
            element.get("Type", "").rsplit("/", 1)[-1],
            posixpath.normpath(posixpath.join("/", folder, element.get("Target", ""))).lstrip("/"),
        )
        for element in tree
    }


def _tree(archive: zipfile.ZipFile, part: str) -> Element:
    root: Element = ElementTree.fromstring(archive.read(part), forbid_dtd=True)
    return root


def _local(element: Element) -> str:
    return element.tag.rsplit("}", 1)[-1]
