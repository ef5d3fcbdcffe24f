"""How a trace is shown: a payee's money back to source file and row, and forward to the report."""

import dataclasses
import datetime as dt
from decimal import Decimal
from typing import Any, Final

from rich.console import Console

from flows.cli.ending import Result
from flows.intake.rules.sum_lines import EXACT
from flows.tracing.rules import exact_sum
from flows.tracing.trace import Traced
from schemas.exit_codes import ExitCode, worst
from schemas.messages import Message, catalogue_in, render, state_text
from schemas.obligation import reasons_message, reasons_text
from schemas.trace import FileStanding, LinesFound, PayeeTrace, RoyaltyPart, TracedObligation, TracedReport, TracedWay
from schemas.values.money import exact_text, format_cents

SHOWN_PARTS: Final = 20


def show_traces(console: Console, found: Traced) -> Result:
    """Print what was traced of each payee; returns the exit code and the document."""
    if not found.payees:
        return _nobody(console, found)
    for payee in found.payees:
        _Text(console, payee).show()
    if found.left_out:
        _print(console, 0, render("cli.trace.others", found.language, count=len(found.left_out)))
        for key in found.left_out:
            _print(console, 1, key)
    code = worst(code for payee in found.payees for code in payee.codes)
    return code, {"traces": [_plain(payee) for payee in found.payees], "left_out": list(found.left_out)}


def _nobody(console: Console, found: Traced) -> Result:
    """Say that nobody was found, or whom the words may mean; never what was typed, which may be a document."""
    count = len(found.candidates)
    words = (
        render("cli.trace.several", found.language, count=count)
        if count
        else render("cli.trace.nobody", found.language)
    )
    _print(console, 0, words)
    for masked, key in found.candidates:
        _print(console, 1, f"{masked}  {key}".rstrip())
    documents = [{"tax_id": masked, "obligation": key or None} for masked, key in found.candidates]
    return ExitCode.USAGE, {"traces": [], "candidates": documents, "error": words}


def _plain(value: object) -> Any:  # noqa: ANN401  # JSON
    """Write what was traced as JSON: exact amounts as texts, moments as ISO."""
    if isinstance(value, Message):
        return str(value)
    if dataclasses.is_dataclass(value):
        named = {field.name: _plain(getattr(value, field.name)) for field in dataclasses.fields(value)}
        if isinstance(value, TracedObligation):
            del named["reasons"]
            named["reason"] = reasons_text(value.reasons)
        return named
    if isinstance(value, tuple):
        return [_plain(part) for part in value]
    if isinstance(value, Decimal):
        return exact_text(value)
    return value.isoformat() if isinstance(value, dt.date) else value


def _print(console: Console, depth: int, text: str) -> None:
    printable = "".join(char if char.isprintable() else " " for char in text)
    console.print("  " * depth + printable, soft_wrap=True, markup=False)


class _Text:
    """One payee's trace, for people."""

    def __init__(self, console: Console, trace: PayeeTrace) -> None:
        self._console = console
        self._one = trace
        self._labels = catalogue_in(trace.language)

    def show(self) -> None:
        """Print it: what it is, where it comes from, how it was worked out, where it went, and that it adds up."""
        trace = self._one
        self._print(0, f"{trace.name}  {trace.tax_id_masked}  {trace.job} {trace.period}")
        self._text(1, "cli.trace.run" if trace.run_id else "cli.trace.no_run", run=trace.run_id)
        for obligation in trace.obligations:
            self._obligation(obligation)
        if trace.parts:
            self._parts(trace.parts)
        for file, standing in trace.files:
            if standing is not FileStanding.SAME:
                self._text(1, f"cli.trace.file_{standing}", file=file)
        if trace.parts and not trace.statements_read:
            self._text(1, "cli.trace.unread")
        if trace.way is not None:
            self._way(trace.way)
        for report in trace.reports:
            self._report(report)
        places = " + ".join(
            f"{self._labels(f'place.{place}')} {self._money(cents)}" for place, cents in trace.places_cents
        )
        self._text(
            0, "cli.trace.books", currency=trace.currency, total=self._money(trace.in_cents), places=places or "0"
        )
        for problem in trace.problems:
            self._text(1, f"cli.trace.problem_{problem}")

    def _text(self, depth: int, key: str, **facts: object) -> None:
        self._print(depth, render(key, self._one.language, **facts))

    def _print(self, depth: int, text: str) -> None:
        _print(self._console, depth, text)

    def _money(self, cents: int) -> str:
        return format_cents(cents, self._one.language)

    def _exact(self, amount: Decimal) -> str:
        return exact_text(amount).replace(".", ",") if self._one.language == "pt-BR" else exact_text(amount)

    def _obligation(self, obligation: TracedObligation) -> None:
        kind = render(f"cli.trace.kind_{obligation.kind}", self._one.language)
        what = " ".join(
            filter(None, (obligation.key, kind, obligation.reference if obligation.kind == "payment" else ""))
        )
        place, reason = (
            self._labels(f"place.{obligation.place}"),
            self._labels.write(reasons_message(obligation.reasons)),
        )
        where = f"{place} ({reason})" if reason else place
        self._print(1, f"{what}: {self._one.currency} {self._money(obligation.amount_cents)}, {where}")
        if obligation.row:
            self._text(2, "cli.trace.row", file=_sheet(obligation.file, obligation.sheet), row=obligation.row)
        for word in obligation.words:
            self._text(2, "cli.trace.word", kind=word.kind, by=word.by, at=_local(word.at), evidence=word.evidence)

    def _parts(self, parts: tuple[RoyaltyPart, ...]) -> None:
        self._text(1, "cli.trace.royalties")
        for part in parts[:SHOWN_PARTS]:
            self._part(part)
        if len(parts) > SHOWN_PARTS:
            self._text(2, "cli.trace.more", count=len(parts) - SHOWN_PARTS)

    def _part(self, part: RoyaltyPart) -> None:
        names = (part.title or part.release, part.artist, part.isrc or part.upc, part.platform, part.period)
        self._print(2, ", ".join(filter(None, names)))
        for lines in part.found:
            self._found(part, lines)
        rest = part.lines - part.lines_found
        if rest or not part.found:
            amount = EXACT.subtract(part.source_amount, exact_sum(lines.amount for lines in part.found))
            self._text(3, "cli.trace.rest", lines=rest, currency=part.currency, amount=self._exact(amount))
        for share in part.shares:
            steps = [f"{part.currency} {self._exact(part.source_amount)}"]
            if part.currency != self._one.currency:
                source = ", ".join(filter(None, (str(part.rate_day or ""), part.rate_origin)))
                steps.append(f"{self._exact(part.rate)} ({source})" if source else self._exact(part.rate))
            percent = self._exact(Decimal(share.share_ppm).scaleb(-4))
            steps.append(f"{percent} % ({share.role})" if share.role else f"{percent} %")
            self._print(3, f"{' x '.join(steps)} = {self._one.currency} {self._exact(share.earned)}")

    def _found(self, part: RoyaltyPart, lines: LinesFound) -> None:
        shown = [f"{first}-{last}" if last > first else str(first) for first, last in lines.ranges]
        count = sum(last - first + 1 for first, last in lines.ranges)
        rows = ", ".join([*shown, "..."] if count < lines.lines else shown)
        facts = {"file": _sheet(lines.file, lines.sheet), "rows": rows, "lines": lines.lines}
        self._text(3, "cli.trace.found", currency=part.currency, amount=self._exact(lines.amount), **facts)

    def _way(self, way: TracedWay) -> None:
        self._text(1, "cli.trace.sum", exact=self._exact(way.earned_exact), cents=self._money(way.earned_cents))
        if way.recouped_cents:
            self._text(2, "cli.trace.recouped", cents=self._money(way.recouped_cents))
        for reference, cents in way.advances:
            self._text(3, "cli.trace.advance", reference=reference, cents=self._money(cents))
        if way.carried_in_cents:
            key = "cli.trace.carried_from" if way.carried_from else "cli.trace.carried_in"
            self._text(2, key, period=way.carried_from, cents=self._money(way.carried_in_cents))
        if way.carried_out_cents:
            self._text(2, "cli.trace.carried_out", cents=self._money(way.carried_out_cents))
        if way.held_cents:
            self._text(2, "cli.trace.held", cents=self._money(way.held_cents))
        self._text(2, "cli.trace.payable", cents=self._money(way.payable_cents))

    def _report(self, report: TracedReport) -> None:
        state = state_text(report.state, self._one.language)
        state = f"{state} ({self._labels.write(report.reason)})" if report.reason else state
        self._text(
            1, "cli.trace.report", report=report.submission_id, state=state, cents=self._money(report.amount_cents)
        )
        self._text(
            2, "cli.trace.plan", digest=report.plan_digest[:15], by=report.prepared_by, at=_local(report.planned_at)
        )
        for word in report.approvals:
            self._text(2, "cli.trace.approval", by=word.by, at=_local(word.at))
        if report.approved_at:
            self._text(2, "cli.trace.approved", at=_local(report.approved_at))
        for step, at, by in report.steps:
            self._text(2, "cli.trace.step", state=state_text(step, self._one.language), at=_local(at), by=by)
        if report.split_id:
            seen = _local(report.seen_at) if report.seen_at else "-"
            self._text(2, "cli.trace.service", split_id=report.split_id, status=report.status or "-", at=seen)
        if report.rate:
            facts = {"currency": report.rate.currency, "rate": report.rate.rate}
            facts["state"] = state_text(report.rate.state, self._one.language)
            self._text(2, "cli.trace.rate", update=report.rate.update_id, **facts)


def _sheet(file: str, sheet: str) -> str:
    return f"{file} > {sheet}" if sheet else file


def _local(at: dt.datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
