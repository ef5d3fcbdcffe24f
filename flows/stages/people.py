"""People's words on what the service does not tell: a report found by hand, one declared absent, a freeze lifted."""

import datetime as dt
from collections.abc import Sequence
from typing import Final

from flows.stages.listing import look_at_service
from flows.stages.run import Run
from flows.steps.compare_listing import differs_from
from io_adapters.ledger.ledger import Ledger
from schemas.errors import ApprovalWanted, WordRefused
from schemas.submission import Submission, SubmissionState

S = SubmissionState

WAIT: Final = dt.timedelta(hours=24)


def link_report(run: Run, submission_id: str, split_id: str, by: str) -> Submission:
    """Take a person's word that a report of the service is the submission in doubt; the report must not contradict it.

    Raises:
        WordRefused: the submission is not in doubt, the service shows no such report, the report is another
            submission's, or it differs in payer, currency, total or number of payments.
        NotSent: the service cannot be asked.
    """
    submission = _in_doubt(run, submission_id)
    report = run.require_service().api.find_report(split_id)
    if report is None:
        raise WordRefused(f"the service shows no report {split_id}")
    others = [one for one in run.ledger.submissions.list(bodies=False) if one.split_id == report.id]
    if others:
        raise WordRefused(f"report {split_id} is that of {others[0].report_id} already")
    differences = differs_from(submission, report)
    if differences:
        raise WordRefused(f"report {split_id} is not {submission.report_id}: {', '.join(differences)} differ")
    run.ledger.submissions.record_found(
        submission.id, split_id=report.id or split_id, by=by, reason="found by a person"
    )
    return run.ledger.submissions.get(submission.id)


def declare_absent(run: Run, submission_id: str, by: Sequence[str], evidence: str) -> Submission:
    """Take two people's word that the service never received a submission, and make its next attempt ready.

    A last look at the service comes first: what shows up there is accepted instead, and nothing is declared.

    Returns:
        The submission that was found after all, or the next attempt, approved.

    Raises:
        WordRefused: the submission is not in doubt, or not for a day yet.
        ApprovalWanted: there are not two different people, or one of them sent it.
        NotSent: the service cannot be asked; then nothing can be declared.
        SendingFrozen: ledger and service disagree.
    """
    submission = _in_doubt(run, submission_id)
    if submission.sending_at is not None and run.clock.now() < submission.sending_at + WAIT:
        since = f"{submission.sending_at + WAIT:%Y-%m-%d %H:%M} UTC"
        raise WordRefused(f"{submission.report_id} can be declared absent from {since} on, a day after it was sent")
    sender = run.ledger.runs.get(submission.run_id)
    if sender is not None and sender.prepared_by.strip().casefold() in {name.strip().casefold() for name in by}:
        raise ApprovalWanted("whoever sent it cannot be one of the two who declare it absent")
    look_at_service(run)
    found = run.ledger.submissions.get(submission.id)
    if found.state is not S.IN_DOUBT:
        return found
    return run.ledger.submissions.declare_absent(submission.id, by=by, evidence=evidence, run_id=run.id)


def _in_doubt(run: Run, submission_id: str) -> Submission:
    known = {one.id: one for one in run.ledger.submissions.list(states={S.IN_DOUBT, S.SENDING}, bodies=False)}
    if submission_id not in known:
        raise WordRefused(f"{submission_id} is not in doubt; `repasse status` lists what is")
    if known[submission_id].state is S.SENDING:
        raise WordRefused(f"{submission_id} is being sent at this moment")
    return known[submission_id]


def lift_freeze(ledger: Ledger, accepted: Sequence[str], by: Sequence[str], evidence: str) -> tuple[str, ...]:
    """Take two people's word that what froze sending is understood: every tag must be accepted by name.

    Returns:
        The tags that no longer freeze sending.

    Raises:
        WordRefused: nothing is frozen, or a tag of the freeze is not accepted, or one is not of the freeze.
        ApprovalWanted: there are not two different people.
    """
    freeze = ledger.freeze.current()
    if freeze is None:
        raise WordRefused("sending is not frozen")
    if len({name.strip().casefold() for name in by if name.strip()}) < 2:
        raise ApprovalWanted("to let sending go on takes the word of two different people")
    wrong = sorted(set(freeze.tags) ^ set(accepted))
    if wrong:
        raise WordRefused(f"name exactly what froze sending: {', '.join(freeze.tags)} (not so: {', '.join(wrong)})")
    ledger.freeze.lift(by, evidence, accepted)
    return freeze.tags
