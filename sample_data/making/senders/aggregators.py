"""How distributors of labels write a sale: header -> cell, in their order, every decoy filled."""

from decimal import Decimal

from sample_data.making.senders.sales import MONTHS, Sale

Row = dict[str, str]


def believe(sale: Sale) -> Row:
    """European numbers."""

    def european(number: Decimal) -> str:
        return f"{number:.10f}".replace(".", ",")

    return {
        "Reporting month": "2026/10/01",
        "Sales Month": f"{sale.day:%Y/%m}/01",
        "Platform": sale.store,
        "Country / Region": sale.country,
        "Label Name": "Selo Aurora",
        "Artist Name": sale.track.artist,
        "Release title": sale.track.release,
        "Track title": sale.track.title,
        "UPC": sale.track.upc,
        "ISRC": sale.track.isrc,
        "Release Catalog nb": f"AUR{sale.track.upc[-4:]}",
        "Streaming Subscription Type": "Premium",
        "Release type": "Music Release",
        "Sales Type": "Stream",
        "Quantity": str(sale.units),
        "Client Payment Currency": sale.currency,
        "Unit Price": european(abs(sale.decoy("0.001"))),
        "Mechanical Fee": european(Decimal(0)),
        "Gross Revenue": european(sale.decoy("1.25")),
        "Client share rate": "80,00",
        "Net Revenue": european(sale.amount),
    }


def orchard(sale: Sale) -> Row:
    """The newer statement, which AWAL sends as well."""
    return {
        "STATEMENT PERIOD": "October 2026",
        "ORIGINAL STATEMENT PERIOD": "October 2026",
        "ACCOUNT ID": "90001",
        "ACCOUNT NAME": "Selo Aurora",
        "CONTRACT ID": "90001-1",
        "STORE": sale.store,
        "SERVICE DETAIL": "Premium",
        "SALE COUNTRY": sale.country,
        "TRANSACTION DATE": f"{sale.day:%Y-%m-%d}",
        "TRANSACTION TYPE": "Streams",
        "TRANSACTION SUBTYPE": "",
        "LABEL IMPRINT": "Selo Aurora",
        "PRODUCT ARTIST": sale.track.artist,
        "PRODUCT": sale.track.release,
        "PRODUCT CODE": f"AUR{sale.track.upc[-4:]}",
        "DISPLAY UPC": sale.track.upc,
        "TRACK ARTIST": sale.track.artist,
        "TRACK": sale.track.title,
        "ISRC": sale.track.isrc,
        "QUANTITY": str(sale.units),
        "SALE CURRENCY": "EUR",
        "UNIT PRICE SALE CURRENCY": f"{abs(sale.decoy('0.001')):.10f}",
        "GROSS REVENUE SALE CURRENCY": f"{sale.decoy('1.4'):.10f}",
        "CURRENCY CONVERSION RATE": "1.1700000000",
        "GROSS REVENUE ACCOUNT CURRENCY": f"{sale.decoy('1.25'):.10f}",
        "MECHANICAL DEDUCTION": f"{sale.decoy('0.01'):.10f}",
        "NET SHARE ACCOUNT CURRENCY": f"{sale.amount:.10f}",
        "ACCOUNT CURRENCY": sale.currency,
    }


def orchard_old(sale: Sale) -> Row:
    """The older statement: dollars with their sign, what came back in brackets."""

    def dollars(number: Decimal) -> str:
        return f"(${-number:,.6f})" if number < 0 else f"${number:,.6f}"

    return {
        "Period": "2026M10",
        "Activity Period": f"{MONTHS[sale.day.month - 1]} {sale.day.year}",
        "DMS": sale.store,
        "Territory": sale.country,
        "Orchard UPC": sale.track.upc,
        "Manufacturer's UPC": sale.track.upc,
        "Project Code": "",
        "Label Catalog #": f"AUR{sale.track.upc[-4:]}",
        "Subaccount": "",
        "Imprint Label": "Selo Aurora",
        "Artist Name": sale.track.artist,
        "Release Name": sale.track.release,
        "Track Name": sale.track.title,
        "ISRC": sale.track.isrc,
        "Volume": "1",
        "Track #": "1",
        "Trans Type": "ST",
        "Trans Type Description": "Stream",
        "Unit Price": dollars(abs(sale.decoy("0.001"))),
        "Quantity": str(sale.units),
        "Gross": dollars(sale.decoy("1.25")),
        "Adjusted Gross": dollars(sale.decoy("1.2")),
        "Split Rate": "75",
        "Label Share Net Receipts": dollars(sale.amount),
        "Mech. Administrative Fee": dollars(Decimal(0)),
        "Preferred Currency": sale.currency,
    }


def fuga(sale: Sale) -> Row:
    """Receipts before and after the contract, in several currencies."""
    return {
        "Royalty ID": f"77{sale.track.isrc[-5:]}",
        "Asset ISRC": sale.track.isrc,
        "Asset Title": sale.track.title,
        "Asset Version": "",
        "Asset Artist": sale.track.artist,
        "Sale net receipts": f"{sale.decoy('1.25'):.12f}",
        "Contract deal term": "80",
        "Reported Royalty": f"{sale.amount:.12f}",
        "Asset/Product": "Asset",
        "Territory": sale.country,
        "Quantity": str(sale.units),
        "Sale Type": "Stream",
        "Sale Start date": f"{sale.day:%Y-%m}-01",
        "Sale End date": f"{sale.day:%Y-%m}-28",
        "Sale Store Name": f"{sale.store} Brasil",
        "DSP": sale.store,
        "Exchange Rate": "1.17",
        "Currency": sale.currency,
        "Product Title": sale.track.release,
        "Product Artist": sale.track.artist,
        "Product UPC": sale.track.upc,
        "Product Label": "Selo Aurora",
        "Statement Run Name": "2026Q3",
    }
