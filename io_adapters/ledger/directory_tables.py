"""Database tables of contacts, institutions, webhooks and findings about the service.

They share the ledger's `metadata`; the migrations build exactly these.
"""

from typing import Final

from sqlalchemy import BigInteger, Boolean, Column, Index, Integer, String, Table, Text

from io_adapters.ledger.tables import Utc, metadata

_Serial: Final = BigInteger().with_variant(Integer(), "sqlite")

# One row per taxpayer. Name, e-mail and accounts are as the service last told them; the service cannot be asked.
contacts = Table(
    "contacts",
    metadata,
    Column("tax_id", String(32), primary_key=True),
    Column("contact_id", Text),
    Column("name", Text),
    Column("email", Text),
    Column("accounts", Text, nullable=False),
    Column("favorite_account_id", Text),
    Column("state", String(16), nullable=False),
    Column("told_at", Utc),
    Index("ix_contacts_contact_id", "contact_id"),
)

institutions = Table(
    "institutions",
    metadata,
    Column("ispb", String(32), primary_key=True),
    Column("code", Text),
    Column("name", Text),
    Column("is_active", Boolean),
    Column("is_compe_participant", Boolean),
    Column("str_start_date", Text),
    Column("created_at", Text),
    Column("seen_at", Utc, nullable=False),
)

# When the whole list was last read; a list is only ever replaced as a whole.
institution_reads = Table(
    "institution_reads",
    metadata,
    Column("only_row", Integer, primary_key=True, autoincrement=False),
    Column("read_at", Utc, nullable=False),
)

# What a probe of the service saw, with its date. Append-only: an older finding is history, not a mistake.
findings = Table(
    "findings",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("name", Text, nullable=False),
    Column("value", Text, nullable=False),
    Column("service_url", Text, nullable=False),
    Column("seen_at", Utc, nullable=False),
    Index("ix_findings_service_url_name", "service_url", "name"),
)

# The unguessable part of a URL is kept as a hash: whoever reads the ledger cannot write a delivery.
webhooks = Table(
    "webhooks",
    metadata,
    Column("id", _Serial, primary_key=True, autoincrement=True),
    Column("webhook_id", Text),
    Column("base_url", Text, nullable=False),
    Column("token_sha256", String(64), nullable=False),
    Column("active", Boolean),
    Column("asked_at", Utc, nullable=False),
    Column("registered_at", Utc),
    Column("retired_at", Utc),
    Index("uq_webhooks_token_sha256", "token_sha256", unique=True),
)
