"""Sketches of files used before, and the figures of earlier plans that a new one is compared with."""

import datetime as dt
import zlib
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Final, NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.messages import Listed, Message

_SHOWN: Final = 3


@dataclass(frozen=True, slots=True)
class PaidAlike:
    """What a row that is to be paid looks like: a payment of its amount to its payee or its account.

    Attributes:
        job: Name of the job that made it.
        period: Label of its period.
        submission_id: Which submission.
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
    """All that one payee got for one job and period.

    Attributes:
        payee: Tax id.
        job: Name of the job.
        period: Label of the period.
        currency: Currency of the reports.
        amount_cents: The sum of its payments.
        last_at: When the last of them was sent (UTC).
    """

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
        payee: Tax id.
        destination: Fingerprint of the destination, never the account.
        job: Name of the job it was last used for.
        period: Label of the period it was last used for.
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
        amount_cents: What was to be paid.
        destination: Fingerprint of the destination.
        report_id: The report.
    """

    base_key: str
    amount_cents: int
    destination: str
    report_id: str


# Up to so many different lines a sketch holds all of them; of more, a sample. At 8 bytes each that is 128 kB at most.
MOST_KEPT: Final = 2**14
_BITS: Final = 64
_HEAD: Final = np.dtype("<u8")
_COUNT: Final = np.dtype("<u4")

Hashes = npt.NDArray[np.uint64]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class LineSketch:
    """Which lines a file holds, as hashes of what they say; lines worth nothing are left out.

    Sketches of blocks add up to that of the file, in any cut and any order: the level is the lowest at which no more
    than `MOST_KEPT` different lines are left, which is a fact of the lines alone.

    Attributes:
        level: Of how many leading bits all hashes are zero; at 0 the sketch holds every line.
        hashes: 64 bits of each different line kept, ascending.
        counts: How often each of them occurs.
        lines: How many lines there are, kept or not.
    """

    level: int
    hashes: Hashes
    counts: Counts
    lines: int

    def __add__(self, other: "LineSketch") -> "LineSketch":
        level = max(self.level, other.level)
        own, two = self.at(level), other.at(level)
        hashes, where = np.unique(np.concatenate([own.hashes, two.hashes]), return_inverse=True)
        counts = np.bincount(where, np.concatenate([own.counts, two.counts]), len(hashes)).astype(np.int64)
        return _bounded(level, hashes, counts, self.lines + other.lines)

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
        end = int(np.searchsorted(self.hashes, np.uint64(1 << (_BITS - level)), side="left"))
        return LineSketch(level, self.hashes[:end], self.counts[:end], self.lines)

    def counts_of(self, hashes: Hashes) -> Counts:
        """Return how often each of some lines is kept; 0 for those that are not."""
        if not len(self.hashes):
            return np.zeros(len(hashes), np.int64)
        at = np.minimum(np.searchsorted(self.hashes, hashes), len(self.hashes) - 1)
        return np.where(self.hashes[at] == hashes, self.counts[at], 0)

    def without(self, hashes: Hashes, counts: Counts) -> "LineSketch":
        """Take lines out of a sketch that holds every line."""
        taken = LineSketch(0, hashes, counts, int(counts.sum())).counts_of(self.hashes)
        left = self.counts - taken
        kept = left > 0
        return LineSketch(self.level, self.hashes[kept], left[kept], self.lines - int(taken.sum()))

    def to_bytes(self) -> bytes:
        """Write it for the ledger: level, lines, how many hashes; the hashes; their counts, packed."""
        head = np.array([self.level, self.lines, len(self.hashes)], _HEAD).tobytes()
        return head + self.hashes.astype(_HEAD).tobytes() + zlib.compress(self.counts.astype(_COUNT).tobytes())

    @classmethod
    def from_bytes(cls, data: bytes) -> "LineSketch":
        """Read what `to_bytes` wrote."""
        level, lines, kept = np.frombuffer(data, _HEAD, 3).tolist()
        start = 3 * _HEAD.itemsize
        hashes = np.frombuffer(data, _HEAD, kept, start).astype(np.uint64)
        counts = np.frombuffer(zlib.decompress(data[start + kept * _HEAD.itemsize :]), _COUNT).astype(np.int64)
        return cls(level, hashes, counts, lines)


NO_LINES: Final = LineSketch(0, np.array([], np.uint64), np.array([], np.int64), 0)


def sketch_of(hashes: Hashes) -> LineSketch:
    """Sketch the lines of a block, given the hash of each."""
    different, counts = np.unique(hashes, return_counts=True)
    return _bounded(0, different, counts.astype(np.int64), len(hashes))


def most_of(sketches: Iterable[LineSketch]) -> LineSketch:
    """Return each line as often as the sketch has it that has it most: versions of one file, each read again."""
    found = list(sketches)
    level = max((sketch.level for sketch in found), default=0)
    hashes = np.unique(np.concatenate([NO_LINES.hashes, *(sketch.at(level).hashes for sketch in found)]))
    counts = np.zeros(len(hashes), np.int64)
    for sketch in found:
        counts = np.maximum(counts, sketch.at(level).counts_of(hashes))
    return LineSketch(level, hashes, counts, max((sketch.lines for sketch in found), default=0))


def _bounded(level: int, hashes: Hashes, counts: Counts, lines: int) -> LineSketch:
    sketch = LineSketch(level, hashes, counts, lines)
    while len(sketch.hashes) > MOST_KEPT:
        sketch = sketch.at(sketch.level + 1)
    return sketch


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
        run_id: The run that read it.
        name: What it was called then.
        file_sha256: Identity of its bytes.
        content_sha256: Identity of its canonical rows.
        sketch: Which of its royalty lines were used.
    """

    whose: WhoseMoney
    run_id: str
    name: str
    file_sha256: str
    content_sha256: str
    sketch: LineSketch = field(default=NO_LINES, repr=False)
