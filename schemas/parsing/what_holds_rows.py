"""What holds rows beside the values of their cells: hidden rows and columns, formulas, and words that stop a person."""

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from functools import lru_cache
from typing import Final

import numpy as np

from schemas.issues import Issue, IssueCode, Severity, make_issue
from schemas.layouts.headers import HeaderMatch
from schemas.layouts.layout import Layout, fold
from schemas.layouts.money_column import is_number
from schemas.messages import Listed, Message
from schemas.parsing.cells import CellFinding
from schemas.parsing.excluded_rows import ExcludedRows, ExclusionReason
from schemas.parsing.typed_table import TypedTable
from schemas.parsing.unread_columns import words_of
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, column_letter
from schemas.sheet_cells import CellKind
from schemas.values.bank_account import DESTINATION_COLUMNS
from schemas.words import vocabulary

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


def check_oddities(table: TypedTable, raw: RawTable, positions: Mapping[str, int]) -> TypedTable:
    """Find the cells of lines that are merged, external or stale, in columns that are read.

    CELL_MERGED takes the place of what the empty cell would be reproached with.
    """
    oddities = raw.oddities
    if oddities.values_only:
        table = table.add(_what_may_be_percentages(table, raw, positions))
    if not any((oddities.merged, oddities.external, oddities.stale, oddities.shown_otherwise, oddities.struck)):
        return table
    columns = {position: column for column, position in positions.items()}
    lines = {row: at for at, row in enumerate(table.rows.tolist())}
    table = table.add([*_shown_otherwise(table, raw, columns, lines), *_struck(raw, columns, lines)])

    def among_lines(cells: Iterable[tuple[int, int]]) -> list[tuple[int, str]]:
        read = sorted(cell for cell in cells if cell[0] in lines and cell[1] in columns)
        return [(lines[row], columns[position]) for row, position in read]

    merged = among_lines(oddities.merged)
    covered = frozenset(merged)
    nowhere = frozenset(at for at, column in merged if column in DESTINATION_COLUMNS)
    kept = [
        found
        for found in table.findings
        if not (found.code in _EMPTINESS and (found.position, found.column) in covered)
        and not (found.code is IssueCode.DESTINATION_MISSING and found.position in nowhere)
    ]
    stale = among_lines(oddities.formulas)[:1] if oddities.stale else []
    return replace(table, findings=kept).add(
        CellFinding(at, column, code)
        for code, cells in (
            (IssueCode.CELL_MERGED, merged),
            (IssueCode.FORMULA_EXTERNAL, among_lines(oddities.external)),
            (IssueCode.FORMULA_STALE, stale),
        )
        for at, column in cells
    )


def _shown_otherwise(
    table: TypedTable, raw: RawTable, columns: Mapping[int, str], lines: Mapping[int, int]
) -> Iterator[CellFinding]:
    currencies = table.canonical.get("currency")
    for row, position in sorted(raw.oddities.shown_otherwise):
        column = columns.get(position, "")
        if row not in lines or column not in _MONEY:
            continue
        currency = table.currency if currencies is None else currencies[lines[row]]
        if currency in {"", HOME_CURRENCY}:
            yield CellFinding(lines[row], column, IssueCode.AMOUNT_SHOWN)


def _struck(raw: RawTable, columns: Mapping[int, str], lines: Mapping[int, int]) -> Iterator[CellFinding]:
    """Yield the rows of which something is struck through, each once."""
    first: dict[int, int] = {}
    for row, position in sorted(raw.oddities.struck):
        if row in lines and position < len(raw.headers):
            first.setdefault(row, position)
    for row, position in first.items():
        yield CellFinding(lines[row], columns.get(position), IssueCode.ROW_STRUCK, at=position)


_MONEY: Final = frozenset({"amount", "owner_amount", "minimum"})


def _what_may_be_percentages(table: TypedTable, raw: RawTable, positions: Mapping[str, int]) -> Iterator[CellFinding]:
    """Yield numbers up to 1 where percentages stand: 0.5 may be shown as 50 %, and nobody looked how it is shown."""
    refused = {(found.position, found.column) for found in table.findings}
    for column in _PERCENTAGES & positions.keys():
        cells, kinds = raw.cells[positions[column]], raw.kinds_of(positions[column])
        numbers = cells[kinds == CellKind.NUMBER]
        plain = numbers[~numbers.str.endswith("%")]  # a correction may say so
        doubtful = set(plain.index[plain.map(Decimal) <= 1].tolist())
        for at, row in enumerate(table.rows.tolist()):
            if row in doubtful and (at, column) not in refused:
                yield CellFinding(at, column, IssueCode.PERCENT_FORMAT)


def values_only(raw: RawTable) -> list[Issue]:
    """Warn of all that is not known of a file of which the values alone are read; the same for each of its sheets."""
    if not raw.oddities.values_only:
        return []
    return [make_issue(IssueCode.FILE_VALUES_ONLY, file=raw.file.name)]


def hidden_data(table: TypedTable, raw: RawTable, positions: Mapping[str, int]) -> list[Issue]:
    """Warn once of hidden lines, and of hidden columns that are read."""
    lines = set(table.rows.tolist()) if raw.oddities.hidden_rows else set()
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


_WORDS: Final = vocabulary("rows")
# Letters that are in every text which stops somebody -> how it says so.
STOPPING: Final[Mapping[str, str]] = {
    letters: how.replace("NOT ", _WORDS["not"]).replace("ALREADY ", _WORDS["already"])
    for letters, how in _WORDS["stopping"].items()
}
_STOP: Final = re.compile(rf"\b(?:{'|'.join(STOPPING.values())})\b")
# Columns in which such words are names of works and acts, or are read for what they say.
_NAMES_OF_WORKS: Final = frozenset({"artist", "release", "artist_name", "hold", "isrc", "upc", "role"})


@lru_cache(maxsize=1 << 14)
def stops(text: str) -> bool:
    """Tell whether a text says that somebody is not to be paid.

    >>> stops("Maria Silva (CANCELADO)"), stops("já pago em 10/10"), stops("Pago"), stops("Estornado Silva")
    (True, True, False, True)
    """
    return _STOP.search(" ".join(words_of(text))) is not None


def hold_stopped_rows(table: TypedTable, raw: RawTable, match: HeaderMatch, layout: Layout) -> TypedTable:
    """Hold rows in which a cell or a comment says that they are not to be paid.

    A column that is `ignored` whatever stands there says nothing; one that is while it is of a kind is looked at.
    """
    looked_at = set(map(fold, layout.ignored_kinds))
    silent = {at for at in match.ignored if fold(raw.headers[at] or column_letter(at)) not in looked_at}
    columns = {position: column for column, position in match.positions.items()}
    lines = {row: at for at, row in enumerate(table.rows.tolist())}
    may_stop = "|".join(STOPPING)  # quickly looked for in whole columns
    found: list[tuple[int, int, str]] = []
    for position in range(len(raw.headers)):
        if position in silent or columns.get(position) in _NAMES_OF_WORKS:
            continue
        cells = raw.cells[position]
        may = cells[cells.str.contains(may_stop, case=False, regex=True)]
        found += [(int(row), position, text) for row, text in zip(may.index, may, strict=True)]
    found += [comment for comment in raw.oddities.comments if comment[1] < len(raw.headers)]
    return table.add(
        CellFinding(lines[row], columns.get(position), IssueCode.ROW_STOPPED, at=position)
        for row, position, text in found
        if row in lines and stops(text)
    )


_COLOUR: Final = re.compile(
    r"\b(?:cor|cores|color(?:es)?|colou?rs?|pintad[oa]s?|vermelh[oa]s?|amarel[oa]s?|verdes?|azul|azuis|laranjas?|rosa|roxo|"
    r"cinza|preto|rojo|amarillo|naranja|gris|red|yellow|green|blue|orange|pink|gr[ae]y|purple|highlighted|destacad[oa]s?)\b"
)


def notes_that_stop(raw: RawTable, excluded: ExcludedRows) -> list[Issue]:
    """Tell of notes above, among and below the rows that say that somebody is not to be paid.

    One that speaks of colours is a legend, of which nobody has seen to whom it applies: an error. Others are warnings.
    """
    return [
        make_issue(
            IssueCode.NOTE_STOPS,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(position)}{row}",
            row=row,
            severity=Severity.ERROR if is_legend(text) else None,
        )
        for row, position, text in notes_of(raw, excluded)
        if stops(text)
    ]


def is_legend(text: str) -> bool:
    """Tell whether a text says what a colour means.

    >>> is_legend("vermelho = não pagar"), is_legend("não pagar antes do dia 10")
    (True, False)
    """
    return _COLOUR.search(" ".join(words_of(text))) is not None


def notes_of(raw: RawTable, excluded: ExcludedRows) -> Iterator[tuple[int, int, str]]:
    for head in raw.above:
        yield from ((head.row, position, text) for position, text in enumerate(head.texts) if text)
    named = raw.cells.index.isin(list(excluded.unlabelled))  # a sum, by a word that is nobody's for one
    for at in np.flatnonzero((excluded.why == ExclusionReason.NOTE) | named).tolist():
        cells = raw.cells.iloc[at]
        texts = ((position, text) for position, text in enumerate(cells) if text)
        row = int(raw.cells.index[at])
        yield from ((row, position, text) for position, text in texts if not (named[at] and is_number(text)))
