"""What is claimed already by a live submission, what looks paid already, and what is left to pay."""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType

import pandas as pd

from flows.intake.rules.inputs import Inputs
from flows.payables.rules.obligations import obligation_rows, obligations_frame
from flows.reports.rules.judge_report import judge_report
from flows.royalties.rules.accrue import Posting
from schemas.approval import Decision, DecisionKind
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.job import labelled_period
from schemas.plan import OWNER_REFERENCE, ROYALTIES, JobIdentity, Place, numbered
from schemas.plan_view import Notice, PayeeNotice
from schemas.submission import Claim, Submission, SubmissionState
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.obligations import Obligations
from schemas.used_before import FailedPayment, PaidAlike, PaidRow
from schemas.wire import SplitReport, amount_from_cents

DIFFERENCE = "difference"
RENAMED = "renamed from "
PAID_OUTSIDE = "paid_outside"


@dataclass(frozen=True, slots=True)
class Claimed:
    """Obligations held against the live claims.

    Attributes:
        obligations: One row per claim and per part still to pay; the sum of amounts is unchanged.
        postings: Negative differences, carried into the next period.
    """

    obligations: DataFrame[Obligations]
    postings: tuple[Posting, ...]


def claim(
    obligations: DataFrame[Obligations],
    claims: Collection[Claim],
    decisions: Mapping[str, Decision],
    identity: JobIdentity,
    paid_outside: Mapping[str, int] = MappingProxyType({}),
    *,
    other_books: Collection[Claim] = (),
    unsound_rows: Collection[tuple[str, str]] = (),
) -> Claimed:
    """Hold obligations against live claims, and against what people have decided.

    Args:
        obligations: What is owed now.
        claims: Live claims of this job and period, and royalties paid outside: those have no submission.
        decisions: Obligation key -> the last word people said on that payments row.
        identity: What the keys rest on.
        paid_outside: Obligation key of a payments row -> centavos that were paid for it outside Repasse.
        other_books: Live claims of this job and period under another payer or currency, for rows that were renamed.
        unsound_rows: Payee and reference of payments rows that are in the files and not among the obligations.

    Returns:
        Claimed rows bear the submission and run that claim them; their place follows from that submission's state.
    """
    if not claims and not decisions and not paid_outside and not other_books:
        return Claimed(obligations, ())
    by_base: dict[str, list[Claim]] = {}
    for one in sorted(claims, key=lambda one: (len(one.reference), one.reference)):
        by_base.setdefault(one.base_key, []).append(one)
    gone = _Gone(_without_row(obligations, [*claims, *other_books], identity, unsound_rows))
    rows, postings = list[Record](), list[Posting]()
    seen = set[str]()
    for row in records(obligations):
        known = by_base.get(row["base_key"], []) if row["base_key"] else []
        seen.add(row["base_key"])
        if row["kind"] == "payment":
            outside = paid_outside.get(row["key"])
            judged = _judge_payment(row, known, decisions.get(row["key"]), outside, identity)
            rows.append(gone.judge(row) if judged is row else judged)
        elif not known:
            rows.append(row)
        else:
            rows += _judge_difference(row, known, identity, postings)
    vanished = [known[0] for base_key, known in by_base.items() if base_key not in seen]
    for row in _sums_of_nothing(vanished):
        rows += _judge_difference(row, by_base[row["base_key"]], identity, postings)
    frame = pd.DataFrame(rows, columns=list(obligations.columns))
    return Claimed(obligations_frame(frame), tuple(postings))


class _Gone:
    """Claims that no row accounts for any more, by what a renamed row keeps: its amount, and its payee or account."""

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._by_payee: dict[tuple[int, str], Claim] = {}
        self._by_account: dict[tuple[int, str], Claim] = {}
        for one in claims:
            self._by_payee.setdefault((one.amount_cents, one.payee), one)
            self._by_account.setdefault((one.amount_cents, one.destination), one)

    def judge(self, row: Record) -> Record:
        """Put a row that nothing else speaks against in conflict where it may be one of these, renamed."""
        cents = row["amount_cents"]
        lost = self._by_payee.get((cents, row["tax_id"])) or self._by_account.get((cents, row["destination"]))
        if lost is None or row["place"] != Place.PLANNED.value:
            return row
        told = {"submission_id": lost.submission_id, "run_id": lost.run_id}
        return row | told | {"place": Place.CONFLICT.value, "reason": f"{RENAMED}{lost.submission_id}"}


def _without_row(
    obligations: DataFrame[Obligations],
    claims: Iterable[Claim],
    identity: JobIdentity,
    unsound_rows: Collection[tuple[str, str]],
) -> list[Claim]:
    """Return the claims of payments rows whose row is gone from the files, or says another amount or account by now.

    A row that cannot be paid as it stands, whatever its problem, is still there.
    """
    by_books: dict[tuple[str, str], list[Claim]] = {}
    for one in claims:
        if one.kind == "payment":
            by_books.setdefault((one.payer or identity.payer, one.currency or identity.currency), []).append(one)
    if not by_books:
        return []
    rows = records(obligations[(obligations["kind"] == "payment") & (obligations["base_key"] != "")])
    lost = []
    for (payer, currency), of_books in by_books.items():
        books = replace(identity, payer=payer, currency=currency)
        there = {books.payment_key(tax_id, reference) for tax_id, reference in unsound_rows}
        as_it_stands = set[tuple[str, int, str]]()
        for row in rows:
            key = row["base_key"] if books == identity else books.payment_key(row["tax_id"], row["reference"])
            if row["place"] == Place.PLANNED.value:
                as_it_stands.add((key, row["amount_cents"], row["destination"]))
            else:
                there.add(key)
        lost += [
            claim
            for claim in of_books
            if claim.base_key not in there
            and (claim.base_key, claim.amount_cents, claim.destination) not in as_it_stands
        ]
    return lost


def _judge_payment(
    row: Record, known: Sequence[Claim], decided: Decision | None, outside: int | None, identity: JobIdentity
) -> Record:
    what = (row["amount_cents"], row["destination"])
    same = next((one for one in known if (one.amount_cents, one.destination) == what), None)
    if same is not None:
        told = {"submission_id": same.submission_id, "run_id": same.run_id, "key": same.obligation_key}
        return row | told | {"place": Place.DUPLICATE.value, "reason": f"claimed by {same.submission_id}"}
    if outside is not None:
        as_declared = outside == row["amount_cents"]
        other = {"place": Place.CONFLICT.value, "reason": "another amount than was paid outside"}
        return row | ({"place": Place.DUPLICATE.value, "reason": PAID_OUTSIDE} if as_declared else other)
    if decided is not None and (decided.amount_cents, decided.destination) == what:
        return _decided(row, known, decided, identity)
    conflict = row | {"place": Place.CONFLICT.value}
    if known:
        told = {"submission_id": known[0].submission_id, "run_id": known[0].run_id}
        return conflict | told | {"reason": f"another amount or destination than in {known[0].submission_id}"}
    if decided is not None and decided.kind is not DecisionKind.PAY:
        return conflict | {"reason": f"another amount or destination than was {decided.reason}"}
    return row


def _decided(row: Record, known: Sequence[Claim], decided: Decision, identity: JobIdentity) -> Record:
    """Do as people said of exactly this amount and destination."""
    match decided.kind:
        case DecisionKind.PAID:
            return row | {"place": Place.DUPLICATE.value, "reason": decided.reason}
        case DecisionKind.DROP:
            return row | {"place": Place.EXCLUDED.value, "reason": decided.reason}
        case DecisionKind.PAY:  # beside what was paid before, as an obligation of its own
            tax_id, reference = row["tax_id"], row["reference"]
            number = _free_number(known, lambda n: identity.payment_key(tax_id, reference, n))
            key = identity.payment_key(tax_id, reference, number)
            return row | {"key": key, "reference": numbered(reference, number)}


def _free_number(known: Sequence[Claim], key_of: Callable[[int], str]) -> int:
    """Find the first number whose obligation nobody claims: claims are also given up, and not always the last one."""
    taken = {one.obligation_key for one in known}
    return next(number for number in count(1) if key_of(number) not in taken)


def _judge_difference(
    row: Record, known: Sequence[Claim], identity: JobIdentity, postings: list[Posting]
) -> list[Record]:
    """Replace an owed sum by its claims and the difference."""
    rows = [_claimed_row(row, one) for one in known]
    difference = int(row["amount_cents"]) - sum(one.amount_cents for one in known)
    if difference > 0:
        rows.append(_difference_row(row, difference, known, identity))
    elif difference < 0:
        rows.append(_owed_back_row(row, difference))
        if row["kind"] == "royalty":
            postings.append(Posting(row["tax_id"], "carried", "", difference))
    return rows


def _sums_of_nothing(gone: Iterable[Claim]) -> list[Record]:
    """Royalties that were claimed and are no longer owed, as sums of nothing; a payments row that is gone is gone."""
    rows = [
        {"kind": one.kind, "tax_id": one.payee, "base_key": one.base_key, "place": Place.PLANNED.value}
        for one in gone
        if one.kind != "payment"
    ]
    return records(obligation_rows(pd.DataFrame(rows)))


def _claimed_row(row: Record, one: Claim) -> Record:
    return row | {
        "key": one.obligation_key,
        "reference": one.reference,
        "amount_cents": one.amount_cents,
        "destination": one.destination,
        "withhold": one.withheld,
        "place": Place.DUPLICATE.value,
        "reason": f"claimed by {one.submission_id}" if one.submission_id else PAID_OUTSIDE,
        "submission_id": one.submission_id,
        "run_id": one.run_id,
    }


def _difference_row(row: Record, cents: int, known: Sequence[Claim], identity: JobIdentity) -> Record:
    owner = row["kind"] == "owner"

    def key_of(number: int) -> str:
        return identity.owner_key(number) if owner else identity.royalty_key(row["tax_id"], number)

    number = _free_number(known, key_of)
    reference = numbered(OWNER_REFERENCE if owner else ROYALTIES, number)
    changes = {"key": key_of(number), "reference": reference, "amount_cents": cents}
    return row | changes | {"reason": row["reason"] or DIFFERENCE}


def _owed_back_row(row: Record, cents: int) -> Record:
    """Too much was claimed before; see above for why the owner's is not carried."""
    owner = row["kind"] == "owner"
    place = Place.OWNER if owner else Place.CARRIED
    changes = {"place": place.value, "kind": "owner" if owner else "carried", "reason": DIFFERENCE}
    return row | changes | {"key": "", "base_key": "", "reference": "", "amount_cents": cents}


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


def paid_alike(
    obligations: DataFrame[Obligations],
    paid: Sequence[PaidRow],
    identity: JobIdentity,
    decided: Collection[str] = (),
) -> dict[str, tuple[PaidAlike, ...]]:
    """Find what each planned payments row looks like.

    Args:
        obligations: After claims and checks.
        paid: Payments rows that live submissions pay, of whatever job, in the job's currency.
        identity: Of this job and period.
        decided: Keys of rows that people said are to be paid: what this job and period paid does not count for them.

    Returns:
        Obligation key -> what it looks like, oldest first; only rows that look like something.
    """
    if not paid:
        return {}
    by_payee, by_account = defaultdict[object, list[PaidRow]](list), defaultdict[object, list[PaidRow]](list)
    for one in paid:
        by_payee[one.amount_cents, one.payee].append(one)
        by_account[one.amount_cents, one.destination].append(one)
    found = dict[str, tuple[PaidAlike, ...]]()
    planned = (obligations["kind"] == "payment") & (obligations["place"] == Place.PLANNED.value)
    for row in records(obligations[planned]):
        cents = int(row["amount_cents"])
        candidates = [*by_payee.get((cents, row["tax_id"]), ()), *by_account.get((cents, row["destination"]), ())]
        alike = [
            candidate
            for candidate in candidates
            if _counts(candidate, row, identity, asked=row["base_key"] not in decided)
        ]
        if alike:
            found[row["key"]] = tuple(dict.fromkeys(_told(one, row, identity) for one in alike))
    return found


def _counts(paid: PaidRow, row: Record, identity: JobIdentity, *, asked: bool) -> bool:
    """Whether a person must know of a payment before a row of its amount goes to its payee or account."""
    same_series = (paid.job, paid.payer) == (identity.job, identity.payer)
    if (paid.job, paid.period) == (identity.job, identity.period):
        return asked and not (same_series and paid.payee == row["tax_id"])
    return not (row["recurring"] and same_series and not _overlap(paid.period, identity.period))


def _overlap(one: str, other: str) -> bool:
    first, second = labelled_period(one), labelled_period(other)
    return first.start <= second.end and second.start <= first.end


def _told(paid: PaidRow, row: Mapping[str, object], identity: JobIdentity) -> PaidAlike:
    return PaidAlike(
        paid.job,
        paid.period,
        paid.submission_id,
        other_payer=paid.payer != identity.payer,
        other_payee=paid.payee != row["tax_id"],
        other_account=paid.destination != row["destination"],
    )
