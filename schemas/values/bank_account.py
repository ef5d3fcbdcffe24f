"""Bank accounts and destinations: fields, what spreadsheets do to them, check digits, where money goes."""

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from schemas.issues import IssueCode
from schemas.sheet_cells import CellKind
from schemas.values.masking import digest_of
from schemas.values.reading import ACCOUNT_TYPES, BLANKS, Reading, fold_word
from schemas.wire import AccountType, PixKeyType

# A number has lost the zeros before it, and only a number is written with ".0" behind it; a text of two digits may lack
# any digit.
_BANK_NUMBER: Final = re.compile(r"([0-9]{1,3})\.0+")
_BANK_CODE: Final = re.compile(r"([0-9]{3})(?: *[-–—/|] *(\S.*)| +([^\W\d_(].*|\(.*))?")
_BANK_CODE_LAST: Final = re.compile(r"([^\W\d_].*?) *[-–—/|( ] *([0-9]{3})\)?")
_PSP_NUMBER: Final = re.compile(r"([0-9]{1,8})(?:\.0+)?")
_PSP: Final = re.compile(r"[0-9A-Z]{8}")
_AGENCY: Final = re.compile(r"([0-9]{1,4})(?:\.0+)?")
_AGENCY_AND_DIGIT: Final = re.compile(r"([0-9]{1,4}) ?[-–/] ?([0-9XxPp])")
_OPERATION_AND_ACCOUNT: Final = re.compile(r"([0-9]{3}) ?[ .\-/] ?([0-9]{1,8}) ?-? ?([0-9])")
_FLOAT: Final = re.compile(r"([0-9]+)\.0+")
_SCIENTIFIC: Final = re.compile(r"[0-9](?:[.,]([0-9]+))?[eE]\+?([0-9]{1,3})")
_ACCOUNT: Final = re.compile(r"([0-9]{1,19}|[0-9]{1,3}(?:\.[0-9]{3})+)(?:-?([0-9XPxp]))?")
_LONGEST_ACCOUNT: Final = 20
_EXACT_DIGITS: Final = 15  # what a spreadsheet keeps of a number
# Names by which people call the banks they write down most -> code; the codes are those of the central bank's list.
_BANK_NAMES: Final[dict[str, str]] = {
    name: code
    for code, names in {
        "001": ("bb", "bancodobrasil"),
        "033": ("santander", "santanderbrasil"),
        "077": ("inter",),
        "104": ("caixa", "cef", "cx", "caixaeconomica", "caixaeconomicafederal"),
        "237": ("bradesco",),
        "260": ("nubank", "nupagamentos"),
        "290": ("pagbank", "pagseguro", "pagseguropagbank"),
        "323": ("mercadopago",),
        "336": ("c6", "c6bank"),
        "341": ("itau", "itauunibanco"),
    }.items()
    for name in names
}


def bank_named(text: str) -> str | None:
    """Return the code of a bank that people call by a name, None for a name that is not known, or is of several.

    >>> bank_named("Banco Itaú S.A."), bank_named("Caixa Econômica Federal"), bank_named("Banco da Esquina")
    ('341', '104', None)
    """
    name = fold_word(text).removesuffix("sa")
    return _BANK_NAMES.get(name) or _BANK_NAMES.get(name.removeprefix("banco"))


def read_bank_code(text: str, kind: CellKind = CellKind.TEXT) -> Reading[str]:
    """Read a COMPE code: "077", the number 77, "001 - Banco do Brasil", "Itaú (341)"; canonical form three digits.

    >>> read_bank_code("34").code.value, read_bank_code("34", CellKind.NUMBER).value
    ('BANK_CODE', '034')
    >>> read_bank_code("237 - Itaú").code.value
    'BANK_CODE'
    """
    code, name = text, ""
    if kind is CellKind.NUMBER:
        code = text.removesuffix(".0").zfill(3)
    elif found := _BANK_NUMBER.fullmatch(text):
        code = found[1].zfill(3)
    elif found := _BANK_CODE.fullmatch(text):
        code, name = found[1], found[2] or found[3] or ""
    elif found := _BANK_CODE_LAST.fullmatch(text):
        name, code = found.groups()
    is_code = re.fullmatch("[0-9]{3}", code) is not None and code != "000"
    if not is_code or bank_named(name) not in {None, code}:
        return Reading(None, IssueCode.BANK_CODE)
    return _noted(code, text)


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


def read_agency_with_digit(text: str, bank_code: str) -> str | None:
    """Read an agency that is written with its check digit; None unless the bank's rule proves that it is one.

    >>> read_agency_with_digit("1584-9", "001"), read_agency_with_digit("1584-8", "001")
    ('1584', None)
    """
    found = _AGENCY_AND_DIGIT.fullmatch(text)
    if found is None or bank_code not in _AGENCY_DIGIT_OF_TEN:
        return None
    agency = found[1].zfill(4)
    digit = 11 - _weighted(agency, (5, 4, 3, 2)) % 11
    accepted = {10: _AGENCY_DIGIT_OF_TEN[bank_code], 11: "0"}.get(digit, str(digit))
    return agency if found[2].upper() in accepted else None


def read_account_with_operation(text: str, bank_code: str, agency: str) -> str | None:
    """Read an account of Caixa that is written behind its operation; None unless the check digit proves that it is.

    >>> read_account_with_operation("013 00012345-2", "104", "1278")
    '013000123452'
    """
    found = _OPERATION_AND_ACCOUNT.fullmatch(text)
    if found is None or bank_code != _CAIXA:
        return None
    account = found[1] + found[2].zfill(8) + found[3]
    return account if check_account_digit(bank_code, agency, account) else None


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


def read_check_digit(text: str) -> Reading[str]:
    """Read the check digit of an account, which stands in a column of its own."""
    digit = text.removesuffix(".0").upper()
    return Reading(digit) if re.fullmatch("[0-9XP]", digit) else Reading(None, IssueCode.ACCOUNT_DIGIT_FORMAT)


def with_digit(text: str, account: str, digit: str, bank_code: str, agency: str) -> str | None:
    """Join an account and its check digit; None where they contradict each other, or the digit is missing.

    Args:
        digit: From a column of its own; "" where that is empty.

    >>> with_digit("43129", "43129", "0", "341", "4313"), with_digit("43129-0", "431290", "0", "341", "4313")
    ('431290', '431290')
    >>> with_digit("43129-0", "431290", "1", "341", "4313"), with_digit("43129", "43129", "", "999", "4313")
    (None, None)
    """
    if "-" in text:
        return account if digit in {"", account[-1]} else None
    joined = account + digit
    if not digit or not account.isdecimal() or len(joined) > _LONGEST_ACCOUNT:
        return None
    is_whole, is_whole_joined = (check_account_digit(bank_code, agency, number) for number in (account, joined))
    return account if account[-1] == digit and is_whole and not is_whole_joined else joined


def read_account_type(text: str) -> Reading[AccountType]:
    """Read the type of an account: the wire's word or a Portuguese one."""
    found = ACCOUNT_TYPES.get(fold_word(text))
    return Reading(found, None if found else IssueCode.ACCOUNT_TYPE)


def _noted(value: str, text: str) -> Reading[str]:
    return Reading(value, None if value == text else IssueCode.VALUE_NORMALISED)


_CAIXA: Final = "104"
# What stands for a check digit of ten in an agency: Banco do Brasil and Bradesco reckon alike, and write it otherwise.
_AGENCY_DIGIT_OF_TEN: Final = {"001": "X0", "237": "P0"}
_SANTANDER_WEIGHTS: Final = (9, 7, 3, 1, 0, 0, 9, 7, 1, 3, 1, 9, 7, 3)
_VERHOEFF_PRODUCT: Final = tuple(
    tuple((a + b) % 5 if a < 5 and b < 5 else 5 + (a + b) % 5 if a < 5 else 5 + (a - b) % 5 if b < 5 else (a - b) % 5
          for b in range(10))
    for a in range(10)
)  # fmt: skip  # the dihedral group of order 10
_VERHOEFF_SHIFT: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def check_account_digit(bank_code: str, agency: str, account: str) -> bool | None:
    """Tell whether an account's last character is its check digit.

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
DESTINATION_COLUMNS = (
    "pix_key",
    "pix_key_type",
    "bank_code",
    "psp_id",
    "agency",
    "account",
    "account_type",
)


@dataclass(frozen=True, slots=True)
class PixKey:
    """A Pix key in canonical form."""

    key: str
    key_type: PixKeyType

    @property
    def fingerprint(self) -> str:
        """Hex sha256; the same key of the same type always has the same one."""
        return digest_of("pix", self.key_type, self.key)


@dataclass(frozen=True, slots=True)
class BankAccount:
    """A bank account in canonical form (`schemas.values.bank_account`).

    Attributes:
        psp_id: ISPB, eight characters; "" as long as it is to be taken from the list of institutions.
    """

    bank_code: str
    psp_id: str
    agency: str
    account: str
    account_type: AccountType
    holder: str = ""

    @property
    def fingerprint(self) -> str:
        """Hex sha256; the holder's name, which people spell in many ways, is not in it."""
        return digest_of("account", self.bank_code, self.psp_id, self.agency, self.account, self.account_type)


Destination = PixKey | BankAccount


def destination_of(  # noqa: PLR0913  # the columns of a destination
    *,
    pix_key: str = "",
    pix_key_type: str = "",
    bank_code: str = "",
    psp_id: str = "",
    agency: str = "",
    account: str = "",
    account_type: str = "",
    account_holder: str = "",
) -> Destination | None:
    """Build the destination of a checked row from its columns; None when it has none."""
    if pix_key:
        return PixKey(pix_key, pix_key_type)  # type: ignore[arg-type]  # the row was checked
    if account:
        return BankAccount(bank_code, psp_id, agency, account, account_type, account_holder)  # type: ignore[arg-type]
    return None
