"""The statements that were sent to payees by e-mail: each content of each at most once, and how that ended."""

import datetime as dt
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from io_adapters.ledger.desk_tables import statement_mails
from io_adapters.ledger.engine import Database


@dataclass(frozen=True, slots=True)
class StatementMail:
    """One statement on its way to its payee.

    Attributes:
        run_id: The run it is of.
        token: Names the payee's statement of that run, without the payee.
        sha256: Of the file that was sent.
        by: Who asked for it.
        asked_at: When (UTC).
        sent_at: When the mail server took it (UTC); None where it has not, or nobody knows.
        failure: Why the mail server did not; "" where it did, or nobody knows.
    """

    run_id: str
    token: str
    sha256: str
    by: str
    asked_at: dt.datetime
    sent_at: dt.datetime | None
    failure: str


class StatementMails:
    """The record of statements that were sent."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, run_id: str, token: str, sha256: str, by: str) -> bool:
        """Write down that a statement is about to be sent.

        Returns:
            False where this content was sent to its payee already, or may have been: it is not sent again.
        """
        key = {"run_id": run_id, "token": token, "sha256": sha256}
        try:
            with self._db.writing() as connection:
                failed = (statement_mails.c[name] == value for name, value in key.items())
                connection.execute(delete(statement_mails).where(*failed, statement_mails.c.failure != ""))
                values = key | {"by": by, "asked_at": self._db.now(), "sent_at": None, "failure": ""}
                connection.execute(insert(statement_mails).values(**values))
        except IntegrityError:
            return False
        return True

    def end(self, run_id: str, token: str, sha256: str, *, failure: str = "") -> None:
        """Write down that the mail server took a statement, or why it did not."""
        mine = (
            statement_mails.c.run_id == run_id,
            statement_mails.c.token == token,
            statement_mails.c.sha256 == sha256,
        )
        sent_at = None if failure else self._db.now()
        with self._db.writing() as connection:
            connection.execute(update(statement_mails).where(*mine).values(sent_at=sent_at, failure=failure))

    def of_run(self, run_id: str) -> list[StatementMail]:
        """Return what was sent of a run, the oldest first."""
        query = select(statement_mails).where(statement_mails.c.run_id == run_id).order_by(statement_mails.c.asked_at)
        with self._db.reading() as connection:
            return [StatementMail(*row) for row in connection.execute(query)]
