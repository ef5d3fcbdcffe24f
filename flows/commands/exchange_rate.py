"""exchange-rate: the rate of one report, set by hand and at most once."""

from collections.abc import Sequence
from decimal import Decimal, InvalidOperation
from typing import Any, Final

from flows.payables.rules.exchange_rate import codes_of
from flows.run import Clock, Run
from flows.runner import SYSTEM_CLOCK, opened_run
from flows.sending.exchange_rates import approved_terms, rate_by_hand, report_called
from flows.settings import read_settings
from flows.terminal.printing import QuietProgress, console_for
from schemas.errors import DecisionRefused
from schemas.exit_codes import ExitCode, worst
from schemas.plan import ExchangeTerms
from schemas.submission import Submission

Result = tuple[ExitCode, dict[str, Any]]

_MOST_DIGITS: Final = 12


def set_exchange_rate(  # each is named at the call
    report: str,
    *,
    rate: str,
    order_id: str | None,
    hide: bool,
    by: Sequence[str],
    as_json: bool,
    clock: Clock = SYSTEM_CLOCK,
) -> Result:
    """Set the exchange rate of a report of this ledger, on people's word.

    Args:
        report: Our id of it (rp-...) or the service's.
        rate: What one unit of the report's currency is worth in BRL; a comma or a point before the decimals.
        order_id: The exchange order at the bank; the approved plan's when None.
        hide: Whether payees are not shown the exchange.
        by: Who says so: one for the approved rate, two for any other.
        as_json: Whether standard output is kept for one document.
        clock: Time.

    Raises:
        DecisionRefused: no such rate, or the report can have none; nothing was sent.
        RepasseError: as `rate_by_hand` says.
    """
    given = read_rate(rate)
    people = [name.strip() for name in by if name.strip()]
    if not people:
        raise DecisionRefused("an exchange rate takes a person's word: --by NAME")
    with opened_run("exchange-rate", None, read_settings(), QuietProgress(), clock) as run:
        wanted = report_called(run, report)
        stands = rate_by_hand(run, wanted, _terms(run, wanted, given, order_id, hide=hide), people)
    told = f"{stands.report_id}: 1 {stands.terms.currency} = BRL {stands.terms.plain_rate}, {stands.state.value}"
    console_for(as_json=as_json).print(f"{told} ({stands.reason})" if stands.reason else told, soft_wrap=True)
    document = {
        "exchange_update": stands.id,
        "report_id": stands.report_id,
        "currency": stands.terms.currency,
        "rate": stands.terms.plain_rate,
        "order_id": stands.terms.order_id,
        "state": stands.state.value,
    }
    return worst(codes_of([stands])), document


def read_rate(text: str) -> Decimal:
    """Read a rate: digits, with a comma or a point before the decimals, and nothing else.

    Raises:
        DecisionRefused: it is none, or not above zero.
    """
    plain = text.strip().replace(",", ".")
    try:
        rate = Decimal(plain) if plain.count(".") <= 1 and plain.replace(".", "").isdecimal() else Decimal(0)
    except InvalidOperation:
        rate = Decimal(0)
    if rate <= 0 or len(plain) > _MOST_DIGITS or not plain.isascii():
        raise DecisionRefused("--rate is what one unit of the currency is worth in BRL, such as 5.4312")
    return rate


def _terms(run: Run, report: Submission, rate: Decimal, order_id: str | None, *, hide: bool) -> ExchangeTerms:
    approved = approved_terms(run, report)
    if order_id is None and approved is not None:
        order_id = approved.order_id
    shown = approved.show_exchange_data if approved is not None and not hide else not hide
    return ExchangeTerms(report.currency, rate, order_id, show_exchange_data=shown)
