"""Examining a spreadsheet that no job names: what it would be, how its columns are read, its problems."""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from functools import partial
from pathlib import Path

from flows.house_ledger import utc_now
from flows.intake.rules.deliveries import month_of_rows
from flows.settings import Folders
from io_adapters.spreadsheets.declarations import known_layouts, read_house_columns, read_layout
from io_adapters.spreadsheets.reading import SpreadsheetFile, open_file
from schemas.errors import UnreadableFile
from schemas.issues import Issue
from schemas.layouts.answers import with_answers
from schemas.layouts.headers import HeaderMatch, match_headers
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import Fit, Possibilities, identify
from schemas.messages import Listed, Message
from schemas.parsing.columns_by_cells import as_proposed
from schemas.parsing.table import parse_table
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, column_letter, joined
from schemas.values.money import exact_text

_CENTAVO = Decimal("0.01")
_OWN_DATA = frozenset({"pix_key", "account", "agency", "pix_key_type"})


@dataclass(frozen=True, slots=True)
class SeenColumn:
    """A header, and what is read below it."""

    cell: str
    header: str
    column: str


@dataclass(frozen=True, slots=True)
class ExaminedSheet:
    """What one table of a file would be.

    Attributes:
        sheet: Its sheet; None for text.
        rows: used, held, ignored -> how many rows.
        sums: Currency -> what its sound rows sum up to; nothing, for tables without amounts.
        months: Labels of the months that its lines were sold in, or that most of its rows name.
    """

    file: str
    sheet: str | None
    layout: Layout
    columns: tuple[SeenColumn, ...]
    rows: Mapping[str, int]
    sums: Mapping[str, Decimal]
    issues: tuple[Issue, ...]
    decisions: Message
    months: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ExaminedTable:
    """What a table of a file could be.

    Attributes:
        failure: Why that does not read it; None when it does.
    """

    possibilities: Possibilities
    sheets: tuple[ExaminedSheet, ...] = ()
    failure: UnreadableFile | None = None


def all_layouts() -> list[Layout]:
    return [read_layout(name, Path()) for name in known_layouts()]


def examine(path: Path) -> tuple[ExaminedTable, ...]:
    """Open a file, and read each of its tables as what it is likeliest to be.

    Raises:
        UnreadableFile: it cannot be opened, or is of no layout.
    """
    house, _ = read_house_columns(Folders().columns)
    known = [with_answers(layout, house.of(layout)) for layout in all_layouts()]
    with open_file(str(path)) as file:
        tables = identify(file.views, known)
        if not tables:
            file.recognise(known)  # says which is the nearest, and what it lacks
        return tuple(_table(file, possibilities) for possibilities in tables)


def _table(file: SpreadsheetFile, possibilities: Possibilities) -> ExaminedTable:
    likeliest = possibilities[0]
    try:
        fits = file.fits(likeliest.layout) if likeliest.layout.table == "royalty_lines" else likeliest.fits
        return ExaminedTable(possibilities, tuple(_read(file, fit, likeliest.layout) for fit in fits))
    except UnreadableFile as failure:
        return ExaminedTable(possibilities, failure=failure)


def currencies_of(path: Path, layout: Layout) -> tuple[str, ...]:
    """Return the currencies of a statement's sound lines; nothing of a table that is no statement.

    Raises:
        UnreadableFile: it cannot be read.
    """
    if layout.table != "royalty_lines":
        return ()
    with open_file(str(path)) as file:
        sheets = [_lines(file, fit, layout) for fit in file.fits(layout)]
    return tuple(sorted({currency for sheet in sheets for currency in sheet.sums}))


def key_types_shown(path: Path, layout: Layout) -> int:
    """Count the Pix keys of a table that have no type beside them, and show one; none of a statement.

    Raises:
        UnreadableFile: it cannot be read.
    """
    if "pix_key" not in layout.columns:
        return 0
    with open_file(str(path)) as file:
        tables = [joined(list(file.blocks(fit))) for fit in file.fits(layout)]
    return sum(len(parse_table(raw, layout, payee_data_required=False).proposed) for raw in tables)


def _read(file: SpreadsheetFile, fit: Fit, layout: Layout) -> ExaminedSheet:
    return _lines(file, fit, layout) if layout.table == "royalty_lines" else _whole(file, fit, layout)


def _whole(file: SpreadsheetFile, fit: Fit, layout: Layout) -> ExaminedSheet:
    raw = joined(list(file.blocks(fit)))
    layout = as_proposed(raw, layout)
    # Without payees beside it, a sheet of payments has to say itself where the money goes; one that says so nowhere
    # is meant to have them.
    match = match_headers(raw.headers, layout)
    parsed = parse_table(raw, layout, payee_data_required=bool(_OWN_DATA & match.claimed))
    rows = Counter(parsed.rows["disposition"].tolist())
    cents = int(parsed.frame["amount_cents"].sum()) if "amount_cents" in parsed.frame.columns else None
    sums = {} if cents is None else {layout.currency or HOME_CURRENCY: Decimal(cents).scaleb(-2)}
    return ExaminedSheet(
        raw.file.name,
        raw.sheet,
        layout,
        _columns(raw, match),
        rows,
        sums,
        parsed.issues,
        Message("file.read", file=raw.file.name, how=Listed((*raw.decisions, *parsed.decisions))),
        month_of_rows(parsed.frame["reference"], utc_now().date()) if layout.table == "payments" else (),
    )


def _lines(file: SpreadsheetFile, fit: Fit, layout: Layout) -> ExaminedSheet:
    from flows.intake.read_lines import read_blocks  # noqa: PLC0415 - DuckDB, which only statements need

    found = read_blocks(partial(file.blocks, fit), layout)
    rows = Counter[str]()
    for disposition, count in zip(found.accounting.runs["disposition"], found.accounting.runs["rows"], strict=True):
        rows[disposition] += int(count)
    totals = found.totals.by_territory
    sums = {
        currency: _tidy(sum(totals.loc[totals["currency"] == currency, "amount"], Decimal()))
        for currency in sorted(found.totals.currencies)
    }
    return ExaminedSheet(
        found.raw.file.name,
        found.raw.sheet,
        layout,
        _columns(found.raw, match_headers(found.raw.headers, layout)),
        rows,
        sums,
        found.accounting.issues,
        Message("file.read", file=found.raw.file.name, how=Listed((*found.raw.decisions, *found.accounting.decisions))),
        tuple(sorted({month[: len("2026-10")] for month in totals["period"]} - {""})),
    )


def _tidy(amount: Decimal) -> Decimal:
    exact = Decimal(exact_text(amount))
    return exact if exact.quantize(_CENTAVO) != exact else exact.quantize(_CENTAVO)


def _columns(raw: RawTable, match: HeaderMatch) -> tuple[SeenColumn, ...]:
    column_at = {position: column for column, position in match.positions.items()}
    return tuple(
        SeenColumn(f"{column_letter(position)}{raw.header_row}", header.strip(), column_at.get(position, ""))
        for position, header in enumerate(raw.headers)
        if header.strip()
    )
