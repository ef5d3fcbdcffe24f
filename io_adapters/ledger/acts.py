"""The record of what people did: append-only, each act chained to the one before, written with its effect."""

import json
from typing import Any

from sqlalchemy import Connection, Row, insert, select

from io_adapters.ledger.claims import raise_epoch
from io_adapters.ledger.engine import Database
from io_adapters.ledger.tables import acts
from schemas.acts import BEGINNING, Act, ActKind, chained, first_broken


def record_act(connection: Connection, act: Act) -> None:
    """Write an act down, in the transaction of its effect; looks at the ledger from before no longer stand."""
    raise_epoch(connection)
    previous = connection.scalar(select(acts.c.sha256).order_by(acts.c.id.desc()).limit(1)) or BEGINNING
    values = {"kind": act.kind.value, "by": act.by, "subject": act.subject, "why": act.why, "at": act.at}
    values |= {"facts_json": json.dumps(dict(act.facts), ensure_ascii=False, sort_keys=True)}
    connection.execute(insert(acts).values(values | {"previous": previous, "sha256": chained(previous, act)}))


class Acts:
    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, *done: Act) -> None:
        """Write acts down whose record is their effect; all of them, or none."""
        with self._db.writing() as connection:
            for act in done:
                record_act(connection, act)

    def on_months(self) -> list[Act]:
        """Return the acts on months and on the files handed in for them, the first first."""
        kinds = [kind.value for kind in (ActKind.OPEN_MONTH, ActKind.HAND_IN, ActKind.WITHDRAW)]
        with self._db.reading() as connection:
            rows = connection.execute(select(acts).where(acts.c.kind.in_(kinds)).order_by(acts.c.id))
            return [_act_of(row) for row in rows]

    def first_broken(self) -> int | None:
        """Return the number of the first act that somebody changed, took out or put in; None where nobody did."""
        with self._db.reading() as connection:
            rows = connection.execute(select(acts).order_by(acts.c.id))
            return first_broken((_act_of(row), row.previous, row.sha256) for row in rows)


def _act_of(row: Row[Any]) -> Act:
    return Act(ActKind(row.kind), row.by, row.subject, row.why, row.at, json.loads(row.facts_json))
