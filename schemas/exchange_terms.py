"""The exchange rate a plan in a foreign currency was approved with: part of its digest, and the exact bytes to send."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from schemas.wire import ExchangeRateUpdate, body_of, canonical_json, parse_json

HOME_CURRENCY: Final = "BRL"


@dataclass(frozen=True, slots=True)
class ExchangeTerms:
    """What POST /split/{split_id}/update_exchange_rate says of every report of a plan.

    Attributes:
        currency: Of the reports.
        rate: What one unit of it is worth in BRL, exact.
        order_id: The exchange order at the bank; None when the job names none.
        show_exchange_data: Whether the service shows payees the exchange.
    """

    currency: str
    rate: Decimal
    order_id: str | None
    show_exchange_data: bool

    @property
    def plain_rate(self) -> str:
        """The rate in digits, without zeros that say nothing: 5.4300 and 5.43 are one rate and one plan.

        >>> ExchangeTerms("USD", Decimal("10.500"), None, True).plain_rate
        '10.5'
        """
        text = format(self.rate, "f")
        return text.rstrip("0").rstrip(".") if "." in text else text

    @property
    def body(self) -> bytes:
        """The exact bytes to POST: the plan's digest binds them, and nothing else is ever sent."""
        update = ExchangeRateUpdate(
            currency=self.currency,
            rate=Decimal(self.plain_rate),
            showExchangeData=self.show_exchange_data,
            orderId=self.order_id,
        )
        return canonical_json(body_of(update))

    @classmethod
    def from_body(cls, body: bytes) -> "ExchangeTerms":
        """Read the terms back from the exact bytes.

        Raises:
            ValueError: they are not such bytes.
        """
        said = ExchangeRateUpdate.model_validate(parse_json(body))
        return cls(said.currency, said.rate, said.orderId, said.showExchangeData)
