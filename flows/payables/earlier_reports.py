"""Looking up earlier reports of payments that are about to be made again, so that nothing is paid twice."""

from collections.abc import Iterable

from flows.payables.rules.claims import SecondAttempt, says_paid, second_attempts
from flows.reports.report_list import freeze
from flows.run import Run
from io_adapters.ledger.ledger import Ledger
from schemas.errors import SendingFrozen
from schemas.messages import Message
from schemas.obligation import Obligations, planned_payments
from schemas.submission import Alarm, Submission
from schemas.wire import SplitReport


def attempts_of(ledger: Ledger, job: str, obligations: Obligations) -> dict[str, SecondAttempt]:
    """Tell which planned payments of a job a failed report was to make, by obligation key."""
    planned = planned_payments(obligations)
    failed = ledger.claims.failed_before(
        {obligation.base_key for obligation in planned},
        {obligation.destination for obligation in planned if obligation.destination},
        {(job, obligation.payee.tax_id) for obligation in planned if obligation.kind == "royalty"},
    )
    return second_attempts(obligations, failed)


def check_before_paying_again(run: Run, submission: Submission) -> None:
    """Look at the failed reports that were to make the payments of a submission, immediately before it is sent.

    Raises:
        NotSent: the service cannot be asked.
        SendingFrozen: one of them is paid, or on its way.
    """
    payments = run.ledger.claims.payments_of(submission.id)
    failed = run.ledger.claims.failed_before(
        {payment.base_key for payment in payments},
        {payment.destination for payment in payments if payment.destination},
        {(submission.job, payment.payee) for payment in payments if payment.kind == "royalty"},
        besides=submission.id,
    )
    amounts = {(payment.amount_cents, payment.destination) for payment in payments}
    base_keys = {payment.base_key for payment in payments}
    require_still_failed(
        run,
        {
            payment.report_id
            for payment in failed
            if payment.payee or payment.base_key in base_keys or (payment.amount_cents, payment.destination) in amounts
        },
    )


def require_still_failed(run: Run, report_ids: Iterable[str]) -> None:
    """Ask the service for each of these failed reports; one that has paid something since freezes sending.

    Raises:
        NotSent: the service cannot be asked.
        SendingFrozen: one of them is paid, or on its way.
    """
    for submission in run.ledger.submissions.with_ids(report_ids):
        report = shown_by_id(run, submission)
        paid = report is not None and says_paid(
            submission, report, unpaid_cents=submission.amount_cents, unpaid=submission.payments
        )
        if report is not None and paid:
            alarm = Message("alarm.paid_meanwhile", name=submission.report_id, found=report.status)
            freeze(run, [Alarm("status_changed", submission.report_id, alarm)])
            raise SendingFrozen(alarm)


def shown_by_id(run: Run, submission: Submission) -> SplitReport | None:
    """Ask for the report of a submission by whichever of its ids the service takes; None when it shows none.

    Raises:
        NotSent: the service cannot be asked.
    """
    service = run.require_service()
    path_id = service.path_id(split_id=submission.split_id or "", report_id=submission.report_id)
    return service.api.find_report(path_id) if path_id else None
