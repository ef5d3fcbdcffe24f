"""The words for frames: `DataFrame[Payments]` keeps a table's promise; `records` are its rows as plain mappings."""

from typing import Any

import pandas as pd
from pandera.typing import DataFrame

__all__ = ["DataFrame", "Record", "records"]

Record = dict[str, Any]


def records(frame: pd.DataFrame) -> list[Record]:
    """Return a frame's rows, column name -> value, for decisions that look at one row at a time."""
    return [{str(name): value for name, value in row.items()} for row in frame.to_dict("records")]
