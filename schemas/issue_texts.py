"""What each issue says to people, how severe it is, and the one way to make one."""

from typing import Final

from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import render

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
    return Issue(
        code=code,
        severity=severity or severity_of(code),
        file=file,
        sheet=sheet,
        cell=cell,
        row=row,
        column=column,
        value_masked=value_masked,
        message=render(f"issue.{code}.wrong", language, **facts),
        accepts=render(f"issue.{code}.right", language, **facts),
    )
