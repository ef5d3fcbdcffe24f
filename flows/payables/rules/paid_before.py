"""Payments rows that may be money that was paid: under another name, job or kind, in another month, or twice in a file.

Whoever gets a payment is known by document and by account. Nothing here holds a row: what may have been paid asks for a
person's approval of the plan, row by row.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Sequence
from typing import Final

from schemas.issues import Issue, IssueCode, make_issue
from schemas.job import labelled_period
from schemas.obligation import Obligation, Obligations, planned_payments
from schemas.plan import JobIdentity, Place
from schemas.sources import PaidAlike
from schemas.submission import Claim
from schemas.values.names import normal_reference
from schemas.values.reading import months_named

# Amounts of one month that differ by no more are one amount, written a little otherwise.
NEARLY_CENTS: Final = 5
# What is a multiple of it comes again by chance, in months that do not follow each other.
ROUND_CENTS: Final = 1000
# A row that was paid alike in so many months before recurs, whether it says so or not.
_RECURS_AFTER: Final = 2


def paid_alike(
    obligations: Iterable[Obligation],
    paid: Sequence[Claim],
    identity: JobIdentity,
    decided: Collection[str] = (),
) -> dict[str, tuple[PaidAlike, ...]]:
    """Find what each planned payments row looks like.

    Args:
        paid: Live claims on what such a row may look like, royalties among them, oldest first.
        decided: Base keys of rows that a person has decided to pay.

    Returns:
        Obligation key -> what it looks like, oldest first; only rows that look like something.
    """
    by_recipient = defaultdict[str, list[Claim]](list)
    for claim in paid:
        for recipient in filter(None, dict.fromkeys((claim.payee, claim.destination))):
            by_recipient[recipient].append(claim)
    found = dict[str, tuple[PaidAlike, ...]]()
    for row in _rows(obligations) if paid else ():
        met = [*by_recipient.get(row.payee.tax_id, ()), *by_recipient.get(row.destination, ())]
        same = list({(claim.submission_id, claim.obligation_key, claim.amount_cents): claim for claim in met}.values())
        recurs = row.recurring or _recurs(row, same, identity)
        is_asked = row.base_key not in decided
        alike = [_paid_alike(c, row, identity) for c in same if _is_question(c, row, identity, recurs, is_asked)]
        if alike:
            found[row.key] = tuple(dict.fromkeys(alike))
    return found


def alike_without_question(
    obligations: Iterable[Obligation], paid: Sequence[Claim], identity: JobIdentity, asked: Collection[str]
) -> int:
    """Count the planned payments rows of an amount that their recipient got in another month, and that ask nothing."""
    amounts = {
        (recipient, claim.amount_cents)
        for claim in paid
        if claim.kind == "payment" and _months_between(claim, identity)
        for recipient in (claim.payee, claim.destination)
    }
    return sum(
        row.key not in asked
        and bool({(row.payee.tax_id, row.amount_cents), (row.destination, row.amount_cents)} & amounts)
        for row in _rows(obligations)
    )


def _rows(obligations: Iterable[Obligation]) -> Iterator[Obligation]:
    return (row for row in obligations if row.kind == "payment" and row.place is Place.PLANNED)


def _is_question(claim: Claim, row: Obligation, identity: JobIdentity, recurs: bool, is_asked: bool) -> bool:
    """Whether a person must know of a payment before a row goes to its payee or account."""
    is_series = (claim.job, claim.payer) == (identity.job, identity.payer)
    difference_cents = abs(claim.amount_cents - row.amount_cents)
    if (claim.job, claim.period) == (identity.job, identity.period) and claim.kind == "payment":
        return is_asked and difference_cents == 0 and not (is_series and claim.payee == row.payee.tax_id)
    months = _months_between(claim, identity)
    if months == 0:
        return difference_cents <= (NEARLY_CENTS if claim.job != identity.job or claim.kind != "payment" else 0)
    if difference_cents:
        return False
    if is_series and recurs and claim.kind == "payment":
        return _names_month_of(row.reference, claim)
    return months == 1 or bool(row.amount_cents % ROUND_CENTS)


def _months_between(claim: Claim, identity: JobIdentity) -> int:
    """Count the months from one period to the other; 0 where they overlap."""
    first, second = labelled_period(claim.period), labelled_period(identity.period)
    if first.start <= second.end and second.start <= first.end:
        return 0
    months = 12 * (first.start.year - second.start.year) + first.start.month - second.start.month
    return max(1, abs(months))


def _recurs(row: Obligation, claims: Iterable[Claim], identity: JobIdentity) -> bool:
    """Whether the series has paid such a row in other months, often enough for people to have seen it."""
    reference = normal_reference(row.reference)
    alike = {
        claim.period
        for claim in claims
        if _months_between(claim, identity)
        and (claim.job, claim.payer, claim.payee) == (identity.job, identity.payer, row.payee.tax_id)
        and (claim.kind, claim.amount_cents) == ("payment", row.amount_cents)
        and normal_reference(claim.reference) == reference
    }
    return len(alike) >= _RECURS_AFTER


def _names_month_of(reference: str, claim: Claim) -> bool:
    start = labelled_period(claim.period).start
    return any(month == start.month and year in {None, start.year} for year, month in months_named(reference))


def _paid_alike(claim: Claim, row: Obligation, identity: JobIdentity) -> PaidAlike:
    return PaidAlike(
        claim.job,
        claim.period,
        claim.submission_id,
        other_payer=claim.payer != identity.payer,
        other_payee=claim.payee != row.payee.tax_id,
        other_account=claim.destination != row.destination,
        as_royalties=claim.kind != "payment",
        other_amount=claim.amount_cents != row.amount_cents,
    )


# Equal rows with references of their own may well be two payments; the same list twice is not: where every row of so
# many has another like it, or references do no more than number the rows.
_FEWEST_ROWS: Final = 4
_NUMBER: Final = re.compile(r"(.*?)(\d{1,9})")


def find_twins(obligations: Iterable[Obligation]) -> dict[str, Obligation]:
    """Find planned payments rows that say what another one of their file says.

    Two payees at one account are one recipient: equal rows of them are always told.

    Returns:
        Obligation key -> the first row of the same recipient and amount; only the later ones.
    """
    by_file = defaultdict[str, list[Obligation]](list)
    for row in planned_payments(obligations):
        if row.kind == "payment" and row.source.row:
            by_file[row.source.file].append(row)
    found = dict[str, Obligation]()
    for rows in by_file.values():
        in_order = sorted(rows, key=lambda row: (row.source.sheet, row.source.row))
        twins = _twins(in_order)
        paired = {row.key for pair in twins for row in pair}
        is_list_twice = len(rows) >= _FEWEST_ROWS and len(paired) == len(rows)
        for earlier, later in twins:
            is_one_account = later.destination and earlier.payee.tax_id != later.payee.tax_id
            if is_list_twice or is_one_account or _are_numbered([row.reference for row in rows]):
                found[later.key] = earlier
    return found


def _twins(rows: Iterable[Obligation]) -> list[tuple[Obligation, Obligation]]:
    """Pair each row with the first one of its amount to its payee or account."""
    first, twins = dict[tuple[str, int], Obligation](), list[tuple[Obligation, Obligation]]()
    for row in rows:
        names = [(name, row.amount_cents) for name in (row.payee.tax_id, row.destination) if name]
        earlier = next((first[name] for name in names if name in first), None)
        if earlier is not None:
            twins.append((earlier, row))
        for name in names:
            first.setdefault(name, row)
    return twins


def report_twins(obligations: Obligations) -> list[Issue]:
    """Name each row that says what another one says, see `find_twins`."""
    twins = find_twins(obligations)
    found = [(obligation.source, twins[obligation.key].source) for obligation in obligations if obligation.key in twins]
    return [
        make_issue(IssueCode.ROW_TWICE, file=at.file, sheet=at.sheet or None, row=at.row, found=first.row)
        for at, first in found
    ]


def _are_numbered(references: Sequence[str]) -> bool:
    """Whether references are one word and the numbers of an unbroken row: 1, 2, 3, or "PG-01", "PG-02", "PG-03"."""
    parts = [_NUMBER.fullmatch(reference) for reference in references]
    if len(references) < _FEWEST_ROWS or not all(parts):
        return False
    numbers = {int(part[2]) for part in parts if part}
    words = {part[1] for part in parts if part}
    return len(words) == 1 and len(numbers) == len(references) == max(numbers) - min(numbers) + 1
