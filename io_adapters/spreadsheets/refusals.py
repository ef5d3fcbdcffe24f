"""Refusing a file: one issue, one exception."""

from dataclasses import dataclass, replace
from typing import Any

from schemas.errors import UnreadableFile
from schemas.issues import IssueCode, make_issue
from schemas.messages import Message


@dataclass(frozen=True, slots=True)
class FilePlace:
    """Which file is read, for messages."""

    file: str


def refusal(
    code: IssueCode,
    place: FilePlace,
    key: str | Message = "",
    *,
    sheet: str | None = None,
    row: int | None = None,
    **details: Any,  # noqa: ANN401  # whatever the sentence names, as text or number
) -> UnreadableFile:
    """Say why a file is not read; to be raised.

    Args:
        key: The text under `file.` that says what is wrong, or the message that does; "" takes the code's own.
        row: Physical row at fault; also {row} of the sentence.
        details: What the sentence names; never a value of the file.

    Returns:
        The exception, with its one issue.
    """
    issue = make_issue(code, file=place.file, sheet=sheet, row=row, **details)
    if isinstance(key, Message):
        issue = replace(issue, message=key)
    elif key:
        named = details | {name: value for name, value in (("sheet", sheet), ("row", row)) if value is not None}
        issue = replace(issue, message=Message(f"file.{key}", **named))
    return UnreadableFile(Message("file.refused", file=place.file, wrong=issue.message), issues=(issue,))
