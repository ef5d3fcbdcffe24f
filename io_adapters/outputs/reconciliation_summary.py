"""The first sheet of reconciliation.xlsx: whether all is well, what waits for somebody, and where every centavo is."""

from dataclasses import replace
from decimal import Decimal
from typing import Final

from io_adapters.outputs.grid import Toned
from io_adapters.outputs.reconciliation_workbook import (
    AMOUNT_LETTER,
    amount,
    sheets_of_obligations,
)
from io_adapters.outputs.run_grids import discrepancies_grid, waits_grid
from io_adapters.outputs.workbook import (
    HEADING,
    MONEY,
    PLAIN,
    ROWS_PER_SHEET,
    TITLE,
    WHOLE,
    Bars,
    Book,
    Cell,
    Formula,
    Ink,
    Page,
    Setup,
    Value,
    has_too_many_digits,
)
from io_adapters.outputs.workbook_tables import SheetColumn, write_grid, write_small_table
from schemas.errors import ExitCode
from schemas.messages import Catalogue, Message, Money, catalogue_in, period_text
from schemas.plan import Place
from schemas.reconciliation import Reconciliation, Summary
from schemas.states import PAYMENTS, Tone
from schemas.values.money import SignedSums

# Every account is in one of these; a call that is told beside its account's row is unknown.
CHECK_RESULTS: Final = ("valid", "invalid", "unknown", "not_asked", "over_budget", "in_flight")

_BOLD: Final = Ink(bold=True)
# What needs nobody but time, or an answer that people have not given yet; all other ends but "done" need somebody.
_NOT_YET: Final = frozenset(
    {ExitCode.ROWS_HELD, ExitCode.STILL_OPEN, ExitCode.APPROVAL_WANTED, ExitCode.ROWS_REFUSED, ExitCode.NOT_SENT}
)
_BAR_COLOURS: Final = {
    Tone.GOOD: "70A35F",
    Tone.MOVING: "5B8DB8",
    Tone.WAITING: "D9A93B",
    Tone.TROUBLE: "C75D43",
    Tone.QUIET: "A0A0A0",
}


def write_summary_sheet(book: Book, reconciliation: Reconciliation) -> None:
    labels = catalogue_in(reconciliation.language)
    summary = reconciliation.summary
    page = book.page(Setup(labels("output.sheet.summary"), [38, 22, 13, 50, 44, 18]))
    period = period_text(summary.period, labels.language)
    page.write(labels("output.summary.title"), ink=TITLE)
    page.write(f"{reconciliation.payer_name} · {summary.job} · {period} · {summary.currency}")
    page.append()
    _write_answer(page, reconciliation, labels)
    write_grid(page, waits_grid(reconciliation.waits, labels), labels.language)
    _write_totals(book, page, reconciliation, labels)
    _write_row_counts(page, summary, labels)
    _write_checks(page, reconciliation, labels)
    mismatches = discrepancies_grid(summary.discrepancies, labels)
    none = () if summary.discrepancies else (labels("output.summary.none"),)
    write_grid(page, replace(mismatches, notes=none), labels.language)
    if reconciliation.decisions:
        _start(page, labels("output.summary.decisions"))
        for decision in reconciliation.decisions:
            page.write(labels.write(decision))
    _start(page, labels("output.summary.identity"))
    for name, text in (("run", summary.run), ("plan_digest", summary.plan_digest), ("period", summary.period)):
        page.append((Cell(labels(f"output.summary.{name}"), _BOLD), Cell(text)))
    if page.rows_written <= ROWS_ON_PAPER:
        page.print_on_one_page()


ROWS_ON_PAPER: Final = 70  # more would be too small to read


def _write_answer(page: Page, reconciliation: Reconciliation, labels: Catalogue) -> None:
    summary = reconciliation.summary
    code = ExitCode(summary.exit_code)
    answer, tone = ("yes", Tone.GOOD) if code is ExitCode.DONE else ("no", Tone.TROUBLE)
    if code in _NOT_YET:
        answer, tone = "not_yet", Tone.WAITING
    question = Cell(labels("output.summary.well"), HEADING)
    page.append((question, Cell(labels(f"output.summary.well.{answer}"), HEADING._replace(tone=tone))))
    result = f"{labels.of_value('output.exit', str(summary.exit_code))} ({summary.exit_code})"
    page.append((Cell(labels("output.summary.meaning"), _BOLD), Cell(result)))
    counts = SignedSums.counted(obligation.place for obligation in reconciliation.obligations)
    for place in Place:
        cents = getattr(summary.totals_cents, place.value)
        if PAYMENTS[place].tone in {Tone.WAITING, Tone.TROUBLE} and cents:
            amount_text = Message("output.summary.of", amount=Money(cents, summary.currency), count=counts[place])
            page.append(
                (Cell(labels(f"place.{place}"), Ink(tone=PAYMENTS[place].tone)), Cell(labels.write(amount_text)))
            )


def _start(page: Page, heading: str) -> None:
    page.append()
    page.write(heading, ink=HEADING)


def _write_totals(book: Book, page: Page, reconciliation: Reconciliation, labels: Catalogue) -> None:
    """Write where the money is, the sums that a spreadsheet program computes again, and the bars beside them."""
    totals = reconciliation.summary.totals_cents
    counts = SignedSums.counted(obligation.place for obligation in reconciliation.obligations)
    _start(page, labels("output.summary.totals"))
    held = [place for place in Place if getattr(totals, place.value) or counts[place]]
    first_row = page.rows_written + 2
    write_small_table(
        page,
        [
            SheetColumn(labels("output.summary.place")),
            SheetColumn(labels("output.amount"), 0, MONEY),
            SheetColumn(labels("output.summary.count"), 0, WHOLE),
        ],
        (
            (Toned(labels(f"place.{place}"), PAYMENTS[place].tone), amount(getattr(totals, place.value)), counts[place])
            for place in held
        ),
    )
    last_row = page.rows_written
    money, came_in, placed = Ink(MONEY, bold=True), amount(totals.in_), amount(totals.placed())
    of_places = f"SUM(B{first_row}:B{last_row})" if held else "0"
    _write_balance(page, labels("output.summary.in"), came_in, money)
    _write_balance(page, labels("output.summary.sum"), _computed(of_places, placed), money)
    _write_balance(page, labels("output.summary.sheets"), _computed(_sum_of_sheets(reconciliation), placed), money)
    _write_check(page, labels, sums=2, decimals=2, is_balanced=totals.in_ == totals.placed())
    if held:
        colours = [_BAR_COLOURS[PAYMENTS[place].tone] for place in held]
        title, heading = (
            labels("output.sheet.summary"),
            labels("output.summary.chart", currency=reconciliation.summary.currency),
        )
        rows = page.rows_written - first_row + 2
        highest = max(amount(getattr(totals, place.value)) for place in held)
        book.add_bars(page, Bars(title, heading, first_row, last_row, colours, f"D{first_row - 1}", rows, highest))
    if empty := [labels(f"place.{place}") for place in Place if place not in held]:
        page.write(labels("output.summary.empty", places=", ".join(empty)), ink=Ink(size=9))


def _sum_of_sheets(reconciliation: Reconciliation) -> str:
    ranges = []
    for title, obligations, _ in sheets_of_obligations(reconciliation):
        for number, first in enumerate(range(0, len(obligations), ROWS_PER_SHEET), 1):
            name = title if number == 1 else f"{title} ({number})"
            rows = min(ROWS_PER_SHEET, len(obligations) - first)
            ranges.append(f"'{name}'!{AMOUNT_LETTER}2:{AMOUNT_LETTER}{rows + 1}")
    return f"SUM({','.join(ranges)})" if ranges else "0"


def _computed(formula: str, value: Decimal) -> Formula | Decimal:
    """Let a spreadsheet program compute a sum, unless its numbers are too short for it."""
    return value if has_too_many_digits(value) else Formula(f"={formula}", value)


def _write_row_counts(page: Page, summary: Summary, labels: Catalogue) -> None:
    rows = summary.rows
    placed = {"used": rows.used, "held": rows.held, "duplicate": rows.duplicate, "ignored": rows.ignored}
    _start(page, labels("output.summary.rows"))
    first_row = page.rows_written + 1
    for name, count in placed.items():
        page.append((Cell(labels(f"output.disposition.{name}")), Cell(count, Ink(WHOLE))))
    whole, total = Ink(WHOLE, bold=True), sum(placed.values())
    computed = Formula(f"=SUM(B{first_row}:B{page.rows_written})", total)
    _write_balance(page, labels("output.summary.rows_read"), rows.read, whole)
    _write_balance(page, labels("output.summary.rows_sum"), computed, whole)
    _write_check(page, labels, sums=1, decimals=0, is_balanced=rows.read == total)


def _write_balance(page: Page, label: str, value: Decimal | int | Formula, ink: Ink) -> None:
    page.append((Cell(label, _BOLD), Cell(value, ink)))


def _write_check(page: Page, labels: Catalogue, *, sums: int, decimals: int, is_balanced: bool) -> None:
    """Write a cell that compares the sums above it with the figure above them, whenever somebody looks."""
    good, bad = labels("output.summary.balanced"), labels("output.summary.unbalanced")
    figure = page.rows_written - sums
    same = ",".join(f"ROUND(B{figure}-B{figure + number},{decimals})=0" for number in range(1, sums + 1))
    check = Formula(f'=IF(AND({same}),"{good}","{bad}")', good if is_balanced else bad)
    page.append((None, Cell(check, _BOLD)))
    page.mark_failed_checks(f"B{page.rows_written}", good)


def _write_checks(page: Page, reconciliation: Reconciliation, labels: Catalogue) -> None:
    """Tell what checks came to: the accounts by what is known of them, then the calls and what they cost."""
    counts, results = reconciliation.summary.account_checks, reconciliation.checks["result"]
    _start(page, labels("output.summary.checks"))
    figures: list[tuple[str, Value, str]] = [
        (f"check.{result}", count, WHOLE) for result in CHECK_RESULTS if (count := int((results == result).sum()))
    ]
    figures += [
        ("checks.made", counts.made, WHOLE),
        ("checks.reused", counts.reused, WHOLE),
        ("checks.cost", amount(counts.cost_cents), MONEY),
        ("checks.budget", amount(counts.budget_cents), MONEY),
    ]
    for label, value, number_format in figures:
        page.write_row((labels(f"output.{label}"), value), [PLAIN, Ink(number_format)])
