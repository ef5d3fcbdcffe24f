"""The exchange rate of a plan in a foreign currency, kept with the plan: whatever the job file says by then."""

from decimal import Decimal
from typing import Any

from sqlalchemy import Connection, Row, insert

from io_adapters.ledger.tables import plan_exchanges
from schemas.exchange_terms import ExchangeTerms


def write_terms(connection: Connection, plan_digest: str, terms: ExchangeTerms) -> None:
    """Keep the terms of a plan, in the transaction that first stores the plan; its digest holds them, so they stay."""
    connection.execute(
        insert(plan_exchanges).values(
            plan_digest=plan_digest,
            currency=terms.currency,
            rate=terms.plain_rate,
            order_id=terms.order_id,
            show_exchange_data=terms.show_exchange_data,
        )
    )


def terms_of(row: Row[Any]) -> ExchangeTerms:
    """Read the columns of `plan_exchanges` in a row."""
    return ExchangeTerms(row.currency, Decimal(row.rate), row.order_id, row.show_exchange_data)
