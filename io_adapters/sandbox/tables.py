"""Database tables of the sandbox. Times are seconds since 1970 (UTC), rates exact decimals as text."""

import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import sqlalchemy as sa

metadata = sa.MetaData()

reports = sa.Table(
    "reports",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("split_id", sa.String, nullable=False, unique=True),
    sa.Column("created_at", sa.Float, nullable=False),
    sa.Column("tax_id", sa.String, nullable=False),
    sa.Column("report_id", sa.String, index=True),
    sa.Column("batch_name", sa.String),
    sa.Column("currency", sa.String, nullable=False),
    sa.Column("amount_cents", sa.Integer, nullable=False),
    sa.Column("owner_cents", sa.Integer, nullable=False),
    sa.Column("payments", sa.Integer, nullable=False),
    sa.Column("payments_cents", sa.Integer, nullable=False),
    sa.Column("withheld", sa.Integer, nullable=False),
    sa.Column("withheld_cents", sa.Integer, nullable=False),
    sa.Column("failing", sa.Integer, nullable=False),
    sa.Column("failing_cents", sa.Integer, nullable=False),
    sa.Column("income_tax_cents", sa.Integer, nullable=False),
    sa.Column("fee_rate", sa.String, nullable=False),
    sa.Column("fee_cents", sa.Integer, nullable=False),
    sa.Column("exchange_rate", sa.String),
    sa.Column("rated_at", sa.Float),
    sa.Column("order_id", sa.String),
    sa.Column("show_exchange_data", sa.Boolean),
    sa.Column("funded_cents", sa.Integer, nullable=False),
    sa.Column("funded_at", sa.Float),
    sa.Column("returned", sa.Integer, nullable=False),
    sa.Column("returned_cents", sa.Integer, nullable=False),
    sa.Column("forced", sa.String, nullable=False),
    sa.Column("vanished", sa.Boolean, nullable=False),
)
payments = sa.Table(
    "payments",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("split_id", sa.ForeignKey("reports.split_id"), nullable=False, index=True),
    sa.Column("ext_payment_id", sa.String),
    sa.Column("final_amount_cents", sa.Integer, nullable=False),
    sa.Column("withheld", sa.Boolean, nullable=False),
)
account_checks = sa.Table(
    "account_checks",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("account", sa.String, nullable=False),
    sa.Column("valid", sa.Boolean, nullable=False),
    sa.Column("cost_cents", sa.Integer, nullable=False),
)
exchange_rates = sa.Table(
    "exchange_rates",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("split_id", sa.ForeignKey("reports.split_id"), nullable=False),
    sa.Column("rate", sa.String),
)
fundings = sa.Table(
    "fundings",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("split_id", sa.ForeignKey("reports.split_id"), nullable=False),
    sa.Column("amount_cents", sa.Integer, nullable=False),
)
returns = sa.Table(
    "returns",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("split_id", sa.ForeignKey("reports.split_id"), nullable=False),
    sa.Column("ext_payment_id", sa.String, nullable=False),
    sa.Column("amount_cents", sa.Integer, nullable=False),
    sa.Column("shown", sa.Boolean, nullable=False),
)
requests = sa.Table(
    "requests",
    metadata,
    sa.Column("endpoint", sa.String, primary_key=True),
    sa.Column("count", sa.Integer, nullable=False),
)
qr_codes = sa.Table(
    "qr_codes",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("qr_code_key", sa.String, nullable=False),
    sa.Column("amount_cents", sa.Integer),
    sa.Column("expiration_seconds", sa.Integer, nullable=False),
)
contacts = sa.Table(
    "contacts",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("identity", sa.String, nullable=False, index=True),  # the tax id without its mask
    sa.Column("tax_id", sa.String, nullable=False),
    sa.Column("name", sa.String, nullable=False),
    sa.Column("email", sa.String, nullable=False),
)
contact_accounts = sa.Table(
    "contact_accounts",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("contact_id", sa.ForeignKey("contacts.id"), nullable=False, index=True),
    sa.Column("fingerprint", sa.String, nullable=False),  # of its destination, so that none is learned twice
    sa.Column("bank_name", sa.String),
    sa.Column("bank_code", sa.String),
    sa.Column("bank_ispb", sa.String),
    sa.Column("agency", sa.String),
    sa.Column("account_number", sa.String),
    sa.Column("account_type", sa.String),
    sa.Column("pix_key", sa.String),
    sa.Column("pix_key_type", sa.String),
    sa.Column("tax_id", sa.String),
    sa.Column("tax_id_manager", sa.String),
    sa.Column("is_favorite", sa.Boolean, nullable=False),
    sa.UniqueConstraint("contact_id", "fingerprint"),
)
sa.Index(  # a contact has one favourite at most
    "one_favorite",
    contact_accounts.c.contact_id,
    unique=True,
    sqlite_where=contact_accounts.c.is_favorite,
)
contact_changes = sa.Table(
    "contact_changes",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("change", sa.String, nullable=False),
    sa.Column("contact_id", sa.String, nullable=False),
    sa.Column("account_id", sa.String),
)
webhooks = sa.Table(
    "webhooks",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("webhook_url", sa.String, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
)


class SandboxDatabase:
    """Opens the file and hands out connections; may be used from several threads."""

    def __init__(self, file: Path) -> None:
        self._engine = sa.create_engine(sa.URL.create("sqlite", database=str(file)))
        sa.event.listen(self._engine, "connect", _set_pragmas)
        self._writing = threading.Lock()  # one writer at a time waits here rather than for SQLite's busy timeout
        metadata.create_all(self._engine)

    def close(self) -> None:
        self._engine.dispose()

    @contextmanager
    def reading(self) -> Iterator[sa.Connection]:
        with self._engine.connect() as connection:
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """Hand out the one connection that may write; all it wrote is committed at the end, or nothing."""
        with self._writing, self._engine.begin() as connection:
            yield connection

    def rows(self, table: sa.Table) -> list[dict[str, Any]]:
        with self.reading() as connection:
            return [dict(row) for row in connection.execute(sa.select(table).order_by(*table.primary_key)).mappings()]


def _set_pragmas(connection: Any, _: object) -> None:  # noqa: ANN401
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=NORMAL")
