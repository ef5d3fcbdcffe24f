"""The statements that were sent to payees by e-mail: each content of each at most once, and how that ended."""

import datetime as dt
from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import delete, insert, select, update
from sqlalchemy.exc import IntegrityError

from io_adapters.ledger.acts import record_act
from io_adapters.ledger.desk_tables import mail_addresses, statement_mails
from io_adapters.ledger.engine import Database, chunks
from schemas.acts import Act, ActKind


@dataclass(frozen=True, slots=True)
class StatementMail:
    """One statement on its way to its payee.

    Attributes:
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


class MailAddresses:
    """The record of addresses that statements were sent to. An address is a destination: a new one is looked at."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def before(self, address_of: Mapping[str, str]) -> dict[str, str]:
        """Say of payees whose address was never used for them what was used before."""
        known: dict[str, list[tuple[str, str]]] = {}
        with self._db.reading() as connection:
            for some in chunks(address_of):
                query = select(mail_addresses).where(mail_addresses.c.payee.in_(some)).order_by(mail_addresses.c.at)
                for row in connection.execute(query):
                    known.setdefault(row.payee, []).append((row.address_seal, row.masked))
        return {
            payee: known[payee][-1][1] if payee in known else ""
            for payee, address in address_of.items()
            if self._name(payee, address) not in {seal for seal, _ in known.get(payee, ())}
        }

    def accept(self, payee: str, address: str, masked: str, *, run_id: str, by: str) -> None:
        """Write down that a statement is sent to an address; once for each payee and address."""
        c, name = mail_addresses.c, self._name(payee, address)
        with self._db.writing() as connection:
            if connection.scalar(select(c.payee).where(c.payee == payee, c.address_seal == name)) is None:
                values = {"payee": payee, "address_seal": name, "masked": masked, "run_id": run_id, "by": by}
                now = self._db.now()
                connection.execute(insert(mail_addresses).values(**values, at=now))
                record_act(connection, self._db.seal, Act(ActKind.ACCEPT_ADDRESS, by, run_id, "", now))

    def _name(self, payee: str, address: str) -> str:
        return self._db.seal.of("address", payee, address.strip().casefold())


class StatementMails:
    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, run_id: str, token: str, sha256: str, by: str) -> bool:
        """Write down that a statement is about to be sent."""
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
        mine = (
            statement_mails.c.run_id == run_id,
            statement_mails.c.token == token,
            statement_mails.c.sha256 == sha256,
        )
        sent_at = None if failure else self._db.now()
        with self._db.writing() as connection:
            connection.execute(update(statement_mails).where(*mine).values(sent_at=sent_at, failure=failure))

    def of_run(self, run_id: str) -> list[StatementMail]:
        query = select(statement_mails).where(statement_mails.c.run_id == run_id).order_by(statement_mails.c.asked_at)
        with self._db.reading() as connection:
            return [StatementMail(*row) for row in connection.execute(query)]
