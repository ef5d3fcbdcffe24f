"""A table while it is being read: every cell's value, and all that was found, before rows are held or used."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from schemas.issue_texts import severity_of
from schemas.issues import IssueCode, Severity
from schemas.tables.cells import Finding, Telling
from schemas.tables.decisions import Decision

Mask = npt.NDArray[np.bool_]


@dataclass
class Draft:
    """Lines, column by column; rules across columns read it and write to it.

    Attributes:
        rows: Physical row numbers.
        labels: Canonical column -> header as written, or the layout's own where the file lacks the column.
        currency: The layout's currency; "" when it names none.
        payee_data_required: Whether rows must bring the payee's own data.
        texts: Canonical column -> texts as written, without outer blanks; all columns of the table.
        canonical: Canonical column -> canonical values, the absent one where there is none.
        findings: All that was found so far.
        ignored: Position -> why a sound row is not used.
        decisions: Canonical column -> what was decided for all its cells.
        evidence: Canonical column -> the cells that decided it, of this block or of others.
        held_whole: The code that holds every row, when something is wrong with the file as a whole.
    """

    rows: npt.NDArray[np.int64]
    labels: Mapping[str, str]
    currency: str
    payee_data_required: bool
    texts: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    canonical: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    findings: list[Finding] = field(default_factory=list)
    ignored: dict[int, str] = field(default_factory=dict)
    decisions: dict[str, Decision] = field(default_factory=dict)
    evidence: dict[str, Telling] = field(default_factory=dict)
    held_whole: IssueCode | None = None

    def given(self, column: str) -> Mask:
        """Tell for each row whether anything is written in a column."""
        return np.asarray(self.texts[column] != "", dtype=bool)

    def sound(self, column: str) -> Mask:
        """Tell for each row whether a column has no error so far."""
        sound = np.ones(len(self.rows), dtype=bool)
        sound[[found.position for found in self.findings if found.column == column and is_error(found)]] = False
        return sound

    def report(self, where: Mask, column: str | None, code: IssueCode, **facts: object) -> None:
        """Report one code for every row of a mask."""
        self.findings += [Finding(position, column, code, facts) for position in np.flatnonzero(where).tolist()]

    def row_list(self, positions: list[int]) -> str:
        """Name physical rows for people; a long list is cut."""
        shown = ", ".join(str(self.rows[position]) for position in positions[:5])
        return shown + (", ..." if len(positions) > 5 else "")

    def groups(self, *columns: str, form: Callable[[Any], Any] = lambda value: value) -> list[list[int]]:
        """Return groups of two or more positions that agree in columns, the first of which is given and sound.

        Args:
            columns: Canonical columns.
            form: What of each value of the other columns must agree.
        """
        first, *others = columns
        usable = np.flatnonzero(self.given(first) & self.sound(first)).tolist()
        found: dict[tuple[Any, ...], list[int]] = {}
        for position in usable:
            name = (self.canonical[first][position], *(form(self.canonical[other][position]) for other in others))
            found.setdefault(name, []).append(position)
        return [positions for positions in found.values() if len(positions) > 1]


Rule = Callable[[Draft], None]


def is_error(finding: Finding) -> bool:
    """Tell whether a finding holds its row."""
    return (finding.severity or severity_of(finding.code)) is Severity.ERROR
