"""Reading every cell of a file into a draft, before any rule across columns."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.cells import Cells, ColumnReading, Finding, Telling, unreadable
from schemas.tables.columns import Column, ColumnKind
from schemas.tables.draft import Draft, Mask
from schemas.tables.evidence import NO_EVIDENCE, Evidence
from schemas.tables.headings import label_of
from schemas.tables.readers import Convention, reader_factory
from schemas.values.tax_id import read_tax_ids


def read_draft(  # all of it is one file's
    raw: RawTable,
    layout: Layout,
    positions: Mapping[str, int],
    wanted: Mask,
    columns: tuple[Column, ...],
    *,
    payee_data_required: bool,
    evidence: Evidence = NO_EVIDENCE,
) -> Draft:
    """Read the wanted rows of a file, each column by its kind.

    Args:
        raw: The file as text.
        layout: How its sender lays it out.
        positions: Canonical column -> position in the file.
        wanted: Which rows; misshapen ones are left out besides.
        columns: The table's declaration; a column the file lacks is read as empty, without a finding.
        payee_data_required: See `schemas.tables.parsing.parse_table`.
        evidence: What other blocks of the file prove.
    """
    wanted = wanted & ~raw.cells.index.isin(list(raw.misshapen_rows)) if raw.misshapen_rows else wanted
    rows = raw.cells.index.to_numpy(dtype=np.int64)[wanted]
    labels = {
        column.name: raw.headers[positions[column.name]] if column.name in positions else label_of(layout, column.name)
        for column in columns
    }
    draft = Draft(rows, labels, layout.currency or "", payee_data_required)
    convention = Convention(layout.decimal, layout.currency or "BRL", layout.dates)
    for column in columns:
        reading = None
        if column.name in positions:
            position = positions[column.name]
            texts = raw.cells[position][wanted].reset_index(drop=True)
            cells = Cells(column.name, texts, raw.kinds_of(position)[wanted])
            reading = _read_column(cells, column, convention, evidence.of(column.name))
            draft.evidence[column.name] = reading.telling
            draft.texts[column.name] = cells.stripped()
            draft.findings += reading.findings
            if reading.decision:
                draft.decisions[column.name] = reading.decision
        draft.canonical[column.name] = reading.canonical if reading else filled(len(rows), column.absent)
        draft.texts.setdefault(column.name, filled(len(rows), ""))
    return draft


def filled(count: int, value: object) -> npt.NDArray[Any]:
    """Return an array of objects that are all the same."""
    filled = np.empty(count, dtype=object)
    filled[:] = value
    return filled


def _read_column(cells: Cells, column: Column, convention: Convention, known: Telling) -> ColumnReading:
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
            findings.append(Finding(position, column.name, code, reading.facts if reading else {}))
    return ColumnReading(read.tax_ids.to_numpy(dtype=object, copy=True), findings)


def report_misshapen(draft: Draft, raw: RawTable, lines: Mask) -> None:
    """Add lines with too many or too few fields: their cells were not read, since none is sure of its column."""
    rows = raw.cells.index[lines]
    extra = np.array([row for row in raw.misshapen_rows if row in rows], dtype=np.int64)
    first = len(draft.rows)
    draft.rows = np.concatenate([draft.rows, extra])
    for name, values in draft.canonical.items():
        absent = None if name == "amount" else ""
        draft.canonical[name] = np.concatenate([values, filled(len(extra), absent)])
    facts = {"expected": len(raw.headers)}
    draft.findings += [Finding(first + n, None, IssueCode.ROW_WIDTH, facts) for n in range(len(extra))]
