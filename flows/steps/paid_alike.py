"""Payments rows that look paid already: the same amount, to the same payee or the same account, under another name.

An obligation's key rests on job, payer, payee, period and reference, all of which people write and correct. What stays
when they do is the amount and where it went. Whether it is owed once more is not ours to say: a person sees the row,
and what it looks like, before the plan goes.

Rows of one payee that stand side by side in one job, payer and period are payments of their own, told apart by their
references. When the row that was paid is no longer there, `flows.steps.claim` holds the one that may have taken its
place.
"""

from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence

from flows.steps.job_identity import JobIdentity
from schemas.job import labelled_period
from schemas.paid_before import PaidAlike, PaidRow
from schemas.plan import Place
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations


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
        alike = [one for one in candidates if _counts(one, row, identity, asked=row["base_key"] not in decided)]
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
