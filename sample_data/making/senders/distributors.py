"""How distributors of single artists write a sale: header -> cell, in their order, every decoy filled."""

from sample_data.making.senders.sales import LONG_MONTHS, Sale

Row = dict[str, str]


def distrokid_old(sale: Sale) -> Row:
    """Tab-separated, before July 2025."""
    return {
        "Reporting Date": "2026-10-15",
        "Sale Month": f"{sale.day:%Y-%m}",
        "Store": sale.store,
        "Artist": sale.track.artist,
        "Title": sale.track.title,
        "ISRC": sale.track.isrc,
        "UPC": sale.track.upc,
        "Quantity": str(sale.units),
        "Team Percentage": "50",
        "Song/Album": "Song",
        "Country of Sale": sale.country,
        "Songwriter Royalties Withheld": f"{sale.decoy('0.09'):.12f}",
        "Earnings (USD)": f"{sale.amount:.12f}",
    }


def distrokid_new(sale: Sale) -> Row:
    """Comma-separated, since July 2025."""
    row = {"Date Inserted": "2026-10-17"} | distrokid_old(sale)
    withheld = row.pop("Songwriter Royalties Withheld")
    renamed = {("Source Type" if header == "Song/Album" else header): cell for header, cell in row.items()}
    earnings = renamed.pop("Earnings (USD)")
    return renamed | {
        "Songwriter Royalties Withheld (USD)": withheld,
        "Earnings (USD)": earnings,
        "Recoup (USD)": f"{sale.decoy('0.5'):.12f}",
    }


def tunecore(sale: Sale) -> Row:
    """Where the ISRC is not under its own header, it stands under TC Song ID."""
    return {
        "Sales Period": f"{sale.day:%Y-%m}-01",
        "Posted Date": "2026-10-09",
        "Store Name": sale.store,
        "Country Of Sale": sale.country,
        "Artist": sale.track.artist,
        "Release Type": "Song",
        "Release Title": sale.track.release,
        "Song Title": sale.track.title,
        "Label": "Selo Aurora",
        "UPC": sale.track.upc,
        "Optional UPC": "",
        "TC Song ID": sale.track.isrc if "isrc" in sale.moved else f"{sale.track.isrc[-5:]}77",
        "Optional ISRC": sale.says("isrc", sale.track.isrc),
        "Sales Type": "Streaming",
        "# Units Sold": str(sale.units),
        "Per Unit Price": f"{abs(sale.decoy('0.001')):.8f}",
        "Net Sales": f"{sale.decoy('1.08'):.8f}",
        "Net Sales Currency": "GBP",
        "Exchange Rate": "0.92592593",
        "Total Earned": f"{sale.amount:.8f}",
        "Currency": sale.currency,
        "Commission": f"{sale.decoy('0.2'):.8f}",
    }


def cdbaby(sale: Sale) -> Row:
    """American dates, with an hour nobody means; the ISRC in small letters."""
    return {
        "Report Date": "10/15/2026 12:00:00 AM",
        "Sales Date": f"{sale.day:%m/%d/%Y} 12:00:00 AM",
        "Quantity": str(sale.units),
        "Price": f"{abs(sale.decoy('0.001')):.8f}",
        "Subtotal": f"{sale.amount:.8f}",
        "Isrc": sale.track.isrc.lower(),
        "Barcode": sale.track.upc,
        "CDBabySku": f"52{sale.track.upc[-6:]}",
        "Album Name": sale.track.release,
        "Artist Name": sale.track.artist,
        "Track Name": sale.track.title,
        "Partner Name": sale.store,
        "Transaction Type": "Streaming",
        "Delivery Country": sale.country,
    }


def symphonic(sale: Sale) -> Row:
    """What came back is a Void, and neither count nor royalty bears a sign."""
    return {
        "Reporting Period": "OCT-26",
        "Label": "Selo Aurora",
        "Release Name": sale.track.release,
        "Release Version": "",
        "Release Artists": sale.track.artist,
        "UPC Code": sale.track.upc,
        "Catalogue": f"AUR{sale.track.upc[-4:]}",
        "Track Title": sale.track.title,
        "Mix Version": "",
        "ISRC Code": sale.track.isrc,
        "Track Artists": sale.track.artist,
        "Digital Service Provider": sale.store,
        "Activity Period": f"{LONG_MONTHS[sale.day.month - 1]} {sale.day.year}",
        "Territory": sale.country,
        "Delivery": "Streaming",
        "Content Type": "Audio",
        "Sale or Void": "Void" if sale.amount < 0 else "Sale",
        "Count": str(abs(sale.units)),
        "Royalty ($US)": f"{abs(sale.amount):.10f}",
    }
