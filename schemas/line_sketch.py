"""Which statement lines a file holds, in a bounded sketch that adds up: by it, lines that come again are known.

A sample of hashes (a KMV or bottom-k sketch) with how often each line stands in the file. Two lines are the same where
recording, month or day, platform, territory, amount and currency are; a title counts only where a line has no code.
"""

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from schemas.parsing.content_hash import hash_lines, text_hashes
from schemas.tables.royalties import LINE_AMOUNT, TEXTS, UNREAD_UPC

# Up to so many different lines a sketch holds all of them; of more, a sample, and beside it those of most money.
MOST_KEPT: Final = 2**14
MOST_HEAVY: Final = 2**10
_BITS: Final = 64
_HEAD: Final = np.dtype("<u8")
_COUNT: Final = np.dtype("<u4")

# Amounts are weighed in hundred-thousandths of their currency: an estimate of what a few lines are of all.
WEIGHT_PLACES: Final = 5
_HEAVIEST: Final = 2**40

Hashes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]
Currencies = npt.NDArray[np.str_]
Coded = tuple[npt.NDArray[np.int32], Sequence[str]]
_NO_CURRENCIES: Final = np.array([], dtype="<U3")


@dataclass(frozen=True, slots=True, eq=False)
class LineSketch:
    """Which lines a file holds: by their hashes all of them, or a sample with the heaviest.

    Sketches add up, in any cut and any order.

    Attributes:
        level: Only hashes below 2**(64 - level) are in the sample: one in 2**level.
        hashes: Those of the sample and of the heaviest lines, ascending.
        counts: How many lines of the file have each.
        weights: What one line of each is worth, whatever its sign; see `WEIGHT_PLACES`.
        lines: How many lines there are in all, none of them worth nothing.
        money: Currency -> the weight of all lines.
    """

    level: int
    hashes: Hashes
    counts: Counts
    weights: Counts
    currencies: Currencies
    lines: int
    money: Mapping[str, int]

    def __add__(self, other: "LineSketch") -> "LineSketch":
        level = max(self.level, other.level)
        own, two = self.at(level), other.at(level)
        both = np.concatenate([own.hashes, two.hashes])
        hashes, first, where = np.unique(both, return_index=True, return_inverse=True)
        counts = np.bincount(where, np.concatenate([own.counts, two.counts]), len(hashes)).astype(np.int64)
        weights = np.concatenate([own.weights, two.weights])[first]
        currencies = np.concatenate([own.currencies, two.currencies])[first]
        money = {name: self.money.get(name, 0) + other.money.get(name, 0) for name in {*self.money, *other.money}}
        return _bounded(LineSketch(level, hashes, counts, weights, currencies, self.lines + other.lines, money))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, LineSketch) and self.to_bytes() == other.to_bytes()

    def __hash__(self) -> int:
        return hash(self.to_bytes())

    def __bool__(self) -> bool:
        """Whether any line is worth anything."""
        return self.lines > 0

    def at(self, level: int) -> "LineSketch":
        """Return the sample of a higher level, or the sketch itself."""
        if level <= self.level:
            return self
        kept = self.sampled(level) | self.heaviest
        parts = (self.hashes[kept], self.counts[kept], self.weights[kept], self.currencies[kept])
        return LineSketch(level, *parts, self.lines, self.money)

    def sampled(self, level: int) -> npt.NDArray[np.bool_]:
        """Tell which of the lines are in the sample of a level."""
        return self.hashes < np.uint64(1 << (_BITS - level)) if level else np.ones(len(self.hashes), dtype=bool)

    @property
    def heaviest(self) -> npt.NDArray[np.bool_]:
        """Which of the lines are kept for what they are worth; of equal ones, those whose hash is lower."""
        if len(self.hashes) <= MOST_HEAVY:
            return np.ones(len(self.hashes), dtype=bool)
        least = np.partition(self.weights, -MOST_HEAVY)[-MOST_HEAVY]
        heaviest: npt.NDArray[np.bool_] = self.weights > least
        ties = np.flatnonzero(self.weights == least)  # ascending by hash, as all of it is
        heaviest[ties[: MOST_HEAVY - int(heaviest.sum())]] = True
        return heaviest

    def counts_of(self, hashes: Hashes) -> Counts:
        """Return how often each of some lines is kept; 0 for those that are not."""
        if not len(self.hashes):
            return np.zeros(len(hashes), np.int64)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[at] == hashes, self.counts[at], 0)

    def lines_of(self, counts: Counts) -> int:
        """Estimate how many lines some of each hash stand for."""
        return max(int(counts[self.sampled(self.level)].sum()) << self.level, int(counts.sum()))

    def money_of(self, counts: Counts) -> dict[str, int]:
        """Estimate what some of each hash are worth, by currency."""
        weights = self.weights * counts
        if self.level:
            weights = np.where(self.heaviest, weights, weights << self.level)
        names, where = np.unique(self.currencies, return_inverse=True)
        return {str(name): int(weights[where == number].sum()) for number, name in enumerate(names)}

    def to_bytes(self) -> bytes:
        """Write it for the ledger: one line of JSON; the hashes; counts, weights and currencies, packed."""
        head = {"level": self.level, "lines": self.lines, "kept": len(self.hashes), "money": dict(self.money)}
        rest = (self.counts.astype(_COUNT), self.weights.astype(_HEAD), self.currencies.astype("<U3"))
        packed = zlib.compress(b"".join(part.tobytes() for part in rest))
        return json.dumps(head, sort_keys=True).encode() + b"\n" + self.hashes.astype(_HEAD).tobytes() + packed

    @classmethod
    def from_bytes(cls, data: bytes) -> "LineSketch":
        """Read what `to_bytes` wrote."""
        end = data.index(b"\n")
        head, start = json.loads(data[:end]), end + 1
        kept = head["kept"]
        hashes = np.frombuffer(data, _HEAD, kept, start).astype(np.uint64)
        rest = zlib.decompress(data[start + kept * _HEAD.itemsize :])
        counts = np.frombuffer(rest, _COUNT, kept).astype(np.int64)
        weights = np.frombuffer(rest, _HEAD, kept, kept * _COUNT.itemsize).astype(np.int64)
        currencies = np.frombuffer(rest, "<U3", kept, kept * (_COUNT.itemsize + _HEAD.itemsize))
        return cls(head["level"], hashes, counts, weights, currencies, head["lines"], head["money"])


def _empty(level: int = 0) -> LineSketch:
    return LineSketch(
        level, np.array([], np.uint64), np.array([], np.int64), np.array([], np.int64), _NO_CURRENCIES, 0, {}
    )


NO_LINES: Final = _empty()


def sketch_of(hashes: Hashes, weights: Counts, currencies: Coded) -> LineSketch:
    """Sketch the lines of a block.

    Args:
        weights: What each line is worth; lines of one hash are worth the same.
        currencies: Which currency each line is in, and the different currencies.
    """
    codes, names = currencies
    money = {name: int(weights[codes == code].sum()) for code, name in enumerate(names) if (codes == code).any()}
    level, chosen = _first_level(hashes, weights)
    some, of_some, own = hashes[chosen], weights[chosen], codes[chosen]
    different, first, counts = np.unique(some, return_index=True, return_counts=True)
    kept = (different, counts.astype(np.int64), of_some[first], np.array([*names, ""], dtype="<U3")[own[first]])
    return _bounded(LineSketch(level, *kept, len(hashes), money))


# A block of so many lines below a level's threshold is looked at from that level on.
_WORTH_SAMPLING: Final = 4 * MOST_KEPT


def _first_level(hashes: Hashes, weights: Counts) -> tuple[int, npt.NDArray[np.bool_]]:
    """Find a level that a block's sketch has at least, and the lines that may be in the sketch.

    Sorting all lines to sample some would be most of the time that sketching takes.
    """
    everything = np.ones(len(hashes), dtype=bool)
    level = max(0, (len(hashes) // _WORTH_SAMPLING).bit_length() - 1)
    if not level:
        return 0, everything
    sampled = hashes < np.uint64(1 << (_BITS - level))
    if _different(hashes[sampled]) <= MOST_KEPT:  # many lines say the same
        return 0, everything
    least = np.partition(weights, -MOST_HEAVY)[-MOST_HEAVY]
    if _different(hashes[weights >= least]) < MOST_HEAVY:
        return 0, everything
    return level, sampled | (weights >= least)


def _different(hashes: Hashes) -> int:
    in_order = np.sort(hashes)
    return int(np.count_nonzero(in_order[1:] != in_order[:-1])) + bool(len(hashes))


def most_of(sketches: Iterable[LineSketch]) -> LineSketch:
    """Return each line as often as the sketch has it that has it most: versions of one file, each read again."""
    found = list(sketches)
    if len(found) == 1:
        return found[0]
    level = max((sketch.level for sketch in found), default=0)
    together = sum((sketch.at(level) for sketch in found), _empty(level))
    counts = np.zeros(len(together.hashes), np.int64)
    for sketch in found:
        counts = np.maximum(counts, sketch.at(together.level).counts_of(together.hashes))
    lines = max((sketch.lines for sketch in found), default=0)
    kept = (together.hashes, counts, together.weights, together.currencies)
    return LineSketch(together.level, *kept, lines, together.money)


def _bounded(sketch: LineSketch) -> LineSketch:
    level = sketch.level
    while np.count_nonzero(sketch.sampled(level)) > MOST_KEPT:
        level += 1
    kept = sketch.sampled(level) | sketch.heaviest
    parts = (sketch.hashes[kept], sketch.counts[kept], sketch.weights[kept], sketch.currencies[kept])
    return LineSketch(level, *parts, sketch.lines, sketch.money)


class IdentifiedLines(NamedTuple):
    """Statement lines by what tells them apart.

    Attributes:
        hashes: Of each line, what it is for, of when and where, and what it comes to.
        weights: What each is worth, see `WEIGHT_PLACES`.
        currencies: Which currency each is in, and the different currencies.
    """

    hashes: Hashes
    weights: Counts
    currencies: Coded

    def sketch(self, chosen: npt.NDArray[np.bool_] | None = None) -> LineSketch:
        """Sketch those of them that are worth anything, or some of them."""
        kept = self.weights > 0 if chosen is None else (self.weights > 0) & chosen
        codes, names = self.currencies
        return sketch_of(self.hashes[kept], self.weights[kept], (codes[kept], names))


def identify_lines(texts: Mapping[str, Coded], amount: pa.Array) -> IdentifiedLines:
    """Hash what tells lines apart.

    Args:
        texts: Canonical column -> which text each line has, and the different texts.
        amount: Exact decimals of 18 places.
    """
    told_by = {name: texts[name] for name in ("period", "platform", "territory", "currency")}
    nothing = np.zeros(len(amount), np.int64)
    hashes = hash_lines(told_by, nothing, amount, about=_recordings(texts))
    return IdentifiedLines(hashes, _weights(amount), texts["currency"])


def identify_frame(lines: pd.DataFrame) -> IdentifiedLines:
    """Hash what tells statement lines apart that are at hand one by one, shaped `RoyaltyLines`."""
    texts, _, amount = _columns(lines)
    return identify_lines(texts, amount)


def hash_frame(lines: pd.DataFrame) -> Hashes:
    """Hash all that statement lines say that are at hand one by one, shaped `RoyaltyLines`."""
    return hash_lines(*_columns(lines))


def _columns(lines: pd.DataFrame) -> tuple[Mapping[str, Coded], Counts, pa.Array]:
    factorized = {name: pd.factorize(lines[name]) for name in TEXTS}
    texts: dict[str, Coded] = {
        name: (codes.astype(np.int32), different.tolist()) for name, (codes, different) in factorized.items()
    }
    amounts = pa.array(lines["amount"].array)
    whole = amounts.combine_chunks() if isinstance(amounts, pa.ChunkedArray) else amounts
    units: Counts = lines["units"].to_numpy(np.int64)
    return texts, units, whole.cast(LINE_AMOUNT)


def _letters(title: str) -> str:
    return "".join(character for character in title.casefold() if character.isalnum())


def _recordings(texts: Mapping[str, Coded]) -> Hashes:
    """Hash the recording of each line: by its ISRC, else its UPC, else its title in letters and digits; 0 for none."""
    found = np.zeros(len(texts["isrc"][0]), np.uint64)
    for name, key in (("isrc", str), ("upc", _code), ("title", _letters)):
        codes, names = texts[name]
        nameless = found == 0
        if not nameless.any():
            break
        if len(names):
            found[nameless] = text_hashes("code", [key(text) for text in names])[codes[nameless]]
    return found


def _code(upc: str) -> str:
    return (upc if upc != UNREAD_UPC else "").lstrip("0")


def _weights(amount: pa.Array) -> Counts:
    """Weigh amounts; what is worth less than the least weight, and anything, has the least."""
    rounded = pc.round(pc.abs(amount), WEIGHT_PLACES).cast(pa.decimal128(38, WEIGHT_PLACES))
    halves = np.frombuffer(rounded.buffers()[1], np.uint64)[2 * rounded.offset :][: 2 * len(rounded)]
    low, high = halves.reshape(-1, 2).T
    weights = np.where(high > 0, _HEAVIEST, np.minimum(low, np.uint64(_HEAVIEST))).astype(np.int64)
    least: Counts = pc.not_equal(amount, 0).to_numpy(zero_copy_only=False).astype(np.int64)
    return np.maximum(weights, least)
