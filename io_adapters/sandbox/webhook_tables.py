"""The tables of webhooks: who is to be told, what was told last of each report, and every attempt to tell."""

import sqlalchemy as sa

from io_adapters.sandbox.tables import metadata

webhooks = sa.Table(
    "webhooks",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("webhook_url", sa.String, nullable=False),
    sa.Column("active", sa.Boolean, nullable=False),
    sa.Column("created_at", sa.Float, nullable=False),
)
announced = sa.Table(
    "announced",
    metadata,
    sa.Column("split_id", sa.ForeignKey("reports.split_id"), primary_key=True),
    sa.Column("status", sa.String, nullable=False),
)
deliveries = sa.Table(
    "deliveries",
    metadata,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("at", sa.Float, nullable=False),
    sa.Column("delivery", sa.String, nullable=False),
    sa.Column("webhook_id", sa.String, nullable=False),
    sa.Column("split_id", sa.String, nullable=False),
    sa.Column("status", sa.String, nullable=False),
    sa.Column("attempt", sa.Integer, nullable=False),
    sa.Column("outcome", sa.String, nullable=False),
)
