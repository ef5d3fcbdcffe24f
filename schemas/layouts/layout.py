"""How a sender lays out its file: the model behind each YAML declaration in this folder."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

TableName = Literal["payments", "royalty_lines", "payees", "shares", "advances"]


class Layout(BaseModel):
    """One sender's file: how to find the header and which header is which column.

    Attributes:
        layout: Name, as a job says it.
        title: What it is, for people.
        table: Which table its rows become.
        sheet: Sheet to read; None takes the only sheet that has the required headers.
        header_row: Physical row of the header; None looks for it in the first 30 rows.
        columns: Canonical column -> headers it may bear, first the sender's own; case, accents and blanks aside.
        required: Canonical columns without which the file cannot be read.
        ignored: Headers known and deliberately not read, so that nobody takes a gross or a balance for the money.
        decimal: Decimal mark of numbers written as text; "auto" decides once per column, from its unambiguous cells.
        currency: Currency of every line when no column says it.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    layout: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    table: TableName
    sheet: str | None = None
    header_row: int | None = Field(default=None, ge=1)
    columns: dict[str, list[str]]
    required: list[str] = []
    ignored: list[str] = []
    decimal: Literal["auto", ",", "."] = "auto"
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")

    @model_validator(mode="after")
    def _required_columns_are_declared(self) -> "Layout":
        unknown = [name for name in self.required if name not in self.columns]
        if unknown:
            raise ValueError(f"required names columns that are not declared: {', '.join(unknown)}")
        return self
