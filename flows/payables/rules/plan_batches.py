"""Cutting payments into batches: the exact content of every POST, before anything is named or sent."""

import json
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

from flows.intake.rules.inputs import Inputs
from flows.payables.rules.obligations import ARRAYS, Arrays
from schemas.errors import BrokenInvariant
from schemas.issues import Issue, IssueCode, make_issue
from schemas.job import Period
from schemas.obligation import NO_ROW, Obligation, Obligations, sum_cents
from schemas.plan import BatchPayment, ExchangeTerms, JobIdentity, PaymentBatch, PaymentPlan, Place
from schemas.plan_view import Sent
from schemas.reasons import because
from schemas.submission import Submission
from schemas.tables.model import records
from schemas.values.bank_account import BankAccount, PixKey
from schemas.values.masking import digest_of, mask_email, mask_tax_id
from schemas.wire import BankAccountData, PaymentEntry, SplitRequest, amount_from_cents, body_of, canonical_json


def plan_batches(
    obligations: Iterable[Obligation],
    identity: JobIdentity,
    period: Period,
    *,
    max_payments: int,
    exchange: ExchangeTerms | None = None,
    arrays: Mapping[str, Arrays] | None = None,
) -> PaymentPlan:
    """Cut what is planned into batches.

    Payments are ordered by payee and reference, so that the same obligations always make the same batches. The owner's
    part travels with the first batch; without any payment there is no batch, and the owner simply keeps it.

    Args:
        arrays: Obligation key -> what its payment is made of, as `break_down` says it.
    """
    planned = [
        obligation for obligation in obligations if obligation.place is Place.PLANNED and not obligation.submission_id
    ]
    planned.sort(key=lambda obligation: (obligation.payee.tax_id, obligation.reference, obligation.key))
    payments = [obligation for obligation in planned if obligation.kind != "owner"]
    owners = [obligation for obligation in planned if obligation.kind == "owner"]
    batches = []
    for number, chunk in enumerate(_chunks(payments, max_payments), start=1):
        entries = tuple(_entry(obligation, (arrays or {}).get(obligation.key, {})) for obligation in chunk)
        batches.append(_batch(number, chunk, entries, owners if number == 1 else [], identity, period))
    return PaymentPlan(identity.job, identity.payer, identity.period, identity.currency, tuple(batches), exchange)


def batch_again(
    number: int,
    payments: Sequence[BatchPayment],
    planned: Mapping[str, Obligation],
    identity: JobIdentity,
    period: Period,
    arrays: Mapping[str, Arrays],
) -> PaymentBatch | None:
    """Cut a batch that was stored before from what would be paid now.

    Args:
        arrays: Obligation key -> what its payment is made of, as `break_down` says it.

    Returns:
        The batch, whose content is the stored one's unless something behind it has changed; None where one of its
        payments would not be made at all.
    """
    if any(payment.obligation_key not in planned for payment in payments):
        return None
    again = [planned[payment.obligation_key] for payment in payments]
    paid = [obligation for obligation in again if obligation.kind != "owner"]
    entries = tuple(_entry(obligation, arrays.get(obligation.key, {})) for obligation in paid)
    return _batch(
        number, paid, entries, [obligation for obligation in again if obligation.kind == "owner"], identity, period
    )


def _chunks(payments: Sequence[Obligation], size: int) -> Iterator[Sequence[Obligation]]:
    for start in range(0, len(payments), size):
        yield payments[start : start + size]


def _batch(
    number: int,
    payments: Sequence[Obligation],
    entries: tuple[PaymentEntry, ...],
    owners: Sequence[Obligation],
    identity: JobIdentity,
    period: Period,
) -> PaymentBatch:
    owner_cents = sum_cents(owners)
    total_cents = sum_cents(payments) + owner_cents
    request = SplitRequest(
        taxId=identity.payer,
        amount=amount_from_cents(total_cents),
        dateStart=period.start.isoformat(),
        dateEnd=period.end.isoformat(),
        payments=entries,
        currency=identity.currency,
        ownerAmount=amount_from_cents(owner_cents),
    )
    _check_sum(request)
    parts = tuple(map(_recorded, [*payments, *owners]))
    return PaymentBatch(number, canonical_json(body_of(request)), parts, owner_cents, total_cents)


def entry_digest(obligation: Obligation) -> str:
    """Identity of one payment entry as it would be sent: who, how much, where to."""
    return digest_of_entry(body_of(_entry(obligation)))


def digest_of_entry(entry: Mapping[str, object]) -> str:
    """Identity of a payment entry, of a body about to be made or of one that was sent; what it is made of aside."""
    return digest_of("entry", canonical_json({name: value for name, value in entry.items() if name not in ARRAYS}))


# Shown in columns of their own: payee, amount, destination.
_IN_COLUMNS: Final = frozenset({"taxId", "name", "finalAmount", "bankAccount"})
_MASKS: Final = {"email": mask_email, "originalTaxId": mask_tax_id}


def sent_fields(plan: PaymentPlan) -> dict[str, dict[str, Sent]]:
    """Return what each payment sends beside who is paid, how much and where to, from the bytes that would be sent.

    What is not set is missing: null, no, nothing. The amount is there where it is not what is paid, which is the final
    one; of a list its length.

    Returns:
        Obligation key -> name on the wire -> value as it may be shown.
    """
    return {
        entry["extPaymentId"]: {
            name: _masked_field(name, value) for name, value in entry.items() if _is_set(name, value, entry)
        }
        for batch in plan.batches
        for entry in json.loads(batch.content, parse_float=Decimal)["payments"]
    }


def _is_set(name: str, value: Any, entry: Mapping[str, Any]) -> bool:  # noqa: ANN401  # JSON
    return bool(value) and name not in _IN_COLUMNS and not (name == "amount" and value == entry["finalAmount"])


def _masked_field(name: str, value: Any) -> Sent:  # noqa: ANN401  # JSON
    match value:
        case bool():
            return value
        case list():
            return len(value)
        case _:
            return _MASKS.get(name, str)(str(value))


def hold_refused(obligations: Obligations, refused: Collection[str], excused: Collection[str]) -> Obligations:
    """Hold every planned payment that the service has refused in exactly this form; a corrected one may go again."""
    if not refused:
        return obligations
    held = because(IssueCode.REFUSED_BY_SERVICE.value)
    return tuple(
        replace(obligation, place=Place.HELD, reasons=held)
        if obligation.pays_somebody and obligation.key not in excused and entry_digest(obligation) in refused
        else obligation
        for obligation in obligations
    )


def _check_sum(request: SplitRequest) -> None:
    if sum((entry.finalAmount for entry in request.payments), request.ownerAmount) != request.amount:
        raise BrokenInvariant("the payments and the owner's part of a batch do not make up its amount")


def _entry(obligation: Obligation, arrays: Arrays | None = None) -> PaymentEntry:
    paid, payee = amount_from_cents(obligation.amount_cents), obligation.payee
    amount = amount_from_cents(obligation.amount_cents + obligation.deducted_cents)
    return PaymentEntry(
        taxId=payee.tax_id,
        name=payee.name,
        email=payee.email or None,
        amount=amount,
        finalAmount=paid,
        artistName=payee.artist_name or None,
        percentage=Decimal(obligation.percentage) if obligation.percentage else None,
        contactId=payee.contact_id or None,
        bankAccount=_bank_account(obligation),
        anticipationId=obligation.anticipation_id or None,
        parentId=payee.parent_id or None,
        parentName=payee.parent_name or None,
        originalTaxId=payee.original_tax_id or None,
        originalName=payee.original_name or None,
        advance=obligation.advance,
        isWithhold=obligation.withhold,
        extPaymentId=obligation.key,
        **{name: tuple(elements) for name, elements in (arrays or {}).items()},
    )


def _bank_account(obligation: Obligation) -> BankAccountData:
    match obligation.account:
        case PixKey(key, key_type):
            return BankAccountData(pixKey=key, pixKeyType=key_type)
        case BankAccount(bank_code, psp_id, agency, account, account_type):
            return BankAccountData(
                name=obligation.holder,
                bankCode=bank_code or None,
                pspId=psp_id or None,
                agency=agency,
                account=account,
                accountType=account_type or None,
            )
        case None:
            return BankAccountData(name=obligation.holder, agency="", account="")


def _recorded(obligation: Obligation) -> BatchPayment:
    if obligation.kind not in {"payment", "royalty", "returned", "owner"}:
        raise BrokenInvariant(f"no report carries what is {obligation.kind}")
    return BatchPayment(
        obligation_key=obligation.key,
        base_key=obligation.base_key,
        reference=obligation.reference,
        kind=obligation.kind,
        payee=obligation.payee.tax_id,
        amount_cents=obligation.amount_cents,
        destination=obligation.destination,
        withheld=obligation.withhold,
    )


@dataclass(frozen=True, slots=True)
class IdConflict:
    """A row that names another contact than the one known for its tax id."""

    file: str
    sheet: str
    row: int


def fill_contact_ids(obligations: Sequence[Obligation], ids: Mapping[str, str]) -> list[Obligation]:
    """Give payments without a contact id that of their payee's contact; the owner's part bears none.

    The id is part of what is sent, so of the plan's digest: a sync between plan and approval makes another plan, which
    wants its own approval. What was approved before is sent as it was.

    Args:
        ids: Exact tax id -> contact id, of the contacts the service told.
    """
    return [
        replace(obligation, payee=replace(obligation.payee, contact_id=ids[obligation.payee.tax_id]))
        if obligation.payee.tax_id in ids and not obligation.payee.contact_id and obligation.kind != "owner"
        else obligation
        for obligation in obligations
    ]


def conflicting_ids(inputs: Inputs, ids: Mapping[str, str]) -> tuple[IdConflict, ...]:
    """Find the rows, of payments and of payees, whose own contact id is not the one known for their tax id."""
    if not ids:
        return ()
    found = []
    for table in (inputs.payments, inputs.payees):
        for row in records(table[["file", "sheet", "row", "tax_id", "contact_id"]]):
            own = row["contact_id"]
            if own and ids.get(row["tax_id"], own) != own:
                found.append(IdConflict(row["file"], row["sheet"], int(row["row"])))
    return tuple(found)


ErrorPlace = tuple[tuple[str | int, ...], str]


def refused_entries(body: bytes, places: Sequence[ErrorPlace]) -> list[str]:
    """Return the identities of the payment entries that a refusal names; none when it names the report as a whole."""
    entries = json.loads(body, parse_float=Decimal)["payments"]
    indexes = {index for loc, _ in places if (index := _payment_index(loc)) is not None and index < len(entries)}
    return [digest_of_entry(entries[index]) for index in sorted(indexes)]


def _payment_index(loc: tuple[str | int, ...]) -> int | None:
    found = next((part for before, part in pairwise(loc) if before == "payments"), None)
    return found if isinstance(found, int) and found >= 0 else None


def explain_refusal(
    submission: Submission, places: Sequence[ErrorPlace], obligations: Iterable[Obligation]
) -> list[Issue]:
    """Turn the places a 422 names into issues of the rows they came from."""
    entries = json.loads(submission.body)["payments"]
    sources = {obligation.key: obligation.source for obligation in obligations}
    issues = []
    for loc, kind in places:
        index = _payment_index(loc)
        key = entries[index]["extPaymentId"] if index is not None and index < len(entries) else ""
        source = sources.get(key, NO_ROW)
        issues.append(
            make_issue(
                IssueCode.REFUSED_BY_SERVICE,
                file=source.file,
                sheet=source.sheet or None,
                row=source.row or None,
                column=str(loc[-1]) if loc else "body",
                kind=kind,
            )
        )
    return issues
