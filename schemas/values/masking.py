"""Masking personal values: enough for their owner to recognise them, too little for anybody else to use.

The masks are those public bodies use (CPF: three first and two last digits hidden). A value that does not have the
shape its column promises is described by length and kind, never shown.
"""

import hashlib
import re
from collections.abc import Callable
from typing import Final

from schemas.values.reading import BLANKS
from schemas.values.tax_id import parse_tax_id

_EMAIL: Final = re.compile(r"([^@\s]+)@([^@\s.])[^@\s]*?(\.[^@\s.]+)?")
_EVP: Final = re.compile(r"[0-9a-fA-F]{8}-(?:[0-9a-fA-F]{4}-){3}[0-9a-fA-F]{12}")
_BRAZILIAN_PHONE: Final = re.compile(r"\+55([0-9]{2})9[0-9]{4}([0-9]{4})")
_FOREIGN_PHONE: Final = re.compile(r"\+[1-9][0-9]{6,14}")
_ACCOUNT: Final = re.compile(r"[0-9]{3,19}-?[0-9XP]")
_PERSONAL_NUMBER: Final = re.compile(r"(?:[0-9][ .\-/()]?){8,}")
_UNPRINTABLE: Final = re.compile(r"[^\x20-\x7e\u00a0-\u024f\u20ac\u2212]")
_SHOWN: Final = 40


def describe(text: str) -> str:
    """Say only how long a value is and what it is made of.

    >>> describe("1144477735"), describe("Maria 12")
    ('10 digits', '8 characters')
    """
    kind = "digits" if re.fullmatch(r"[0-9]+", text) else "letters" if text.isalpha() else "characters"
    return f"{len(text)} {kind if len(text) != 1 else kind.removesuffix('s')}"


def mask_tax_id(text: str) -> str:
    """Mask a CPF or CNPJ.

    >>> mask_tax_id("52998224725"), mask_tax_id("12.ABC.345/01DE-35")
    ('***.982.247-**', '12.***.***/****-35')
    """
    tax_id = parse_tax_id(text).value
    if tax_id is None:
        return describe(text)
    return f"***.{tax_id[3:6]}.{tax_id[6:9]}-**" if len(tax_id) == 11 else f"{tax_id[:2]}.***.***/****-{tax_id[12:]}"


def mask_email(text: str) -> str:
    """Mask an e-mail address.

    >>> mask_email("fulano@example.com"), mask_email("a@example.com.br")
    ('f***o@e***.com', 'a***@e***.br')
    """
    found = _EMAIL.fullmatch(text.strip(BLANKS))
    if found is None:
        return describe(text)
    local = found[1][0] + "***" + (found[1][-1] if len(found[1]) > 2 else "")
    return f"{local}@{found[2]}***{found[3] or ''}"


def mask_phone(text: str) -> str:
    """Mask a phone number.

    >>> mask_phone("+5511987654321"), mask_phone("+12025550123")
    ('+55 11 *****-4321', '+***0123')
    """
    if found := _BRAZILIAN_PHONE.fullmatch(text):
        return f"+55 {found[1]} *****-{found[2]}"
    return f"+***{text[-4:]}" if _FOREIGN_PHONE.fullmatch(text) else describe(text)


def mask_random_key(text: str) -> str:
    """Mask a random Pix key: its first eight and last four characters remain."""
    return f"{text[:8]}-****-...-{text[-4:]}" if _EVP.fullmatch(text) else describe(text)


def mask_account(text: str) -> str:
    """Mask an account number: its last character remains."""
    return f"****{text[-1]}" if _ACCOUNT.fullmatch(text) else describe(text)


def mask_pix_key(key: str, key_type: str) -> str:
    """Mask a Pix key by its stated type; one of an unknown type is only described."""
    return _BY_KEY_TYPE.get(key_type, describe)(key)


def mask_name(text: str) -> str:
    """Mask a name: the first letter of each word remains.

    >>> mask_name("Maria da Silva")
    'M*** d*** S***'
    """
    words = text.split()
    if not words or len(words) > 6 or not all(word[0].isalpha() and word.isprintable() for word in words):
        return describe(text)
    return " ".join(f"{word[0]}***" for word in words)


def mask_value(column: str, text: str) -> str:
    """Mask a cell by the column it stands in.

    Returns:
        What may be shown; "" for an empty cell. Columns that hold nothing personal are shown, unless what stands
        there looks like a document, a phone, an account or an address that slipped into the wrong column.
    """
    if not text:
        return ""
    if mask := _BY_COLUMN.get(column):
        return mask(text)
    if "@" in text:
        return mask_email(text)
    if parse_tax_id(text).value is not None:
        return mask_tax_id(text)
    if column not in _NUMBERED and _PERSONAL_NUMBER.search(text):
        return describe(text)
    shown = _UNPRINTABLE.sub(lambda found: f"<U+{ord(found[0]):04X}>", text)
    return shown if len(shown) <= _SHOWN else shown[:_SHOWN] + "..."


def mask_within(text: str) -> str:
    """Mask documents, phones, accounts and addresses that stand somewhere in a text that people wrote.

    >>> mask_within("ligar para (11) 98765-4321 ou ana@example.com, CPF 529.982.247-25")
    'ligar para ****21 ou a***a@e***.com, CPF ***.982.247-**'
    """
    without_addresses = _EMAIL_WITHIN.sub(lambda found: mask_email(found[0]), text)
    return _PERSONAL_NUMBER_WITHIN.sub(lambda found: _mask_number(found[0]), without_addresses)


def _mask_number(text: str) -> str:
    if parse_tax_id(text).value is not None:
        return mask_tax_id(text)
    return f"****{''.join(filter(str.isdigit, text))[-2:]}"


_EMAIL_WITHIN: Final = re.compile(r"[^@\s,;:<>()]+@[^@\s,;:<>()]+\w")
_PERSONAL_NUMBER_WITHIN: Final = re.compile(r"\+?\(?(?:[0-9][ .\-/()]{0,2}){7,}[0-9]")


def _mask_any_key(text: str) -> str:
    if "@" in text:
        return mask_email(text)
    if text.startswith("+"):
        return mask_phone(text)
    return mask_random_key(text) if "-" in text and _EVP.fullmatch(text) else describe(text)


_BY_KEY_TYPE: Final[dict[str, Callable[[str], str]]] = {
    "cpf": mask_tax_id,
    "cnpj": mask_tax_id,
    "phone_number": mask_phone,
    "email": mask_email,
    "random_key": mask_random_key,
}
_BY_COLUMN: Final[dict[str, Callable[[str], str]]] = {
    "name": mask_name,
    "account_holder": mask_name,
    "original_name": mask_name,
    "parent_name": mask_name,
    "tax_id": mask_tax_id,
    "original_tax_id": mask_tax_id,
    "parent_id": describe,
    "contact_id": describe,
    "email": mask_email,
    "pix_key": _mask_any_key,
    "account": mask_account,
    "account_digit": describe,
}
# Columns whose own values are long numbers or dates.
_NUMBERED: Final = frozenset(
    {
        "amount",
        "owner_amount",
        "share",
        "percentage",
        "units",
        "isrc",
        "upc",
        "period",
        "date",
        "valid_from",
        "valid_to",
    }
)


def digest_of(*parts: str | bytes) -> str:
    """Return the sha256 of length-framed parts as hex; no two different lists of parts share an input."""
    encoded = [part if isinstance(part, bytes) else part.encode() for part in parts]
    return hashlib.sha256(b"".join([len(data).to_bytes(8, "big") + data for data in encoded])).hexdigest()


_BASE32: Final = "abcdefghijklmnopqrstuvwxyz234567"
_PAIRS: Final = [first + second for first in _BASE32 for second in _BASE32]


def short_token(hex_digest: str, length: int) -> str:
    """Return a hex digest as lower-case base32, cut to a length people and names can bear."""
    bits = int(hex_digest, 16) >> 6  # two characters at a time hold 250 of its 256 bits
    return "".join([_PAIRS[bits >> shift & 1023] for shift in range(240, 240 - 5 * length, -10)])[:length]
