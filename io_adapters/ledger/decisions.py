"""People's words on single obligations; the latest one counts, and none is ever changed."""

import datetime as dt
from collections.abc import Iterable, Sequence
from typing import Any

from sqlalchemy import Connection, Row, insert, select, update

from io_adapters.ledger.engine import Database
from io_adapters.ledger.queries import chunks
from io_adapters.ledger.tables import claims, decisions, journal, runs, submissions
from schemas.decision import Decision, DecisionKind
from schemas.submission import ENDED, OPEN, UNTOLD

_FIELDS = tuple(Decision.__dataclass_fields__)


class Decisions:
    """The record of decisions."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, words: Sequence[Decision]) -> None:
        """Write words down, all or none; *pay* gives up the claim of the report that did not tell whom it paid.

        A claim whose report has paid it, or still may, is never given up, whatever is said.
        """
        with self._db.writing() as connection:
            for word in words:
                values = {name: getattr(word, name) for name in _FIELDS}
                connection.execute(insert(decisions).values(values | {"kind": word.kind.value}))
                if word.kind is DecisionKind.PAY:
                    _give_up(connection, word)

    def on_rows(self, obligation_keys: Iterable[str]) -> dict[str, Decision]:
        """Return the last word on each of these payments rows that has one, by obligation key."""
        return {key: word for (key, report), word in self._latest(obligation_keys).items() if not report}

    def on_reports(self, obligation_keys: Iterable[str]) -> dict[tuple[str, str], Decision]:
        """Return the last word on what each report did for these obligations, by obligation key and submission id."""
        return {about: word for about, word in self._latest(obligation_keys).items() if about[1]}

    def any_since(self, obligation_keys: Iterable[str], at: dt.datetime) -> bool:
        """Say whether people have said a word on one of these obligations since a moment."""
        with self._db.reading() as connection:
            for some in chunks(obligation_keys):
                query = select(decisions.c.id).where(decisions.c.obligation_key.in_(some), decisions.c.at >= at)
                if connection.scalar(query.limit(1)) is not None:
                    return True
        return False

    def about(self, submission_id: str) -> list[Decision]:
        """Return the last word on each payment of one report that people have said something about."""
        query = select(decisions).where(decisions.c.submission_id == submission_id).order_by(decisions.c.id)
        with self._db.reading() as connection:
            last = {row.obligation_key: _decision_of(row) for row in connection.execute(query)}
        return list(last.values())

    def undecided(self, submission_ids: Iterable[str]) -> frozenset[str]:
        """Return which of these submissions pay something that nobody has said a word about."""
        about = (decisions.c.submission_id == claims.c.submission_id) & (
            decisions.c.obligation_key == claims.c.obligation_key
        )
        silent = select(claims.c.submission_id).distinct().where(~select(decisions.c.id).where(about).exists())
        with self._db.reading() as connection:
            return frozenset(
                submission_id
                for some in chunks(submission_ids)
                for submission_id in connection.scalars(silent.where(claims.c.submission_id.in_(some)))
            )

    def runs_to_tell(self, job: str | None) -> frozenset[str]:
        """Return the runs, of one job or of all, whose books are older than what became of their reports.

        That is people's words on them, and what another run has seen of them since.
        """
        of_run = select(runs.c.run_id).join(submissions, submissions.c.run_id == runs.c.run_id)
        if job is not None:
            of_run = of_run.where(runs.c.job == job)
        said = of_run.join(decisions, decisions.c.submission_id == submissions.c.id)
        followed = submissions.c.state.in_([state.value for state in OPEN | ENDED])
        moved = of_run.join(journal, journal.c.submission_id == submissions.c.id).where(followed)
        queries = (said.where(decisions.c.at >= runs.c.finished_at), moved.where(journal.c.at > runs.c.finished_at))
        with self._db.reading() as connection:
            return frozenset(run_id for query in queries for run_id in connection.scalars(query.distinct()))

    def _latest(self, obligation_keys: Iterable[str]) -> dict[tuple[str, str], Decision]:
        found = {}
        with self._db.reading() as connection:
            for some in chunks(obligation_keys):
                query = select(decisions).where(decisions.c.obligation_key.in_(some)).order_by(decisions.c.id)
                for row in connection.execute(query):
                    found[row.obligation_key, row.submission_id] = _decision_of(row)
        return found


def _give_up(connection: Connection, word: Decision) -> None:
    untold = select(submissions.c.id).where(submissions.c.state.in_([state.value for state in UNTOLD]))
    this = (claims.c.obligation_key == word.obligation_key) & (claims.c.submission_id == word.submission_id)
    connection.execute(update(claims).where(this, claims.c.submission_id.in_(untold)).values(live=False))


def _decision_of(row: Row[Any]) -> Decision:
    values = {name: getattr(row, name) for name in _FIELDS}
    return Decision(**values | {"kind": DecisionKind(row.kind)})
