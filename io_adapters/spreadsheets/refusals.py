"""Refusing a file: one issue, one exception."""

from dataclasses import dataclass, replace

from io_adapters.spreadsheets.words import say
from schemas.errors import UnreadableFile
from schemas.issue_texts import make_issue
from schemas.issues import IssueCode


@dataclass(frozen=True, slots=True)
class Place:
    """Which file is read, for messages, and the language they are in."""

    file: str
    language: str


def refusal(
    code: IssueCode, place: Place, key: str, *, sheet: str | None = None, row: int | None = None, **details: object
) -> UnreadableFile:
    """Say why a file is not read; to be raised.

    Args:
        code: Which problem.
        place: Which file, which language.
        key: The sentence in `words` that says what is wrong.
        sheet: Sheet at fault.
        row: Physical row at fault; also {row} of the sentence.
        details: What the sentence names.

    Returns:
        The exception, with its one issue.
    """
    named = details | ({"sheet": sheet} if sheet is not None else {}) | ({"row": row} if row is not None else {})
    message = say(key, place.language, **named)
    issue = make_issue(code, language=place.language, file=place.file, sheet=sheet, row=row)
    return UnreadableFile(f"{place.file}: {message}", issues=(replace(issue, message=message),))
