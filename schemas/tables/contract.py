"""What the tables' models share: how a frame is held against its model, and the words for frames."""

from typing import Any, Final

import numpy as np
import pandas as pd
import pandera.pandas as pa
from pandera.accessors.pandas_accessor import PanderaDataFrameAccessor
from pandera.backends.base import BaseSchemaBackend
from pandera.engines.pandas_engine import Engine
from pandera.typing import DataFrame

from schemas.values.tax_id import read_tax_ids


class TableModel(pa.DataFrameModel):
    """The base of every table's model: a `pandera.DataFrameModel` that costs a glance where all is well."""

    @classmethod
    def build_schema_(cls, **options: Any) -> "TableSchema":  # noqa: ANN401 - whatever pandera's Config may say
        """Build the schema that pandera would build, with the quicker way to pass it."""
        schema = super().build_schema_(**options)
        return TableSchema(schema.columns, index=schema.index, checks=schema.checks, parsers=schema.parsers, **options)


class TableSchema(pa.DataFrameSchema):
    """A schema that lets pass what is plainly sound, and leaves everything else, with all its messages, to pandera.

    pandera spends milliseconds on each column, whatever is in it, mostly on failures that are not there. A run holds
    some twenty tables against their models, most of them of a few rows.
    """

    def validate(self, check_obj: pd.DataFrame, *args: Any, **options: Any) -> pd.DataFrame:  # noqa: ANN401 - pandera's
        """Validate a frame as `pandera.DataFrameSchema.validate` does; raises and returns the same."""
        if is_plainly_sound(self, check_obj):
            noted = PanderaDataFrameAccessor(check_obj.copy())  # type: ignore[no-untyped-call]
            sound: pd.DataFrame = noted.add_schema(self)  # type: ignore[no-untyped-call]
            return sound
        return super().validate(check_obj, *args, **options)

    @classmethod
    def get_backend(cls, check_obj: Any = None, check_type: type | None = None) -> BaseSchemaBackend:  # noqa: ANN401
        """Return the backend of pandera's own schema, which is looked up by class."""
        return pa.DataFrameSchema.get_backend(check_obj, check_type)


_SIMPLE: Final[dict[str, object]] = {
    "strict": True,
    "coerce": False,
    "dtype": None,
    "unique": None,
    "index": None,
    "parsers": [],
}


def is_plainly_sound(schema: pa.DataFrameSchema, frame: pd.DataFrame) -> bool:
    """Tell whether a frame keeps each promise of a schema; False where that is not plain, whatever the reason."""
    if any(getattr(schema, name) != value for name, value in _SIMPLE.items()):
        return False
    if len(frame.columns) != len(schema.columns) or set(frame.columns) != set(schema.columns):
        return False
    dtypes = dict(zip(frame.columns, frame.dtypes, strict=True))
    if not all(_is_taken_as_it_is(column, dtypes[name]) for name, column in schema.columns.items()):
        return False
    if not len(frame):
        return True  # the other promises of all models are of rows
    if not all(_keeps(column, frame, name, dtypes[name]) for name, column in schema.columns.items()):
        return False
    checks = [(check, name) for name, column in schema.columns.items() for check in column.checks]
    return all(_passes(check, frame, name) for check, name in [*checks, *((check, None) for check in schema.checks)])


def _is_taken_as_it_is(column: pa.Column, dtype: Any) -> bool:  # noqa: ANN401 - numpy's or an extension's
    return not (column.coerce or column.regex or column.parsers) and _is_of(column, dtype)


def _keeps(column: pa.Column, frame: pd.DataFrame, name: str, dtype: Any) -> bool:  # noqa: ANN401
    if column.unique and not frame[name].is_unique:
        return False
    return column.nullable or not _may_lack_values(dtype) or not frame[name].hasnans


def _is_of(column: pa.Column, dtype: Any) -> bool:  # noqa: ANN401 - numpy's or an extension's
    if column.dtype is None:
        return False
    if isinstance(dtype, pd.ArrowDtype):
        return column.dtype.check(Engine.dtype(dtype)) is True  # pandera keeps some of them under a type of its own
    return bool(dtype == column.dtype.type)


def _may_lack_values(dtype: Any) -> bool:  # noqa: ANN401
    return not isinstance(dtype, np.dtype) or dtype.kind not in "iub"


def _passes(check: pa.Check, frame: pd.DataFrame, column: str | None) -> bool:
    try:
        return bool(check(frame, column).check_passed)
    except Exception:  # noqa: BLE001 - pandera tells what went wrong
        return False


def is_canonical_tax_id(tax_ids: pd.Series) -> "pd.Series[bool]":
    """Tell for each text whether it is a valid CPF or CNPJ without a mask."""
    read = read_tax_ids(tax_ids)
    return (read.tax_ids == tax_ids) & (tax_ids != "")


__all__ = ["DataFrame", "Record", "records"]

Record = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, column name -> value, for decisions that look at one row at a time."""
    if not len(frame):
        return []
    names = [str(name) for name in frame.columns]
    # A whole column is made plain at once; to_dict goes by cell.
    columns = [frame[name].tolist() for name in frame.columns]
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
