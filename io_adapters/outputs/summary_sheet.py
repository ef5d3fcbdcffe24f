"""The first sheet: what happened, and the proof that every centavo and every row has a place."""

from collections import Counter
from collections.abc import Sequence
from decimal import Decimal

from io_adapters.outputs.labels import Labels
from io_adapters.outputs.obligation_rows import PLACE_TONES, amount
from io_adapters.outputs.reasons import wait_in_words
from io_adapters.outputs.tables import Column, Toned, write_row, write_small_table
from io_adapters.outputs.workbook import (
    GENERAL,
    HEADING,
    MONEY,
    PLAIN,
    TITLE,
    WHOLE,
    Book,
    Ink,
    Page,
    Setup,
    Tone,
    Value,
)
from schemas.plan import Place
from schemas.reconciliation import BatchExchange, Reconciliation, Summary
from schemas.waits import Wait

_BOLD = Ink(bold=True)
# Every account is in one of these; a call that is told beside its account's row is unknown.
CHECK_RESULTS = ("valid", "invalid", "unknown", "not_asked", "over_budget", "in_flight")


def write_summary_sheet(book: Book, reconciliation: Reconciliation) -> None:
    """Write the sheet a finance person reads first."""
    labels = Labels(reconciliation.language)
    summary = reconciliation.summary
    page = book.page(Setup(labels("sheet.summary"), [38, 24, 18, 22, 14, 18]))
    page.write(labels("summary.title"), ink=TITLE)
    page.append()
    _write_identity(page, reconciliation, labels)
    _write_totals(page, reconciliation, labels)
    _write_row_counts(page, summary, labels)
    _write_batches(page, summary, labels)
    _write_checks(page, reconciliation, labels)
    _write_discrepancies(page, summary, labels)
    write_waits(page, reconciliation.waits, labels)
    if reconciliation.decisions:
        _start(page, labels("summary.decisions"))
        for decision in reconciliation.decisions:
            page.write(decision)


def write_waits(page: Page, waits: Sequence[Wait], labels: Labels) -> None:
    """Tell what waits, of every period: how much, why, and the way on; nothing, where nothing waits."""
    if not waits:
        return
    _start(page, labels("summary.waits"))
    names = ("summary.period", "waits.what", "reason", "waits.way", "amount", "summary.count")
    formats = {"amount": MONEY, "summary.count": WHOLE}
    write_small_table(
        page,
        [Column(labels(name), 0, formats.get(name, GENERAL)) for name in names],
        (
            (
                wait.period,
                Toned(wait.what(labels.language), Tone.WAITING),
                wait_in_words(wait, labels),
                wait.way(labels.language),
                amount(wait.amount_cents),
                wait.count,
            )
            for wait in waits
        ),
    )


def _start(page: Page, heading: str) -> None:
    page.append()
    page.write(heading, ink=HEADING)


def _write_identity(page: Page, reconciliation: Reconciliation, labels: Labels) -> None:
    summary = reconciliation.summary
    values: dict[str, str | None] = {
        "job": summary.job,
        "payer": reconciliation.payer_name,
        "period": summary.period,
        "run": summary.run,
        "plan_digest": summary.plan_digest,
        "currency": summary.currency,
        "meaning": f"{labels.of_value('exit', str(summary.exit_code))} ({summary.exit_code})",
    }
    for key, value in values.items():
        page.append((page.cell(labels(f"summary.{key}"), _BOLD), page.cell(value)))


def _write_totals(page: Page, reconciliation: Reconciliation, labels: Labels) -> None:
    totals = reconciliation.summary.totals_cents
    counts = Counter(reconciliation.obligations["place"])
    _start(page, labels("summary.totals"))
    write_small_table(
        page,
        [
            Column(labels("summary.place")),
            Column(labels("amount"), 0, MONEY),
            Column(labels("summary.count"), 0, WHOLE),
        ],
        (
            (
                Toned(labels(f"place.{place}"), PLACE_TONES[place]),
                amount(getattr(totals, place.value)),
                counts[place.value],
            )
            for place in Place
        ),
    )
    money = Ink(MONEY, bold=True)
    _write_balance(page, labels("summary.in"), amount(totals.in_), money)
    _write_balance(page, labels("summary.sum"), amount(totals.placed()), money)
    _write_mark(page, labels, is_balanced=totals.in_ == totals.placed())


def _write_row_counts(page: Page, summary: Summary, labels: Labels) -> None:
    rows = summary.rows
    placed = {"used": rows.used, "held": rows.held, "duplicate": rows.duplicate, "ignored": rows.ignored}
    _start(page, labels("summary.rows"))
    for name, count in placed.items():
        page.append((page.cell(labels(f"disposition.{name}")), page.cell(count, Ink(WHOLE))))
    whole = Ink(WHOLE, bold=True)
    _write_balance(page, labels("summary.rows_read"), rows.read, whole)
    _write_balance(page, labels("summary.rows_sum"), sum(placed.values()), whole)
    _write_mark(page, labels, is_balanced=rows.read == sum(placed.values()))


def _write_balance(page: Page, label: str, value: Decimal | int, ink: Ink) -> None:
    page.append((page.cell(label, _BOLD), page.cell(value, ink)))


def _write_mark(page: Page, labels: Labels, *, is_balanced: bool) -> None:
    mark = labels("summary.balanced" if is_balanced else "summary.unbalanced")
    page.append((None, page.cell(mark, Ink(tone=Tone.GOOD if is_balanced else Tone.TROUBLE, bold=True))))


def _write_batches(page: Page, summary: Summary, labels: Labels) -> None:
    _start(page, labels("summary.batches"))
    names = ("report_id", "split_id", "status", "outcome")
    columns = [*(Column(labels(name)) for name in names), Column(labels("payments"), 0, WHOLE)]
    abroad = any(batch.exchange for batch in summary.batches)
    of_exchange = [Column(labels("exchange_rate")), Column(labels("exchange_outcome"))] if abroad else []
    write_small_table(
        page,
        [*columns, Column(labels("amount"), 0, MONEY), *of_exchange],
        (
            (
                *(getattr(batch, name) for name in names[:-1]),
                f"{batch.outcome}, {labels('by_likeness')}" if batch.linked_by else batch.outcome,
                batch.payments,
                amount(batch.amount_cents),
                *_exchange(batch.exchange)[: len(of_exchange)],
            )
            for batch in summary.batches
        ),
    )


def _exchange(told: BatchExchange | None) -> tuple[str, str]:
    return (f"1 {told.currency} = BRL {told.rate}", told.outcome) if told else ("", "")


def _write_checks(page: Page, reconciliation: Reconciliation, labels: Labels) -> None:
    """Tell what checks came to: the accounts by what is known of them, then the calls and what they cost."""
    counts, results = reconciliation.summary.account_checks, reconciliation.checks["result"]
    _start(page, labels("summary.checks"))
    figures: list[tuple[str, Value, str]] = [
        (f"check.{result}", int((results == result).sum()), WHOLE) for result in CHECK_RESULTS
    ]
    figures += [
        ("checks.made", counts.made, WHOLE),
        ("checks.reused", counts.reused, WHOLE),
        ("checks.cost", amount(counts.cost_cents), MONEY),
        ("checks.budget", amount(counts.budget_cents), MONEY),
    ]
    for label, value, number_format in figures:
        write_row(page, (labels(label), value), [PLAIN, Ink(number_format)])


def _write_discrepancies(page: Page, summary: Summary, labels: Labels) -> None:
    _start(page, labels("summary.discrepancies"))
    if not summary.discrepancies:
        page.write(labels("summary.none"))
        return
    columns = [Column(labels(name), 0, GENERAL) for name in ("kind", "report_id", "expected", "found", "message")]
    write_small_table(
        page,
        columns,
        ((Toned(d.kind, Tone.TROUBLE), d.report_id, d.expected, d.found, d.message) for d in summary.discrepancies),
    )
