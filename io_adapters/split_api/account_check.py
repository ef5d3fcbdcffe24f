"""POST /validate/account: its rules, and what its answer says. Each call costs a centavo and a fee."""

import unicodedata
from dataclasses import dataclass, field
from typing import Final

from io_adapters.split_api.exchange import Reply
from io_adapters.split_api.outcome import classify_exception
from io_adapters.split_api.validation_error import read_validation_errors
from schemas.submission import Outcome
from schemas.wire import AccountValidation, AccountVerdict, parse_json

MESSAGE_LENGTH: Final = 500
_OF_A_BANK_ACCOUNT: Final = ("agency", "pspId", "accountType", "name", "bankCode")


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What one account check said.

    Attributes:
        valid: The verdict; None when there is none.
        message: With a verdict, the service's own words: for the person who looks at the row, not for logs.
            Without one, why: a status, an exception's class, the fields at fault.
        sent: Whether the call may have been charged. False is proven: never sent, or refused as documented.
        refused: Whether it was refused as documented: the service is there, and answers.
    """

    valid: bool | None
    message: str = field(repr=False)
    sent: bool
    refused: bool = False

    @property
    def answered(self) -> bool:
        """Whether the service is there and answers, with a verdict or with a refusal."""
        return self.valid is not None or self.refused


def broken_rules(request: AccountValidation) -> tuple[str, ...]:
    """Name what the service's documented rules 1 to 4 for an account check miss in a request; () when it is sound."""
    broken = []
    if not (request.pixKey or request.account):
        broken.append("pixKey or account is required")
    if request.pixKey and not request.pixKeyType:
        broken.append("pixKeyType is required with pixKey")
    if request.account:
        broken += [f"{name} is required with account" for name in _OF_A_BANK_ACCOUNT if not getattr(request, name)]
    if request.validateOwnership and not request.taxId:
        broken.append("taxId is required with validateOwnership")
    return tuple(broken)


def read_check_reply(reply: Reply) -> CheckAnswer:
    """Say what the reply to an account check means; one that cannot be read counts as spent."""
    if reply.failure is not None:
        answer = classify_exception(reply.failure, status=reply.status)
        return CheckAnswer(None, answer.reason, sent=answer.outcome is not Outcome.NOT_SENT)
    if reply.status == 422:
        errors = read_validation_errors(reply.body)
        if errors:
            places = ", ".join(error.place for error in errors)
            return CheckAnswer(None, f"HTTP 422: the request failed validation at {places}", sent=False, refused=True)
    verdict = _verdict(reply.body) if reply.status is not None and 200 <= reply.status < 300 else None
    if verdict is None or verdict.valid is None:
        return CheckAnswer(None, f"HTTP {reply.status} without a readable verdict", sent=True)
    return CheckAnswer(verdict.valid, _printable(verdict.message or ""), sent=True)


def _verdict(body: bytes) -> AccountVerdict | None:
    try:
        data = parse_json(body)
    except ValueError:
        return None
    return AccountVerdict.model_validate(data) if isinstance(data, dict) else None


def _printable(text: str) -> str:
    """Make one line of the service's words: control and direction marks become blanks."""
    kept = "".join(" " if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else char for char in text)
    return " ".join(kept[:MESSAGE_LENGTH].split())
