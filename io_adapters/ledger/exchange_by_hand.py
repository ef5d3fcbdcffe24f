"""An exchange rate on people's word: for a report that no plan has a rate for, or whose planned rate was refused."""

from collections.abc import Sequence
from hashlib import sha256

from sqlalchemy import Connection, func, select

from io_adapters.ledger.engine import Database
from io_adapters.ledger.exchange_transitions import (
    Cause,
    read_update,
    select_updates,
    try_move,
    update_of,
    write_attempt,
)
from io_adapters.ledger.tables import exchange_journal, exchange_updates
from schemas.errors import ApprovalWanted, BrokenInvariant
from schemas.exchange_terms import ExchangeTerms
from schemas.exchange_update import ExchangeState, ExchangeUpdate
from schemas.person import different_people
from schemas.told import Told

X = ExchangeState


class ExchangeByHand:
    """The part of `ExchangeUpdates` that takes a person's word on the rate itself."""

    _db: Database

    def prepare_by_hand(
        self, report_id: str, terms: ExchangeTerms, *, by: Sequence[str], run_id: str
    ) -> ExchangeUpdate:
        """Write down an update with these terms, bound to the people who say so, in place of a refused one.

        Who of them may say so, and the look before, are the caller's to judge.

        Returns:
            The new attempt, approved; its journal begins with the names and the digest of its exact bytes.

        Raises:
            ApprovalWanted: fewer than two different people.
            BrokenInvariant: an update of the report counts already and was not refused.
        """
        if len(different_people(by)) < 2:
            raise ApprovalWanted(Told("rate.two_people"))
        names = ", ".join(name.strip() for name in by)
        with self._db.writing() as connection:
            now = self._db.now()
            mine = exchange_updates.c.submission_id == report_id
            counts = connection.execute(select_updates().where(mine, exchange_updates.c.state != X.ABSENT.value)).all()
            for before in map(update_of, counts):
                if before.state is not X.REFUSED:
                    raise BrokenInvariant(f"{before.id} is {before.state}; its rate cannot be given anew")
                try_move(connection, before, X.ABSENT, Cause(now, names, "refused; a rate given by hand follows"))
            attempts = connection.scalar(select(func.max(exchange_updates.c.attempt)).where(mine)) or 0
            cause = Cause(now, names, _word_on(terms.body))
            # A refusal proves that these bytes never took effect; what is in doubt never comes here.
            made = write_attempt(connection, report_id, attempts + 1, terms.body, run_id, cause, was_in_doubt=False)
            return read_update(connection, made)


def has_word_on(connection: Connection, update: ExchangeUpdate) -> bool:
    """Say whether people gave their word on the very bytes of an update, when it or an earlier attempt was written."""
    j, x = exchange_journal.c, exchange_updates.c
    words = (
        select(j.id)
        .join(exchange_updates, x.id == j.update_id)
        .where(x.submission_id == update.report_id, j.before.is_(None), j.reason == _word_on(update.body))
    )
    return connection.execute(words.limit(1)).first() is not None


def _word_on(body: bytes) -> str:
    return f"a person's word on sha256:{sha256(body).hexdigest()}"
