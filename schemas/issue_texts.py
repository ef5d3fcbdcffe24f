"""What each issue says to people, how severe it is, and the one way to make one."""

from collections.abc import Mapping
from typing import Final

from schemas.issue_texts_en import TEXTS as ENGLISH
from schemas.issue_texts_pt_br import TEXTS as PORTUGUESE
from schemas.issues import Issue, IssueCode, Severity

TEXTS: Final[Mapping[str, Mapping[IssueCode, tuple[str, str]]]] = {"en": ENGLISH, "pt-BR": PORTUGUESE}

WARNINGS: Final = frozenset(
    {
        IssueCode.FILE_DUPLICATE,
        IssueCode.FILE_AGAIN,
        IssueCode.FILE_VALUES_ONLY,
        IssueCode.SHEET_UNREAD,
        IssueCode.PIX_PHONE_FOREIGN,
        IssueCode.ACCOUNT_DIGIT,
        IssueCode.SHARE_UNMATCHED,
        IssueCode.ROW_PAID_BEFORE,
        IssueCode.ROW_SECOND_ATTEMPT,
        IssueCode.HIDDEN_DATA,
        IssueCode.FORMULA_STALE,
        IssueCode.NAME_CONFUSABLE,
        IssueCode.NAME_ENCODING,
        IssueCode.CONTACT_DIFFERS,
        IssueCode.CONTACT_REFUSED,
    }
)
NOTES: Final = frozenset(
    {IssueCode.COLUMN_UNKNOWN, IssueCode.VALUE_NORMALISED, IssueCode.TAXID_NORMALISED, IssueCode.ROW_CORRECTED}
)


class _Facts(dict[str, object]):
    """Facts of a message; one that nobody gave reads "?", since a message must never fail."""

    def __missing__(self, key: str) -> str:
        return "?"


def severity_of(code: IssueCode) -> Severity:
    """Return how severe a code is: an error unless named otherwise above."""
    if code in NOTES:
        return Severity.NOTE
    return Severity.WARNING if code in WARNINGS else Severity.ERROR


def make_issue(  # noqa: PLR0913  # the fields of an issue, by keyword
    code: IssueCode,
    *,
    language: str,
    file: str,
    sheet: str | None = None,
    cell: str | None = None,
    row: int | None = None,
    column: str | None = None,
    value_masked: str = "",
    severity: Severity | None = None,
    **facts: object,
) -> Issue:
    """Make an issue with its texts.

    Args:
        code: Which rule.
        language: "pt-BR" or "en".
        file: Base name of the file.
        sheet: Sheet; None for text files.
        cell: A1 reference, where one cell is at fault.
        row: Physical row.
        column: Header as the person wrote it.
        value_masked: The value as `schemas.values.masking.mask_value` shows it.
        severity: For the few codes that weigh differently by table; None takes the code's own.
        facts: What the templates name in braces; never a document, a key or an account.
    """
    message, accepts = TEXTS[language][code]
    known = _Facts(facts)
    return Issue(
        code=code,
        severity=severity or severity_of(code),
        file=file,
        sheet=sheet,
        cell=cell,
        row=row,
        column=column,
        value_masked=value_masked,
        message=message.format_map(known),
        accepts=accepts.format_map(known),
    )
