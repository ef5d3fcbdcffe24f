"""CPF and CNPJ, numeric and alphanumeric: one value at a time, and whole columns in numpy."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa

from schemas.issues import IssueCode
from schemas.values.reading import BLANKS, Reading

TaxIdReading = Reading[str]

_CPF: Final = re.compile(r"([0-9]{3})[.\-/]?([0-9]{3})[.\-/]?([0-9]{3})[.\-/]?([0-9]{2})")
_CNPJ: Final = re.compile(r"([0-9A-Z]{2})[.\-/]?([0-9A-Z]{3})[.\-/]?([0-9A-Z]{3})[.\-/]?([0-9A-Z]{4})[.\-/]?([0-9]{2})")
_CANONICAL: Final = re.compile(r"[0-9]{11}|[0-9A-Z]{12}[0-9]{2}")
_FLOAT: Final = re.compile(r"([0-9]+)\.0+")
_SCIENTIFIC: Final = re.compile(r"([0-9])\.([0-9]+)[eE]\+?([0-9]{1,3})")
_MASK_MARKS: Final = str.maketrans("", "", ".-/")
_COUNTED: Final = re.compile(r"[A-Z]*[0-9][0-9A-Z]*")


def check_digits(body: str) -> str:
    """Return the two check digits of a CPF body (9 digits) or a CNPJ body (12 of [0-9A-Z]).

    Raises:
        ValueError: the body has another form.

    >>> check_digits("529982247"), check_digits("12ABC34501DE")
    ('25', '35')
    """
    if re.fullmatch(r"[0-9]{9}", body):
        highest_weight = 11
    elif re.fullmatch(r"[0-9A-Z]{12}", body):
        highest_weight = 9
    else:
        raise ValueError("a CPF body has 9 digits, a CNPJ body 12 digits or capital letters")
    worth = [ord(character) - 48 for character in body]
    for _ in range(2):
        remainder = sum(w * (2 + i % (highest_weight - 1)) for i, w in enumerate(reversed(worth))) % 11
        worth.append(0 if remainder < 2 else 11 - remainder)
    return f"{worth[-2]}{worth[-1]}"


def is_tax_id(text: str) -> bool:
    """Tell whether a text is a valid CPF or CNPJ in canonical form.

    >>> is_tax_id("52998224725"), is_tax_id("529.982.247-25"), is_tax_id("11111111111")
    (True, False, False)
    """
    return _CANONICAL.fullmatch(text) is not None and len(set(text)) > 1 and check_digits(text[:-2]) == text[-2:]


def kind_of(tax_id: str) -> Literal["cpf", "cnpj"]:
    """Tell which kind a canonical tax id is."""
    return "cpf" if len(tax_id) == 11 else "cnpj"


def format_tax_id(tax_id: str) -> str:
    """Write a canonical tax id with its mask.

    >>> format_tax_id("52998224725"), format_tax_id("12ABC34501DE35")
    ('529.982.247-25', '12.ABC.345/01DE-35')
    """
    t = tax_id
    if len(t) == 11:
        return f"{t[:3]}.{t[3:6]}.{t[6:9]}-{t[9:]}"
    return f"{t[:2]}.{t[2:5]}.{t[5:8]}/{t[8:12]}-{t[12:]}"


def parse_tax_id(text: str) -> TaxIdReading:
    """Read a tax id as a person or a spreadsheet wrote it.

    Returns:
        The canonical tax id, with TAXID_NORMALISED when more than a mask was taken off; or no value and TAXID_FORMAT,
        TAXID_LENGTH (fact `found`) or TAXID_CHECK.

    >>> parse_tax_id("12.abc.345/01de-35").value
    '12ABC34501DE35'
    >>> parse_tax_id("1144477735").code.value
    'TAXID_LENGTH'
    """
    plain = text.strip(BLANKS)
    if not plain.isascii():
        return Reading(None, IssueCode.TAXID_FORMAT)
    plain = _expand_number(plain.upper())
    found = _CPF.fullmatch(plain) or _CNPJ.fullmatch(plain)
    if found is None:
        return _misshapen(plain)
    tax_id = "".join(found.groups())
    if not is_tax_id(tax_id):
        return Reading(None, IssueCode.TAXID_CHECK)
    return Reading(tax_id, None if plain == text else IssueCode.TAXID_NORMALISED)


def require_tax_id(value: Any) -> str:  # noqa: ANN401
    """Return the canonical form of a tax id.

    Raises:
        ValueError: it is none; the message says why and does not repeat the value.
    """
    if not isinstance(value, str):
        raise ValueError("write the CPF or CNPJ in quotes, so that no digit is lost")  # for pydantic
    reading = parse_tax_id(value)
    if reading.value is not None:
        return reading.value
    if reading.code is IssueCode.TAXID_LENGTH:
        raise ValueError(f"a CPF has 11 digits and a CNPJ 14; this has {reading.facts['found']}")
    if reading.code is IssueCode.TAXID_CHECK:
        raise ValueError("the check digits of this CPF or CNPJ are wrong")
    raise ValueError("this is not a CPF (999.999.999-99) or CNPJ (XX.XXX.XXX/XXXX-99)")


def _expand_number(text: str) -> str:
    """Undo the float and scientific forms of an integer, as long as every digit is still there."""
    if found := _FLOAT.fullmatch(text):
        return found[1]
    found = _SCIENTIFIC.fullmatch(text)
    if found and len(found[2]) == int(found[3]):
        return str(int(Decimal(text)))
    return text


def _misshapen(plain: str) -> TaxIdReading:
    bare = plain.translate(_MASK_MARKS)
    if _COUNTED.fullmatch(bare) and len(bare) not in {11, 14} and not _SCIENTIFIC.fullmatch(plain):
        return Reading(None, IssueCode.TAXID_LENGTH, {"found": len(bare)})
    return Reading(None, IssueCode.TAXID_FORMAT)


Bytes = npt.NDArray[np.uint8]
Mask = npt.NDArray[np.bool_]
Positions = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class TaxIdColumn:
    """A column of tax ids as read.

    Attributes:
        tax_ids: Canonical, dtype str, index of the input; "" where there is none.
        readings: By position, the cells that need a word: what `parse_tax_id` says of them. Sound and
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
