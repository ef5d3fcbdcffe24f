"""What the cells of a column prove of all its cells, in few of them, so that a file cut in blocks is read as one."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from schemas.tables.cells import Telling


@dataclass(frozen=True, slots=True)
class Evidence:
    """Cells of a file that decide how all cells of their columns are read: its decimal mark, its order of dates.

    Attributes:
        cells: Canonical column -> at most one cell for each thing proved, found in any block.
    """

    cells: Mapping[str, Telling] = field(default_factory=dict)

    def of(self, column: str) -> Telling:
        """Return the telling cells of a column."""
        return self.cells.get(column, ())


NO_EVIDENCE: Final = Evidence()
