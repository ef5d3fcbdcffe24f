"""Payments that an earlier report was to make: which ones a plan attempts again, and whether it has paid by now."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from flows.steps.inputs import Inputs
from flows.steps.judge_report import judge_report
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.paid_before import FailedPayment
from schemas.plan import Place
from schemas.plan_view import Notice, PayeeNotice
from schemas.submission import Submission, SubmissionState
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.wire import SplitReport, amount_from_cents

S = SubmissionState


@dataclass(frozen=True, slots=True)
class SecondAttempt:
    """An obligation about to be paid whose earlier report failed.

    Attributes:
        number: 2 for the second attempt.
        report_id: The last report that failed.
    """

    number: int
    report_id: str


def second_attempts(obligations: DataFrame[Obligations], failed: Iterable[FailedPayment]) -> dict[str, SecondAttempt]:
    """Find the planned payments that a failed report was to make, by obligation key.

    A payment is known by its obligation, and by amount and destination where somebody has renamed the job, the payer or
    the payee since.

    Args:
        obligations: A plan's, each in its place.
        failed: Payments of failed reports that nobody has made since, the oldest first.
    """
    by_base, by_account = defaultdict[str, list[str]](list), defaultdict[tuple[int, str], list[str]](list)
    for payment in failed:
        by_base[payment.base_key].append(payment.report_id)
        by_account[payment.amount_cents, payment.destination].append(payment.report_id)
    found = {}
    for row in planned_payments(obligations):
        alike = by_account.get((int(row["amount_cents"]), row["destination"]), []) if row["destination"] else []
        reports = by_base.get(row["base_key"]) or alike
        if reports:
            found[row["key"]] = SecondAttempt(len(set(reports)) + 1, reports[-1])
    return found


def planned_payments(obligations: DataFrame[Obligations]) -> list[Record]:
    """List what a plan pays people; the owner's part goes with them."""
    planned = (obligations["place"] == Place.PLANNED.value) & (obligations["kind"] != "owner")
    return records(obligations[planned])


def tell_second_attempts(
    obligations: DataFrame[Obligations], inputs: Inputs, attempts: Mapping[str, SecondAttempt], language: str
) -> list[Issue]:
    """Name each row that is paid in a second attempt; royalties by the row of their payee."""
    if not attempts:
        return []
    payees = {row["tax_id"]: row for row in records(inputs.payees[["tax_id", "file", "sheet", "row"]])}
    issues = []
    for row in planned_payments(obligations):
        attempt = attempts.get(row["key"])
        if attempt is None:
            continue
        place = row if row["row"] else payees.get(row["tax_id"], row)
        where = {"file": place["file"], "sheet": place["sheet"] or None, "row": int(place["row"]) or None}
        code, number, found = IssueCode.ROW_SECOND_ATTEMPT, attempt.number, attempt.report_id
        issues.append(make_issue(code, language=language, **where, number=number, found=found))
    return issues


def notices_of_attempts(
    obligations: DataFrame[Obligations], attempts: Mapping[str, SecondAttempt]
) -> tuple[PayeeNotice, ...]:
    """Name the payees of second attempts, each once with all that is attempted again, the largest first."""
    sums, names, last = Counter[str](), dict[str, str](), dict[str, SecondAttempt]()
    for row in planned_payments(obligations):
        attempt = attempts.get(row["key"])
        if attempt is None:
            continue
        payee = row["tax_id"]
        sums[payee] += int(row["amount_cents"])
        names[payee] = names.get(payee) or row["name"]
        last[payee] = max(last.get(payee, attempt), attempt, key=lambda one: one.number)
    return tuple(
        PayeeNotice(
            Notice.SECOND_ATTEMPT, payee, names[payee], cents, attempt=last[payee].number, report=last[payee].report_id
        )
        for payee, cents in sorted(sums.items(), key=lambda item: (-item[1], item[0]))
    )


def says_paid(submission: Submission, report: SplitReport, *, unpaid_cents: int, unpaid: int) -> bool:
    """Whether the service contradicts that payments of a report were not made.

    It does when the report is paid or on its way, when what it says of itself is unknown, and when what it has paid
    leaves no room for what was not.

    Args:
        submission: The one the report is of, whatever the ledger takes it for.
        report: As the service shows it now.
        unpaid_cents: What was not paid of it, all in all.
        unpaid: How many payments that are.
    """
    judged = judge_report(replace(submission, state=S.ACCEPTED), report)
    if judged.state not in {S.PARTIAL, S.FAILED, S.EXCLUDED}:
        return True
    left = amount_from_cents(submission.amount_cents - unpaid_cents)
    too_much = report.paidAmount is not None and report.paidAmount > left
    too_many = report.donePayments is not None and report.donePayments > submission.payments - unpaid
    return too_much or too_many
