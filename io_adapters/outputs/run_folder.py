"""Writing a run's folder: workbook, CSV, Parquet and `summary.json`."""

import csv
import datetime as dt
import io
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final

from io_adapters.outputs.atomic import (
    replace_atomically,
)
from io_adapters.outputs.grid import Toned
from io_adapters.outputs.reconciliation_summary import write_summary_sheet
from io_adapters.outputs.reconciliation_workbook import (
    destination_of,
    obligation_columns,
    obligation_rows,
    tables_of,
)
from io_adapters.outputs.workbook import Book, Formula, Linked, Value, csv_text
from io_adapters.outputs.workbook_tables import write_table
from schemas.messages import catalogue_in
from schemas.readers import for_people
from schemas.reconciliation import Reconciliation


@for_people()
def payments_csv(reconciliation: Reconciliation) -> bytes:
    """Write all obligations; their amounts add up to the run's `in`."""
    labels = catalogue_in(reconciliation.language)
    is_brazilian = reconciliation.language == "pt-BR"
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";" if is_brazilian else ",")
    writer.writerow(column.header for column in obligation_columns(labels))
    for row in obligation_rows(reconciliation.obligations, labels, reconciliation.reports):
        writer.writerow(_field(value, "," if is_brazilian else ".") for value in row)
    return buffer.getvalue().encode("utf-8-sig")


def _field(value: Value | Toned | Linked | Formula, decimal_mark: str) -> str:
    if isinstance(value, Decimal):
        return f"{value:.2f}".replace(".", decimal_mark)
    if isinstance(value, Toned | Linked | Formula):
        return csv_text(value.text)
    if isinstance(value, dt.datetime):
        return f"{value:%Y-%m-%d %H:%M}"
    return "" if value is None else csv_text(str(value))


def payments_parquet(reconciliation: Reconciliation) -> bytes:
    """Write all obligations for programs: names of columns and codes that no language changes."""
    import pyarrow as pa  # noqa: PLC0415  # a tenth of a second, for jobs that want it
    from pyarrow.parquet import write_table as write_parquet  # noqa: PLC0415

    summary = reconciliation.summary
    reports = {report.submission_id: report for report in reconciliation.reports}
    labels = catalogue_in("en")
    rows: list[dict[str, object]] = []
    for obligation in reconciliation.obligations:
        report = reports.get(obligation.submission_id)
        kind, destination = destination_of(obligation.account, labels)
        rows.append(
            {
                "job": summary.job,
                "period": summary.period,
                "run": summary.run,
                "currency": summary.currency,
                "name": obligation.payee.name or None,
                "tax_id": obligation.payee.tax_id or None,
                "kind": obligation.kind,
                "reference": obligation.reference or None,
                "amount_cents": obligation.amount_cents,
                "place": obligation.place.value,
                "reason": obligation.reason or None,
                "destination_type": kind or None,
                "destination": destination or None,
                "file": obligation.source.file or None,
                "sheet": obligation.source.sheet or None,
                "row": obligation.source.row or None,
                "key": obligation.key or None,
                "report_id": obligation.submission_id or None,
                "split_id": report.split_id if report else None,
                "plan_digest": report.plan_digest if report else None,
                "sent_at": report.sent_at if report else None,
                "ended_at": report.ended_at if report else None,
                "approved_by": list(report.approved_by) if report else None,
            }
        )
    types = {"amount_cents": pa.int64(), "row": pa.int64(), "approved_by": pa.list_(pa.string())}
    types |= dict.fromkeys(("sent_at", "ended_at"), pa.timestamp("us", tz="UTC"))
    schema = pa.schema([(name, types.get(name, pa.string())) for name in _PARQUET_COLUMNS])
    buffer = io.BytesIO()
    write_parquet(pa.Table.from_pylist(rows, schema=schema), buffer)
    return buffer.getvalue()


_PARQUET_COLUMNS: Final = (
    *("job", "period", "run", "currency", "name", "tax_id", "kind", "reference", "amount_cents", "place", "reason"),
    *("destination_type", "destination", "file", "sheet", "row", "key", "report_id", "split_id", "plan_digest"),
    *("sent_at", "ended_at", "approved_by"),
)


@for_people()
def write_outputs(reconciliation: Reconciliation, folder: Path, formats: Sequence[str]) -> list[Path]:
    """Write what the job asked for. The same reconciliation gives the same bytes every time.

    Raises:
        OSError: the folder cannot be written; each file there is whole, old or new.
    """
    return [
        replace_atomically(folder / name, content_of(reconciliation))
        for form, (name, content_of) in _FILES.items()
        if form in formats
    ]


@for_people()
def reconciliation_xlsx(reconciliation: Reconciliation) -> bytes:
    """Write the workbook: the summary first, then every obligation, payee, earning, row, check and problem."""
    book = Book()
    write_summary_sheet(book, reconciliation)
    for table in tables_of(reconciliation):
        write_table(book, table)
    return book.to_bytes()


@for_people()
def summary_json(reconciliation: Reconciliation) -> bytes:
    return f"{reconciliation.summary.to_json()}\n".encode()


_FILES: Final[dict[str, tuple[str, Callable[[Reconciliation], bytes]]]] = {
    "xlsx": ("reconciliation.xlsx", reconciliation_xlsx),
    "csv": ("payments.csv", payments_csv),
    "parquet": ("payments.parquet", payments_parquet),
    "json": ("summary.json", summary_json),
}
