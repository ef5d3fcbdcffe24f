"""Payments rows that may be money that was paid: under another name, job or kind, in another month, or twice in a file.

Whoever gets a payment is known by document and by account. Nothing here holds a row: what may have been paid asks for a
person's approval of the plan, row by row.
"""

import re
from collections import defaultdict
from collections.abc import Collection, Container, Iterable, Iterator, Sequence
from typing import Final

from schemas.issues import Issue, IssueCode, make_issue
from schemas.job import labelled_period
from schemas.obligation import Obligation, Obligations, sum_cents
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
    obligations = list(obligations) if paid else []
    stands = {
        (row.base_key or identity.payment_key(row.payee.tax_id, row.reference), row.source.file)
        for row in obligations
        if row.kind == "payment" and row.place is not Place.PLANNED
    }
    rows, sums = list(_rows(obligations)), defaultdict[tuple[str, str], int](int)
    for row in rows:
        sums[row.payee.tax_id, row.source.file] += row.amount_cents
    found = dict[str, tuple[PaidAlike, ...]]()
    for row in rows:
        met = [*by_recipient.get(row.payee.tax_id, ()), *by_recipient.get(row.destination, ())]
        same = [claim for claim in met if not _is_of_its_list(claim, row, identity, stands)]
        same = list({(claim.submission_id, claim.obligation_key, claim.amount_cents): claim for claim in same}.values())
        recurs = row.recurring or _recurs(row, same, identity)
        if row.base_key in decided:
            same = [claim for claim in same if (claim.job, claim.period) != (identity.job, identity.period)]
        alike = [_paid_alike(claim, row, identity) for claim in same if _is_question(claim, row, identity, recurs)]
        if not alike and not recurs:
            cents = {row.amount_cents, sums[row.payee.tax_id, row.source.file]}
            alike = [
                _paid_alike(claims[0], row, identity, in_parts=True) for claims in _of_one_sum(cents, same, identity)
            ]
        if alike:
            found[row.key] = tuple(dict.fromkeys(alike))
    return found


def _is_of_its_list(claim: Claim, row: Obligation, identity: JobIdentity, stands: Container[tuple[str, str]]) -> bool:
    """Whether what is claimed is another row of the row's own file and payee, which may well be of one amount."""
    is_series = (claim.job, claim.payer, claim.period) == (identity.job, identity.payer, identity.period)
    is_own = claim.payee == row.payee.tax_id and claim.kind == "payment"
    return is_series and is_own and (claim.base_key, row.source.file) in stands


def _of_one_sum(here_cents: Collection[int], met: Iterable[Claim], identity: JobIdentity) -> Iterator[Sequence[Claim]]:
    """Yield what a recipient got, of one job and period, that comes to the same in more rows, or in fewer.

    Args:
        here_cents: Of the row, and of all the recipient's planned rows of its file.
    """
    groups = defaultdict[tuple[str, str], list[Claim]](list)
    for claim in {(claim.submission_id, claim.obligation_key): claim for claim in met}.values():
        groups[claim.job, claim.period].append(claim)
    for claims in groups.values():
        months, paid = _months_between(claims[0], identity), sum(claim.amount_cents for claim in claims)
        apart_cents = NEARLY_CENTS if months == 0 else 0
        is_same = any(abs(paid - cents) <= apart_cents for cents in here_cents)
        if is_same and (months <= 1 or paid % ROUND_CENTS):
            yield claims


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


def _is_question(claim: Claim, row: Obligation, identity: JobIdentity, recurs: bool) -> bool:
    """Whether a person must know of a payment before a row goes to its payee or account."""
    is_series = (claim.job, claim.payer) == (identity.job, identity.payer)
    difference_cents = abs(claim.amount_cents - row.amount_cents)
    months = _months_between(claim, identity)
    if months == 0:
        return difference_cents <= NEARLY_CENTS
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


def _paid_alike(claim: Claim, row: Obligation, identity: JobIdentity, *, in_parts: bool = False) -> PaidAlike:
    return PaidAlike(
        claim.job,
        claim.period,
        claim.submission_id,
        other_payer=claim.payer != identity.payer,
        other_payee=claim.payee != row.payee.tax_id,
        other_account=claim.destination != row.destination,
        as_royalties=claim.kind != "payment",
        other_amount=claim.amount_cents != row.amount_cents and not in_parts,
        in_parts=in_parts,
    )


# Equal rows with references of their own may well be two payments; the same list twice is not: where every row of so
# many has another like it, or references do no more than number the rows.
_FEWEST_ROWS: Final = 4
_NUMBER: Final = re.compile(r"(.*?)(\d{1,9})")


def find_twins(obligations: Iterable[Obligation]) -> dict[str, Obligation]:
    """Find planned payments rows that say what another row says, be it planned too, or paid and there as it was.

    Rows of two files are always told, and of two payees at one account: those are one recipient.

    Returns:
        Obligation key -> the first row of the same recipient and amount; only the later ones.
    """
    by_file = defaultdict[str, list[Obligation]](list)
    for row in obligations:
        if row.kind == "payment" and row.source.row and (_is_planned(row) or _is_paid_as_it_stands(row)):
            by_file[row.source.file].append(row)
    found = dict[str, Obligation]()
    for file, rows in sorted(by_file.items()):
        others = [
            [row for row in there if other < file or not _is_planned(row)]
            for other, there in sorted(by_file.items())
            if other != file
        ]
        found |= {row.key: earlier for row, earlier in _as_in_another(list(filter(_is_planned, rows)), others)}
        in_order = sorted(rows, key=_paid_first)
        is_twice = _is_list_twice(in_order)
        for earlier, later in _twins(in_order):
            is_one_account = bool(later.destination) and earlier.payee.tax_id != later.payee.tax_id
            if _is_planned(later) and (is_twice or is_one_account):
                found[later.key] = earlier
    return found


def _as_in_another(
    rows: Sequence[Obligation], others: Iterable[Sequence[Obligation]]
) -> Iterator[tuple[Obligation, Obligation]]:
    """Pair rows with one of another file of their recipient and amount, or whose rows come to the same in all."""
    own, theirs = _by_recipient(rows), [_by_recipient(there) for there in others]
    for recipient, mine in own.items():
        for there in filter(None, (other.get(recipient) for other in theirs)):
            is_all = abs(sum_cents(mine) - sum_cents(there)) <= NEARLY_CENTS
            for row in mine:
                same = (one for one in there if is_all or abs(one.amount_cents - row.amount_cents) <= NEARLY_CENTS)
                if (earlier := next(same, None)) is not None:
                    yield row, earlier


def _by_recipient(rows: Iterable[Obligation]) -> dict[str, list[Obligation]]:
    found = defaultdict[str, list[Obligation]](list)
    for row in rows:
        for recipient in filter(None, (row.payee.tax_id, row.destination)):
            found[recipient].append(row)
    return found


def _is_planned(row: Obligation) -> bool:
    return row.place is Place.PLANNED


def _is_paid_as_it_stands(row: Obligation) -> bool:
    """Whether it is claimed; a row of a file that is a copy of another is a duplicate, too, and stands for nothing."""
    return row.place is Place.DUPLICATE and bool(row.submission_id)


def _paid_first(row: Obligation) -> tuple[bool, str, int]:
    return _is_planned(row), row.source.sheet, row.source.row


def _is_list_twice(rows: Sequence[Obligation]) -> bool:
    """Whether every row of a file has another like it, or references do no more than number the rows."""
    paired = {row.key for pair in _twins(rows) for row in pair}
    return (len(rows) >= _FEWEST_ROWS and len(paired) == len(rows)) or _are_numbered([row.reference for row in rows])


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
    found = [(row.source, row_of_twin(row, twins[row.key])) for row in obligations if row.key in twins]
    return [
        make_issue(IssueCode.ROW_TWICE, file=at.file, sheet=at.sheet or None, row=at.row, found=first)
        for at, first in found
    ]


def row_of_twin(row: Obligation, first: Obligation) -> str:
    """Say which row another one is like; with its file, where that is another."""
    at = first.source
    return str(at.row) if at.file == row.source.file else f"{at.row} ({at.file})"


def _are_numbered(references: Sequence[str]) -> bool:
    """Whether references are one word and the numbers of an unbroken row: 1, 2, 3, or "PG-01", "PG-02", "PG-03"."""
    parts = [_NUMBER.fullmatch(reference) for reference in references]
    if len(references) < _FEWEST_ROWS or not all(parts):
        return False
    numbers = {int(part[2]) for part in parts if part}
    words = {part[1] for part in parts if part}
    return len(words) == 1 and len(numbers) == len(references) == max(numbers) - min(numbers) + 1
