"""Intake: what a run has read, what of it may be used, and where a row's value stands in a person's sheet."""

from dataclasses import dataclass, field

from flows.intake.rules.inputs import Inputs
from flows.intake.rules.used_before import UsedBefore
from flows.run import Run
from io_adapters.spreadsheets.declarations import read_layout
from schemas.corrections import CorrectedRow, Origin
from schemas.errors import RepasseError
from schemas.layouts.layout import Layout, match_headers
from schemas.raw_table import RawTable, column_letter


@dataclass(frozen=True, slots=True)
class Intake:
    """What a run has read.

    Attributes:
        came_in: All of it, as the files have it.
        inputs: What of it may be used, as `flows.payables.judge_inputs` says; what came in until then.
        is_judged: Whether it has said so.
        used_before: What of it was used before.
        sheets: The sheets as people wrote them, and whose they are.
        put_right: Rows that corrections workbooks have otherwise than the files.
        settled: Rows read as they were put right before.
    """

    came_in: Inputs
    inputs: Inputs
    is_judged: bool = False
    used_before: UsedBefore = field(default_factory=UsedBefore)
    sheets: tuple[tuple[RawTable, Origin], ...] = ()
    put_right: tuple[CorrectedRow, ...] = ()
    settled: tuple[CorrectedRow, ...] = ()


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A place in a sheet; None for what the sheet does not have."""

    cell: str | None = None
    header: str | None = None


def find_cell(run: Run, intake: Intake, file: str, sheet: str, row: int, column: str) -> CellPlace:
    """Find the cell of a canonical column in a row that was read.

    Args:
        run: Of which job.
        intake: What it has read.
        file: Base name.
        sheet: Its sheet; "" for text.
        row: Physical row.
        column: Canonical column.
    """
    for raw, origin in intake.sheets:
        if (raw.file.name, raw.sheet or "") != (file, sheet):
            continue
        layout = _layout(run, origin.layout)
        position = match_headers(raw.headers, layout).positions.get(column) if layout else None
        if position is not None:
            return CellPlace(f"{column_letter(position)}{row}", raw.headers[position])
    return CellPlace()


def _layout(run: Run, name: str) -> Layout | None:
    declared = [source.layout for source in run.job.sources if isinstance(source.layout, Layout)]
    for layout in declared:
        if layout.layout == name:
            return layout
    try:
        return read_layout(name, run.request.folder)
    except RepasseError:  # the row is told all the same
        return None
