"""Marking a person's own workbook: bad cells coloured and commented, columns added at the end, all else kept."""

import io
from collections.abc import Mapping, Sequence
from copy import copy
from typing import Any, Final

from openpyxl import Workbook, load_workbook
from openpyxl.cell.cell import Cell, MergedCell
from openpyxl.comments import Comment
from openpyxl.packaging.custom import CustomPropertyList, StringProperty
from openpyxl.styles import Alignment, Font, PatternFill
from openpyxl.utils import get_column_letter
from openpyxl.workbook.child import avoid_duplicate_name
from openpyxl.worksheet.worksheet import Worksheet

from io_adapters.spreadsheets.workbook.archive import open_archive
from schemas.sheet_cells import NOTE_MARK

_AUTHOR: Final = "Repasse"
_LIST: Final = "repasse-list"
_OURS: Final = ("repasse:", _LIST)
_TEXT: Final = "@"
_HEADER: Final = "D9E1E8"
_ADDED_WIDTH: Final = 60
_NOTE_WIDTH: Final = 340
_LINE_HEIGHT: Final = 18
_LETTERS_PER_LINE: Final = 40
_NO_FILL: Final = PatternFill()


def marked(content: bytes, marks: Mapping[str, Any]) -> bytes:
    """Return a workbook with marks put into it.

    Formulas are kept, their last values are not: the program that opens it computes them.

    Raises:
        Refused: it is no workbook that would be read.
    """
    open_archive(content).close()
    book = load_workbook(io.BytesIO(content))
    _clear(book)
    for sheet in marks["sheets"]:
        _mark_sheet(book[sheet["title"]], sheet)
    _list_problems(book, marks)
    for name, text in marks["properties"].items():
        _properties(book).append(StringProperty(name=name, value=text))
    out = io.BytesIO()
    book.save(out)
    return out.getvalue()


def _properties(book: Workbook) -> "CustomPropertyList[Any]":
    found: CustomPropertyList[Any] = book.custom_doc_props  # type: ignore[attr-defined]  # which the stubs lack
    return found


def _clear(book: Workbook) -> None:
    """Take out what an earlier marking put in: the list, notes, and the colour of cells that bear one."""
    own = {prop.name: prop.value for prop in _properties(book).props if str(prop.name).startswith(_OURS)}
    if (listed := str(own.get(_LIST))) in book.sheetnames:
        del book[listed]
    for name in own:
        del _properties(book)[name]
    for sheet in book.worksheets:
        for cell in (cell for row in sheet.iter_rows() for cell in row):
            comment = cell.comment
            if comment is not None and NOTE_MARK in comment.text:
                before = comment.text.partition(NOTE_MARK)[0].strip()
                cell.fill = copy(_NO_FILL)
                cell.comment = Comment(before, comment.author) if before else None


def _mark_sheet(sheet: Worksheet, marks: Mapping[str, Any]) -> None:
    for mark in marks["cells"]:
        cell = sheet.cell(mark["row"], mark["position"] + 1)
        if not isinstance(cell, MergedCell):
            _mark_cell(cell, mark)
    header_row, added = marks["header_row"], marks["added_position"] + 1
    for row in range(header_row + 1, sheet.max_row + 1):
        sheet.cell(row, added).value = None
    for position, text in marks["headers"]:
        _write_header(sheet.cell(header_row, position + 1), text)
    for row, text in marks["problems"]:
        cell = sheet.cell(row, added)
        cell.value, cell.data_type = text, "s"
        cell.alignment = Alignment(vertical="top")
    sheet.column_dimensions[get_column_letter(added)].width = _ADDED_WIDTH
    if not sheet.auto_filter.ref and not sheet.tables:
        last = max(sheet.max_row, header_row + 1)
        sheet.auto_filter.ref = f"A{header_row}:{get_column_letter(added)}{last}"


def _mark_cell(cell: Cell, mark: Mapping[str, Any]) -> None:
    if mark["value"] is not None:
        cell.value = mark["value"]
        cell.data_type = "s"
    if mark["is_text"]:
        cell.number_format = _TEXT
    cell.fill = PatternFill("solid", fgColor=mark["colour"])
    before = f"{cell.comment.text.strip()}\n\n" if cell.comment is not None else ""
    text = before + mark["note"]
    height = 40 + _LINE_HEIGHT * (text.count("\n") + len(text) // _LETTERS_PER_LINE)
    cell.comment = Comment(text, _AUTHOR, height=height, width=_NOTE_WIDTH)


def _write_header(cell: Cell | MergedCell, text: str) -> None:
    cell.value, cell.data_type = text, "s"
    cell.font, cell.fill = Font(bold=True), PatternFill("solid", fgColor=_HEADER)


def _list_problems(book: Workbook, marks: Mapping[str, Any]) -> None:
    """Put the list of all problems behind the person's sheets; each leads to its cell."""
    listed = marks["listed"]
    title = avoid_duplicate_name(book.sheetnames, listed["title"])
    sheet = book.create_sheet(title)
    sheet.append([listed["note"]])
    sheet.append([])
    for position, (header, width) in enumerate(listed["headers"], start=1):
        _write_header(sheet.cell(2, position), header)
        sheet.column_dimensions[get_column_letter(position)].width = width
    for row, texts in enumerate(listed["rows"], start=3):
        _write_row(sheet, row, texts, listed["cell_position"])
    sheet.freeze_panes = "A3"
    _properties(book).append(StringProperty(name=_LIST, value=title))


def _write_row(sheet: Worksheet, row: int, texts: Sequence[str], linked: int) -> None:
    for position, text in enumerate(texts[:-1], start=1):
        cell = sheet.cell(row, position)
        cell.value, cell.data_type = text, "s"
        cell.alignment = Alignment(vertical="top", wrap_text=True)
    if texts[-1]:
        sheet.cell(row, linked + 1).hyperlink = texts[-1]
