"""From what is left to pay to batches: the exact content of every POST, before anything is named or sent."""

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from itertools import pairwise
from typing import Any, Final

import pandas as pd

from flows.intake.rules.inputs import Inputs
from flows.payables.rules.account_checks import holder
from flows.payables.rules.obligations import ARRAYS, Arrays, obligations_frame
from schemas.errors import BrokenInvariant
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.job import Period
from schemas.plan import BatchPayment, ExchangeTerms, JobIdentity, PaymentBatch, PaymentPlan, Place, digest_of
from schemas.submission import Submission
from schemas.tables.contract import DataFrame, records
from schemas.tables.obligations import Obligations
from schemas.wire import BankAccountData, PaymentEntry, SplitRequest, amount_from_cents, body_of, canonical_json


def plan_batches(
    obligations: DataFrame[Obligations],
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
        obligations: What is owed, after claims and checks.
        identity: Whose.
        period: Its days.
        max_payments: How many payments a report has at most.
        exchange: The rate that reports in a foreign currency are to have; part of what is approved.
        arrays: Obligation key -> what its payment is made of, as `break_down` says it.
    """
    planned = obligations[(obligations["place"] == Place.PLANNED.value) & (obligations["submission_id"] == "")]
    rows = records(planned.sort_values(["tax_id", "reference", "key"]))
    payments = [row for row in rows if row["kind"] != "owner"]
    owners = [row for row in rows if row["kind"] == "owner"]
    batches = []
    for number, chunk in enumerate(_chunks(payments, max_payments), start=1):
        entries = tuple(_entry(row, (arrays or {}).get(row["key"], {})) for row in chunk)
        batches.append(_batch(number, chunk, entries, owners if number == 1 else [], identity, period))
    return PaymentPlan(identity.job, identity.payer, identity.period, identity.currency, tuple(batches), exchange)


def batch_again(
    number: int,
    payments: Sequence[BatchPayment],
    planned: Mapping[str, Mapping[str, Any]],
    identity: JobIdentity,
    period: Period,
    arrays: Mapping[str, Arrays],
) -> PaymentBatch | None:
    """Cut a batch that was stored before from what would be paid now.

    Args:
        number: Its position in its plan.
        payments: What it pays, as it was stored.
        planned: Obligation key -> row, of what would be paid were it not claimed.
        identity: Whose.
        period: Its days.
        arrays: Obligation key -> what its payment is made of, as `break_down` says it.

    Returns:
        The batch, whose content is the stored one's unless something behind it has changed; None where one of its
        payments would not be made at all.
    """
    if any(payment.obligation_key not in planned for payment in payments):
        return None
    rows = [planned[payment.obligation_key] for payment in payments]
    paid = [row for row in rows if row["kind"] != "owner"]
    entries = tuple(_entry(row, arrays.get(row["key"], {})) for row in paid)
    return _batch(number, paid, entries, [row for row in rows if row["kind"] == "owner"], identity, period)


def _chunks(rows: Sequence[Mapping[str, Any]], size: int) -> Iterator[Sequence[Mapping[str, Any]]]:
    for start in range(0, len(rows), size):
        yield rows[start : start + size]


def _batch(
    number: int,
    payments: Sequence[Mapping[str, Any]],
    entries: tuple[PaymentEntry, ...],
    owners: Sequence[Mapping[str, Any]],
    identity: JobIdentity,
    period: Period,
) -> PaymentBatch:
    owner_cents = sum(row["amount_cents"] for row in owners)
    total_cents = sum(row["amount_cents"] for row in payments) + owner_cents
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
    parts = tuple(_recorded(row) for row in [*payments, *owners])
    return PaymentBatch(number, canonical_json(body_of(request)), parts, owner_cents, total_cents)


def entry_digest(row: Mapping[str, Any]) -> str:
    """Identity of one payment entry as it would be sent: who, how much, where to."""
    return digest_of_entry(body_of(_entry(row)))


def digest_of_entry(entry: Mapping[str, object]) -> str:
    """Identity of a payment entry, of a body about to be made or of one that was sent; what it is made of aside."""
    return digest_of("entry", canonical_json({name: value for name, value in entry.items() if name not in ARRAYS}))


def hold_refused(
    obligations: DataFrame[Obligations], refused: Collection[str], excused: Collection[str]
) -> DataFrame[Obligations]:
    """Hold every planned payment that the service has refused in exactly this form; a corrected one may go again.

    Args:
        obligations: What is owed, after claims and checks.
        refused: Identities of the payment entries it has named in a refusal.
        excused: Keys of obligations that people want sent again as they are.
    """
    if not refused:
        return obligations
    rows = records(obligations)
    for row in rows:
        if row["place"] != Place.PLANNED.value or row["kind"] == "owner" or row["key"] in excused:
            continue
        if entry_digest(row) in refused:
            row |= {"place": Place.HELD.value, "reason": IssueCode.REFUSED_BY_SERVICE.value}
    return obligations_frame(pd.DataFrame(rows, columns=list(obligations.columns)))


def _check_sum(request: SplitRequest) -> None:
    """Hold the sum rule here, whatever the service does about it."""
    if sum((entry.finalAmount for entry in request.payments), request.ownerAmount) != request.amount:
        raise BrokenInvariant("the payments and the owner's part of a batch do not make up its amount")


def _entry(row: Mapping[str, Any], arrays: Arrays | None = None) -> PaymentEntry:
    amount = amount_from_cents(row["amount_cents"])
    return PaymentEntry(
        taxId=row["tax_id"],
        name=row["name"],
        email=row["email"] or None,
        amount=amount,
        finalAmount=amount,
        artistName=row["artist_name"] or None,
        percentage=Decimal(row["percentage"]) if row["percentage"] else None,
        contactId=row["contact_id"] or None,
        bankAccount=_bank_account(row),
        anticipationId=row["anticipation_id"] or None,
        parentId=row["parent_id"] or None,
        parentName=row["parent_name"] or None,
        originalTaxId=row["original_tax_id"] or None,
        originalName=row["original_name"] or None,
        advance=row["advance"],
        isWithhold=row["withhold"],
        extPaymentId=row["key"],
        **{name: tuple(elements) for name, elements in (arrays or {}).items()},
    )


def _bank_account(row: Mapping[str, Any]) -> BankAccountData:
    if row["pix_key"]:
        return BankAccountData(pixKey=row["pix_key"], pixKeyType=row["pix_key_type"])
    return BankAccountData(
        name=holder(row),
        bankCode=row["bank_code"] or None,
        pspId=row["psp_id"] or None,
        agency=row["agency"],
        account=row["account"],
        accountType=row["account_type"] or None,
    )


def _recorded(row: Mapping[str, Any]) -> BatchPayment:
    return BatchPayment(
        obligation_key=row["key"],
        base_key=row["base_key"],
        reference=row["reference"],
        kind=row["kind"],
        payee=row["tax_id"],
        amount_cents=row["amount_cents"],
        destination=row["destination"],
        withheld=row["withhold"],
    )


_NOT_ON_THE_WIRE: Final = "owner"


@dataclass(frozen=True, slots=True)
class IdConflict:
    """A row that names another contact than the one known for its tax id."""

    file: str
    sheet: str
    row: int


def fill_contact_ids(obligations: pd.DataFrame, ids: Mapping[str, str]) -> pd.DataFrame:
    """Give payments without a contact id that of their payee's contact.

    The id is part of what is sent, so of the plan's digest: a sync between plan and approval makes another plan, which
    wants its own approval. What was approved before is sent as it was.

    Args:
        obligations: What is owed, shape of `Obligations`; a row's own contact id stays.
        ids: Exact tax id -> contact id, of the contacts the service told.
    """
    if not ids:
        return obligations
    blank = (obligations["contact_id"] == "") & (obligations["kind"] != _NOT_ON_THE_WIRE)
    known = obligations["tax_id"].map(lambda tax_id: ids.get(tax_id, "")).astype(obligations["contact_id"].dtype)
    return obligations.assign(contact_id=obligations["contact_id"].where(~blank, known))


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
    submission: Submission, places: Sequence[ErrorPlace], obligations: DataFrame[Obligations], language: str
) -> list[Issue]:
    """Turn the places a 422 names into issues of the rows they came from.

    Args:
        submission: The refused one; its body holds the payments in wire order.
        places: (loc, type) of each validation error.
        obligations: Who is paid from which row.
        language: Of the messages.
    """
    entries = json.loads(submission.body)["payments"]
    rows = obligations.set_index("key")
    issues = []
    for loc, kind in places:
        index = _payment_index(loc)
        field = str(loc[-1]) if loc else "body"
        key = entries[index]["extPaymentId"] if index is not None and index < len(entries) else None
        row = rows.loc[key] if key in rows.index else None
        issues.append(
            make_issue(
                IssueCode.REFUSED_BY_SERVICE,
                language=language,
                file=row["file"] if row is not None else "",
                sheet=(row["sheet"] or None) if row is not None else None,
                row=int(row["row"]) or None if row is not None else None,
                column=field,
                kind=kind,
            )
        )
    return issues
