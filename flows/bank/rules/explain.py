"""Which line of the bank is what: by ids in its text, by day and sum, as the sum of several; never by a guess.

The ways are tried in this order, and one is taken only where it leads to one answer on both sides: one line, and one
thing that waits for one (or one choice of several). What is left, people explain.
"""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from itertools import combinations
from typing import Final

from schemas.bank import BankLine, BankMatter, Explained, Need

# How much earlier and later than people said, or the service did, a bank may book.
EARLIER: Final = dt.timedelta(days=1)
LATER: Final = dt.timedelta(days=3)
# Of how many things of one day sums are looked for: beyond it there is nearly always more than one answer.
MOST_OF_A_DAY: Final = 14


def explain(lines: Iterable[BankLine], needs: Iterable[Need]) -> list[Explained]:
    """Explain lines of the bank as far as that is beyond doubt; each line and each need once."""
    open_lines, open_needs = {line.id: line for line in lines}, list(needs)
    found = list[Explained]()
    for way in (_by_marks, _by_amount, _by_sum):
        said = way(list(open_lines.values()), open_needs)
        found += said
        met = {(explained.matter, explained.subject) for explained in said}
        open_needs = [need for need in open_needs if need.cents and (need.matter, need.subject) not in met]
        for explained in said:
            open_lines.pop(explained.line_id, None)
    return found


def folded(text: str) -> str:
    """Return a text as ids are compared: letters and digits alone, since banks leave out dashes and capitals.

    >>> folded("PIX rp-ABC 12")
    'pixrpabc12'
    """
    return "".join(char for char in text.casefold() if char.isalnum())


def _by_marks(lines: Sequence[BankLine], needs: Sequence[Need]) -> list[Explained]:
    """Take a line whose text names one thing, whatever its sum: the difference is told afterwards.

    What nothing is to be paid for any more is meant by what leaves the account alone; what comes in may be a return.
    """
    by_mark = defaultdict[str, list[Need]](list)
    for need in needs:
        for mark in need.marks:
            by_mark[mark].append(need)
    lengths, found = {len(mark) for mark in by_mark}, list[Explained]()
    for line in lines:
        text = folded(line.text)
        parts = {text[at : at + length] for length in lengths for at in range(len(text) - length + 1)}
        named = [need for part in parts & by_mark.keys() for need in by_mark[part]]
        meant = {(need.matter, need.subject) for need in named if need.cents or line.cents < 0}
        if len(meant) == 1:
            ((matter, subject),) = meant
            found.append(Explained(line.id, matter, subject, -line.cents, "marks"))
    return found


def _by_amount(lines: Sequence[BankLine], needs: Sequence[Need]) -> list[Explained]:
    """Take a line of the very sum, near the day, where neither the line nor the thing has another one like it."""
    by_cents = defaultdict[int, list[Need]](list)
    for need in needs:
        by_cents[need.cents].append(need)
    fits = [(line, need) for line in lines for need in by_cents.get(-line.cents, ()) if _is_near(line, need)]
    of_line, of_need = defaultdict[str, int](int), defaultdict[tuple[str, str], int](int)
    for line, need in fits:
        of_line[line.id] += 1
        of_need[need.matter, need.subject] += 1
    return [
        Explained(line.id, need.matter, need.subject, need.cents, "amount")
        for line, need in fits
        if of_line[line.id] == of_need[need.matter, need.subject] == 1
    ]


def _is_near(line: BankLine, need: Need) -> bool:
    return need.day - EARLIER <= line.day <= (need.until or need.day + LATER)


def _by_sum(lines: Sequence[BankLine], needs: Sequence[Need]) -> list[Explained]:
    """Take a line that is the sum of several things of one day and kind, where no other choice of them comes to it."""
    groups = defaultdict[tuple[BankMatter, dt.date], list[Need]](list)
    for need in needs:
        if need.until is None:
            groups[need.matter, need.day].append(need)
    choices = defaultdict[str, list[tuple[Need, ...]]](list)
    for own in (own for own in groups.values() if len(own) <= MOST_OF_A_DAY):
        sums = _sums(own)
        for line in lines:
            if -line.cents in sums and _is_near(line, own[0]):
                choices[line.id] += sums[-line.cents]
    taken = defaultdict[tuple[str, str], int](int)
    for found in choices.values():
        for need in found[0] if len(found) == 1 else ():
            taken[need.matter, need.subject] += 1
    return [
        Explained(line_id, need.matter, need.subject, need.cents, "sum")
        for line_id, found in choices.items()
        if len(found) == 1 and all(taken[need.matter, need.subject] == 1 for need in found[0])
        for need in found[0]
    ]


def beside_words(said_cents: int, lines: Mapping[str, int]) -> list[str]:
    """Return the lines for a report of which nobody has said anything: what people said is the sum of the others.

    None where it is the sum of no choice of them: nobody knows then which of them was meant.

    Args:
        lines: All that are of the report and are no record yet -> centavos.
    """
    names = sorted(lines)
    for size in range(len(names) + 1 if len(names) <= MOST_OF_A_DAY else 1):
        for choice in combinations(names, size):
            if sum(lines[name] for name in choice) == said_cents:
                return [name for name in names if name not in choice]
    return []


def _sums(needs: Sequence[Need]) -> dict[int, list[tuple[Need, ...]]]:
    """Return the choices of at least two by the sum they come to; no more than two of a sum, which are one too many."""
    found = defaultdict[int, list[tuple[Need, ...]]](list)
    for size in range(2, len(needs) + 1):
        for choice in combinations(needs, size):
            of_sum = found[sum(need.cents for need in choice)]
            if len(of_sum) <= 1:
                of_sum.append(choice)
    return dict(found)
