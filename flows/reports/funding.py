"""How reports stand towards whoever pays for them, gathered from what the service said last and people have paid."""

from collections.abc import Iterable

from flows.settings import read_settings
from io_adapters.ledger.ledger import Ledger
from io_adapters.payout_api.assumptions import Assumptions
from schemas.funding import ReportFunding, stand_towards_payer
from schemas.submission import OPEN, Submission
from schemas.wire import SplitReport, parse_json


def unsettled_fundings(ledger: Ledger, job: str | None = None) -> list[ReportFunding]:
    """Tell how all reports stand that the service has not finished with, or whose fee or funding is not settled.

    Args:
        job: Name of the job; all jobs when None.
    """
    open_ones = ledger.submissions.list(job=job, states=OPEN, bodies=False)
    odd = ledger.fundings.owing_fees() | ledger.fundings.overpaid()
    ended = [one for one in ledger.submissions.with_ids(sorted(odd)) if job in {None, one.job}]
    return fundings_of(ledger, [*open_ones, *ended])


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
