"""Reading and checking every file of the job, keeping what could not be read, so that all of it is told at once."""

from collections.abc import Iterator
from typing import NamedTuple

from flows.stages.corrected import Corrections
from flows.stages.run import Run
from flows.stages.which_files import Slot
from io_adapters.spreadsheets.reading import open_file
from schemas.corrections import Origin
from schemas.errors import UnreadableFile
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable
from schemas.tables.parsing import ParsedTable, parse_table


class ReadTable(NamedTuple):
    """One table of one file.

    Attributes:
        path: Where its file is.
        layout: Which layout it has.
        raw: Its cells as text.
        parsed: What they mean.
        origin: What a corrected copy of it stands for.
    """

    path: str
    layout: Layout
    raw: RawTable
    parsed: ParsedTable
    origin: Origin

    @property
    def decisions(self) -> str:
        """What was decided while reading it, in one line."""
        return f"{self.raw.file.name}: {', '.join((*self.raw.decisions, *self.parsed.decisions))}"


class FileReader:
    """Reads the files of slots."""

    def __init__(self, run: Run, corrections: Corrections) -> None:
        self._run = run
        self._corrections = corrections
        self._failures: list[UnreadableFile] = []

    def read(self, slot: Slot) -> list[ReadTable]:
        """Read all files of a slot, and the corrections that stand in for some."""
        if slot.failure:
            self._failures.append(slot.failure)
            return []
        return [one for path in slot.paths for one in self._file(slot, path)] + [
            one for origin in slot.corrected for one in self._alone(slot, origin)
        ]

    def raise_what_cannot_be_read(self) -> None:
        """Raise once for all files.

        Raises:
            UnreadableFile: with the issues of every file that could not be read.
        """
        if self._failures:
            issues = tuple(issue for failure in self._failures for issue in failure.issues)
            self._run.issues += issues
            raise UnreadableFile("\n".join(failure.message for failure in self._failures), issues=issues)

    def _file(self, slot: Slot, path: str) -> list[ReadTable]:
        try:
            return list(self._tables(slot, path))
        except UnreadableFile as failure:
            self._failures.append(failure)
            return []

    def _tables(self, slot: Slot, path: str) -> Iterator[ReadTable]:
        with open_file(path, language=self._run.language) as file:
            layout = file.recognise(slot.layouts) if len(slot.layouts) > 1 else slot.layouts[0]
            for raw in file.tables(layout):
                origin = Origin(raw.file.name, raw.sheet, layout.layout)
                yield self._parsed(path, layout, self._corrections.applied(raw, layout), origin)

    def _alone(self, slot: Slot, origin: Origin) -> Iterator[ReadTable]:
        layout = next(layout for layout in slot.layouts if layout.layout == origin.layout)
        for raw in self._corrections.alone(origin, layout):
            yield self._parsed(raw.file.name, layout, raw, origin)

    def _parsed(self, path: str, layout: Layout, raw: RawTable, origin: Origin) -> ReadTable:
        own_data = self._run.job.payees is None
        parsed = parse_table(raw, layout, language=self._run.language, payee_data_required=own_data)
        read = ReadTable(path, layout, raw, parsed, origin)
        self._run.progress.tell(read.decisions)
        return read
