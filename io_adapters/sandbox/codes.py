"""Pix codes that the sandbox writes: EMV fields and their checksum, by its own hand."""

from decimal import Decimal
from typing import Final

GUI: Final = "br.gov.bcb.pix"
LONGEST_VALUE: Final = 99
LONGEST_NAME: Final = 25
LONGEST_CITY: Final = 15
LONGEST_TXID: Final = 25
_POLYNOMIAL: Final = 0x1021


def br_code(
    pix_key: str, amount: Decimal | None, *, txid: str, description: str, reusable: bool, name: str, city: str
) -> str:
    """Return the payload that asks for a payment to a Pix key."""
    account = _field("00", GUI) + _field("01", pix_key)
    field = _field("02", description) if description and _is_printable(description) else ""
    if len(account) + len(field) <= LONGEST_VALUE:
        account += field
    fields = [
        _field("00", "01"),
        "" if reusable else _field("01", "12"),
        _field("26", account),
        _field("52", "0000"),
        _field("53", "986"),
        "" if amount is None else _field("54", format(amount, ".2f")),
        _field("58", "BR"),
        _field("59", name[:LONGEST_NAME]),
        _field("60", city[:LONGEST_CITY]),
        _field("62", _field("05", txid if _is_txid(txid) else "***")),
        "6304",
    ]
    payload = "".join(fields)
    return f"{payload}{crc_16(payload.encode('ascii')):04X}"


def crc_16(content: bytes) -> int:
    """Return the CRC-16/CCITT-FALSE of some bytes.

    >>> hex(crc_16(b"123456789"))
    '0x29b1'
    """
    register = 0xFFFF
    for byte in content:
        register ^= byte << 8
        for _ in range(8):
            register = (register << 1) ^ (_POLYNOMIAL if register & 0x8000 else 0)
            register &= 0xFFFF
    return register


def _field(tag: str, value: str) -> str:
    return f"{tag}{len(value):02d}{value}"


def _is_printable(text: str) -> bool:
    return text.isascii() and text.isprintable() and len(text) <= LONGEST_VALUE


def _is_txid(text: str) -> bool:
    return text.isascii() and text.isalnum() and len(text) <= LONGEST_TXID


CITY: Final = "SAO PAULO"
RECEIVER_KEY: Final = "0c3f6a5e-6f0e-4d0f-9a53-2f4f6f1b7c11"
