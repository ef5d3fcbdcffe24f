"""Bank accounts: their fields, what spreadsheets do to them, and check digits where a bank's rule is known."""

import re
from collections.abc import Callable, Sequence
from decimal import Decimal
from typing import Final

from schemas.issues import IssueCode
from schemas.sheet_cells import CellKind
from schemas.values.reading import ACCOUNT_TYPES, BLANKS, Reading, fold_word
from schemas.wire import AccountType

_BANK_CODE: Final = re.compile(r"([0-9]{1,3})(?:\.0+)?(?: *[-–—] *\S.*)?")
_PSP_NUMBER: Final = re.compile(r"([0-9]{1,8})(?:\.0+)?")
_PSP: Final = re.compile(r"[0-9A-Z]{8}")
_AGENCY: Final = re.compile(r"([0-9]{1,4})(?:\.0+)?")
_FLOAT: Final = re.compile(r"([0-9]+)\.0+")
_SCIENTIFIC: Final = re.compile(r"[0-9](?:[.,]([0-9]+))?[eE]\+?([0-9]{1,3})")
_ACCOUNT: Final = re.compile(r"([0-9]{1,19}|[0-9]{1,3}(?:\.[0-9]{3})+)(?:-?([0-9XPxp]))?")
_LONGEST_ACCOUNT: Final = 20
_EXACT_DIGITS: Final = 15  # what a spreadsheet keeps of a number


def read_bank_code(text: str) -> Reading[str]:
    """Read a COMPE code: "077", 77, "001 - Banco do Brasil"; canonical form three digits."""
    found = _BANK_CODE.fullmatch(text)
    if found is None or int(found[1]) == 0:
        return Reading(None, IssueCode.BANK_CODE)
    return _noted(found[1].zfill(3), text)


def read_psp_id(text: str) -> Reading[str]:
    """Read an ISPB; one that is a number gets its leading zeros back.

    >>> read_psp_id("0").value
    '00000000'
    """
    if found := _PSP_NUMBER.fullmatch(text):
        return _noted(found[1].zfill(8), text)
    psp_id = text.upper()
    return _noted(psp_id, text) if _PSP.fullmatch(psp_id) else Reading(None, IssueCode.BANK_PSP)


def read_agency(text: str, kind: CellKind = CellKind.TEXT) -> Reading[str]:
    """Read an agency: up to four digits, without its check digit. A date is what a spreadsheet makes of "1-5"."""
    found = None if kind is CellKind.DATE else _AGENCY.fullmatch(text)
    return _noted(found[1].zfill(4), text) if found else Reading(None, IssueCode.AGENCY_FORMAT)


def read_account(text: str, kind: CellKind = CellKind.TEXT) -> Reading[str]:
    """Read an account number; its check digit, X and P included, is glued to it.

    >>> read_account("12.345-6").value, read_account("12351-x").value
    ('123456', '12351X')
    >>> read_account("1.23457E+11").code.value
    'ACCOUNT_PRECISION'
    """
    plain = text.strip(BLANKS)
    if kind in {CellKind.DATE, CellKind.BOOL}:
        return Reading(None, IssueCode.ACCOUNT_FORMAT)
    if found := _SCIENTIFIC.fullmatch(plain):
        if len(found[1] or "") != int(found[2]):
            return Reading(None, IssueCode.ACCOUNT_PRECISION)
        plain = str(int(Decimal(plain.replace(",", "."))))
    elif found := _FLOAT.fullmatch(plain):
        plain = found[1]
    if kind is CellKind.NUMBER and len(plain) > _EXACT_DIGITS:
        return Reading(None, IssueCode.ACCOUNT_PRECISION)
    found = _ACCOUNT.fullmatch(plain)
    if found is None or (kind is CellKind.NUMBER and not plain.isdecimal()):
        return Reading(None, IssueCode.ACCOUNT_FORMAT)
    account = found[1].replace(".", "") + (found[2] or "").upper()
    if len(account) > _LONGEST_ACCOUNT or not account.strip("0"):
        return Reading(None, IssueCode.ACCOUNT_FORMAT)
    # Writing the check digit with a hyphen, or not, is a matter of taste and needs no note.
    return Reading(account, None if plain == text else IssueCode.VALUE_NORMALISED)


def read_account_type(text: str) -> Reading[AccountType]:
    """Read the type of an account: the wire's word or a Portuguese one."""
    found = ACCOUNT_TYPES.get(fold_word(text))
    return Reading(found, None if found else IssueCode.ACCOUNT_TYPE)


def _noted(value: str, text: str) -> Reading[str]:
    return Reading(value, None if value == text else IssueCode.VALUE_NORMALISED)


_SANTANDER_WEIGHTS: Final = (9, 7, 3, 1, 0, 0, 9, 7, 1, 3, 1, 9, 7, 3)
_VERHOEFF_PRODUCT: Final = tuple(
    tuple((a + b) % 5 if a < 5 and b < 5 else 5 + (a + b) % 5 if a < 5 else 5 + (a - b) % 5 if b < 5 else (a - b) % 5
          for b in range(10))
    for a in range(10)
)  # fmt: skip  # the dihedral group of order 10
_VERHOEFF_SHIFT: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def check_account_digit(bank_code: str, agency: str, account: str) -> bool | None:
    """Tell whether an account's last character is its check digit.

    Args:
        bank_code: Three digits.
        agency: Four digits, without a check digit of its own.
        account: Digits and the check character, glued; X and P stand for themselves.

    Returns:
        None when the bank's rule is not known or does not reach accounts of this length.

    >>> check_account_digit("341", "4313", "431290"), check_account_digit("341", "4313", "431291")
    (True, False)
    """
    number, digit = account[:-1], account[-1:]
    rule = _RULES.get(bank_code)
    if rule is None or not (number.isdecimal() and agency.isdecimal()):
        return None
    accepted = rule(agency, number)
    return None if accepted is None else digit in accepted


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _banco_do_brasil(_agency: str, number: str) -> str | None:
    if len(number) > 8:
        return None
    digit = 11 - _weighted(number.zfill(8), (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return {10: "X0", 11: "0"}.get(digit, str(digit))  # the central bank's key directory writes X as 0


def _bradesco(_agency: str, number: str) -> str | None:
    if len(number) > 7:
        return None
    remainder = _weighted(number.zfill(7), (2, 7, 6, 5, 4, 3, 2)) % 11
    return {0: "0", 1: "P0"}.get(remainder, str(11 - remainder))


def _itau(agency: str, number: str) -> str | None:
    if len(number) > 5:
        return None
    products = [int(d) * (2 - i % 2) for i, d in enumerate(agency + number.zfill(5))]
    return str(-sum(product // 10 + product % 10 for product in products) % 10)


def _santander(agency: str, number: str) -> str | None:
    if len(number) > 8:
        return None
    digits = agency + "00" + number.zfill(8)
    return str(-sum(int(d) * w % 10 for d, w in zip(digits, _SANTANDER_WEIGHTS, strict=True)) % 10)


def _caixa(agency: str, number: str) -> str | None:
    if len(number) != 11:  # operation and number; the newer 12-digit accounts follow another rule
        return None
    remainder = _weighted(agency + number, (8, 7, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11
    return str(remainder % 10)


def _nubank(_agency: str, number: str) -> str:
    check = 0
    for position, digit in enumerate(reversed(number.lstrip("0")), start=1):
        shifted = int(digit)
        for _ in range(position % 8):
            shifted = _VERHOEFF_SHIFT[shifted]
        check = _VERHOEFF_PRODUCT[check][shifted]
    return str(_VERHOEFF_PRODUCT[check].index(0))


def _c6(_agency: str, number: str) -> str | None:
    if len(number) > 7:
        return None
    remainder = _weighted(number.zfill(7), (8, 7, 6, 5, 4, 3, 2)) % 11
    return "0" if remainder < 2 else str(11 - remainder)


def _banrisul(_agency: str, number: str) -> str | None:
    if len(number) > 9:
        return None
    remainder = _weighted(number.zfill(9), (3, 2, 4, 7, 6, 5, 4, 3, 2)) % 11
    return {0: "0", 1: "6"}.get(remainder, str(11 - remainder))


_RULES: Final[dict[str, Callable[[str, str], str | None]]] = {
    "001": _banco_do_brasil,
    "033": _santander,
    "041": _banrisul,
    "104": _caixa,
    "237": _bradesco,
    "260": _nubank,
    "336": _c6,
    "341": _itau,
}
