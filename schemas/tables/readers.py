"""Readers of cells: one for each kind of column, and the statement lines that are plainly sound without one.

Tax ids are read by the column (`schemas.values.tax_id`), Pix keys by the row.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from schemas.issues import IssueCode
from schemas.sheet_cells import CellKind
from schemas.tables.amounts import line_amounts, payable_amounts, percentages, shares
from schemas.tables.cells import CellReader, ColumnKind, ColumnReader, ReaderFactory
from schemas.tables.dates import DateStyle, dates, is_english, periods
from schemas.tables.texts import read_name, read_reference, read_text
from schemas.values.bank_account import (
    read_account,
    read_account_type,
    read_agency,
    read_bank_code,
    read_check_digit,
    read_psp_id,
)
from schemas.values.money import DecimalMark
from schemas.values.pix_key import read_pix_key_type
from schemas.values.reading import FLAGS, Reading, fold_word

_LABEL: Final = r"[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL: Final = re.compile(rf"[a-zA-Z0-9.!#$%&'*+/=?^_`{{|}}~-]{{1,64}}@{_LABEL}(?:\.{_LABEL})+")
_LONGEST_EMAIL: Final = 254
_ISRC: Final = re.compile(r"[A-Z]{2}[A-Z0-9]{3}[0-9]{7}")
_UPC: Final = re.compile(r"[0-9]{8,14}")
_COUNT: Final = re.compile(r"(-?)([0-9]{1,15}|[1-9][0-9]{0,2}(?:\.[0-9]{3})+|[1-9][0-9]{0,2}(?:,[0-9]{3})+)(?:\.0+)?")
_CURRENCY_SIGNS: Final = {"R$": "BRL", "US$": "USD", "€": "EUR", "£": "GBP"}
_CURRENCY_WORDS: Final = {"real": "BRL", "reais": "BRL", "realbrasileiro": "BRL"}


@dataclass(frozen=True, slots=True)
class Convention:
    """What a layout says of all its numbers and dates.

    Attributes:
        decimal: Decimal mark, or "auto".
        dates: What is first in a date that has the year last, or "auto".
    """

    decimal: Literal["auto", ",", "."]
    currency: str
    dates: DateStyle

    def under(self, header: str) -> "Convention":
        """Return what holds below a header: where it is English, nobody is at home in Brazil."""
        return replace(self, dates="auto") if self.dates == "home" and is_english(header) else self


def read_email(text: str, _kind: CellKind) -> Reading[str]:
    """Read a payee's e-mail address; unlike a Pix key it needs a dot in its domain."""
    sound = len(text) <= _LONGEST_EMAIL and _EMAIL.fullmatch(text) is not None
    return Reading(text) if sound else Reading(None, IssueCode.EMAIL_FORMAT)


def read_flag(text: str, _kind: CellKind) -> Reading[bool]:
    """Read yes or no."""
    found = FLAGS.get(fold_word(text))
    return Reading(found, IssueCode.BOOL_FORMAT if found is None else None)


def read_count(text: str, kind: CellKind) -> Reading[int]:
    """Read a whole number, thousands marked or not; a numeric cell marks none."""
    found = _COUNT.fullmatch(text)
    if found is None or (kind == CellKind.NUMBER and not found[2].isdecimal()):
        return Reading(None, IssueCode.COUNT_FORMAT)
    return Reading(int(found[1] + found[2].replace(".", "").replace(",", "")))


def read_isrc(text: str, _kind: CellKind) -> Reading[str]:
    """Read an ISRC; hyphens go, letters become capitals."""
    isrc = text.replace("-", "").upper()
    return Reading(isrc) if _ISRC.fullmatch(isrc) else Reading(None, IssueCode.ISRC_FORMAT)


def read_upc(text: str, _kind: CellKind) -> Reading[str]:
    """Read a UPC or EAN. Leading zeros do not tell two of them apart (GTIN), so 12 digits or more remain."""
    plain = text.removesuffix(".0")
    if not _UPC.fullmatch(plain):
        return Reading(None, IssueCode.UPC_FORMAT)
    return Reading(plain.lstrip("0").zfill(12))


def read_currency(text: str, _kind: CellKind) -> Reading[str]:
    """Read a currency; the bare dollar sign names none."""
    currency = _CURRENCY_SIGNS.get(text) or _CURRENCY_WORDS.get(fold_word(text), text.upper())
    sound = re.fullmatch(r"[A-Z]{3}", currency) is not None
    return Reading(currency) if sound else Reading(None, IssueCode.CURRENCY_UNKNOWN)


def _raw(text: str, _kind: CellKind) -> Reading[str]:
    return Reading(text)


_BY_CELL: Final[dict[ColumnKind, CellReader]] = {
    ColumnKind.NAME: read_name,
    ColumnKind.TEXT: read_text,
    ColumnKind.REFERENCE: read_reference,
    ColumnKind.EMAIL: read_email,
    ColumnKind.FLAG: read_flag,
    ColumnKind.COUNT: read_count,
    ColumnKind.ISRC: read_isrc,
    ColumnKind.UPC: read_upc,
    ColumnKind.CURRENCY: read_currency,
    ColumnKind.PIX_KEY: _raw,
    ColumnKind.PIX_KEY_TYPE: lambda text, _: read_pix_key_type(text),
    ColumnKind.BANK_CODE: read_bank_code,
    ColumnKind.PSP_ID: lambda text, _: read_psp_id(text),
    ColumnKind.AGENCY: read_agency,
    ColumnKind.ACCOUNT: read_account,
    ColumnKind.ACCOUNT_DIGIT: lambda text, _: read_check_digit(text),
    ColumnKind.ACCOUNT_TYPE: lambda text, _: read_account_type(text),
}
_Distinct = Sequence[tuple[str, CellKind]]
_BY_COLUMN: Final[dict[ColumnKind, Callable[[_Distinct, Convention], ColumnReader]]] = {
    ColumnKind.PAYABLE: lambda cells, of: payable_amounts(cells, of.decimal, currency=of.currency),
    ColumnKind.OPTIONAL_AMOUNT: lambda cells, of: payable_amounts(
        cells, of.decimal, currency=of.currency, zero_allowed=True
    ),
    ColumnKind.SIGNED_AMOUNT: lambda cells, of: payable_amounts(
        cells, of.decimal, currency=of.currency, zero_allowed=True, signed=True
    ),
    ColumnKind.LINE_AMOUNT: lambda cells, of: line_amounts(cells, of.decimal),
    ColumnKind.SHARE: lambda cells, _: shares(cells),
    ColumnKind.PERCENTAGE: lambda cells, _: percentages(cells),
    ColumnKind.DATE: lambda cells, of: dates(cells, of.dates),
    ColumnKind.PERIOD: lambda cells, of: periods(cells, of.dates),
}


def reader_factory(kind: ColumnKind, convention: Convention) -> ReaderFactory:
    """Return what makes the reader of a column of a kind."""
    if kind in _BY_COLUMN:
        return lambda distinct: _BY_COLUMN[kind](distinct, convention)
    reader = ColumnReader(_BY_CELL[kind])
    return lambda _: reader


# Plainly sound cells of statement lines: a rule narrower than the readers', which whole columns are held against. What
# matches the pattern of its column is read as it stands, to the value that its reader gives; any other cell is the
# reader's to judge. The patterns mean the same to Python, to Arrow and to DuckDB (RE2).

# Printable letters that are composed already, no backslash, no blank at either end, and no "#" that begins an error.
_LETTERS: Final = "$-\\[\\]-~\u00c0-\u024f"
_TEXT: Final = rf'[!"{_LETTERS}](?:[ !"#{_LETTERS}]{{0,198}}[!"#{_LETTERS}])?'

_PATTERNS: Final = {
    ColumnKind.TEXT: _TEXT,
    ColumnKind.ISRC: r"[A-Z]{2}[A-Z0-9]{3}[0-9]{7}",
    ColumnKind.UPC: r"[0-9]{12}|[1-9][0-9]{12,13}",
    ColumnKind.PERIOD: r"[0-9]{4}-(?:0[1-9]|1[0-2])",
    ColumnKind.CURRENCY: r"[A-Z]{3}",
    ColumnKind.COUNT: r"-?[0-9]{1,15}",
}
_POINT: Final = r"-?[0-9]{1,13}(?:\.[0-9]{1,18})?"
_COMMA: Final = _POINT.replace(r"\.", ",")
_WHOLE: Final = r"-?[0-9]{1,13}"

# Texts of which one proves, or leaves open, how a column of amounts writes its decimals.
DECIDING_AMOUNTS: Final = (
    r"-?[0-9]+\.(?:[0-9]{1,2}|[0-9]{4,18})",
    r"-?[0-9]+,(?:[0-9]{1,2}|[0-9]{4,18})",
    r"-?[1-9][0-9]{0,2}[.,][0-9]{3}",
)


def plain_pattern(kind: ColumnKind) -> str:
    """Return the pattern of plain cells of a kind of column; amounts have `plain_amounts`."""
    return _PATTERNS[kind]


def plain_amounts(mark: DecimalMark | None, *, numbers: bool) -> str:
    """Return the pattern of plain amounts.

    Args:
        mark: The decimal mark of the column; None when nothing decides it, so that whole numbers alone are plain.
        numbers: Whether the cells are numbers of a workbook, which are written with a point whatever people type.
    """
    if numbers or mark == ".":
        return _POINT
    return _COMMA if mark == "," else _WHOLE
