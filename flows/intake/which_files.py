"""Finding the files of each source and table, and the corrections that replace their rows."""

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fnmatch import fnmatch
from pathlib import Path

import numpy as np

from flows.run_request import INVOICES, RunRequest
from io_adapters.spreadsheets.declarations import known_layouts, read_layout
from io_adapters.spreadsheets.files import expand, sha256_of
from io_adapters.spreadsheets.readers import members_of
from io_adapters.spreadsheets.reading import open_file
from schemas.corrections import (
    CorrectedRow,
    Origin,
    correct_rows,
    from_properties,
    put_right,
    with_known,
    without_added,
)
from schemas.errors import ConfigurationError, UnreadableFile
from schemas.job import AUTO, NO_HOUSE_COLUMNS, HouseColumns, Job, Source, TableFiles
from schemas.layouts.answers import REMARK, ColumnAnswer, columns_among, over, with_answers
from schemas.layouts.layout import Layout, fold, missing_parts
from schemas.messages import Listed, Message
from schemas.parsing.table import column_names
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, joined, some_rows


@dataclass(frozen=True, slots=True)
class _Sheet:
    path: str
    title: str
    origin: Origin


class Corrections:
    """The sheets of all corrections workbooks among the files given, and which of them have been read."""

    def __init__(self, paths: Sequence[str], known: Iterable[CorrectedRow] = ()) -> None:
        """Look into files.

        Raises:
            UnreadableFile: one of them cannot be opened.
        """
        self._sheets: list[_Sheet] = []
        self._read: set[str] = set()
        self._known = {row.place: row for row in known}
        self.put_right: list[CorrectedRow] = []
        self.settled: list[CorrectedRow] = []
        self.plain: set[str] = set()
        for path in dict.fromkeys(paths):
            if len(members_of(path)) > 1:
                self.plain.add(path)
                continue
            with open_file(path) as file:
                origins = from_properties(file.properties)
            self._sheets += [_Sheet(path, title, origin) for title, origin in origins.items()]
            if not origins:
                self.plain.add(path)

    @property
    def files(self) -> frozenset[tuple[str, str]]:
        """Name and hex digest of each corrections workbook."""
        return frozenset((Path(path).name, sha256_of(path)) for path in {sheet.path for sheet in self._sheets})

    def homeless(self, names: set[str]) -> list[Origin]:
        """Return what sheets stand for that is in none of the files named; they are read in those files' stead."""
        return [sheet.origin for sheet in self._sheets if sheet.origin.file not in names]

    def alone(self, origin: Origin, layout: Layout) -> Iterator[RawTable]:
        """Yield a sheet by itself, whose own file is not read."""
        for sheet in self._sheets:
            if sheet.origin == origin:
                if not origin.whole:
                    name = Path(sheet.path).name
                    raise ConfigurationError(Message("error.some_rows", name=name, file=origin.file))
                yield self._corrected(sheet, layout)

    def concern(self, path: str) -> bool:
        """Tell whether people have put anything of a file right, now or before."""
        name = path.rsplit("/", 1)[-1]
        return any(sheet.origin.file == name for sheet in self._sheets) or any(
            file == name for file, _, _ in self._known
        )

    def applied(self, table: RawTable, layout: Layout) -> RawTable:
        """Return what stands for a table: its corrections, or the table itself when there are none."""
        return joined(list(self.laid_over([table], layout)))

    def laid_over(self, blocks: Iterable[RawTable], layout: Layout) -> Iterator[RawTable]:
        """Yield what stands for the blocks of a table: the blocks with their rows corrected, or the sheet instead.

        Raises:
            ConfigurationError: the headers differ, or corrected rows are in none of the blocks.
        """
        left: RawTable | None = None
        last: RawTable | None = None
        walked = iter(blocks)
        for number, block in enumerate(walked):
            if number == 0 and (sheet := self._of(block)):
                left = replace(self._corrected(sheet, layout), preamble=block.preamble)
                if sheet.origin.whole:
                    self._note_whole([block, *walked], left)
                    yield left
                    return
            if left is None:
                yield self._with_known(block)
                continue
            here = np.asarray(left.cells.index <= block.cells.index[-1], dtype=bool)
            now = some_rows(left, here)
            self._note(put_right(block, now))
            yield self._with_known(_with_rows(block, now))
            left, last = some_rows(left, ~here), block
        if left is not None and bool((left.cells != "").any(axis=None)):
            raise _strange("rows", left, last)

    def _note_whole(self, blocks: Iterable[RawTable], corrected: RawTable) -> None:
        """Note what a sheet has otherwise than the table in whose place it is read.

        Nothing, where rows were taken out or put in: those below have moved, and stand in the place of others.
        """
        table = joined(list(blocks))
        if _filled(table) != _filled(corrected):
            return
        read_as = (corrected.file.name, corrected.sheet or "")
        self._note(replace(row, read_as=(*read_as, row.row)) for row in put_right(table, corrected))

    def _note(self, rows: Iterable[CorrectedRow]) -> None:
        """Note each row once, however often its table is read."""
        known = {row.place for row in self.put_right}
        self.put_right += [row for row in rows if row.place not in known]

    def _with_known(self, table: RawTable) -> RawTable:
        if not self._known:
            return table
        corrected, rows = with_known(table, self._known)
        self.settled += [row for row in rows if row not in self.settled]
        return corrected

    def _of(self, table: RawTable) -> _Sheet | None:
        place = (table.file.name, table.sheet)
        found = [sheet for sheet in self._sheets if (sheet.origin.file, sheet.origin.sheet) == place]
        return found[-1] if found else None

    def refuse_what_was_not_read(self) -> None:
        """Refuse sheets that stand for a table this job does not have.

        Raises:
            ConfigurationError: there are some.
        """
        left = [f"{sheet.title} ({sheet.origin.file})" for sheet in self._sheets if sheet.title not in self._read]
        if left:
            raise ConfigurationError(Message("error.corrections_of_nothing", files=", ".join(left)))

    def _corrected(self, sheet: _Sheet, layout: Layout) -> RawTable:
        self._read.add(sheet.title)
        with open_file(sheet.path) as file:
            (table,) = file.tables(layout.model_copy(update={"sheets": [sheet.title]}))
        table = without_added(table, sheet.origin)
        return replace(table, decisions=(*table.decisions, sheet.origin.file))


def _filled(table: RawTable) -> set[int]:
    return set(table.cells.index[(table.cells != "").any(axis=1)].tolist())


def _with_rows(table: RawTable, corrected: RawTable) -> RawTable:
    try:
        return correct_rows(table, corrected)
    except ValueError as error:
        raise _strange(str(error), corrected, table) from None


def _strange(what: str, corrected: RawTable, table: RawTable | None) -> ConfigurationError:
    name = table.file.name if table else ""
    return ConfigurationError(
        Message("error.corrected_sheet", file=corrected.file.name, sheet=corrected.sheet, what=what, name=name)
    )


PAID_FROM = frozenset({"payments", "royalty_lines"})


@dataclass(slots=True)
class Slot:
    """A source of the job, or a table beside the sources.

    Attributes:
        names: By which files are given for it.
        is_source: Whether money comes from it; a file that is given without a word is for the only source.
    """

    layouts: tuple[Layout, ...]
    patterns: Sequence[str]
    names: frozenset[str]
    paths: list[str] = field(default_factory=list)
    corrected: list[Origin] = field(default_factory=list)
    failure: UnreadableFile | None = None
    ignore: tuple[str, ...] = ()
    is_source: bool = True

    def is_ignored(self, layout: Layout, name: str) -> bool:
        """Tell whether money of a sheet or member is left alone: the job says so, or it repeats what is read."""
        return self.leaves_out(name) or any(fnmatch(fold(name), _folded_pattern(text)) for text in layout.repeats)

    def leaves_out(self, name: str) -> bool:
        """Tell whether the job says of a sheet, a member or a file that it is not to be read."""
        return any(fnmatch(fold(name), _folded_pattern(pattern)) for pattern in self.ignore)


def slots_of(job: Job, folder: Path, house: HouseColumns) -> tuple[list[Slot], list[Slot]]:
    """Return the sources of a job, and the tables beside them, in the order of `Job.tables`.

    Args:
        house: What is answered of senders' statements for all jobs; a job may say otherwise.

    Raises:
        ConfigurationError: a layout is unknown, or is of a table that nobody is paid from; or a column is of no table.
    """
    sources = [_of_source(position, source, job, folder, house) for position, source in enumerate(job.sources, start=1)]
    return sources, [_beside(table, files, job, folder) for table, files in job.tables.items()]


def _of_source(position: int, source: Source, job: Job, folder: Path, house: HouseColumns) -> Slot:
    if source.layout == AUTO:
        known = (read_layout(name, folder) for name in known_layouts())
        layouts = [_asked_for(layout, source) for layout in known if layout.table in PAID_FROM]
        names = frozenset({"", AUTO, str(position)})
        return Slot(
            _as_declared(_exchangeable(layouts, source, job), source, job, house),
            source.files,
            names,
            ignore=source.ignore,
        )
    layout = _asked_for(read_layout(source.layout, folder), source)
    if layout.table not in PAID_FROM:
        raise ConfigurationError(Message("error.source_layout", position=position, layout=layout.layout))
    called = source.layout if isinstance(source.layout, str) else layout.layout
    names = frozenset({"", layout.layout, str(position), called})
    return Slot(
        _as_declared(_exchangeable([layout], source, job), source, job, house),
        source.files,
        names,
        ignore=source.ignore,
    )


def _asked_for(layout: Layout, source: Source) -> Layout:
    ignored = set(map(fold, source.ignore))
    is_asked = layout.asked_for is not None and fold(layout.asked_for.sheet) in set(map(fold, source.read))
    known = [*layout.sheets, layout.asked_for.sheet] if layout.asked_for and is_asked else layout.sheets
    wanted = [sheet for sheet in known if fold(sheet) not in ignored]
    changes = {"sheets": wanted, "not_sheets": [*layout.not_sheets, *source.ignore]}
    return layout.model_copy(update=changes | ({"asked_for": None} if is_asked else {}))


def _folded_pattern(pattern: str) -> str:
    return "*".join(fold(part) if part else "" for part in pattern.split("*"))


def _beside(table: str, files: TableFiles | None, job: Job, folder: Path) -> Slot:
    """Say which layout a table beside the sources has; without files nothing is read for it."""
    layout = read_layout(table, folder)
    layouts = _as_declared([layout], files, job) if files else (layout,)
    return Slot(layouts, files.files if files else (), frozenset({table}), is_source=False)


def _as_declared(
    layouts: Sequence[Layout], files: TableFiles, job: Job, house: HouseColumns = NO_HOUSE_COLUMNS
) -> tuple[Layout, ...]:
    """Return layouts with what a job says of its own files: sheets, columns, and the currency that it pays in.

    Raises:
        ConfigurationError: a column is of none of their tables.
    """
    columns = {layout.layout: column_names(layout.table) for layout in layouts}
    _require_columns(files.answers, frozenset().union(*columns.values()), "error.column_of_job")
    declared = []
    for layout in layouts:
        known, of_house = columns[layout.layout], house.of(layout)
        _require_columns(of_house, known, "error.column_of_house", layout=layout.layout)
        strange = {header for header, column in columns_among(files.answers).items() if column not in known}
        if layout.table == "royalty_lines":  # nobody looks at remarks on lines, so that they are asked about
            strange |= {header for header, answer in files.answers.items() if answer == REMARK}
        own = {header: answer for header, answer in files.answers.items() if header not in strange}
        changes: dict[str, object] = {"sheets": list(files.sheet)} if files.sheet else {}
        changes |= {"dates": files.dates} if files.dates else {}
        if layout.table != "royalty_lines" and layout.currency is None and job.currency != HOME_CURRENCY:
            changes["currency"] = job.currency
        elif layout.table == "royalty_lines" and isinstance(files, Source) and files.currency:
            changes["currency"] = files.currency
        declared.append(with_answers(layout, over(of_house, own)).model_copy(update=changes))
    return tuple(declared)


def _require_columns(answers: Mapping[str, ColumnAnswer], known: Collection[str], error: str, **facts: str) -> None:
    for header, column in columns_among(answers).items():
        if column not in known:
            named = {"header": header, "column": column, "known": ", ".join(sorted(known))}
            raise ConfigurationError(Message(error, **facts, **named))


def _exchangeable(layouts: Sequence[Layout], source: Source, job: Job) -> Sequence[Layout]:
    """Leave out amounts to be paid where a source is in another currency: only lines of statements are exchanged.

    Raises:
        ConfigurationError: nothing is left.
    """
    if source.currency in {None, job.currency}:
        return layouts
    if lines := [layout for layout in layouts if layout.table == "royalty_lines"]:
        return lines
    raise ConfigurationError(Message("error.source_currency", currency=source.currency, paid=job.currency))


def find_files(slots: Sequence[Slot], order: RunRequest, corrections: Corrections) -> None:
    """Find the files of every slot: those the caller gave, else those the job names.

    Sheets of corrections whose own file is among them are laid over it when it is read; a sheet whose file is nowhere
    takes the place of a slot's files.

    Raises:
        ConfigurationError: a file was given and it is not clear for which source.
    """
    for slot in slots:
        _find(slot, order, [path for name, path in order.files if name in slot.names and path in corrections.plain])
    sources = [slot for slot in slots if slot.is_source]
    stray = [Path(path).name for name, path in order.files if not name and path in corrections.plain]
    if stray and len(sources) > 1:
        known = ", ".join(sorted({name for slot in sources for name in slot.names if name}))
        raise ConfigurationError(Message("error.which_source", file=stray[0], known=known))
    names = {Path(path).name for slot in slots for path in slot.paths}
    for origin in corrections.homeless(names):
        home = next((slot for slot in slots if origin.layout in {layout.layout for layout in slot.layouts}), None)
        if home:
            home.corrected.append(origin)
            home.paths, home.failure = [], None


def _find(slot: Slot, order: RunRequest, given: Sequence[str]) -> None:
    """Find a slot's files: those handed in for the month, those given now, and what the job names beside them.

    The first file of a month stands for itself alone: what lies under the job's names is of another.
    """
    handed = [file for file in order.month.of_source(slot.names) if not order.is_gone(file.sha256)]
    known = {file.sha256 for file in handed}
    given = [path for path in given if not (known and sha256_of(path) in known)]
    if not order.is_beside:  # what has its name is read in its stead, until it is said how it stands to the other
        names = {Path(path).name for path in given}
        handed = [file for file in handed if file.name not in names]
    is_of_month = slot.is_source or INVOICES in slot.names
    patterns = list(slot.patterns)
    if is_of_month:
        patterns = order.patterns_read(slot.names, patterns, is_given=bool(given))
    delivered = [*(str(order.path_of(file)) for file in handed), *given]
    if not delivered and not patterns:
        if slot.is_source:
            slot.failure = UnreadableFile(Message("file.none_of_month", period=order.period.label))
        return
    try:
        found = expand(patterns, order.folder, order.period.label) if patterns else []
    except UnreadableFile as failure:
        if not delivered:
            slot.failure = failure
            return
        found = []
    slot.paths = [member for path in dict.fromkeys([*found, *delivered]) for member in members_of(path)]
    absent = missing_parts([Path(path).name for path in slot.paths])
    if absent:
        issues = tuple(part.issue() for part in absent)
        refused = tuple(Message("file.refused", file=issue.file, wrong=issue.message) for issue in issues)
        slot.failure = UnreadableFile(Message("file.all_refused", files=Listed(refused, "\n")), issues=issues)
