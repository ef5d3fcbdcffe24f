"""Look at the service's list of reports: settle doubts, and see whether ledger and service still agree."""

from flows.stages.run import Run
from flows.steps.compare_listing import Alarm, compare_listing, find_doubtful, propose
from flows.steps.judge_report import went_back
from io_adapters.ledger.owner import Owner, is_gone
from schemas.errors import SendingFrozen
from schemas.exit_codes import ExitCode
from schemas.submission import Submission, SubmissionState
from schemas.wire import SplitReport

S = SubmissionState


def doubt_abandoned(run: Run) -> None:
    """Put what a dead process left half done in doubt: its submissions, and its account checks as spent."""

    def gone(owner: Owner) -> bool:
        return is_gone(owner, run.owner)

    for submission in run.ledger.submissions.doubt_abandoned(gone):
        run.progress.tell(run.say("doubt.abandoned", report=submission.report_id))
    run.ledger.checks.abandoned(gone)


def look_at_service(run: Run) -> tuple[SplitReport, ...]:
    """List the service's reports, settle what is in doubt, and compare the list with the ledger.

    Returns:
        All reports the service lists.

    Raises:
        NotSent: the list could not be had whole; that is no information, and nothing may be sent on it.
        SendingFrozen: ledger and service disagree.
    """
    service = run.require_service()
    if run.ledger.service.current().url:  # a key never goes to a service that is not the ledger's
        run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    reports = service.api.list_all_reports()
    run.ledger.service.bind_or_check(service.url, service.key_fingerprint)
    run.listed_at_s = run.clock.monotonic_s()
    alarms = _settle_doubts(run, reports) + _look_at_ended(run, reports)
    known = run.ledger.submissions.report_ids()
    accepted = run.ledger.freeze.accepted_tags()
    alarms += compare_listing(reports, known, service_url=service.url, ledger_tag=run.ledger.tag, accepted=accepted)
    alarms = [alarm for alarm in alarms if alarm.tag not in accepted]
    if alarms:
        _freeze(run, alarms)
    return reports


def _settle_doubts(run: Run, reports: tuple[SplitReport, ...]) -> list[Alarm]:
    """Accept what the list shows, propose what could be it, and alarm where it shows too much."""
    alarms = []
    in_doubt = run.ledger.submissions.list(states={S.IN_DOUBT, S.ABSENT})
    for finding in find_doubtful(in_doubt, reports):
        name = finding.submission.report_id
        if len(finding.matches) == 1:
            alarms += _accept(run, finding.submission, finding.matches[0])
        elif finding.matches:
            alarms.append(Alarm("duplicate_report", name, f"{len(finding.matches)} reports bear the name {name}"))
        elif finding.submission.state is S.IN_DOUBT:
            _propose(run, finding.submission, reports)
    return alarms


def _accept(run: Run, submission: Submission, report: SplitReport) -> list[Alarm]:
    name = submission.report_id
    paid_twice = run.ledger.submissions.record_found(
        submission.id, split_id=report.id or "", by=run.id, reason="found in the list"
    )
    run.progress.tell(run.say("doubt.found", report=name))
    if not paid_twice:
        return []
    return [Alarm("paid_twice", name, f"{name} came late: {len(paid_twice)} of its payments were sent again before")]


def _propose(run: Run, submission: Submission, reports: tuple[SplitReport, ...]) -> None:
    """Where the service echoes no name, tell a person which report it could be; never take it for that."""
    linked = {one.split_id for one in run.ledger.submissions.list(bodies=False) if one.split_id}
    report = propose(submission, reports, linked)
    if report is not None:
        words = run.say("doubt.proposed", report=submission.report_id, split_id=report.id)
        run.ledger.submissions.note(submission.id, words)


def _look_at_ended(run: Run, reports: tuple[SplitReport, ...]) -> list[Alarm]:
    """Tell of reports that had ended and changed since; one that had failed stops the sending.

    What a failed report was to pay is free to be paid again, so its change of mind may be a payment made twice.
    """
    listed = {report.id: report for report in reports}
    job = run.asked.job.job if run.asked else run.only_job
    alarms = []
    for submission in run.ledger.submissions.list(job=job, states={S.PAID, S.FAILED, S.EXCLUDED}, bodies=False):
        report = listed.get(submission.split_id)
        changed = went_back(submission, report) if report else None
        if changed is None:
            continue
        run.note_discrepancies([changed])
        run.codes.add(ExitCode.DISCREPANCIES)
        name = submission.report_id
        if submission.state is S.FAILED:
            alarms.append(Alarm("status_changed", name, f"{name} had failed and is now {changed.found}"))
    return alarms


def _freeze(run: Run, alarms: list[Alarm]) -> None:
    reason = "; ".join(alarm.message for alarm in alarms)
    run.ledger.freeze.put(reason, [alarm.tag for alarm in alarms])
    raise SendingFrozen(run.say("freeze.standing", reason=reason))


def note_doubts(run: Run, job: str | None) -> None:
    """Say in the run's outcome what of a job, or of all, is still in doubt."""
    doubts = run.ledger.submissions.list(job=job, states={S.IN_DOUBT, S.SENDING})
    for one in doubts:
        words = run.say("doubt.standing", report=one.report_id, payments=one.payments)
        proposed = f"; {one.reason}" if "repasse resolve" in one.reason else ""
        run.end_with(ExitCode.IN_DOUBT, words + proposed)
