"""What came back of payments and is owed again: an obligation of its own for each, beside rows and royalties."""

from collections.abc import Iterable, Mapping
from dataclasses import replace

from flows.payables.rules.obligations import RowsByPayee, account_of, payee_of
from schemas.obligation import Obligation, Obligations, sum_cents
from schemas.plan import Place
from schemas.reasons import because, reasons_of
from schemas.returns import Returned, ReturnState
from schemas.submission import Claim
from schemas.values.money import SignedSums


def told_in(returned: Iterable[Returned], period: str) -> list[Returned]:
    """Choose what a run of a period tells: all that is not settled, but what the plan of another period pays again."""
    return [
        each
        for each in returned
        if not each.is_nobodys
        and (each.state in {ReturnState.OPEN, ReturnState.UNCONFIRMED} or each.claimed_for == period)
    ]


def owe_returned(
    returned: Iterable[Returned],
    known: RowsByPayee,
    rows: Iterable[Obligation],
    problems: Mapping[str, str],
    asked: Mapping[str, str],
) -> list[Obligation]:
    """Turn what came back into obligations: paid again to another account, or where people said to the same one.

    Args:
        rows: The payments rows there are: one that was paid and came back goes where its row says by now.
        problems: Tax id -> codes, for payees who cannot be paid for now.
        asked: The same of payees whose rows with an account of their own cannot be paid either.
    """
    by_key = {row.base_key: row for row in rows if row.kind == "payment" and row.base_key}
    owed = list[Obligation]()
    for each in returned:
        row = by_key.get(each.row_key)
        has_own_account = row is not None and row.account is not None
        problem = (asked if has_own_account else problems).get(each.payee, "")
        owed.append(_owed(each, known.get(each.payee, {}), row, problem))
    return owed


def _owed(returned: Returned, own: Mapping[str, object], row: Obligation | None, problem: str) -> Obligation:
    account = row.account if row and row.account else account_of(own)
    obligation = Obligation(
        kind="returned",
        amount_cents=returned.amount_cents,
        place=Place.PLANNED,
        reasons=because("returned_before", day=returned.day.isoformat()),
        key=returned.key,
        base_key=returned.new_base_key,
        reference=returned.reference,
        payee=row.payee if row else payee_of({"tax_id": returned.payee}, own),
        account=account,
        account_holder=row.account_holder if row else "",
        destination=account.fingerprint if account else "",
    )
    if returned.claimed_by:
        reasons = because("claimed_by", submission=returned.claimed_by)
        return replace(obligation, place=Place.DUPLICATE, submission_id=returned.claimed_by, reasons=reasons)
    if waits := returned.why_waits(obligation.destination):
        return replace(obligation, place=Place.RETURNED, reasons=waits)
    if problem:
        return replace(obligation, place=Place.HELD, reasons=reasons_of(problem))
    return obligation


def claims_where_rows_go(
    claims: Iterable[Claim], rows: Iterable[Obligation], returned: Iterable[Returned]
) -> tuple[Claim, ...]:
    """Let a payment that came back be that of its row wherever the row goes by now: it has left its account again."""
    back = {each.obligation_key for each in returned if each.counts}
    now = {row.base_key: row.destination for row in rows if row.kind == "payment" and row.base_key}
    return tuple(
        replace(claim, destination=now.get(claim.base_key, claim.destination))
        if claim.obligation_key in back
        else claim
        for claim in claims
    )


def with_what_came_back(
    placed: Iterable[Obligation], returned: Iterable[Returned], place: Place = Place.PAID
) -> Obligations:
    """Part payments that a run has made, or has found made, into what their payees have, and what came back of them."""
    back = SignedSums[tuple[str, str]]()
    for each in returned:
        back[each.obligation_key, each.submission_id] += each.amount_cents if each.counts else 0
    return tuple(
        part for owed in placed for part in less_what_came_back(owed, back[owed.key, owed.submission_id], place=place)
    )


def less_what_came_back(
    owed: Obligation, back_cents: int, told_cents: int = 0, *, place: Place = Place.PAID
) -> list[Obligation]:
    """Take what came back out of a payment in a place; what of it is not told by itself is told as come back."""
    cents = min(back_cents, owed.amount_cents) if owed.place is place else 0
    if not cents:
        return [owed]
    rest = replace(owed, amount_cents=owed.amount_cents - cents)
    untold_cents = max(0, cents - told_cents)
    untold = replace(owed, amount_cents=untold_cents, place=Place.RETURNED, reasons=because("came_back"))
    return [part for part in (rest, untold) if part.amount_cents]


def returned_cents(obligations: Iterable[Obligation]) -> int:
    """Add up what a run owes again beside what came in."""
    return sum_cents(owed for owed in obligations if owed.kind == "returned")
