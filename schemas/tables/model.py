"""The base of every table's model: a pandera `DataFrameModel` whose metadata says from which cells a column is read."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from typing import Any, Final, TypeVar

import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors
from pandera.typing import get_index_types
from pandera.typing.pandas import DataFrame, Series

from schemas.values.tax_id import read_tax_ids


@contextmanager
def _absent(*modules: str) -> Iterator[None]:
    """Let imports of modules that nobody has imported yet fail for as long as this lasts."""
    hidden = [name for name in modules if name not in sys.modules]
    sys.modules.update(dict.fromkeys(hidden))  # type: ignore[arg-type]  # None is what says "there is none" there
    try:
        yield
    finally:
        for name in hidden:
            del sys.modules[name]


# pandera loads what it finds for tables of other kinds, and for making examples; that takes longer than all of ours.
with _absent("dask.dataframe", "hypothesis"):
    get_index_types()
    from pandera.backends.pandas import builtin_checks as _  # noqa: F401


class ColumnKind(StrEnum):
    """What the cells of a column are; `schemas.parsing.readers` has one reader for each."""

    NAME = "name"
    REFERENCE = "reference"
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
    TIER = "tier"
    PRICE = "price"
    ISRC = "isrc"
    UPC = "upc"
    CURRENCY = "currency"
    PIX_KEY = "pix_key"
    PIX_KEY_TYPE = "pix_key_type"
    BANK_CODE = "bank_code"
    PSP_ID = "psp_id"
    AGENCY = "agency"
    ACCOUNT = "account"
    ACCOUNT_DIGIT = "account_digit"
    ACCOUNT_TYPE = "account_type"


ISO_DAY: Final = r"[0-9]{4}-[0-9]{2}-[0-9]{2}"
ISRC: Final = r"[A-Z]{2}[A-Z0-9]{3}[0-9]{7}"
CURRENCY: Final = r"^[A-Z]{3}$"
PERCENTAGE: Final = r"^([0-9]{1,3}(\.[0-9]{1,4})?)?$"

# What is read where nothing was written; "" for every kind not named.
_ABSENT: Final[dict[ColumnKind, object]] = {
    ColumnKind.PAYABLE: None,
    ColumnKind.OPTIONAL_AMOUNT: None,
    ColumnKind.SIGNED_AMOUNT: None,
    ColumnKind.LINE_AMOUNT: None,
    ColumnKind.PRICE: None,
    ColumnKind.FLAG: False,
    ColumnKind.COUNT: 0,
}


@dataclass(frozen=True, slots=True)
class Column:
    """One canonical column of an input table.

    Attributes:
        becomes: Column of the table; "" where its cells are only used to judge or complete others.
    """

    name: str
    kind: ColumnKind
    required: bool = False
    becomes: str = ""

    @property
    def absent(self) -> object:
        return _ABSENT.get(self.kind, "")


def cells(kind: ColumnKind, column: str = "", *, required: bool = False, **checks: Any) -> Any:  # noqa: ANN401 - as pandera's
    """Declare a column that is read from cells: a pandera `Field` with the kind of cells as metadata."""
    return pa.Field(metadata={"kind": kind, "column": column, "required": required}, **checks)


class TableModel(pa.DataFrameModel):
    """A table. A frame has its columns and no others, and no value is missing."""

    class Config:
        strict = True

    @classmethod
    def also_read(cls) -> tuple[Column, ...]:
        """Return canonical columns whose cells are read and are no column of the table."""
        return ()


Model = TypeVar("Model", bound=TableModel)


class SheetTable(TableModel):
    """A table read from sheets: base name of the file, sheet ("" for text), row as the spreadsheet numbers it."""

    file: Series[str]
    sheet: Series[str]
    row: Series[int] = pa.Field(ge=1)


class PayeeTable(SheetTable):
    tax_id: Series[str] = cells(ColumnKind.TAX_ID, required=True)

    @pa.check("tax_id", error="is a canonical CPF or CNPJ")
    @classmethod
    def _is_canonical(cls, tax_ids: pd.Series) -> "pd.Series[bool]":
        return (read_tax_ids(tax_ids).tax_ids == tax_ids) & (tax_ids != "")


@cache
def columns_of(model: type[TableModel]) -> tuple[Column, ...]:
    """Return the canonical columns of a table that is read from sheets."""
    declared = [
        Column(about["column"] or name, about["kind"], about["required"], name)
        for name, field in _schema_of(model).columns.items()
        if (about := field.metadata)
    ]
    return (*declared, *model.also_read())


def names_of(model: type[TableModel]) -> list[str]:
    """Return the columns of a table in order."""
    return list(_schema_of(model).columns)


@cache
def _schema_of(model: type[TableModel]) -> pa.DataFrameSchema:
    return model.to_schema()  # each call copies it


def broken_rows(model: type[TableModel], frame: pd.DataFrame) -> dict[int, str]:
    """Validate a frame; return index label -> the rule broken. A failure of no single row is one of all rows."""
    broken: dict[int, str] = {}
    try:
        _schema_of(model).validate(frame, lazy=True)
    except SchemaErrors as failure:
        for case in failure.failure_cases.itertuples():
            for label in frame.index if pd.isna(case.index) else [case.index]:
                broken.setdefault(int(label), f"{case.column}: {case.check}")
    return broken


Record = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, column name -> value, for decisions that look at one row at a time."""
    if not len(frame):
        return []
    names = [str(name) for name in frame.columns]
    # A whole column is made plain at once; `to_dict` goes by cell.
    columns = [frame[name].tolist() for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]


__all__ = [
    "CURRENCY",
    "ISO_DAY",
    "ISRC",
    "PERCENTAGE",
    "Column",
    "DataFrame",
    "Model",
    "PayeeTable",
    "Record",
    "Series",
    "SheetTable",
    "TableModel",
    "broken_rows",
    "cells",
    "columns_of",
    "names_of",
    "records",
]
