"""From a file's text to a typed table: every problem of every cell in one pass, and a place for every row."""

from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pandera.pandas as pa

from schemas.issues import Issue, IssueCode
from schemas.layouts.layout import Layout
from schemas.raw_table import CellKind, RawTable
from schemas.tables import advances, payees, payments, royalty_lines, shares
from schemas.tables.amounts import ExactAmount
from schemas.tables.cells import Cells, ColumnReading, Finding, unreadable
from schemas.tables.columns import Column, ColumnKind
from schemas.tables.draft import Draft, Rule, is_error
from schemas.tables.findings import to_issues
from schemas.tables.headings import find_columns, label_of, unknown_columns
from schemas.tables.readers import Convention, reader_factory
from schemas.tables.typed import broken_rows, typed_frame
from schemas.tax_id_column import read_tax_ids


class _Table(NamedTuple):
    model: type[pa.DataFrameModel]
    columns: tuple[Column, ...]
    rules: tuple[Rule, ...]


_TABLES: Final = {
    "payments": _Table(payments.Payments, payments.COLUMNS, payments.RULES),
    "payees": _Table(payees.Payees, payees.COLUMNS, payees.RULES),
    "royalty_lines": _Table(royalty_lines.RoyaltyLines, royalty_lines.COLUMNS, royalty_lines.RULES),
    "shares": _Table(shares.Shares, shares.COLUMNS, shares.RULES),
    "advances": _Table(advances.Advances, advances.COLUMNS, advances.RULES),
}


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A file as a table.

    Attributes:
        frame: Sound rows, as the table's model promises; index from 0.
        held: Rows with an error: file, sheet, row, tax_id (canonical or ""), amount (exact Decimal or None), currency
            ("" if none), codes (comma-joined).
        rows: Every row of the file below its header: file, sheet, row, disposition (used, held or ignored), reason
            (codes, "blank", "duplicate" or "").
        issues: All that was found, in order of row and column.
    """

    frame: pd.DataFrame
    held: pd.DataFrame
    rows: pd.DataFrame
    issues: tuple[Issue, ...]


def empty_table(table: str) -> pd.DataFrame:
    """Return a table without rows, typed as its model promises."""
    model, columns, _ = _TABLES[table]
    nothing: dict[str, npt.NDArray[Any]] = {column.name: np.array([], dtype=object) for column in columns}
    return typed_frame(model, columns, nothing, _places("", None, np.array([], dtype=np.int64)))


def parse_table(raw: RawTable, layout: Layout, *, language: str, payee_data_required: bool = True) -> ParsedTable:
    """Read a file as the table its layout names.

    Args:
        raw: The file as text.
        layout: How its sender lays it out.
        language: "pt-BR" or "en", of the messages.
        payee_data_required: Whether payments rows must bring the payee's name and destination; not when the job has
            a payees table. Payees always must.

    Raises:
        UnreadableFile: a required column is missing or claimed twice; carries the issues.
    """
    table = _TABLES[layout.table]
    required = payee_data_required or layout.table == "payees"
    needed = [column.name for column in table.columns if column.required]
    if required and layout.table in {"payments", "payees"}:
        needed.append("name")
    match = find_columns(raw, layout, needed, language)
    blank = _blank_rows(raw)
    draft = _read_draft(raw, layout, match.positions, ~blank, table.columns, payee_data_required=required)
    for rule in table.rules:
        rule(draft)
    _report_misshapen(draft, raw)
    frame = _validated_frame(draft, raw, table)
    issues = to_issues(draft, raw, match.positions, language)
    held_codes = _codes_by_position(draft)
    return ParsedTable(
        frame=frame,
        held=_held(draft, raw, held_codes),
        rows=_dispositions(draft, raw, blank, held_codes),
        issues=(*unknown_columns(raw, match, language), *issues),
    )


def _blank_rows(raw: RawTable) -> npt.NDArray[np.bool_]:
    blank = np.ones(len(raw.cells), dtype=bool)
    for position in range(len(raw.headers)):
        # Each column only where the row may still be blank; most rows are settled by the first.
        blank[blank] = (raw.cells[position][blank].str.strip() == "").to_numpy(dtype=bool)
        if raw.kinds is not None:  # a formula without a value is an empty text, and not nothing
            blank &= raw.kinds_of(position) != CellKind.FORMULA_WITHOUT_VALUE
    return blank


def _read_draft(  # all of it is one file's
    raw: RawTable,
    layout: Layout,
    positions: dict[str, int],
    wanted: npt.NDArray[np.bool_],
    columns: tuple[Column, ...],
    *,
    payee_data_required: bool,
) -> Draft:
    wanted = wanted & ~raw.cells.index.isin(list(raw.misshapen_rows)) if raw.misshapen_rows else wanted
    rows = raw.cells.index.to_numpy(dtype=np.int64)[wanted]
    labels = {
        column.name: raw.headers[positions[column.name]] if column.name in positions else label_of(layout, column.name)
        for column in columns
    }
    draft = Draft(rows, labels, layout.currency or "", payee_data_required)
    convention = Convention(layout.decimal, layout.currency or "BRL")
    for column in columns:
        reading = None
        if column.name in positions:
            position = positions[column.name]
            texts = raw.cells[position][wanted].reset_index(drop=True)
            cells = Cells(column.name, texts, raw.kinds_of(position)[wanted])
            reading = _read_column(cells, column, convention)
            draft.texts[column.name] = cells.stripped()
            draft.findings += reading.findings
        draft.values[column.name] = reading.values if reading else _filled(len(rows), column.absent)
        draft.texts.setdefault(column.name, _filled(len(rows), ""))
    return draft


def _filled(count: int, value: object) -> npt.NDArray[Any]:
    filled = np.empty(count, dtype=object)
    filled[:] = value
    return filled


def _read_column(cells: Cells, column: Column, convention: Convention) -> ColumnReading:
    required = IssueCode.CELL_REQUIRED if column.required else None
    if column.kind is not ColumnKind.TAX_ID:
        return cells.read(reader_factory(column.kind, convention), absent=column.absent, required=required)
    read = read_tax_ids(cells.texts)
    findings = []
    suspects = np.union1d(
        np.array(sorted(read.readings), dtype=np.int64), np.flatnonzero(read.values.to_numpy(dtype=object) == "")
    )
    texts = cells.stripped()
    for position in suspects.tolist():
        kind = CellKind(int(cells.kinds[position]))
        reading = unreadable(texts[position], kind) or read.readings.get(position)
        code = reading.code if reading else required
        if code is not None:
            findings.append(Finding(position, column.name, code, reading.facts if reading else {}))
    return ColumnReading(read.values.to_numpy(dtype=object, copy=True), findings)


def _report_misshapen(draft: Draft, raw: RawTable) -> None:
    """Add rows with too many or too few fields: their cells were not read, since none of them is sure of its column."""
    extra = np.array([row for row in raw.misshapen_rows if row in raw.cells.index], dtype=np.int64)
    first = len(draft.rows)
    draft.rows = np.concatenate([draft.rows, extra])
    for name, values in draft.values.items():
        absent = None if name == "amount" else ""
        draft.values[name] = np.concatenate([values, _filled(len(extra), absent)])
    facts = {"expected": len(raw.headers)}
    draft.findings += [Finding(first + n, None, IssueCode.ROW_WIDTH, facts) for n in range(len(extra))]


def _codes_by_position(draft: Draft) -> dict[int, str]:
    codes: dict[int, dict[str, None]] = {}
    for finding in draft.findings:
        if is_error(finding):
            codes.setdefault(finding.position, {})[finding.code.value] = None
    return {position: ",".join(found) for position, found in codes.items()}


def _validated_frame(draft: Draft, raw: RawTable, table: _Table) -> pd.DataFrame:
    """Build the frame of used rows; a row that breaks the model for no reason told yet is held as ROW_CONTRACT."""
    out = _codes_by_position(draft).keys() | draft.ignored.keys()
    used = np.array([position for position in range(len(draft.rows)) if position not in out], dtype=np.int64)
    values = {name: column[used] for name, column in draft.values.items()}
    places = _places(raw.file.name, raw.sheet, draft.rows[used])
    frame = typed_frame(table.model, table.columns, values, places)
    broken = broken_rows(table.model, frame)
    draft.findings += [
        Finding(int(used[label]), None, IssueCode.ROW_CONTRACT, {"rule": rule}) for label, rule in broken.items()
    ]
    return frame.drop(index=list(broken)).reset_index(drop=True)


def _places(file: str, sheet: str | None, rows: npt.NDArray[np.int64]) -> pd.DataFrame:
    return pd.DataFrame(
        {
            "file": pd.Series([file] * len(rows), dtype="str"),
            "sheet": pd.Series([sheet or ""] * len(rows), dtype="str"),
            "row": pd.Series(rows, dtype="int64"),
        }
    )


def _held(draft: Draft, raw: RawTable, codes: dict[int, str]) -> pd.DataFrame:
    positions = np.array(sorted(codes, key=lambda position: draft.rows[position]), dtype=np.int64)
    held = _places(raw.file.name, raw.sheet, draft.rows[positions])
    tax_ids = draft.values["tax_id"][positions] if "tax_id" in draft.values else _filled(len(positions), "")
    currencies = (
        draft.values["currency"][positions] if "currency" in draft.values else _filled(len(positions), draft.currency)
    )
    held["tax_id"] = pd.Series(tax_ids, dtype="str")
    held["amount"] = pd.Series([_exact(draft, position) for position in positions.tolist()], dtype=object)
    held["currency"] = pd.Series(currencies, dtype="str")
    held["codes"] = pd.Series([codes[position] for position in positions.tolist()], dtype="str")
    return held


def _exact(draft: Draft, position: int) -> Decimal | None:
    amount: ExactAmount | None = draft.values["amount"][position] if "amount" in draft.values else None
    return amount.value if amount else None


def _dispositions(draft: Draft, raw: RawTable, blank: npt.NDArray[np.bool_], codes: dict[int, str]) -> pd.DataFrame:
    number = raw.cells.index.to_numpy(dtype=np.int64)
    rows = _places(raw.file.name, raw.sheet, number)
    told = {int(row): ("ignored", "blank") for row in number[blank]}
    told |= {int(draft.rows[position]): ("ignored", why) for position, why in draft.ignored.items()}
    told |= {int(draft.rows[position]): ("held", why) for position, why in codes.items()}
    ends = [told.get(row, ("used", "")) for row in number.tolist()]
    rows["disposition"] = pd.Series([end for end, _ in ends], dtype="str")
    rows["reason"] = pd.Series([why for _, why in ends], dtype="str")
    return rows
