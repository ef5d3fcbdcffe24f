"""Which report a submission in doubt could be where the service echoes no name: for people to judge, never proof."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Sequence
from typing import Final

from flows.steps.compare_listing import names_of
from flows.steps.judge_report import PAYING
from schemas.submission import Submission
from schemas.tax_id import format_tax_id
from schemas.wire import SplitReport, amount_from_cents

# How far the service's clock may be behind ours when it dates a report.
CLOCKS_APART: Final = dt.timedelta(minutes=2)


def differs_from(submission: Submission, report: SplitReport) -> list[str]:
    """Name what a report says otherwise than a submission; what it does not say, it does not contradict.

    Args:
        submission: With its body.
        report: As the service shows it.
    """
    payer, names = _payer(submission), names_of(report)
    total = amount_from_cents(submission.amount_cents)
    contradicted = {
        "name": bool(names) and submission.report_id not in names,
        "payer": report.taxId not in {None, payer, format_tax_id(payer)},
        "currency": report.currency not in {None, submission.currency},
        "total": report.totalAmount not in {None, total},
        "number of payments": _contradicts_count(submission, report),
    }
    return [what for what, contradicts in contradicted.items() if contradicts]


def look_alikes(
    submission: Submission, reports: Sequence[SplitReport], linked: Collection[str]
) -> tuple[SplitReport, ...]:
    """Find the reports that could be a submission, as far as anybody can tell from here.

    Args:
        submission: In doubt, with its body.
        reports: All reports the service lists.
        linked: `_id`s that submissions of the ledger have already.

    Returns:
        The nameless, unlinked reports made since it was sent that agree in payer, currency, total and number of
        payments, all of which they must say.
    """
    if submission.sending_at is None:
        return ()
    since = submission.sending_at - CLOCKS_APART
    return tuple(
        report
        for report in reports
        if report.id and report.id not in linked and not names_of(report) and _made_since(report, since)
        if None not in (report.taxId, report.currency, report.totalAmount)
        if _count(report) == submission.payments and not differs_from(submission, report)
    )


def propose(
    in_doubt: Sequence[Submission], reports: Sequence[SplitReport], linked: Collection[str]
) -> dict[str, SplitReport]:
    """Pair submissions in doubt with reports where both sides leave no choice; last month's twin looks the same.

    Args:
        in_doubt: All that no report in the list names, with their bodies.
        reports: All reports the service lists.
        linked: `_id`s that submissions of the ledger have already.

    Returns:
        Submission id -> the only report it could be, which could be no other submission in doubt.
    """
    could_be = {one.id: look_alikes(one, reports, linked) for one in in_doubt}
    suitors = Counter(report.id for alike in could_be.values() for report in alike)
    return {name: alike[0] for name, alike in could_be.items() if len(alike) == 1 and suitors[alike[0].id] == 1}


def _payer(submission: Submission) -> str:
    payer: str = json.loads(submission.body)["taxId"]
    return payer


def _count(report: SplitReport) -> int | None:
    """How many payments a report has; None when it does not say."""
    counts = (report.pendingPayments, report.withholdPayments, report.donePayments)
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _contradicts_count(submission: Submission, report: SplitReport) -> bool:
    """A report that has ended may no longer count what it could not pay; one on its way counts everything."""
    count = _count(report)
    if count is None:
        return False
    return count > submission.payments or (count < submission.payments and report.status in PAYING)


def _made_since(report: SplitReport, since: dt.datetime) -> bool:
    try:
        made = dt.datetime.fromisoformat(report.splitDate or "")
    except ValueError:
        return False
    return (made if made.tzinfo else made.replace(tzinfo=dt.UTC)) >= since
