"""Detecting files and lines that were used before, which are paid again only on a person's decision."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from fractions import Fraction
from typing import Any, Final, NamedTuple

import numpy as np
import pyarrow as pa

from flows.intake.rules.editions import Account, ComparedStatement, Edition, accounts_of, find_editions, says_twice
from flows.intake.rules.inputs import EXACT, UsedFile
from schemas.line_sketch import NO_LINES, WEIGHT_PLACES, Counts, Hashes, LineSketch, most_of
from schemas.messages import Listed, Message
from schemas.sources import DIGITS_SHOWN, FileUse, WhoseMoney

# Honest statements share a few lines: a fee of every month, a correction sent twice. So many are passed over, or one in
# a hundred of a large statement, as long as they are no more than one in a hundred of its money, unless they are most
# of what another statement held: then that one was issued again.
FEW_LINES: Final = 3
FEW_IN: Final = 100
# So much of what an account states again, held line by line, is all of it but for rounding.
_ALL_BUT_ROUNDING: Final = Fraction(999, 1000)
# Of a sample, one line that is there by chance must not speak for all.
_FEWEST_SAMPLED: Final = 2
_TOLD: Final = 3


class Marks(NamedTuple):
    """Which lines are held, of those that are known by one thing."""

    hashes: Hashes
    counts: Counts


@dataclass(frozen=True, slots=True)
class SharedLines:
    """The lines of a statement that were used before, or look like another edition of what was.

    Attributes:
        found: Where, for people; "" where no line is known again.
        marks: Which they are; None when no line is known again.
        editions: Currency and month -> why all lines of it look used before.
        twice: How the statement says the same twice by itself, where all of it is held for that.
    """

    found: str
    lines: int
    marks: Marks | None = field(default=None, compare=False)
    editions: Mapping[tuple[str, str], Edition] = field(default_factory=dict)
    twice: Message | None = None
    carried: bool = False
    line_by_line: bool = True


@dataclass(frozen=True, slots=True)
class InPlace:
    """A statement that stands where the period had another one, with which it shares no line and no month.

    Attributes:
        old: The name of the other, whose bytes are `old_sha256`.
        month, old_month: Which month most lines of each are of; "" where they do not say.
        sums, old_sums: Currency -> what the lines of each add up to.
    """

    file: str
    old: str
    old_sha256: str
    month: str
    old_month: str
    sums: Mapping[str, Decimal]
    old_sums: Mapping[str, Decimal]

    @property
    def facts(self) -> dict[str, Any]:
        """What people are told: both months and sums, and by which digits the other is withdrawn if that is meant."""
        return {
            "file": self.file,
            "found": self.old,
            "month": self.month or Message("files.no_month"),
            "before": self.old_month or Message("files.no_month"),
            "sums": _sums_text(self.sums),
            "sums_before": _sums_text(self.old_sums),
            "hash": self.old_sha256[:DIGITS_SHOWN],
        }


@dataclass(frozen=True, slots=True)
class UsedBefore:
    """What a run is not to pay again.

    Attributes:
        repeated: File name -> where all of it was used before; nothing of it is paid.
        renamed: File name -> what it was called when this very period used it; its lines are claimed, not new.
        shared: File name -> those of its lines that were used before.
        released: File name -> where it was used before, of files that are used again on purpose.
        gone: Files that the period's last run has used, and that are not among its files any more -> that run.
    """

    repeated: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, SharedLines] = field(default_factory=dict)
    released: Mapping[str, str] = field(default_factory=dict)
    gone: Mapping[str, str] = field(default_factory=dict)
    in_place: tuple[InPlace, ...] = ()

    @property
    def duplicates(self) -> Mapping[str, str]:
        """File name -> where it was used, of files whose rows are duplicates."""
        return {**self.repeated, **self.renamed}


def find_used_before(
    files: Sequence[UsedFile], uses: Sequence[FileUse], here: WhoseMoney, again: Collection[str]
) -> UsedBefore:
    """Say which files, and which lines of the others, were used before.

    A statement that was used for another period, job, payer or currency is repeated as a whole. A list of payments is
    not: its rows are held one by one against what was paid, since some of them may recur, or never have been sent.

    Of two files of a run that say the same, the one under whose name the period has used it is the first; otherwise
    the one whose name comes first, "x.tsv" before "x (1).tsv". It does not matter in which order they were given.
    """
    ranked = _ranked(files, [use for use in uses if use.whose == here])
    repeated, renamed = _find_repeated(ranked, uses, here)
    released = {name: found for name, found in {**repeated, **renamed}.items() if name in again}
    repeated = {name: found for name, found in repeated.items() if name not in again}
    renamed = {name: found for name, found in renamed.items() if name not in again}
    carried = _only_carried(ranked, repeated, uses, here)
    repeated = {name: found for name, found in repeated.items() if name not in carried}
    left = [file for file in ranked if file.name not in {*repeated, *carried}]
    shared = {**_find_shared(left, uses, here), **carried}
    released |= {name: _said(lines) for name, lines in shared.items() if name in again and name not in released}
    held = {name: lines for name, lines in shared.items() if name not in again}
    last = _last_of(uses, here)
    in_place = tuple(_find_in_place(files, last))
    return UsedBefore(repeated, renamed, held, released, _find_gone(files, last), in_place)


def _only_carried(
    files: Sequence[UsedFile], repeated: Mapping[str, str], uses: Sequence[FileUse], here: WhoseMoney
) -> dict[str, SharedLines]:
    """Choose the statements that were used elsewhere and paid nobody there: they are neither paid nor on their way."""
    found = {}
    for file in files:
        elsewhere = [use for use in uses if _is_same(file, use) and use.whose != here]
        if file.name in repeated and file.lines and elsewhere and all(use.only_carried for use in elsewhere):
            lines = file.lines.lines
            found[file.name] = SharedLines(repeated[file.name], lines, carried=True, line_by_line=False)
    return found


def _last_of(uses: Sequence[FileUse], here: WhoseMoney) -> list[FileUse]:
    own = [use for use in uses if use.lines and use.whose == here]
    return [use for use in own if use.run_id == own[-1].run_id]


def _find_in_place(files: Sequence[UsedFile], last: Sequence[FileUse]) -> list[InPlace]:
    """Pair each statement that is new in a period with each that has gone from it, where nothing of any is the other's.

    A statement that was corrected in every line is of the same month as before.
    """
    statements = [file for file in files if file.lines]
    gone = [use for use in last if not any(_has_in_common(file, use) for file in statements)]
    new = [file for file in statements if not any(_has_in_common(file, use) for use in last)]
    return [
        InPlace(
            file=file.name,
            old=use.name,
            old_sha256=use.file_sha256,
            month=_month_of(file.sums),
            old_month=_month_of(use.sums),
            sums=_sums_of(file.sums),
            old_sums=_sums_of(use.sums),
        )
        for file in new
        for use in gone
    ]


def _has_in_common(file: UsedFile, use: FileUse) -> bool:
    if _is_same(file, use) or use.name in file.stands_for:
        return True
    month = _month_of(file.sums)
    return bool(month and month == _month_of(use.sums)) or _meets(file.lines, use.lines)


def _month_of(sums: pa.Table) -> str:
    return max(accounts_of(sums), key=lambda account: account.lines, default=Account("", "", Decimal(0), 0)).month


def _sums_text(sums: Mapping[str, Decimal]) -> Listed:
    return Listed(
        tuple(
            Message("files.sum", currency=currency, amount=amount.quantize(Decimal("0.01")))
            for currency, amount in sorted(sums.items())
        )
    )


def _sums_of(sums: pa.Table) -> dict[str, Decimal]:
    found = dict[str, Decimal]()
    for account in accounts_of(sums):
        found[account.currency] = EXACT.add(found.get(account.currency, Decimal(0)), account.amount)
    return found


def _find_gone(files: Sequence[UsedFile], last: Sequence[FileUse]) -> dict[str, str]:
    """Find the statements of the period's last run that are there no more, under any name, nor most of their lines."""
    return {use.name: use.run_id for use in last if not any(_is_there(use, file) for file in files)}


def _is_there(use: FileUse, file: UsedFile) -> bool:
    if use.name in file.names or _is_same(file, use):
        return True
    level = max(use.lines.level, file.lines.level)
    lines = use.lines.at(level)
    found = np.minimum(lines.counts, file.lines.at(level).counts_of(lines.hashes))
    return _is_most(found, lines)


def _ranked(files: Sequence[UsedFile], own: Sequence[FileUse]) -> list[UsedFile]:
    def rank(file: UsedFile) -> tuple[int, str, str]:
        named = [use for use in own if use.name in file.names]
        known = 0 if any(_is_same(file, use) for use in named) else 1 if named else 2
        return known, file.name.partition(".")[0], file.name

    return sorted(files, key=rank)


def _is_same(file: UsedFile, use: FileUse) -> bool:
    return file.file_sha256 == use.file_sha256 or file.content_sha256 == use.content_sha256


def _find_repeated(
    ranked: Sequence[UsedFile], uses: Sequence[FileUse], here: WhoseMoney
) -> tuple[dict[str, str], dict[str, str]]:
    repeated, renamed = dict[str, str](), dict[str, str]()
    first: dict[str, UsedFile] = {}
    for file in ranked:
        same = [use for use in uses if _is_same(file, use)]
        own = [use for use in same if use.whose == here]
        earlier = first.get(file.file_sha256) or first.get(file.content_sha256)
        if earlier is not None and not earlier.names & file.names:
            if not _runs_of(earlier, own) & _runs_of(file, own):  # else a person has let both of them be used
                repeated[file.name] = earlier.name
            continue
        if own and not any(use.name in file.names for use in own):
            called = {use.name for use in own}
            stands_in = any(called & other.names for other in ranked)
            (repeated if stands_in else renamed)[file.name] = f"{own[0].name}, run {own[0].run_id}"
        elif file.lines and same and not own:  # a list of payments is judged row by row
            repeated[file.name] = _where(same[0])
        if file.name not in repeated:
            first.setdefault(file.file_sha256, file)
            first.setdefault(file.content_sha256, file)
    return repeated, renamed


def _runs_of(file: UsedFile, uses: Sequence[FileUse]) -> set[str]:
    return {use.run_id for use in uses if use.name in file.names}


def _where(use: FileUse) -> str:
    return f"{use.whose.job} {use.whose.period}, {use.name}, run {use.run_id}"


def _said(shared: SharedLines) -> str:
    others = [edition.where for edition in shared.editions.values()]
    return "; ".join(dict.fromkeys(filter(None, [shared.found, *others])))


def _find_shared(ranked: Sequence[UsedFile], uses: Sequence[FileUse], here: WhoseMoney) -> dict[str, SharedLines]:
    statements = [file for file in ranked if file.lines]
    elsewhere = [use for use in uses if use.lines and use.whose != here]
    own = [use for use in uses if use.lines and use.whose == here]
    editions = find_editions(
        [ComparedStatement(file.name, file.source, file.sums, _together(statements, file)) for file in statements],
        [ComparedStatement(_where(use), use.layout, use.sums) for use in elsewhere],
    )
    known = np.unique(np.concatenate([NO_LINES.hashes, *(use.lines.hashes for use in elsewhere)]))
    found: dict[str, SharedLines] = {}
    for number, file in enumerate(statements):
        met = elsewhere if np.isin(file.lines.hashes, known).any() else []
        shared = _shared(file, met, own, statements[:number])
        left = {
            key: edition
            for key, edition in editions.get(file.name, {}).items()
            if not _is_settled(file, key, edition, shared, own)
        }
        twice = None if any(_is_same(file, use) for use in own) else says_twice(file.lines, file.sums)
        if shared or left or twice:
            found[file.name] = SharedLines(
                found="; ".join(shared.where[:_TOLD]) if shared else file.name if twice else "",
                lines=min(shared.lines, file.lines.lines) if shared else 0,
                marks=shared.marks if shared else None,
                editions=left,
                twice=twice,
                line_by_line=file.read_lines is not None and not (shared and shared.sampled) and not twice,
            )
    return found


def _together(statements: Sequence[UsedFile], file: UsedFile) -> int:
    """Number a statement as the first that it shares a name with: corrections, and what they stand for."""
    return next(number for number, other in enumerate(statements) if other.names & file.names)


def _is_settled(
    file: UsedFile, key: tuple[str, str], edition: Edition, shared: "_Shared | None", own: Sequence[FileUse]
) -> bool:
    """Whether what an account states again is held line by line, or was accounted of this very file."""
    account = next(account for account in accounts_of(file.sums) if account.key == key)
    if any(account in accounts_of(use.sums) for use in own if _is_same(file, use)):
        return True
    held = shared.money.get(edition.where, {}).get(account.currency, 0) if shared else 0
    return Fraction(held, 10**WEIGHT_PLACES) >= Fraction(edition.matched_micros, 10**6) * _ALL_BUT_ROUNDING


class _Shared(NamedTuple):
    """Lines of a statement that were used before, as far as one thing tells."""

    where: tuple[str, ...]
    lines: int
    marks: Marks
    money: Mapping[str, Mapping[str, int]]
    sampled: bool


def _shared(
    file: UsedFile, elsewhere: Sequence[FileUse], own: Sequence[FileUse], before: Sequence[UsedFile]
) -> _Shared | None:
    met = [use for use in elsewhere if _meets(file.lines, use.lines)]
    earlier = [other for other in before if _meets(file.lines, other.lines)]
    if not met and not earlier:
        return None
    used_here = [use for use in own if _meets(file.lines, use.lines)]
    met_with = [use.lines for use in (*met, *used_here)] + [other.lines for other in earlier]
    level = max([file.lines.level, *(other.level for other in met_with)])
    lines = file.lines.at(level)
    in_run = _counts(lines, [other.lines for other in earlier], level)
    used = _counts(lines, _by_file(met), level) + in_run
    # What the period itself has used is claimed, and is there once for each file of the run that holds it.
    claimed = _counts(lines, [_most_in_a_run(used_here)], level) - in_run
    held = np.maximum(np.minimum(lines.counts, used) - np.maximum(claimed, 0), 0)
    others = [(_where(use), use.lines) for use in met] + [(other.name, other.lines) for other in earlier]
    by_other = {where: np.minimum(held, its.at(level).counts_of(lines.hashes)) for where, its in others}
    if _are_few(file, lines, held) and not any(_is_most(by_other[where], its.at(level)) for where, its in others):
        return None
    largest = sorted(by_other, key=lambda where: (-int(by_other[where].sum()), where))
    return _Shared(
        where=tuple(where for where in largest if by_other[where].any()),
        lines=lines.lines_of(held),
        marks=Marks(lines.hashes[held > 0], held[held > 0]),
        money={where: lines.money_of(counts) for where, counts in by_other.items()},
        sampled=level > 0,
    )


def _are_few(file: UsedFile, lines: LineSketch, held: Counts) -> bool:
    whole = file.lines
    money = lines.money_of(held)
    heavy = any(FEW_IN * weight > whole.money.get(name, 0) for name, weight in money.items())
    return lines.lines_of(held) <= max(FEW_LINES, whole.lines // FEW_IN) and not heavy


def _meets(sketch: LineSketch, other: LineSketch) -> bool:
    """Whether two sketches have a line in common; one that both hold is in both samples, whatever their levels."""
    return bool(other.counts_of(sketch.hashes).any())


def _by_file(uses: Sequence[FileUse]) -> list[LineSketch]:
    versions: dict[tuple[WhoseMoney, str], list[LineSketch]] = {}
    for use in uses:
        versions.setdefault((use.whose, use.name), []).append(use.lines)
    return [most_of(found) for found in versions.values()]


def _most_in_a_run(uses: Sequence[FileUse]) -> LineSketch:
    runs: dict[str, LineSketch] = {}
    for use in uses:
        runs[use.run_id] = runs.get(use.run_id, NO_LINES) + use.lines
    return most_of(runs.values())


def _counts(lines: LineSketch, sketches: Iterable[LineSketch], level: int) -> Counts:
    counts = np.zeros(len(lines.hashes), np.int64)
    for sketch in sketches:
        counts = counts + sketch.at(level).counts_of(lines.hashes)
    return counts


def _is_most(held: Counts, other: LineSketch) -> bool:
    kept = int(other.counts.sum())
    return 2 * int(held.sum()) > kept and (not other.level or kept >= _FEWEST_SAMPLED)
