"""Printing an explanation: a payee's money back to source file and row, and forward to the report."""

import dataclasses
import datetime as dt
from collections.abc import Iterable
from decimal import Decimal
from io import StringIO
from pathlib import Path
from typing import Any

from rich.console import Console

from flows.books.explain import ExplainedLine, adding_up, explain
from flows.books.trace import Traced
from flows.cli.ending import Result
from io_adapters.outputs.atomic import replace_atomically
from schemas.errors import ExitCode, worst
from schemas.messages import Message, catalogue_in, render
from schemas.readers import shown
from schemas.reasons import reasons_text
from schemas.trace import PayeeTrace, TracedObligation
from schemas.values.money import exact_text


def show_explanations(console: Console, found: Traced, most_parts: int | None) -> Result:
    """Print how each payment came about; returns the exit code and the document."""
    if not found.payees:
        return show_nobody(console, found)
    documents = []
    for payee in found.payees:
        _Text(console, payee).explain(most_parts)
        labels = catalogue_in(payee.language)
        steps = [{"depth": step.depth, "text": labels.write(step.text)} for step in explain(payee, most_parts)]
        documents.append(_plain(payee) | {"steps": steps})
    if found.left_out:
        _print(console, 0, render("cli.trace.others", found.language, count=len(found.left_out)))
        for key in found.left_out:
            _print(console, 1, key)
    code = worst(code for payee in found.payees for code in payee.codes)
    return code, {"explanations": documents, "left_out": list(found.left_out)}


def write_explanations(console: Console, found: Traced, out: Path) -> None:
    """Write how each payment came about to a text file, with every recording and every row.

    Raises:
        OSError: it cannot be written.
    """
    stream = StringIO()
    page = Console(file=stream, highlight=False)
    for payee in found.payees:
        _Text(page, payee).explain(None)
    if found.payees:
        written = replace_atomically(out, stream.getvalue().encode())
        _print(console, 0, render("account.written", found.language, path=str(written)))


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
    return ExitCode.USAGE, {"explanations": [], "candidates": documents, "error": words}


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

    def explain(self, most_parts: int | None) -> None:
        """Print how it came about, in sums that a person can repeat, and that it adds up."""
        self._head()
        self._steps(1, explain(self._trace, most_parts))
        self._steps(0, adding_up(self._trace))

    def _head(self) -> None:
        trace = self._trace
        _print(self._console, 0, f"{shown(trace.name)}  {trace.tax_id_masked}  {trace.job} {trace.period}")
        books = Message("cli.trace.run", run=trace.run_id) if trace.run_id else Message("cli.trace.no_run")
        _print(self._console, 1, self._labels.write(books))

    def _steps(self, depth: int, steps: Iterable[ExplainedLine]) -> None:
        for step in steps:
            _print(self._console, depth + step.depth, self._labels.write(step.text))
