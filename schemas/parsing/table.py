"""From a file's text to a typed table: every problem of every cell in one pass, and a place for every row."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from functools import cache
from operator import attrgetter
from typing import Any, Final, NamedTuple, cast

import numpy as np
import numpy.typing as npt
import pandas as pd
from pyarrow import array

from schemas.issues import Issue, IssueCode, errors_among
from schemas.layouts.headers import HeaderMatch
from schemas.layouts.layout import Layout
from schemas.messages import Message
from schemas.parsing.cells import CellFinding, StoodIn, decisions_of
from schemas.parsing.columns_by_cells import names_taken, with_columns_by_cells
from schemas.parsing.dates import NO_EVIDENCE, Evidence
from schemas.parsing.excluded_rows import ExcludedRows, excluded_rows, names_alone, nearly_asked
from schemas.parsing.find_columns import find_columns
from schemas.parsing.line_sums import TableSource, compare_totals, sum_block
from schemas.parsing.reading import apply_sign, flag_misshapen, read_cells
from schemas.parsing.row_accounting import codes_by_position, dispositions, held_rows, places
from schemas.parsing.row_rules import RULES, SAME_SHARE
from schemas.parsing.stand_ins import completed
from schemas.parsing.statement_columns import issues_of_columns, statement_columns
from schemas.parsing.typed_table import NO_KEY_TYPES, KeyTypes, TypedTable, to_issues, understood
from schemas.parsing.unread_columns import (
    UnreadColumn,
    explained,
    issues_of,
    issues_of_parting,
    not_used,
    parting,
    quoted,
    rows_of_one_payee,
    told_apart,
    unread_columns,
)
from schemas.parsing.what_holds_rows import check_oddities, hidden_data, hold_stopped_rows, notes_that_stop, values_only
from schemas.parsing.written import WrittenText, written_in
from schemas.raw_table import RawTable
from schemas.tables.model import Column, ColumnKind, DataFrame, Model, TableModel, broken_rows, columns_of, names_of
from schemas.tables.payees import Advances, Invoices, Opening, Payees, Payments, Taxes
from schemas.tables.royalties import LINE_AMOUNT, Costs, Rates, RoyaltyLines, Shares
from schemas.values.pix_key import key_digest

# Where titles and names of acts stand, of which some are words that would stop a person.
_OF_WORKS: Final = frozenset({"royalty_lines", "rates"})
_CENTS: Final = frozenset({ColumnKind.PAYABLE, ColumnKind.OPTIONAL_AMOUNT, ColumnKind.SIGNED_AMOUNT})


def typed_frame(
    model: type[TableModel],
    columns: Sequence[Column],
    values: dict[str, npt.NDArray[Any]],
    places: pd.DataFrame,
) -> pd.DataFrame:
    """Build a frame in the model's order of columns."""
    series = {name: places[name] for name in places.columns}
    for column in filter(attrgetter("becomes"), columns):
        series[column.becomes] = _typed(column.kind, values[column.name]).set_axis(places.index)
    return pd.DataFrame({name: series[name] for name in names_of(model)}, index=places.index)


def _typed(kind: ColumnKind, values: npt.NDArray[Any]) -> pd.Series:
    if kind in _CENTS:
        return pd.Series([0 if amount is None else int(amount.value * 100) for amount in values], dtype="int64")
    if kind is ColumnKind.COUNT:
        return pd.Series(values, dtype="int64")
    if kind is ColumnKind.FLAG:
        return pd.Series(values, dtype="bool")
    if kind is ColumnKind.LINE_AMOUNT:
        exact: list[Decimal] = [amount.value for amount in values]
        return pd.Series(array(exact, type=LINE_AMOUNT), dtype=pd.ArrowDtype(LINE_AMOUNT))
    return pd.Series(values.astype(object) if len(values) else np.array([], dtype=object), dtype="str")


# Table as layouts name it -> its model.
MODELS: Final[Mapping[str, type[TableModel]]] = {
    "payments": Payments,
    "payees": Payees,
    "royalty_lines": RoyaltyLines,
    "shares": Shares,
    "costs": Costs,
    "advances": Advances,
    "opening": Opening,
    "rates": Rates,
    "taxes": Taxes,
    "invoices": Invoices,
}


@dataclass(frozen=True, slots=True)
class ParsedTable:
    """A file as a table."""

    frame: pd.DataFrame
    held: pd.DataFrame
    rows: pd.DataFrame
    issues: tuple[Issue, ...]
    decisions: tuple[Message | str, ...] = ()
    proposed: Mapping[str, str] = field(default_factory=dict)
    key_types: Mapping[str, str] = field(default_factory=dict)
    written: tuple[WrittenText, ...] = ()


def column_names(table: str) -> frozenset[str]:
    return frozenset(column.name for column in columns_of(MODELS[table]))


def empty_table(table: str) -> pd.DataFrame:
    """Return a table without rows, typed as its model promises."""
    return _empty(MODELS[table]).copy()


def empty_of(model: type[Model]) -> "DataFrame[Model]":
    """Return a table of a model without rows."""
    return cast("DataFrame[Model]", _empty(model).copy())


@cache
def _empty(model: type[TableModel]) -> pd.DataFrame:
    columns = columns_of(model)
    nothing: dict[str, npt.NDArray[Any]] = {column.name: np.array([], dtype=object) for column in columns}
    return typed_frame(model, columns, nothing, places("", None, np.array([], dtype=np.int64)))


def parse_table(
    raw: RawTable,
    layout: Layout,
    *,
    payee_data_required: bool = True,
    key_types: KeyTypes = NO_KEY_TYPES,
    named: Collection[str] = (),
) -> ParsedTable:
    """Read a file as the table its layout names.

    Args:
        named: What the job calls its files and tabs.

    Raises:
        UnreadableFile: a required column is missing or claimed twice; carries the issues.
    """
    declared, layout = layout, with_columns_by_cells(raw, layout, names=payee_data_required or layout.table == "payees")
    found = read_rows(raw, layout, payee_data_required=payee_data_required, key_types=key_types)
    mismatches, compared = _compared(found, raw)
    lines = found.excluded.unlabelled & {issue.row or 0 for issue in mismatches}
    if lines and found.model is not RoyaltyLines:  # a payment; of a statement that is for people to say
        found = read_rows(raw, layout, payee_data_required=payee_data_required, lines=lines, key_types=key_types)
        mismatches, compared = _compared(found, raw)
    if mismatches and layout.only:  # the total may be that of all rows, those among them that nobody asks for
        whole = layout.model_copy(update={"only": {}})
        mismatches, compared = _compared(read_rows(raw, whole, payee_data_required=payee_data_required), raw)
    unread = unread_columns(raw, layout, found.match, found.excluded.lines)
    if layout.table == "shares":
        alike = found.table.groups("tax_id", *SAME_SHARE)
        unread = told_apart(unread, raw, [found.table.rows[positions].tolist() for positions in alike])
    unread, how = _explained(unread, found, raw)
    alike = rows_of_one_payee(raw, layout, found.match)
    unread = parting(unread, raw, alike)
    decided = decisions_of(found.table.decisions.values(), found.excluded.shown, found.stand_ins)
    decisions = (
        *decided,
        *understood(found.table),
        *names_taken(raw, declared, layout),
        *([how] if how else []),
        *compared,
        *not_used([(column.header, quoted(column.texts)) for column in unread if not column.is_asked]),
    )
    seen = statement_columns(raw, unread, found.excluded.lines) if found.model is RoyaltyLines else ()
    asked = [*issues_of_columns(seen, TableSource.of(raw, layout)), *issues_of_parting(unread, raw, alike)]
    parsed = settled(found, raw, layout, unread=unread, mismatches=mismatches, asked=asked, decisions=decisions)
    if layout.table != "payments":
        return parsed
    return replace(parsed, written=written_in(raw, unread, found.excluded, found.match.positions, named))


def _explained(
    unread: list[UnreadColumn], found: "ReadRows", raw: RawTable
) -> tuple[list[UnreadColumn], Message | None]:
    position = found.match.positions.get("amount")
    if position is None or found.model is not Payments:
        return unread, None
    read = zip(found.table.rows.tolist(), found.table.canonical["amount"], strict=True)
    return explained(unread, raw, {row: amount.value for row, amount in read if amount is not None}, position)


def _compared(found: "ReadRows", raw: RawTable) -> tuple[list[Issue], list[Message]]:
    stated = found.excluded.totals or found.excluded.control
    sums = [sum_block(found.table, found.excluded)] if stated else []
    return compare_totals(sums, TableSource(raw.file.name, raw.sheet, raw.headers))


class ReadRows(NamedTuple):
    """The lines of a file, or of a block of it, read by themselves; what rests on the file as a whole is open."""

    model: type[TableModel]
    columns: tuple[Column, ...]
    match: HeaderMatch
    excluded: ExcludedRows
    table: TypedTable
    stand_ins: Mapping[StoodIn, int]


def read_rows(  # all of it is one file's
    raw: RawTable,
    layout: Layout,
    *,
    payee_data_required: bool,
    evidence: Evidence = NO_EVIDENCE,
    below: bool = False,
    lines: frozenset[int] = frozenset(),
    key_types: KeyTypes = NO_KEY_TYPES,
) -> ReadRows:
    """Read all cells, and hold every row against the rules that rest on nothing but its own block.

    Raises:
        UnreadableFile: a required column is missing or claimed twice; carries the issues.
    """
    model = MODELS[layout.table]
    columns = columns_of(model)
    required = payee_data_required or layout.table == "payees"
    needed = [column.name for column in columns if column.required]
    if required and layout.table in {"payments", "payees"}:
        needed.append("name")
    match = find_columns(raw, layout, needed)
    raw, positions, stand_ins = completed(raw, layout, match.positions)
    excluded = excluded_rows(raw, layout, positions, below=below, lines=lines)
    table = read_cells(
        raw,
        layout,
        positions,
        excluded.lines,
        columns,
        payee_data_required=required,
        evidence=evidence,
    )
    table = replace(table, key_types=key_types)
    if layout.sign and "amount" in table.canonical:
        table = apply_sign(table, raw, layout.sign, payable=layout.table != "royalty_lines")
    for rule in RULES[layout.table]:
        table = rule(table)
    table = check_oddities(table, raw, match.positions)
    if layout.table not in _OF_WORKS:
        table = hold_stopped_rows(table, raw, match, layout)
    table = flag_misshapen(table, raw, excluded.lines)
    return ReadRows(model, columns, match, excluded, table, stand_ins)


def settled(
    found: ReadRows,
    raw: RawTable,
    layout: Layout,
    *,
    unread: Sequence[UnreadColumn],
    mismatches: Sequence[Issue] = (),
    asked: Sequence[Issue] = (),
    decisions: tuple[Message | str, ...] = (),
) -> ParsedTable:
    """Part rows into sound and held ones, and say where each went."""
    notes = notes_that_stop(raw, found.excluded) if layout.table not in _OF_WORKS else []
    held_whole = _why_whole(mismatches, unread, [*notes, *asked])
    frame, table = _validated_frame(found, raw, held_whole)
    held_codes = codes_by_position(table, held_whole)
    issues = [
        *issues_of(unread, raw),
        *asked,
        *values_only(raw),
        *hidden_data(table, raw, found.match.positions),
        *to_issues(table, raw, found.match.positions),
        *names_alone(raw, found.excluded, found.match.positions),
        *nearly_asked(raw, layout, found.excluded),
        *notes,
        *mismatches,
    ]
    return ParsedTable(
        frame=frame,
        held=held_rows(table, raw, held_codes),
        rows=dispositions(table, raw, found.excluded, held_codes),
        issues=tuple(sorted(issues, key=lambda issue: issue.row or 0)),
        decisions=decisions,
        proposed={key_digest(table.texts["pix_key"][at]): kind for at, kind in table.proposed.items()},
        key_types=_key_types(table, held_codes),
    )


def _why_whole(
    mismatches: Sequence[Issue], unread: Sequence[UnreadColumn], others: Sequence[Issue]
) -> IssueCode | None:
    errors = [issue.code for issue in errors_among(others)]
    if IssueCode.NOTE_STOPS in errors:
        return IssueCode.NOTE_STOPS
    if mismatches:
        return IssueCode.TOTAL_MISMATCH
    return next((column.code for column in unread if column.code), next(iter(errors), None))


def _key_types(table: TypedTable, held: Collection[int]) -> Mapping[str, str]:
    if "pix_key_type" not in table.canonical:
        return {}
    keys, types = table.texts["pix_key"].tolist(), table.canonical["pix_key_type"].tolist()
    pairs = enumerate(zip(keys, types, strict=False))
    return {key_digest(key): kind for at, (key, kind) in pairs if key and kind and at not in held}


def _validated_frame(found: ReadRows, raw: RawTable, held_whole: IssueCode | None) -> tuple[pd.DataFrame, TypedTable]:
    """Build the frame of used rows; a row that breaks the model for no reason told yet is held as ROW_CONTRACT."""
    table = found.table
    out = codes_by_position(table, held_whole).keys() | table.ignored.keys()
    used = np.array([position for position in range(len(table.rows)) if position not in out], dtype=np.int64)
    values = {name: column[used] for name, column in table.canonical.items()}
    where = places(raw.file.name, raw.sheet, table.rows[used])
    frame = typed_frame(found.model, found.columns, values, where)
    broken = broken_rows(found.model, frame)
    table = table.add(
        CellFinding(int(used[label]), None, IssueCode.ROW_CONTRACT, {"rule": rule}) for label, rule in broken.items()
    )
    return frame.drop(index=list(broken)).reset_index(drop=True), table
