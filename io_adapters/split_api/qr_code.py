"""What came back for a QR code: the text in `base_64`, and whether it is what was asked for."""

import base64
import binascii
from dataclasses import dataclass, field
from typing import Final, Literal

from schemas.brcode import BrCodeProblem, check_brcode
from schemas.brcode_words import deprecation_in_words, in_words, unchecked_in_words
from schemas.wire import QrCode, QrCodeRequest

Holds = Literal["any", "text", "base64_of_text", "image"]
_BEGINS: Final = "0002"  # the first field of every code


@dataclass(frozen=True, slots=True)
class QrCodeFindings:
    """What a QR code turned out to be.

    Attributes:
        payload: The text to copy and paste, as it was given; None when none was found. It may name people.
        problems: What is wrong with it, or could not be compared.
        differs: Wire names of the answer's own fields that contradict what was asked for.
    """

    payload: str | None = field(repr=False)
    problems: tuple[BrCodeProblem, ...]
    differs: tuple[str, ...]

    @property
    def is_sound(self) -> bool:
        """Whether there is a text, and nothing about it or the answer is wrong."""
        return self.payload is not None and not self.differs and all(one.leaves_open for one in self.problems)

    def in_words(self, language: str) -> tuple[str, ...]:
        """Say everything to a person: the deprecation first, then what was found."""
        said = [deprecation_in_words(language)]
        if self.payload is None:
            said.append(unchecked_in_words(language))
        return (*said, *(in_words(one, language) for one in self.problems), *self.differs)


def check_qr_code(request: QrCodeRequest, code: QrCode, *, holds: Holds = "any") -> QrCodeFindings:
    """Find the text of a QR code and compare it, and the answer's own fields, with what was asked for.

    Args:
        request: What was asked for.
        code: What came back.
        holds: What `base_64` is taken to hold; `any` looks whether it is a code's text, or base64 of one.
    """
    payload = _payload(code.base_64 or "", holds)
    asked, told = (
        {"amount": one.amount, "pix_key": one.pix_key, "receiver_conciliation_id": one.receiver_conciliation_id}
        for one in (request, code)
    )
    differs = tuple(name for name, ours in asked.items() if None not in {ours, told[name]} and ours != told[name])
    if payload is None:
        return QrCodeFindings(None, (), differs)
    cents = None if request.amount is None else int(request.amount.scaleb(2))
    return QrCodeFindings(payload, check_brcode(payload, pix_key=request.pix_key, amount_cents=cents), differs)


def _payload(text: str, holds: Holds) -> str | None:
    if holds == "image" or not text.strip():
        return None
    if holds == "text" or (holds == "any" and text.lstrip().startswith(_BEGINS)):
        return text
    decoded = _decoded(text)
    return decoded if decoded is not None and (holds == "base64_of_text" or decoded.startswith(_BEGINS)) else None


def _decoded(text: str) -> str | None:
    """Decode base64 of a text, wrapped and without padding if need be; None when it is neither."""
    compact = "".join(text.split()).translate(str.maketrans("-_", "+/")).rstrip("=")
    try:
        return base64.b64decode(compact + "=" * (-len(compact) % 4), validate=True).decode()
    except (binascii.Error, UnicodeDecodeError):
        return None
