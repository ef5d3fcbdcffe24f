"""What the service's list of reports says about the ledger: what is found, what is lost, what nobody here knows."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from schemas.alarm import Alarm, AlarmKind
from schemas.plan import digest_of, names_of, short_token
from schemas.submission import LIKENESS, SentReport, Submission
from schemas.told import Told
from schemas.wire import SplitReport, amount_from_cents, says_cents


@dataclass(frozen=True, slots=True)
class Finding:
    """What the list says of one submission in doubt.

    Attributes:
        submission: The one in doubt.
        matches: Reports that bear its name: one is proof that it was accepted, none proves nothing, two freeze sending.
    """

    submission: Submission
    matches: tuple[SplitReport, ...]


def find_doubtful(in_doubt: Iterable[Submission], reports: Sequence[SplitReport]) -> list[Finding]:
    """Look every submission in doubt up in the list, by reportId or by the token in the name."""
    by_name: dict[str, list[SplitReport]] = {}
    for report in reports:
        for name in names_of(report):
            by_name.setdefault(name, []).append(report)
    return [Finding(submission, tuple(by_name.get(submission.report_id, ()))) for submission in in_doubt]


def compare_listing(
    reports: Sequence[SplitReport],
    sent: Iterable[SentReport],
    *,
    service_url: str,
    ledger_tag: str,
    accepted: Collection[str] = (),
) -> list[Alarm]:
    """Hold a list of the service's against the ledger.

    Args:
        reports: All reports the list shows; a list of some statuses alone serves as well.
        sent: Every report the service may have by the ledger's own account, read after the list.
        service_url: The service's identity, part of our report ids.
        ledger_tag: This ledger's tag, part of our report ids.
        accepted: Tags that people have looked into; they raise no alarm again.

    Returns:
        An alarm for each report of this ledger that the ledger does not know (it was lost or restored), for each other
        ledger that reports to the same account, for each name that two reports bear, and for each of our reports that
        the list shows under another name, or with another amount, currency or payer than were sent.
    """
    service = short_token(digest_of("service", service_url), 6)
    by_name = {one.report_id: one for one in sent}
    by_id = {one.split_id: one for one in by_name.values() if one.split_id}
    bearers: dict[str, list[SplitReport]] = {}
    alarms = []
    for report in reports:
        for name in names_of(report):
            bearers.setdefault(name, []).append(report)
        if report.id in by_id:
            alarms += _told_otherwise(by_id[report.id], report)
    for name, bearing in sorted(bearers.items()):
        parts = name.split("-")
        if len(parts) != 4 or parts[1] != service:
            continue
        known = by_name.get(name)
        count = len(bearing) + _is_missing(known, bearing)
        if count > 1:
            alarms.append(Alarm("duplicate_report", name, Told("alarm.duplicate_report", count=count, name=name)))
        if parts[2] != ledger_tag:
            alarms.append(Alarm("second_ledger", parts[2], Told("alarm.second_ledger", tag=parts[2])))
        elif known is None:
            alarms.append(Alarm("lost_report", name, Told("alarm.lost_report", name=name)))
    return list({(alarm.kind, alarm.tag): alarm for alarm in alarms if alarm.tag not in accepted}.values())


def _is_missing(known: SentReport | None, bearing: Sequence[SplitReport]) -> bool:
    """Whether a name is borne by others alone than the report that the service gave us for it; lists may lag."""
    ids = {report.id for report in bearing}
    if known is None or not known.split_id or known.linked_by == LIKENESS:
        return False
    return None not in ids and known.split_id not in ids


def _told_otherwise(sent: SentReport, report: SplitReport) -> list[Alarm]:
    """Alarm where a report that is ours is told otherwise than it was sent; what is left out contradicts nothing."""
    names = sorted(names_of(report))
    found = []
    if names and sent.report_id not in names:
        found.append(wrong_echo("name", sent.report_id, names[0], report=report.id or ""))
    if report.totalAmount is not None and not says_cents(report.totalAmount, sent.amount_cents):
        found.append(wrong_echo("amount", sent.report_id, report.totalAmount, amount_from_cents(sent.amount_cents)))
    if report.currency is not None and report.currency != sent.currency:
        found.append(wrong_echo("currency", sent.report_id, report.currency, sent.currency))
    if report.taxId is not None and _letters_of(report.taxId) != _letters_of(sent.payer):
        found.append(wrong_echo("payer", sent.report_id))
    return found


def wrong_echo(
    field: Literal["name", "amount", "currency", "payer"],
    report_id: str,
    found: object = "",
    expected: object = "",
    report: str = "",
) -> Alarm:
    """Make the alarm that the service tells a field of a report otherwise than it was sent; nobody is named in it.

    Args:
        field: Which.
        report_id: Our name of the report.
        found: What the service says; not shown of a payer.
        expected: What was sent; not shown of a payer or a name.
        report: The service's `_id`, where the name is wrong.
    """
    alarms: dict[str, tuple[AlarmKind, Told]] = {
        "name": ("wrong_name", Told("alarm.wrong_name", name=report_id, found=found, report=report)),
        "amount": ("wrong_amount", Told("alarm.wrong_amount", name=report_id, found=found, expected=expected)),
        "currency": ("wrong_currency", Told("alarm.wrong_currency", name=report_id, found=found, expected=expected)),
        "payer": ("wrong_payer", Told("alarm.wrong_payer", name=report_id)),
    }
    kind, told = alarms[field]
    return Alarm(kind, f"{report_id}:{field}", told)


def _letters_of(document: str) -> str:
    """A document may come back with its dots."""
    return "".join(character for character in document.casefold() if character.isalnum())
