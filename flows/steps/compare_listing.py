"""What the service's list of reports says about the ledger: what is found, what is lost, what nobody here knows."""

import datetime as dt
import json
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.plan import digest_of, short_token
from schemas.submission import Submission, SubmissionState
from schemas.wire import SplitReport, amount_from_cents

S = SubmissionState

# How far the service's clock may be behind ours when it dates a report.
CLOCKS_APART: Final = dt.timedelta(minutes=2)


@dataclass(frozen=True, slots=True)
class Finding:
    """What the list says of one submission in doubt.

    Attributes:
        submission: The one in doubt.
        matches: Reports that bear its name: one is proof that it was accepted, none proves nothing, two freeze sending.
    """

    submission: Submission
    matches: tuple[SplitReport, ...]


@dataclass(frozen=True, slots=True)
class Alarm:
    """A reason to freeze sending.

    Attributes:
        kind: lost_report (ours, unknown to the ledger), second_ledger, duplicate_report or vanished_report.
        tag: What people name when they lift the freeze.
        message: What was seen.
    """

    kind: str
    tag: str
    message: str


def names_of(report: SplitReport) -> frozenset[str]:
    """Return the report ids a report bears: in reportId, or in the brackets of its name."""
    name = report.paymentBatchName or ""
    in_name = name[name.rfind("[") + 1 : -1] if name.endswith("]") and "[rp-" in name else ""
    return frozenset(text for text in (report.reportId or "", in_name) if text.startswith("rp-"))


def differs_from(submission: Submission, report: SplitReport) -> list[str]:
    """Name what a report says otherwise than a submission; what it does not say, it does not contradict."""
    body = json.loads(submission.body) if submission.body else {}
    counts = (report.pendingPayments, report.withholdPayments, report.donePayments)
    said = {
        "payer": (report.taxId, body.get("taxId", report.taxId)),
        "currency": (report.currency, submission.currency),
        "total": (report.totalAmount, amount_from_cents(submission.amount_cents)),
        "number of payments": (None if None in counts else sum(c or 0 for c in counts), submission.payments),
    }
    return [name for name, (theirs, ours) in said.items() if theirs is not None and theirs != ours]


def propose(submission: Submission, reports: Sequence[SplitReport], linked: Collection[str]) -> SplitReport | None:
    """Find the one report that could be a submission in doubt where the service echoes no name.

    A proposal for a person, never proof: last month's twin looks the same.

    Args:
        submission: In doubt, with its body.
        reports: All reports the service lists.
        linked: `_id`s that submissions of the ledger have already.

    Returns:
        The only nameless, unlinked report made since it was sent that agrees in payer, currency, total and number of
        payments, all of which it must say; None when there is none, or more than one.
    """
    if submission.sending_at is None:
        return None
    since = submission.sending_at - CLOCKS_APART
    alike = [
        report
        for report in reports
        if report.id and report.id not in linked and not names_of(report) and _says_enough(report)
        if _made_since(report, since) and not differs_from(submission, report)
    ]
    return alike[0] if len(alike) == 1 else None


def _says_enough(report: SplitReport) -> bool:
    counts = (report.pendingPayments, report.withholdPayments, report.donePayments)
    return None not in (report.taxId, report.currency, report.totalAmount, *counts)


def _made_since(report: SplitReport, since: dt.datetime) -> bool:
    try:
        made = dt.datetime.fromisoformat(report.splitDate or "")
    except ValueError:
        return False
    return (made if made.tzinfo else made.replace(tzinfo=dt.UTC)) >= since


def find_doubtful(in_doubt: Iterable[Submission], reports: Sequence[SplitReport]) -> list[Finding]:
    """Look every submission in doubt up in the list, by reportId or by the token in the name."""
    by_name: dict[str, list[SplitReport]] = {}
    for report in reports:
        for name in names_of(report):
            by_name.setdefault(name, []).append(report)
    return [Finding(submission, tuple(by_name.get(submission.report_id, ()))) for submission in in_doubt]


def compare_listing(
    reports: Sequence[SplitReport],
    known_ids: Collection[str],
    *,
    service_url: str,
    ledger_tag: str,
    accepted: Collection[str] = (),
) -> list[Alarm]:
    """Hold the service's list against the ledger before anything is sent.

    Args:
        reports: All reports the service lists.
        known_ids: Report ids of every submission the ledger has ever intended to send.
        service_url: The service's identity, part of our report ids.
        ledger_tag: This ledger's tag, part of our report ids.
        accepted: Tags and report ids that people have looked into; they raise no alarm again.

    Returns:
        An alarm for each report of this ledger that the ledger does not know (it was lost or restored), for each other
        ledger that reports to the same account, and for each name that two reports bear.
    """
    service = short_token(digest_of("service", service_url), 6)
    seen: dict[str, int] = {}
    for report in reports:
        for name in names_of(report):
            seen[name] = seen.get(name, 0) + 1
    alarms = []
    for name, count in sorted(seen.items()):
        parts = name.split("-")
        if len(parts) != 4 or parts[1] != service:
            continue
        if count > 1:
            alarms.append(Alarm("duplicate_report", name, f"{count} reports bear the name {name}"))
        if parts[2] != ledger_tag:
            alarms.append(Alarm("second_ledger", parts[2], f"ledger {parts[2]} also sends to this account"))
        elif name not in known_ids:
            alarms.append(Alarm("lost_report", name, f"the service has {name}, this ledger does not know it"))
    return list({(alarm.kind, alarm.tag): alarm for alarm in alarms if alarm.tag not in accepted}.values())
