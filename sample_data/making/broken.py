"""A spreadsheet in which everything goes wrong that goes wrong in practice, and the list of what must be said of it."""

from pathlib import Path

from openpyxl.utils import get_column_letter

from sample_data.making.documents import write_json, write_text
from sample_data.making.jobs import BROKEN_JOB
from sample_data.making.mistakes import Row, invent_rows
from sample_data.making.payments import HEADERS, SHEET
from sample_data.making.workbooks import Value, write_workbook

FILE = "payments-broken.xlsx"


def write_broken(folder: Path) -> None:
    """Write the job, the broken spreadsheet, and every problem that must be reported, cell by cell."""
    rows = invent_rows()
    write_text(folder / "job.yaml", BROKEN_JOB)
    blank: list[Value] = [""] * len(HEADERS)
    write_workbook(folder / FILE, SHEET, HEADERS, [row.cells() if row else blank for row in rows])
    write_json(folder / "expected-issues.json", _expected(rows))


def _expected(rows: list[Row | None]) -> dict[str, object]:
    issues = [
        {
            "row": number,
            "cell": f"{get_column_letter(HEADERS.index(column) + 1)}{number}" if column else None,
            "column": column,
            "code": code.value,
        }
        for number, row in enumerate(rows, start=2)
        if row
        for column, code in row.errors
    ]
    good = [number for number, row in enumerate(rows, start=2) if row and not row.errors]
    held = [number for number, row in enumerate(rows, start=2) if row and row.errors]
    return {
        "file": FILE,
        "sheet": SHEET,
        "rows": {
            "read": len(rows),
            "used": len(good),
            "held": len(held),
            "duplicate": 0,
            "ignored": rows.count(None),
        },
        "good_rows": good,
        "payable_cents": sum(_cents(row) for row in rows if row and not row.errors),
        "errors": issues,
    }


def _cents(row: Row) -> int:
    return 123_456 if row.changes.get("Valor") == "R$ 1.234,56" else row.payment.amount_cents
