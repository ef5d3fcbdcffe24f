"""Hidden rows and columns, merged cells, and formulas whose values cannot be relied on.

And what is not known of it, where its format is read for its values alone.
"""

from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal
from typing import Final

from schemas.issues import Issue, IssueCode, make_issue
from schemas.messages import Listed, Message
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, column_letter
from schemas.sheet_cells import CellKind
from schemas.tables.cells import CellFinding
from schemas.tables.draft import TableDraft
from schemas.values.destination import DESTINATION_COLUMNS

# What an empty cell is reproached with; a merged one is empty because of that alone.
_EMPTINESS: Final = frozenset(
    {
        IssueCode.CELL_REQUIRED,
        IssueCode.NAME_REQUIRED,
        IssueCode.PIX_KEY_REQUIRED,
        IssueCode.PIX_TYPE_REQUIRED,
        IssueCode.PIX_TYPE_PROPOSED,
        IssueCode.BANK_FIELD_REQUIRED,
    }
)
_PERCENTAGES: Final = frozenset({"share", "percentage"})
_MOST_NAMED: Final = 12


def check_oddities(draft: TableDraft, raw: RawTable, positions: Mapping[str, int]) -> None:
    """Find the cells of lines that are merged, external or stale, in columns that are read.

    CELL_MERGED takes the place of what the empty cell would be reproached with.

    Args:
        draft: The lines, in the order of the file; findings are added.
        positions: Canonical column -> position in the file.
    """
    oddities = raw.oddities
    if oddities.values_only:
        _hold_what_may_be_percentages(draft, raw, positions)
    if not any((oddities.merged, oddities.external, oddities.stale, oddities.shown_otherwise, oddities.struck)):
        return
    columns = {position: column for column, position in positions.items()}
    lines = {row: at for at, row in enumerate(draft.rows.tolist())}
    _hold_what_the_eye_sees(draft, raw, columns, lines)

    def among_lines(cells: Iterable[tuple[int, int]]) -> list[tuple[int, str]]:
        read = sorted(cell for cell in cells if cell[0] in lines and cell[1] in columns)
        return [(lines[row], columns[position]) for row, position in read]

    merged = among_lines(oddities.merged)
    covered = frozenset(merged)
    nowhere = frozenset(at for at, column in merged if column in DESTINATION_COLUMNS)
    draft.findings = [
        found
        for found in draft.findings
        if not (found.code in _EMPTINESS and (found.position, found.column) in covered)
        and not (found.code is IssueCode.DESTINATION_MISSING and found.position in nowhere)
    ]
    draft.findings += [CellFinding(at, column, IssueCode.CELL_MERGED) for at, column in merged]
    draft.findings += [
        CellFinding(at, column, IssueCode.FORMULA_EXTERNAL) for at, column in among_lines(oddities.external)
    ]
    if oddities.stale:
        draft.findings += [
            CellFinding(at, column, IssueCode.FORMULA_STALE) for at, column in among_lines(oddities.formulas)[:1]
        ]


def _hold_what_the_eye_sees(
    draft: TableDraft, raw: RawTable, columns: Mapping[int, str], lines: Mapping[int, int]
) -> None:
    """Hold reais that are shown in another currency or scaled, and rows of which something is struck through."""
    currencies = draft.canonical.get("currency")
    for row, position in sorted(raw.oddities.shown_otherwise):
        column = columns.get(position, "")
        if row not in lines or column not in _MONEY:
            continue
        currency = draft.currency if currencies is None else currencies[lines[row]]
        if currency in {"", HOME_CURRENCY}:
            draft.findings.append(CellFinding(lines[row], column, IssueCode.AMOUNT_SHOWN))
    struck: dict[int, int] = {}
    for row, position in sorted(raw.oddities.struck):
        if row in lines and position < len(raw.headers):
            struck.setdefault(row, position)
    draft.findings += [
        CellFinding(lines[row], columns.get(position), IssueCode.ROW_STRUCK, at=position)
        for row, position in struck.items()
    ]


_MONEY: Final = frozenset({"amount", "owner_amount", "minimum"})


def _hold_what_may_be_percentages(draft: TableDraft, raw: RawTable, positions: Mapping[str, int]) -> None:
    """Refuse numbers up to 1 where percentages stand: 0.5 may be shown as 50 %, and nobody looked how it is shown."""
    refused = {(found.position, found.column) for found in draft.findings}
    for column in _PERCENTAGES & positions.keys():
        cells, kinds = raw.cells[positions[column]], raw.kinds_of(positions[column])
        numbers = cells[kinds == CellKind.NUMBER]
        plain = numbers[~numbers.str.endswith("%")]  # a correction may say so
        doubtful = set(plain.index[plain.map(Decimal) <= 1].tolist())
        draft.findings += [
            CellFinding(at, column, IssueCode.PERCENT_FORMAT)
            for at, row in enumerate(draft.rows.tolist())
            if row in doubtful and (at, column) not in refused
        ]


def values_only(raw: RawTable) -> list[Issue]:
    """Warn of all that is not known of a file of which the values alone are read; the same for each of its sheets."""
    if not raw.oddities.values_only:
        return []
    return [make_issue(IssueCode.FILE_VALUES_ONLY, file=raw.file.name)]


def hidden_data(draft: TableDraft, raw: RawTable, positions: Mapping[str, int]) -> list[Issue]:
    """Warn once of hidden lines, and of hidden columns that are read."""
    lines = set(draft.rows.tolist()) if raw.oddities.hidden_rows else set()
    read = set(positions.values())
    rows = sorted(row for row in set(raw.oddities.hidden_rows) if row in lines)
    columns = [column_letter(position) for position in sorted(set(raw.oddities.hidden_columns) & read)]
    if not rows and not columns:
        return []
    messages = [Message("table.hidden_rows", found=_ranges(rows))] if rows else []
    messages += [Message("table.hidden_columns", found=", ".join(columns))] if columns else []
    return [make_issue(IssueCode.HIDDEN_DATA, file=raw.file.name, sheet=raw.sheet, found=Listed(tuple(messages), "; "))]


def _ranges(rows: Sequence[int]) -> str:
    """Name rows, those that follow one another as one; a long list is cut.

    >>> _ranges([5, 6, 7, 9])
    '5-7, 9'
    """
    ranges: list[list[int]] = []
    for row in rows:
        if ranges and row == ranges[-1][1] + 1:
            ranges[-1][1] = row
        else:
            ranges.append([row, row])
    named = [str(first) if first == last else f"{first}-{last}" for first, last in ranges[:_MOST_NAMED]]
    return ", ".join(named + ["..."] * (len(ranges) > _MOST_NAMED))
