"""What a list of reports says: which are found, lost or unknown, and what it proves of a doubt."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, Literal

from flows.reports.rules.judge_report import PAYING
from schemas.messages import Message
from schemas.plan import names_of, parts_of_name
from schemas.submission import LIKENESS, OPEN, Alarm, AlarmKind, SentReport, Submission, SubmissionState
from schemas.values.tax_id import format_tax_id
from schemas.wire import CLOCKS_APART, SplitReport, amount_from_cents, latest_made, made_at, says_cents


def each_once(reports: Iterable[SplitReport]) -> tuple[SplitReport, ...]:
    """Leave out what a list says twice under one id, as where pages overlap; the later entry tells."""
    found = dict[object, SplitReport]()
    for number, report in enumerate(reports):
        found[report.id or number] = report
    return tuple(found.values())


@dataclass(frozen=True, slots=True)
class DoubtFinding:
    """What the list says of one submission in doubt.

    Attributes:
        matches: Reports that bear its name: one is proof that it was accepted, none proves nothing, two freeze sending.
    """

    submission: Submission
    matches: tuple[SplitReport, ...]


def find_doubtful(in_doubt: Iterable[Submission], reports: Sequence[SplitReport]) -> list[DoubtFinding]:
    """Look every submission in doubt up in the list, by reportId or by the token in the name."""
    by_name: dict[str, list[SplitReport]] = {}
    for report in reports:
        for name in names_of(report):
            by_name.setdefault(name, []).append(report)
    return [DoubtFinding(submission, tuple(by_name.get(submission.report_id, ()))) for submission in in_doubt]


def made_before(submission: Submission, reports: Iterable[SplitReport]) -> list[SplitReport]:
    """Find the reports that are this very attempt at this very batch, made under whatever ledger's name.

    Returns:
        Those in the list: one means that it was sent before, and is not to be sent again.
    """
    return [
        report for report in reports if any(is_same_attempt(name, submission.report_id) for name in names_of(report))
    ]


def is_same_attempt(name: str, other: str) -> bool:
    """Whether two names are of one attempt at one batch, whatever ledgers gave them."""
    if name == other:
        return True
    parts, others = parts_of_name(name), parts_of_name(other)
    return parts is not None and others is not None and parts.attempt_token == others.attempt_token


def compare_listing(
    reports: Sequence[SplitReport],
    sent: Iterable[SentReport],
    *,
    ledger_tag: str,
    accepted: Collection[tuple[str, str]] = (),
) -> list[Alarm]:
    """Hold a list of the service's against the ledger.

    Args:
        accepted: Kinds and tags of alarms that people have looked into; these raise none again, others of a tag do.

    Returns:
        An alarm for each report of this ledger that the ledger does not know (it was lost or restored), for each other
        ledger that reports to the same account, for each name that two reports bear, and for each of our reports that
        the list shows under another name, or with another amount, currency or payer than were sent.
    """
    by_name = {ours.report_id: ours for ours in sent}
    by_id = {ours.split_id: ours for ours in by_name.values() if ours.split_id}
    bearers: dict[str, list[SplitReport]] = {}
    alarms = []
    for report in reports:
        for name in names_of(report):
            bearers.setdefault(name, []).append(report)
        if report.id in by_id:
            alarms += _mismatches(by_id[report.id], report)
    for name, bearing in sorted(bearers.items()):
        parts = parts_of_name(name)
        if parts is None:
            continue
        known = by_name.get(name)
        count = len(bearing) + _is_missing(known, bearing)
        if count > 1:
            alarms.append(Alarm("duplicate_report", name, Message("alarm.duplicate_report", count=count, name=name)))
        if parts.ledger_tag != ledger_tag:
            tag = parts.ledger_tag
            alarms.append(Alarm("second_ledger", tag, Message("alarm.second_ledger", tag=tag)))
        elif known is None:
            alarms.append(Alarm("lost_report", name, Message("alarm.lost_report", name=name)))
    return list(
        {(alarm.kind, alarm.tag): alarm for alarm in alarms if (alarm.kind, alarm.tag) not in accepted}.values()
    )


def _is_missing(known: SentReport | None, bearing: Sequence[SplitReport]) -> bool:
    """Whether a name is borne by others alone than the report that the service gave us for it; lists may lag."""
    ids = {report.id for report in bearing}
    if known is None or not known.split_id or known.linked_by == LIKENESS:
        return False
    return None not in ids and known.split_id not in ids


def _mismatches(sent: SentReport, report: SplitReport) -> list[Alarm]:
    """Alarm where a report that is ours is told otherwise than it was sent; what is left out contradicts nothing."""
    names = sorted(names_of(report))
    found = []
    if names and not any(is_same_attempt(name, sent.report_id) for name in names):
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
    """Make the alarm that the service tells a field of a report otherwise than it was sent; nobody is named in it."""
    alarms: dict[str, tuple[AlarmKind, Message]] = {
        "name": ("wrong_name", Message("alarm.wrong_name", name=report_id, found=found, report=report)),
        "amount": ("wrong_amount", Message("alarm.wrong_amount", name=report_id, found=found, expected=expected)),
        "currency": ("wrong_currency", Message("alarm.wrong_currency", name=report_id, found=found, expected=expected)),
        "payer": ("wrong_payer", Message("alarm.wrong_payer", name=report_id)),
    }
    kind, message_id = alarms[field]
    return Alarm(kind, f"{report_id}:{field}", message_id)


def _letters_of(document: str) -> str:
    return "".join(character for character in document.casefold() if character.isalnum())


# A report made later than that after a submission was sent could be one that a person made in its place.
MADE_WITHIN: Final = dt.timedelta(hours=1)
_ACCEPTED: Final = OPEN | {SubmissionState.PAID, SubmissionState.PARTIAL, SubmissionState.FAILED}


def differs_from(submission: Submission, report: SplitReport) -> list[str]:
    """Name what a report says otherwise than a submission; what it does not say, it does not contradict."""
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

    Returns:
        The nameless, unlinked reports made since it was sent that agree in payer, currency, total and number of
        payments, all of which they must say.
    """
    if submission.sending_at is None:
        return ()
    sending_at = submission.sending_at
    return tuple(
        report
        for report in reports
        if report.id and report.id not in linked and not names_of(report)
        if (latest := latest_made(report)) and latest >= sending_at
        if None not in (report.taxId, report.currency, report.totalAmount)
        if _count(report) == submission.payments and not differs_from(submission, report)
    )


@dataclass(frozen=True, slots=True)
class Candidate:
    """A report that no submission has yet, held against one in doubt.

    Attributes:
        payments: How many it has; None where it does not say.
    """

    report: SplitReport
    payments: int | None
    agrees: tuple[str, ...]
    differs: tuple[str, ...]


def candidates_of(
    submission: Submission, reports: Sequence[SplitReport], linked: Collection[str]
) -> tuple[Candidate, ...]:
    """Hold a submission in doubt against every report that could be it, the likeliest first.

    Returns:
        The unlinked reports made since it was sent, or that do not say when; those with the fewest differences first.
    """
    sending_at = submission.sending_at
    found = [
        _held_against(submission, report)
        for report in reports
        if report.id and report.id not in linked
        if sending_at is None or (latest := latest_made(report)) is None or latest >= sending_at
    ]
    return tuple(sorted(found, key=lambda candidate: (len(candidate.differs), -len(candidate.agrees))))


def _held_against(submission: Submission, report: SplitReport) -> Candidate:
    differs, payments = differs_from(submission, report), _count(report)
    says = {
        "name": bool(names_of(report)),
        "payer": report.taxId is not None,
        "currency": report.currency is not None,
        "total": report.totalAmount is not None,
        "number of payments": payments is not None,
    }
    agrees = tuple(what for what, is_said in says.items() if is_said and what not in differs)
    return Candidate(report, payments, agrees, tuple(differs))


def propose(
    in_doubt: Sequence[Submission], reports: Sequence[SplitReport], linked: Collection[str]
) -> dict[str, SplitReport]:
    """Pair submissions in doubt with reports where both sides leave no choice; last month's twin looks the same.

    Returns:
        Submission id -> the only report it could be, which could be no other submission in doubt.
    """
    could_be = {submission.id: look_alikes(submission, reports, linked) for submission in in_doubt}
    suitors = Counter(report.id for alike in could_be.values() for report in alike)
    return {name: alike[0] for name, alike in could_be.items() if len(alike) == 1 and suitors[alike[0].id] == 1}


def linked_by_likeness(
    proposed: Mapping[str, SplitReport], in_doubt: Iterable[Submission], reports: Iterable[SplitReport]
) -> dict[str, SplitReport]:
    """Choose the proposals that are taken without a person.

    Those where the service echoes neither reportId nor name, of this report or of any in the list that is ours; where
    the report was made about when the submission was sent; and where nobody has taken such a link back before.
    """
    if any(names_of(report) for report in reports):
        return {}
    return {
        submission.id: report
        for submission in in_doubt
        if submission.state is SubmissionState.IN_DOUBT and submission.linked_by is None and submission.sending_at
        if (report := proposed.get(submission.id)) and not (report.reportId or report.paymentBatchName)
        if _made_since(report, submission.sending_at - CLOCKS_APART)
        if not _made_since(report, submission.sending_at + MADE_WITHIN)
    }


def absence_lacks(
    submission: Submission,
    sent: Iterable[Submission],
    reports: Sequence[SplitReport],
    evidence: str,
    *,
    is_refused: bool = False,
) -> Message | None:
    """Say what a list lacks to speak for the absence of a submission; None when it shows our reports of that time.

    It must show the report that was accepted last before it, where the ledger knows one from before, and the first one
    accepted after it. One that the list does not show any more is passed over where the evidence names it. In place of
    a report of ours after it serves one that the service dates after it and the evidence names, made by hand, say.

    Args:
        is_refused: The service has answered that it made none for want of money: none can have been made after it.
    """
    when = submission.sending_at
    if when is None:
        return None
    listed = {report.id for report in reports} | {name for report in reports for name in names_of(report)}
    timed = [
        (submission.sending_at, submission)
        for submission in sent
        if submission.sending_at is not None and submission.state in _ACCEPTED
    ]
    before = [submission for at, submission in sorted(timed, key=lambda pair: pair[0], reverse=True) if at < when]
    after = [submission for at, submission in sorted(timed, key=lambda pair: pair[0]) if at > when]
    for side in (before, after):
        shown = next(
            (number for number, submission in enumerate(side) if {submission.report_id, submission.split_id} & listed),
            len(side),
        )
        hidden = [submission.report_id for submission in side[:shown] if submission.report_id not in evidence]
        if hidden:
            return Message("doubt.list_lacks", name=submission.report_id, other=hidden[0])
    by_hand = [report for report in reports if report.id and report.id in evidence]
    if not after and not is_refused and not any(_made_since(report, when) for report in by_hand):
        return Message("doubt.none_after", name=submission.report_id)
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
    made = made_at(report)
    return made is not None and made >= since


# So many doubts that nobody has settled, of whatever run and job, and no further batch is added to them.
MOST_DOUBTS: Final = 5

# Key, funds, address, method, size or rate: whatever is wrong with one batch is wrong with the next one too.
_OF_ALL_BATCHES: Final = frozenset({401, 402, 403, 404, 405, 413, 429})


def stops_sending(http_status: int | None) -> bool:
    """Whether an answer to POST /split says that the batches after it would only be answered alike.

    >>> stops_sending(401), stops_sending(503), stops_sending(None)
    (True, False, False)
    """
    return http_status in _OF_ALL_BATCHES


# So long after it was sent, a report that ended without being paid is still looked at for its own sake.
WATCHED_FOR: Final = dt.timedelta(days=30)


def is_watched_still(submission: Submission, now: dt.datetime) -> bool:
    """Whether a report that ended may still turn out otherwise; lists are compared for ever."""
    return submission.sending_at is not None and now < submission.sending_at + WATCHED_FOR
