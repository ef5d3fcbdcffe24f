"""BR Code: decoding and checking the text of a Pix QR code."""

import binascii
import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final

from schemas.values.tax_id import parse_tax_id

PIX: Final = "br.gov.bcb.pix"
# Characters at most, by EMV's specification of QR codes that merchants present.
LONGEST: Final = {"merchant_name": 25, "merchant_city": 15, "txid": 25}
_AMOUNT: Final = re.compile(r"[0-9]{1,10}(\.[0-9]{0,2})?")


class BrCodeProblem(StrEnum):
    """What is wrong with a code, or cannot be told from it."""

    MALFORMED = "BRCODE_MALFORMED"  # a length leads nowhere, an id stands twice, the order is wrong, or some is unseen
    CRC_MISSING = "BRCODE_CRC_MISSING"
    CRC_DIFFERS = "BRCODE_CRC_DIFFERS"
    CRC_LOWER_CASE = "BRCODE_CRC_LOWER_CASE"
    TRAILING = "BRCODE_TRAILING"  # something, a blank perhaps, stands behind the CRC
    NOT_PIX = "BRCODE_NOT_PIX"
    NO_DESTINATION = "BRCODE_NO_DESTINATION"  # neither key nor address
    NOT_BRL = "BRCODE_NOT_BRL"
    NOT_BRAZIL = "BRCODE_NOT_BRAZIL"
    TOO_LONG = "BRCODE_TOO_LONG"  # a name, city or reference that is longer than EMV lets it be
    AMOUNT_UNREADABLE = "BRCODE_AMOUNT_UNREADABLE"
    KEY_DIFFERS = "BRCODE_KEY_DIFFERS"
    AMOUNT_DIFFERS = "BRCODE_AMOUNT_DIFFERS"
    KEY_NOT_SHOWN = "BRCODE_KEY_NOT_SHOWN"
    AMOUNT_NOT_SHOWN = "BRCODE_AMOUNT_NOT_SHOWN"

    @property
    def leaves_open(self) -> bool:
        """Whether it says only that something cannot be compared: a dynamic code keeps it at its address."""
        return self in {BrCodeProblem.KEY_NOT_SHOWN, BrCodeProblem.AMOUNT_NOT_SHOWN}


@dataclass(frozen=True, slots=True)
class BrCode:
    """What a code says; it may name people, so `repr` shows nothing of it."""

    key: str | None = field(default=None, repr=False)
    url: str | None = field(default=None, repr=False)
    recurrence_url: str | None = field(default=None, repr=False)
    amount: str | None = field(default=None, repr=False)
    currency: str | None = None
    country: str | None = None
    merchant_name: str | None = field(default=None, repr=False)
    merchant_city: str | None = field(default=None, repr=False)
    txid: str | None = field(default=None, repr=False)

    @property
    def amount_cents(self) -> int | None:
        """The amount in centavos; None when there is none, or it cannot be read."""
        if self.amount is None or not _AMOUNT.fullmatch(self.amount):
            return None
        return int(Decimal(self.amount).scaleb(2))


@dataclass(frozen=True, slots=True)
class BrCodeReading:
    """A code and what is wrong with it; no code where its fields cannot be told apart."""

    code: BrCode | None
    problems: tuple[BrCodeProblem, ...]


def crc16(text: str) -> str:
    """Return CRC-16/CCITT-FALSE of a text's UTF-8 as four upper-case hexadecimal digits.

    >>> crc16("123456789")
    '29B1'
    """
    return format(binascii.crc_hqx(text.encode(errors="replace"), 0xFFFF), "04X")


def read_brcode(payload: str) -> BrCodeReading:
    """Take a code apart and check what holds of every code; nothing in it makes this raise."""
    text, problems = _checked_crc(payload)
    fields = _fields(text)
    unseen = any(unicodedata.category(char) in {"Cc", "Cf", "Cs"} for char in text)  # a terminal would obey it
    if unseen or fields is None or not _stands_in_order(fields):
        return BrCodeReading(None, (BrCodeProblem.MALFORMED, *problems))
    code = _code_of(fields)
    if code is None:
        return BrCodeReading(None, (BrCodeProblem.NOT_PIX, *problems))
    if not (code.key or code.url or code.recurrence_url):
        problems.append(BrCodeProblem.NO_DESTINATION)
    if code.currency != "986":
        problems.append(BrCodeProblem.NOT_BRL)
    if code.country != "BR":
        problems.append(BrCodeProblem.NOT_BRAZIL)
    if any(len(getattr(code, name) or "") > longest for name, longest in LONGEST.items()):
        problems.append(BrCodeProblem.TOO_LONG)
    if code.amount is not None and code.amount_cents is None:
        problems.append(BrCodeProblem.AMOUNT_UNREADABLE)
    return BrCodeReading(code, tuple(problems))


def check_brcode(
    payload: str, *, pix_key: str | None = None, amount_cents: int | None = None
) -> tuple[BrCodeProblem, ...]:
    """Say what is wrong with a code, in itself and compared with what was asked for.

    Args:
        pix_key: The receiver's key; None compares none.
        amount_cents: In centavos; None compares none.
    """
    reading = read_brcode(payload)
    code, found = reading.code, list(reading.problems)
    if code is None:
        return reading.problems
    if pix_key is not None:
        if code.key is None:
            found.append(BrCodeProblem.KEY_NOT_SHOWN)
        elif not _same_key(code.key, pix_key):
            found.append(BrCodeProblem.KEY_DIFFERS)
    if amount_cents is not None and BrCodeProblem.AMOUNT_UNREADABLE not in found:
        if code.amount_cents is None:
            found.append(BrCodeProblem.AMOUNT_NOT_SHOWN)
        elif code.amount_cents != amount_cents:
            found.append(BrCodeProblem.AMOUNT_DIFFERS)
    return tuple(found)


def _checked_crc(payload: str) -> tuple[str, list[BrCodeProblem]]:
    """Judge the CRC; returns the text up to its end."""
    found = re.fullmatch(r"(.*6304)([0-9A-Fa-f]{4})(\s*)", payload, flags=re.DOTALL)
    if found is None:
        return payload, [BrCodeProblem.CRC_MISSING]
    head, written, behind = found.groups()
    problems = []
    if crc16(head) != written.upper():
        problems.append(BrCodeProblem.CRC_DIFFERS)
    elif written != written.upper():
        problems.append(BrCodeProblem.CRC_LOWER_CASE)
    if behind:
        problems.append(BrCodeProblem.TRAILING)
    return head + written, problems


def _fields(text: str) -> dict[str, str] | None:
    """Take a text apart into fields by id, in their order; None when it does not come out even."""
    fields: dict[str, str] = {}
    at = 0
    while at < len(text):
        head = re.match(r"([0-9]{2})([0-9]{2})", text[at : at + 4])
        if head is None or head[1] in fields:
            return None
        value = text[at + 4 : at + 4 + int(head[2])]
        if len(value) != int(head[2]):
            return None
        fields[head[1]] = value
        at += 4 + len(value)
    return fields or None


def _stands_in_order(fields: Mapping[str, str]) -> bool:
    ids = list(fields)
    return fields.get("00") == "01" and ids[0] == "00" and "63" not in ids[:-1]


def _code_of(fields: Mapping[str, str]) -> BrCode | None:
    """Read what the fields say; None when none of the templates is Pix's."""
    templates = (_pix_template(fields.get(str(number))) for number in range(26, 52))
    pix = next((template for template in templates if template is not None), None)
    if pix is None:
        return None
    return BrCode(
        key=pix.get("01"),
        url=pix.get("25"),
        recurrence_url=(_pix_template(fields.get("80")) or {}).get("25"),
        amount=fields.get("54"),
        currency=fields.get("53"),
        country=fields.get("58"),
        merchant_name=fields.get("59"),
        merchant_city=fields.get("60"),
        txid=(_fields(fields.get("62", "")) or {}).get("05"),
    )


def _pix_template(value: str | None) -> dict[str, str] | None:
    fields = _fields(value) if value else None
    return fields if fields is not None and fields.get("00", "").lower() == PIX else None


def _same_key(ours: str, other: str) -> bool:
    documents = {parse_tax_id(key).value for key in (ours, other)}
    return ours.casefold() == other.casefold() or (len(documents) == 1 and None not in documents)
