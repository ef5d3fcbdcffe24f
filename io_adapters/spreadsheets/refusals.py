"""Refusing a file: one issue, one exception."""

from dataclasses import dataclass, replace
from typing import Any

from schemas.errors import UnreadableFile
from schemas.issue_texts import make_issue
from schemas.issues import IssueCode
from schemas.messages import render


@dataclass(frozen=True, slots=True)
class Place:
    """Which file is read, for messages, and the language they are in."""

    file: str
    language: str


def refusal(
    code: IssueCode,
    place: Place,
    key: str = "",
    *,
    sheet: str | None = None,
    row: int | None = None,
    **details: Any,  # noqa: ANN401  # whatever the sentence names, as text or number
) -> UnreadableFile:
    """Say why a file is not read; to be raised.

    Args:
        code: Which problem.
        place: Which file, which language.
        key: The sentence in `words` that says what is wrong; "" takes the code's own.
        sheet: Sheet at fault.
        row: Physical row at fault; also {row} of the sentence.
        details: What the sentence names; never a value of the file.

    Returns:
        The exception, with its one issue.
    """
    issue = make_issue(code, language=place.language, file=place.file, sheet=sheet, row=row, **details)
    if key:
        named = details | {name: value for name, value in (("sheet", sheet), ("row", row)) if value is not None}
        issue = replace(issue, message=render(f"file.{key}", place.language, **named))
    return UnreadableFile(f"{place.file}: {issue.message}", issues=(issue,))
