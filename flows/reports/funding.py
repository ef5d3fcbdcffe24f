"""How reports stand towards whoever pays for them, gathered from what the service said last and people have paid."""

from collections.abc import Iterable
from typing import Final

from flows.settings import read_settings
from io_adapters.ledger.ledger import Ledger
from io_adapters.payout_api.assumptions import Assumptions
from schemas.funding import ReportFunding, stand_towards_payer
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.submission import OPEN, Submission
from schemas.wire import SplitReport, cents_of, parse_json


def unsettled_fundings(ledger: Ledger, job: str | None = None) -> list[ReportFunding]:
    """Tell how all reports stand that the service has not finished with, or whose fee or funding is not settled.

    Args:
        job: Name of the job; all jobs when None.
    """
    open_ones = ledger.submissions.list(job=job, states=OPEN, bodies=False)
    odd = ledger.fundings.owing_fees() | ledger.fundings.overpaid()
    ended = [one for one in ledger.submissions.with_ids(sorted(odd)) if job in {None, one.job}]
    return fundings_of(ledger, [*open_ones, *ended])


def have_ready(ledger: Ledger, total_cents: int) -> Message:
    """Say what a plan of so much will cost: its total, and the fee as the last report had it.

    Args:
        total_cents: In the home currency; what is the owner's of it stands in it.
    """
    total = Money(total_cents, HOME_CURRENCY)
    for snapshot in ledger.reports.newest(_LOOKED_AT):
        report = SplitReport.model_validate(parse_json(snapshot.document))
        if report.feeAmount is not None and report.totalAmount and report.currency in {None, HOME_CURRENCY}:
            fee, of = (Money(cents_of(amount), HOME_CURRENCY) for amount in (report.feeAmount, report.totalAmount))
            return (
                Message("plan.ready", total=total, fee=fee, of=of)
                if fee.cents
                else Message("plan.ready.free", total=total)
            )
    return Message("plan.ready.unknown", total=total)


_LOOKED_AT: Final = 20


def fundings_of(ledger: Ledger, reports: Iterable[Submission]) -> list[ReportFunding]:
    """Tell how reports stand, in the order in which they are given."""
    known = list(reports)
    names = [report.id for report in known]
    if not names:
        return []
    latest, paid = ledger.reports.latest(names), ledger.fundings.paid(names)
    receivers, assumed = ledger.fundings.receivers(), Assumptions.from_environment(read_settings().assumptions)
    return [
        stand_towards_payer(
            report,
            SplitReport.model_validate(parse_json(latest[report.id].document)) if report.id in latest else None,
            funded_cents=paid.get(report.id, 0),
            receivers=receivers,
            collects=assumed.funding,
            covers=assumed.funding_covers,
        )
        for report in known
    ]
