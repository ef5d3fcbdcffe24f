"""Issues: problems in people's data as values, with file, sheet, cell, rule and remedy."""

from collections.abc import Iterable
from dataclasses import dataclass, fields, replace
from enum import StrEnum
from typing import Any, Final

from schemas.messages import Message, render
from schemas.readers import people_read, shown


class Severity(StrEnum):
    """What an issue does to its row: an error holds it, a warning wants a look, a note tells what was read."""

    ERROR = "error"
    WARNING = "warning"
    NOTE = "note"


class IssueCode(StrEnum):
    """Every problem Repasse can name; docs/problems.md and `schemas/locale` say what each means and accepts."""

    FILE_MISSING = "FILE_MISSING"
    FILE_EMPTY = "FILE_EMPTY"
    FILE_TYPE = "FILE_TYPE"
    FILE_CORRUPT = "FILE_CORRUPT"
    FILE_NO_ROWS = "FILE_NO_ROWS"
    FILE_ENCODING = "FILE_ENCODING"
    FILE_DUPLICATE = "FILE_DUPLICATE"
    FILE_AGAIN = "FILE_AGAIN"
    FILE_OVERLAP = "FILE_OVERLAP"
    LINES_USED_BEFORE = "LINES_USED_BEFORE"
    STATEMENT_AGAIN = "STATEMENT_AGAIN"
    STATEMENT_TWICE = "STATEMENT_TWICE"
    FILE_CARRIED = "FILE_CARRIED"
    FILE_GONE = "FILE_GONE"
    FILE_IN_PLACE = "FILE_IN_PLACE"
    FILE_OTHER_MONTH = "FILE_OTHER_MONTH"
    RECEIVED_MISMATCH = "RECEIVED_MISMATCH"
    FILE_NOT_REGULAR = "FILE_NOT_REGULAR"
    FILE_CHANGED = "FILE_CHANGED"
    FILE_ENCRYPTED = "FILE_ENCRYPTED"
    FILE_TOO_LARGE = "FILE_TOO_LARGE"
    FILE_EXTENT = "FILE_EXTENT"
    FILE_ZIP = "FILE_ZIP"
    FILE_XML_FORBIDDEN = "FILE_XML_FORBIDDEN"
    FILE_PARSER = "FILE_PARSER"
    FILE_QUOTE = "FILE_QUOTE"
    FILE_PART_MISSING = "FILE_PART_MISSING"
    FILE_VALUES_ONLY = "FILE_VALUES_ONLY"
    LAYOUT_UNKNOWN = "LAYOUT_UNKNOWN"
    LAYOUT_AMBIGUOUS = "LAYOUT_AMBIGUOUS"
    SHEET_MISSING = "SHEET_MISSING"
    SHEET_AMBIGUOUS = "SHEET_AMBIGUOUS"
    SHEET_UNREAD = "SHEET_UNREAD"
    MONEY_UNREAD = "MONEY_UNREAD"
    COLUMN_MISSING = "COLUMN_MISSING"
    COLUMN_DUPLICATE = "COLUMN_DUPLICATE"
    COLUMN_UNKNOWN = "COLUMN_UNKNOWN"
    COLUMN_UNANSWERED = "COLUMN_UNANSWERED"
    COLUMN_CONDITION = "COLUMN_CONDITION"
    COLUMN_CLAUSE = "COLUMN_CLAUSE"
    HIDDEN_DATA = "HIDDEN_DATA"
    TOTAL_MISMATCH = "TOTAL_MISMATCH"
    ROW_WIDTH = "ROW_WIDTH"
    ROW_NAME_ALONE = "ROW_NAME_ALONE"
    ROW_NEARLY_ASKED = "ROW_NEARLY_ASKED"
    ROW_STOPPED = "ROW_STOPPED"
    NOTE_STOPS = "NOTE_STOPS"
    ROW_BESIDE_NEGATIVE = "ROW_BESIDE_NEGATIVE"
    ROW_DUPLICATE = "ROW_DUPLICATE"
    COLUMN_PARTS_ROWS = "COLUMN_PARTS_ROWS"
    ROW_CONFLICT = "ROW_CONFLICT"
    ROW_RENAMED = "ROW_RENAMED"
    ROW_PAID_BEFORE = "ROW_PAID_BEFORE"
    ROW_TWICE = "ROW_TWICE"
    ROW_SECOND_ATTEMPT = "ROW_SECOND_ATTEMPT"
    ROW_CORRECTED = "ROW_CORRECTED"
    ROW_CONTRACT = "ROW_CONTRACT"
    VALUE_NORMALISED = "VALUE_NORMALISED"
    ZEROS_SHOWN = "ZEROS_SHOWN"
    CELL_REQUIRED = "CELL_REQUIRED"
    CELL_ERROR = "CELL_ERROR"
    CELL_MERGED = "CELL_MERGED"
    FORMULA_NO_VALUE = "FORMULA_NO_VALUE"
    FORMULA_STALE = "FORMULA_STALE"
    FORMULA_EXTERNAL = "FORMULA_EXTERNAL"
    NAME_REQUIRED = "NAME_REQUIRED"
    NAME_LENGTH = "NAME_LENGTH"
    NAME_CONTROL = "NAME_CONTROL"
    NAME_FORMULA = "NAME_FORMULA"
    NAME_CONFUSABLE = "NAME_CONFUSABLE"
    NAME_ENCODING = "NAME_ENCODING"
    TEXT_LENGTH = "TEXT_LENGTH"
    TEXT_CONTROL = "TEXT_CONTROL"
    TAXID_FORMAT = "TAXID_FORMAT"
    TAXID_LENGTH = "TAXID_LENGTH"
    TAXID_CHECK = "TAXID_CHECK"
    TAXID_NORMALISED = "TAXID_NORMALISED"
    TAXID_UNKNOWN_PAYEE = "TAXID_UNKNOWN_PAYEE"
    TAXID_REPLACED = "TAXID_REPLACED"
    TAXID_MOVED = "TAXID_MOVED"
    EMAIL_FORMAT = "EMAIL_FORMAT"
    AMOUNT_FORMAT = "AMOUNT_FORMAT"
    AMOUNT_TYPE = "AMOUNT_TYPE"
    AMOUNT_AMBIGUOUS = "AMOUNT_AMBIGUOUS"
    AMOUNT_MARKS = "AMOUNT_MARKS"
    AMOUNT_DECIMALS = "AMOUNT_DECIMALS"
    AMOUNT_NOT_POSITIVE = "AMOUNT_NOT_POSITIVE"
    AMOUNT_CURRENCY = "AMOUNT_CURRENCY"
    CURRENCY_UNKNOWN = "CURRENCY_UNKNOWN"
    CURRENCY_NO_RATE = "CURRENCY_NO_RATE"
    RATE_DIGITS = "RATE_DIGITS"
    RATE_CONFLICT = "RATE_CONFLICT"
    RATE_OUTSIDE_PERIOD = "RATE_OUTSIDE_PERIOD"
    PIX_TYPE_REQUIRED = "PIX_TYPE_REQUIRED"
    PIX_TYPE_PROPOSED = "PIX_TYPE_PROPOSED"
    PIX_TYPE_TAKEN = "PIX_TYPE_TAKEN"
    PIX_TYPE_UNKNOWN = "PIX_TYPE_UNKNOWN"
    PIX_KEY_REQUIRED = "PIX_KEY_REQUIRED"
    PIX_CPF = "PIX_CPF"
    PIX_CNPJ = "PIX_CNPJ"
    PIX_PHONE = "PIX_PHONE"
    PIX_PHONE_FOREIGN = "PIX_PHONE_FOREIGN"
    PIX_EMAIL = "PIX_EMAIL"
    PIX_EVP = "PIX_EVP"
    PIX_AMBIGUOUS = "PIX_AMBIGUOUS"
    PIX_OWNER = "PIX_OWNER"
    DESTINATION_MISSING = "DESTINATION_MISSING"
    DESTINATION_CONFLICT = "DESTINATION_CONFLICT"
    BANK_CODE = "BANK_CODE"
    BANK_PSP = "BANK_PSP"
    BANK_FIELD_REQUIRED = "BANK_FIELD_REQUIRED"
    BANK_PSP_LISTED = "BANK_PSP_LISTED"
    BANK_PSP_UNLISTED = "BANK_PSP_UNLISTED"
    BANK_UNKNOWN = "BANK_UNKNOWN"
    BANK_INACTIVE = "BANK_INACTIVE"
    BANK_MISMATCH = "BANK_MISMATCH"
    AGENCY_FORMAT = "AGENCY_FORMAT"
    AGENCY_DIGIT = "AGENCY_DIGIT"
    ACCOUNT_FORMAT = "ACCOUNT_FORMAT"
    ACCOUNT_OPERATION = "ACCOUNT_OPERATION"
    ACCOUNT_PRECISION = "ACCOUNT_PRECISION"
    ACCOUNT_DIGIT_FORMAT = "ACCOUNT_DIGIT_FORMAT"
    ACCOUNT_DIGIT = "ACCOUNT_DIGIT"
    ACCOUNT_TYPE = "ACCOUNT_TYPE"
    ACCOUNT_INVALID = "ACCOUNT_INVALID"
    ACCOUNT_UNKNOWN = "ACCOUNT_UNKNOWN"
    ACCOUNT_BUDGET = "ACCOUNT_BUDGET"
    BOOL_FORMAT = "BOOL_FORMAT"
    DATE_FORMAT = "DATE_FORMAT"
    DATE_AMBIGUOUS = "DATE_AMBIGUOUS"
    DATE_ORDER = "DATE_ORDER"
    PERCENT_FORMAT = "PERCENT_FORMAT"
    PERCENT_RANGE = "PERCENT_RANGE"
    PERCENT_SUM = "PERCENT_SUM"
    COUNT_FORMAT = "COUNT_FORMAT"
    ISRC_FORMAT = "ISRC_FORMAT"
    UPC_FORMAT = "UPC_FORMAT"
    UPC_UNREAD = "UPC_UNREAD"
    SHARE_UNMATCHED = "SHARE_UNMATCHED"
    SHARE_AMBIGUOUS = "SHARE_AMBIGUOUS"
    SHARE_SCOPE = "SHARE_SCOPE"
    SHARE_BASE = "SHARE_BASE"
    SHARE_CONDITION = "SHARE_CONDITION"
    SHARE_CONDITIONS_CLASH = "SHARE_CONDITIONS_CLASH"
    SHARE_LINE_SILENT = "SHARE_LINE_SILENT"
    SHARE_TIER = "SHARE_TIER"
    TIER_MOVED = "TIER_MOVED"
    ADVANCE_KIND = "ADVANCE_KIND"
    SHARE_RESERVE = "SHARE_RESERVE"
    COST_AMOUNT = "COST_AMOUNT"
    SHARE_NEVER_MET = "SHARE_NEVER_MET"
    SHARE_WITHOUT_UNITS = "SHARE_WITHOUT_UNITS"
    SHARE_ROLE = "SHARE_ROLE"
    SHARE_SHUT_OUT = "SHARE_SHUT_OUT"
    SHARE_NEARLY_WHOLE = "SHARE_NEARLY_WHOLE"
    OWNER_PART_JUMPED = "OWNER_PART_JUMPED"
    OPENING_KIND = "OPENING_KIND"
    OPENING_PERIOD = "OPENING_PERIOD"
    OPENING_LEDGER = "OPENING_LEDGER"
    ADVANCE_KNOWN = "ADVANCE_KNOWN"
    INVOICE_USED = "INVOICE_USED"
    OPENING_PAYMENT = "OPENING_PAYMENT"
    OPENING_GONE = "OPENING_GONE"
    IDENTITY_CONFLICT = "IDENTITY_CONFLICT"
    PIX_KEY_SHARED = "PIX_KEY_SHARED"
    NAME_LETTERS = "NAME_LETTERS"
    AMOUNT_ZEROS = "AMOUNT_ZEROS"
    AMOUNT_SPLIT = "AMOUNT_SPLIT"
    AMOUNT_SHOWN = "AMOUNT_SHOWN"
    ROW_STRUCK = "ROW_STRUCK"
    INVOICE_MISSING = "INVOICE_MISSING"
    INVOICE_AMOUNT = "INVOICE_AMOUNT"
    TAX_RATE = "TAX_RATE"
    TERM_UNKNOWN = "TERM_UNKNOWN"
    HOLD_DISPUTE = "HOLD_DISPUTE"
    HOLD_INVOICE = "HOLD_INVOICE"
    HOLD_COURT_ORDER = "HOLD_COURT_ORDER"
    HOLD_OTHER = "HOLD_OTHER"
    CONTACT_DIFFERS = "CONTACT_DIFFERS"
    CONTACT_REFUSED = "CONTACT_REFUSED"
    LIMIT_PAYMENT = "LIMIT_PAYMENT"
    LIMIT_RUN = "LIMIT_RUN"
    REFUSED_BY_SERVICE = "REFUSED_BY_SERVICE"


# Reasons to hold a payment that are found out after its row was read; all others are told with its cells.
FOUND_AFTER_READING: Final = frozenset(
    {
        IssueCode.TAXID_REPLACED,
        IssueCode.OPENING_GONE,
        IssueCode.BANK_PSP_UNLISTED,
        IssueCode.BANK_UNKNOWN,
        IssueCode.BANK_INACTIVE,
        IssueCode.BANK_MISMATCH,
        IssueCode.ACCOUNT_INVALID,
        IssueCode.ACCOUNT_UNKNOWN,
        IssueCode.ACCOUNT_BUDGET,
        IssueCode.INVOICE_MISSING,
        IssueCode.INVOICE_AMOUNT,
        IssueCode.REFUSED_BY_SERVICE,
    }
)

WARNINGS: Final = frozenset(
    {
        IssueCode.FILE_DUPLICATE,
        IssueCode.FILE_AGAIN,
        IssueCode.FILE_GONE,
        IssueCode.FILE_VALUES_ONLY,
        IssueCode.SHEET_UNREAD,
        IssueCode.UPC_UNREAD,
        IssueCode.ROW_NAME_ALONE,
        IssueCode.ROW_NEARLY_ASKED,
        IssueCode.NOTE_STOPS,
        IssueCode.PIX_PHONE_FOREIGN,
        IssueCode.PIX_KEY_SHARED,
        IssueCode.ACCOUNT_DIGIT,
        IssueCode.SHARE_UNMATCHED,
        IssueCode.SHARE_SHUT_OUT,
        IssueCode.SHARE_NEVER_MET,
        IssueCode.TIER_MOVED,
        IssueCode.SHARE_WITHOUT_UNITS,
        IssueCode.TAXID_MOVED,
        IssueCode.HOLD_DISPUTE,
        IssueCode.HOLD_INVOICE,
        IssueCode.HOLD_COURT_ORDER,
        IssueCode.HOLD_OTHER,
        IssueCode.SHARE_NEARLY_WHOLE,
        IssueCode.OWNER_PART_JUMPED,
        IssueCode.ROW_PAID_BEFORE,
        IssueCode.ROW_TWICE,
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
    {
        IssueCode.COLUMN_UNKNOWN,
        IssueCode.COLUMN_PARTS_ROWS,
        IssueCode.VALUE_NORMALISED,
        IssueCode.ZEROS_SHOWN,
        IssueCode.PIX_TYPE_TAKEN,
        IssueCode.TAXID_NORMALISED,
        IssueCode.BANK_PSP_LISTED,
        IssueCode.AGENCY_DIGIT,
        IssueCode.ACCOUNT_OPERATION,
        IssueCode.ROW_CORRECTED,
    }
)


@dataclass(frozen=True, slots=True)
class Issue:
    """One problem at one place.

    Attributes:
        sheet: Sheet name; None for text files.
        cell: A1 reference ("C7"); None when the problem is of a row, a sheet or a file.
        row: Physical row, 1-based; None for a sheet or file.
        column: Header as the person wrote it; None when no single column is at fault.
        value_masked: The value, masked so that it identifies nobody; "" when there is none.
    """

    code: IssueCode
    severity: Severity
    file: str
    sheet: str | None
    cell: str | None
    row: int | None
    column: str | None
    value_masked: str
    message: Message
    accepts: Message

    def as_shown(self) -> "Issue":
        """Return the issue as whoever reads now may see it: strangers do not see what stands in a cell."""
        if people_read():
            return self
        sheet, column = self.sheet and shown(self.sheet), self.column and shown(self.column)
        return replace(self, file=shown(self.file), sheet=sheet, column=column, value_masked="")

    def as_json(self, language: str) -> dict[str, Any]:
        """Return the issue as plain JSON values, as whoever reads now may see them; its messages in a language."""
        told = self.as_shown()
        plain = {field.name: getattr(told, field.name) for field in fields(told)}
        texts = {"message": render(self.message, language), "accepts": render(self.accepts, language)}
        return plain | texts | {"code": self.code.value, "severity": self.severity.value}


def severity_of(code: IssueCode) -> Severity:
    """Return how severe a code is: an error unless named otherwise above."""
    if code in NOTES:
        return Severity.NOTE
    return Severity.WARNING if code in WARNINGS else Severity.ERROR


def make_issue(  # noqa: PLR0913  # the fields of an issue, by keyword
    code: IssueCode,
    *,
    file: str,
    sheet: str | None = None,
    cell: str | None = None,
    row: int | None = None,
    column: str | None = None,
    value_masked: str = "",
    severity: Severity | None = None,
    **facts: object,
) -> Issue:
    """Make an issue with its messages.

    Args:
        sheet: Sheet; None for text files.
        row: Physical row.
        severity: For the few codes that weigh differently by table; None takes the code's own.
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
        message=Message(f"issue.{code}.wrong", **facts),
        accepts=Message(f"issue.{code}.right", **facts),
    )


def errors_among(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    """Return the issues that hold their row."""
    return tuple(issue for issue in issues if issue.severity is Severity.ERROR)
