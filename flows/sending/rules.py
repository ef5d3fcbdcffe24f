"""Where a refusal points, and how the exchange rate of a foreign report stands."""

import json
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from itertools import pairwise
from typing import Final

from flows.payables.rules.plan_batches import digest_of_entry
from schemas.exchange_update import TRANSITIONS, ExchangeState, ExchangeUpdate, RateSeen
from schemas.exit_codes import ExitCode
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.job import Job
from schemas.plan import HOME_CURRENCY, ExchangeTerms
from schemas.reconciliation import BatchExchange, BatchSummary
from schemas.submission import OPEN, Outcome, Submission
from schemas.tables.contract import DataFrame
from schemas.tables.obligations import Obligations
from schemas.wire import SplitReport

Place = tuple[tuple[str | int, ...], str]


def refused_entries(body: bytes, places: Sequence[Place]) -> list[str]:
    """Return the identities of the payment entries that a refusal names; none when it names the report as a whole."""
    entries = json.loads(body, parse_float=Decimal)["payments"]
    indexes = {index for loc, _ in places if (index := _payment_index(loc)) is not None and index < len(entries)}
    return [digest_of_entry(entries[index]) for index in sorted(indexes)]


def _payment_index(loc: tuple[str | int, ...]) -> int | None:
    found = next((part for before, part in pairwise(loc) if before == "payments"), None)
    return found if isinstance(found, int) and found >= 0 else None


def explain_refusal(
    submission: Submission, places: Sequence[Place], obligations: DataFrame[Obligations], language: str
) -> list[Issue]:
    """Turn the places a 422 names into issues of the rows they came from.

    Args:
        submission: The refused one; its body holds the payments in wire order.
        places: (loc, type) of each validation error.
        obligations: Who is paid from which row.
        language: Of the messages.
    """
    entries = json.loads(submission.body)["payments"]
    rows = obligations.set_index("key")
    issues = []
    for loc, kind in places:
        index = _payment_index(loc)
        field = str(loc[-1]) if loc else "body"
        key = entries[index]["extPaymentId"] if index is not None and index < len(entries) else None
        row = rows.loc[key] if key in rows.index else None
        issues.append(
            make_issue(
                IssueCode.REFUSED_BY_SERVICE,
                language=language,
                file=row["file"] if row is not None else "",
                sheet=(row["sheet"] or None) if row is not None else None,
                row=int(row["row"]) or None if row is not None else None,
                column=field,
                kind=kind,
            )
        )
    return issues


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


def told_with_rates(batches: Iterable[BatchSummary], updates: Mapping[str, ExchangeUpdate]) -> list[BatchSummary]:
    """Tell with each report the rate it was to have and what became of setting it."""
    return [
        batch.model_copy(update={"exchange": _told(updates[batch.report_id])}) if batch.report_id in updates else batch
        for batch in batches
    ]


def _told(update: ExchangeUpdate) -> BatchExchange:
    return BatchExchange(
        update_id=update.id,
        currency=update.terms.currency,
        rate=update.terms.plain_rate,
        order_id=update.terms.order_id,
        outcome=update.state.value,
    )
