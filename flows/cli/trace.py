"""How a trace is shown: a payee's money back to source file and row, and forward to the report."""

import dataclasses
import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from typing import Any, Final

from rich.console import Console

from flows.cli.ending import Result
from flows.tracing.explain import Step, explain, royalty_steps, sheet_text
from flows.tracing.trace import Traced
from schemas.exit_codes import ExitCode, worst
from schemas.messages import Listed, Message, Money, catalogue_in, currency_sign, render, state_text
from schemas.obligation import reasons_message, reasons_text
from schemas.trace import FileStanding, PayeeTrace, TracedObligation, TracedReport
from schemas.values.money import exact_text, format_cents


def show_traces(console: Console, found: Traced) -> Result:
    """Print what was traced of each payee; returns the exit code and the document."""
    if not found.payees:
        return show_nobody(console, found)
    for payee in found.payees:
        _Text(console, payee).show()
    if found.left_out:
        _print(console, 0, render("cli.trace.others", found.language, count=len(found.left_out)))
        for key in found.left_out:
            _print(console, 1, key)
    code = worst(code for payee in found.payees for code in payee.codes)
    return code, {"traces": [_plain(payee) for payee in found.payees], "left_out": list(found.left_out)}


def show_explanations(console: Console, found: Traced, most_parts: int | None) -> Result:
    """Print how each payment came about; returns the exit code and the document."""
    if not found.payees:
        return show_nobody(console, found)
    documents = []
    for payee in found.payees:
        _Text(console, payee).explain(most_parts)
        words = catalogue_in(payee.language)
        steps = [{"depth": step.depth, "text": words.write(step.text)} for step in explain(payee, most_parts)]
        documents.append({name: _plain(getattr(payee, name)) for name in _NAMED} | {"steps": steps})
    return worst(code for payee in found.payees for code in payee.codes), {"explanations": documents}


_NAMED: Final = ("job", "period", "currency", "run_id", "name", "tax_id_masked", "in_cents", "places_cents", "problems")


def show_nobody(console: Console, found: Traced) -> Result:
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
        self._trace = trace
        self._labels = catalogue_in(trace.language)

    def show(self) -> None:
        """Print it: what it is, where it comes from, how it was worked out, where it went, and that it adds up."""
        trace = self._trace
        self._head()
        for obligation in trace.obligations:
            self._obligation(obligation)
        self._steps(1, royalty_steps(trace))
        for file, standing in trace.files:
            if standing is not FileStanding.SAME:
                self._text(1, f"cli.trace.file_{standing}", file=file)
        for report in trace.reports:
            self._report(report)
        self._close()

    def explain(self, most_parts: int | None) -> None:
        """Print how it came about, in sums that a person can repeat, and that it adds up."""
        trace = self._trace
        self._head()
        self._steps(1, explain(trace, most_parts))
        self._close()

    def _head(self) -> None:
        trace = self._trace
        self._print(0, f"{trace.name}  {trace.tax_id_masked}  {trace.job} {trace.period}")
        self._text(1, "cli.trace.run" if trace.run_id else "cli.trace.no_run", run=trace.run_id)

    def _close(self) -> None:
        trace = self._trace
        places = Listed(
            tuple(Listed((Message(f"place.{place}"), Money(cents)), " ") for place, cents in trace.places_cents), " + "
        )
        facts = {"currency": trace.currency, "total": Money(trace.in_cents)}
        self._text(0, "cli.trace.books", places=places if trace.places_cents else "0", **facts)
        for problem in trace.problems:
            self._text(1, f"cli.trace.problem_{problem}")

    def _steps(self, depth: int, steps: Iterable[Step]) -> None:
        for step in steps:
            self._print(depth + step.depth, self._labels.write(step.text))

    def _text(self, depth: int, key: str, **facts: object) -> None:
        self._print(depth, render(key, self._trace.language, **facts))

    def _print(self, depth: int, text: str) -> None:
        _print(self._console, depth, text)

    def _money(self, cents: int) -> str:
        return format_cents(cents, self._trace.language)

    def _obligation(self, obligation: TracedObligation) -> None:
        kind = render(f"cli.trace.kind_{obligation.kind}", self._trace.language)
        what = " ".join(
            filter(None, (obligation.key, kind, obligation.reference if obligation.kind == "payment" else ""))
        )
        place, reason = (
            self._labels(f"place.{obligation.place}"),
            self._labels.write(reasons_message(obligation.reasons)),
        )
        where = f"{place} ({reason})" if reason else place
        self._print(1, f"{what}: {currency_sign(self._trace.currency)} {self._money(obligation.amount_cents)}, {where}")
        if obligation.row:
            file = sheet_text(obligation.file, obligation.sheet)
            self._text(2, "cli.trace.row", file=file, row=obligation.row)
        for word in obligation.words:
            self._text(2, "cli.trace.word", kind=word.kind, by=word.by, at=_local(word.at), evidence=word.evidence)

    def _report(self, report: TracedReport) -> None:
        state = state_text(report.state, self._trace.language)
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
            self._text(2, "cli.trace.step", state=state_text(step, self._trace.language), at=_local(at), by=by)
        if report.split_id:
            seen = _local(report.seen_at) if report.seen_at else "-"
            self._text(2, "cli.trace.service", split_id=report.split_id, status=report.status or "-", at=seen)
        if report.rate:
            facts = {"currency": report.rate.currency, "rate": report.rate.rate}
            facts["state"] = state_text(report.rate.state, self._trace.language)
            self._text(2, "cli.trace.rate", update=report.rate.update_id, **facts)


def _local(at: dt.datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"
