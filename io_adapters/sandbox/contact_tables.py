"""The address book's tables. All that names a person is kept here alone: the audit knows ids."""

import sqlalchemy as sa

from io_adapters.sandbox.tables import metadata

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
