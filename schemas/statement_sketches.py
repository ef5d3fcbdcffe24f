"""What statement lines pay for, in bounded sketches that add up: by it, an edition that is written otherwise is known.

Three samples of hashes (KMV or bottom-k sketches) with their counts: of whole lines, of earnings (recording, exact
amount, currency), and of long amounts alone; and per currency and month of account what the largest recordings earned.
"""

import datetime as dt
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from enum import StrEnum
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt
import pandas as pd
import pyarrow as pa
import pyarrow.compute as pc

from schemas.messages import Listed, Message
from schemas.parsing.content_hash import hash_amounts, hash_lines, text_hashes
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

# Short amounts come again by chance: so many digits say that a recording earned that amount once, and so many that
# nothing else did.
EARNING_DIGITS: Final = 4
LONG_AMOUNT_DIGITS: Final = 9

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
        """Read what `to_bytes` wrote, or an earlier version of the program, which knew nothing of money."""
        if not data.startswith(b"{"):
            return cls._without_money(data)
        end = data.index(b"\n")
        head, start = json.loads(data[:end]), end + 1
        kept = head["kept"]
        hashes = np.frombuffer(data, _HEAD, kept, start).astype(np.uint64)
        rest = zlib.decompress(data[start + kept * _HEAD.itemsize :])
        counts = np.frombuffer(rest, _COUNT, kept).astype(np.int64)
        weights = np.frombuffer(rest, _HEAD, kept, kept * _COUNT.itemsize).astype(np.int64)
        currencies = np.frombuffer(rest, "<U3", kept, kept * (_COUNT.itemsize + _HEAD.itemsize))
        return cls(head["level"], hashes, counts, weights, currencies, head["lines"], head["money"])

    @classmethod
    def _without_money(cls, data: bytes) -> "LineSketch":
        level, lines, kept = np.frombuffer(data, _HEAD, 3).tolist()
        start = 3 * _HEAD.itemsize
        hashes = np.frombuffer(data, _HEAD, kept, start).astype(np.uint64)
        counts = np.frombuffer(zlib.decompress(data[start + kept * _HEAD.itemsize :]), _COUNT).astype(np.int64)
        return cls(level, hashes, counts, np.zeros(kept, np.int64), np.full(kept, "", "<U3"), lines, {})


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


class SketchKind(StrEnum):
    """What lines are known by."""

    LINES = "lines"
    EARNINGS = "earnings"
    AMOUNTS = "amounts"


@dataclass(frozen=True, slots=True)
class Sketches:
    """The same lines, known by three things.

    Attributes:
        earnings: Recording, exact amount and currency; lines of a recording with an amount of four digits or more.
        amounts: Exact amount and currency alone; lines with an amount of nine digits or more.
    """

    lines: LineSketch
    earnings: LineSketch
    amounts: LineSketch

    def __bool__(self) -> bool:
        """Whether any line is worth anything."""
        return bool(self.lines)

    def by(self, kind: SketchKind) -> LineSketch:
        """Return the one of a kind."""
        found: LineSketch = getattr(self, kind)
        return found


NO_SKETCHES: Final = Sketches(NO_LINES, NO_LINES, NO_LINES)


def add_sketches(sketches: Iterable[Sketches]) -> Sketches:
    """Add sketches of blocks or files up."""
    lines, earnings, amounts = NO_LINES, NO_LINES, NO_LINES
    for sketch in sketches:
        lines, earnings, amounts = lines + sketch.lines, earnings + sketch.earnings, amounts + sketch.amounts
    return Sketches(lines, earnings, amounts)


def sketches_of(whole: Hashes, texts: Mapping[str, Coded], amount: pa.Array) -> Sketches:
    """Sketch the lines of a block; those that are worth nothing are left out.

    Args:
        whole: The hash of each line, as `hash_lines` gives it.
        texts: Canonical column -> which text each line has, and the different texts.
        amount: Exact decimals of 18 places.
    """
    codes, names = texts["currency"]
    weights, worth = _weights(amount), pc.not_equal(amount, 0).to_numpy(zero_copy_only=False)
    digits, recording = _digits(amount), _recordings(texts)
    earning = worth & (digits >= EARNING_DIGITS) & (recording != 0)
    parts = (
        (worth, whole),
        (earning, _earnings(texts, amount, recording)),
        (worth & (digits >= LONG_AMOUNT_DIGITS), _long_amounts(texts, amount)),
    )
    return Sketches(*(sketch_of(hashes[mask], weights[mask], (codes[mask], names)) for mask, hashes in parts))


class FrameHashes(NamedTuple):
    """Statement lines at hand one by one, and their hashes.

    Attributes:
        by_kind: What lines are known by -> a hash per line.
        texts: Canonical column -> which text each line has, and the different texts.
        amount: Exact decimals of 18 places.
    """

    by_kind: Mapping[SketchKind, Hashes]
    texts: Mapping[str, Coded]
    amount: pa.Array

    def sketches(self, chosen: npt.NDArray[np.bool_]) -> Sketches:
        """Sketch some of the lines."""
        texts = {name: (codes[chosen], names) for name, (codes, names) in self.texts.items()}
        return sketches_of(self.by_kind[SketchKind.LINES][chosen], texts, self.amount.filter(pa.array(chosen)))


def hash_frame(lines: pd.DataFrame) -> FrameHashes:
    """Hash statement lines shaped `RoyaltyLines`, one by one."""
    factorized = {name: pd.factorize(lines[name]) for name in TEXTS}
    texts = {name: (codes.astype(np.int32), different.tolist()) for name, (codes, different) in factorized.items()}
    amounts = pa.array(lines["amount"].array)
    whole = amounts.combine_chunks() if isinstance(amounts, pa.ChunkedArray) else amounts
    amount = whole.cast(LINE_AMOUNT)
    by_kind = {
        SketchKind.LINES: hash_lines(texts, lines["units"].to_numpy(np.int64), amount),
        SketchKind.EARNINGS: _earnings(texts, amount, _recordings(texts)),
        SketchKind.AMOUNTS: _long_amounts(texts, amount),
    }
    return FrameHashes(by_kind, texts, amount)


def recording_key(isrc: str, upc: str, title: str) -> str:
    """Name a recording by its ISRC, else its UPC, else its title in letters and digits alone; "" by nothing."""
    return isrc or (upc if upc != UNREAD_UPC else "").lstrip("0") or _letters(title)


def _letters(title: str) -> str:
    return "".join(character for character in title.casefold() if character.isalnum())


def _recordings(texts: Mapping[str, Coded]) -> Hashes:
    """Hash the recording of each line, as `recording_key` names it; 0 where it has none."""
    found = np.zeros(len(texts["isrc"][0]), np.uint64)
    for name, key in (("isrc", str), ("upc", lambda upc: recording_key("", upc, "")), ("title", _letters)):
        codes, names = texts[name]
        nameless = found == 0
        if not nameless.any():
            break
        if len(names):
            found[nameless] = text_hashes("code", [key(text) for text in names])[codes[nameless]]
    return found


def _earnings(texts: Mapping[str, Coded], amount: pa.Array, recording: Hashes) -> Hashes:
    return hash_amounts(amount, recording + _currency_hashes(texts))


def _long_amounts(texts: Mapping[str, Coded], amount: pa.Array) -> Hashes:
    return hash_amounts(amount, _currency_hashes(texts))


def _currency_hashes(texts: Mapping[str, Coded]) -> Hashes:
    codes, names = texts["currency"]
    return text_hashes("currency", [*names, ""])[codes]


def _weights(amount: pa.Array) -> Counts:
    rounded = pc.round(pc.abs(amount), WEIGHT_PLACES).cast(pa.decimal128(38, WEIGHT_PLACES))
    halves = np.frombuffer(rounded.buffers()[1], np.uint64)[2 * rounded.offset :][: 2 * len(rounded)]
    low, high = halves.reshape(-1, 2).T
    return np.where(high > 0, _HEAVIEST, np.minimum(low, np.uint64(_HEAVIEST))).astype(np.int64)


def _digits(amount: pa.Array) -> Counts:
    """Count the significant digits of amounts: four of 0.001234 and of 12.34, two of 12 and of 1,200."""
    different = amount.dictionary_encode()
    texts = pc.utf8_rtrim(different.dictionary.cast(pa.large_string()), "0.")
    digits = pc.utf8_length(pc.utf8_ltrim(pc.replace_substring(texts, ".", ""), "-0"))
    of_lines: Counts = pc.take(digits, different.indices).to_numpy(zero_copy_only=False).astype(np.int64)
    return of_lines


# Of one account so many recordings are kept, those that earned most; and of a file, so many accounts.
MOST_RECORDINGS: Final = 64
MOST_ACCOUNTS: Final = 96


@dataclass(frozen=True, slots=True)
class StatementAccount:
    """What a file says was earned in one currency and month.

    Attributes:
        currency: ISO code.
        month: "YYYY-MM"; "" where the lines do not say.
        amount: Exact sum of the lines.
        recordings: Recording, hashed -> what its lines add up to, see `WEIGHT_PLACES`; those that earned most.
        platforms: Platforms, hashed; empty where the lines do not say.
        territories: Territories, hashed; empty where the lines do not say.
    """

    currency: str
    month: str
    amount: Decimal
    lines: int
    recordings: Mapping[str, int]
    platforms: frozenset[str] = frozenset()
    territories: frozenset[str] = frozenset()

    @property
    def key(self) -> tuple[str, str]:
        """Currency and month: a file has one account of each."""
        return self.currency, self.month


def accounts_to_json(accounts: Iterable[StatementAccount]) -> str:
    """Write accounts for the ledger."""
    return json.dumps(
        [
            {
                "currency": account.currency,
                "month": account.month,
                "amount": str(account.amount),
                "lines": account.lines,
                "recordings": dict(account.recordings),
                "platforms": sorted(account.platforms),
                "territories": sorted(account.territories),
            }
            for account in accounts
        ]
    )


def accounts_from_json(text: str) -> tuple[StatementAccount, ...]:
    """Read what `accounts_to_json` wrote."""
    return tuple(
        StatementAccount(
            currency=account["currency"],
            month=account["month"],
            amount=Decimal(account["amount"]),
            lines=account["lines"],
            recordings=account["recordings"],
            platforms=frozenset(account["platforms"]),
            territories=frozenset(account["territories"]),
        )
        for account in json.loads(text)
    )


_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PaidAlike:
    """What a row that is to be paid looks like: a payment of its amount to its payee or its account.

    Attributes:
        other_payer: Whether it was under another payer.
        other_payee: Whether it was to another CPF or CNPJ, at the same account.
        other_account: Whether it was to another account of the same payee.
    """

    job: str
    period: str
    submission_id: str
    other_payer: bool
    other_payee: bool
    other_account: bool

    @property
    def message(self) -> Message:
        """Where and how it was paid."""
        facts = {"job": self.job, "period": self.period, "submission": self.submission_id}
        differs = (
            (self.other_payer, Message("paid.other_payer")),
            (self.other_payee, Message("paid.other_payee")),
            (self.other_account, Message("paid.other_account")),
        )
        how = tuple(message for holds, message in differs if holds)
        return Message("paid.otherwise", **facts, how=Listed(how)) if how else Message("paid.alike", **facts)


def paid_alike_message(alike: Sequence[PaidAlike]) -> Listed:
    """Say what a row looks like; the first few of many."""
    shown = tuple(use.message for use in alike[:_SHOWN])
    more = (Message("paid.more", count=len(alike) - _SHOWN),) if len(alike) > _SHOWN else ()
    return Listed((*shown, *more), "; ")


@dataclass(frozen=True, slots=True)
class PaidSum:
    """All that one payee got for one job and period."""

    payee: str
    job: str
    period: str
    currency: str
    amount_cents: int
    last_at: dt.datetime


@dataclass(frozen=True, slots=True)
class UsedDestination:
    """Where one payee was paid, and when and for what last.

    Attributes:
        destination: Fingerprint of the destination, never the account.
        last_at: When a payment to it was last sent (UTC).
    """

    payee: str
    destination: str
    job: str
    period: str
    last_at: dt.datetime


@dataclass(frozen=True, slots=True)
class FailedPayment:
    """A payment of a report that failed, which nobody has made since.

    Attributes:
        base_key: Key of the first obligation of the same payee and reference.
        payee: Tax id, where it was of royalties, which another period's payment may make with its own; "" elsewhere.
    """

    base_key: str
    amount_cents: int
    destination: str
    report_id: str
    payee: str = ""


class WhoseMoney(NamedTuple):
    """What keys of obligations rest on: within one, claims keep the same money from being paid twice."""

    job: str
    payer: str
    period: str
    currency: str


@dataclass(frozen=True, slots=True)
class FileUse:
    """An earlier use of a file, by a run that had an effect.

    Attributes:
        whose: Job, payer, period and currency.
        file_sha256: Identity of its bytes.
        content_sha256: Identity of its canonical rows.
        only_carried: Whether the run has paid nobody: what the file earns was carried or recouped.
        sketches: Which of its royalty lines were used.
        accounts: What they added up to, by currency and month.
    """

    whose: WhoseMoney
    run_id: str
    name: str
    file_sha256: str
    content_sha256: str
    layout: str = ""
    only_carried: bool = False
    sketches: Sketches = field(default=NO_SKETCHES, repr=False)
    accounts: tuple[StatementAccount, ...] = field(default=(), repr=False)
