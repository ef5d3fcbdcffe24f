"""The identity of what a file says, whatever order, encoding or format it was saved in."""

import hashlib
from decimal import Decimal
from typing import Any, Final

import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

# Where a row stood is not what it says.
PLACE_COLUMNS: Final = frozenset({"file", "sheet", "row"})
_CELL_END: Final = "\x1f"
_ROW_END: Final = "\n"
# The escape goes first, so that no two different rows can be written alike.
_ESCAPES: Final = (("\\", "\\\\"), (_CELL_END, "\\u"), (_ROW_END, "\\n"))
_WIDEST_DECIMAL: Final = pa.decimal128(38, 18)


def content_sha256(frame: pd.DataFrame) -> str:
    """Hash a parsed table so that re-sorting, re-encoding or saving it as another format changes nothing.

    Rows are written as text, sorted and hashed; equal rows count as often as they occur. The columns file, sheet and
    row are left out, as are columns without any value, so that an optional column left blank equals one left out.

    Args:
        frame: One row per record, canonical columns; texts, integers, booleans, dates and exact decimals.

    Returns:
        Hex digest. A frame whose columns are all empty has that of no content.

    Raises:
        TypeError: a column holds floats, whose text is not exact.
    """
    columns = sorted(str(name) for name in frame.columns if name not in PLACE_COLUMNS)
    texts = {name: _texts(name, frame[name]) for name in columns}
    told = {name: column for name, column in texts.items() if pc.any(pc.not_equal(column, "")).as_py()}
    digest = hashlib.sha256(_CELL_END.join(told).encode() + _ROW_END.encode())
    if told:
        rows = pc.binary_join_element_wise(*told.values(), pa.scalar(_CELL_END, pa.large_string()))
        digest.update(_ROW_END.join(sorted(rows.to_pylist())).encode())
    return digest.hexdigest()


def _texts(name: str, column: "pd.Series[Any]") -> pa.Array:
    given: Any = _exact_objects(column) if column.dtype == object else column
    values = pa.array(given, from_pandas=True)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_floating(values.type):
        raise TypeError(f"column {name} holds floats; identities need exact values")
    if pa.types.is_decimal(values.type):
        values = values.cast(_WIDEST_DECIMAL)
    texts = pc.fill_null(values.cast(pa.large_string()), "")
    for character, escape in _ESCAPES:
        texts = pc.replace_substring(texts, character, escape)
    return texts


def _exact_objects(column: "pd.Series[Any]") -> list[str | None]:
    return [None if pd.isna(value) else _exact_text(value) for value in column]


def _exact_text(value: object) -> str:
    if isinstance(value, float):
        raise TypeError("a float among objects; identities need exact values")
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return str(value).lower() if isinstance(value, bool) else str(value)
