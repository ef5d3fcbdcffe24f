"""The one reader of views: runs a query's text on SQLite or PostgreSQL, and returns its rows as a row class of it."""

import datetime as dt
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, fields
from typing import Any, Final, Generic, TypeVar, get_type_hints

from sqlalchemy import String, bindparam, text

from io_adapters.ledger.engine import Database
from schemas.messages import Listed, fact_from

Row = TypeVar("Row")
Given = str | int | dt.date | Sequence[str]


@dataclass(frozen=True, slots=True)
class LedgerView(Generic[Row]):
    """A question to the ledger.

    Attributes:
        sql: Text of the query. Days are texts, amounts centavos; no date functions, which no two databases share.
        row: Its columns by name, with the kinds they are read as.
    """

    sql: str
    row: type[Row]


class Views:
    def __init__(self, database: Database) -> None:
        self._db = database

    def ask(self, view: LedgerView[Row], **given: Given) -> list[Row]:
        """Run a view; a sequence that is given stands for a list in parentheses."""
        plain = dict[str, str | int]()
        lists = dict[str, list[str]]()
        for name, value in given.items():
            match value:
                case dt.date():
                    plain[name] = value.isoformat()
                case str() | int():
                    plain[name] = value
                case _:
                    lists[name] = list(value)
        query = text(view.sql)
        query = query.bindparams(*(bindparam(name, expanding=True, type_=String()) for name in lists))
        kinds = _kinds(view.row)
        with self._db.reading() as connection:
            rows = connection.execute(query, {**plain, **lists}).mappings()
            return [view.row(**{name: kinds[name](value) for name, value in row.items()}) for row in rows]


# How a column is read as its kind: a sum is a Decimal on PostgreSQL and an int on SQLite, a day is a text on both.
_READ_AS: Final[dict[Any, Callable[[Any], Any]]] = {
    dt.date: dt.date.fromisoformat,
    Listed: lambda text: fact_from(json.loads(text)),
}


def _kinds(row: type[Any]) -> dict[str, Callable[[Any], Any]]:
    hints = get_type_hints(row)
    return {name: _READ_AS.get(hints[name], hints[name]) for name in (column.name for column in fields(row))}
