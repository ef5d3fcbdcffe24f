"""CPF and CNPJ by the column: the usual shapes in numpy on the bytes themselves, the rest one by one.

The rules are those of `schemas.tax_id`; a test holds both to the same answers.
"""

from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from schemas.tax_id import TaxIdReading, parse_tax_id

Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaxIdColumn:
    """A column of tax ids as read.

    Attributes:
        tax_ids: Canonical, dtype str, index of the input; "" where there is none.
        readings: By position, the cells that need a word: what `schemas.tax_id.parse_tax_id` says of them. Sound and
            empty cells are not in it.
    """

    tax_ids: pd.Series
    readings: dict[int, TaxIdReading]


@dataclass(frozen=True, slots=True)
class _Shape:
    """One way in which nearly every tax id is written."""

    length: int
    characters: Positions
    marks: tuple[int, ...]

    @property
    def weights(self) -> Bytes:
        """Weights of the second check digit; without their first, those of the first one."""
        if len(self.characters) == 11:
            return np.arange(11, 1, -1, dtype=np.uint8)
        return np.array([6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2], dtype=np.uint8)


_SHAPES: Final = (
    _Shape(11, np.arange(11), ()),
    _Shape(14, np.arange(14), ()),
    _Shape(14, np.array([0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13]), (3, 7, 11)),
    _Shape(18, np.array([0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 16, 17]), (2, 6, 10, 15)),
)
_IS_MARK: Final = np.isin(np.arange(256), list(b".-/"))  # looked up by byte


def read_tax_ids(texts: pd.Series) -> TaxIdColumn:
    """Read a whole column.

    Args:
        texts: Texts as written, dtype str; "" for an empty cell.
    """
    array = _arrow_texts(texts)
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(array.buffers()[2] or b"", dtype=np.uint8)
    lengths = np.diff(offsets)
    left = lengths > 0
    sound: list[tuple[Positions, Bytes]] = []
    for shape in _SHAPES:
        rows = np.flatnonzero(left & (lengths == shape.length))
        characters, is_sound = _read_shape(shape, data, offsets[rows])
        sound.append((rows[is_sound], characters[:, is_sound]))
        left[rows[is_sound]] = False
    repaired, readings = _read_one_by_one(array, np.flatnonzero(left))
    values = _texts(len(array), [*sound, *repaired]).to_pandas()
    return TaxIdColumn(values.astype("str").set_axis(texts.index).rename(texts.name), readings)


def _arrow_texts(texts: pd.Series) -> Any:  # noqa: ANN401  # pyarrow has no types
    array = pa.array(texts, type=pa.large_string(), from_pandas=True)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _read_shape(shape: _Shape, data: Bytes, starts: Positions) -> tuple[Bytes, Mask]:
    """Return the characters of cells of one shape, one row per character so that numpy runs along the cells."""
    characters = data[shape.characters[:, None] + starts]
    sound = _is_sound(characters, shape.weights)
    for mark in shape.marks:
        sound &= _IS_MARK[data[starts + mark]]
    return characters, sound


def _is_sound(characters: Bytes, weights: Bytes) -> Mask:
    digits = (characters >= ord("0")) & (characters <= ord("9"))
    if len(characters) == 11:
        allowed = digits.all(axis=0)
    else:
        letters = (characters[:12] >= ord("A")) & (characters[:12] <= ord("Z"))
        allowed = (digits[:12] | letters).all(axis=0) & digits[12:].all(axis=0)
    worth = characters - np.uint8(ord("0"))
    all_equal = (characters == characters[0]).all(axis=0)
    first = _digit(worth[:-2], weights[1:])
    second = _digit(worth[:-1], weights)
    return allowed & ~all_equal & (worth[-2] == first) & (worth[-1] == second)  # type: ignore[no-any-return]


def _digit(worth: Bytes, weights: Bytes) -> Bytes:
    total = np.zeros(worth.shape[1], dtype=np.uint16)  # at most 255 x 75, whatever the bytes
    for row, weight in zip(worth, weights.tolist(), strict=True):
        total += row * np.uint16(weight)
    remainder = total % np.uint16(11)
    return np.where(remainder < 2, 0, 11 - remainder).astype(np.uint8)


def _read_one_by_one(array: Any, rows: Positions) -> tuple[list[tuple[Positions, Bytes]], dict[int, TaxIdReading]]:  # noqa: ANN401
    """Read what has no usual shape or is not sound, and say why."""
    repaired: list[tuple[Positions, Bytes]] = []
    readings: dict[int, TaxIdReading] = {}
    for row, text in zip(rows.tolist(), array.take(pa.array(rows)).to_pylist(), strict=True):
        if not text.strip():
            continue
        reading = parse_tax_id(text)
        if reading.code is not None:
            readings[row] = reading
        if reading.value is not None:
            characters = np.frombuffer(reading.value.encode(), dtype=np.uint8)
            repaired.append((np.array([row]), characters[:, None]))
    return repaired, readings


def _texts(count: int, parts: list[tuple[Positions, Bytes]]) -> Any:  # noqa: ANN401
    """Lay parts (positions, one row per character) out as one Arrow text array; "" where no part is."""
    lengths = np.zeros(count + 1, dtype=np.int64)
    for rows, characters in parts:
        lengths[rows + 1] = len(characters)
    offsets = np.cumsum(lengths)
    data = np.empty(offsets[-1], dtype=np.uint8)
    for rows, characters in parts:
        data[np.arange(len(characters))[:, None] + offsets[rows]] = characters
    return pa.LargeStringArray.from_buffers(count, pa.py_buffer(offsets), pa.py_buffer(data))
