"""A payee's account over all periods, from the trace of each period."""

from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Final

from schemas.account import GROUPS, Account, AccountLine, AccountPayment, PayeeAccounts
from schemas.trace import PayeeTrace

_GROUP_OF: Final = {standing: group for group, standings in GROUPS.items() for standing in standings}
_PAID_TO_PEOPLE: Final = frozenset({"royalty", "payment", "owner"})


def accounts_of(traces: Sequence[PayeeTrace], year: int | None = None) -> PayeeAccounts | None:
    """Fold the traces of one payee into their accounts.

    Args:
        traces: Of all periods, in any order.
        year: Only the periods that begin in it.

    Returns:
        None when no period is told of.
    """
    told = [trace for trace in traces if year is None or trace.period.startswith(f"{year:04}-")]
    if not told:
        return None
    told.sort(key=lambda trace: (trace.job, trace.currency, trace.period))
    latest = max(told, key=lambda trace: (trace.run_id != "", trace.period))
    grouped = groupby(told, key=lambda trace: (trace.job, trace.currency))
    accounts = tuple(_account(job, currency, list(periods)) for (job, currency), periods in grouped)
    return PayeeAccounts(latest.name, latest.tax_id_masked, latest.language, year, accounts)


def _account(job: str, currency: str, periods: Sequence[PayeeTrace]) -> Account:
    return Account(
        job=job,
        currency=currency,
        payer_name=next((trace.payer_name for trace in reversed(periods) if trace.payer_name), ""),
        lines=tuple(map(_line, periods)),
        payments=tuple(payment for trace in periods for payment in _payments(trace)),
    )


def _line(trace: PayeeTrace) -> AccountLine:
    earned_cents = trace.way.earned_cents if trace.way else 0
    carried_in_cents = trace.way.carried_in_cents if trace.way else 0
    groups = Counter[str]()
    for standing, cents in trace.places_cents:
        groups[_GROUP_OF[standing]] += cents
    return AccountLine(
        period=trace.period,
        run_id=trace.run_id,
        earned_cents=earned_cents,
        rows_cents=trace.in_cents - earned_cents - carried_in_cents,
        carried_in_cents=carried_in_cents,
        groups_cents={group: groups[group] for group in GROUPS if groups[group]},
        advances_left_cents=trace.advances_left_cents,
    )


def _payments(trace: PayeeTrace) -> Iterator[AccountPayment]:
    reports = {report.submission_id: report for report in trace.reports}
    for owed in trace.obligations:
        if owed.kind not in _PAID_TO_PEOPLE or not owed.amount_cents:
            continue
        report = reports.get(owed.submission_id)
        yield AccountPayment(
            period=trace.period,
            run_id=report.run_id if report else trace.run_id,
            kind=owed.kind,
            reference=owed.reference if owed.kind == "payment" else "",
            amount_cents=owed.amount_cents,
            standing=owed.place,
            reasons=owed.reasons,
            report=owed.submission_id,
            sent_at=report.sent_at if report else None,
        )
