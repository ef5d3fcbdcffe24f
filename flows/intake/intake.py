"""The result of intake: what a run has read, what of it may be used, and the cell of each value."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import NamedTuple

from flows.intake.rules.deliveries import MonthQuestion
from flows.intake.rules.inputs import Inputs
from flows.intake.rules.used_before import UsedBefore
from flows.run import Run
from flows.settings import COLUMNS
from io_adapters.spreadsheets.declarations import is_path
from io_adapters.spreadsheets.files import sha256_of
from schemas.acts import BEGINNING, chained
from schemas.corrections import CorrectedRow, Origin
from schemas.job import AUTO
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout
from schemas.parsing.written import WrittenText
from schemas.raw_table import RawTable, column_letter


class ReadSheet(NamedTuple):
    """A sheet as people wrote it, whose it is, what it was read with, and where its file is."""

    raw: RawTable
    origin: Origin
    layout: Layout
    path: str

    def position_of(self, column: str) -> int | None:
        """Return where a canonical column is; None when the sheet does not have it."""
        return match_headers(self.raw.headers, self.layout).positions.get(column)


@dataclass(frozen=True, slots=True)
class Intake:
    """What a run has read.

    Attributes:
        proposed_key_types: Digest of a Pix key -> the type that it shows, which nobody has confirmed.
        confirmed_key_types: Digest of a Pix key -> its type, as whoever asked for the run has confirmed it.
        gone: Digests of files that count no more for the period, or whose place another is to take.
        questions: What has to be answered of files handed in, before they are used.
        written: What stands beside the figures of its payments sheets.
    """

    came_in: Inputs
    inputs: Inputs
    is_judged: bool = False
    used_before: UsedBefore = field(default_factory=UsedBefore)
    sheets: tuple[ReadSheet, ...] = ()
    put_right: tuple[CorrectedRow, ...] = ()
    settled: tuple[CorrectedRow, ...] = ()
    files: frozenset[tuple[str, str]] = frozenset()
    proposed_key_types: Mapping[str, str] = field(default_factory=dict)
    confirmed_key_types: Mapping[str, str] = field(default_factory=dict)
    gone: frozenset[str] = frozenset()
    questions: tuple[MonthQuestion, ...] = ()
    written: tuple[WrittenText, ...] = ()


@dataclass(frozen=True, slots=True)
class CellPlace:
    """A place in a sheet; None for what the sheet does not have."""

    cell: str | None = None
    header: str | None = None


def find_cell(intake: Intake, file: str, sheet: str, row: int, column: str) -> CellPlace:
    """Find the cell of a canonical column in a row that was read.

    Args:
        sheet: Its sheet; "" for text.
        row: Physical row.
    """
    for read in intake.sheets:
        if (read.raw.file.name, read.raw.sheet or "") != (file, sheet):
            continue
        position = read.position_of(column)
        if position is not None:
            return CellPlace(f"{column_letter(position)}{row}", read.raw.headers[position])
    return CellPlace()


def bytes_read(run: Run, intake: Intake) -> set[tuple[str, str]]:
    """Return name and hash of the bytes of all files that a run rests on: sheets, its job, layouts, answers."""
    request = run.request
    layouts = [source.layout for source in run.job.sources if isinstance(source.layout, str) and is_path(source.layout)]
    read = {(request.job_path.name, request.job_sha256), *intake.files}
    columns, columns_sha256 = request.columns
    answered = {source.layout_name for source in run.job.sources} & columns.root.keys()
    if answered or (columns.root and any(source.layout == AUTO for source in run.job.sources)):
        read.add((COLUMNS, columns_sha256))
    return read | {(Path(layout).name, sha256_of(str(request.folder / layout))) for layout in layouts}


def record_inputs(run: Run, intake: Intake) -> None:
    """Write down the bytes of everything that a run rests on, and what people said of its month; safe to repeat.

    A file given at a terminal, which nobody is known to have brought, is brought by whoever runs the program there.
    Where typed names count, whoever starts a run in a name has received what lies there; a night has not.
    """
    request, ledger = run.request, run.ledger
    read, here = bytes_read(run, intake), (run.job.job, request.period.label)
    acts = [act for act in ledger.acts.on_months() if (act.facts["job"], act.facts["period"]) == here]
    read |= {(act.kind.value, chained(BEGINNING, act)) for act in acts}
    ledger.files.record_inputs(run.id, read, ((row.run_id, row.corrections_file) for row in intake.settled))
    given = {Path(path).name for _, path in request.files}
    for name, sha256 in sorted(intake.files):
        if name in given and not ledger.authors.of(sha256):
            ledger.authors.record(sha256, request.by)
    for act in acts:
        if not ledger.authors.of(act_sha256 := chained(BEGINNING, act)):
            ledger.authors.record(act_sha256, act.by)
    is_somebodys = bool(request.options.by) and not request.is_nights
    if is_somebodys and not ledger.decision_rules.wants_signed_in(run.job.job):
        # Whoever starts a run is its preparer; what they only found there is no part of theirs in the runs of others.
        ledger.authors.receive({sha256 for _, sha256 in read}, request.by, has_part=False)
