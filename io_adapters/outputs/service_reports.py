"""Reports as the service tells of them, and how they stand towards whoever pays for them, as tables for people."""

from collections.abc import Iterable, Mapping
from typing import Final

from io_adapters.outputs.grid import Field, Grid, GridColumn, Toned, facts_grid
from schemas.funding import ReportFunding
from schemas.messages import Catalogue, Money, Said, period_text
from schemas.plan import HOME_CURRENCY
from schemas.states import FUNDINGS
from schemas.submission import Submission
from schemas.wire import SplitReport

# Of a report: what may hold somebody's document, key or name.
_PERSONAL: Final = frozenset({"taxId", "pixQrCodePayload"})
# All that the interface names of a report, in the order in which people want to know it; `id` is `_id` on the wire.
REPORT_FIELDS: Final = (
    *("id", "reportId", "paymentBatchName", "status", "currency", "totalAmount", "paidAmount", "donePayments"),
    *(
        "pendingAmount",
        "pendingPayments",
        "withholdAmount",
        "withholdPayments",
        "irAmount",
        "fee",
        "feeAmount",
        "feePaid",
    ),
    *("pixQrCodeId", "pixQrCodePayload", "exchangeRate", "exchangeOrderId", "showExchangeData", "splitDate", "date"),
    *("taxId", "batchId", "extId", "origin", "logo"),
)
_LISTED: Final = ("status", "splitDate", "currency", "totalAmount", "paidAmount", "pendingAmount", "feeAmount")
_WIDTHS: Final = {"report": 44, "state": 34, "receiver": 40}


def funding_grid(fundings: Iterable[ReportFunding], labels: Catalogue) -> Grid:
    """Say of each report how it stands towards whoever pays for it, what it costs and what was paid."""
    names = ("job", "period", "report", "state", "due", "paid", "fee", "receiver")
    columns = [GridColumn(labels(f"funding.column.{name}"), _WIDTHS.get(name, 16)) for name in names]
    rows = [
        (
            *(Said(stands.report.job), period_text(stands.report.period, labels.language), stands.report.report_id),
            Toned(labels(f"funding.state.{stands.state}"), FUNDINGS[stands.state].tone),
            None if stands.due_cents is None else Money(stands.due_cents, HOME_CURRENCY),
            Money(stands.funded_cents, HOME_CURRENCY),
            Money(stands.fee_cents, HOME_CURRENCY),
            stands.receiver,
        )
        for stands in fundings
    ]
    return Grid(labels("funding.title"), columns, rows).without_empty()


def reports_grid(reports: Iterable[SplitReport], ours: Mapping[str, Submission], labels: Catalogue) -> Grid:
    """List reports as the service tells of them.

    Args:
        ours: The service's id -> the report of this ledger.
    """
    columns = [
        *(GridColumn(labels(f"report.{name}"), _WIDTHS.get(name, 16)) for name in ("report", "job", "period")),
        *(GridColumn(labels(f"report.field.{name}")) for name in _LISTED),
    ]
    rows = list[tuple[Field, ...]]()
    for report in reports:
        own = ours.get(report.id or "")
        whose = (own.report_id, Said(own.job), period_text(own.period, labels.language)) if own else None
        told = (_told(name, getattr(report, name)) for name in _LISTED)
        rows.append((*(whose or (Said(report.id or ""), labels("report.not_ours"), "")), *told))
    return Grid(labels("report.title"), columns, rows, () if rows else (labels("report.none"),))


def report_grid(report: SplitReport, labels: Catalogue) -> Grid:
    """Show all that the service says of one report, what no interface names included."""
    facts = list[tuple[str | Toned, Field]]()
    facts += [(labels(f"report.field.{name}"), _told(name, getattr(report, name), labels)) for name in REPORT_FIELDS]
    unknown = {name: told for name, told in (report.model_extra or {}).items() if told is not None}
    facts += [(Said(name), str(told)) for name, told in (unknown | dict(report.unreadable)).items()]
    return facts_grid(labels("report.one"), facts)


def _told(name: str, told: object, labels: Catalogue | None = None) -> Field:
    if isinstance(told, bool) and labels is not None:
        return labels("output.yes" if told else "output.no")
    if isinstance(told, str):
        return told if name in _PERSONAL else Said(told)
    return told  # type: ignore[return-value]  # numbers and nothing, as the model has them
