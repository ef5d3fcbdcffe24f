"""Sums over what periods posted and over what was added to closed ones, side by side."""

from collections import Counter
from collections.abc import Sequence

from sqlalchemy import ColumnElement, Connection, Table, and_, func, select

from io_adapters.ledger.tables import accrual_periods, accruals, late_accruals


def of_job(table: Table, job: str, payer: str, currency: str) -> ColumnElement[bool]:
    """Choose the rows of one series of periods: what a job pays for one payer in one currency."""
    return and_(table.c.job == job, table.c.payer == payer, table.c.currency == currency)


def sum_up(
    connection: Connection,
    columns: Sequence[str],
    own: ColumnElement[bool],
    late: ColumnElement[bool],
) -> dict[tuple[str, ...], int]:
    """Sum centavos by columns of both tables, without sums of nothing.

    Args:
        connection: Within a transaction.
        columns: Of `accruals` and `late_accruals` alike.
        own: Which rows of `accruals`, joined with `accrual_periods`.
        late: Which rows of `late_accruals`.
    """
    joined = accruals.join(accrual_periods, accrual_periods.c.id == accruals.c.posting_id)
    sums = Counter[tuple[str, ...]]()
    for table, source, which in ((accruals, joined, own), (late_accruals, late_accruals, late)):
        keys = [table.c[name] for name in columns]
        query = select(*keys, func.sum(table.c.amount_cents)).select_from(source).where(which).group_by(*keys)
        for *key, cents in connection.execute(query):
            sums[tuple(key)] += int(cents)
    return {key: cents for key, cents in sums.items() if cents}


def sum_recouped(
    connection: Connection, own: ColumnElement[bool], late: ColumnElement[bool]
) -> dict[tuple[str, str], int]:
    """Sum what was recouped, by payee and advance."""
    sums = sum_up(
        connection,
        ("payee", "reference"),
        and_(own, accruals.c.kind == "recouped"),
        and_(late, late_accruals.c.kind == "recouped"),
    )
    return {(payee, reference): cents for (payee, reference), cents in sums.items()}
