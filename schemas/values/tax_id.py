"""CPF and CNPJ, numeric and alphanumeric: one value at a time, and whole columns in numpy."""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Final, Literal, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

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
    """Tell a person's document from a company's, by its length; both in canonical form."""
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
    """A column of tax ids as read."""

    tax_ids: pd.Series
    readings: dict[int, TaxIdReading]


class _Shape(NamedTuple):
    """One way in which nearly every tax id is written."""

    length: int
    characters: tuple[int, ...]
    marks: tuple[int, ...] = ()


_SHAPES: Final = (
    _Shape(11, tuple(range(11))),
    _Shape(14, tuple(range(14))),
    _Shape(14, (0, 1, 2, 4, 5, 6, 8, 9, 10, 12, 13), (3, 7, 11)),
    _Shape(18, (0, 1, 3, 4, 5, 7, 8, 9, 11, 12, 13, 14, 16, 17), (2, 6, 10, 15)),
)
_IS_MARK: Final = np.isin(np.arange(256), list(b".-/"))  # looked up by byte
# Weights of the second check digit; without their first, those of the first one.
_WEIGHTS: Final = {11: (11, 10, 9, 8, 7, 6, 5, 4, 3, 2), 14: (6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)}
# Sum of what characters are worth -> check digit; sums are at most 255 x 75, whatever the bytes.
_DIGITS: Final = np.array([0 if total % 11 < 2 else 11 - total % 11 for total in range(255 * 75 + 1)], dtype=np.uint8)

_WRONG_CHECK: Final[TaxIdReading] = Reading(None, IssueCode.TAXID_CHECK)
_NO_TAX_ID: Final[TaxIdReading] = Reading(None, IssueCode.TAXID_FORMAT)
# What has a length alone to blame: letters, digits and marks, but not the forms of a number.
_SHORT_OR_LONG: Final = "^[0-9A-Z./-]*[0-9][0-9A-Z./-]*$"
_A_NUMBER: Final = r"^[0-9]+\.0+$|^[0-9]\.[0-9]+E[0-9]{1,3}$"


def read_tax_ids(texts: pd.Series) -> TaxIdColumn:
    """Read a whole column.

    Args:
        texts: Texts as written, dtype str; "" for an empty cell.
    """
    array = _arrow_texts(texts)
    offsets = np.frombuffer(array.buffers()[1], dtype=np.int64)[array.offset : array.offset + len(array) + 1]
    data = np.frombuffer(array.buffers()[2] or b"", dtype=np.uint8)
    starts, lengths = offsets[:-1], np.diff(offsets)
    left = lengths > 0
    parts: list[tuple[Positions, Any]] = []
    readings: dict[int, TaxIdReading] = {}
    for shape in _SHAPES:
        rows = np.flatnonzero(left & (lengths == shape.length))
        rows = rows[_IS_MARK[data[starts[rows] + (*shape.marks, 3)[0]]] == bool(shape.marks)]
        if not len(rows):
            continue
        tax_ids, is_shaped, is_sound = _read_shape(shape, array.take(pa.array(rows)))
        left[rows[is_shaped]] = False
        parts.append((rows[is_sound], tax_ids.filter(pa.array(is_sound))))
        readings |= dict.fromkeys(rows[is_shaped & ~is_sound].tolist(), _WRONG_CHECK)
    parts.append(_read_rest(array, np.flatnonzero(left), readings))
    values = pd.Series(_in_order(len(array), parts), index=texts.index, name=texts.name, dtype="str")
    return TaxIdColumn(values, readings)


def _arrow_texts(texts: pd.Series) -> Any:  # noqa: ANN401  # pyarrow has no types
    array = pa.array(texts, type=pa.large_string(), from_pandas=True)
    return array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array


def _read_shape(shape: _Shape, texts: Any) -> tuple[Any, Mask, Mask]:  # noqa: ANN401
    """Read texts of one length.

    Returns:
        Their letters and digits alone; which of them have the shape; which of those are sound.
    """
    count = len(texts) * shape.length
    cells = np.frombuffer(texts.buffers()[2], dtype=np.uint8, count=count).reshape(-1, shape.length).T
    characters = cells[list(shape.characters)]  # one row per character, so that numpy runs along the cells
    is_shaped = _is_allowed(characters)
    for mark in shape.marks:
        is_shaped &= _IS_MARK[cells[mark]]
    is_sound = is_shaped & _is_sound(characters)
    if not shape.marks:
        return texts, is_shaped, is_sound
    ends = np.arange(0, characters.size + 1, len(characters))
    plain = np.ascontiguousarray(characters.T)
    tax_ids = pa.LargeStringArray.from_buffers(len(texts), pa.py_buffer(ends), pa.py_buffer(plain))
    return tax_ids, is_shaped, is_sound


def _is_allowed(characters: Bytes) -> Mask:
    """Tell which tax ids have digits where these must be, and digits or capital letters in the body of a CNPJ."""
    worth = characters - np.uint8(ord("0"))
    allowed: Mask = worth.max(axis=0) <= 9
    if len(characters) == 14:
        others = np.flatnonzero(~allowed)
        body, ending = characters[:12, others], worth[12:, others]
        is_letter = (body >= ord("A")) & (body <= ord("Z"))
        allowed[others] = (is_letter | (worth[:12, others] <= 9)).all(axis=0) & (ending <= 9).all(axis=0)
    return allowed


def _is_sound(characters: Bytes) -> Mask:
    worth, weights = characters - np.uint8(ord("0")), _WEIGHTS[len(characters)]
    sound: Mask = (worth[-2] == _digit(worth[:-2], weights[1:])) & (worth[-1] == _digit(worth[:-1], weights))
    alike = np.flatnonzero(sound & (characters[0] == characters[1]) & (characters[1] == characters[2]))
    sound[alike] = (characters[:, alike] != characters[0, alike]).any(axis=0)
    return sound


def _digit(worth: Bytes, weights: tuple[int, ...]) -> Bytes:
    total = np.zeros(worth.shape[1], dtype=np.uint16)
    for row, weight in zip(worth, weights, strict=True):
        total += row * np.uint16(weight)
    return _DIGITS[total]


def _read_rest(array: Any, rows: Positions, readings: dict[int, TaxIdReading]) -> tuple[Positions, Any]:  # noqa: ANN401
    """Read what has no usual shape, and say why: what is plainly none all at once, everything else one by one."""
    texts = array.take(pa.array(rows))
    bare = pc.utf8_length(pc.replace_substring_regex(texts, "[./-]", "")).to_numpy(zero_copy_only=False)
    counted = _matches(texts, _SHORT_OR_LONG) & ~_matches(texts, _A_NUMBER) & (bare != 11) & (bare != 14)
    for length in np.unique(bare[counted]).tolist():
        wrong_length: TaxIdReading = Reading(None, IssueCode.TAXID_LENGTH, {"found": length})
        readings |= dict.fromkeys(rows[counted & (bare == length)].tolist(), wrong_length)
    words = _matches(texts, "[A-Za-z]") & ~_matches(texts, "[0-9]")
    readings |= dict.fromkeys(rows[words].tolist(), _NO_TAX_ID)
    repaired = dict[int, str]()
    others = np.flatnonzero(~counted & ~words)
    for row, text in zip(rows[others].tolist(), texts.take(pa.array(others)).to_pylist(), strict=True):
        if not text.strip():
            continue
        reading = parse_tax_id(text)
        if reading.code is not None:
            readings[row] = reading
        if reading.value is not None:
            repaired[row] = reading.value
    return np.array([*repaired], dtype=np.int64), pa.array(repaired.values(), type=pa.large_string())


def _matches(texts: Any, pattern: str) -> Mask:  # noqa: ANN401
    matched: Mask = pc.match_substring_regex(texts, pattern).to_numpy(zero_copy_only=False)
    return matched


def _in_order(count: int, parts: list[tuple[Positions, Any]]) -> Any:  # noqa: ANN401
    """Put parts (positions, texts) in the order of their positions; "" where no part is."""
    places = np.zeros(count, dtype=np.int64)
    texts = pa.concat_arrays([pa.array([""], type=pa.large_string()), *(part for _, part in parts)])
    places[np.concatenate([rows for rows, _ in parts])] = np.arange(1, len(texts))
    return texts.take(pa.array(places))
