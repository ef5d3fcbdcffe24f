"""payments.csv: every obligation with its place, for programs and for people without the workbook."""

import csv
import io
from decimal import Decimal

from io_adapters.outputs.labels import Labels
from io_adapters.outputs.obligation_rows import obligation_columns, obligation_rows
from io_adapters.outputs.safe_text import csv_text
from io_adapters.outputs.tables import Toned
from io_adapters.outputs.workbook import Value
from schemas.reconciliation import Reconciliation


def payments_csv(reconciliation: Reconciliation) -> bytes:
    """Write all obligations; their amounts add up to the run's `in`.

    Returns:
        UTF-8 with a byte order mark, lines ended by CR LF. pt-BR: ";" between fields and a decimal comma; en: "," and a
        point. Amounts bear no thousands marks. Text that could run as a formula begins with an apostrophe.
    """
    labels = Labels(reconciliation.language)
    is_brazilian = reconciliation.language == "pt-BR"
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";" if is_brazilian else ",")
    writer.writerow(column.header for column in obligation_columns(labels))
    for row in obligation_rows(reconciliation.obligations, labels):
        writer.writerow(_field(value, "," if is_brazilian else ".") for value in row)
    return buffer.getvalue().encode("utf-8-sig")


def _field(value: Value | Toned, decimal_mark: str) -> str:
    if isinstance(value, Decimal):
        return f"{value:.2f}".replace(".", decimal_mark)
    if isinstance(value, Toned):
        return csv_text(value.text)
    return "" if value is None else csv_text(str(value))
