"""A month over all jobs and runs: what came in, where it is now, and what it cost."""

import datetime as dt
import json
from collections import defaultdict
from collections.abc import Iterator, Sequence
from typing import Final

from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import StoredRun
from schemas.account import GROUPS, MonthLine, MonthView
from schemas.job import Outputs, labelled_period
from schemas.journal import DROPPED, GIVEN_UP, AccountKind, EntryKind
from schemas.submission import OPEN, SubmissionState
from schemas.values.money import SignedSums
from schemas.wire import SplitReport, cents_of, parse_json

_TO_PEOPLE = frozenset({"royalty", "payment"})
_PAID_OR_ON_ITS_WAY = frozenset({SubmissionState.PAID, *OPEN})
_OF_ACCOUNT: Final = {
    AccountKind.PAYEE: "carried_out",
    AccountKind.PAYMENT: "held",
    AccountKind.UNASSIGNED: "held",
    AccountKind.SERVICE_HELD: "held",
    AccountKind.OWNER: "owner",
    AccountKind.ADVANCE: "recouped",
    AccountKind.TAX: "tax",
    AccountKind.TRANSIT: "open",
    AccountKind.SERVICE: "paid",
    AccountKind.SERVICE_FEE: "paid",
    AccountKind.SERVICE_TAX: "income_tax",
}


def months(ledger: Ledger) -> list[str]:
    """Return the months in which any job has a period, the newest first."""
    labels = {run.period for run in ledger.runs.list(None) if run.job and run.period}
    return sorted({_month_of(label) for label in labels}, reverse=True)


def view_of_month(ledger: Ledger, month: str) -> MonthView:
    """Sum up, for each job and period that begins in a month, where the money is by now.

    Args:
        month: Such as "2026-10".
    """
    of_period: dict[tuple[str, str], list[StoredRun]] = {}
    for run in ledger.runs.list(None):  # newest first
        if run.job and run.period and _month_of(run.period) == month:
            of_period.setdefault((run.job, run.period), []).append(run)
    lines = [line for runs in of_period.values() for line in _lines(ledger, runs)]
    spoken = {(left.job, left.period): left.language for left in ledger.runs.left_open()}
    language = next((spoken[where] for where in reversed(of_period) if where in spoken), Outputs().language)
    return MonthView(month, language, tuple(sorted(lines, key=lambda line: (line.job, line.period, line.currency))))


def _lines(ledger: Ledger, runs: Sequence[StoredRun]) -> Iterator[MonthLine]:
    """Sum up what is posted about a job's period, by currency."""
    last = runs[0]
    live = ledger.claims.live_of(last.job, last.period)
    by_currency = defaultdict[str, SignedSums[tuple[EntryKind, AccountKind, str]]](SignedSums)
    for (kind, account), cents in ledger.journal.of_period(last.job, last.period).items():
        by_currency[account.currency][kind, account.kind, account.reference] += cents
    waiting = ledger.submissions.list(job=last.job, period=last.period, states={SubmissionState.PLANNED}, bodies=False)
    by_currency |= {plan.currency: SignedSums() for plan in waiting if plan.currency not in by_currency}
    for currency, sums in by_currency.items():
        groups, came_in, carried_in = SignedSums[str](), 0, 0
        for (kind, account_kind, reference), cents in sums.items():
            if account_kind is AccountKind.SOURCE:
                came_in += cents
            elif account_kind is AccountKind.ADVANCE and kind is not EntryKind.RECOUP:
                continue
            elif account_kind is AccountKind.OUTSIDE:
                is_of_row = reference.startswith(GIVEN_UP)
                groups["excluded"] -= cents if reference == DROPPED or is_of_row else 0
                groups["duplicate"] += cents if is_of_row else 0
            else:
                groups[_OF_ACCOUNT[account_kind]] -= cents
                if kind is EntryKind.OPENING and cents < 0:
                    carried_in -= cents
                elif kind in {EntryKind.OPENING, EntryKind.DECISION} and account_kind in _OWED:
                    groups["duplicate"] += cents
        paid = [claim for claim in live if claim.currency == currency and claim.kind in _TO_PEOPLE]
        reports = ledger.reports.latest(list({claim.submission_id for claim in live if claim.currency == currency}))
        fees = [_report(snapshot.document).feeAmount for snapshot in reports.values()]
        yield MonthLine(
            job=last.job,
            period=last.period,
            currency=currency,
            run_id=last.run_id,
            state=last.state,
            exit_code=last.exit_code,
            payments=sum(claim.state in _PAID_OR_ON_ITS_WAY for claim in paid),
            planned_cents=sum(submission.amount_cents for submission in waiting if submission.currency == currency),
            came_in_cents=came_in,
            carried_in_cents=carried_in,
            groups_cents={group: groups[group] for group in GROUPS if groups[group]},
            fee_cents=sum(cents_of(fee) for fee in fees if fee is not None),
            checks_cents=sum(_checks_cents(run) for run in runs),
        )


_OWED: Final = frozenset({AccountKind.PAYEE, AccountKind.PAYMENT})


def _report(document: bytes) -> SplitReport:
    return SplitReport.model_validate(parse_json(document))


def _checks_cents(run: StoredRun) -> int:
    """Return what a run paid for account checks; 0 of one that did not come to its end."""
    return int(json.loads(run.summary_json)["account_checks"]["cost_cents"]) if run.summary_json else 0


def _month_of(label: str) -> str:
    """Return the month in which a period begins."""
    begins: dt.date = labelled_period(label).start
    return f"{begins:%Y-%m}"
