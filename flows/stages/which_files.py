"""Which files a job reads for each of its sources and tables, and under which layouts."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

from flows.stages.corrected import Corrections
from flows.stages.run import Order
from io_adapters.spreadsheets.declarations import known_layouts, read_layout
from io_adapters.spreadsheets.files import expand
from schemas.corrections import Origin
from schemas.errors import ConfigurationError, UnreadableFile
from schemas.job import AUTO, Source
from schemas.layouts.layout import Layout
from schemas.layouts.parts import missing_parts

PAID_FROM = frozenset({"payments", "royalty_lines"})


@dataclass(slots=True)
class Slot:
    """A source of the job, or a table beside the sources.

    Attributes:
        layouts: The layout its files have; several, when each file is to be recognised.
        patterns: Files the job names.
        names: What the caller may call it when giving files.
        paths: Files to read.
        corrected: Tables to read from corrections alone, their own files not being there.
        failure: Why its files were not found.
    """

    layouts: tuple[Layout, ...]
    patterns: Sequence[str]
    names: frozenset[str]
    paths: list[str] = field(default_factory=list)
    corrected: list[Origin] = field(default_factory=list)
    failure: UnreadableFile | None = None


def slot_of_source(position: int, source: Source, folder: Path) -> Slot:
    """Say which layouts a source may have.

    Raises:
        ConfigurationError: its layout is unknown, or is of a table that nobody is paid from.
    """
    if source.layout == AUTO:
        layouts = tuple(one for name in known_layouts() if (one := read_layout(name, folder)).table in PAID_FROM)
        return Slot(layouts, source.files, frozenset({"", AUTO, str(position)}))
    layout = read_layout(source.layout, folder)
    if layout.table not in PAID_FROM:
        raise ConfigurationError(f"sources[{position}]: layout {layout.layout} is not of payments or royalty lines")
    called = source.layout if isinstance(source.layout, str) else layout.layout
    return Slot((layout,), source.files, frozenset({"", layout.layout, str(position), called}))


def slot_beside(table: str, patterns: Sequence[str] | None, folder: Path) -> Slot:
    """Say which layout a table beside the sources has; without patterns nothing is read for it."""
    return Slot((read_layout(table, folder),), patterns or (), frozenset())


def find_files(slots: Sequence[Slot], order: Order, corrections: Corrections) -> None:
    """Find the files of every slot: those the caller gave, else those the job names.

    Sheets of corrections whose own file is among them are laid over it when it is read; a sheet whose file is nowhere
    takes the place of a slot's files.

    Raises:
        ConfigurationError: a file was given and it is not clear for which source.
    """
    for slot in slots:
        _find(slot, order, [path for name, path in order.files if name in slot.names and path in corrections.plain])
    sources = [slot for slot in slots if slot.names]
    stray = [Path(path).name for name, path in order.files if not name and path in corrections.plain]
    if stray and len(sources) > 1:
        known = ", ".join(sorted({name for slot in sources for name in slot.names if name}))
        raise ConfigurationError(
            f"--file {stray[0]}: the job has several sources; write SOURCE=PATH with one of {known}"
        )
    names = {Path(path).name for slot in slots for path in slot.paths}
    for origin in corrections.homeless(names):
        home = next((slot for slot in slots if origin.layout in {layout.layout for layout in slot.layouts}), None)
        if home:
            home.corrected.append(origin)
            home.paths, home.failure = [], None


def _find(slot: Slot, order: Order, given: Sequence[str]) -> None:
    language = order.job.outputs.language
    if not given and not slot.patterns:
        return
    try:
        slot.paths = expand(given or slot.patterns, order.folder, order.period.label, language)
    except UnreadableFile as failure:
        slot.failure = failure
        return
    absent = missing_parts([Path(path).name for path in slot.paths])
    if absent:
        issues = tuple(one.issue(language) for one in absent)
        slot.failure = UnreadableFile("\n".join(f"{one.file}: {one.message}" for one in issues), issues=issues)
