"""The statements that come as text with nothing but lines: which sender, in which form."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from decimal import Decimal
from pathlib import Path

from sample_data.making.catalogue import Catalogue
from sample_data.making.senders import aggregators, distributors
from sample_data.making.senders.forms import Form, Statement
from sample_data.making.senders.sales import Sale, invent_sales

Sales = list[Sale]


def _as_invented(sales: Sales) -> Sales:
    return sales


def _without_release(sales: Sales) -> Sales:
    quoted = replace(sales[0], track=replace(sales[0].track, title='"Segunda Via" (ao vivo na cozinha)'))
    return [replace(sale, unsaid=frozenset({"release"})) for sale in [quoted, *sales[1:]]]


def _some_isrcs_elsewhere(sales: Sales) -> Sales:
    return [replace(sale, moved=frozenset({"isrc"})) if n % 3 == 2 else sale for n, sale in enumerate(sales)]


def _voids_without_sign(sales: Sales) -> Sales:
    return [replace(sale, units=abs(sale.units)) for sale in sales]


def _one_in_thousands(sales: Sales) -> Sales:
    return [sales[0], replace(sales[1], amount=Decimal("4523.450000")), *sales[2:]]


@dataclass(frozen=True, slots=True)
class Text:
    """One statement.

    Attributes:
        file: Its name.
        layout: By which layout it is read.
        row: How the sender writes a sale.
        form: How the sender writes rows.
        count: How many lines.
        decimals: Of its amounts.
        currencies: Taken in turn.
        period: How its period reads, as a format of dates.
        change: What is particular about its sales.
    """

    file: str
    layout: str
    row: Callable[[Sale], dict[str, str]]
    form: Form
    count: int
    decimals: int
    currencies: tuple[str, ...] = ("USD",)
    period: str = "%Y-%m"
    change: Callable[[Sales], Sales] = field(default=_as_invented)

    def write(self, folder: Path, catalogue: Catalogue) -> Statement:
        """Write it and say what is in it."""
        invented = invent_sales(self.layout, catalogue, self.count, decimals=self.decimals, currencies=self.currencies)
        sales = self.change(invented)
        rows = [self.row(sale) for sale in sales]
        self.form.write(folder / self.file, [list(rows[0]), *(list(row.values()) for row in rows)])
        return Statement(self.file, self.layout, sales, self.period)


_TABS = Form("\t", "none")
_FIRST_OF_MONTH = "%Y-%m-01"
_DAY = "%Y-%m-%d"

TEXTS = (
    Text("distrokid-2025-04.tsv", "distrokid", distributors.distrokid_old, _TABS, 40, 12, change=_without_release),
    Text(
        "distrokid-2026-10.csv",
        "distrokid-csv",
        distributors.distrokid_new,
        Form(quotes="all"),
        40,
        12,
        change=_without_release,
    ),
    Text(
        "tunecore-2026-10.csv",
        "tunecore",
        distributors.tunecore,
        Form(),
        45,
        8,
        period=_FIRST_OF_MONTH,
        change=_some_isrcs_elsewhere,
    ),
    Text(
        "cdbaby-2026-10.txt",
        "cdbaby",
        distributors.cdbaby,
        replace(_TABS, line_end="\r\n"),
        40,
        8,
        period=_DAY,
    ),
    Text("symphonic-2026-10.csv", "symphonic", distributors.symphonic, Form(), 30, 10, change=_voids_without_sign),
    Text(
        "believe-2026-10.csv",
        "believe",
        aggregators.believe,
        Form(";", encoding="utf-8-sig"),
        50,
        10,
        ("EUR",),
        _FIRST_OF_MONTH,
    ),
    Text(
        "orchard-2026-10.csv",
        "orchard",
        aggregators.orchard,
        Form(quotes="all", encoding="utf-8-sig"),
        50,
        10,
        period=_DAY,
    ),
    Text(
        "orchard-2026M10.tsv",
        "orchard-old",
        aggregators.orchard_old,
        replace(_TABS, encoding="cp1252"),
        35,
        6,
        change=_one_in_thousands,
    ),
    Text("fuga-2026Q3.csv", "fuga", aggregators.fuga, Form(), 45, 12, ("EUR", "USD", "GBP"), _FIRST_OF_MONTH),
)
