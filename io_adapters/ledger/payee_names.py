"""The names that payees were listed with, by document: the latest beside a balance, all of them to be found by."""

from collections.abc import Mapping

from sqlalchemy import insert, select, update

from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.tables import payee_names

_N = payee_names.c


class PayeeNames:
    """The record of payees' names."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def note(self, names: Mapping[str, str]) -> None:
        """Write down what payees are called now: tax id -> name."""
        now = self._db.now()
        with self._db.writing() as connection:
            for some in chunks(names):
                query = select(_N.tax_id, _N.name).where(_N.tax_id.in_(some)).order_by(_N.seen_at, _N.name)
                known = [(tax_id, name) for tax_id, name in connection.execute(query)]
                last = dict(known)
                changed = [(tax_id, names[tax_id]) for tax_id in some if last.get(tax_id) != names[tax_id]]
                new = set(changed) - set(known)
                if new:
                    rows = [{"tax_id": tax_id, "name": name, "seen_at": now} for tax_id, name in sorted(new)]
                    connection.execute(insert(payee_names), rows)
                for tax_id, name in set(changed) - new:  # called as before
                    again = update(payee_names).where(_N.tax_id == tax_id, _N.name == name)
                    connection.execute(again.values(seen_at=now))

    def latest(self) -> dict[str, str]:
        """Return what each payee was called last, by tax id."""
        with self._db.reading() as connection:
            return {
                row.tax_id: row.name for row in connection.execute(select(payee_names).order_by(_N.seen_at, _N.name))
            }

    def all(self) -> list[tuple[str, str]]:
        """Return every name ever listed, with its tax id."""
        with self._db.reading() as connection:
            return [(tax_id, name) for tax_id, name in connection.execute(select(_N.tax_id, _N.name))]
