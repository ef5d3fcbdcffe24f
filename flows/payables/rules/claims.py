"""Guards against paying twice: what is claimed, what looks paid already, and what is left to pay."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import count
from types import MappingProxyType
from typing import Any, Final

from flows.intake.rules.inputs import Inputs
from flows.reports.rules.judge_report import judge_report
from schemas.approval import Decision, DecisionKind
from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Money
from schemas.obligation import Obligation, Obligations, Payee, planned_payments
from schemas.plan import OWNER_REFERENCE, ROYALTIES, JobIdentity, Place, numbered
from schemas.plan_view import Notice, PayeeNotice
from schemas.reasons import Reason, as_decided, because
from schemas.sources import FailedPayment
from schemas.submission import Claim, Submission, SubmissionState
from schemas.values.money import SignedSums
from schemas.wire import SplitReport, amount_from_cents

DIFFERENCE = "difference"
RENAMED = "renamed_from"
PAID_OUTSIDE = "paid_outside"
PAID_BESIDE = "paid_beside"


def claim(
    obligations: Sequence[Obligation],
    claims: Collection[Claim],
    decisions: Mapping[str, Decision],
    identity: JobIdentity,
    paid_outside: Mapping[str, int] = MappingProxyType({}),
    *,
    claims_elsewhere: Collection[Claim] = (),
    unsound_rows: Collection[tuple[str, str]] = (),
) -> Obligations:
    """Hold obligations against live claims, and against what people have decided.

    Args:
        decisions: Obligation key -> the last word people said on that payments row.
        paid_outside: Obligation key of a payments row -> centavos that were paid for it outside Repasse.

    Returns:
        One row per claim and per part still to pay; the sum of amounts is unchanged. Claimed rows bear the submission
        and run that claim them; their place follows from that submission's state.
    """
    if not claims and not decisions and not paid_outside and not claims_elsewhere:
        return tuple(obligations)
    by_base: dict[str, list[Claim]] = {}
    for claim in sorted(claims, key=lambda claim: (len(claim.reference), claim.reference)):
        by_base.setdefault(claim.base_key, []).append(claim)
    gone = _Gone(_without_row(obligations, [*claims, *claims_elsewhere], identity, unsound_rows))
    judged = list[Obligation]()
    seen, unclaimed = set[str](), list[int]()
    for obligation in obligations:
        known = by_base.get(obligation.base_key, []) if obligation.base_key else []
        seen.add(obligation.base_key)
        if obligation.kind == "payment":
            outside = paid_outside.get(obligation.key)
            found = _judge_payment(obligation, known, decisions.get(obligation.key), outside, identity)
            if found[0] is obligation and obligation.place is Place.PLANNED:
                unclaimed.append(len(judged))
            judged += found
        elif not known:
            judged.append(obligation)
        else:
            judged += _judge_difference(obligation, known, identity)
    gone.judge(judged, unclaimed)
    vanished = [known[0] for base_key, known in by_base.items() if base_key not in seen]
    for obligation in _sums_of_nothing(vanished):
        judged += _judge_difference(obligation, by_base[obligation.base_key], identity)
    return tuple(judged)


# So many rows in conflict, while none of what was paid is there as it was, are another list.
_FEWEST_OF_ANOTHER_LIST: Final = 3


def list_in_place(obligations: Iterable[Obligation], claims: Iterable[Claim], handed_in: Collection[str]) -> str:
    """Name the list that stands where the period had another one, of whose rows it has none; "" where there is none.

    One question is asked of it before any of its rows: it is the list of another month, or was written anew. A row is
    one of those that were paid by its account and sum, whatever its reference, document and payer are by now.

    Args:
        claims: What was paid for the job's lists in this period, under any payer.
        handed_in: Names of files that somebody has said to be of this very period.
    """
    paid = {(claim.destination, claim.amount_cents) for claim in claims if claim.kind == "payment"}
    lists = defaultdict[str, list[Obligation]](list)
    for obligation in obligations:
        if obligation.kind == "payment" and obligation.base_key:
            lists[obligation.source.file].append(obligation)
    if any((row.destination, row.amount_cents) in paid for rows in lists.values() for row in rows):
        return ""
    for file, rows in lists.items():
        conflicts = {row.payee.tax_id for row in rows if row.place is Place.CONFLICT}
        if file not in handed_in and len(conflicts) >= _FEWEST_OF_ANOTHER_LIST:
            return file
    return ""


class _Gone:
    """Claims whose row is gone from the files: any new row of the same recipient may be that money in another shape.

    Rows are split, merged, renamed, dated otherwise and amended; neither amount nor reference nor their number tells.
    A recipient is known by document or by account.
    """

    def __init__(self, claims: Iterable[Claim]) -> None:
        self._by_recipient: dict[str, dict[str, Claim]] = {}
        for claim in claims:
            for recipient in filter(None, (claim.payee, claim.destination)):
                self._by_recipient.setdefault(recipient, {})[claim.obligation_key] = claim

    def judge(self, judged: list[Obligation], unclaimed: Sequence[int]) -> None:
        """Put rows in conflict that may be one of these, with what was paid and what the whole would come to."""
        lost = {position: found for position in unclaimed if (found := self._lost(judged[position]))}
        added = SignedSums[str]()
        for position, found in lost.items():
            added.add(dict.fromkeys(found, judged[position].amount_cents))
        for position, found in lost.items():
            obligation = judged[position]
            claim = min(
                found.values(), key=lambda claim: (claim.amount_cents != obligation.amount_cents, claim.submission_id)
            )
            paid_cents = sum(claim.amount_cents for claim in found.values())
            whole_cents = paid_cents + max(added[key] for key in found)
            facts = {"submission": claim.submission_id, "paid": Money(paid_cents), "whole": Money(whole_cents)}
            judged[position] = _claimed_by(claim, obligation, Place.CONFLICT, because(RENAMED, **facts))

    def _lost(self, obligation: Obligation) -> dict[str, Claim]:
        recipients = filter(None, (obligation.payee.tax_id, obligation.destination))
        return {key: claim for who in recipients for key, claim in self._by_recipient.get(who, {}).items()}


def _without_row(
    obligations: Iterable[Obligation],
    claims: Iterable[Claim],
    identity: JobIdentity,
    unsound_rows: Collection[tuple[str, str]],
) -> list[Claim]:
    """Return the claims of payments rows whose row is gone from the files, or says another amount or account by now.

    A row that cannot be paid as it stands, whatever its problem, is still there.
    """
    by_series: dict[tuple[str, str], list[Claim]] = {}
    for claim in claims:
        if claim.kind == "payment":
            series = (claim.payer or identity.payer, claim.currency or identity.currency)
            by_series.setdefault(series, []).append(claim)
    if not by_series:
        return []
    rows = [obligation for obligation in obligations if obligation.kind == "payment" and obligation.base_key]
    lost = []
    for (payer, currency), of_series in by_series.items():
        earlier = replace(identity, payer=payer, currency=currency)
        still_owed = {earlier.payment_key(tax_id, reference) for tax_id, reference in unsound_rows}
        as_it_stands = set[tuple[str, int, str]]()
        for obligation in rows:
            key = (
                obligation.base_key
                if earlier == identity
                else earlier.payment_key(obligation.payee.tax_id, obligation.reference)
            )
            if obligation.place is Place.PLANNED:
                as_it_stands.add((key, obligation.amount_cents, obligation.destination))
            else:
                still_owed.add(key)
        lost += [
            claim
            for claim in of_series
            if claim.base_key not in still_owed
            and (claim.base_key, claim.amount_cents, claim.destination) not in as_it_stands
        ]
    return lost


def _claimed_by(claim: Claim, obligation: Obligation, place: Place, reasons: tuple[Reason, ...]) -> Obligation:
    return replace(obligation, submission_id=claim.submission_id, run_id=claim.run_id, place=place, reasons=reasons)


def _judge_payment(
    obligation: Obligation, known: Sequence[Claim], decided: Decision | None, outside: int | None, identity: JobIdentity
) -> list[Obligation]:
    payment = (obligation.amount_cents, obligation.destination)
    same = next((claim for claim in known if (claim.amount_cents, claim.destination) == payment), None)
    if same is not None:
        duplicate = _claimed_by(same, obligation, Place.DUPLICATE, because("claimed_by", submission=same.submission_id))
        return [replace(duplicate, key=same.obligation_key)]
    if outside is not None:
        as_declared = outside == obligation.amount_cents
        place = Place.DUPLICATE if as_declared else Place.CONFLICT
        return [
            replace(obligation, place=place, reasons=because(PAID_OUTSIDE if as_declared else "otherwise_than_outside"))
        ]
    if decided is not None and (decided.amount_cents, decided.destination) == payment:
        return _decided(obligation, known, decided, identity)
    if known:
        return [_otherwise_than(obligation, known)]
    if decided is not None and decided.kind is not DecisionKind.PAY:
        reasons = because("otherwise_decided", decision=decided.kind.value, by=decided.by)
        return [replace(obligation, place=Place.CONFLICT, reasons=reasons)]
    return [obligation]


def _decided(
    obligation: Obligation, known: Sequence[Claim], decided: Decision, identity: JobIdentity
) -> list[Obligation]:
    """Do as people said of exactly this amount and destination."""
    match decided.kind:
        case DecisionKind.PAID:
            return [replace(obligation, place=Place.DUPLICATE, reasons=as_decided(decided))]
        case DecisionKind.DROP:
            return [replace(obligation, place=Place.EXCLUDED, reasons=as_decided(decided))]
        case DecisionKind.PAY:  # beside what was paid before, as an obligation of its own
            reasons = because(PAID_BESIDE, **_beside(obligation, known)) if known else obligation.reasons
            return [replace(_numbered(obligation, known, identity), reasons=reasons)]
        case DecisionKind.DIFFERENCE:
            return _with_difference(obligation, known, identity)


def _otherwise_than(obligation: Obligation, known: Sequence[Claim]) -> Obligation:
    return _claimed_by(known[0], obligation, Place.CONFLICT, because("otherwise_than", **_beside(obligation, known)))


def _beside(obligation: Obligation, known: Sequence[Claim]) -> dict[str, Any]:
    paid_cents = sum(claim.amount_cents for claim in known)
    whole = Money(paid_cents + obligation.amount_cents)
    return {"submission": known[0].submission_id, "paid": Money(paid_cents), "whole": whole}


def _with_difference(obligation: Obligation, known: Sequence[Claim], identity: JobIdentity) -> list[Obligation]:
    """Part a row of which people want the difference paid into what was paid for it and the rest.

    Where nothing is paid any more, as when its report has failed, the row is owed like any other.
    """
    if obligation.place is not Place.PLANNED or not known:
        return [obligation]
    rest = obligation.amount_cents - sum(claim.amount_cents for claim in known)
    if rest < 0:  # more was paid by now
        return [_otherwise_than(obligation, known)]
    parts = [_claimed_part(obligation, claim) for claim in known]
    if rest:
        parts.append(replace(_numbered(obligation, known, identity), amount_cents=rest, reasons=because(DIFFERENCE)))
    return parts


def _numbered(obligation: Obligation, known: Sequence[Claim], identity: JobIdentity) -> Obligation:
    tax_id, reference = obligation.payee.tax_id, obligation.reference
    number = _free_number(known, lambda n: identity.payment_key(tax_id, reference, n))
    return replace(
        obligation, key=identity.payment_key(tax_id, reference, number), reference=numbered(reference, number)
    )


def _free_number(known: Sequence[Claim], key_of: Callable[[int], str]) -> int:
    """Find the first number whose obligation nobody claims: claims are also given up, and not always the last one."""
    taken = {claim.obligation_key for claim in known}
    return next(number for number in count(1) if key_of(number) not in taken)


def _judge_difference(obligation: Obligation, known: Sequence[Claim], identity: JobIdentity) -> list[Obligation]:
    parts = [_claimed_part(obligation, claim) for claim in known]
    difference = obligation.amount_cents - sum(claim.amount_cents for claim in known)
    if difference > 0:
        parts.append(_difference(obligation, difference, known, identity))
    elif difference < 0:
        parts.append(_owed_back(obligation, difference))
    return parts


def _sums_of_nothing(gone: Iterable[Claim]) -> list[Obligation]:
    """Royalties that were claimed and are no longer owed, as sums of nothing; a payments row that is gone is gone."""
    return [
        Obligation(
            kind=claim.kind,
            amount_cents=0,
            place=Place.PLANNED,
            base_key=claim.base_key,
            payee=Payee(claim.payee),
        )
        for claim in gone
        if claim.kind != "payment"
    ]


def _claimed_part(obligation: Obligation, claim: Claim) -> Obligation:
    reasons = because("claimed_by", submission=claim.submission_id) if claim.submission_id else because(PAID_OUTSIDE)
    return replace(
        _claimed_by(claim, obligation, Place.DUPLICATE, reasons),
        key=claim.obligation_key,
        reference=claim.reference,
        amount_cents=claim.amount_cents,
        destination=claim.destination,
        withhold=claim.withheld,
    )


def _difference(obligation: Obligation, cents: int, known: Sequence[Claim], identity: JobIdentity) -> Obligation:
    owner = obligation.kind == "owner"

    def key_of(number: int) -> str:
        return identity.owner_key(number) if owner else identity.royalty_key(obligation.payee.tax_id, number)

    number = _free_number(known, key_of)
    reference = numbered(OWNER_REFERENCE if owner else ROYALTIES, number)
    reasons = obligation.reasons or because(DIFFERENCE)
    return replace(obligation, key=key_of(number), reference=reference, amount_cents=cents, reasons=reasons)


def _owed_back(obligation: Obligation, cents: int) -> Obligation:
    """Too much was claimed before; see above for why the owner's is not carried."""
    owner = obligation.kind == "owner"
    return replace(
        obligation,
        place=Place.OWNER if owner else Place.CARRIED,
        kind="owner" if owner else "carried",
        reasons=because(DIFFERENCE),
        key="",
        base_key="",
        reference="",
        amount_cents=cents,
    )


S = SubmissionState


@dataclass(frozen=True, slots=True)
class SecondAttempt:
    """An obligation about to be paid whose earlier report failed.

    Attributes:
        number: 2 for the second attempt.
    """

    number: int
    report_id: str


def second_attempts(obligations: Iterable[Obligation], failed: Iterable[FailedPayment]) -> dict[str, SecondAttempt]:
    """Find the planned payments that a failed report was to make, by obligation key.

    A payment is known by its obligation, and by amount and destination where somebody has renamed the job, the payer or
    the payee since; royalties by their payee, since any period pays the whole balance.
    """
    by_base, by_account = defaultdict[str, list[str]](list), defaultdict[tuple[int, str], list[str]](list)
    by_payee = defaultdict[str, list[str]](list)
    for payment in failed:
        if payment.payee:
            by_payee[payment.payee].append(payment.report_id)
        by_base[payment.base_key].append(payment.report_id)
        by_account[payment.amount_cents, payment.destination].append(payment.report_id)
    found = {}
    for obligation in planned_payments(obligations):
        alike = by_account.get((obligation.amount_cents, obligation.destination), []) if obligation.destination else []
        of_balance = by_payee.get(obligation.payee.tax_id, []) if obligation.kind == "royalty" else []
        reports = by_base.get(obligation.base_key) or alike or of_balance
        if reports:
            found[obligation.key] = SecondAttempt(len(set(reports)) + 1, reports[-1])
    return found


def report_second_attempts(
    obligations: Iterable[Obligation], inputs: Inputs, attempts: Mapping[str, SecondAttempt]
) -> list[Issue]:
    """Name each row that is paid in a second attempt; royalties by the row of their payee."""
    if not attempts:
        return []
    place_of = places_of(inputs)
    issues = []
    for obligation in planned_payments(obligations):
        attempt = attempts.get(obligation.key)
        if attempt is None:
            continue
        code, number, found = IssueCode.ROW_SECOND_ATTEMPT, attempt.number, attempt.report_id
        issues.append(make_issue(code, **place_of(obligation), number=number, found=found))
    return issues


def places_of(inputs: Inputs) -> Callable[[Obligation], dict[str, Any]]:
    """Tell where an obligation stands in the files, as issues name it: its own row, or that of its payee."""
    columns = (inputs.payees[name].tolist() for name in ("tax_id", "file", "sheet", "row"))
    payees = {tax_id: place for tax_id, *place in zip(*columns, strict=True)}

    def place_of(obligation: Obligation) -> dict[str, Any]:
        own = obligation.source
        of_row = own.file, own.sheet, own.row
        file, sheet, row = of_row if own.row else payees.get(obligation.payee.tax_id, of_row)
        return {"file": file, "sheet": sheet or None, "row": row or None}

    return place_of


def notices_of_attempts(
    obligations: Iterable[Obligation], attempts: Mapping[str, SecondAttempt]
) -> tuple[PayeeNotice, ...]:
    """Name the payees of second attempts, each once with all that is attempted again, the largest first."""
    sums, names, last = SignedSums[str](), dict[str, str](), dict[str, SecondAttempt]()
    for obligation in planned_payments(obligations):
        attempt = attempts.get(obligation.key)
        if attempt is None:
            continue
        payee = obligation.payee.tax_id
        sums[payee] += obligation.amount_cents
        names[payee] = names.get(payee) or obligation.payee.name
        last[payee] = max(last.get(payee, attempt), attempt, key=lambda tried: tried.number)
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
    """
    judged = judge_report(replace(submission, state=S.ACCEPTED), report)
    if judged.state not in {S.PARTIAL, S.FAILED, S.EXCLUDED}:
        return True
    left = amount_from_cents(submission.amount_cents - unpaid_cents)
    too_much = report.paidAmount is not None and report.paidAmount > left
    too_many = report.donePayments is not None and report.donePayments > submission.payments - unpaid
    return too_much or too_many
