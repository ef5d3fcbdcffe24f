"""What a streaming service reports in DDEX's form: royalties in two parts, and a record company's share in one file."""

import datetime as dt
import gzip
import random
from collections.abc import Iterable, Sequence
from dataclasses import replace
from decimal import Decimal
from pathlib import Path

from sample_data.making.catalogue import Track, invent_catalogue
from sample_data.making.documents import write_json
from sample_data.making.dsr_report import CURRENCIES, SUMMARIES, Due, Report

ROYALTIES = "DSR_AuroraEdicoes_OndaSonora_Onda-Premium_2026-09_multi_{part}of2_20261012T090000.tsv"
RECORD_COMPANY = "DSR_SeloAurora_OndaSonora_Onda-Premium_2026-09_multi_1of1_20261012T091500.tsv"
ACTS = ("Maré de Quinta", "Lua Serrana", "Os Vizinhos do 302", "Cacto Elétrico", "Dona Firmina", "NULL")

# Recordings whose titles need escapes; that of the last is written as it was in earlier years.
ODD_TRACKS = (
    Track("BRAUR2699901", "Fim | Recomeço", "Lua Serrana", "Varanda", ""),
    Track("BRAUR2699902", "Barra\\Invertida", "Lua Serrana", "Varanda", ""),
    Track("BRAUR2699903", "Lado A | Lado B", "Lua Serrana", "Varanda", ""),
)
OLD_ESCAPE = "BRAUR2699903"


def write_dsr(folder: Path, expected: Path) -> None:
    """Write the reports and what they must be read as."""
    catalogue = invent_catalogue()
    varanda = next(track.upc for track in catalogue.tracks["Lua Serrana"] if track.release == "Varanda")
    tracks = [track for act in ACTS for track in catalogue.tracks[act][:3]]
    tracks += [replace(track, upc=varanda) for track in ODD_TRACKS]
    first, second = _royalties(_invent("onda-royalties", tracks))
    company = _record_company(_invent("onda-record-company", tracks))
    contents = {
        ROYALTIES.format(part=1): first,
        ROYALTIES.format(part=2) + ".gz": second,
        RECORD_COMPANY: company,
    }
    for name, report in contents.items():
        content = report.content()
        (folder / name).write_bytes(gzip.compress(content, mtime=0) if name.endswith(".gz") else content)
    write_json(
        expected / "ddex.json",
        [
            {
                "file": name,
                "layout": "ddex-record-companies" if name == RECORD_COMPANY else "ddex-royalties",
                "amounts": _sums(report.expected),
                "lines": report.expected,
            }
            for name, report in contents.items()
        ],
    )


def _invent(seed: str, tracks: Iterable[Track]) -> list[Due]:
    rng = random.Random(seed)
    dues = []
    for number, track in enumerate(tracks):
        for territory in ("BR", "US") if number % 3 else ("BR",):
            usages = rng.randrange(40, 90_000) * (-1 if number % 7 == 4 and territory == "BR" else 1)
            unit = Decimal(rng.randrange(1_000_000, 9_000_000)).scaleb(-9)
            dues.append(Due(track, territory, dt.date(2026, 9, rng.randrange(1, 31)), usages, usages * unit))
    return dues


def _royalties(dues: Sequence[Due]) -> tuple[Report, Report]:
    """Write the report to the publisher: a block per release, the second half of them in the second part."""
    releases: dict[str, list[Due]] = {}
    for due in dues:
        releases.setdefault(due.track.upc, []).append(due)
    blocks = list(enumerate(releases.values(), start=1))
    half = len(blocks) // 2
    parts = []
    for part, mine in enumerate((blocks[:half], blocks[half:]), start=1):
        report = Report(("HEAD", "SY07.01", "RE01.02", "AS02.03", "SU03.02", "LI01.03", "FOOT"))
        report.head("RoyaltyReportingProfile", "Aurora Edições Musicais", part, 2)
        for territory in CURRENCIES:
            _royalty_summary(report, territory, [due for due in dues if due.territory == territory])
        for number, block in mine:
            _royalty_block(report, number, block)
        parts.append(report)
    total = sum(len(report.lines) + 1 for report in parts)
    for report, mine in zip(parts, (blocks[:half], blocks[half:]), strict=True):
        last = report is parts[-1]
        report.record(
            "FOOT",
            NumberOfLinesInFile=len(report.lines) + 1,
            NumberOfLinesInReport=total if last else "",
            NumberOfSummaryRecords=len(CURRENCIES),
            NumberOfBlocksInFile=len(mine),
            NumberOfBlocksInReport=len(blocks) if last else "",
        )
    return parts[0], parts[1]


def _royalty_summary(report: Report, territory: str, dues: Sequence[Due]) -> None:
    report.record(
        "SY07.01",
        SummaryRecordId=SUMMARIES[territory],
        DistributionChannel="Onda Sonora",
        CommercialModel="SubscriptionModel",
        UseType="OnDemandStream",
        Territory=territory,
        RightsType="MechanicalRight",
        ServiceDescription="Onda-Premium",
        TotalUsages=9_000_000,
        CurrencyOfReporting=CURRENCIES[territory],
        NetRevenue="1500000.00",
        RightsController="Aurora Edições Musicais",
        AllocatedUsages=sum(due.usages for due in dues),
        AllocatedRevenue=sum(due.amount for due in dues),
        AllocatedNetRevenue=sum(due.base for due in dues),
        CurrencyOfTransaction=CURRENCIES[territory],
        ExchangeRate=1,
    )


def _royalty_block(report: Report, number: int, dues: Sequence[Due]) -> None:
    head = dues[0].track
    report.record(
        "RE01.02",
        BlockId=number,
        ReleaseReference="R0",
        DspReleaseId=f"rel-{number}",
        ICPN=head.upc,
        DisplayArtistName=head.artist,
        Title=head.release,
        ReleaseType="Album",
        LabelName="Selo Aurora",
    )
    for reference, isrc in enumerate(dict.fromkeys(due.track.isrc for due in dues), start=1):
        mine = [due for due in dues if due.track.isrc == isrc]
        report.record(
            "AS02.03",
            BlockId=number,
            ResourceReference=f"A{reference}",
            DspResourceId=f"rec-{isrc[-5:]}",
            ISRC=isrc,
            Title=_escaped(mine[0].track),
            DisplayArtistName=mine[0].track.artist,
            Duration="PT3M12S",
            ResourceType="SoundRecording",
            ComposerAuthorName="Autora Inventada|Autor Inventado",
        )
        for due in mine:
            transaction = f"T{number}-{reference}-{due.territory}"
            report.record(
                "SU03.02",
                BlockId=number,
                SalesTransactionId=transaction,
                SummaryRecordId=SUMMARIES[due.territory],
                DspResourceId=f"rec-{isrc[-5:]}",
                Usages=due.usages,
                NetRevenue=due.base * 2,
                IsRoyaltyBearing="true",
            )
            report.record(
                "LI01.03",
                BlockId=number,
                SummaryRecordId=SUMMARIES[due.territory],
                RightsController="Aurora Edições Musicais",
                **{"RightShare%": 25},
                RightsType="MechanicalRight",
                AllocatedNetRevenue=due.base,
                AllocatedAmount=due.amount,
                AllocatedUsages=due.usages,
                ParentSalesTransactionId=transaction,
            )
            report.expect(due, "2026-09-01")


def _record_company(dues: Sequence[Due]) -> Report:
    """Write the report to the label: each record all there is to say of one recording, territory and day."""
    report = Report(("HEAD", "SY10.01", "SR08.01", "SRFO"))
    report.head("FinancialReportingToRecordCompaniesProfileSRB", "Selo Aurora", 1, 1)
    for territory, currency in CURRENCIES.items():
        mine = [due for due in dues if due.territory == territory]
        report.record(
            "SY10.01",
            SummaryRecordId=SUMMARIES[territory],
            DistributionChannel="Onda Sonora",
            CommercialModel="SubscriptionModel",
            UseType="OnDemandStream",
            ReportingPeriodStartDate="2026-09-01",
            ReportingPeriodEndDate="2026-09-30",
            Territory=territory,
            ServiceDescription="Onda-Premium",
            TotalUsages=9_000_000,
            AllocatedUsages=sum(due.usages for due in mine),
            Returns=0,
            CurrencyOfTransaction=currency,
            CurrencyOfAccounting=currency,
            ExchangeRate=1,
            NetRevenueInCurrencyOfAccounting="1500000.00",
            AllocatedRevenueInCurrencyOfAccounting=sum(due.amount for due in mine),
        )
    for number, due in enumerate(dues, start=1):
        _record_company_line(report, number, due)
        report.expect(due, due.day.isoformat())
    report.record("SRFO", NumberOfLinesInReport=len(report.lines) + 1, NumberOfSummaryRecords=len(CURRENCIES))
    return report


def _record_company_line(report: Report, number: int, due: Due) -> None:
    track = due.track
    report.record(
        "SR08.01",
        SalesTransactionId=f"ST{number}",
        ReleaseICPN=track.upc,
        DspReleaseId=f"rel-{track.upc[-4:]}",
        ReleaseTitle=track.release,
        ReleaseDisplayArtistName=track.artist,
        ResourceISRC=track.isrc,
        DspResourceId=f"rec-{track.isrc[-5:]}",
        ResourceType="SoundRecording",
        ResourceTitle=_escaped(track),
        ResourceDisplayArtistName=track.artist,
        SummaryRecordId=SUMMARIES[due.territory],
        SalesTransactionDate=due.day.isoformat(),
        TotalUsages=max(due.usages, 0),
        Returns=max(-due.usages, 0),
        NetUsage=due.usages,
        PriceConsumerPaidExcSalesTaxInCurrencyOfAccounting="21.90",
        RightSharePercentage=100,
        CalculatedUnitPriceInCurrencyOfTransaction=due.amount / due.usages,
        CalculatedUnitPriceInCurrencyOfAccounting=due.amount / due.usages,
        AllocatedRevenueInCurrencyOfTransaction=due.amount,
        AllocatedRevenueInCurrencyOfAccounting=due.amount,
        AllocatedNetRevenueInCurrencyOfTransaction=due.base,
        AllocatedNetRevenueInCurrencyOfAccounting=due.base,
        CopyrightObligationWithDSP="true",
    )


def _escaped(track: Track) -> str:
    pipe = "\\|" if track.isrc == OLD_ESCAPE else "\\\\|"
    return track.title.replace("\\", "\\\\\\").replace("|", pipe)


def _sums(lines: Iterable[dict[str, object]]) -> dict[str, str]:
    sums: dict[str, Decimal] = {}
    for line in lines:
        currency = str(line["currency"])
        sums[currency] = sums.get(currency, Decimal(0)) + Decimal(str(line["amount"]))
    return {currency: str(sums[currency]) for currency in sorted(sums)}
