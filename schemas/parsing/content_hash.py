"""Content hashes: the identity of a file's rows, whatever order, encoding or format it was saved in."""

import hashlib
import unicodedata
from collections import Counter, defaultdict
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any, Final

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from schemas.tables.model import records
from schemas.tables.royalties import CONDITIONS

# Where a row stood is not what it says.
PLACE_COLUMNS: Final = frozenset({"file", "sheet", "row"})
_NAME_END: Final = "\x1e"
_CELL_END: Final = "\x1f"
# The escape goes first, so that no two different rows can be written alike.
_ESCAPES: Final = (("\\", "\\\\"), (_NAME_END, "\\n"), (_CELL_END, "\\u"))
_WIDEST_DECIMAL: Final = pa.decimal128(38, 18)
_DIGEST_BYTES: Final = 32
_MODULUS: Final = 2 ** (8 * _DIGEST_BYTES)


@dataclass(frozen=True, slots=True)
class RowsContent:
    """What rows say, as two numbers that can be added up block by block, in any order."""

    rows: int = 0
    digest: int = 0

    def __add__(self, other: "RowsContent") -> "RowsContent":
        return RowsContent(self.rows + other.rows, (self.digest + other.digest) % _MODULUS)

    @classmethod
    def of(cls, digests: bytes) -> "RowsContent":
        """Add the digests of rows up, as `row_digests` gives them."""
        return cls(len(digests) // _DIGEST_BYTES, _sum_modulo(digests, _DIGEST_BYTES)) if digests else cls()

    @classmethod
    def of_lines(cls, hashes: npt.NDArray[np.uint64]) -> "RowsContent":
        """Add the hashes of statement lines up, as `hash_lines` gives them, each made one of 128 bits."""
        both = np.column_stack([hashes, _mixed(hashes ^ _SECOND)])
        return cls(len(hashes), _sum_modulo(both.tobytes(), 2 * hashes.itemsize))

    @property
    def sha256(self) -> str:
        return hashlib.sha256(f"{self.rows}:{self.digest:064x}".encode()).hexdigest()


def content_of(frame: pd.DataFrame) -> RowsContent:
    """Hash the rows of a parsed table, or of one of its blocks; takes and raises what `row_digests` does."""
    return RowsContent.of(row_digests(frame))


def row_digests(frame: pd.DataFrame) -> bytes:
    """Hash each row of a parsed table, or of one of its blocks: 32 bytes of SHA-256 a row, in order.

    A row is written as its cells that hold anything, each with its column's name, so that an optional column left
    blank equals one left out. The columns file, sheet and row are left out, as are rows that say nothing.

    Raises:
        TypeError: a column holds floats, whose text is not exact.
    """
    columns = sorted(str(name) for name in frame.columns if name not in PLACE_COLUMNS)
    cells = [_named_cells(name, _texts(name, frame[name])) for name in columns]
    if not cells or not len(frame):
        return b""
    rows = pc.binary_join_element_wise(*cells, pa.scalar("", pa.large_string()))
    filled = rows.filter(pc.not_equal(rows, "")).cast(pa.large_binary()).to_pylist()
    return b"".join(hashlib.sha256(row).digest() for row in filled)


def content_sha256(frame: pd.DataFrame) -> str:
    """Hash a parsed table so that re-sorting, re-encoding or saving it as another format changes nothing.

    Returns:
        Hex digest. A frame whose columns are all empty has that of no content.

    Raises:
        TypeError: a column holds floats, whose text is not exact.
    """
    return content_of(frame).sha256


def _named_cells(name: str, texts: pa.Array) -> pa.Array:
    empty = pa.scalar("", pa.large_string())
    first, end = (pa.scalar(text, pa.large_string()) for text in (f"{name}{_NAME_END}", _CELL_END))
    named = pc.binary_join_element_wise(first, texts, end, empty)
    return pc.if_else(pc.equal(texts, empty), empty, named)


def hash_lines(
    texts: Mapping[str, tuple[npt.NDArray[np.int32], Sequence[str]]],
    units: npt.NDArray[np.int64],
    amount: pa.Array,
    *,
    about: npt.NDArray[np.uint64] | None = None,
) -> npt.NDArray[np.uint64]:
    """Hash what statement lines say: 64 bits a line, in order. A text is hashed once, however many lines have it.

    Cells add up, each hashed with its column's name, and the sum is mixed: a column left blank equals one left out,
    and a value in another column, or another line, is another hash. It tells honest files apart; that nobody tampered
    with one, its SHA-256 says.

    Args:
        texts: Canonical column -> which text each line has, and the different texts.
        amount: Exact decimals of 18 places, none of them missing.
        about: A hash of each line's own to begin with.
    """
    hashes = np.zeros(len(units), np.uint64) if about is None else about
    hashes = hashes + _mixed(units.view(np.uint64) ^ _UNITS) + _amount_hashes(amount)
    for name, (codes, different) in texts.items():
        hashes += text_hashes(name, different)[codes]
    return _mixed(hashes)


def _amount_hashes(amount: pa.Array) -> npt.NDArray[np.uint64]:
    low, high = np.frombuffer(amount.buffers()[1], np.uint64)[2 * amount.offset :][: 2 * len(amount)].reshape(-1, 2).T
    return _mixed(low ^ _mixed(high ^ _AMOUNT))


def text_hashes(name: str, texts: Sequence[str]) -> npt.NDArray[np.uint64]:
    """Hash the different texts of a column: nothing for nothing, accents composed."""
    composed = (text if text.isascii() else unicodedata.normalize("NFC", text) for text in texts)
    person = name.encode()  # what BLAKE2 calls what keeps hashes of one use apart from those of another
    digests = b"".join(hashlib.blake2b(text.encode(), digest_size=8, person=person).digest() for text in composed)
    hashes = np.frombuffer(digests, np.uint64).copy()
    hashes[[not text for text in texts]] = 0
    return hashes


_UNITS: Final = np.uint64(0x9E3779B97F4A7C15)
_AMOUNT: Final = np.uint64(0xD1B54A32D192ED03)
_SECOND: Final = np.uint64(0x8CB92BA72F3D8DD7)


def _mixed(numbers: npt.NDArray[np.uint64]) -> npt.NDArray[np.uint64]:
    mixed = numbers ^ (numbers >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed


def _sum_modulo(numbers: bytes, size: int) -> int:
    """Add numbers of so many bytes up: as columns of 32 bits, of which 64 bits hold the sum of 4,000 million."""
    parts = np.frombuffer(numbers, dtype="<u4").reshape(-1, size // 4).sum(axis=0, dtype=np.uint64)
    total = 0
    for part in reversed(parts.tolist()):
        total = (total << 32) + part
    return total % _MODULUS


def _texts(name: str, column: "pd.Series[Any]") -> pa.Array:
    given: Any = _exact_objects(column) if column.dtype == object else column
    values = pa.array(given, from_pandas=True)
    if isinstance(values, pa.ChunkedArray):
        values = values.combine_chunks()
    if pa.types.is_floating(values.type):
        raise TypeError(f"column {name} holds floats; identities need exact values")
    if pa.types.is_decimal(values.type):
        values = values.cast(_WIDEST_DECIMAL)
    texts = _composed(pc.fill_null(values.cast(pa.large_string()), ""))
    for character, escape in _ESCAPES:
        texts = pc.replace_substring(texts, character, escape)
    return texts


def _composed(texts: pa.Array) -> pa.Array:
    """Write accents in one way: a file saved by another program may hold each as a letter and a mark."""
    if pc.all(pc.string_is_ascii(texts)).as_py() is not False:
        return texts
    encoded = texts.dictionary_encode()
    return pc.utf8_normalize(encoded.dictionary, form="NFC").take(encoded.indices)


def _exact_objects(column: "pd.Series[Any]") -> list[str | None]:
    return [None if pd.isna(value) else _exact_text(value) for value in column]


def _exact_text(value: object) -> str:
    if isinstance(value, float):
        raise TypeError("a float among objects; identities need exact values")
    if isinstance(value, Decimal):
        return format(value.normalize(), "f")
    return str(value).lower() if isinstance(value, bool) else str(value)


# What tells the rows of a table apart; two rows that are alike in it are told apart by their order.
KEYS: Final[Mapping[str, tuple[str, ...]]] = {
    "payees": ("tax_id",),
    "shares": (
        *("isrc", "upc", "release", "artist", "tax_id", "role", "base", "contract", "valid_from", "tier_from"),
        *CONDITIONS,
    ),
    "costs": ("order", "name", "isrc", "upc", "release", "artist", "tax_id", "date", *CONDITIONS),
    "advances": ("tax_id", "reference", "scope", "kind"),
    "opening": ("tax_id", "kind", "period", "reference"),
    "rates": ("currency", "date"),
    "taxes": ("tax_id", "kind"),
    "invoices": ("tax_id", "number"),
}
_PLACE: Final = frozenset({"file", "sheet", "row"})


@dataclass(frozen=True, slots=True)
class RowChange:
    """One row that is not as it was."""

    tax_id: str = field(repr=False)
    name: str = field(repr=False)
    key: Mapping[str, str]
    cells: Mapping[str, tuple[str, str]] = field(default_factory=dict, repr=False)


@dataclass(frozen=True, slots=True)
class TableChanges:
    """What differs between two versions of a table."""

    added: tuple[RowChange, ...]
    removed: tuple[RowChange, ...]
    changed: tuple[RowChange, ...]
    same: int

    @property
    def any(self) -> bool:
        return bool(self.added or self.removed or self.changed)


def compare_tables(table: str, before: pd.DataFrame, now: pd.DataFrame) -> TableChanges:
    """Compare two versions of a table, whatever the order of their rows."""
    old, new = dict(_keyed(table, before)), dict(_keyed(table, now))
    changed, same = [], 0
    for key, row in new.items():
        if key not in old:
            continue
        cells = {
            column: (str(old[key].get(column, "")), str(value))
            for column, value in row.items()
            if column not in _PLACE and str(old[key].get(column, "")) != str(value)
        }
        same += not cells
        if cells:
            changed.append(_change(table, row, cells))
    return TableChanges(
        added=tuple(_change(table, row) for key, row in new.items() if key not in old),
        removed=tuple(_change(table, row) for key, row in old.items() if key not in new),
        changed=tuple(changed),
        same=same,
    )


def _keyed(table: str, frame: pd.DataFrame) -> Iterator[tuple[Hashable, dict[str, object]]]:
    seen = Counter[Hashable]()
    for row in records(frame):
        key = tuple(str(row[column]) for column in KEYS[table])
        seen[key] += 1
        yield (*key, seen[key]), row


def _change(table: str, row: Mapping[str, object], cells: Mapping[str, tuple[str, str]] | None = None) -> RowChange:
    key = {column: str(row[column]) for column in KEYS[table] if column != "tax_id" and row[column]}
    return RowChange(str(row.get("tax_id", "")), str(row.get("name", "")), key, cells or {})


def name_payees(changes: TableChanges, names: Mapping[str, str]) -> TableChanges:
    """Give rows of a table without names those of their payees.

    Args:
        names: Tax id -> name.
    """
    known = defaultdict[str, str](str, names)

    def named(rows: tuple[RowChange, ...]) -> tuple[RowChange, ...]:
        return tuple(RowChange(row.tax_id, row.name or known[row.tax_id], row.key, row.cells) for row in rows)

    return TableChanges(named(changes.added), named(changes.removed), named(changes.changed), changes.same)
