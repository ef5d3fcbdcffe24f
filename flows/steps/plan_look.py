"""What a person sees of a plan: its payments and everything it does not pay, row by row and summed by reason."""

from collections import defaultdict
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from schemas.masking import mask_tax_id
from schemas.paid_before import PaidAlike
from schemas.plan import Place
from schemas.plan_view import Notice, NotPaid, PayeeNotice, PlanRow
from schemas.tables.frames import DataFrame, Record, records
from schemas.tables.obligations import Obligations


def rows_of(
    obligations: DataFrame[Obligations],
    notices: Iterable[PayeeNotice],
    names: Mapping[str, str],
    alike: Mapping[str, tuple[PaidAlike, ...]] = MappingProxyType({}),
) -> tuple[tuple[PlanRow, ...], tuple[PlanRow, ...]]:
    """Return the rows of what is planned and of what is not, each the largest first.

    Args:
        obligations: Each in its place.
        notices: Whom to look at.
        names: Tax id -> name, for rows that have none of their own.
        alike: Obligation key -> what a planned row looks like that looks paid before.
    """
    by_payee = defaultdict[str, list[Notice]](list)
    for one in notices:
        by_payee[one.tax_id].append(one.notice)
    planned, others = list[PlanRow](), list[PlanRow]()
    for row in records(obligations):
        is_planned = row["place"] == Place.PLANNED.value
        told = tuple(by_payee.get(row["tax_id"], ())) if is_planned else ()
        found = alike.get(row["key"], ()) if is_planned else ()
        told = (Notice.PAID_BEFORE, *told) if found else told
        (planned if is_planned else others).append(_row(row, told, names, found))
    return _largest_first(planned), _largest_first(others)


def notices_of_rows(
    obligations: DataFrame[Obligations], alike: Mapping[str, tuple[PaidAlike, ...]]
) -> tuple[PayeeNotice, ...]:
    """Name each row that looks paid before, the largest first."""
    rows = [row for row in records(obligations[obligations["key"].isin(list(alike))]) if row["key"] in alike]
    rows.sort(key=lambda row: (-row["amount_cents"], row["tax_id"], row["key"]))
    return tuple(
        PayeeNotice(
            Notice.PAID_BEFORE,
            row["tax_id"],
            row["name"],
            row["amount_cents"],
            row["amount_cents"],
            alike=alike[row["key"]],
        )
        for row in rows
    )


def not_paid_of(obligations: DataFrame[Obligations]) -> tuple[NotPaid, ...]:
    """Sum up what is not planned by place and reason, the largest first.

    What another submission claims is told by its place alone, whatever that submission is called.
    """
    counts, sums = defaultdict[tuple[str, str], int](int), defaultdict[tuple[str, str], int](int)
    for row in records(obligations[obligations["place"] != Place.PLANNED.value]):
        name = (row["place"], "claimed" if row["submission_id"] else row["reason"])
        counts[name] += 1
        sums[name] += int(row["amount_cents"])
    found = [NotPaid(Place(place), reason, counts[place, reason], sums[place, reason]) for place, reason in counts]
    return tuple(sorted(found, key=lambda one: (-abs(one.amount_cents), one.place, one.reason)))


def _row(row: Record, notices: tuple[Notice, ...], names: Mapping[str, str], alike: tuple[PaidAlike, ...]) -> PlanRow:
    return PlanRow(
        name=row["name"] or names.get(row["tax_id"], ""),
        tax_id_masked=mask_tax_id(row["tax_id"]) if row["tax_id"] else "",
        kind=row["kind"],
        reference=row["reference"],
        amount_cents=int(row["amount_cents"]),
        place=Place(row["place"]),
        reason=row["reason"],
        file=row["file"],
        sheet=row["sheet"],
        row=int(row["row"]),
        notices=notices,
        alike=alike,
    )


def _largest_first(rows: list[PlanRow]) -> tuple[PlanRow, ...]:
    return tuple(sorted(rows, key=lambda row: (-abs(row.amount_cents), row.tax_id_masked, row.reference)))
