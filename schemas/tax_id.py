"""CPF and CNPJ, numeric and alphanumeric, one value at a time (`schemas.tax_id_column` reads whole columns).

Rules: CPF modulo 11 with the ten all-equal numbers refused (their digits are right, nobody bears them); CNPJ by
IN RFB 2.229/2024, each character worth ord(c) - 48, weights 2..9 from right to left. No letter is excluded. The
canonical form has no mask: 11 digits, or 12 of [0-9A-Z] and 2 digits.

Reading is strict about what it may repair: outer blanks, the marks . - / where a mask has one, lower case, and what
a spreadsheet makes of a number without losing a digit. All but the mask is told with TAXID_NORMALISED. Zeros are never
put back: one in a hundred random 10-digit numbers padded to 11 is somebody's CPF.
"""

import re
from decimal import Decimal
from typing import Any, Final, Literal

from schemas.issues import IssueCode
from schemas.reading import BLANKS, Reading

TaxIdReading = Reading[str]

_CPF: Final = re.compile(r"([0-9]{3})[.\-/]?([0-9]{3})[.\-/]?([0-9]{3})[.\-/]?([0-9]{2})")
_CNPJ: Final = re.compile(r"([0-9A-Z]{2})[.\-/]?([0-9A-Z]{3})[.\-/]?([0-9A-Z]{3})[.\-/]?([0-9A-Z]{4})[.\-/]?([0-9]{2})")
_CANONICAL: Final = re.compile(r"[0-9]{11}|[0-9A-Z]{12}[0-9]{2}")
_FLOAT: Final = re.compile(r"([0-9]+)\.0+")
_SCIENTIFIC: Final = re.compile(r"([0-9])\.([0-9]+)[eE]\+?([0-9]{1,3})")
_MASK_MARKS: Final = str.maketrans("", "", ".-/")
_COUNTED: Final = re.compile(r"[A-Z]*[0-9][0-9A-Z]*")


def check_digits(body: str) -> str:
    """Return the two check digits of a CPF body (9 digits) or a CNPJ body (12 of [0-9A-Z]).

    Raises:
        ValueError: the body has another form.

    >>> check_digits("529982247"), check_digits("12ABC34501DE")
    ('25', '35')
    """
    if re.fullmatch(r"[0-9]{9}", body):
        highest_weight = 11
    elif re.fullmatch(r"[0-9A-Z]{12}", body):
        highest_weight = 9
    else:
        raise ValueError("a CPF body has 9 digits, a CNPJ body 12 digits or capital letters")
    worth = [ord(character) - 48 for character in body]
    for _ in range(2):
        remainder = sum(w * (2 + i % (highest_weight - 1)) for i, w in enumerate(reversed(worth))) % 11
        worth.append(0 if remainder < 2 else 11 - remainder)
    return f"{worth[-2]}{worth[-1]}"


def is_tax_id(text: str) -> bool:
    """Tell whether a text is a valid CPF or CNPJ in canonical form.

    >>> is_tax_id("52998224725"), is_tax_id("529.982.247-25"), is_tax_id("11111111111")
    (True, False, False)
    """
    return _CANONICAL.fullmatch(text) is not None and len(set(text)) > 1 and check_digits(text[:-2]) == text[-2:]


def kind_of(tax_id: str) -> Literal["cpf", "cnpj"]:
    """Tell which kind a canonical tax id is."""
    return "cpf" if len(tax_id) == 11 else "cnpj"


def format_tax_id(tax_id: str) -> str:
    """Write a canonical tax id with its mask.

    >>> format_tax_id("52998224725"), format_tax_id("12ABC34501DE35")
    ('529.982.247-25', '12.ABC.345/01DE-35')
    """
    t = tax_id
    if len(t) == 11:
        return f"{t[:3]}.{t[3:6]}.{t[6:9]}-{t[9:]}"
    return f"{t[:2]}.{t[2:5]}.{t[5:8]}/{t[8:12]}-{t[12:]}"


def parse_tax_id(text: str) -> TaxIdReading:
    """Read a tax id as a person or a spreadsheet wrote it.

    Returns:
        The canonical tax id, with TAXID_NORMALISED when more than a mask was taken off; or no value and TAXID_FORMAT,
        TAXID_LENGTH (fact `found`) or TAXID_CHECK.

    >>> parse_tax_id("12.abc.345/01de-35").value
    '12ABC34501DE35'
    >>> parse_tax_id("1144477735").code.value
    'TAXID_LENGTH'
    """
    plain = text.strip(BLANKS)
    if not plain.isascii():
        return Reading(None, IssueCode.TAXID_FORMAT)
    plain = _expand_number(plain.upper())
    found = _CPF.fullmatch(plain) or _CNPJ.fullmatch(plain)
    if found is None:
        return _misshapen(plain)
    tax_id = "".join(found.groups())
    if not is_tax_id(tax_id):
        return Reading(None, IssueCode.TAXID_CHECK)
    return Reading(tax_id, None if plain == text else IssueCode.TAXID_NORMALISED)


def require_tax_id(value: Any) -> str:  # noqa: ANN401
    """Return the canonical form of a tax id.

    Raises:
        ValueError: it is none; the message says why and does not repeat the value.
    """
    if not isinstance(value, str):
        raise ValueError("write the CPF or CNPJ in quotes, so that no digit is lost")  # for pydantic
    reading = parse_tax_id(value)
    if reading.value is not None:
        return reading.value
    if reading.code is IssueCode.TAXID_LENGTH:
        raise ValueError(f"a CPF has 11 digits and a CNPJ 14; this has {reading.facts['found']}")
    if reading.code is IssueCode.TAXID_CHECK:
        raise ValueError("the check digits of this CPF or CNPJ are wrong")
    raise ValueError("this is not a CPF (999.999.999-99) or CNPJ (XX.XXX.XXX/XXXX-99)")


def _expand_number(text: str) -> str:
    """Undo the float and scientific forms of an integer, as long as every digit is still there."""
    if found := _FLOAT.fullmatch(text):
        return found[1]
    found = _SCIENTIFIC.fullmatch(text)
    if found and len(found[2]) == int(found[3]):
        return str(int(Decimal(text)))
    return text


def _misshapen(plain: str) -> TaxIdReading:
    bare = plain.translate(_MASK_MARKS)
    if _COUNTED.fullmatch(bare) and len(bare) not in {11, 14} and not _SCIENTIFIC.fullmatch(plain):
        return Reading(None, IssueCode.TAXID_LENGTH, {"found": len(bare)})
    return Reading(None, IssueCode.TAXID_FORMAT)
