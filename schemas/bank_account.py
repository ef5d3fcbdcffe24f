"""The fields of a bank account, one at a time: what spreadsheets do to them is undone where nothing was lost.

Sources: DICT (agency of up to 4 digits without its check digit, account of up to 20 with it), COMPE codes of 3 digits,
ISPB of 8 characters. "0" as an ISPB is Banco do Brasil, and never missing.
"""

import re
from decimal import Decimal
from typing import Final

from schemas.issues import IssueCode
from schemas.reading import BLANKS, Reading
from schemas.sheet_cells import CellKind
from schemas.wire import AccountType
from schemas.words import ACCOUNT_TYPES, fold_word

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
