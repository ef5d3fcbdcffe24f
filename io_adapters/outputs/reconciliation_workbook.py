"""reconciliation.xlsx: the proof that every centavo and every row has a place, and the tables behind it."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from types import MappingProxyType
from typing import Final

import pandas as pd

from io_adapters.outputs.workbook import (
    GENERAL,
    HEADING,
    MONEY,
    PLAIN,
    PRECISE,
    TITLE,
    WHOLE,
    Book,
    Cell,
    Column,
    Ink,
    Linked,
    Page,
    Row,
    Setup,
    Table,
    Tone,
    Toned,
    Value,
    records,
    write_small_table,
)
from schemas.issues import Issue, Severity
from schemas.messages import Catalogue, catalogue_in
from schemas.obligation import Obligation
from schemas.plan import Place, standing_of
from schemas.reconciliation import BatchExchange, Reconciliation, Summary
from schemas.values.destination import BankAccount, Destination, PixKey
from schemas.values.masking import mask_account, mask_pix_key
from schemas.values.money import exact_text
from schemas.waits import Wait

PLACE_TONES: Final[dict[Place, Tone]] = {
    Place.PAID: Tone.GOOD,
    Place.OWNER: Tone.GOOD,
    Place.PROCESSING: Tone.MOVING,
    Place.PLANNED: Tone.MOVING,
    Place.WITHHELD: Tone.WAITING,
    Place.INCOME_TAX: Tone.QUIET,
    Place.TAX: Tone.QUIET,
    Place.RECOUPED: Tone.QUIET,
    Place.CARRIED: Tone.QUIET,
    Place.DUPLICATE: Tone.QUIET,
    Place.HELD: Tone.WAITING,
    Place.NOT_SENT: Tone.WAITING,
    Place.UNDETERMINED: Tone.WAITING,
    Place.CONFLICT: Tone.TROUBLE,
    Place.IN_DOUBT: Tone.TROUBLE,
    Place.REFUSED: Tone.TROUBLE,
    Place.FAILED: Tone.TROUBLE,
    Place.EXCLUDED: Tone.TROUBLE,
}

# On the sheet of payments; everything else that is owed is on the sheet of what was not paid, so that both sheets
# together hold each obligation once.
ON_ITS_WAY: Final = frozenset(
    {Place.PAID, Place.PROCESSING, Place.PLANNED, Place.WITHHELD, Place.INCOME_TAX, Place.OWNER}
)

_HEADERS: Final = (
    ("name", 32, "General"),
    ("tax_id", 20, "General"),
    ("reference", 16, "General"),
    ("kind", 16, "General"),
    ("destination_type", 18, "General"),
    ("destination", 24, "General"),
    ("amount", 16, MONEY),
    ("place", 22, "General"),
    ("reason", 40, "General"),
    ("submission", 36, "General"),
    ("file", 24, "General"),
    ("sheet", 16, "General"),
    ("row", 9, WHOLE),
    ("key", 32, "General"),
)


def obligation_columns(labels: Catalogue) -> tuple[Column, ...]:
    """Name the columns of `obligation_rows`."""
    return tuple(Column(labels(f"output.{key}"), width, number_format) for key, width, number_format in _HEADERS)


def obligation_rows(obligations: Iterable[Obligation], labels: Catalogue) -> Iterator[Row]:
    """Describe obligations for the finance team: tax ids in full, Pix keys and accounts masked.

    Args:
        obligations: What is owed, each in its place.
        labels: The words.

    Yields:
        One row per obligation, in the order given; the amount as an exact Decimal, the row number None where there is
        no source row.
    """
    for owed in obligations:
        kind, destination = _destination(owed.account, labels)
        yield (
            owed.payee.name,
            owed.payee.tax_id,
            owed.reference,
            labels.of_value("output.kind", owed.kind),
            kind,
            destination,
            amount(owed.amount_cents),
            Toned(labels.of_value("place", standing_of(owed.place, owed.reason)), PLACE_TONES[owed.place]),
            labels.of_value("reason", owed.reason),
            owed.submission_id,
            owed.source.file,
            owed.source.sheet,
            owed.source.row or None,
            owed.key,
        )


def amount(cents: int) -> Decimal:
    """Return centavos as an exact amount with two decimals."""
    return Decimal(int(cents)).scaleb(-2)


def _destination(account: Destination | None, labels: Catalogue) -> tuple[str, str]:
    match account:
        case PixKey(key, key_type):
            return labels.of_value("output.pix", key_type), mask_pix_key(key, key_type)
        case BankAccount(bank_code, psp_id, agency, number, account_type):
            bank = bank_code or psp_id
            return labels.of_value("output.account", account_type), f"{bank} / {agency} / {mask_account(number)}"
        case None:
            return "", ""


SEVERITY_TONES: Final = {Severity.ERROR: Tone.TROUBLE, Severity.WARNING: Tone.WAITING, Severity.NOTE: Tone.NONE}
_CHECK_TONES: Final = {"valid": Tone.NONE, "invalid": Tone.TROUBLE}
_DISPOSITION_TONES: Final = {"held": Tone.WAITING, "duplicate": Tone.QUIET, "ignored": Tone.QUIET}


def tables_of(reconciliation: Reconciliation) -> Iterator[Table]:
    """Give the tables that follow the summary, in order; payees and earnings only where there are royalties."""
    labels = catalogue_in(reconciliation.language)
    owed = reconciliation.obligations
    on_its_way = [obligation for obligation in owed if obligation.place in ON_ITS_WAY]
    others = [obligation for obligation in owed if obligation.place not in ON_ITS_WAY]
    columns = obligation_columns(labels)
    yield Table(labels("output.sheet.payments"), columns, obligation_rows(on_its_way, labels))
    yield Table(labels("output.sheet.held"), columns, obligation_rows(others, labels))
    if len(reconciliation.payees):
        yield _payees(reconciliation.payees, labels)
    if len(reconciliation.earnings):
        yield _earnings(reconciliation.earnings, labels)
    yield _rows(reconciliation.rows, labels)
    yield _checks(reconciliation.checks, labels)
    yield issues_table(reconciliation.issues, labels)


NO_SHEETS: Final[Mapping[tuple[str, str | None], str]] = MappingProxyType({})


def issues_table(
    issues: Sequence[Issue], labels: Catalogue, note: str = "", sheets: Mapping[tuple[str, str | None], str] = NO_SHEETS
) -> Table:
    """List problems, each with its place, what is wrong and what would be right; values are masked.

    Args:
        issues: In the order of the list.
        labels: In the language of the list.
        note: Said above it.
        sheets: File and sheet -> sheet of the workbook that is its copy: problems in it lead to their cells.
    """

    def place(issue: Issue) -> str | Linked | None:
        sheet, cell = sheets.get((issue.file, issue.sheet)), issue.cell or (f"A{issue.row}" if issue.row else "")
        return Linked(cell, sheet, cell) if sheet and cell else issue.cell

    columns = _columns(
        labels,
        [("severity", 12), ("file", 26), ("sheet", 16), ("cell", 9), ("row", 9), ("column", 20)],
        [("value_masked", 24), ("problem", 50), ("accepts", 50), ("code", 24)],
    )
    rows = (
        (
            Toned(labels.of_value("output.severity", issue.severity), SEVERITY_TONES[issue.severity]),
            *(issue.file, issue.sheet, place(issue), issue.row, issue.column),
            *(issue.value_masked, labels.write(issue.message), labels.write(issue.accepts), issue.code.value),
        )
        for issue in issues
    )
    return Table(labels("output.sheet.issues"), columns, rows, note)


def to_millionths(amount: Decimal) -> Decimal:
    """Round an exact amount half to even at six decimals.

    >>> to_millionths(Decimal("0.3333335"))
    Decimal('0.333334')
    """
    return amount.quantize(_MILLIONTH, context=_EXACT)


_MILLIONTH: Final = Decimal("0.000001")
_EXACT: Final = Context(prec=200, rounding=ROUND_HALF_EVEN)


def _payees(payees: pd.DataFrame, labels: Catalogue) -> Table:
    taxed = ("taxed",) if (payees.get("taxed_cents", pd.Series(dtype="int64")) > 0).any() else ()
    steps = ("earned", "recouped", "carried_in", "carried_out", "held", *taxed, "payable")
    columns = _columns(labels, [("name", 32), ("tax_id", 20)], [(step, 18, MONEY) for step in steps])
    rows = (
        (payee.name, payee.tax_id, *(amount(getattr(payee, f"{step}_cents")) for step in steps))
        for payee in records(payees)
    )
    return Table(labels("output.sheet.payees"), columns, rows, labels("output.note.payees"))


def _earnings(earnings: pd.DataFrame, labels: Catalogue) -> Table:
    names = ("tax_id", "role", "isrc", "upc", "release", "title", "artist", "platform", "sale_period")
    columns = _columns(
        labels,
        [(name, 18) for name in names],
        [
            ("units", 9, WHOLE),
            ("lines", 9, WHOLE),
            ("source_amount", 18, PRECISE),
            ("source_currency", 10),
            ("rate", 12),
        ],
        [("share", 14, "0.0000"), ("earned_rounded", 18, PRECISE), ("earned_exact", 28)],
    )
    kept = ("tax_id", "role", "isrc", "upc", "release", "title", "artist", "platform", "period", "units", "lines")
    counted = ("source_amount", "currency", "rate", "share_ppm", "earned")
    parts = zip(*(earnings[name].tolist() for name in (*kept, *counted)), strict=True)
    rows = (
        (*about, amount, currency, rate, Decimal(ppm).scaleb(-4), to_millionths(earned), exact_text(earned))
        for *about, amount, currency, rate, ppm, earned in parts
    )
    return Table(labels("output.sheet.earnings"), columns, rows, labels("output.note.earnings"))


def _rows(rows: pd.DataFrame, labels: Catalogue) -> Table:
    """Used rows are counted by file and sheet; all others are listed, in runs. The counts add up to the rows read."""
    columns = _columns(
        labels,
        [
            ("file", 28),
            ("sheet", 18),
            ("row", 10, WHOLE),
            ("last_row", 10, WHOLE),
            ("disposition", 16),
            ("reason", 60),
            ("row_count", 12, WHOLE),
        ],
    )
    is_used = rows["disposition"] == "used"

    def lines() -> Iterator[Row]:
        for (file, sheet), used in rows[is_used].groupby(["file", "sheet"], sort=False, dropna=False):
            yield str(file), _text(sheet), None, None, labels("output.disposition.used"), "", int(used["rows"].sum())
        for run in records(rows[~is_used]):
            word = Toned(labels.of_value("output.disposition", run.disposition), _DISPOSITION_TONES[run.disposition])
            yield run.file, _text(run.sheet), int(run.first_row), int(run.last_row), word, run.reason, int(run.rows)

    return Table(labels("output.sheet.rows"), columns, lines())


def _checks(checks: pd.DataFrame, labels: Catalogue) -> Table:
    columns = _columns(
        labels,
        [("payee", 30), ("destination", 30), ("result", 26), ("made", 12), ("reused", 14), ("cost", 12, MONEY)],
        [("message", 60)],
    )
    rows = (
        (
            *(check.payee, check.destination_masked),
            Toned(labels.of_value("output.check", check.result), _CHECK_TONES.get(check.result, Tone.WAITING)),
            labels("output.yes" if check.made else "output.no"),
            # Documents that runs left before this was told do not say.
            labels("output.yes" if getattr(check, "reused", False) else "output.no"),
            *(amount(check.cost_cents), check.message),
        )
        for check in records(checks)
    )
    return Table(labels("output.sheet.checks"), columns, rows, labels("output.note.checks"))


def _columns(labels: Catalogue, *groups: Sequence[tuple[str, int] | tuple[str, int, str]]) -> tuple[Column, ...]:
    entries = [entry for group in groups for entry in group]
    return tuple(Column(labels(f"output.{key}"), width, *(rest or [GENERAL])) for key, width, *rest in entries)


def _text(value: object) -> str:
    # Text files have no sheet: the table holds "" or a missing value there.
    return value if isinstance(value, str) else ""


_BOLD = Ink(bold=True)
# Every account is in one of these; a call that is told beside its account's row is unknown.
CHECK_RESULTS = ("valid", "invalid", "unknown", "not_asked", "over_budget", "in_flight")


def write_summary_sheet(book: Book, reconciliation: Reconciliation) -> None:
    """Write the sheet a finance person reads first."""
    labels = catalogue_in(reconciliation.language)
    summary = reconciliation.summary
    page = book.page(Setup(labels("output.sheet.summary"), [38, 24, 18, 22, 14, 18]))
    page.write(labels("output.summary.title"), ink=TITLE)
    page.append()
    _write_identity(page, reconciliation, labels)
    _write_totals(page, reconciliation, labels)
    _write_row_counts(page, summary, labels)
    _write_batches(page, summary, labels)
    _write_checks(page, reconciliation, labels)
    _write_discrepancies(page, summary, labels)
    write_waits(page, reconciliation.waits, labels)
    if reconciliation.decisions:
        _start(page, labels("output.summary.decisions"))
        for decision in reconciliation.decisions:
            page.write(labels.write(decision))


def write_waits(page: Page, waits: Sequence[Wait], labels: Catalogue) -> None:
    """Tell what waits, of every period: how much, why, and the way on; nothing, where nothing waits."""
    if not waits:
        return
    _start(page, labels("output.summary.waits"))
    names = ("summary.period", "waits.what", "reason", "waits.way", "amount", "summary.count")
    formats = {"amount": MONEY, "summary.count": WHOLE}
    write_small_table(
        page,
        [Column(labels(f"output.{name}"), 0, formats.get(name, GENERAL)) for name in names],
        (
            (
                wait.period,
                Toned(labels.write(wait.what), Tone.WAITING),
                labels.write(wait.why),
                labels.write(wait.way),
                amount(wait.amount_cents),
                wait.count,
            )
            for wait in waits
        ),
    )


def _start(page: Page, heading: str) -> None:
    page.append()
    page.write(heading, ink=HEADING)


def _write_identity(page: Page, reconciliation: Reconciliation, labels: Catalogue) -> None:
    summary = reconciliation.summary
    values: dict[str, str | None] = {
        "job": summary.job,
        "payer": reconciliation.payer_name,
        "period": summary.period,
        "run": summary.run,
        "plan_digest": summary.plan_digest,
        "currency": summary.currency,
        "meaning": f"{labels.of_value('output.exit', str(summary.exit_code))} ({summary.exit_code})",
    }
    for key, value in values.items():
        page.append((Cell(labels(f"output.summary.{key}"), _BOLD), Cell(value)))


def _write_totals(page: Page, reconciliation: Reconciliation, labels: Catalogue) -> None:
    totals = reconciliation.summary.totals_cents
    counts = Counter(owed.place for owed in reconciliation.obligations)
    _start(page, labels("output.summary.totals"))
    write_small_table(
        page,
        [
            Column(labels("output.summary.place")),
            Column(labels("output.amount"), 0, MONEY),
            Column(labels("output.summary.count"), 0, WHOLE),
        ],
        (
            (
                Toned(labels(f"place.{place}"), PLACE_TONES[place]),
                amount(getattr(totals, place.value)),
                counts[place],
            )
            for place in Place
        ),
    )
    money = Ink(MONEY, bold=True)
    _write_balance(page, labels("output.summary.in"), amount(totals.in_), money)
    _write_balance(page, labels("output.summary.sum"), amount(totals.placed()), money)
    _write_mark(page, labels, is_balanced=totals.in_ == totals.placed())


def _write_row_counts(page: Page, summary: Summary, labels: Catalogue) -> None:
    rows = summary.rows
    placed = {"used": rows.used, "held": rows.held, "duplicate": rows.duplicate, "ignored": rows.ignored}
    _start(page, labels("output.summary.rows"))
    for name, count in placed.items():
        page.append((Cell(labels(f"output.disposition.{name}")), Cell(count, Ink(WHOLE))))
    whole = Ink(WHOLE, bold=True)
    _write_balance(page, labels("output.summary.rows_read"), rows.read, whole)
    _write_balance(page, labels("output.summary.rows_sum"), sum(placed.values()), whole)
    _write_mark(page, labels, is_balanced=rows.read == sum(placed.values()))


def _write_balance(page: Page, label: str, value: Decimal | int, ink: Ink) -> None:
    page.append((Cell(label, _BOLD), Cell(value, ink)))


def _write_mark(page: Page, labels: Catalogue, *, is_balanced: bool) -> None:
    mark = labels("output.summary.balanced" if is_balanced else "output.summary.unbalanced")
    page.append((None, Cell(mark, Ink(tone=Tone.GOOD if is_balanced else Tone.TROUBLE, bold=True))))


def _write_batches(page: Page, summary: Summary, labels: Catalogue) -> None:
    _start(page, labels("output.summary.batches"))
    names = ("report_id", "split_id", "status", "outcome")
    columns = [*(Column(labels(f"output.{name}")) for name in names), Column(labels("output.payments"), 0, WHOLE)]
    abroad = any(batch.exchange for batch in summary.batches)
    of_exchange = [Column(labels("output.exchange_rate")), Column(labels("output.exchange_outcome"))] if abroad else []
    write_small_table(
        page,
        [*columns, Column(labels("output.amount"), 0, MONEY), *of_exchange],
        (
            (
                *(getattr(batch, name) for name in names[:-1]),
                f"{batch.outcome}, {labels('output.by_likeness')}" if batch.linked_by else batch.outcome,
                batch.payments,
                amount(batch.amount_cents),
                *_exchange(batch.exchange)[: len(of_exchange)],
            )
            for batch in summary.batches
        ),
    )


def _exchange(exchange: BatchExchange | None) -> tuple[str, str]:
    return (f"1 {exchange.currency} = BRL {exchange.rate}", exchange.outcome) if exchange else ("", "")


def _write_checks(page: Page, reconciliation: Reconciliation, labels: Catalogue) -> None:
    """Tell what checks came to: the accounts by what is known of them, then the calls and what they cost."""
    counts, results = reconciliation.summary.account_checks, reconciliation.checks["result"]
    _start(page, labels("output.summary.checks"))
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
        page.write_row((labels(f"output.{label}"), value), [PLAIN, Ink(number_format)])


def _write_discrepancies(page: Page, summary: Summary, labels: Catalogue) -> None:
    _start(page, labels("output.summary.discrepancies"))
    if not summary.discrepancies:
        page.write(labels("output.summary.none"))
        return
    columns = [
        Column(labels(f"output.{name}"), 0, GENERAL) for name in ("kind", "report_id", "expected", "found", "message")
    ]
    write_small_table(
        page,
        columns,
        (
            (Toned(d.kind, Tone.TROUBLE), d.report_id, d.expected, d.found, d.render_in(labels.language))
            for d in summary.discrepancies
        ),
    )
