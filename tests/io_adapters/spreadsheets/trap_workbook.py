"""A workbook with every trap, and what LibreOffice makes of it; shared by the tests of the formats other than .xlsx."""

import datetime as dt
import shutil
import subprocess
from collections.abc import Callable
from pathlib import Path

import openpyxl
import pytest

from io_adapters.spreadsheets.workbook.sheets import Sheet, Workbook, WorkbookRefused, columns_of
from schemas.sheet_cells import CellKind
from tests.throwaway_postgresql import go_without

Cells = list[list[tuple[str, CellKind]]]
Convert = Callable[[Path, str, Path], Path]

HEADERS = ("Nome", "CPF/CNPJ", "Valor", "Data", "Participação", "Fórmula", "Erro", "Sim?", "Hora")
ROWS = (
    ("José  Ação", "00123456000", 1234.5, dt.date(2026, 10, 1), 0.5, "=10+1", "#N/A", True, dt.time(9, 30)),
    (
        "duas\nlinhas",
        "52998224725",
        123456789012345,
        dt.datetime.fromisoformat("2026-10-01T09:30"),
        0.3333,
        "=1/0",
        "#REF!",
        False,
    ),
    (" x\ty ", "0001", 1e-7, dt.date(2026, 2, 28), 1.5, '=""', "#DIV/0!", None, dt.timedelta(hours=30)),
    ("NA", "12345678E00131", -0.07, dt.date(1904, 1, 2), 0.07, '="a"&"b"', "#NAME?", None, None),
    ("=texto", "'00", 0, None, None, "=D4", "#VALUE!", None, None),
    ("日本 😀 <&>", "1,5", 3e20, None, None, "=SUM(D6:D7)", "#NUM!", None, None),
    ("", "-", 0.1, None, None, "=2>1", "#NULL!", None, None),
)


def trap_workbook(path: Path) -> Path:
    """Write it: a table that begins in B3, hidden and merged lines, hidden sheets."""
    book = openpyxl.Workbook()
    sheet = book.active
    sheet.title = "Dados"
    for row, cells in enumerate((HEADERS, *ROWS), 3):
        for column, value in enumerate(cells, 2):
            if value not in (None, ""):
                sheet.cell(row, column, value)
    sheet["B8"].data_type = "s"  # a text that looks like a formula
    for row in range(4, 8):
        sheet.cell(row, 6).number_format = "0.00%"
    sheet["J6"].number_format = "[h]:mm:ss"
    sheet["B4"].comment = openpyxl.comments.Comment("um comentário não é texto da célula", "alguém")
    sheet.row_dimensions[5].hidden = True
    sheet.column_dimensions["D"].hidden = True
    sheet["B13"] = "rodapé"
    sheet.merge_cells("B13:D14")
    sheet["B15"] = "fim"
    book.create_sheet("Oculta").sheet_state = "hidden"
    book["Oculta"]["A1"] = "x"
    book.create_sheet("Vazia")
    book.save(path)
    return path


def libreoffice(tmp_path_factory: pytest.TempPathFactory) -> Convert:
    """Return LibreOffice, with a profile of its own; a fixture where it is declared one."""
    program = shutil.which("soffice")
    if program is None:
        go_without("LibreOffice (soffice) is not installed")
    profile = tmp_path_factory.mktemp("libreoffice")

    def save_as(source: Path, form: str, folder: Path) -> Path:
        folder.mkdir(exist_ok=True)
        command = [program, f"-env:UserInstallation={profile.as_uri()}", "--headless", "--convert-to", form]
        subprocess.run([*command, "--outdir", folder, source], check=True, capture_output=True, timeout=120)
        return folder / f"{source.stem}.{form}"

    return save_as


def cells_of(sheet: Sheet) -> Cells:
    """Read a sheet's cells as text and kind, the way they are handed on."""
    rows = list(sheet.rows)
    assert len(rows) == sheet.height
    assert {len(row) for row in rows} <= {sheet.width}
    columns = [column.to_pylist() for column in columns_of(rows).columns] if rows else []
    texts, kinds = columns[: sheet.width], columns[sheet.width :]
    return [[(texts[c][r], CellKind(kinds[c][r])) for c in range(sheet.width)] for r in range(sheet.height)]


def texts_of(sheet: Sheet) -> list[list[str]]:
    return [[text for text, _ in row] for row in cells_of(sheet)]


def refusal(opener: Callable[[bytes], Workbook], content: bytes) -> str | None:
    """Open and read all of a workbook; return the code it is refused with, None when it is not."""
    try:
        book = opener(content)
        for name, _ in book.sheets:
            for _row in book.load(name).rows:
                pass
    except WorkbookRefused as refused:
        return refused.code
    return None
