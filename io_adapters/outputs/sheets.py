"""The tables of the reconciliation workbook, sheet by sheet."""

from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction
from typing import Final

import pandas as pd

from io_adapters.outputs.labels import Labels
from io_adapters.outputs.obligation_rows import amount, is_on_its_way, obligation_columns, obligation_rows
from io_adapters.outputs.tables import Column, Row, Table, Toned, records
from io_adapters.outputs.workbook import GENERAL, MONEY, PRECISE, WHOLE, Tone, Value
from schemas.issues import Issue, Severity
from schemas.reconciliation import Reconciliation

SEVERITY_TONES: Final = {Severity.ERROR: Tone.TROUBLE, Severity.WARNING: Tone.WAITING, Severity.NOTE: Tone.NONE}
_CHECK_TONES: Final = {"valid": Tone.NONE, "invalid": Tone.TROUBLE}
_DISPOSITION_TONES: Final = {"held": Tone.WAITING, "duplicate": Tone.QUIET, "ignored": Tone.QUIET}


def tables_of(reconciliation: Reconciliation) -> Iterator[Table]:
    """Give the tables that follow the summary, in order; payees and earnings only where there are royalties."""
    labels = Labels(reconciliation.language)
    owed = reconciliation.obligations
    on_its_way = is_on_its_way(owed)
    columns = obligation_columns(labels)
    yield Table(labels("sheet.payments"), columns, obligation_rows(owed[on_its_way], labels))
    yield Table(labels("sheet.held"), columns, obligation_rows(owed[~on_its_way], labels))
    if len(reconciliation.payees):
        yield _payees(reconciliation.payees, labels)
    if len(reconciliation.earnings):
        yield _earnings(reconciliation.earnings, labels)
    yield _rows(reconciliation.rows, labels)
    yield _checks(reconciliation.checks, labels)
    yield issues_table(reconciliation.issues, labels)


def issues_table(issues: Sequence[Issue], labels: Labels, note: str = "") -> Table:
    """List problems, each with its place, what is wrong and what would be right; values are masked."""
    columns = _columns(
        labels,
        [("severity", 12), ("file", 26), ("sheet", 16), ("cell", 9), ("row", 9), ("column", 20)],
        [("value_masked", 24), ("problem", 50), ("accepts", 50), ("code", 24)],
    )
    rows = (
        (
            Toned(labels.of_value("severity", issue.severity), SEVERITY_TONES[issue.severity]),
            *(issue.file, issue.sheet, issue.cell, issue.row, issue.column),
            *(issue.value_masked, issue.message, issue.accepts, issue.code.value),
        )
        for issue in issues
    )
    return Table(labels("sheet.issues"), columns, rows, note)


def exact_amount(text: str) -> Value:
    """Round an exact amount, "n/d" or an integer or decimal text, half to even at six decimals.

    >>> exact_amount("1/3")
    Decimal('0.333333')
    """
    return Decimal(round(Fraction(text) * 10**6)).scaleb(-6)


def _payees(payees: pd.DataFrame, labels: Labels) -> Table:
    steps = ("earned", "recouped", "carried_in", "carried_out", "held", "payable")
    columns = _columns(labels, [("name", 32), ("tax_id", 20)], [(step, 18, MONEY) for step in steps])
    rows = (
        (payee.name, payee.tax_id, *(amount(getattr(payee, f"{step}_cents")) for step in steps))
        for payee in records(payees)
    )
    return Table(labels("sheet.payees"), columns, rows, labels("note.payees"))


def _earnings(earnings: pd.DataFrame, labels: Labels) -> Table:
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
    rows = (
        (
            *(getattr(part, "period" if name == "sale_period" else name) for name in names),
            *(int(part.units), int(part.lines), Decimal(part.source_amount), part.currency, part.rate),
            *(Decimal(int(part.share_ppm)).scaleb(-4), exact_amount(part.earned), part.earned),
        )
        for part in records(earnings)
    )
    return Table(labels("sheet.earnings"), columns, rows, labels("note.earnings"))


def _rows(rows: pd.DataFrame, labels: Labels) -> Table:
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
            yield str(file), _text(sheet), None, None, labels("disposition.used"), "", int(used["rows"].sum())
        for run in records(rows[~is_used]):
            word = Toned(labels.of_value("disposition", run.disposition), _DISPOSITION_TONES[run.disposition])
            yield run.file, _text(run.sheet), int(run.first_row), int(run.last_row), word, run.reason, int(run.rows)

    return Table(labels("sheet.rows"), columns, lines())


def _checks(checks: pd.DataFrame, labels: Labels) -> Table:
    columns = _columns(
        labels,
        [("payee", 30), ("destination", 30), ("result", 26), ("made", 12), ("reused", 14), ("cost", 12, MONEY)],
        [("message", 60)],
    )
    rows = (
        (
            *(check.payee, check.destination_masked),
            Toned(labels.of_value("check", check.result), _CHECK_TONES.get(check.result, Tone.WAITING)),
            labels("yes" if check.made else "no"),
            # Documents that runs left before this was told do not say.
            labels("yes" if getattr(check, "reused", False) else "no"),
            *(amount(check.cost_cents), check.message),
        )
        for check in records(checks)
    )
    return Table(labels("sheet.checks"), columns, rows, labels("note.checks"))


def _columns(labels: Labels, *groups: Sequence[tuple[str, int] | tuple[str, int, str]]) -> tuple[Column, ...]:
    entries = [entry for group in groups for entry in group]
    return tuple(Column(labels(key), width, *(rest or [GENERAL])) for key, width, *rest in entries)


def _text(value: object) -> str:
    # Text files have no sheet: the table holds "" or a missing value there.
    return value if isinstance(value, str) else ""
