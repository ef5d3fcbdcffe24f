"""What the service's list of reports says about the ledger: what is found, what is lost, what nobody here knows."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

from schemas.plan import digest_of, short_token
from schemas.submission import Submission
from schemas.wire import SplitReport


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
        kind: lost_report (ours, unknown to the ledger), second_ledger, duplicate_report, paid_twice or status_changed.
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
