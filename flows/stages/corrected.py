"""Corrections workbooks that the caller gave: their sheets take the place of those they stand for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from io_adapters.spreadsheets.reading import open_file
from schemas.corrections import Origin, correct_rows, from_properties
from schemas.errors import ConfigurationError
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable


@dataclass(frozen=True, slots=True)
class _Sheet:
    path: str
    title: str
    origin: Origin


class Corrections:
    """The sheets of all corrections workbooks among the files given, and which of them have been read."""

    def __init__(self, paths: Sequence[str], language: str) -> None:
        """Look into files.

        Args:
            paths: Files given; those that are no corrections workbooks are `plain`.
            language: Of messages.

        Raises:
            UnreadableFile: one of them cannot be opened.
        """
        self._language = language
        self._sheets: list[_Sheet] = []
        self._read: set[str] = set()
        self.plain: set[str] = set()
        for path in dict.fromkeys(paths):
            with open_file(path, language=language) as file:
                origins = from_properties(file.properties)
            self._sheets += [_Sheet(path, title, origin) for title, origin in origins.items()]
            if not origins:
                self.plain.add(path)

    def homeless(self, names: set[str]) -> list[Origin]:
        """Return what sheets stand for that is in none of the files named; they are read in those files' stead."""
        return [sheet.origin for sheet in self._sheets if sheet.origin.file not in names]

    def alone(self, origin: Origin, layout: Layout) -> Iterator[RawTable]:
        """Yield a sheet by itself, whose own file is not read."""
        for sheet in self._sheets:
            if sheet.origin == origin:
                if not origin.whole:
                    name = Path(sheet.path).name
                    raise ConfigurationError(f"{name} holds only some rows of {origin.file}: give that file as well")
                yield self._corrected(sheet, layout)

    def applied(self, table: RawTable, layout: Layout) -> RawTable:
        """Return what stands for a table: its corrections, or the table itself when there are none."""
        place = (table.file.name, table.sheet)
        found = [sheet for sheet in self._sheets if (sheet.origin.file, sheet.origin.sheet) == place]
        if not found:
            return table
        corrected = self._corrected(found[-1], layout)
        if found[-1].origin.whole:
            return corrected
        try:
            return correct_rows(table, corrected)
        except ValueError as error:
            raise ConfigurationError(
                f"{corrected.file.name}, sheet {corrected.sheet}: its {error} are no longer those of {table.file.name}"
            ) from None

    def refuse_what_was_not_read(self) -> None:
        """Refuse sheets that stand for a table this job does not have.

        Raises:
            ConfigurationError: there are some.
        """
        left = [f"{sheet.title} ({sheet.origin.file})" for sheet in self._sheets if sheet.title not in self._read]
        if left:
            raise ConfigurationError(f"corrections of files that this job does not read: {', '.join(left)}")

    def _corrected(self, sheet: _Sheet, layout: Layout) -> RawTable:
        self._read.add(sheet.title)
        with open_file(sheet.path, language=self._language) as file:
            (table,) = file.tables(layout.model_copy(update={"sheets": [sheet.title]}))
        return replace(table, decisions=(*table.decisions, sheet.origin.file))
