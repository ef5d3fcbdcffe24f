"""What makes a report or an exchange rate unacceptable, beside types and missing fields."""

from decimal import Decimal

from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.models import ExchangeRateUpdate, PaymentEntry, SplitRequest
from io_adapters.sandbox.money import CENTAVO, cents_of
from io_adapters.sandbox.reports import StoredReport
from io_adapters.sandbox.validation import Location, ValidationProblem, missing, problem, unknown_fields


def final_amount(entry: PaymentEntry) -> Decimal:
    """Return what a payment entry moves: `finalAmount`, else `amount`, else nothing."""
    return next((amount for amount in (entry.finalAmount, entry.amount) if amount is not None), Decimal(0))


def broken_rules(body: SplitRequest, behaviour: Behaviour) -> list[ValidationProblem]:
    """Return what is wrong with a new report beside types and missing fields."""
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if behaviour.whole_centavos:
        found += _fractions_of_centavo(body)
    paid_out = sum(cents_of(final_amount(entry)) for entry in body.payments)
    if behaviour.sums_must_match and paid_out + cents_of(body.ownerAmount) != cents_of(body.amount):
        found.append(problem(("amount",), "finalAmount of all payments and ownerAmount must add up to amount"))
    return found


def _fractions_of_centavo(body: SplitRequest) -> list[ValidationProblem]:
    amounts: list[tuple[Location, Decimal | None]] = [
        (("amount",), body.amount),
        (("ownerAmount",), body.ownerAmount),
    ]
    for index, entry in enumerate(body.payments):
        amounts.append((("payments", index, "amount"), entry.amount))
        amounts.append((("payments", index, "finalAmount"), entry.finalAmount))
    return [
        problem(loc, "Input should have at most two decimals", "decimal_max_places")
        for loc, amount in amounts
        if amount is not None and amount != amount.quantize(CENTAVO)
    ]


def broken_rate_rules(body: ExchangeRateUpdate, report: StoredReport, behaviour: Behaviour) -> list[ValidationProblem]:
    """Return what is wrong with an exchange rate for a report."""
    found = unknown_fields(body) if behaviour.known_fields_only else []
    if not behaviour.strict_exchange_rate:
        return found
    found += [missing(name) for name in ("currency", "rate") if getattr(body, name) is None]
    if body.rate is not None and body.rate <= 0:
        found.append(problem(("rate",), "Input should be greater than 0", "greater_than"))
    if body.currency not in (None, report.currency):
        found.append(problem(("currency",), "Input should be the currency of the report"))
    return found
