"""A column of cells, read once per distinct value."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from functools import cached_property
from types import MappingProxyType
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.issues import IssueCode, Severity
from schemas.messages import Message
from schemas.sheet_cells import CellKind
from schemas.values.reading import BLANKS, Reading


class StoodIn(NamedTuple):
    """From where the cells that a column leaves empty were taken."""

    column: str
    source: str
    computed: bool


class ParsingDecision(StrEnum):
    """What the cells of a column left open, and the layout or the other cells decided."""

    DECIMAL_COMMA = "decimal_comma"
    DECIMAL_POINT = "decimal_point"
    DAY_FIRST = "day_first"
    MONTH_FIRST = "month_first"


ERROR_LITERALS: Final = frozenset(
    {"#REF!", "#N/A", "#DIV/0!", "#VALUE!", "#NAME?", "#NUM!", "#NULL!", "#SPILL!", "#CALC!", "#GETTING_DATA"}
)

CellReader = Callable[[str, CellKind], Reading[Any]]
DecidingCells = tuple[tuple[str, CellKind], ...]


class ColumnReader(NamedTuple):
    """The reader of a column's cells."""

    read: CellReader
    decision: ParsingDecision | None = None
    deciding: DecidingCells = ()


# Given all distinct cells of the column, stripped: some things are decided by the column, such as its decimal mark.
ReaderFactory = Callable[[Sequence[tuple[str, CellKind]]], ColumnReader]


@dataclass(frozen=True, slots=True)
class CellFinding:
    """A rule broken, or a note, before it becomes an issue with a place and a text."""

    position: int
    column: str | None
    code: IssueCode
    facts: Mapping[str, Any] = field(default_factory=dict)
    severity: Severity | None = None
    at: int | None = None


@dataclass(frozen=True)
class Cells:
    """One column as the file has it."""

    column: str
    texts: pd.Series
    kinds: npt.NDArray[np.int8]

    @property
    def distinct(self) -> list[tuple[str, CellKind]]:
        return self._distinct[0]

    @cached_property
    def _distinct(self) -> tuple[list[tuple[str, CellKind]], npt.NDArray[np.int64]]:
        codes, texts = pd.factorize(self.texts)
        pairs, inverse = np.unique(codes.astype(np.int64) * 8 + self.kinds, return_inverse=True)
        stripped = [text.strip(BLANKS) for text in texts.tolist()]
        return [(stripped[pair // 8], CellKind(pair % 8)) for pair in pairs.tolist()], inverse

    def stripped(self) -> npt.NDArray[Any]:
        distinct, inverse = self._distinct
        return np.array([text for text, _ in distinct], dtype=object)[inverse]

    def read(self, factory: ReaderFactory, *, absent: object, required: IssueCode | None) -> "ColumnReading":
        """Read every cell, once per distinct one."""
        distinct, inverse = self._distinct
        read, decision, deciding = factory(distinct)
        readings = [
            Reading(absent, required)
            if text == "" and kind != CellKind.FORMULA_WITHOUT_VALUE
            else unreadable(text, kind) or read(text, kind)
            for text, kind in distinct
        ]
        values = np.empty(len(readings), dtype=object)
        values[:] = [absent if reading.value is None else reading.value for reading in readings]
        spoken = np.array([reading.code is not None for reading in readings], dtype=bool)
        findings = [
            CellFinding(position, self.column, code, readings[which].facts)
            for position, which in zip(
                np.flatnonzero(spoken[inverse]).tolist(), inverse[spoken[inverse]].tolist(), strict=True
            )
            if (code := readings[which].code) is not None
        ]
        return ColumnReading(values[inverse], findings, decision, deciding)


@dataclass(frozen=True, slots=True)
class ColumnReading:
    """A column as read."""

    canonical: npt.NDArray[Any]
    findings: list[CellFinding]
    decision: ParsingDecision | None = None
    deciding: DecidingCells = ()


def unreadable(text: str, kind: CellKind) -> Reading[Any] | None:
    """Return what is wrong with a cell that holds no value of any kind; None when it holds one."""
    if kind == CellKind.FORMULA_WITHOUT_VALUE:
        return Reading(None, IssueCode.FORMULA_NO_VALUE)
    if kind == CellKind.ERROR or text in ERROR_LITERALS:
        return Reading(None, IssueCode.CELL_ERROR)
    return None


def decisions_of(
    decided: Iterable[ParsingDecision],
    excluded: Mapping[str, int],
    stand_ins: Mapping[StoodIn, int] = MappingProxyType({}),
) -> list[Message]:
    """Say what was decided for columns, each thing once, what stood in, and how many rows were set apart and why."""
    messages = [Message(f"table.{decision}") for decision in dict.fromkeys(decided)]
    messages += [
        Message("table.computed" if of.computed else "table.stood_in", column=of.column, source=of.source, count=count)
        for of, count in stand_ins.items()
    ]
    return [*messages, *(Message(f"table.{why}", count=count) for why, count in sorted(excluded.items()))]
