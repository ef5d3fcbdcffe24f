"""What the sandbox remembers of reports and account checks.

Of payees nothing is kept here but the client's own payment ids and the amounts; of accounts a fingerprint.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import sqlalchemy as sa

from io_adapters.sandbox.database import Database
from io_adapters.sandbox.reports import StoredReport
from io_adapters.sandbox.tables import account_checks, exchange_rates, payments, reports

REPORT_COLUMNS = [column for column in reports.columns if column.name != "number"]


@dataclass(frozen=True, slots=True)
class StoredPayment:
    """One payment entry, as far as it is kept."""

    ext_payment_id: str | None
    final_amount_cents: int
    withheld: bool


class Store:
    """Reads and writes reports and account checks; may be used from several threads."""

    def __init__(self, database: Database) -> None:
        """Keep them in a database."""
        self._database = database

    def create_report(self, report: StoredReport, entries: Sequence[StoredPayment], *, unique: bool) -> bool:
        """Keep a new report and its payments; False, keeping nothing, when `unique` and its `report_id` is taken."""
        with self._database.writing() as connection:
            same_id = sa.select(reports.c.number).where(reports.c.report_id == report.report_id)
            if unique and report.report_id is not None and connection.execute(same_id).first():
                return False
            connection.execute(sa.insert(reports), asdict(report))
            if entries:
                rows = [{"split_id": report.split_id, **asdict(entry)} for entry in entries]
                connection.execute(sa.insert(payments), rows)
        return True

    def report(self, split_id: str) -> StoredReport | None:
        """Return one report; None when there is none or it has vanished."""
        query = sa.select(*REPORT_COLUMNS).where(reports.c.split_id == split_id, ~reports.c.vanished)
        with self._database.reading() as connection:
            row = connection.execute(query).first()
        return None if row is None else StoredReport(*row)

    def reports(self, created_until: float) -> list[StoredReport]:
        """Return the reports created up to a moment, oldest first, without the vanished ones."""
        query = (
            sa.select(*REPORT_COLUMNS)
            .where(reports.c.created_at <= created_until, ~reports.c.vanished)
            .order_by(reports.c.number)
        )
        with self._database.reading() as connection:
            return [StoredReport(*row) for row in connection.execute(query)]

    def change_report(self, split_id: str, **columns: Any) -> bool:  # noqa: ANN401
        """Change columns of a report, vanished or not; tell whether there is one."""
        change = sa.update(reports).where(reports.c.split_id == split_id).values(**columns)
        with self._database.writing() as connection:
            return connection.execute(change).rowcount == 1

    def set_exchange_rate(self, split_id: str, at: float, **columns: Any) -> None:  # noqa: ANN401
        """Change the exchange columns of a report and note that it was asked; the first rate starts its clock."""
        change = sa.update(reports).where(reports.c.split_id == split_id)
        change = change.values(rated_at=sa.func.coalesce(reports.c.rated_at, at), **columns)
        note = sa.insert(exchange_rates).values(at=at, split_id=split_id, rate=columns.get("exchange_rate"))
        with self._database.writing() as connection:
            connection.execute(change)
            connection.execute(note)

    def add_account_check(self, at: float, account: str, *, valid: bool, cost_cents: int) -> None:
        """Note an account check that was made and what it cost."""
        note = {"at": at, "account": account, "valid": valid, "cost_cents": cost_cents}
        with self._database.writing() as connection:
            connection.execute(sa.insert(account_checks), note)
