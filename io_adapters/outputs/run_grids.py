"""A run as grids: where every centavo is, what became of each report, what does not agree, and what waits."""

from collections.abc import Iterable

from io_adapters.outputs.grid import Grid, GridColumn, Toned
from schemas.messages import Catalogue, Money, Said, period_text, state_text
from schemas.plan import HOME_CURRENCY
from schemas.reconciliation import BatchSummary, Discrepancy, Totals
from schemas.states import PAYMENTS, Tone, tone_of
from schemas.waits import Wait


def totals_grid(totals: Totals, labels: Catalogue, currency: str = "") -> Grid:
    """Say where every centavo is; what came in is the sum of all places."""
    rows = [
        (Toned(labels(f"place.{place}"), PAYMENTS[place].tone), Money(cents, currency))
        for place, cents in totals.by_place().items()
    ]
    came_in = (labels("output.summary.in"), Money(totals.in_, currency))
    return Grid(labels("output.summary.totals"), (GridColumn("", 44), GridColumn("", 24)), rows, total=came_in)


def batches_grid(batches: Iterable[BatchSummary], labels: Catalogue) -> Grid:
    """Say of each report what it pays, what became of it, and what the service says of it."""
    columns = [
        GridColumn(labels(f"output.{name}"), width)
        for name, width in (("report_id", 44), ("payments", 12), ("amount", 16), ("state", 22), ("status", 20))
    ]
    rows = []
    for batch in batches:
        state = state_text(batch.outcome, labels.language)
        state += f", {labels('output.by_likeness')}" if batch.linked_by else ""
        if batch.exchange:
            rate = f"1 {batch.exchange.currency} = {HOME_CURRENCY} {batch.exchange.rate}"
            state += f"; {rate}: {state_text(batch.exchange.outcome, labels.language)}"
        tone = tone_of(batch.outcome)
        status = Said(batch.status or "-")
        rows.append((batch.report_id, batch.payments, Money(batch.amount_cents), Toned(Said(state), tone), status))
    return Grid(labels("output.summary.batches"), columns, rows)


def discrepancies_grid(discrepancies: Iterable[Discrepancy], labels: Catalogue) -> Grid:
    """Say what planned, recorded and reported do not agree on."""
    names = (("message", 50), ("expected", 20), ("found", 20), ("report_id", 44))
    columns = [GridColumn(labels(f"output.{name}"), width) for name, width in names]
    rows = [
        (
            Toned(discrepancy.render_in(labels.language), Tone.TROUBLE),
            *(discrepancy.expected, discrepancy.found, discrepancy.report_id),
        )
        for discrepancy in discrepancies
    ]
    return Grid(labels("output.summary.discrepancies"), columns, rows)


def waits_grid(waits: Iterable[Wait], labels: Catalogue) -> Grid:
    """Say what waits, of every period: how much, why, and the way on."""
    names = (("waits.what", 34), ("amount", 16), ("summary.count", 14), ("reason", 50), ("waits.way", 50))
    columns = [GridColumn(labels(f"output.{name}"), width) for name, width in (*names, ("summary.period", 18))]
    rows = [
        (
            *(Toned(labels.write(wait.what), Tone.WAITING), Money(wait.amount_cents), wait.count),
            *(labels.write(wait.why), labels.write(wait.way), period_text(wait.period, labels.language)),
        )
        for wait in waits
    ]
    return Grid(labels("output.summary.waits"), columns, rows)
