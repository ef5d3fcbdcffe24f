"""The tables of the sandbox's SQLite file. Times are seconds since 1970 (UTC), rates exact decimals as text."""

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
