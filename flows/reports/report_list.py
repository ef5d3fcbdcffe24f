"""Fetching the service's list of reports: resolve doubts, and compare ledger and service."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from flows.reports.rules.came_back import what_came_back
from flows.reports.rules.judge_report import NOTHING_WITHHELD, Judgement, judge_report
from flows.reports.rules.report_list import (
    compare_listing,
    each_once,
    find_doubtful,
    is_watched_still,
    linked_by_likeness,
    look_alikes,
    propose,
)
from flows.reports.rules.tell_apart import tell_apart
from flows.run import Run
from io_adapters.ledger.decisions import Freeze
from io_adapters.ledger.leases import Owner, is_gone
from io_adapters.ledger.ledger import Ledger
from schemas.approval import DecisionKind
from schemas.errors import ExitCode, SendingFrozen
from schemas.funding import owes_fee
from schemas.messages import Listed, Message
from schemas.plan import Inferred, names_of
from schemas.reconciliation import Discrepancy
from schemas.returns import Returned
from schemas.submission import ENDED, LIKENESS, Alarm, Submission, SubmissionState, Withheld
from schemas.wire import SplitReport, parse_json

S = SubmissionState

FOUND_BY_LIKENESS: Final = Message("attempt.found_by_likeness")
# What is said of a report again at every look although it ended long ago.
_TOLD_AFTER_THE_END: Final = frozenset({"status_changed", "figures_changed", "overpaid"})


def doubt_abandoned(run: Run) -> None:
    """Put what a dead process left half done in doubt: its submissions, and its account checks as spent."""

    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    for submission in run.ledger.submissions.doubt_abandoned(gone):
        run.show(Message("cli.doubt.abandoned", report=submission.report_id))
    run.ledger.checks.doubt_abandoned(gone)


@dataclass(frozen=True, slots=True)
class ListedReports:
    """One look at the service's list."""

    ended: list[Submission]
    reports: tuple[SplitReport, ...]


def poll_reports(run: Run) -> tuple[SplitReport, ...]:
    """List the service's reports in every way it can, settle what is in doubt, and compare the list with the ledger.

    Raises:
        NotSent: the list could not be had whole; that is no information, and nothing may be sent on it.
        SendingFrozen: ledger and service disagree, or did before and nobody has looked into it yet.
    """
    look = fetch_reports(run, run.require_service().api.list_all_reports)
    run.listed, run.listed_at_s, run.accepted_when_listed = look.reports, run.clock.monotonic_s(), run.accepted
    compare_reports(run, look)
    return look.reports


def fetch_reports(run: Run, ask: Callable[[], tuple[SplitReport, ...]]) -> ListedReports:
    """List the service's reports.

    Raises:
        NotSent: the list could not be had.
    """
    service = run.require_service()
    if run.ledger.service.current().url:  # a key never goes to a service that is not the ledger's
        run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    look = ListedReports(_ended(run), each_once(ask()))
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    return look


def compare_reports(run: Run, look: ListedReports) -> None:
    """Settle what is in doubt, and compare the list with the ledger.

    Raises:
        SendingFrozen: ledger and service disagree, or did before and nobody has looked into it yet.
    """
    alarms = _settle_doubts(run, look.reports)
    judge_ended(run, look.ended, look.reports)
    _book_beside(run, look.reports)
    freeze(run, [*alarms, *alarms_of(run, look)])


def _book_beside(run: Run, reports: Iterable[SplitReport]) -> None:
    """Book what other reports have paid that the service made of one POST, once people have looked into them."""
    names = {tag for kind, tag in run.ledger.freeze.accepted() if kind == "duplicate_report"}
    if not names:
        return
    ours = {sent.report_id: sent for sent in run.ledger.submissions.with_ids(names) if sent.split_id}
    for report in reports:
        for name in names_of(report) & ours.keys():
            sent = ours[name]
            if report.id in {None, sent.split_id}:
                continue
            judged = judge_report(replace(sent, state=S.PROCESSING, split_id=report.id), report)
            is_paid = judged.state is S.PAID
            if run.ledger.submissions.record_beside(sent.id, report, is_paid=is_paid, by=run.id):
                run.touched.add(sent.run_id)
                text = "cli.poll.paid_beside" if is_paid else "cli.poll.came_back_beside"
                run.show(Message(text, report=sent.report_id, other=report.id))


def alarms_of(run: Run, look: ListedReports) -> list[Alarm]:
    accepted, sent = run.ledger.freeze.accepted(), run.ledger.submissions.sent_reports()
    return compare_listing(look.reports, sent, ledger_tag=run.ledger.tag, accepted=accepted)


def _settle_doubts(run: Run, reports: tuple[SplitReport, ...]) -> list[Alarm]:
    _doubt_refusals(run, reports)
    alarms = []
    findings = find_doubtful(run.ledger.submissions.list(states={S.IN_DOUBT, S.ABSENT}), reports)
    linked = linked_ids(run) if any(finding.matches for finding in findings) else {}
    for finding in findings:
        name, count = finding.submission.report_id, len(finding.matches)
        split_id = (finding.matches[0].id or "") if finding.matches else ""
        if count > 1:
            alarms.append(Alarm("duplicate_report", name, Message("alarm.duplicate_report", count=count, name=name)))
        elif linked.get(split_id, name) != name:  # under its own name, another look has found it meanwhile
            seen = Message("alarm.linked_twice", name=name, report=split_id, other=linked[split_id])
            alarms.append(Alarm("linked_twice", f"{name}:id", seen))
        elif finding.matches:
            alarms += accept_found(
                run, finding.submission, split_id, by=run.id, reason=Message("attempt.found_in_list")
            )
    _link_or_propose(run, [finding.submission for finding in findings if not finding.matches], reports)
    return alarms + _wrong_likenesses(run, reports)


def _doubt_refusals(run: Run, reports: tuple[SplitReport, ...]) -> None:
    """Doubt what was refused where the list shows a report of nobody's like it: a proxy may have asked twice."""
    now = run.clock.now()
    refused = [
        submission
        for submission in run.ledger.submissions.list(states={S.REFUSED})
        if is_watched_still(submission, now)
    ]
    if not refused:
        return
    linked = linked_ids(run)
    for submission in refused:
        if alike := look_alikes(submission, reports, linked):
            reason = Message("attempt.refused_and_listed", report=alike[0].id)
            run.ledger.submissions.doubt_refused(submission.id, by=run.id, reason=reason)
            run.messages.append(Message("cli.doubt.refused", report=submission.report_id, split_id=alike[0].id))


def _wrong_likenesses(run: Run, reports: tuple[SplitReport, ...]) -> list[Alarm]:
    """Alarm where a report bears the name of a submission that was linked to another one for its likeness."""
    linked = {
        submission.id: submission.split_id
        for submission in run.ledger.submissions.list(linked_by=LIKENESS, bodies=False)
    }
    return [
        Alarm("wrong_likeness", name, Message("alarm.wrong_likeness", name=name, report=linked[name], found=report.id))
        for report in (reports if linked else ())
        for name in names_of(report) & linked.keys()
        if report.id != linked[name]
    ]


def accept_found(
    run: Run,
    submission: Submission,
    split_id: str,
    *,
    by: str,
    reason: Message,
    linked_by: str | None = None,
    is_persons_word: bool = False,
) -> list[Alarm]:
    """Take a report for a submission in doubt or declared absent; an alarm where its payments were sent again since."""
    name = submission.report_id
    paid_twice = run.ledger.submissions.record_found(
        submission.id,
        split_id=split_id,
        by=by,
        reason=reason,
        linked_by=linked_by,
        is_persons_word=is_persons_word,
    )
    run.show(Message("cli.doubt.found", report=name))
    if not paid_twice:
        return []
    return [Alarm("paid_twice", name, Message("alarm.paid_twice", name=name, count=len(paid_twice)))]


def linked_ids(run: Run) -> dict[str, str]:
    """Name the reports of the service that submissions of the ledger have already, each with our name of it."""
    return {report.split_id: report.report_id for report in run.ledger.submissions.sent_reports() if report.split_id}


def _link_or_propose(run: Run, nameless: list[Submission], reports: tuple[SplitReport, ...]) -> None:
    """Link what only one report can be where the service echoes nothing; elsewhere tell a person which it could be.

    What is being sent could be one of these reports too. What cannot be told any more is taken back: the reason is
    again why it is in doubt.
    """
    if not nameless:
        return
    under_way = run.ledger.submissions.list(states={S.SENDING})
    proposed = propose([*nameless, *under_way], reports, linked_ids(run))
    linked = linked_by_likeness(proposed, nameless, reports)
    for submission in nameless:
        if submission.id in linked:
            split_id = linked[submission.id].id or ""
            accept_found(run, submission, split_id, by=run.id, reason=FOUND_BY_LIKENESS, linked_by=LIKENESS)
            run.messages.append(Message("cli.doubt.likeness", report=submission.report_id, split_id=split_id))
        if submission.id in linked or submission.state is not S.IN_DOUBT:
            continue
        report, reason = proposed.get(submission.id), run.ledger.submissions.transitions(submission.id)[-1].reason
        if report is not None:
            reason = Message("cli.doubt.proposed", report=submission.report_id, split_id=report.id)
        if reason != submission.reason:
            run.ledger.submissions.note(submission.id, reason)


def _ended(run: Run) -> list[Submission]:
    return run.ledger.submissions.list(job=job_looked_at(run), states=ENDED, bodies=False)


def job_looked_at(run: Run) -> str | None:
    """Name the one job that a run is about; None when it is about all."""
    return run.asked.job.job if run.asked else run.only_job


def judge_ended(run: Run, ended: Sequence[Submission], reports: Iterable[SplitReport]) -> None:
    """Judge again what had ended, tell what changed, and freeze sending where one that had failed did.

    What a failed report was to pay is free to be paid again with a person's word, so its change of mind may be a
    payment made twice.
    """
    listed = {report.id: report for report in reports if report.id}
    _note_vanished(run, ended, listed.keys())
    seen = [(submission, listed[submission.split_id]) for submission in ended if submission.split_id in listed]
    held = [submission.id for submission, report in seen if report.withholdPayments or report.withholdAmount]
    withheld, owing = run.ledger.claims.withheld(held), run.ledger.fundings.owing_fees()
    returned = _returned_by_report(run, seen)
    for submission, report in seen:
        asked = withheld.get(submission.id, NOTHING_WITHHELD)
        judged, back = judge_report(submission, report, asked), returned[submission.id]
        is_less = submission.state is S.PAID and (back or judged.state is S.PARTIAL)
        if is_less and _note_what_came_back(run, submission, report, asked, back):
            continue
        changes = [discrepancy for discrepancy in judged.discrepancies if discrepancy.kind in _TOLD_AFTER_THE_END]
        is_fee_news = submission.state is S.PAID and (submission.id in owing) != owes_fee(report)
        if judged.state is not submission.state or judged.reason != submission.reason or is_fee_news:
            changes += _record_change(run, submission, report, judged)
        elif submission.state is S.FAILED and changes:
            run.ledger.freeze.raise_alarms((_changed_its_mind(submission, report),))
        if changes:
            run.note_discrepancies(changes)
            run.codes.add(ExitCode.DISCREPANCIES)


def _returned_by_report(run: Run, seen: Iterable[tuple[Submission, SplitReport]]) -> defaultdict[str, list[Returned]]:
    found = defaultdict[str, list[Returned]](list)
    for each in run.ledger.returns.of_reports(sent.id for sent, _ in seen if sent.state is S.PAID):
        found[each.submission_id].append(each)
    return found


def _note_what_came_back(
    run: Run, submission: Submission, report: SplitReport, asked: Withheld, known: Sequence[Returned]
) -> bool:
    """Write down what a report that was paid shows of money that came back; False where it shows nothing of the kind.

    What it shows no more, though it was paid again by now, freezes sending.
    """

    def alone(told: SplitReport) -> SubmissionState:
        return judge_report(replace(submission, state=S.PROCESSING), told, asked).state

    stands = alone(report)
    if stands not in {S.PAID, S.PARTIAL, S.FAILED} or (stands is S.PAID and not known):
        return False
    history = run.ledger.reports.history(submission.id)
    documents = (SplitReport.model_validate(parse_json(look.document)) for look in reversed(history))
    before = next((told for told in documents if alone(told) is S.PAID), None)
    found = before and what_came_back(before, report, run.ledger.claims.payments_of(submission.id), known)
    if not found:
        return False
    name, paid_for = submission.report_id, [each for each in found.paid_again if each.claimed_by]
    alarm = Alarm("paid_again", name, Message("alarm.paid_again", name=name, count=len(paid_for)))
    run.ledger.submissions.record_status(
        submission.id,
        report.document(),
        report.status,
        submission.state,
        by=run.id,
        reason=submission.reason,
        seen=submission.state,
        alarms=(alarm,) if paid_for else (),
        owes_fee=owes_fee(report),
        went_back=stands is not S.PAID,
    )
    if found.is_news:
        run.ledger.returns.see(submission.id, known, found, by=run.id)
        run.touched.add(submission.run_id)
        run.note_discrepancies([Discrepancy.of("came_back", name)])
    if found.is_news or any(each.is_nobodys and each.counts for each in known):
        run.codes.add(ExitCode.DISCREPANCIES)
        run.show(Message("cli.poll.came_back", report=name))
    return True


# Reports that have ended and that the list does not show: so many are asked for one by one.
MOST_UNLISTED: Final = 50


def _note_vanished(run: Run, ended: Sequence[Submission], listed: Collection[str]) -> None:
    """Tell of reports that were paid, and that the service shows neither in its list nor by their id any more.

    Each is asked for once in a run, for a month.
    """
    now = run.clock.now()
    unlisted = [
        submission
        for submission in ended
        if submission.state is S.PAID and submission.split_id and is_watched_still(submission, now)
        if submission.split_id not in listed and submission.split_id not in run.looked_for
    ]
    for submission in unlisted[:MOST_UNLISTED]:
        run.looked_for.add(submission.split_id or "")
        if by_id(run, submission) is None:
            run.note_discrepancies([Discrepancy.of("vanished", submission.report_id)])
            run.codes.add(ExitCode.DISCREPANCIES)
            run.show(Message("cli.poll.vanished", report=submission.report_id, payments=submission.payments))


def by_id(run: Run, submission: Submission) -> SplitReport | None:
    """Ask for one report that the list does not show; lists may lag."""
    if not submission.split_id:
        return None
    service = run.require_service()
    return service.api.find_report(service.path_id(split_id=submission.split_id, report_id=submission.report_id))


def _changed_its_mind(submission: Submission, report: SplitReport) -> Alarm:
    name = submission.report_id
    return Alarm("status_changed", name, Message("alarm.status_changed", name=name, found=report.status))


def _record_change(run: Run, submission: Submission, report: SplitReport, judged: Judgement) -> list[Discrepancy]:
    """Write down that a report that had ended stands otherwise; return where that contradicts people's decisions."""
    alarms = (_changed_its_mind(submission, report),) if submission.state is S.FAILED else ()
    stands = run.ledger.submissions.record_status(
        submission.id,
        report.document(),
        report.status,
        judged.state,
        by=run.id,
        reason=judged.reason,
        seen=submission.state,
        alarms=alarms,
        owes_fee=owes_fee(report),
    )
    if stands.state is not judged.state or stands.state is submission.state:
        return []
    run.touched.add(submission.run_id)
    before, after = (Message(f"state.{look.state}") for look in (submission, stands))
    run.show(Message("cli.poll.changed", report=submission.report_id, before=before, after=after))
    if stands.state is not S.PAID:
        return []
    otherwise = [
        decision for decision in run.ledger.decisions.about(submission.id) if decision.kind is not DecisionKind.PAID
    ]
    if not otherwise:
        return []
    return [Discrepancy.of("decided", submission.report_id, found=len(otherwise))]


def freeze(run: Run, alarms: list[Alarm]) -> None:
    """Stop all sending where there are alarms, and say so for as long as people have not looked into them.

    Raises:
        SendingFrozen: there are, or a freeze stands from before.
    """
    run.ledger.freeze.raise_alarms(tuple(alarms))
    current = run.ledger.freeze.current()
    if current is not None:
        raise SendingFrozen(frozen_message(current))


def frozen_message(current: Freeze) -> Message:
    """Say why sending is frozen, and how people let it go on."""
    return Message("cli.freeze.standing", reason=current.reason, tags=" --accept ".join(current.tags))


def note_doubts(run: Run, job: str | None) -> None:
    """Say in the run's outcome what of a job, or of all, is still in doubt."""
    doubts = run.ledger.submissions.list(job=job, states={S.IN_DOUBT, S.SENDING}, bodies=False)
    for doubt in doubts:
        words = Message("cli.doubt.standing", report=doubt.report_id, payments=doubt.payments)
        run.end_with(ExitCode.IN_DOUBT, Listed((words, doubt.reason), "; ") if doubt.reason else words)


def inferred_payments(ledger: Ledger, submissions: Iterable[Submission]) -> dict[tuple[str, str], Inferred]:
    """Infer, for each partial report among these, which of its payments were made.

    Returns:
        Obligation key and submission id -> what is inferred; nothing of what is not known.
    """
    partial = {sent.id: sent for sent in submissions if sent.state is SubmissionState.PARTIAL}
    found: dict[tuple[str, str], Inferred] = {}
    for name, seen in ledger.reports.latest(list(partial)).items():
        report = SplitReport.model_validate(parse_json(seen.document))
        payments = ledger.claims.payments_of(name)
        for key, inferred in tell_apart(payments, report, owner_cents=partial[name].owner_cents).items():
            found[key, name] = inferred
    return found
