"""The interface of every open file: show the first rows, and read a table block by block."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final, Protocol

import numpy as np
import pandas as pd
import pyarrow as pa

from schemas.layouts.recognise import Fit
from schemas.messages import Message
from schemas.raw_table import RawTable
from schemas.sheet_cells import View


class OpenedFile(Protocol):
    """A file that is open; closing it is its opener's business."""

    @property
    def views(self) -> Sequence[View]:
        """Its sheets, or its text under each delimiter that cuts it."""

    @property
    def decisions(self) -> tuple[Message | str, ...]:
        """What was decided on opening it, for people."""

    @property
    def properties(self) -> Mapping[str, str]:
        """Custom properties of a workbook, name -> text; none, for text."""

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield the table below a header, in blocks of physical rows, in order; at least one block.

        Blank rows are among the others, those after the last row with anything in it are not. Each block bears the
        same headers and the decisions of this table alone.

        Raises:
            UnreadableFile: the file turns out to be damaged, or to hold no row below the header.
        """


_TEXT_DTYPE: Final = pd.StringDtype(na_value=np.nan)


def text_series(chunks: list[pa.Array], length: int | None = None) -> "pd.Series[str]":
    """Wrap Arrow texts as a pandas column of dtype str, without copying; only the first `length` of them."""
    texts = pa.chunked_array(chunks, pa.large_string()).slice(0, length)
    return pd.Series(pd.array(texts, dtype=_TEXT_DTYPE))
