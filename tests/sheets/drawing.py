"""Sheets drawn in text, written as the files people send, and what a person may expect of each."""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any, Final

import yaml
from xlsxwriter import Workbook

FOLDER: Final = Path(__file__).parent / "drawn"
# {1234.5}, {123 as 00000000000}, {2026-10-31}, {=SUM(B2:B3) -> 300}: what a spreadsheet holds that is no text.
_TYPED: Final = re.compile(r"\{(?:=(?P<formula>.+?) -> )?(?P<value>[^{}]*?)(?: as (?P<format>[^{}]+))?\}")
_NUMBER: Final = re.compile(r"-?[0-9]+(\.[0-9]+)?")
_DATE: Final = re.compile(r"[0-9]{4}-[0-9]{2}-[0-9]{2}")
_MERGED: Final = "<<"
_PAYER: Final = {"tax_id": "12.ABC.345/01DE-35", "name": "Selo Aurora"}
_ONLY_PAYEE: Final = "529.982.247-25"

Grid = list[list[str]]


@dataclass(frozen=True, slots=True)
class DrawnSheet:
    """One file of somebody's, as its drawing describes it.

    Attributes:
        name: Of the drawing.
        what: What is peculiar about it, in a sentence.
        source: The job's source, but for its files: a layout, and what else a job may say of it.
        file: Base name; "" for a drawing that says nothing of it.
        sheets: Sheet -> rows of cells; one without a name for a drawing of a single sheet.
        text: The file as it is, where it is a text that no sheet would be saved as.
        encoding: Of that text.
        job: Keys of the job besides.
        beside: Tables beside the sources: payees or shares -> CSV text.
        truth: What becomes of it; see README.md.
    """

    name: str
    what: str
    source: Mapping[str, Any]
    file: str
    sheets: Mapping[str, Grid]
    text: str
    encoding: str
    job: Mapping[str, Any]
    beside: Mapping[str, str]
    truth: Mapping[str, Any]

    @property
    def forms(self) -> tuple[str, ...]:
        """Endings of the files it is written as: cells of text alone are the same in a workbook and in a text."""
        if self.text:
            return (Path(self.file).suffix,)
        if len(self.sheets) > 1 or any("{" in cell or cell == _MERGED for cell in self._cells()):
            return (".xlsx",)
        return (".xlsx", ".csv")

    def _cells(self) -> Iterator[str]:
        return (cell for grid in self.sheets.values() for row in grid for cell in row)

    def write(self, folder: Path, form: str) -> Path:
        """Write the file into a folder, and the job that reads it; returns the job's path."""
        name = self.file or f"{self.name}{form}"
        if self.text:
            (folder / name).write_bytes(self.text.encode(self.encoding))
        elif form == ".xlsx":
            _write_workbook(folder / name, self.sheets)
        else:
            _write_text(folder / name, next(iter(self.sheets.values())))
        return self.declare(folder, name)

    def declare(self, folder: Path, name: str) -> Path:
        """Write the job that reads a file, by its name or path; returns the job's path."""
        job: dict[str, Any] = {
            "job": "drawn",
            "payer": _PAYER,
            "period": "2026-10",
            "sources": [{"files": name, **self.source}],
            "account_checks": {"when": "never"},
            "outputs": {"folder": "out"},
        }
        for table, text in self.beside.items():
            (folder / f"{table}.csv").write_text(text, encoding="utf-8")
            job[table] = f"{table}.csv"
        path = folder / "job.yaml"
        path.write_text(yaml.safe_dump(job | self.job, allow_unicode=True), encoding="utf-8")
        return path


def drawings() -> list[DrawnSheet]:
    """Read all drawings, in order of name."""
    return [_drawing(path) for path in sorted(FOLDER.glob("*.yaml"))]


def _drawing(path: Path) -> DrawnSheet:
    drawn = yaml.safe_load(path.read_text(encoding="utf-8"))
    truth = drawn["truth"]
    sheets = drawn.get("sheets") or ({"Dados": drawn["sheet"]} if "sheet" in drawn else {})
    beside = drawn.get("beside", {})
    if "lines" in truth and not beside:
        beside = {
            "shares": f"tax_id;share\n{_ONLY_PAYEE};100%\n",
            "payees": f"name;tax_id;pix_key;pix_key_type\nMaria Silva;{_ONLY_PAYEE};maria@example.com;E-mail\n",
        }
    return DrawnSheet(
        name=path.stem,
        what=drawn["what"],
        source=drawn["source"],
        file=drawn.get("file", ""),
        sheets={name: _grid(text) for name, text in sheets.items()},
        text=drawn.get("text", ""),
        encoding=drawn.get("encoding", "utf-8"),
        job=drawn.get("job", {}),
        beside=beside,
        truth=truth,
    )


def _grid(text: str) -> Grid:
    return [[cell.strip() for cell in line.split("|")] for line in text.rstrip("\n").splitlines()]


def _write_text(path: Path, grid: Grid) -> None:
    stream = io.StringIO()
    width = max(len(row) for row in grid)
    csv.writer(stream, delimiter=";", lineterminator="\r\n").writerows(row + [""] * (width - len(row)) for row in grid)
    path.write_bytes(stream.getvalue().encode("utf-8-sig"))


def _write_workbook(path: Path, sheets: Mapping[str, Grid]) -> None:
    with Workbook(path, {"strings_to_numbers": False, "strings_to_formulas": False}) as book:
        book.calc_on_load = False  # what formulas came to stands beside them, as when Excel saves
        for name, grid in sheets.items():
            page = book.add_worksheet(name)
            for at, row in enumerate(grid):
                _write_row(book, page, at, row)


def _write_row(book: Workbook, page: Any, at: int, row: Sequence[str]) -> None:
    position = 0
    while position < len(row):
        last = position
        while last + 1 < len(row) and row[last + 1] == _MERGED:
            last += 1
        if last > position:
            page.merge_range(at, position, at, last, row[position])
        elif row[position]:
            _write_cell(book, page, (at, position), row[position])
        position = last + 1


def _write_cell(book: Workbook, page: Any, place: tuple[int, int], cell: str) -> None:
    typed = _TYPED.fullmatch(cell)
    if typed is None:
        page.write_string(*place, cell)
        return
    value, style = typed["value"], book.add_format({"num_format": typed["format"] or "General"})
    if typed["formula"]:
        page.write_formula(*place, f"={typed['formula']}", style, Decimal(value) if _NUMBER.fullmatch(value) else value)
    elif _DATE.fullmatch(value):
        page.write_datetime(*place, datetime.fromisoformat(value), book.add_format({"num_format": "dd/mm/yyyy"}))
    else:
        page.write_number(*place, Decimal(value), style)
