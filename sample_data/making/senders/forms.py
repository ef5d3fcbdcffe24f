"""How a statement is written as text, and what has to be read of it."""

import csv
import io
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Literal

from sample_data.making.senders.sales import Sale


@dataclass(frozen=True, slots=True)
class Form:
    """How a sender writes text.

    Attributes:
        delimiter: Between fields.
        quotes: Around every field, where one needs them, or around none.
        encoding: Python's name; UTF-16 gets its byte order mark.
        line_end: Between lines.
    """

    delimiter: str = ","
    quotes: Literal["all", "needed", "none"] = "needed"
    encoding: str = "utf-8"
    line_end: str = "\n"

    def write(self, path: Path, rows: Iterable[Sequence[str]]) -> None:
        """Write rows of any width."""
        text = io.StringIO()
        if self.quotes == "none":
            text.writelines(self.delimiter.join(row) + self.line_end for row in rows)
        else:
            quoting = csv.QUOTE_ALL if self.quotes == "all" else csv.QUOTE_MINIMAL
            csv.writer(text, delimiter=self.delimiter, quoting=quoting, lineterminator=self.line_end).writerows(rows)
        mark = "\ufeff" if self.encoding == "utf-16-le" else ""  # the name without "le" would follow the machine
        path.write_bytes((mark + text.getvalue()).encode(self.encoding))


@dataclass(frozen=True, slots=True)
class Statement:
    """A file and the sales in it.

    Attributes:
        file: Its name.
        layout: By which layout it is read.
        sales: Its lines, in order.
        period: How its period reads, as a format of dates.
        left_out: How many rows below the header are no lines.
    """

    file: str
    layout: str
    sales: Sequence[Sale]
    period: str = "%Y-%m"
    left_out: int = 0

    def expected(self) -> dict[str, object]:
        """Return what has to be read of it."""
        sums: dict[str, Decimal] = {}
        for sale in self.sales:
            sums[sale.currency] = sums.get(sale.currency, Decimal(0)) + sale.amount
        return {
            "file": self.file,
            "layout": self.layout,
            "lines": len(self.sales),
            "left_out": self.left_out,
            "sums": {currency: f"{total:f}" for currency, total in sums.items()},
            "first": self._line(self.sales[0]),
            "last": self._line(self.sales[-1]),
        }

    def _line(self, sale: Sale) -> dict[str, object]:
        line = {
            "period": f"{sale.day:{self.period}}",
            "platform": sale.store,
            "territory": sale.country,
            "isrc": sale.track.isrc,
            "upc": sale.track.upc,
            "release": sale.track.release,
            "title": sale.track.title,
            "artist": sale.track.artist,
        }
        said = {column: "" if column in sale.unsaid else text for column, text in line.items()}
        return said | {"units": sale.units, "amount": f"{sale.amount:f}", "currency": sale.currency}
