"""The exchange rate of foreign reports: which one is approved, and what a report shows of it."""

from collections.abc import Iterable, Mapping
from decimal import Decimal
from typing import Final

from schemas.errors import ExitCode
from schemas.exchange_update import TRANSITIONS, ExchangeState, ExchangeUpdate, RateSeen
from schemas.job import Job
from schemas.plan import HOME_CURRENCY, ExchangeTerms
from schemas.reconciliation import BatchExchange, BatchSummary
from schemas.submission import OPEN, Outcome
from schemas.wire import SplitReport

X = ExchangeState

# A service that keeps rates in doubles is off by less than this part of the rate; no quote has so many digits.
_NOISE: Final = Decimal("1e-12")
# The service has done with a report: its rate is no longer to be set.
ENDED: Final = frozenset({"DONE", "CLOSED", "ERROR", "EXCLUDED"})
_PROVES: Final = {RateSeen.OURS: X.ACCEPTED, RateSeen.ANOTHER: X.DIFFERS}
_CODE_OF: Final = {
    X.APPROVED: ExitCode.NOT_SENT,
    X.NOT_SENT: ExitCode.NOT_SENT,
    X.SENDING: ExitCode.IN_DOUBT,
    X.IN_DOUBT: ExitCode.IN_DOUBT,
    X.REFUSED: ExitCode.REFUSED,
    X.DIFFERS: ExitCode.DISCREPANCIES,
}
# These wait for something to be sent: once the report has ended, nothing will be, and nobody has to act.
_OF_OPEN_REPORTS: Final = frozenset({X.APPROVED, X.NOT_SENT, X.REFUSED})


def terms_of(job: Job) -> ExchangeTerms | None:
    """Return the rate that the reports of a job are to have; None for reports in BRL."""
    given = job.foreign_currency
    if job.currency == HOME_CURRENCY or given is None:
        return None
    return ExchangeTerms(job.currency, given.rate, given.order_id, given.show_exchange_data)


def facts_of(terms: ExchangeTerms) -> dict[str, str]:
    """Return what people are told of a plan's rate."""
    return {"currency": terms.currency, "rate": terms.plain_rate, "order": terms.order_id or "-"}


def judge_rate(terms: ExchangeTerms, report: SplitReport) -> RateSeen:
    """Say what a report shows of its exchange rate.

    Compared as closely as doubles are exact: a service may keep it in one. No rate, or one of zero, is no information
    and never proof that none was set. A rate that cannot be read is not the approved one. A report that does not say
    its currency does not contradict it.
    """
    if "exchangeRate" in report.unreadable:
        return RateSeen.ANOTHER
    if report.exchangeRate is None or report.exchangeRate.is_zero():
        return RateSeen.SILENT
    same = abs(report.exchangeRate - terms.rate) <= abs(terms.rate) * _NOISE
    ours = same and report.currency in {None, terms.currency}
    return RateSeen.OURS if ours else RateSeen.ANOTHER


def after_answer(outcome: Outcome, terms: ExchangeTerms, report: SplitReport | None) -> ExchangeState:
    """Say where an answer leaves an update: accepted, unless the report that came with it shows another rate."""
    if outcome is Outcome.ACCEPTED and report is not None and judge_rate(terms, report) is RateSeen.ANOTHER:
        return X.DIFFERS
    return ExchangeState(outcome.value)


def after_look(state: ExchangeState, seen: RateSeen) -> ExchangeState:
    """Say where a look at the report leaves an update: where it was, unless the look proves something.

    An update that is being sent is its sender's: a look changes nothing of it.
    """
    proven = _PROVES.get(seen, state)
    return proven if proven in TRANSITIONS[state] and state is not X.SENDING else state


def codes_of(updates: Iterable[ExchangeUpdate]) -> set[ExitCode]:
    """Return the exit codes that hold while these updates stand where they stand."""
    return {
        _CODE_OF[update.state]
        for update in updates
        if update.state in _CODE_OF and (update.state not in _OF_OPEN_REPORTS or update.report_state in OPEN)
    }


def with_rates(batches: Iterable[BatchSummary], updates: Mapping[str, ExchangeUpdate]) -> list[BatchSummary]:
    """Tell with each report the rate it was to have and what became of setting it."""
    return [
        batch.model_copy(update={"exchange": _batch_exchange(updates[batch.report_id])})
        if batch.report_id in updates
        else batch
        for batch in batches
    ]


def _batch_exchange(update: ExchangeUpdate) -> BatchExchange:
    return BatchExchange(
        update_id=update.id,
        currency=update.terms.currency,
        rate=update.terms.plain_rate,
        order_id=update.terms.order_id,
        outcome=update.state.value,
    )
