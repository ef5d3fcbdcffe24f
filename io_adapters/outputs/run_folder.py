"""What a run leaves in its folder: the workbook, the CSV and `summary.json`."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Final

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.payments_csv import payments_csv
from io_adapters.outputs.sheets import tables_of
from io_adapters.outputs.summary_sheet import write_summary_sheet
from io_adapters.outputs.tables import write_table
from io_adapters.outputs.workbook import Book
from schemas.reconciliation import Reconciliation


def write_outputs(reconciliation: Reconciliation, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write what the job asked for. The same reconciliation gives the same bytes every time.

    Args:
        reconciliation: Everything there is to say.
        folder: Folder of the run; made when missing.
        formats: Of "xlsx", "csv" and "json".

    Returns:
        Where the files are, `summary.json` last: where it is, the others are too. A file that could not be replaced
        because it is read-only or open elsewhere is left alone and its new content is next to it, "name (2)".

    Raises:
        OSError: the folder cannot be written; each file there is whole, old or new.
    """
    return [
        replace_atomically(folder / name, content_of(reconciliation))
        for form, (name, content_of) in _FILES.items()
        if form in formats
    ]


def reconciliation_xlsx(reconciliation: Reconciliation) -> bytes:
    """Write the workbook: the summary first, then every obligation, payee, earning, row, check and problem."""
    book = Book()
    write_summary_sheet(book, reconciliation)
    for table in tables_of(reconciliation):
        write_table(book, table)
    return book.to_bytes()


def summary_json(reconciliation: Reconciliation) -> bytes:
    """Write `summary.json`."""
    return f"{reconciliation.summary.to_json()}\n".encode()


_FILES: Final[dict[str, tuple[str, Callable[[Reconciliation], bytes]]]] = {
    "xlsx": ("reconciliation.xlsx", reconciliation_xlsx),
    "csv": ("payments.csv", payments_csv),
    "json": ("summary.json", summary_json),
}
