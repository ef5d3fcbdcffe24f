"""People's words on single obligations; the latest one counts, and none is ever changed."""

from collections.abc import Iterable, Sequence

from sqlalchemy import Column, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import claims, decisions, submissions
from schemas.decision import Decision, DecisionKind
from schemas.submission import SubmissionState

# Only a claim whose report left its payments untold may be given up; one that was paid or may still be never is.
_UNTOLD = (SubmissionState.PARTIAL.value, SubmissionState.EXCLUDED.value)


class Decisions:
    """The record of decisions."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, words: Sequence[Decision]) -> int:
        """Write words down; *pay* gives up the claims of reports that did not tell whom they paid.

        Returns:
            How many claims were given up.
        """
        with self._db.writing() as connection:
            released = 0
            for word in words:
                values = {name: getattr(word, name) for name in Decision.__dataclass_fields__}
                connection.execute(insert(decisions).values(**values | {"kind": word.kind.value}))
                if word.kind is DecisionKind.PAY:
                    untold = select(submissions.c.id).where(submissions.c.state.in_(_UNTOLD))
                    mine = claims.c.obligation_key == word.obligation_key
                    given_up = update(claims).where(mine, claims.c.live, claims.c.submission_id.in_(untold))
                    released += connection.execute(given_up.values(live=False)).rowcount
            return released

    def latest(self, obligation_keys: Iterable[str]) -> dict[str, Decision]:
        """Return the last word on each obligation that has one."""
        return self._latest(decisions.c.obligation_key, obligation_keys)

    def latest_of(self, base_keys: Iterable[str]) -> dict[str, Decision]:
        """Return the last words on all obligations with these base keys, by obligation key."""
        return self._latest(decisions.c.base_key, base_keys)

    def _latest(self, column: Column[str], keys: Iterable[str]) -> dict[str, Decision]:
        found: dict[str, Decision] = {}
        with self._db.reading() as connection:
            for some in chunks(keys):
                query = select(decisions).where(column.in_(some)).order_by(decisions.c.id)
                for row in connection.execute(query):
                    values = {name: getattr(row, name) for name in Decision.__dataclass_fields__}
                    found[row.obligation_key] = Decision(**values | {"kind": DecisionKind(row.kind)})
        return found
