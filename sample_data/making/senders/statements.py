"""One small statement of each sender, in its own form, and what has to be read of all of them."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from sample_data.making.catalogue import Catalogue, invent_catalogue
from sample_data.making.documents import write_json
from sample_data.making.senders import sheets, stores
from sample_data.making.senders.forms import Form, Statement
from sample_data.making.senders.sales import Sale, invent_sales
from sample_data.making.senders.texts import TEXTS
from sample_data.making.workbooks import Page, write_book

NO_STORE = frozenset({"platform", "release"})
NO_CODES = frozenset({"isrc", "upc", "release", "artist"})


def write_statements(folder: Path, expected: Path) -> None:
    """Write all statements, and what has to be read of each."""
    catalogue = invent_catalogue()
    statements = [text.write(folder, catalogue) for text in TEXTS]
    others = (_bandcamp, _apple, _onerpm, _ingrooves, _apple_streams, _youtube_cms, _prs, _cargo_physical)
    statements += [write(folder, catalogue) for write in others]
    write_json(expected / "statements.json", [statement.expected() for statement in statements])


def _bandcamp(folder: Path, catalogue: Catalogue) -> Statement:
    """UTF-16, payouts among the sales, and a refund without its net amount."""
    invented = invent_sales("bandcamp", catalogue, 40, decimals=2, currencies=("USD", "EUR", "GBP"))
    sales = [replace(sale, unsaid=NO_STORE) for sale in invented]
    refund = next(n for n, sale in enumerate(sales) if sale.amount < 0)
    sales[refund] = replace(sales[refund], moved=frozenset({"amount"}))
    rows = [stores.bandcamp_unsettled(sale) if sale.moved else stores.bandcamp(sale) for sale in sales]
    for position, currency in ((12, "USD"), (30, "EUR")):
        rows.insert(position, stores.bandcamp_payout(sales[0], currency, "-51.20"))
    file = "bandcamp-2026-10.csv"
    Form(encoding="utf-16-le").write(folder / file, [list(rows[0]), *(list(row.values()) for row in rows)])
    return Statement(file, "bandcamp", sales, "%Y-%m-%d", left_out=2)


def _apple(folder: Path, catalogue: Catalogue) -> Statement:
    """Three lines above the header, and the totals below the lines, each narrower than the table."""
    month = dt.date(2026, 8, 30)
    invented = invent_sales("apple", catalogue, 40, decimals=2, currencies=("EUR",))
    sales = [replace(sale, day=month, unsaid=NO_STORE) for sale in invented]
    rows = [stores.apple(sale) for sale in sales]
    above = [["Vendor Name", "Selo Aurora"], ["Start Date", "08/30/2026"], ["End Date", "09/26/2026"]]
    below = [
        ["Total_Rows", str(len(sales))],
        ["Total_Amount", str(_total(sales))],
        ["Total_Units", str(sum(sale.units for sale in sales))],
    ]
    file = "apple-0926.txt"
    Form("\t", "none").write(folder / file, [*above, list(rows[0]), *(list(row.values()) for row in rows), *below])
    return Statement(file, "apple", sales, "%Y-%m-%d", left_out=len(below))


def _onerpm(folder: Path, catalogue: Catalogue) -> Statement:
    """Two sheets that are read, with their own columns, and one that repeats money of the first."""
    invented = invent_sales("onerpm", catalogue, 36, decimals=9, currencies=("USD", "BRL"))
    masters = [replace(sale, track=replace(sale.track, artist=f"{sale.track.artist} (performer)")) for sale in invented]
    invented = invent_sales("onerpm-channels", catalogue, 12, decimals=9, currencies=("USD", "BRL"))
    channels = [replace(sale, store="YouTube", unsaid=NO_CODES) for sale in invented]
    file = "onerpm-2026-10-details.xlsx"
    pages = [
        _page("Masters", [sheets.onerpm_master(sale) for sale in masters]),
        _page("Youtube Channels", [sheets.onerpm_channel(sale) for sale in channels]),
        _page("Shares In & Out", [sheets.onerpm_share(sale) for sale in masters[:6]]),
    ]
    write_book(folder / file, pages)
    return Statement(file, "onerpm", [*masters, *channels])


def _ingrooves(folder: Path, catalogue: Catalogue) -> Statement:
    """A total below the lines, under the sales' classification."""
    sales = invent_sales("ingrooves", catalogue, 40, decimals=9)
    rows = [*(sheets.ingrooves(sale) for sale in sales), sheets.ingrooves_total(sales)]
    file = "ingrooves-2026-10.xlsx"
    write_book(folder / file, [_page("Digital Sales Details", rows)])
    return Statement(file, "ingrooves", sales, left_out=1)


def _apple_streams(folder: Path, catalogue: Catalogue) -> Statement:
    """Period, currency and kind of report stand above the header alone."""
    month = dt.date(2026, 8, 30)
    invented = invent_sales("apple-streams", catalogue, 40, decimals=6, currencies=("BRL",))
    unsaid = frozenset({"upc", "release"})
    sales = [replace(sale, day=month, store="Apple Music", unsaid=unsaid) for sale in invented]
    rows = [stores.apple_streams(sale) for sale in sales]
    above = [["Start Date", "08/30/2026"], ["End Date", "09/26/2026"]]
    above += [["Report Type", "Apple Music"], ["Currency", "BRL"]]
    file = "S1_90001_0926_BR.txt"
    Form("\t", "none").write(folder / file, [*above, list(rows[0]), *(list(row.values()) for row in rows)])
    return Statement(file, "apple-streams", sales, "%Y-%m-%d")


def _youtube_cms(folder: Path, catalogue: Catalogue) -> Statement:
    """A title above the header; three numbers that are not the money for one that is."""
    invented = invent_sales("youtube", catalogue, 40, decimals=6)
    sales = [replace(sale, unsaid=frozenset({"platform"})) for sale in invented]
    rows = [stores.youtube_cms(sale) for sale in sales]
    file = "youtube-asset-2026-09.csv"
    Form().write(folder / file, [["Asset Summary"], list(rows[0]), *(list(row.values()) for row in rows)])
    return Statement(file, "youtube-cms", sales, "%Y-%m-%d")


def _prs(folder: Path, catalogue: Catalogue) -> Statement:
    """Works without codes, months or places."""
    unsaid = frozenset({"period", "platform", "territory", "isrc", "upc", "release"})
    invented = invent_sales("prs", catalogue, 30, decimals=3, currencies=("GBP",))
    sales = [replace(sale, units=0, unsaid=unsaid) for sale in invented]
    rows = [stores.prs(replace(sale, units=number)) for number, sale in enumerate(sales, start=1)]
    file = "prs-2026-10.csv"
    Form().write(folder / file, [list(rows[0]), *(list(row.values()) for row in rows)])
    return Statement(file, "prs", sales)


def _cargo_physical(folder: Path, catalogue: Catalogue) -> Statement:
    """A title above the table."""
    unsaid = frozenset({"territory", "isrc", "upc", "title"})
    invented = invent_sales("cargo", catalogue, 30, decimals=2, currencies=("GBP",))
    sales = [replace(sale, unsaid=unsaid) for sale in invented]
    file = "cargo-2026-10.xlsx"
    page = _page("Sales", [sheets.cargo_physical(sale) for sale in sales])
    write_book(folder / file, [page])
    return Statement(file, "cargo-physical", sales)


def _page(name: str, rows: Sequence[sheets.Row]) -> Page:
    return Page(name, list(rows[0]), [list(row.values()) for row in rows])


def _total(sales: Sequence[Sale]) -> Decimal:
    return sum((sale.amount for sale in sales), Decimal(0))
