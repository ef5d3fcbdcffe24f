"""A month over all jobs and runs: what came in, where it is now, and what it cost."""

import datetime as dt
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import asdict

from flows.views.columns import MONTH
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_heads
from io_adapters.ledger.runs import StoredRun
from schemas.account import WHERE_IT_IS, MonthLine, MonthSums, MonthView
from schemas.job import Outputs, labelled_period
from schemas.submission import OPEN, SubmissionState

_TO_PEOPLE = frozenset({"royalty", "payment"})
_PAID_OR_ON_ITS_WAY = frozenset({SubmissionState.PAID, *OPEN})


def months(ledger: Ledger) -> list[str]:
    """Return the months in which any job has a period, the newest first."""
    labels = {run.period for run in ledger.runs.list(None) if run.job and run.period}
    return sorted({_month_of(label) for label in labels}, reverse=True)


def view_of_month(ledger: Ledger, month: str) -> MonthView:
    """Sum up, for each job and period that begins in a month, where the money is by now.

    Args:
        month: Such as "2026-10".
    """
    runs = [run for run in ledger.runs.list(None) if run.job and run.period and _month_of(run.period) == month]
    of_period = defaultdict[tuple[str, str], list[StoredRun]](list)  # newest first
    for run in runs:
        of_period[run.job, run.period].append(run)
    sums = {(row.job, row.period, row.currency): row for row in ledger.views.ask(MONTH, month=month, by="period")}
    waiting = defaultdict[tuple[str, str, str], int](int)
    for job, period in of_period:
        for plan in ledger.submissions.list(job=job, period=period, states={SubmissionState.PLANNED}, bodies=False):
            waiting[job, period, plan.currency] += plan.amount_cents
    lines = [
        _line(ledger, sums.get(where) or _nothing(*where), of_period[where[:2]], waiting[where])
        for where in sorted(sums.keys() | waiting.keys())
    ]
    heads = read_heads(ledger, (run.run_id for run in reversed(runs)))
    language = next((head.language for head in heads.values()), Outputs().language)
    return MonthView(month, language, tuple(lines), tuple(ledger.views.ask(MONTH, month=month, by="day")))


def _nothing(job: str, period: str, currency: str) -> MonthSums:
    """Return what is booked of a period of which a plan waits and nothing else was ever posted."""
    return MonthSums(
        job=job,
        period=period,
        currency=currency,
        **dict.fromkeys(("came_in_cents", *WHERE_IT_IS, "fee_cents", "checks_cents"), 0),
    )


def _line(ledger: Ledger, sums: MonthSums, runs: Sequence[StoredRun], planned_cents: int) -> MonthLine:
    live = [claim for claim in ledger.claims.live_of(sums.job, sums.period) if claim.currency == sums.currency]
    last = runs[0] if runs else None
    return MonthLine(
        **asdict(sums),
        run_id=last.run_id if last else "",
        state=last.state if last else "done",
        exit_code=last.exit_code if last else None,
        payments=sum(claim.kind in _TO_PEOPLE and claim.state in _PAID_OR_ON_ITS_WAY for claim in live),
        planned_cents=planned_cents,
    )


def _month_of(label: str) -> str:
    """Return the month in which a period begins."""
    begins: dt.date = labelled_period(label).start
    return f"{begins:%Y-%m}"
