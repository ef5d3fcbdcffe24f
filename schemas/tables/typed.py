"""From a draft's sound rows to the typed frame that its model promises."""

from collections.abc import Sequence
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pandera.pandas as pa
from pandera.errors import SchemaErrors
from pyarrow import array

from schemas.tables.columns import Column, ColumnKind
from schemas.tables.royalty_lines import LINE_AMOUNT

_INTEGERS: Final = frozenset({ColumnKind.COUNT, ColumnKind.SHARE})
_CENTS: Final = frozenset({ColumnKind.PAYABLE, ColumnKind.OPTIONAL_AMOUNT, ColumnKind.SIGNED_AMOUNT})


def typed_frame(
    model: type[pa.DataFrameModel],
    columns: Sequence[Column],
    values: dict[str, npt.NDArray[Any]],
    places: pd.DataFrame,
) -> pd.DataFrame:
    """Build a frame in the model's order of columns.

    Args:
        model: The table's model; nothing is validated here.
        columns: The table's declaration.
        values: Canonical column -> canonical values of the rows wanted.
        places: file, sheet, row of the same rows; its index is the frame's.
    """
    series = {name: places[name] for name in places.columns}
    for column in columns:
        series[column.becomes] = _typed(column.kind, values[column.name]).set_axis(places.index)
    names = list(model.to_schema().columns)
    return pd.DataFrame({name: series[name] for name in names}, index=places.index)


def broken_rows(model: type[pa.DataFrameModel], frame: pd.DataFrame) -> dict[int, str]:
    """Validate a frame; return index label -> the rule broken. A failure of no single row is one of all rows."""
    try:
        model.validate(frame, lazy=True)
    except SchemaErrors as failure:
        broken: dict[int, str] = {}
        for column, check, index in failure.failure_cases[["column", "check", "index"]].itertuples(index=False):
            rule = f"{column}: {check}"
            for label in frame.index if pd.isna(index) else [index]:
                broken.setdefault(int(label), rule)
        return broken
    return {}


def _typed(kind: ColumnKind, values: npt.NDArray[Any]) -> pd.Series:
    if kind in _CENTS:
        return pd.Series([0 if amount is None else int(amount.value * 100) for amount in values], dtype="int64")
    if kind in _INTEGERS:
        return pd.Series(values, dtype="int64")
    if kind is ColumnKind.FLAG:
        return pd.Series(values, dtype="bool")
    if kind is ColumnKind.LINE_AMOUNT:
        exact: list[Decimal] = [amount.value for amount in values]
        return pd.Series(array(exact, type=LINE_AMOUNT), dtype=pd.ArrowDtype(LINE_AMOUNT))
    return pd.Series(values.astype(object) if len(values) else np.array([], dtype=object), dtype="str")
