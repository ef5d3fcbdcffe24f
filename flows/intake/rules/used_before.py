"""Detecting files and lines that were used before, which are paid again only on a person's decision."""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

import numpy as np

from flows.intake.rules.inputs import UsedFile
from schemas.used_before import NO_LINES, Counts, FileUse, Hashes, LineSketch, WhoseMoney, most_of

# Honest statements share a few lines: a fee of every month, a correction sent twice. So many are passed over, or one in
# a hundred of a large statement, unless they are most of what another statement held: then that one was issued again.
FEW_LINES: Final = 3
FEW_IN: Final = 100
# Of a sample, one line that is there by chance must not speak for all.
_FEWEST_SAMPLED: Final = 2
_TOLD: Final = 3


@dataclass(frozen=True, slots=True)
class SharedLines:
    """The lines of a statement that were used before.

    Attributes:
        found: Where, for people.
        lines: How many they are; an estimate, when they cannot be told one by one.
        hashes: Which they are; empty when they cannot be told apart from the others.
        counts: How many of each.
    """

    found: str
    lines: int
    hashes: Hashes = field(default_factory=lambda: NO_LINES.hashes, compare=False)
    counts: Counts = field(default_factory=lambda: NO_LINES.counts, compare=False)

    @property
    def line_by_line(self) -> bool:
        """Whether they are known one by one."""
        return len(self.hashes) > 0


@dataclass(frozen=True, slots=True)
class UsedBefore:
    """What a run is not to pay again.

    Attributes:
        repeated: File name -> where all of it was used before; nothing of it is paid.
        renamed: File name -> what it was called when this very period used it; its lines are claimed, not new.
        shared: File name -> those of its lines that were used before.
        released: File name -> where it was used before, of files that are used again on purpose.
    """

    repeated: Mapping[str, str] = field(default_factory=dict)
    renamed: Mapping[str, str] = field(default_factory=dict)
    shared: Mapping[str, SharedLines] = field(default_factory=dict)
    released: Mapping[str, str] = field(default_factory=dict)

    @property
    def duplicates(self) -> Mapping[str, str]:
        """File name -> where it was used, of files whose rows are duplicates."""
        return {**self.repeated, **self.renamed}


def find_used_before(
    files: Sequence[UsedFile], uses: Sequence[FileUse], here: WhoseMoney, again: Collection[str]
) -> UsedBefore:
    """Say which files, and which lines of the others, were used before.

    Of two files of a run that say the same, the one under whose name the period has used it is the first; otherwise
    the one whose name comes first, "x.tsv" before "x (1).tsv". It does not matter in which order they were given.

    Args:
        files: Those of the run.
        uses: What earlier runs have used with effect, of these files' identities and of any royalty lines.
        here: Whose money the run is about.
        again: Names of files that a person wants used again.
    """
    ranked = _ranked(files, [use for use in uses if use.whose == here])
    repeated, renamed = _find_repeated(ranked, uses, here)
    released = {name: found for name, found in {**repeated, **renamed}.items() if name in again}
    repeated = {name: found for name, found in repeated.items() if name not in again}
    renamed = {name: found for name, found in renamed.items() if name not in again}
    shared = _find_shared([file for file in ranked if file.name not in repeated], uses, here)
    released |= {name: lines.found for name, lines in shared.items() if name in again and name not in released}
    return UsedBefore(repeated, renamed, {n: lines for n, lines in shared.items() if n not in again}, released)


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
        elif not own and (elsewhere := [use for use in same if file.sketch or not _is_same_period(use, here)]):
            repeated[file.name] = _where(elsewhere[0])
        if file.name not in repeated:
            first.setdefault(file.file_sha256, file)
            first.setdefault(file.content_sha256, file)
    return repeated, renamed


def _is_same_period(use: FileUse, here: WhoseMoney) -> bool:
    """Whether a use differs in the payer or the currency alone.

    Then a list of payments is judged row by row: a person is told of each that was paid, and the others, which may
    never have been sent, are not taken for paid with them.
    """
    return (use.whose.job, use.whose.period) == (here.job, here.period)


def _runs_of(file: UsedFile, uses: Sequence[FileUse]) -> set[str]:
    return {use.run_id for use in uses if use.name in file.names}


def _where(use: FileUse) -> str:
    return f"{use.whose.job} {use.whose.period}, {use.name}, run {use.run_id}"


def _find_shared(ranked: Sequence[UsedFile], uses: Sequence[FileUse], here: WhoseMoney) -> dict[str, SharedLines]:
    """Hold every statement against those of other periods, and against those before it in the run."""
    statements = [file for file in ranked if file.sketch]
    elsewhere = [use for use in uses if use.sketch and use.whose != here]
    own = [use for use in uses if use.sketch and use.whose == here]
    known = np.unique(np.concatenate([NO_LINES.hashes, *(use.sketch.hashes for use in elsewhere)]))
    found: dict[str, SharedLines] = {}
    before: list[UsedFile] = []
    for file in statements:
        met = elsewhere if np.isin(file.sketch.hashes, known).any() else []
        shared = _shared(file, met, own, before)
        if shared is not None:
            found[file.name] = shared
        before.append(file)
    return found


def _shared(
    file: UsedFile, elsewhere: Sequence[FileUse], own: Sequence[FileUse], before: Sequence[UsedFile]
) -> SharedLines | None:
    met = [use for use in elsewhere if _meets(file.sketch, use.sketch)]
    beside = [other for other in before if _meets(file.sketch, other.sketch)]
    if not met and not beside:
        return None
    used_here = [use for use in own if _meets(file.sketch, use.sketch)]
    met_with = [*(use.sketch for use in (*met, *used_here)), *(other.sketch for other in beside)]
    level = max([file.sketch.level, *(sketch.level for sketch in met_with)])
    lines = file.sketch.at(level)
    used = _counts(lines, _by_file(met), level) + _counts(lines, _sketches(beside), level)
    # What the period itself has used is claimed, and is there once for each file of the run that holds it.
    claimed = _counts(lines, [_most_in_a_run(used_here)], level) - _counts(lines, _sketches(beside), level)
    held = np.maximum(np.minimum(lines.counts, used) - np.maximum(claimed, 0), 0)
    many = int(held.sum()) << level
    others = [(_where(use), use.sketch) for use in met] + [(other.name, other.sketch) for other in beside]
    by_other = {found: np.minimum(held, sketch.at(level).counts_of(lines.hashes)) for found, sketch in others}
    again = any(_is_most(by_other[found], sketch.at(level)) for found, sketch in others)
    if many <= max(FEW_LINES, file.sketch.lines // FEW_IN) and not again:
        return None
    largest = sorted(by_other, key=lambda found: (-int(by_other[found].sum()), found))
    found = "; ".join(name for name in largest[:_TOLD] if by_other[name].any())
    if level or file.lines is None:
        return SharedLines(found, min(many, file.sketch.lines))
    return SharedLines(found, many, lines.hashes[held > 0], held[held > 0])


def _meets(sketch: LineSketch, other: LineSketch) -> bool:
    """Whether two sketches have a line in common; one that both hold is in both samples, whatever their levels."""
    return bool(other.counts_of(sketch.hashes).any())


def _by_file(uses: Sequence[FileUse]) -> list[LineSketch]:
    """Put the versions of each file together, which runs have read one after the other."""
    versions: dict[tuple[WhoseMoney, str], list[LineSketch]] = {}
    for use in uses:
        versions.setdefault((use.whose, use.name), []).append(use.sketch)
    return [most_of(found) for found in versions.values()]


def _most_in_a_run(uses: Sequence[FileUse]) -> LineSketch:
    """Put together what each run has used, of which the next one uses the same anew."""
    runs: dict[str, LineSketch] = {}
    for use in uses:
        runs[use.run_id] = runs.get(use.run_id, NO_LINES) + use.sketch
    return most_of(runs.values())


def _sketches(files: Sequence[UsedFile]) -> list[LineSketch]:
    return [file.sketch for file in files]


def _counts(lines: LineSketch, sketches: Sequence[LineSketch], level: int) -> Counts:
    counts = np.zeros(len(lines.hashes), np.int64)
    for sketch in sketches:
        counts = counts + sketch.at(level).counts_of(lines.hashes)
    return counts


def _is_most(held: Counts, other: LineSketch) -> bool:
    kept = int(other.counts.sum())
    return 2 * int(held.sum()) > kept and (not other.level or kept >= _FEWEST_SAMPLED)
