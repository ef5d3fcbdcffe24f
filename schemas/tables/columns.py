"""How a table declares its columns: what each cell is, and whether it must be filled."""

from dataclasses import dataclass
from enum import StrEnum
from typing import Final


class ColumnKind(StrEnum):
    """What the cells of a column are; `schemas.tables.readers` has one reader for each."""

    NAME = "name"
    TEXT = "text"
    TAX_ID = "tax_id"
    EMAIL = "email"
    PAYABLE = "payable"
    OPTIONAL_AMOUNT = "optional_amount"
    SIGNED_AMOUNT = "signed_amount"
    LINE_AMOUNT = "line_amount"
    FLAG = "flag"
    COUNT = "count"
    SHARE = "share"
    PERCENTAGE = "percentage"
    DATE = "date"
    PERIOD = "period"
    ISRC = "isrc"
    UPC = "upc"
    CURRENCY = "currency"
    PIX_KEY = "pix_key"
    PIX_KEY_TYPE = "pix_key_type"
    BANK_CODE = "bank_code"
    PSP_ID = "psp_id"
    AGENCY = "agency"
    ACCOUNT = "account"
    ACCOUNT_TYPE = "account_type"


# What is read where nothing was written; "" for every kind not named.
ABSENT: Final[dict[ColumnKind, object]] = {
    ColumnKind.PAYABLE: None,
    ColumnKind.OPTIONAL_AMOUNT: None,
    ColumnKind.SIGNED_AMOUNT: None,
    ColumnKind.LINE_AMOUNT: None,
    ColumnKind.FLAG: False,
    ColumnKind.COUNT: 0,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One canonical column of an input table.

    Attributes:
        name: As layouts name it.
        kind: What its cells are.
        required: Whether an empty cell is an error, and a file without the column cannot be read.
        target: Column of the table it becomes, where that has another name, with its unit.
    """

    name: str
    kind: ColumnKind
    required: bool = False
    target: str = ""

    @property
    def becomes(self) -> str:
        """Column of the table."""
        return self.target or self.name

    @property
    def absent(self) -> object:
        """What an empty cell, or one that cannot be read, is read as."""
        return ABSENT.get(self.kind, "")


PAYEE_COLUMNS: Final = (
    Column("name", ColumnKind.NAME),
    Column("tax_id", ColumnKind.TAX_ID, required=True),
    Column("email", ColumnKind.EMAIL),
    Column("artist_name", ColumnKind.TEXT),
    Column("pix_key", ColumnKind.PIX_KEY),
    Column("pix_key_type", ColumnKind.PIX_KEY_TYPE),
    Column("bank_code", ColumnKind.BANK_CODE),
    Column("psp_id", ColumnKind.PSP_ID),
    Column("agency", ColumnKind.AGENCY),
    Column("account", ColumnKind.ACCOUNT),
    Column("account_type", ColumnKind.ACCOUNT_TYPE),
    Column("account_holder", ColumnKind.NAME),
    Column("original_tax_id", ColumnKind.TAX_ID),
    Column("original_name", ColumnKind.NAME),
    Column("parent_id", ColumnKind.TEXT),
    Column("parent_name", ColumnKind.NAME),
    Column("contact_id", ColumnKind.TEXT),
)
