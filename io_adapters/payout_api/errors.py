"""Errors of calls that are not payments, and what of an unexpected reply may be shown.

That is its status, and the places of a documented 422; no message holds anything else that a reply said.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from schemas.errors import ExitCode, NotSent, RepasseError
from schemas.messages import Listed, Message
from schemas.wire import parse_json


@dataclass(frozen=True, slots=True)
class ValidationError:
    """One element of `detail`, without its `msg`: that may quote what was sent."""

    loc: tuple[str | int, ...]
    type: str

    @property
    def place(self) -> str:
        """The place as one text: "body.payments.3.taxId"."""
        return ".".join(map(str, self.loc))


def read_validation_errors(body: bytes) -> tuple[ValidationError, ...] | None:
    """Read a documented 422 body; None when it is anything else, or finds fault with nothing."""
    elements = _elements(body)
    if not elements:
        return None
    return tuple(
        ValidationError(
            loc=tuple(part if isinstance(part, int) else _word(part) or "?" for part in element["loc"]),
            type=_word(element["type"]),
        )
        for element in elements
    )


def places(errors: Iterable[ValidationError]) -> str:
    """Name the places of errors, each once, in their order; the first ten when there are many."""
    named = list(dict.fromkeys(error.place for error in errors))
    return ", ".join(named[:10]) + (f" and {len(named) - 10} more" if len(named) > 10 else "")


def names_report_id(body: bytes, report_id: str) -> bool:
    """Say whether a 422 body speaks of the report's id: by the field's name or by its value.

    `input`, in which some services repeat the whole request, does not count.
    """
    parts = [str(part) for element in _elements(body) for part in (*element["loc"], element["msg"], element["type"])]
    plain = [re.sub(r"[_\s\-]", "", text.casefold()) for text in parts]
    wanted = ("reportid", re.sub(r"[_\s\-]", "", report_id.casefold()))
    return any(word and word in text for text in plain for word in wanted)


def _elements(body: bytes) -> list[dict[str, Any]]:
    try:
        data = parse_json(body)
    except ValueError:
        return []
    detail = data.get("detail") if isinstance(data, dict) else None
    return detail if isinstance(detail, list) and all(map(_is_documented, detail)) else []


def _is_documented(element: Any) -> bool:  # noqa: ANN401
    if not isinstance(element, dict) or not isinstance(element.get("loc"), list):
        return False
    parts_fit = all(isinstance(part, str | int) and not isinstance(part, bool) for part in element["loc"])
    return parts_fit and isinstance(element.get("msg"), str) and isinstance(element.get("type"), str)


def _word(text: str) -> str:
    """Let a name pass, and nothing that could be a value: no run of digits, no sentence."""
    return text if re.fullmatch(r"(?!.*[0-9]{5})[A-Za-z_][A-Za-z0-9_.\-]{0,63}", text) else ""


class RuleBroken(RepasseError, ValueError):
    """What was asked for breaks a rule of the interface; nothing was sent."""

    exit_code = ExitCode.USAGE

    def __init__(self, *rules: Message) -> None:
        super().__init__(Listed(rules, "; "))
        self.rules = rules


class RefusedByService(RepasseError):
    """The service answered 422 as documented: nothing happened."""

    exit_code = ExitCode.REFUSED

    def __init__(self, message: Message | str, validation_errors: tuple[ValidationError, ...]) -> None:
        super().__init__(message)
        self.validation_errors = validation_errors


class AlreadyThere(RefusedByService):
    """The service says, by a status that is assumed to mean it, that there is one already; names no fields."""


class NotFound(RepasseError):
    """The service says, by a status that is assumed to mean it, that there is no such thing."""

    exit_code = ExitCode.REFUSED


class Unanswered(RepasseError):
    """Sent, and no answer proves what became of it: it may have happened.

    Attributes:
        status: HTTP status of the answer; None when none came.
    """

    exit_code = ExitCode.IN_DOUBT

    def __init__(self, message: Message | str, *, status: int | None = None) -> None:
        super().__init__(message)
        self.status = status


class NotThere(NotSent, NotFound):
    """404 to a question; the status is not documented, so an alarm and never proof."""


class QuestionRefused(NotSent, RefusedByService): ...
