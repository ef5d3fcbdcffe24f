"""What rows say in words: the first text of a row, and whether a column holds one of some texts."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd

from schemas.layouts.layout import fold
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind
from schemas.tables.stated_totals import TotalWords
from schemas.values.reading import BLANKS

Mask = npt.NDArray[np.bool_]


class RowLabel(NamedTuple):
    """The first text of a row.

    Attributes:
        at: Which row of the file's cells, from 0.
        position: Column, from 0.
        text: Without outer blanks.
    """

    at: int
    position: int
    text: str


def row_labels(raw: RawTable, among: Mask, words: TotalWords) -> list[RowLabel]:
    """Return the first texts of rows, where these are words looked for, in order of row.

    A row whose first text is another has no label, whatever comes later.

    Args:
        raw: The file.
        among: Which rows to look at.
        words: What is looked for.
    """
    labels = []
    left = np.flatnonzero(among)
    for position in range(len(raw.headers)):
        if not left.size:
            break
        is_text = raw.kinds_of(position)[left] == CellKind.TEXT
        rows = left[is_text]
        texts = raw.cells[position].iloc[rows]
        # Whole columns at once: what may be one of the words, and what says nothing. The few that may be are looked at.
        promising = texts.str.match(words.beginning, case=False).to_numpy(dtype=bool)
        for at, text in zip(rows[promising].tolist(), texts[promising].tolist(), strict=True):
            if words.begin(stripped := text.strip(BLANKS)):
                labels.append(RowLabel(at, position, stripped))
        left = np.union1d(left[~is_text], rows[(texts.str.strip() == "").to_numpy(dtype=bool)])
    return sorted(labels)


def positions_under(raw: RawTable, header: str) -> list[int]:
    """Return the columns that bear a header, compared as people read them."""
    wanted = fold(header)
    return [position for position, found in enumerate(raw.headers) if fold(found) == wanted]


def rows_holding(raw: RawTable, position: int, texts: Sequence[str]) -> Mask:
    """Tell in which rows a column holds one of some texts, compared like headers."""
    wanted = {fold(text) for text in texts}
    codes, distinct = pd.factorize(raw.cells[position])
    return np.array([fold(text) in wanted for text in distinct], dtype=bool)[codes]
