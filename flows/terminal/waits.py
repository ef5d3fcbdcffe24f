"""How what waits is told in a terminal, and to programs."""

from collections.abc import Sequence
from itertools import groupby
from typing import Any

from rich.console import Console

from flows.wording import say
from io_adapters.outputs.labels import Labels, wait_in_words
from schemas.values.money import format_cents
from schemas.waits import Wait, WaitKind


def show_waits(console: Console, waits: Sequence[Wait], language: str = "") -> None:
    """Print what waits, by job and period: amount, how many, why, which run left it, and the way on.

    Args:
        console: Where to.
        waits: What waits, those of a job and period together.
        language: To tell it in; that of each job when "".
    """
    for (job, period), some in groupby(waits, key=lambda wait: (wait.job, wait.period)):
        own = list(some)
        spoken = language or own[0].language
        console.print(f"[bold]{say(spoken, 'waits.title', job=job, period=period)}[/bold]", soft_wrap=True)
        for (_, way), alike in groupby(own, key=lambda wait: (wait.run_id, wait.way(spoken))):
            for wait in alike:
                console.print(f"  {line_of_wait(wait, spoken)}", soft_wrap=True, markup=False)
            console.print(f"    {way}", soft_wrap=True, markup=False)


def line_of_wait(wait: Wait, language: str) -> str:
    """Tell one thing that waits in one line."""
    amount = f"{wait.currency} {format_cents(wait.amount_cents, language)}" if wait.amount_cents else ""
    rows = wait.kind is WaitKind.ROWS
    count = say(language, "waits.rows" if rows else "waits.obligations", count=wait.count) if wait.count else ""
    facts = (wait.what(language), amount, count, wait_in_words(wait, Labels(language)), wait.run_id)
    return "  ".join(filter(None, facts))


def wait_document(wait: Wait) -> dict[str, Any]:
    """Return one thing that waits, for programs."""
    return {
        "kind": wait.kind.value,
        "job": wait.job,
        "period": wait.period,
        "run": wait.run_id,
        "amount_cents": wait.amount_cents,
        "currency": wait.currency or None,
        "count": wait.count,
        "reason": wait.reason or None,
        "words": wait_in_words(wait, Labels(wait.language)) or None,
        "way": wait.way(wait.language),
        "exit_code": int(wait.code),
    }
