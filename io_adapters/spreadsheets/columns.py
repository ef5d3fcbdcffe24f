"""Arrow's texts as pandas columns."""

from typing import Final

import numpy as np
import pandas as pd
import pyarrow as pa

_TEXT_DTYPE: Final = pd.StringDtype(na_value=np.nan)


def text_series(chunks: list[pa.Array], length: int | None = None) -> "pd.Series[str]":
    """Wrap Arrow texts as a pandas column of dtype str, without copying; only the first `length` of them."""
    texts = pa.chunked_array(chunks, pa.large_string()).slice(0, length)
    return pd.Series(pd.array(texts, dtype=_TEXT_DTYPE))
