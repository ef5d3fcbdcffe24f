"""A month over all jobs and runs: what came in, where it is now, and what it cost."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Iterable, Sequence

from flows.run_document import RunDocument
from flows.tracing.books import EVERY_RUN, rows_gone
from flows.tracing.rules import place_now
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from schemas.account import GROUPS, MonthLine, MonthView
from schemas.job import Outputs, labelled_period
from schemas.obligation import Obligation
from schemas.plan import Place
from schemas.submission import Submission
from schemas.wire import SplitReport, cents_of, parse_json

_TO_PEOPLE = frozenset({"royalty", "payment"})
_PAID_OR_ON_ITS_WAY = frozenset({Place.PAID, Place.PROCESSING, Place.INCOME_TAX, Place.WITHHELD})


def months(ledger: Ledger) -> list[str]:
    """Return the months in which any job has a period, the newest first."""
    labels = {run.period for run in ledger.runs.list(EVERY_RUN) if run.job and run.period}
    return sorted({_month_of(label) for label in labels}, reverse=True)


def view_of_month(ledger: Ledger, month: str) -> MonthView:
    """Sum up, for each job and period that begins in a month, where the money is by now.

    Args:
        ledger: The record.
        month: Such as "2026-10".
    """
    of_period: dict[tuple[str, str], list[Run]] = {}
    for run in ledger.runs.list(EVERY_RUN):  # newest first
        if run.job and run.period and _month_of(run.period) == month:
            of_period.setdefault((run.job, run.period), []).append(run)
    lines, language = list[MonthLine](), Outputs().language
    for runs in of_period.values():
        books = next((stored for run in runs if (stored := ledger.runs.document(run.run_id))), None)
        if books is not None:
            document = RunDocument.from_bytes(books)
            lines.append(_line(ledger, runs, document))
            language = "en" if document.language == "en" else "pt-BR"
    return MonthView(month, language, tuple(sorted(lines, key=lambda line: (line.job, line.period, line.currency))))


def _line(ledger: Ledger, runs: Sequence[Run], document: RunDocument) -> MonthLine:
    last = runs[0]
    obligations = [*document.obligations, *rows_gone(ledger, last.job, last.period, document.obligations)]
    named = ledger.submissions.with_ids({owed.submission_id for owed in obligations} - {""})
    placed = list(_placed(ledger, obligations, {submission.id: submission for submission in named}))
    cents, payments = Counter[str](), 0
    for owed, place in placed:
        cents[_group_of(place)] += owed.amount_cents
        payments += owed.kind in _TO_PEOPLE and place in _PAID_OR_ON_ITS_WAY
    reports = [_report(snapshot.document) for snapshot in ledger.reports.latest([sent.id for sent in named]).values()]
    return MonthLine(
        job=last.job,
        period=last.period,
        currency=document.currency,
        run_id=last.run_id,
        state=last.state,
        exit_code=last.exit_code,
        payments=payments,
        groups_cents={group: cents[group] for group in GROUPS if cents[group]},
        fee_cents=sum(cents_of(report.feeAmount) for report in reports if report.feeAmount is not None),
        checks_cents=sum(_checks_cents(run) for run in runs),
    )


def _placed(
    ledger: Ledger, obligations: Sequence[Obligation], submissions: dict[str, Submission]
) -> Iterable[tuple[Obligation, Place]]:
    decided = ledger.decisions.on_reports([owed.key for owed in obligations if owed.key])
    for owed in obligations:
        word = decided.get((owed.key, owed.submission_id))
        yield owed, place_now(owed, submissions.get(owed.submission_id), word)


def _group_of(place: Place) -> str:
    return next(group for group, places in GROUPS.items() if place in places)


def _report(document: bytes) -> SplitReport:
    return SplitReport.model_validate(parse_json(document))


def _checks_cents(run: Run) -> int:
    """Return what a run paid for account checks; 0 of one that did not come to its end."""
    return int(json.loads(run.summary_json)["account_checks"]["cost_cents"]) if run.summary_json else 0


def _month_of(label: str) -> str:
    """Return the month in which a period begins."""
    begins: dt.date = labelled_period(label).start
    return f"{begins:%Y-%m}"
