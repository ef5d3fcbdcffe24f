"""Choosing a currency's exchange rate: its source's own, else that of the table of rates."""

import datetime as dt
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal

from schemas.job import Exchange, Period
from schemas.payee_statement import Quote
from schemas.tables.contract import DataFrame, Record, records
from schemas.tables.rates import Rates
from schemas.values.money import exact_text


@dataclass(frozen=True, slots=True)
class RateTable:
    """The table of rates of a job.

    Attributes:
        rows: Sound ones, by currency and day, the earliest first.
        in_question: Currencies of rows with problems; "" where it cannot be read which.
    """

    rows: tuple[Quote, ...]
    in_question: frozenset[str]

    @classmethod
    def of(cls, rates: DataFrame[Rates], in_question: Iterable[str]) -> "RateTable":
        """Put a table in order."""
        rows = sorted(records(rates), key=lambda row: (row["currency"], row["date"], row["row"]))
        return cls(tuple(map(_quote_of, rows)), frozenset(in_question))

    def quotes(self, exchange: Mapping[str, Exchange], currency: str, period: Period) -> Sequence[Quote]:
        """Choose the rates of a source: its own, else the last of the table up to the last day of the period.

        A currency of which a row has a problem has no rate: that row may be the one that counts.

        Args:
            exchange: What the source says.
            currency: The job's, which needs no rate.
            period: The job's.
        """
        own = {name: Quote(name, quote.rate, quote.date, quote.source) for name, quote in exchange.items()}
        if "" in self.in_question:
            return list(own.values())
        listed = {
            quote.currency: quote
            for quote in self.rows
            if quote.day <= period.end and quote.currency not in self.in_question | {currency}
        }
        return list((listed | own).values())


def _quote_of(row: Record) -> Quote:
    rate = Decimal(exact_text(row["rate"]))  # without the zeros that fill its column
    return Quote(row["currency"], rate, dt.date.fromisoformat(row["date"]), row["source"])
