"""Corrections workbooks that the caller gave: their sheets take the place of those they stand for."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np

from io_adapters.spreadsheets.reading import open_file
from schemas.corrections import Origin, correct_rows, from_properties
from schemas.errors import ConfigurationError
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable, joined, some_rows


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
        return joined(list(self.laid_over([table], layout)))

    def laid_over(self, blocks: Iterable[RawTable], layout: Layout) -> Iterator[RawTable]:
        """Yield what stands for the blocks of a table: the blocks with their rows corrected, or the sheet instead.

        Raises:
            ConfigurationError: the headers differ, or corrected rows are in none of the blocks.
        """
        left: RawTable | None = None
        last: RawTable | None = None
        for number, block in enumerate(blocks):
            if number == 0 and (sheet := self._of(block)):
                left = self._corrected(sheet, layout)
                if sheet.origin.whole:
                    yield left
                    return
            if left is None:
                yield block
                continue
            here = np.asarray(left.cells.index <= block.cells.index[-1], dtype=bool)
            yield _with_rows(block, some_rows(left, here))
            left, last = some_rows(left, ~here), block
        if left is not None and bool((left.cells != "").any(axis=None)):
            raise _strange("rows", left, last)

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
            raise ConfigurationError(f"corrections of files that this job does not read: {', '.join(left)}")

    def _corrected(self, sheet: _Sheet, layout: Layout) -> RawTable:
        self._read.add(sheet.title)
        with open_file(sheet.path, language=self._language) as file:
            (table,) = file.tables(layout.model_copy(update={"sheets": [sheet.title]}))
        return replace(table, decisions=(*table.decisions, sheet.origin.file))


def _with_rows(table: RawTable, corrected: RawTable) -> RawTable:
    try:
        return correct_rows(table, corrected)
    except ValueError as error:
        raise _strange(str(error), corrected, table) from None


def _strange(what: str, corrected: RawTable, table: RawTable | None) -> ConfigurationError:
    name = table.file.name if table else ""
    return ConfigurationError(
        f"{corrected.file.name}, sheet {corrected.sheet}: its {what} are no longer those of {name}"
    )
