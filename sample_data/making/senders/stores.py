"""How stores write a sale: header -> cell, in their order, every decoy filled."""

from decimal import Decimal

from sample_data.making.senders.sales import Sale

Row = dict[str, str]


def bandcamp(sale: Sale) -> Row:
    """The raw data report; what came back is a refund."""
    return {
        "date": f"{sale.day.month}/{sale.day.day}/{sale.day:%y} {1 + sale.day.day % 12}:24pm",
        "paid to": "selo@example.com",
        "item type": "refund" if sale.amount < 0 else "track",
        "item name": sale.track.title,
        "artist": sale.track.artist,
        "currency": sale.currency,
        "item price": f"{abs(sale.decoy('1.1')):.2f}",
        "quantity": str(sale.units),
        "discount code": "",
        "sub total": f"{sale.decoy('1.1'):.2f}",
        "additional fan contribution": "0.00",
        "seller tax": f"{sale.decoy('0.1'):.2f}",
        "marketplace tax": "0.00",
        "shipping": "0.00",
        "transaction fee": "*" if sale.units % 5 == 0 else f"{sale.decoy('0.05'):.2f}",
        "fee type": "paypal_micro",
        "item total": f"{sale.decoy('1.2'):.2f}",
        "amount you received": f"{sale.decoy('1.15'):.2f}",
        "bandcamp transaction id": f"40{sale.track.isrc[-5:]}",
        "paypal transaction id": "",
        "net amount": sale.says("amount", f"{sale.amount:.2f}"),
        "package": "digital download",
        "option": "",
        "item url": "https://aurora.example/musica",
        "catalog number": f"AUR{sale.track.upc[-4:]}",
        "upc": sale.track.upc,
        "isrc": sale.track.isrc,
        "buyer name": "Quem Comprou",
        "buyer email": "quem@example.com",
        "buyer note": 'Adorei, "muito" bom',
        "country": "-",
        "country code": sale.country,
        "collection society share": f"{sale.decoy('0.02'):.2f}",
    }


def bandcamp_unsettled(sale: Sale) -> Row:
    """A refund whose net amount is left empty: it is what is left of the item's total, all of it below zero."""
    fee, tax = Decimal("-0.30"), Decimal("-1.10")
    return bandcamp(sale) | {
        "seller tax": f"{tax:.2f}",
        "transaction fee": f"{fee:.2f}",
        "item total": f"{sale.amount + fee + tax:.2f}",
        "collection society share": "",
    }


def apple(sale: Sale) -> Row:
    """One line per recording and country; Partner Share is of one unit."""
    return {
        "Start Date": f"{sale.day:%m/%d/%Y}",
        "End Date": "09/26/2026",
        "UPC": sale.track.upc,
        "ISRC": sale.track.isrc,
        "Vendor Identifier": sale.track.isrc,
        "Quantity": str(sale.units),
        "Partner Share": f"{abs(sale.decoy('0.01')):.2f}",
        "Extended Partner Share": f"{sale.amount:.2f}",
        "Partner Share Currency": sale.currency,
        "Sale or Return": "R" if sale.amount < 0 else "S",
        "Apple Identifier": f"15{sale.track.isrc[-5:]}",
        "Artist/Show/Developer/Author": sale.track.artist,
        "Title": sale.track.title,
        "Label/Studio/Network/Developer/Publisher": "Selo Aurora",
        "Grid": "",
        "Product Type Identifier": "PYYMF",
        "ISAN/Other Identifier": "",
        "Country Of Sale": sale.country,
        "Pre-order Flag": "",
        "Promo Code": "",
        "Customer Price": f"{abs(sale.decoy('1.5')):.2f}",
        "Customer Currency": sale.currency,
    }


def apple_streams(sale: Sale) -> Row:
    """One line per recording and kind of member; amounts begin with their point."""

    def pointed(number: Decimal) -> str:
        return f"{number:.6f}".replace("0.", ".", 1) if abs(number) < 1 else f"{number:.6f}"

    return {
        "Storefront Name": sale.country,
        "Apple Identifier": f"15{sale.track.isrc[-5:]}",
        "Membership Type": "Individual Monthly PAID",
        "Quantity": str(sale.units),
        "Net Royalty": pointed(abs(sale.decoy("0.001"))),
        "Net Royalty Total": pointed(sale.amount),
        "ISRC": sale.track.isrc,
        "Item_Title": sale.track.title,
        "Item_Artist": sale.track.artist,
        "Item Type": "1",
        "Media Type": "1",
        "Vendor Identifier": sale.track.isrc,
        "Offline Indicator": "0",
        "Label/Studio/Network": "Selo Aurora",
        "Grid": "",
    }


def youtube_cms(sale: Sale) -> Row:
    """Assets by day and country; the partner's revenue and its parts beside YouTube's."""
    split = f"{sale.decoy('0.8'):.6f}"
    return {
        "Adjustment Type": "None",
        "Day": f"{sale.day:%Y%m%d}",
        "Country": sale.country,
        "Asset ID": f"A{sale.track.isrc[-7:]}",
        "Asset Title": sale.track.title,
        "Asset Labels": "Selo Aurora",
        "Asset Channel ID": "UCaurora",
        "Asset Type": "Sound Recording",
        "Custom ID": f"AUR{sale.track.upc[-4:]}",
        "ISRC": sale.track.isrc,
        "UPC": sale.track.upc,
        "GRid": "",
        "Artist": sale.track.artist,
        "Album": sale.track.release,
        "Label": "Selo Aurora",
        "Administer Publish Rights": "No",
        "Owned Views": str(sale.units),
        "YouTube Revenue Split : Auction": split,
        "YouTube Revenue Split : Reserved": "0",
        "YouTube Revenue Split : Partner Sold YouTube Served": "0",
        "YouTube Revenue Split : Partner Sold Partner Served": "0",
        "YouTube Revenue Split": split,
        "Partner Revenue : Auction": f"{sale.decoy('0.9'):.6f}",
        "Partner Revenue : Reserved": f"{sale.decoy('0.1'):.6f}",
        "Partner Revenue : Partner Sold YouTube Served": "0",
        "Partner Revenue : Partner Sold Partner Served": "0",
        "Partner Revenue": f"{sale.amount:.6f}",
    }


def prs(sale: Sale) -> Row:
    """Works, of which a writer is named and nothing else."""
    return {
        "Record Number": str(sale.units),
        "CAE Number": "00123456789",
        "Work Title": sale.track.title,
        "Amount (performance revenue)": f"{sale.amount:.3f}",
        "IP1": sale.track.artist,
    }


def bandcamp_payout(like: Sale, currency: str, paid: str) -> Row:
    """What Bandcamp has paid for other rows, under the columns of a sale: none itself."""
    return dict.fromkeys(bandcamp(like), "") | {
        "date": "9/15/26 2:02am",
        "item type": "payout",
        "currency": currency,
        "amount you received": paid,
    }
