"""What a list proves of a submission in doubt that it does not name: its report, and its absence.

Where the service echoes nothing of ours, a report that is like one submission and no other is linked as its report:
accepting never sends. Where there is a choice, people have it. And a list that lacks a report speaks for its absence
only when it shows the reports of the time around it.
"""

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Final

from flows.steps.judge_report import PAYING
from schemas.plan import names_of
from schemas.submission import OPEN, Submission, SubmissionState
from schemas.tax_id import format_tax_id
from schemas.told import Told
from schemas.wire import SplitReport, says_cents

# How far the service's clock may be behind ours when it dates a report.
CLOCKS_APART: Final = dt.timedelta(minutes=2)
# A report made later than that after a submission was sent could be one that a person made in its place.
MADE_WITHIN: Final = dt.timedelta(hours=1)
_ACCEPTED: Final = OPEN | {SubmissionState.PAID, SubmissionState.PARTIAL, SubmissionState.FAILED}


def differs_from(submission: Submission, report: SplitReport) -> list[str]:
    """Name what a report says otherwise than a submission; what it does not say, it does not contradict.

    Args:
        submission: With its body.
        report: As the service shows it.
    """
    payer, names = _payer(submission), names_of(report)
    contradicted = {
        "name": bool(names) and submission.report_id not in names,
        "payer": report.taxId not in {None, payer, format_tax_id(payer)},
        "currency": report.currency not in {None, submission.currency},
        "total": report.totalAmount is not None and not says_cents(report.totalAmount, submission.amount_cents),
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


def linked_by_likeness(
    proposed: Mapping[str, SplitReport], in_doubt: Iterable[Submission], reports: Iterable[SplitReport]
) -> dict[str, SplitReport]:
    """Choose the proposals that are taken without a person.

    Those where the service echoes neither reportId nor name, of this report or of any in the list that is ours; where
    the report was made about when the submission was sent; and where nobody has taken such a link back before.

    Args:
        proposed: As `propose` gives it.
        in_doubt: The submissions it is about.
        reports: All reports the service lists.
    """
    if any(names_of(report) for report in reports):
        return {}
    return {
        submission.id: report
        for submission in in_doubt
        if submission.state is SubmissionState.IN_DOUBT and submission.linked_by is None and submission.sending_at
        if (report := proposed.get(submission.id)) and not (report.reportId or report.paymentBatchName)
        if not _made_since(report, submission.sending_at + MADE_WITHIN)
    }


def absence_lacks(
    submission: Submission, sent: Iterable[Submission], reports: Sequence[SplitReport], evidence: str
) -> Told | None:
    """Say what a list lacks to speak for the absence of a submission; None when it shows our reports of that time.

    It must show the report that was accepted last before it, where the ledger knows one from before, and the first one
    accepted after it. One that the list does not show any more is passed over where the evidence names it. In place of
    a report of ours after it serves one that the service dates after it and the evidence names, made by hand, say.

    Args:
        submission: In doubt, and not in the list.
        sent: All submissions of the ledger.
        reports: The very list.
        evidence: What people rely on.
    """
    when = submission.sending_at
    if when is None:
        return None
    listed = {report.id for report in reports} | {name for report in reports for name in names_of(report)}
    timed = [(one.sending_at, one) for one in sent if one.sending_at is not None and one.state in _ACCEPTED]
    before = [one for at, one in sorted(timed, key=lambda pair: pair[0], reverse=True) if at < when]
    after = [one for at, one in sorted(timed, key=lambda pair: pair[0]) if at > when]
    for side in (before, after):
        shown = next((number for number, one in enumerate(side) if {one.report_id, one.split_id} & listed), len(side))
        hidden = [one.report_id for one in side[:shown] if one.report_id not in evidence]
        if hidden:
            return Told("doubt.list_lacks", name=submission.report_id, other=hidden[0])
    by_hand = [report for report in reports if report.id and report.id in evidence]
    if not after and not any(_made_since(report, when) for report in by_hand):
        return Told("doubt.none_after", name=submission.report_id)
    return None


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
