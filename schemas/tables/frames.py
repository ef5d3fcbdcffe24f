"""The words for frames: `DataFrame[Payments]` keeps a table's promise; `records` are its rows as plain mappings."""

from typing import Any

import pandas as pd
from pandera.typing import DataFrame

__all__ = ["DataFrame", "Record", "records"]

Record = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, column name -> value, for decisions that look at one row at a time."""
    names = [str(name) for name in frame.columns]
    columns = [
        frame[name].tolist() for name in frame.columns
    ]  # a whole column is made plain at once; to_dict goes by cell
    return [dict(zip(names, row, strict=True)) for row in zip(*columns, strict=True)]
