"""How ONErpm and Ingrooves write a sale: header -> cell of a sheet, in their order, every decoy filled."""

from collections.abc import Sequence
from decimal import Decimal

from sample_data.making.senders.sales import Sale
from sample_data.making.workbooks import Value

Row = dict[str, Value]
_PLACES = Decimal("1e-9")  # a sheet's number keeps fifteen digits in all


def onerpm_master(sale: Sale) -> Row:
    """A line of the sheet Masters; roles stand behind the artists' names."""
    return {
        "Album Title": sale.track.release,
        "Track Title": sale.track.title,
        "Artists": sale.track.artist,
        "Label": "Selo Aurora",
        "UPC": sale.track.upc,
        "ISRC": sale.track.isrc,
        "Product Type": "Audio",
        "Store": sale.store,
        "Territory": sale.country,
        "Sale Type": "Stream",
        "Transaction Month": f"{sale.day:%Y-%m}",
        "Accounted Date": "2026-10-01",
        "Original Currency": "EUR",
        "Gross (Original Currency)": _decoy(sale, "1.1"),
        "Exchange Rate": Decimal("1.17"),
        "Currency": sale.currency,
        "Gross": _decoy(sale, "1.25"),
        "Quantity": sale.units,
        "Average Unit Gross": _decoy(sale, "0.001"),
        "% Share": 100,
        "Fees": _decoy(sale, "0.25"),
        "Net": sale.amount,
    }


def onerpm_channel(sale: Sale) -> Row:
    """A line of the sheet Youtube Channels: videos, which have no codes."""
    return {
        "Video Title": sale.track.title,
        "Video ID": f"v{sale.track.isrc[-5:]}",
        "Channel ID": "UCaurora",
        "Store": sale.store,
        "Territory": sale.country,
        "Sale Type": "Ad-Supported",
        "Transaction Month": f"{sale.day:%Y-%m}",
        "Accounted Date": "2026-10-01",
        "% Share": 100,
        "Currency": sale.currency,
        "Quantity": sale.units,
        "Gross": _decoy(sale, "1.25"),
        "Net": sale.amount,
    }


def onerpm_share(sale: Sale) -> Row:
    """A line of the sheet Shares In & Out: money of Masters once more, on its way to another account."""
    return {
        "Share Type": "Out",
        "Title": sale.track.title,
        "Artists": sale.track.artist,
        "Parent ID": sale.track.upc,
        "ID": sale.track.isrc,
        "Product Type": "Audio",
        "Store": sale.store,
        "Territory": sale.country,
        "Sale Type": "Stream",
        "Transaction Month": f"{sale.day:%Y-%m}",
        "Accounted Date": "2026-10-01",
        "Currency": sale.currency,
        "Quantity": sale.units,
        "% Share In/Out": 20,
        "Net": -_decoy(sale, "0.2"),
        "Payer Name": "Selo Aurora",
        "Receiver Name": "Outro Selo",
    }


def ingrooves(sale: Sale) -> Row:
    """A line of the sheet Digital Sales Details."""
    return {
        "Period": f"{sale.day:%Y-%m}",
        "Delivered By": "Ingrooves",
        "Retailer": sale.store,
        "Retailer Reporting Period": "2026-09",
        "Label": "Selo Aurora",
        "Artist": sale.track.artist,
        "Album": sale.track.release,
        "UPC/EAN": sale.track.upc,
        "Product / Catalog #": f"AUR{sale.track.upc[-4:]}",
        "Song": sale.track.title,
        "Mix (Version)": "",
        "ISRC": sale.track.isrc,
        "Genre": "Pop",
        "Release Date": "2026-01-16",
        "Retailer Stmt Country ISO": sale.country,
        "Territory": "World",
        "Asset Type": "Track",
        "Sales Description": "Stream",
        "Sales Classification": "Interactive Streaming",
        "Quantity Net": sale.units,
        "Net Dollars": _decoy(sale, "1.25"),
        "Mechanicals Dollars Net": _decoy(sale, "0.03"),
        "Net Dollars after Fees": sale.amount,
    }


def ingrooves_total(sales: Sequence[Sale]) -> Row:
    """The row below the lines."""
    blank: Row = dict.fromkeys(ingrooves(sales[0]), "")
    return blank | {
        "Sales Classification": "Total",
        "Quantity Net": sum(sale.units for sale in sales),
        "Net Dollars": sum((_decoy(sale, "1.25") for sale in sales), Decimal(0)),
        "Net Dollars after Fees": sum((sale.amount for sale in sales), Decimal(0)),
    }


def cargo_physical(sale: Sale) -> Row:
    """A line of records sold; what came back bears a minus."""
    return {
        "Period": f"{sale.day:%Y_%m}",
        "Catalogue No.": f"AUR{sale.track.upc[-4:]}",
        "Label": "Selo Aurora",
        "Label ID": 77,
        "Sold To": sale.store,
        "Artist / Invoice Ref": sale.track.artist,
        "Title / More info": sale.track.release,
        "Quantity": sale.units,
        "Gross": _decoy(sale, "1.25"),
        "Fee": _decoy(sale, "0.25"),
        "Net after fee": sale.amount,
    }


def _decoy(sale: Sale, factor: str) -> Decimal:
    return sale.decoy(factor).quantize(_PLACES)
