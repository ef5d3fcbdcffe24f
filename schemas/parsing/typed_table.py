"""A table whose cells are read, each column by its kind, and what the rules found of its rows so far."""

from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final, Self, TypeVar

import numpy as np
import numpy.typing as npt

from schemas.issues import Issue, IssueCode, Severity, make_issue, severity_of
from schemas.messages import Message
from schemas.parsing.cells import CellFinding, DecidingCells, ParsingDecision
from schemas.raw_table import RawTable, column_letter
from schemas.values.masking import mask_pix_key, mask_value
from schemas.values.reading import key_types_of

_MOST_ROWS_NAMED: Final = 5


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class KeyTypes:
    """What people have said of the types of Pix keys, beside what stands in the sheet.

    Attributes:
        known: `schemas.values.pix_key.key_digest` of a key -> its type, as it was confirmed before.
    """

    known: Mapping[str, str] = field(default_factory=dict)
    taken: bool = False


NO_KEY_TYPES: Final = KeyTypes()


@dataclass(frozen=True, slots=True)
class TypedTable:
    """Rows of a table, column by column; a rule takes one and returns the next, and no column is written into."""

    rows: npt.NDArray[np.int64]
    labels: Mapping[str, str]
    currency: str
    payee_data_required: bool
    texts: Mapping[str, npt.NDArray[Any]] = field(repr=False)
    canonical: Mapping[str, npt.NDArray[Any]] = field(repr=False)
    findings: Sequence[CellFinding]
    decisions: Mapping[str, ParsingDecision]
    said_nothing: Mapping[str, Mask]
    evidence: Mapping[str, DecidingCells] = field(repr=False)
    key_types: KeyTypes = NO_KEY_TYPES
    proposed: Mapping[int, str] = field(default_factory=dict)
    ignored: Mapping[int, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for values in (*self.texts.values(), *self.canonical.values()):
            values.setflags(write=False)

    def assign(self, **canonical: npt.NDArray[Any]) -> Self:
        return replace(self, canonical={**self.canonical, **canonical})

    def add(self, findings: Iterable[CellFinding]) -> Self:
        return replace(self, findings=[*self.findings, *findings])

    def flag(self, where: Mask, column: str | None, code: IssueCode, **facts: object) -> Self:
        return self.add(CellFinding(position, column, code, facts) for position in np.flatnonzero(where).tolist())

    def given(self, column: str) -> Mask:
        return np.asarray(self.texts[column] != "", dtype=bool)

    def sound(self, column: str) -> Mask:
        sound = np.ones(len(self.rows), dtype=bool)
        sound[[found.position for found in self.findings if found.column == column and is_error(found)]] = False
        return sound

    def row_list(self, positions: Iterable[int], *, but: int = -1) -> str:
        """Name physical rows for people, all but one; a long list is cut, and not walked through."""
        first = list(islice((position for position in positions if position != but), _MOST_ROWS_NAMED + 1))
        shown = ", ".join(str(self.rows[position]) for position in first[:_MOST_ROWS_NAMED])
        return shown + (", ..." if len(first) > _MOST_ROWS_NAMED else "")

    def groups(self, *columns: str, form: Callable[[Any], Any] = lambda value: value) -> list[list[int]]:
        """Return groups of two or more positions that agree in columns, the first of which is given and sound."""
        first, *others = columns
        usable = np.flatnonzero(self.given(first) & self.sound(first))
        values = (read_each(self.canonical[other][usable].tolist(), form) for other in others)
        found: dict[tuple[Any, ...], list[int]] = {}
        for position, *name in zip(usable.tolist(), self.canonical[first][usable].tolist(), *values, strict=True):
            found.setdefault(tuple(name), []).append(position)
        return [positions for positions in found.values() if len(positions) > 1]


Rule = Callable[[TypedTable], TypedTable]
_Value = TypeVar("_Value", bound=Hashable)
_Read = TypeVar("_Read")


def read_each(values: Iterable[_Value], read: Callable[[_Value], _Read]) -> list[_Read]:
    """Read every value of a column, each different one once: most columns of most tables say nothing."""
    values = list(values)
    known = {value: read(value) for value in set(values)}
    return [known[value] for value in values]


def is_error(finding: CellFinding) -> bool:
    return (finding.severity or severity_of(finding.code)) is Severity.ERROR


# Told once per column, at its first cell and with a count: a column of bank codes without leading zeros is one thing to
# know, not thousands.
REPORTED_ONCE: Final = frozenset(
    {
        IssueCode.VALUE_NORMALISED,
        IssueCode.ZEROS_SHOWN,
        IssueCode.BANK_PSP_LISTED,
        IssueCode.AGENCY_DIGIT,
        IssueCode.ACCOUNT_OPERATION,
        IssueCode.AMOUNT_MARKS,
        IssueCode.PIX_TYPE_TAKEN,
        IssueCode.DATE_AMBIGUOUS,
    }
)


def count_reported_once(table: TypedTable) -> Counter[tuple[IssueCode, str]]:
    return Counter(
        (found.code, found.column)
        for found in table.findings
        if found.code in REPORTED_ONCE and found.column is not None
    )


# What was understood of documents and accounts is told in the line on the file, too, which nobody has to look for.
_UNDERSTOOD: Final = (
    IssueCode.ZEROS_SHOWN,
    IssueCode.BANK_PSP_LISTED,
    IssueCode.AGENCY_DIGIT,
    IssueCode.ACCOUNT_OPERATION,
    IssueCode.PIX_TYPE_TAKEN,
)


def understood(table: TypedTable) -> list[Message]:
    counts = Counter(found.code for found in table.findings)
    return [Message(f"table.{code.lower()}", count=counts[code]) for code in _UNDERSTOOD if counts[code]]


def to_issues(table: TypedTable, raw: RawTable, positions: dict[str, int]) -> list[Issue]:
    ordered = sorted(
        table.findings, key=lambda found: (table.rows[found.position], positions.get(found.column or "", -1))
    )
    counts = count_reported_once(table)
    issues = []
    for found in ordered:
        facts = dict(found.facts)
        if found.code in REPORTED_ONCE and found.column is not None:
            count = counts.pop((found.code, found.column), None)
            if count is None:
                continue
            facts["count"] = count
        issues.append(_to_issue(found, facts, table, raw, positions))
    return issues


def _to_issue(
    found: CellFinding, facts: dict[str, object], table: TypedTable, raw: RawTable, positions: dict[str, int]
) -> Issue:
    row = int(table.rows[found.position])
    position = positions.get(found.column or "", found.at)
    return make_issue(
        found.code,
        file=raw.file.name,
        sheet=raw.sheet,
        cell=None if position is None else f"{column_letter(position)}{row}",
        row=row,
        column=None if position is None else raw.headers[position],
        value_masked=_masked(found, table),
        severity=found.severity,
        **facts,
    )


def _masked(found: CellFinding, table: TypedTable) -> str:
    if found.column is None:
        return ""
    text = table.texts[found.column][found.position]
    if found.column == "pix_key":
        types = key_types_of(table.texts["pix_key_type"][found.position])
        return mask_pix_key(text, *types) if text and len(types) == 1 else mask_value("pix_key", text)
    return mask_value(found.column, text)
