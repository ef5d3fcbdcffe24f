"""Sheets as the reader hands them on, written in a test in a few words."""

from collections.abc import Mapping
from dataclasses import replace

import numpy as np
import pandas as pd

from schemas.issues import Severity
from schemas.job import TableFiles
from schemas.layouts.answers import with_answers
from schemas.layouts.layout import Layout
from schemas.parsing.table import ParsedTable, parse_table
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import NO_ODDITIES, CellKind, Oddities

_STATEMENT = (
    "period",
    "platform",
    "territory",
    "isrc",
    "upc",
    "release",
    "title",
    "artist",
    "units",
    "amount",
    "currency",
)
_PAYEE = (
    "name", "tax_id", "email", "artist_name", "pix_key", "pix_key_type", "bank_code", "psp_id", "agency", "account",
    "account_digit", "account_type", "account_holder", "original_tax_id", "original_name", "parent_id", "parent_name",
    "contact_id",
)  # fmt: skip
_PAYMENT = (
    *_PAYEE,
    "amount",
    "advance",
    "withhold",
    "recurring",
    "reference",
    "anticipation_id",
    "percentage",
    "owner_amount",
)
_SHARE = ("isrc", "upc", "release", "artist", "tax_id", "role", "share", "valid_from", "valid_to")
COLUMNS = {
    "payments": (_PAYMENT, ["tax_id", "amount"]),
    "payees": (_PAYEE, ["tax_id"]),
    "royalty_lines": (_STATEMENT, ["amount"]),
    "shares": (_SHARE, ["tax_id", "share"]),
    "costs": (("order", "cost", "share", "artist", "tax_id"), ["cost", "share"]),
    "advances": (("tax_id", "reference", "amount", "date", "isrc"), ["tax_id", "amount"]),
}

PIX_PAYEE = {"name": "Maria Silva", "tax_id": "52998224725", "pix_key": "maria@example.com", "pix_key_type": "E-mail"}
ACCOUNT_PAYEE = {
    "name": "Selo Aurora",
    "tax_id": "12.ABC.345/01DE-35",
    "bank_code": "341",
    "psp_id": "60701190",
    "agency": "4313",
    "account": "43129-0",
    "account_type": "Corrente",
}


def layout(table: str, **settings: object) -> Layout:
    """Lay a table out with its canonical columns as headers."""
    names, required = COLUMNS[table]
    return Layout(
        layout="test",
        title="Test",
        table=table,
        columns={name: [name] for name in names},
        required=required,
        **settings,
    )


def sheet(
    *rows: Mapping[str, str], headers: tuple[str, ...] = (), kinds: Mapping[tuple[int, str], CellKind] | None = None
) -> RawTable:
    """Write rows below a header in row 1; kinds tells which cells (row from 0, header) were not text."""
    headers = headers or tuple(dict.fromkeys(name for row in rows for name in row))
    cells = pd.DataFrame(
        {at: pd.Series([row.get(name, "") for row in rows], dtype="str") for at, name in enumerate(headers)}
    )
    cells.index = pd.RangeIndex(2, 2 + len(rows))
    found = np.where(cells == "", CellKind.EMPTY, CellKind.TEXT).astype(np.int8)
    for (row, name), kind in (kinds or {}).items():
        found[row, headers.index(name)] = kind
    return RawTable(FileIdentity("test.xlsx", "0" * 64, 1), "Plan1", 1, headers, cells, found)


def parse(
    table: str,
    *rows: Mapping[str, str],
    kinds: Mapping[tuple[int, str], CellKind] | None = None,
    oddities: Oddities = NO_ODDITIES,
    misshapen: tuple[int, ...] = (),
    payee_data_required: bool = True,
    columns: Mapping[str, object] | None = None,
    **settings: object,
) -> ParsedTable:
    """Parse rows as a table; columns is what a job file says of its headers."""
    raw = replace(sheet(*rows, kinds=kinds), oddities=oddities, misshapen_rows=misshapen)
    read_as = layout(table, **settings)
    if columns:
        read_as = with_answers(read_as, TableFiles(files="test.xlsx", columns=columns).answers)
    return parse_table(raw, read_as, payee_data_required=payee_data_required)


def codes(parsed: ParsedTable, row: int | None = None) -> list[str]:
    """Return the codes found, in order; those of one physical row, if one is named."""
    return [issue.code.value for issue in parsed.issues if row is None or issue.row == row]


def comes_of(table, row, column, text, kind=CellKind.TEXT, becomes="", **settings):
    """Read one cell in a sound row; return its value or the codes that hold it; in parentheses what is only said."""
    parsed = parse(table, row | {column: text}, kinds={(0, column): kind}, **settings)
    told = [issue.code.value for issue in parsed.issues if issue.severity is Severity.ERROR]
    said = [f"({issue.code.value})" for issue in parsed.issues if issue.severity is not Severity.ERROR]
    values = parsed.frame[becomes or column].tolist()
    assert bool(values) is not bool(told), "a row is used or held, and held for a reason"
    return " ".join([*map(str, values), *told, *said])
