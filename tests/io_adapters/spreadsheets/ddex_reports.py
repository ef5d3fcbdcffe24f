"""Small DDEX sales reports for tests: records as lists of cells, framed by a header and a footer that counts."""

import io
from pathlib import Path

import pandas as pd

from io_adapters.spreadsheets.ddex.report import open_records
from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.texts import raw_tables
from schemas.layouts.headers import match_headers
from schemas.layouts.recognise import Fit
from schemas.raw_table import FileIdentity, RawTable

IDENTITY = FileIdentity("DSR_report.tsv", "0" * 64, 0)
ROYALTIES = read_layout("ddex-royalties", Path())
RECORD_COMPANIES = read_layout("ddex-record-companies", Path())
NAMES = {
    "SY07.01": "SummaryRecordId a b c d Territory RightsType e f g CurrencyOfReporting h i j k l m "
    "CurrencyOfTransaction",
    "RE01.02": "BlockId ReleaseReference DspReleaseId ProprietaryReleaseId CatalogNumber ICPN n p Title",
    "AS01.02": "BlockId ResourceReference DspResourceId ISRC Title SubTitle DisplayArtistName",
    "AS02.03": "BlockId ResourceReference DspResourceId ISRC Title SubTitle DisplayArtistName q r ResourceType ISWC",
    "SU03.02": "BlockId SalesTransactionId SummaryRecordId DspResourceId Usages NetRevenue",
    "LI01.03": "BlockId SummaryRecordId RightsController RCPartyId RCWorkId RightShare% RightsType AllocatedNetRevenue "
    "AllocatedAmount AllocatedUsages ParentSalesTransactionId",
}


def head(profile="RoyaltyReportingProfile", part=1, parts=1):
    created, sender = "2026-10-12T09:00:00Z", ("PADPIDA0", "Onda Sonora", "Premium", "PADPIDA1", "Aurora", "")
    return ["HEAD", "dsrf/1.4", profile, "1.1", "M1", created, part, parts, "2026-09-01", "2026-09-30", *sender]


def names(*kinds):
    return [[f"#{kind}", *NAMES[kind].split()] for kind in kinds or NAMES]


def summary(key="S1", currency="BRL", territory="BR", other=None):
    blank = [""] * 6
    transaction = currency if other is None else other
    return ["SY07.01", key, *blank[:4], territory, "Mech", *blank[:3], currency, *blank, transaction]


def release(block, upc="7899990000014", title="Sal Grosso"):
    return ["RE01.02", block, "R0", "", "", "", upc, "", "", title]


def recording(block, isrc, title="Título", kind="AS02.03", reference="A1"):
    return [kind, block, reference, "d", isrc, title, "", "Lua Serrana"]


def usage(block, key="S1"):
    return ["SU03.02", block, "T1", key, "d", 10, "9.99"]


def due(block, amount, key="S1", units=10):
    return ["LI01.03", block, key, "Aurora", "", "", 100, "Mech", "99.99", amount, units]


def foot(lines, summaries, blocks):
    return ["FOOT", lines, lines, summaries, blocks, blocks]


def lines_of(records):
    return ["\t".join(map(str, record)) for record in records]


def framed(body, *, footer=None, header=None, comments=None):
    """Put a header, names of cells and a footer with right counts around records."""
    records = [header or head(), *(names() if comments is None else comments), *body]
    block_ids = [str(record[1]) for record in body if record[0][:2] in {"RE", "AS", "SU", "LI", "MW"}]
    blocks = sum(one != other for one, other in zip(block_ids, ["", *block_ids], strict=False))
    summaries = sum(record[0].startswith("SY") for record in body)
    records.append(footer or foot(len(records) + 1, summaries, blocks))
    return "\n".join(lines_of(records)) + "\n"


def opened(text, name="DSR_report.tsv"):
    content = text if isinstance(text, bytes) else text.encode()
    return open_records(io.BytesIO(content), name)


def fitted(report, layout=ROYALTIES):
    (view,) = report.views
    (header,) = view.head
    return Fit(layout, view, header, match_headers(header.texts, layout))


def tables(text, layout=ROYALTIES, **named) -> list[RawTable]:
    report = opened(text, **named)
    return list(raw_tables(report.table(fitted(report, layout)), IDENTITY))


def read(text, layout=ROYALTIES, **named) -> pd.DataFrame:
    """Return the columns that were read, under their headers; index = physical row."""
    blocks = tables(text, layout, **named)
    assert len({block.headers for block in blocks}) == 1
    cells = pd.concat([block.cells for block in blocks])
    kept = [position for position, header in enumerate(blocks[0].headers) if header]
    return cells[kept].set_axis([blocks[0].headers[position] for position in kept], axis=1)
