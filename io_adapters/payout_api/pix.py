"""Pix: the list of financial institutions, and the deprecated QR code with its check."""

import base64
import binascii
import datetime as dt
import warnings
from dataclasses import dataclass, field
from typing import Final, Literal

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.commands import Commands, answer_in
from io_adapters.payout_api.errors import RuleBroken
from io_adapters.payout_api.queries import PagesRead, Queries
from schemas.errors import NotSent
from schemas.messages import Message
from schemas.values.brcode import BrCodeProblem, check_brcode
from schemas.wire import Institution, InstitutionPage, QrCode, QrCodeRequest

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
        return self.payload is not None and not self.differs and all(problem.leaves_open for problem in self.problems)

    @property
    def messages(self) -> tuple[Message | str, ...]:
        """All that a person should know: the deprecation first, then what was found."""
        unchecked = (Message("brcode.unchecked"),) if self.payload is None else ()
        problems = (Message(f"brcode.{problem.name.lower()}") for problem in self.problems)
        return (Message("brcode.deprecated"), *unchecked, *problems, *self.differs)


def check_qr_code(request: QrCodeRequest, code: QrCode, *, holds: Holds = "any") -> QrCodeFindings:
    """Find the text of a QR code and compare it, and the answer's own fields, with what was asked for.

    Args:
        holds: What `base_64` is taken to hold; `any` looks whether it is a code's text, or base64 of one.
    """
    payload = _payload(code.base_64 or "", holds)
    asked, shown = (
        {"amount": qr.amount, "pix_key": qr.pix_key, "receiver_conciliation_id": qr.receiver_conciliation_id}
        for qr in (request, code)
    )
    differs = tuple(name for name, ours in asked.items() if None not in {ours, shown[name]} and ours != shown[name])
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


_PATH: Final = "/pix/financial_institutions"
_PAGE_TIME: Final = 3  # a page may be asked for three times


class PixApi:
    """What the service knows of Pix."""

    def __init__(self, queries: Queries, commands: Commands, assumptions: Assumptions) -> None:
        """Prepare; nothing is sent yet."""
        self._queries = queries
        self._commands = commands
        self._assumptions = assumptions
        self._warned = False

    def institutions(
        self,
        name: str | None = None,
        min_start_date: dt.date | None = None,
        max_start_date: dt.date | None = None,
    ) -> tuple[Institution, ...]:
        """GET /pix/financial_institutions: all pages, in the service's order.

        Args:
            name: Of the institution, as the service matches it.

        Raises:
            RuleBroken: the dates are the wrong way round.
            QuestionRefused: 422 as documented.
            NotSent: a page failed, does not advance, or there are too many: no information.
        """
        if min_start_date and max_start_date and min_start_date > max_start_date:
            raise RuleBroken(Message("rule.start_dates"))
        assumed = self._assumptions
        filters = {
            assumed.institutions_name: (name or "").strip(),
            assumed.institutions_min_start_date: min_start_date.isoformat() if min_start_date else "",
            assumed.institutions_max_start_date: max_start_date.isoformat() if max_start_date else "",
        }
        asked = {name: value for name, value in filters.items() if value}
        size = {assumed.institutions_page_size: str(assumed.institutions_rows)} if assumed.institutions_rows else {}
        reading = PagesRead(filtered=bool(asked))
        while (number := reading.next_page) is not None:
            page = {assumed.institutions_page: str(number)} if number else {}
            data = self._queries.ask(_PATH, asked | size | page, deadline_s=_PAGE_TIME * self._queries.timeout_s)
            if not isinstance(data, dict):
                raise NotSent(Message("service.no_institutions"))
            reading.take(InstitutionPage.model_validate(data))
        return tuple(reading.found)

    def create_qr_code(self, request: QrCodeRequest) -> QrCode:
        """POST /create_pix_qrcode, once. Deprecated by the service: warns the first time.

        What comes back is not looked at; `check_qr_code` does.

        Raises:
            RuleBroken: an amount without two decimals, or another value that cannot be meant; nothing was sent.
            NotSent: certainly nothing was sent.
            Refused: 422 as documented.
            Unanswered: a code may have been made.
        """
        _check_rules(request)
        if not self._warned:
            self._warned = True
            message = "POST /create_pix_qrcode is deprecated; the service names /pix/create_dynamic_pix_payment instead"
            warnings.warn(message, DeprecationWarning, stacklevel=2)
        what = "creating a QR code"
        return answer_in(self._commands.do(what, "POST", "/create_pix_qrcode", request), QrCode, what)

    def check_qr_code(self, request: QrCodeRequest, code: QrCode) -> QrCodeFindings:
        """Decode what `base_64` of a QR code holds, and compare it with what was asked for; sends nothing."""
        return check_qr_code(request, code, holds=self._assumptions.qr_base_64_holds)


def _check_rules(request: QrCodeRequest) -> None:
    broken = []
    amount = request.amount
    if amount is not None and not (amount.is_finite() and amount.as_tuple().exponent == -2 and amount > 0):
        broken.append(Message("rule.qr_amount"))
    if request.expiration_seconds is not None and request.expiration_seconds <= 0:
        broken.append(Message("rule.qr_expiration"))
    if any(not entry.key_name.strip() for entry in request.additional_data or ()):
        broken.append(Message("rule.qr_key_name"))
    if not request.model_fields_set:
        broken.append(Message("rule.qr_empty"))
    if broken:
        raise RuleBroken(*broken)
