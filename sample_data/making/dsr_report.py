"""The lines of a DDEX sales report, each record with all its cells, and what the lines among them say."""

import datetime as dt
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

from sample_data.making.catalogue import Track

# After the record's type, as the standard names them; some stop before cells that nothing here fills.
CELLS = {
    "HEAD": (
        *("MessageVersion", "Profile", "ProfileVersion", "MessageId", "MessageCreatedDateTime", "FileNumber"),
        *("NumberOfFiles", "UsageStartDate", "UsageEndDate", "SenderPartyId", "SenderName", "ServiceDescription"),
        *("RecipientPartyId", "RecipientName", "RepresentedRepertoire"),
    ),
    "SY07.01": (
        *("SummaryRecordId", "DistributionChannel", "DistributionChannelDPID", "CommercialModel", "UseType"),
        *("Territory", "RightsType", "ServiceDescription", "TotalUsages", "Users", "CurrencyOfReporting"),
        *("NetRevenue", "RightsController", "RightsControllerPartyId", "AllocatedUsages", "AllocatedRevenue"),
        *("AllocatedNetRevenue", "CurrencyOfTransaction", "ExchangeRate", "RightsTypePercentage"),
    ),
    "RE01.02": (
        *("BlockId", "ReleaseReference", "DspReleaseId", "ProprietaryReleaseId", "CatalogNumber", "ICPN"),
        *("DisplayArtistName", "DisplayArtistPartyId", "Title", "SubTitle", "ReleaseType", "LabelName", "PLine"),
        *("DataProviderName", "ReleaseDate"),
    ),
    "AS02.03": (
        *("BlockId", "ResourceReference", "DspResourceId", "ISRC", "Title", "SubTitle", "DisplayArtistName"),
        *("DisplayArtistPartyId", "Duration", "ResourceType", "ISWC", "ComposerAuthorName"),
    ),
    "SU03.02": (
        *("BlockId", "SalesTransactionId", "SummaryRecordId", "DspResourceId", "Usages", "NetRevenue"),
        *("ValidityPeriodStart", "ValidityPeriodEnd", "ContentCategory", "IsRoyaltyBearing"),
    ),
    "LI01.03": (
        *("BlockId", "SummaryRecordId", "RightsController", "RightsControllerPartyId", "RightsControllerWorkId"),
        *("RightShare%", "RightsType", "AllocatedNetRevenue", "AllocatedAmount", "AllocatedUsages"),
        *("ParentSalesTransactionId", "LicensorDataRecordId"),
    ),
    "FOOT": (
        *("NumberOfLinesInFile", "NumberOfLinesInReport", "NumberOfSummaryRecords", "NumberOfBlocksInFile"),
        "NumberOfBlocksInReport",
    ),
    "SY10.01": (
        *("SummaryRecordId", "DistributionChannel", "DistributionChannelDPID", "CommercialModel", "UseType"),
        *("ReportingPeriodStartDate", "ReportingPeriodEndDate", "SubscriberType", "Subscribers", "ActiveSubscribers"),
        *("PromotionalActivity", "Territory", "ServiceDescription", "OfferType", "Quality", "TotalUsages"),
        *("AllocatedUsages", "Returns", "MusicUsagePercentage", "CurrencyOfTransaction", "CurrencyOfAccounting"),
        *("ExchangeRate", "ExchangeRateSource", "DateOfCurrencyExchange", "GrossRevenueInCurrencyOfTransaction"),
        *("GrossRevenueInCurrencyOfAccounting", "CalculationType", "CalculationValue", "DeductionType"),
        *("DeductionsInCurrencyOfTransaction", "DeductionsInCurrencyOfAccounting"),
        *("NetRevenueInCurrencyOfTransaction", "NetRevenueInCurrencyOfAccounting"),
        *("AllocatedRevenueInCurrencyOfTransaction", "AllocatedRevenueInCurrencyOfAccounting"),
        *("AllocatedNetRevenueInCurrencyOfTransaction", "AllocatedNetRevenueInCurrencyOfAccounting"),
    ),
    "SR08.01": (
        *("SalesTransactionId", "ReleaseGRid", "ReleaseICPN", "DspReleaseId", "LabelReleaseId"),
        *("ProprietaryReleaseId", "ReleaseContextReleaseGRid", "ReleaseType", "ReleaseTitle", "ReleaseSubTitle"),
        *("ReleaseDisplayArtistName", "ReleaseDisplayArtistPartyId", "ResourceISRC", "ResourceISAN", "DspResourceId"),
        *("LabelResourceId", "ProprietaryResourceId", "ResourceContextReleaseGRid", "ResourceType", "ResourceTitle"),
        *("ResourceSubTitle", "ResourceDisplayArtistName", "ResourceDisplayArtistPartyId", "SummaryRecordId"),
        *("SalesTransactionDate", "TotalUsages", "Returns", "NetUsage", "WholesalePriceInCurrencyOfTransaction"),
        *("WholesalePriceInCurrencyOfAccounting", "SuggestedConsumerPriceInCurrencyOfTransaction"),
        *("SuggestedConsumerPriceInCurrencyOfAccounting", "PriceType", "PriceRangeType"),
        "PriceConsumerPaidExcSalesTaxInCurrencyOfTransaction",
        "PriceConsumerPaidExcSalesTaxInCurrencyOfAccounting",
        *("DeductionType", "DeductionsInCurrencyOfTransaction", "DeductionsInCurrencyOfAccounting"),
        *("RightSharePercentage", "CalculatedUnitPriceInCurrencyOfTransaction"),
        *("CalculatedUnitPriceInCurrencyOfAccounting", "AllocatedRevenueInCurrencyOfTransaction"),
        *("AllocatedRevenueInCurrencyOfAccounting", "AllocatedNetRevenueInCurrencyOfTransaction"),
        *("AllocatedNetRevenueInCurrencyOfAccounting", "CopyrightObligationWithDSP"),
    ),
    "SRFO": ("NumberOfLinesInReport", "NumberOfSummaryRecords"),
}
CURRENCIES = {"BR": "BRL", "US": "USD"}
SUMMARIES = {"BR": "S1", "US": "S2"}


@dataclass(frozen=True, slots=True)
class Due:
    """What one recording earned in one territory on one day; negative when more was taken back than used."""

    track: Track
    territory: str
    day: dt.date
    usages: int
    amount: Decimal

    @property
    def base(self) -> Decimal:
        """Revenue of the service of which the amount is a part: a decoy."""
        return self.amount * 4


class Report:
    """The lines of one file, as they are written."""

    def __init__(self, types: Sequence[str]) -> None:
        self.lines: list[str] = []
        self.expected: list[dict[str, object]] = []
        self._types = types

    def head(self, profile: str, recipient: str, part: int, parts: int) -> None:
        """Write the header, and below it the names of all cells."""
        self.record(
            "HEAD",
            MessageVersion="dsrf/1.4/8/1.4",
            Profile=profile,
            ProfileVersion="1.1",
            MessageId=f"ONDA-2026-09-{profile}",
            MessageCreatedDateTime="2026-10-12T09:00:00Z",
            FileNumber=part,
            NumberOfFiles=parts,
            UsageStartDate="2026-09-01",
            UsageEndDate="2026-09-30",
            SenderName="Onda Sonora",
            ServiceDescription="Onda-Premium",
            RecipientName=recipient,
        )
        self.lines += ["\t".join((f"#{kind}", *CELLS[kind])) for kind in self._types]

    def record(self, kind: str, **cells: object) -> None:
        """Write a record; cells that are not given are empty."""
        unknown = cells.keys() - set(CELLS[kind])
        if unknown:
            raise ValueError(f"{kind} has no {unknown}")
        self.lines.append("\t".join((kind, *(str(cells.get(name, "")) for name in CELLS[kind]))))

    def expect(self, due: Due, period: str) -> None:
        """Note what the line just written says."""
        self.expected.append(
            {
                "row": len(self.lines),
                "period": period,
                "territory": due.territory,
                "isrc": due.track.isrc,
                "upc": due.track.upc,
                "release": due.track.release,
                "title": due.track.title,
                "artist": due.track.artist,
                "units": due.usages,
                "amount": str(due.amount),
                "currency": CURRENCIES[due.territory],
            }
        )

    def content(self) -> bytes:
        """Return the file's bytes."""
        return "".join(line + "\n" for line in self.lines).encode()
