"""Reading every cell of a table, each column by its kind, and the sign that another column gives."""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.issues import IssueCode
from schemas.layouts.layout import Layout, Sign
from schemas.messages import Message
from schemas.parsing.amounts import AmountColumn
from schemas.parsing.cells import CellFinding, Cells, ColumnReading, DecidingCells, unreadable
from schemas.parsing.dates import NO_EVIDENCE, Evidence, dates
from schemas.parsing.excluded_rows import positions_under, rows_holding
from schemas.parsing.find_columns import label_of
from schemas.parsing.readers import Convention, reader_factory
from schemas.parsing.typed_table import Mask, TypedTable, is_error
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.model import Column, ColumnKind
from schemas.values.reading import BLANKS, says_nothing
from schemas.values.tax_id import read_tax_ids


def apply_sign(table: TypedTable, raw: RawTable, sign: Sign, *, payable: bool) -> TypedTable:
    """Count the amounts of rows that say they went out below zero, whatever sign they bear."""
    out = np.zeros(len(raw.cells), dtype=bool)
    for position in positions_under(raw, sign.column):
        out |= rows_holding(raw, position, sign.negative)
    amounts = table.canonical["amount"].copy()
    turned = np.zeros(len(table.rows), dtype=bool)
    for position in np.flatnonzero(np.isin(table.rows, raw.cells.index.to_numpy()[out])).tolist():
        amount = amounts[position]
        if amount is not None and amount.value:
            amounts[position] = amount._replace(value=amount.value.copy_abs().copy_negate())
            turned[position] = True
    table = table.assign(amount=amounts)
    if not payable:
        return table
    turned[[found.position for found in table.findings if found.code is IssueCode.AMOUNT_NOT_POSITIVE]] = False
    return table.flag(turned, "amount", IssueCode.AMOUNT_NOT_POSITIVE)


def read_cells(  # all of it is one file's
    raw: RawTable,
    layout: Layout,
    positions: Mapping[str, int],
    wanted: Mask,
    columns: tuple[Column, ...],
    *,
    payee_data_required: bool,
    evidence: Evidence = NO_EVIDENCE,
) -> TypedTable:
    """Read the wanted rows of a file, each column by its kind."""
    wanted = wanted & ~raw.cells.index.isin(list(raw.misshapen_rows)) if raw.misshapen_rows else wanted
    rows = raw.cells.index.to_numpy(dtype=np.int64)[wanted]
    zeros = _zeros_by_column(raw)
    convention = _convention(raw, layout, positions, wanted, evidence)
    days = _days_told(raw, positions, wanted, columns) if layout.dates in _BY_CELLS else ()
    texts = {column.name: filled(len(rows), "") for column in columns}
    canonical = {column.name: filled(len(rows), column.absent) for column in columns}
    readings: dict[str, ColumnReading] = {}
    said_nothing: dict[str, Mask] = {}
    for column in (column for column in columns if column.name in positions):
        position = positions[column.name]
        cells = Cells(column.name, raw.cells[position][wanted].reset_index(drop=True), raw.kinds_of(position)[wanted])
        padded = _pad(cells, rows, zeros.get(position, {})) if column.kind in _WITH_ZEROS else []
        if layout.table != "royalty_lines":  # there, a dash may be a title
            said_nothing[column.name] = _blank_nothing(cells.texts, column)
        known = (*evidence.of(column.name), *days) if column.kind in _DAYS else evidence.of(column.name)
        reading = _read_column(cells, column, convention.under(raw.header_at(position)), known)
        wrong = {found.position for found in reading.findings if is_error(found)}
        zeros_shown = [CellFinding(at, column.name, IssueCode.ZEROS_SHOWN) for at in padded if at not in wrong]
        readings[column.name] = replace(reading, findings=[*reading.findings, *zeros_shown])
        texts[column.name], canonical[column.name] = cells.stripped(), reading.canonical
    table = TypedTable(
        rows=rows,
        labels={column.name: _label(raw, layout, column.name, positions) for column in columns},
        currency=layout.currency or "",
        payee_data_required=payee_data_required,
        texts=texts,
        canonical=canonical,
        findings=[finding for reading in readings.values() for finding in reading.findings],
        decisions={name: reading.decision for name, reading in readings.items() if reading.decision},
        said_nothing=said_nothing,
        evidence={name: reading.deciding for name, reading in readings.items()},
    )
    splits = layout.table != "royalty_lines" and "amount" in positions
    return _flag_split_amounts(table, raw, positions["amount"], wanted) if splits else table


def _label(raw: RawTable, layout: Layout, column: str, positions: Mapping[str, int]) -> str:
    position = positions.get(column, len(raw.headers))
    return raw.headers[position] if position < len(raw.headers) else label_of(layout, column)


def _flag_split_amounts(table: TypedTable, raw: RawTable, position: int, wanted: Mask) -> TypedTable:
    """Hold the amounts of a text whose decimal commas were taken for the commas between its fields.

    Their centavos stand in the next field then, two digits in each row; nobody would know otherwise where a header has
    a field more than its rows.
    """
    if Message("file.comma") not in raw.decisions or position + 1 >= raw.cells.shape[1]:
        return table
    reais, centavos = (raw.cells[at][wanted].str.strip() for at in (position, position + 1))
    given = reais != ""
    split = reais.str.fullmatch(_REAIS) & centavos.str.fullmatch("[0-9]{2}")
    if not (given.any() and split[given].all()):
        return table
    return table.flag(given.to_numpy(dtype=bool), "amount", IssueCode.AMOUNT_SPLIT)


_REAIS: Final = r"(?:R\$ ?)?-?[0-9]{1,3}(?:\.?[0-9]{3})*"


def _convention(
    raw: RawTable, layout: Layout, positions: Mapping[str, int], wanted: Mask, evidence: Evidence
) -> Convention:
    """Return what the layout says of numbers and dates; nothing of dates where the file was saved again elsewhere."""
    declared = Convention(layout.decimal, layout.currency or "BRL", layout.dates)
    if layout.decimal == "auto" or layout.dates in _BY_CELLS or "amount" not in positions:
        return declared
    position = positions["amount"]
    cells = Cells("amount", raw.cells[position][wanted], raw.kinds_of(position)[wanted])
    amounts = AmountColumn([*evidence.of("amount"), *cells.distinct], layout.decimal, scientific=True)
    return replace(declared, dates="auto") if amounts.saved_again else declared


_DAYS: Final = frozenset({ColumnKind.DATE, ColumnKind.PERIOD})
_BY_CELLS: Final = frozenset({"auto", "home"})


def _days_told(
    raw: RawTable, positions: Mapping[str, int], wanted: Mask, columns: tuple[Column, ...]
) -> tuple[tuple[str, CellKind], ...]:
    """Return cells that prove whether the day or the month comes first, in any column: one hand wrote them all."""
    stated: list[tuple[str, CellKind]] = []
    for column in columns:
        if column.kind in _DAYS and column.name in positions:
            position = positions[column.name]
            cells = Cells(column.name, raw.cells[position][wanted], raw.kinds_of(position)[wanted])
            stated += dates(cells.distinct, "auto").deciding
    return tuple(stated)


# Artists and albums are called "NA", "Nada", "Sem".
_NAMED: Final = frozenset({"artist", "artist_name", "release"})
# Codes, documents, addresses and amounts: whoever says that there is nothing writes no digit.
_IN_NO_WORD: Final = "[0-9@]"


def _blank_nothing(texts: "pd.Series[str]", column: Column) -> Mask:
    is_name = column.kind is ColumnKind.NAME or column.name in _NAMED
    different = pd.Series(texts.unique(), dtype="str")
    may_be = different[~different.str.contains(_IN_NO_WORD)].tolist()
    words = [text for text in may_be if says_nothing(text.strip(BLANKS), is_name=is_name)]
    blanked = texts.isin(words).to_numpy(dtype=bool)
    texts[blanked] = ""
    return blanked


# A tax id is a CPF or a CNPJ with all its digits; numbers of other columns mean the same without zeros before them.
_WITH_ZEROS: Final = frozenset({ColumnKind.TAX_ID, ColumnKind.PIX_KEY})
_WHOLE_TAX_IDS: Final = frozenset({11, 14})


def _zeros_by_column(raw: RawTable) -> Mapping[int, Mapping[int, int]]:
    """Return position -> physical row -> how many digits the sheet shows there, where it shows a whole tax id."""
    found = defaultdict[int, dict[int, int]](dict)
    for row, position, digits in raw.oddities.zeros:
        if digits in _WHOLE_TAX_IDS:
            found[position][row] = digits
    return found


def _pad(cells: Cells, rows: npt.NDArray[np.int64], digits: Mapping[int, int]) -> list[int]:
    """Write the zeros that the sheet shows before numbers into their texts; returns the positions it changed."""
    if not digits:
        return []
    shown = {
        at: cells.texts[at].zfill(digits.get(rows[at], 0)) for at in np.flatnonzero(cells.kinds == CellKind.NUMBER)
    }
    padded = {int(at): text for at, text in shown.items() if text != cells.texts[at]}
    cells.texts[list(padded)] = list(padded.values())
    return list(padded)


def filled(count: int, value: object) -> npt.NDArray[Any]:
    filled = np.empty(count, dtype=object)
    filled[:] = value
    return filled


def _read_column(cells: Cells, column: Column, convention: Convention, known: DecidingCells) -> ColumnReading:
    required = IssueCode.CELL_REQUIRED if column.required else None
    if column.kind is not ColumnKind.TAX_ID:
        factory = reader_factory(column.kind, convention)
        return cells.read(lambda distinct: factory([*known, *distinct]), absent=column.absent, required=required)
    read = read_tax_ids(cells.texts)
    findings = []
    suspects = np.union1d(
        np.array(sorted(read.readings), dtype=np.int64), np.flatnonzero(read.tax_ids.to_numpy(dtype=object) == "")
    )
    texts = cells.stripped()
    for position in suspects.tolist():
        kind = CellKind(int(cells.kinds[position]))
        reading = unreadable(texts[position], kind) or read.readings.get(position)
        code = reading.code if reading else required
        if code is not None:
            findings.append(CellFinding(position, column.name, code, reading.facts if reading else {}))
    return ColumnReading(read.tax_ids.to_numpy(dtype=object, copy=True), findings)


def flag_misshapen(table: TypedTable, raw: RawTable, lines: Mask) -> TypedTable:
    """Add lines with too many or too few fields: their cells were not read, since none is sure of its column."""
    among = raw.cells.index[lines]
    extra = np.array([row for row in raw.misshapen_rows if row in among], dtype=np.int64)
    if not len(extra):
        return table
    longer = {
        name: np.concatenate([values, filled(len(extra), None if name == "amount" else "")])
        for name, values in table.canonical.items()
    }
    facts = {"expected": len(raw.headers)}
    first = len(table.rows)
    wide = [CellFinding(first + n, None, IssueCode.ROW_WIDTH, facts) for n in range(len(extra))]
    return replace(table, rows=np.concatenate([table.rows, extra]), canonical=longer).add(wide)
