"""Readers of cells: one for each kind of column, and the statement lines that are plainly sound without one.

Tax ids are read by the column (`schemas.values.tax_id`), Pix keys by the row.
"""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal

from schemas.issues import IssueCode
from schemas.parsing.amounts import line_amounts, payable_amounts, percentages, prices, shares
from schemas.parsing.cells import CellReader, ColumnReader, ReaderFactory
from schemas.parsing.dates import DateStyle, dates, is_english, periods
from schemas.parsing.tiers import tier_bounds
from schemas.sheet_cells import CellKind
from schemas.tables.model import ColumnKind
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

_CONTROLS: Final = "\x00-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff\u200b\u2060-\u2064"
# Joiners, direction marks and variation selectors are part of how Persian, Hindi or Hebrew titles, and emoji, are
# written; in a name they can hide, as can fillers and tags, which no name needs.
_INVISIBLE: Final = (
    "\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200c-\u200f\u206a-\u206f\u3164\ufe00-\ufe0f\uffa0"
    "\ufff9-\ufffb\U000e0000-\U000e0fff"
)
# Titles of classical works reach some hundreds of characters; a page of text is no title.
_LONGEST_TEXT: Final = 2_000
LONGEST_REFERENCE: Final = 140
_TEXT_CONTROL: Final = re.compile(f"[{_CONTROLS}]")
_NAME_CONTROL: Final = re.compile(f"[{_CONTROLS}{_INVISIBLE}]")

_LATIN: Final = "A-Za-z\u00aa\u00ba\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u024f\u1e00-\u1eff"
_GREEK: Final = "\u0370-\u03ff\u1f00-\u1fff"
_CYRILLIC: Final = "\u0400-\u052f\u1c80-\u1c8f\u2de0-\u2dff\ua640-\ua69f"
_OTHER_LETTER: Final = re.compile(f"[{_GREEK}{_CYRILLIC}]")
_ALPHABETS: Final = tuple(re.compile(f"[{letters}]") for letters in (_LATIN, _GREEK, _CYRILLIC))
_WORD: Final = re.compile(r"[^\W\d_]+")

# What is left of an accented letter, a quotation mark or an emoji once UTF-8 was taken for cp1252.
_BROKEN: Final = re.compile("[\u00c2-\u00c5\u00e2\u00f0][\u00a0-\u00bf\u0152-\u02dc\u2013-\u2122]|\ufffd")
_REPLACEMENT: Final = "\ufffd"
# What is left of one within a word once Mac Roman or cp850 was taken for cp1252 (`Jo\u2039o`, `JoÆo`).
_SIGN_IN_WORD: Final = re.compile(
    "(?<=[a-z])[\u2039\u203a\u2021\u2030\u2014\u2122\u00a1-\u00a9\u00ab-\u00b6\u00b8-\u00bfÆŽ](?=[a-z])"
)


def read_name(text: str, _kind: CellKind) -> Reading[str]:
    """Read a person's or company's name; "NA" and "None" are names."""
    if found := _NAME_CONTROL.search(text):
        return Reading(None, IssueCode.NAME_CONTROL, {"code_point": _code_point(found[0])})
    if text[0] in "=+-@":
        return Reading(None, IssueCode.NAME_FORMULA)
    if not 2 <= len(text) <= 200:
        return Reading(None, IssueCode.NAME_LENGTH, {"count": len(text)})
    if text.isascii():
        has_letters = any(map(str.isalpha, text))
        return Reading(text) if has_letters else Reading(None, IssueCode.NAME_LETTERS)
    if strangers := _strangers(text):
        return Reading(text, IssueCode.NAME_CONFUSABLE, {"code_point": ", ".join(map(_code_point, strangers))})
    return Reading(text, IssueCode.NAME_ENCODING if _misread(text) else None)


def read_text(text: str, _kind: CellKind) -> Reading[str]:
    """Read free text, kept exactly."""
    if found := _TEXT_CONTROL.search(text):
        return Reading(None, IssueCode.TEXT_CONTROL, {"code_point": _code_point(found[0])})
    if len(text) > _LONGEST_TEXT:
        return Reading(None, IssueCode.TEXT_LENGTH, {"found": len(text), "limit": _LONGEST_TEXT})
    return Reading(text)


def read_reference(text: str, kind: CellKind) -> Reading[str]:
    """Read what tells payments or advances of one payee apart: a text that fits a line of a bank statement."""
    if len(text) > LONGEST_REFERENCE:
        return Reading(None, IssueCode.TEXT_LENGTH, {"found": len(text), "limit": LONGEST_REFERENCE})
    return read_text(text, kind)


def _strangers(text: str) -> list[str]:
    if _OTHER_LETTER.search(text) is None:
        return []
    mixed = [word for word in _WORD.findall(text) if sum(bool(letters.search(word)) for letters in _ALPHABETS) > 1]
    return list(dict.fromkeys(letter for word in mixed for letter in _OTHER_LETTER.findall(word)))


def _misread(text: str) -> bool:
    """Tell whether a text was read in another encoding than its own (`JosÃ©`), or a byte in it could not."""
    if _SIGN_IN_WORD.search(text):
        return True
    if _BROKEN.search(text) is None:
        return False
    try:
        return _REPLACEMENT in text or text.encode("cp1252").decode("utf-8") != text
    except UnicodeError:
        return False


def _code_point(character: str) -> str:
    return f"U+{ord(character):04X}"


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
    """What a layout says of all its numbers and dates."""

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
    ColumnKind.PRICE: lambda cells, of: prices(cells, of.decimal),
    ColumnKind.SHARE: lambda cells, _: shares(cells),
    ColumnKind.PERCENTAGE: lambda cells, _: percentages(cells),
    ColumnKind.TIER: lambda cells, of: tier_bounds(cells, of.decimal, of.dates, currency=of.currency),
    ColumnKind.DATE: lambda cells, of: dates(cells, of.dates),
    ColumnKind.PERIOD: lambda cells, of: periods(cells, of.dates),
}


def reader_factory(kind: ColumnKind, convention: Convention) -> ReaderFactory:
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
    ColumnKind.PRICE: r"0|[1-9][0-9]{0,9}",
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
    """
    if numbers or mark == ".":
        return _POINT
    return _COMMA if mark == "," else _WHOLE
