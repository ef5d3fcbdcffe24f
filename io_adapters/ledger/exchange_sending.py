"""The intent to set a report's exchange rate, written down before the connection is opened, and what became of it."""

import datetime as dt
from collections.abc import Callable

from sqlalchemy import Connection, select

from io_adapters.ledger.engine import Database
from io_adapters.ledger.exchange_by_hand import has_word_on
from io_adapters.ledger.exchange_transitions import Cause, read_update, try_move, write_journal
from io_adapters.ledger.holds import require_free_to_send
from io_adapters.ledger.owner import Owner
from io_adapters.ledger.sending import ABANDONED_AFTER
from io_adapters.ledger.tables import exchange_updates, submissions
from schemas.errors import BrokenInvariant
from schemas.exchange_update import TRANSITIONS, ExchangeState, ExchangeUpdate
from schemas.plan import digest_of_plan
from schemas.submission import OPEN

X = ExchangeState


class ExchangeSending:
    """The part of `ExchangeUpdates` that stands around the one POST."""

    _db: Database

    def take_for_sending(
        self, update_id: str, owner: Owner, run_id: str, *, body_sha256: str, deadline_at: dt.datetime, by: str = ""
    ) -> bool:
        """Write down that these very bytes are about to be sent; when this returns True, that is durable.

        Args:
            update_id: An approved exchange update of an open report.
            owner: This process.
            run_id: The run that sends it.
            body_sha256: Hex digest of the bytes that are about to be sent.
            deadline_at: When the attempt gives up at the latest.
            by: The people who asked for it by hand, for the journal; "" where only the run did.

        Returns:
            False when it is not approved any more, or its report has ended: there is nothing to send.

        Raises:
            NotSent: a person put sending on hold.
            SendingFrozen: ledger and service disagree.
            BrokenInvariant: the bytes are not the stored ones, or not those of the approved plan.
        """
        with self._db.writing() as connection:
            require_free_to_send(connection)
            before = read_update(connection, update_id)
            if before.state is not X.APPROVED or before.report_state not in OPEN:
                return False
            stored = connection.scalar(select(exchange_updates.c.body_sha256).where(exchange_updates.c.id == update_id))
            if stored != body_sha256:
                raise BrokenInvariant(f"the bytes about to be sent for {update_id} are not those in the ledger")
            _require_approved(connection, before)
            now = self._db.now()
            taken = {"run_id": run_id, "owner": owner.to_json(), "sending_at": now, "deadline_at": deadline_at}
            return try_move(connection, before, X.SENDING, Cause(now, by or run_id), **taken)

    def still_mine(self, update_id: str, owner: Owner) -> bool:
        """Say whether an update is still being sent by this owner; asked immediately before connecting."""
        x = exchange_updates.c
        with self._db.reading() as connection:
            row = connection.execute(select(x.state, x.owner).where(x.id == update_id)).one_or_none()
        return row is not None and tuple(row) == (X.SENDING.value, owner.to_json())

    def record_outcome(
        self, update_id: str, after: ExchangeState, *, http_status: int | None, raw_answer: bytes, reason: str
    ) -> ExchangeUpdate:
        """Write down what the answer proves, with the answer itself; no answer is ever lost.

        Somebody may have put the update in doubt, or found its rate, while the answer was on its way. Then only what
        the answer says of the rate still changes something.

        Returns:
            The update as it stands now.
        """
        with self._db.writing() as connection:
            before = read_update(connection, update_id)
            cause = Cause(self._db.now(), before.run_id, reason, http_status, raw_answer)
            late = after in {X.ACCEPTED, X.DIFFERS} and before.state is X.IN_DOUBT
            otherwise = after is X.DIFFERS and after in TRANSITIONS[before.state]
            if before.state is X.SENDING or late or otherwise:
                try_move(connection, before, after, cause)
            else:
                write_journal(connection, update_id, before.state, before.state, cause)
            return read_update(connection, update_id)

    def doubt_abandoned(self, gone: Callable[[Owner], bool]) -> list[ExchangeUpdate]:
        """Put in doubt every update that is being sent by nobody any more, by the rule for submissions.

        Returns:
            The updates that are now in doubt.
        """
        x = exchange_updates.c
        query = select(x.id, x.owner, x.deadline_at).where(x.state == X.SENDING.value)
        with self._db.reading() as connection:
            if connection.execute(query).first() is None:
                return []
        with self._db.writing() as connection:
            now = self._db.now()
            doubtful = []
            for row in connection.execute(query).all():
                if now < row.deadline_at + ABANDONED_AFTER and not gone(Owner.from_json(row.owner)):
                    continue
                before = read_update(connection, row.id)
                cause = Cause(now, before.run_id, "the program ended before the answer came")
                try_move(connection, before, X.IN_DOUBT, cause)
                doubtful.append(read_update(connection, row.id))
        return doubtful

    def reapprove_not_sent(self, update_id: str, *, by: str) -> ExchangeUpdate:
        """Make an update that certainly never left ready to be sent again.

        Raises:
            BrokenInvariant: it is not one of those.
        """
        with self._db.writing() as connection:
            before = read_update(connection, update_id)
            if before.state is not X.NOT_SENT:
                raise BrokenInvariant(f"{update_id} is {before.state}; only what was not sent is approved again")
            try_move(connection, before, X.APPROVED, Cause(self._db.now(), by, "not sent; tried again"))
            return read_update(connection, update_id)


def _require_approved(connection: Connection, update: ExchangeUpdate) -> None:
    """Hold the bytes against what people approved: the plan's digest, or a later word on these very bytes.

    Batches and bytes make the digest up.
    """
    s = submissions.c
    digest = select(s.plan_digest).where(s.id == update.report_id).scalar_subquery()
    batches = select(s.batch_number, s.content_hash).distinct().where(s.plan_digest == digest).order_by(s.batch_number)
    content_hashes = [row.content_hash for row in connection.execute(batches)]
    approved = digest_of_plan(content_hashes, update.body) == connection.scalar(select(digest))
    if not approved and not has_word_on(connection, update):
        raise BrokenInvariant(f"the exchange rate about to be set by {update.id} is not that of the approved plan")
