"""Pix keys: the type is stated, never guessed, and the key must fit it.

Formats are the central bank's (DICT API 1.8.0, and pix-api 2.9.0 for letters in a CNPJ), narrowed where DICT is looser
than what can be paid: check digits, the 67 area codes, mobiles that start with 9, no nil UUID.
"""

import hashlib
import re
from dataclasses import dataclass, field
from typing import Final

from schemas.issues import IssueCode
from schemas.values.reading import BLANKS, Reading, key_types_of, without_accents
from schemas.values.tax_id import is_tax_id, kind_of, parse_tax_id
from schemas.wire import PixKeyType

# Region -> second digits in use.
_REGIONS: Final = {
    "1": "123456789",
    "2": "12478",
    "3": "1234578",
    "4": "123456789",
    "5": "1345",
    "6": "123456789",
    "7": "134579",
    "8": "123456789",
    "9": "123456789",
}
AREA_CODES: Final = frozenset(region + digit for region, digits in _REGIONS.items() for digit in digits)
_LONGEST_EMAIL: Final = 77
_LABEL: Final = r"[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?"
_EMAIL: Final = re.compile(rf"[a-z0-9.!#$&'*+/=?^_`{{|}}~-]+@{_LABEL}(?:\.{_LABEL})*")
_EVP: Final = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
_NIL_UUID: Final = "00000000-0000-0000-0000-000000000000"
_FOREIGN_PHONE: Final = re.compile(r"\+[1-9][0-9]{2,15}")
_PHONE_MARKS: Final = str.maketrans("", "", " ().-\u00a0")
EITHER_DOCUMENT: Final = frozenset({"cpf", "cnpj"})
_MASKED_CPF: Final = re.compile(r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}")
_BARE_PHONE: Final = re.compile(r"(?:55)?([0-9]{11})")


def read_pix_key_type(text: str) -> Reading[PixKeyType]:
    """Read the stated type of a Pix key: the wire's word or one of people; "CPF/CNPJ" is left to `document_type`."""
    found = key_types_of(text)
    if found == EITHER_DOCUMENT:
        return Reading(None)
    return Reading(next(iter(found))) if len(found) == 1 else Reading(None, IssueCode.PIX_TYPE_UNKNOWN)


def document_type(text: str, owner: str) -> PixKeyType | None:
    """Return which document a key is that is stated to be a CPF or a CNPJ; None when it may be neither.

    Eleven bare digits may be a phone as well: they are a CPF only as the payee's own.

    Args:
        owner: Canonical tax id of the payee; "" when it is not known.
    """
    document = parse_tax_id(text).value
    if document is None:
        return None
    is_proven = document == owner or kind_of(document) == "cnpj" or _MASKED_CPF.fullmatch(text.strip(BLANKS))
    return kind_of(document) if is_proven else None


def read_pix_key(text: str, key_type: PixKeyType, owner: str = "") -> Reading[str]:
    """Read a Pix key of a stated type.

    Args:
        owner: Canonical tax id of the payee; "" when it is not known. A CPF or CNPJ key must equal it.

    Returns:
        The key as the wire takes it; with TAXID_NORMALISED or VALUE_NORMALISED when it was written otherwise, with
        PIX_PHONE_FOREIGN for a number outside Brazil. No value and the rule of its type when it does not fit.
    """
    text = text.strip(BLANKS)
    match key_type:
        case "cpf" | "cnpj":
            return _read_document(text, key_type, owner)
        case "phone_number":
            return _read_phone(text)
        case "email":
            key = text.lower()
            sound = len(key) <= _LONGEST_EMAIL and _EMAIL.fullmatch(key) is not None
            return _as_written(key, text) if sound else Reading(None, IssueCode.PIX_EMAIL)
        case "random_key":
            key = text.lower()
            sound = _EVP.fullmatch(key) is not None and key != _NIL_UUID
            return _as_written(key, text) if sound else Reading(None, IssueCode.PIX_EVP)


_MASKED_DOCUMENT: Final = re.compile(
    r"[0-9]{3}\.[0-9]{3}\.[0-9]{3}-[0-9]{2}|[0-9A-Z]{2}\.[0-9A-Z]{3}\.[0-9A-Z]{3}/[0-9A-Z]{4}-[0-9]{2}"
)
_BARE_MOBILE: Final = re.compile(r"(?:55 ?)?[0-9]{2}[ .-]?9[ .-]?[0-9]{4}[ .-]?[0-9]{4}")
_SHOWN_PHONE: Final = re.compile(r"\+55.*|(?:\+?55 ?)?\([0-9]{2}\).*")


@dataclass(frozen=True, slots=True)
class WrittenKey:
    """A key as a cell has it."""

    text: str = field(repr=False)
    named: PixKeyType | None = None


_OWN: Final = re.compile(
    r"(?:(?:o|a|pelo|no|com o) )?(?:(?:mesmo|mesma|proprio|propria|seu|meu|same|own) )*(cpf|cnpj|documento|e ?-?mail)"
    r"(?: (?:mesmo|acima|ao lado|do favorecido|do titular|dele|dela))?"
)


def written_key(text: str, owner: str = "", email: str = "") -> WrittenKey:
    """Part a cell into a key and the type it names: "CPF: 529.982.247-25", "e-mail ana@example.com", "o mesmo CPF".

    Args:
        owner: Canonical tax id of the payee; "" when it is not known.
        email: The payee's; "" when it is not known.

    >>> written_key("Celular: 11 98765-4321").text, written_key("o mesmo CPF", "52998224725").text
    ('11 98765-4321', '52998224725')
    """
    text = text.strip(BLANKS)
    if own := _OWN.fullmatch(" ".join(without_accents(text).split())):
        kind = kind_of(owner) if owner else None
        if kind and own[1] in {kind, "documento"}:
            return WrittenKey(owner, kind)
        return WrittenKey(email, "email") if email and own[1].endswith("mail") else WrittenKey(text)
    for mark in (":", "=", " - ", " "):
        name, found, key = text.partition(mark)
        named = key_types_of(name) if found and key.strip(BLANKS) else frozenset()
        if len(named) == 1:
            return WrittenKey(key.strip(BLANKS), next(iter(named)))
    return WrittenKey(text)


def proposed_key_type(text: str, owner: str, email: str = "", header: str = "") -> PixKeyType | None:
    """Return the one type that a key can be of by how it is written, to be confirmed by a person; None for several.

    What the cell itself names goes first, then what its header does. Eleven bare digits that are no CPF, with an area
    code and a nine behind it, are a phone; those that may be a CPF are the payee's own, or nobody's to say.

    Args:
        owner: Canonical tax id of the payee; "" when it is not known.
        email: The payee's; "" when it is not known.

    >>> proposed_key_type("ana@example.com", ""), proposed_key_type("(11) 98765-4321", "")
    ('email', 'phone_number')
    >>> proposed_key_type("529.982.247-25", ""), proposed_key_type("52998224725", "52998224725")
    ('cpf', 'cpf')
    >>> proposed_key_type("52998224725", ""), proposed_key_type("11987654321", "")
    (None, 'phone_number')
    """
    written = written_key(text, owner, email)
    text = written.text
    if written.named:
        return written.named if read_pix_key(text, written.named, owner).value else None
    of_header = key_types_of(header)
    if len(of_header) == 1 and read_pix_key(text, kind := next(iter(of_header)), owner).value:
        return kind
    document = parse_tax_id(text).value
    if document and (document == owner or _MASKED_DOCUMENT.fullmatch(text.upper()) or kind_of(document) == "cnpj"):
        return kind_of(document)
    shown: tuple[tuple[PixKeyType, bool], ...] = (
        ("email", "@" in text),
        ("random_key", True),
        ("phone_number", (_SHOWN_PHONE.fullmatch(text) or _BARE_MOBILE.fullmatch(text)) is not None),
    )
    return next((kind for kind, may in shown if may and read_pix_key(text, kind).value), None)


def key_digest(text: str) -> str:
    """Name a key for a record of what was confirmed of it, however its letters are written."""
    return hashlib.sha256(text.strip(BLANKS).casefold().encode()).hexdigest()


def _read_document(text: str, key_type: PixKeyType, owner: str) -> Reading[str]:
    reading = parse_tax_id(text)
    if reading.value is None or kind_of(reading.value) != key_type:
        return Reading(None, IssueCode.PIX_CPF if key_type == "cpf" else IssueCode.PIX_CNPJ)
    if owner and reading.value != owner:
        return Reading(None, IssueCode.PIX_OWNER)
    return reading


def _read_phone(text: str) -> Reading[str]:
    plain = text.translate(_PHONE_MARKS)
    if plain.startswith("+") and not plain.startswith("+55"):
        sound = _FOREIGN_PHONE.fullmatch(plain) is not None
        return Reading(plain, IssueCode.PIX_PHONE_FOREIGN) if sound else Reading(None, IssueCode.PIX_PHONE)
    found = _BARE_PHONE.fullmatch(plain.removeprefix("+"))
    if found is None or (plain.startswith("+") and len(plain) != 14):
        return Reading(None, IssueCode.PIX_PHONE)
    national = found[1]
    if national[:2] not in AREA_CODES or national[2] != "9":
        return Reading(None, IssueCode.PIX_PHONE)
    # The bare form of such a number is paid to the holder of the CPF, who is somebody else.
    if plain == national and is_tax_id(national) and "(" not in text:
        return Reading(None, IssueCode.PIX_AMBIGUOUS)
    return _as_written("+55" + national, text)


def _as_written(key: str, text: str) -> Reading[str]:
    return Reading(key, None if key == text else IssueCode.VALUE_NORMALISED)
