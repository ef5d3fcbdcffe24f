"""Explaining lines of the bank from what is on record, and whether a month closes: bank, service and register alike."""

import calendar
import datetime as dt
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from pathlib import Path
from typing import NamedTuple

from flows.bank.read_statement import read_statement
from flows.bank.rules.balances import covered_until, gaps_of
from flows.bank.rules.explain import LATER, beside_words, explain, folded
from flows.reports.funding import fundings_of, unsettled_fundings
from io_adapters.ledger.ledger import Ledger
from schemas.bank import BankLine, BankMatter, BankMonth, BankStatement, Closing, ClosingRow, Explained, Need
from schemas.funding import FundingState, ReportFunding
from schemas.job import BRASILIA
from schemas.messages import Message, Money
from schemas.plan import HOME_CURRENCY
from schemas.returns import Returned
from schemas.submission import ENDED, Submission, SubmissionState
from schemas.wire import SplitReport, parse_json

# Reports that may be paid for though nobody has said so yet.
_MAY_BE_PAID = frozenset(
    {
        *(FundingState.YOURS_TO_PAY, FundingState.SHORT, FundingState.NOT_SAID, FundingState.FROM_BALANCE),
        *(FundingState.AT_SERVICE, FundingState.FEE_UNPAID),
    }
)


class ReadStatement(NamedTuple):
    """What reading a statement brought: new lines, and what was said of lines since."""

    statement: BankStatement
    new: int
    explained: tuple[Explained, ...]

    @property
    def breaks(self) -> list[Message]:
        """Say of each balance that does not follow from the one before where it stands."""
        found = self.statement.breaks
        return [Message("bank.break", place=place, sum=Money(abs(cents), HOME_CURRENCY)) for place, cents in found]


def take_statement(ledger: Ledger, path: Path, account: str, layout: str, by: str) -> ReadStatement:
    """Read a statement, keep its lines, and explain all lines that can be by now.

    Raises:
        UnreadableFile: as `read_statement` says; nothing is kept.
    """
    statement = read_statement(path, account, layout)
    new = ledger.bank.keep(statement, by=by)
    return ReadStatement(statement, new, tuple(explain_lines(ledger)))


def explain_lines(ledger: Ledger) -> list[Explained]:
    """Say what lines are of which nothing was ever said, where one answer fits; returns what was said.

    Effects: money for a report of which nobody had said that it was paid is on record then, by its line of the bank.
    """
    spoken_of = ledger.bank.spoken_of()
    lines = [line for line in ledger.bank.lines() if line.id not in spoken_of]
    found = explain(lines, needs_of(ledger, ledger.bank.explained()))
    write_down(ledger, found, by="repasse")
    return found


def write_down(ledger: Ledger, found: Iterable[Explained], *, by: str, evidence: str = "") -> None:
    """Keep what lines are, and record what was paid for a report where only the bank has said it.

    What was paid is recorded before its line is explained: cut off between the two, the line is the record's next time.
    """
    by_line = defaultdict[str, list[Explained]](list)
    for each in found:
        by_line[each.line_id].append(each)
    new = [each for own in by_line.values() for each in own if each.matter is BankMatter.FUNDING]
    of_reports = defaultdict[str, dict[str, int]](dict)
    for each in (*ledger.bank.explained(), *new):
        if each.matter is BankMatter.FUNDING:
            of_reports[each.subject][each.line_id] = each.cents
    days, paid = {line.id: line.day for line in ledger.bank.lines()}, ledger.fundings.all_paid()
    recorded = defaultdict[str, dict[str, int]](dict)
    for (line_id, report), cents in ledger.fundings.by_lines().items():
        recorded[report][line_id] = cents
    for report in sorted({each.subject for each in new}):
        lines, paid_cents = of_reports[report], paid.get(report, 0)
        open_lines = {line: cents for line, cents in lines.items() if line not in recorded[report]}
        beside = beside_words(paid_cents - sum(recorded[report].values()), open_lines)
        for line in sorted(beside, key=lines.__getitem__, reverse=True):  # what was paid before what came back of it
            if paid_cents + lines[line] >= 0:
                words = evidence or f"bank line {line}"
                day, cents = days[line], lines[line]
                paid_cents = ledger.fundings.record(report, cents, day, by=by, evidence=words, line_id=line)
    for own in by_line.values():
        ledger.bank.explain(own, by=by, evidence=evidence)


def take_back(ledger: Ledger, line: BankLine, *, by: str, evidence: str) -> None:
    """Take back what was said of a line, and what it was the record of; no more than is still on record.

    Raises:
        DecisionRefused: nothing is said of it.
    """
    paid = ledger.fundings.all_paid()
    recorded = ledger.fundings.by_lines().items()
    for subject, cents in ((report, cents) for (line_id, report), cents in recorded if line_id == line.id):
        if left_cents := min(cents, paid.get(subject, 0)):
            ledger.fundings.record(subject, -left_cents, line.day, by=by, evidence=evidence, line_id=line.id)
    ledger.bank.explain([Explained(line.id, BankMatter.OPEN, "", 0, "person")], by=by, evidence=evidence)


def needs_of(ledger: Ledger, known: Iterable[Explained]) -> list[Need]:
    """Return what lines of the bank are to show by now: money for reports, what came back, and what checks cost."""
    shown, paid, days = _shown(known), ledger.fundings.all_paid(), ledger.fundings.days()
    open_ones = {stands.report.id: stands for stands in unsettled_fundings(ledger) if stands.state in _MAY_BE_PAID}
    unsaid = ledger.submissions.with_ids(sorted(ledger.fundings.never_paid_for()))
    open_ones |= {stands.report.id: stands for stands in fundings_of(ledger, unsaid)}
    names = sorted({*paid, *open_ones})
    told, ended = ledger.bank.told_by_reports(names), ledger.submissions.ended_at(names)
    of_reports = {report.id: report for report in ledger.submissions.with_ids(names)}
    found = list[Need]()
    for name, report in of_reports.items():
        marks = _marks(report, open_ones.get(name))
        recorded_cents = paid.get(name, 0) - shown.get((BankMatter.FUNDING, name), 0)
        sent = _day_in_brazil(report.sending_at or ledger.now())
        if recorded_cents > 0:
            found.append(Need(BankMatter.FUNDING, name, recorded_cents, days.get(name, sent), marks))
        elif left_cents := _left(report, open_ones.get(name), told.get(name, 0) - paid.get(name, 0)):
            until = _day_in_brazil(ended[name]) + LATER if name in ended else ledger.today()
            found.append(Need(BankMatter.FUNDING, name, left_cents, sent, marks, until=until))
        else:
            found.append(Need(BankMatter.FUNDING, name, 0, sent, marks))
    for each in _came_back(ledger):
        if not each.in_bank:
            mark = frozenset({folded(each.obligation_key)})
            found.append(Need(BankMatter.RETURN, each.key, -each.amount_cents, each.day, mark))
    costs = ledger.bank.checks_by_day().items()
    open_days = {day: cents for day, cents in costs if (BankMatter.CHECKS, day.isoformat()) not in shown}
    return found + [Need(BankMatter.CHECKS, day.isoformat(), cents, day) for day, cents in open_days.items()]


def _day_in_brazil(moment: dt.datetime) -> dt.date:
    return moment.astimezone(BRASILIA).date()


def _left(report: Submission, stands: ReportFunding | None, unsaid_cents: int) -> int:
    """Return what is still to be paid for a report, or was paid without that anybody has said so.

    Of a report that has ended otherwise, and was paid for, what the service may give back: below zero.

    Args:
        stands: Towards its payer, where it waits for one, or nobody has said that anything was paid.
        unsaid_cents: What it says became of its money, with its fee, less what was recorded.
    """
    fee_cents = stands.fee_cents if stands and stands.state is FundingState.FEE_UNPAID else 0
    if report.state is SubmissionState.PAID and report.currency == HOME_CURRENCY:
        return max(0, unsaid_cents - fee_cents if unsaid_cents > fee_cents else unsaid_cents)
    if report.state in ENDED and report.currency == HOME_CURRENCY:
        return min(0, unsaid_cents)
    return fee_cents or (stands.left_cents if stands else 0)


def _shown(known: Iterable[Explained]) -> dict[tuple[BankMatter, str], int]:
    shown = defaultdict[tuple[BankMatter, str], int](int)
    for each in known:
        shown[each.matter, each.subject] += each.cents
    return dict(shown)


def _marks(report: Submission, stands: ReportFunding | None) -> frozenset[str]:
    """Return what names a report in the text of a line: its ids, and that of the charge in its Pix code."""
    charge = stands.code.txid if stands and stands.code else None
    marks = (folded(mark) for mark in (report.report_id, report.split_id, charge) if mark)
    return frozenset(mark for mark in marks if len(mark) >= _SHORTEST_MARK)


_SHORTEST_MARK = 8  # a shorter one may stand in any text


def months_of_bank(ledger: Ledger) -> list[str]:
    """Return the months of which lines or statements are on record, the latest first."""
    days = {line.day for line in ledger.bank.lines()}
    days |= {statement.first for statement in ledger.bank.statements()}
    return sorted({f"{day:%Y-%m}" for day in days}, reverse=True)


def against_bank(ledger: Ledger, first: dt.date, last: dt.date) -> tuple[BankMonth, ...]:
    """Say of each month with days among these, and of which lines are on record, whether it is closed."""
    within = [month for month in months_of_bank(ledger) if f"{first:%Y-%m}" <= month <= f"{last:%Y-%m}"]
    return tuple(BankMonth(month, closing_of(ledger, month).is_closed) for month in sorted(within))


def closing_of(ledger: Ledger, month: str) -> Closing:
    """Hold bank, service and register of one month against each other.

    Args:
        month: Label of a month.
    """
    first = dt.date.fromisoformat(f"{month}-01")
    last = first.replace(day=calendar.monthrange(first.year, first.month)[1])
    known = ledger.bank.explained()
    of_lines = {each.line_id for each in known}
    lines = {line.id: line for line in ledger.bank.lines(first, last)}
    unsaid = ledger.fundings.never_paid_for()
    needs = [need for need in needs_of(ledger, known) if first <= need.day <= last and _is_due(ledger, need, unsaid)]
    statements = ledger.bank.statements()
    return Closing(
        month=month,
        rows=(
            *_reports(ledger, known, lines, first, last),
            *_returns(ledger, known, lines, first, last),
            *_checks(ledger, known, first, last),
        ),
        unexplained=tuple(line for line in lines.values() if line.id not in of_lines),
        explained=tuple((lines[each.line_id], each) for each in known if each.line_id in lines),
        missing=tuple(needs),
        gaps=tuple(gap for gap in gaps_of(statements) if gap.first <= last and first <= gap.last),
        covered_until=covered_until(statements, first, last),
        last=last,
    )


def _is_due(ledger: Ledger, need: Need, unsaid: Collection[str]) -> bool:
    """Whether a month without it is open.

    Of a report for which nobody has said that anything was paid: once it has paid everybody, if it ever bore a Pix
    code; else nobody knows what it was paid from.

    Args:
        unsaid: The reports of that kind that have paid everybody.
    """
    if need.until is None:
        return need.cents != 0
    looks = ledger.reports.history(need.subject) if need.subject in unsaid else ()
    return any(SplitReport.model_validate(parse_json(look.document)).pixQrCodePayload for look in looks)


def _reports(
    ledger: Ledger, known: Iterable[Explained], lines: Mapping[str, BankLine], first: dt.date, last: dt.date
) -> list[ClosingRow]:
    """Return the reports that were paid for in the month, by the bank or as people said."""
    of_funding = [each for each in known if each.matter is BankMatter.FUNDING]
    shown, paid, days = _shown(of_funding), ledger.fundings.all_paid(), ledger.fundings.days()
    names = {each.subject for each in of_funding if each.line_id in lines}
    names |= {name for name in paid if first <= days.get(name, dt.date.min) <= last}
    reports = ledger.submissions.with_ids(sorted(names))
    told = ledger.bank.told_by_reports(sorted(names))
    due = {stands.report.id: stands.due_cents or 0 for stands in fundings_of(ledger, reports)}
    return [
        ClosingRow(
            BankMatter.FUNDING,
            report.report_id,
            report.job,
            bank_cents=shown.get((BankMatter.FUNDING, report.id), 0),
            service_cents=_told(report, told, due),
            recorded_cents=paid.get(report.id, 0),
        )
        for report in reports
    ]


def _came_back(ledger: Ledger) -> list[Returned]:
    """Return what came back of payments at home; it may show in the bank, or does."""
    return [
        each for each in ledger.returns.all() if each.counts and not each.is_nobodys and each.currency == HOME_CURRENCY
    ]


def _returns(
    ledger: Ledger, known: Iterable[Explained], lines: Mapping[str, BankLine], first: dt.date, last: dt.date
) -> list[ClosingRow]:
    """Return what came back in the month, by the bank or by whoever said so; reports need not show it."""
    shown, there = _shown(known), {each.subject for each in known if each.line_id in lines}
    return [
        ClosingRow(
            BankMatter.RETURN,
            each.key,
            each.job,
            bank_cents=shown.get((BankMatter.RETURN, each.key), 0),
            service_cents=-each.amount_cents,
            recorded_cents=-each.amount_cents,
        )
        for each in _came_back(ledger)
        if each.key in there or first <= each.day <= last
    ]


def _told(report: Submission, told: Mapping[str, int], due: Mapping[str, int]) -> int:
    """Return what the service says of the money, at home; a report in another currency says it by its rate."""
    if report.currency == HOME_CURRENCY:
        return told.get(report.id, 0)
    return due[report.id] if report.state is SubmissionState.PAID else 0


def _checks(ledger: Ledger, known: Iterable[Explained], first: dt.date, last: dt.date) -> list[ClosingRow]:
    shown = _shown(known)
    return [
        ClosingRow(
            BankMatter.CHECKS,
            day.isoformat(),
            "",
            bank_cents=shown.get((BankMatter.CHECKS, day.isoformat()), 0),
            service_cents=cents,
            recorded_cents=cents,
        )
        for day, cents in sorted(ledger.bank.checks_by_day().items())
        if first <= day <= last
    ]
