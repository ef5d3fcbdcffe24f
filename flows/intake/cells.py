"""Where a row's value stands in a person's sheet: its cell and the header above it."""

from dataclasses import dataclass

from flows.run import Run
from io_adapters.spreadsheets.declarations import read_layout
from schemas.errors import RepasseError
from schemas.layouts.layout import Layout, match_headers
from schemas.raw_table import column_letter


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A place in a sheet; None for what the sheet does not have."""

    cell: str | None = None
    header: str | None = None


def find_cell(run: Run, file: str, sheet: str, row: int, column: str) -> CellPlace:
    """Find the cell of a canonical column in a row that was read.

    Args:
        run: Has read its files.
        file: Base name.
        sheet: Its sheet; "" for text.
        row: Physical row.
        column: Canonical column.
    """
    for raw, origin in run.sheets:
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
