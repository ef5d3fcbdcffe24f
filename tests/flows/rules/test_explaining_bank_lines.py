"""A line of the bank is explained where one answer fits on both sides, and left to people everywhere else.

Held constant: the program's own words alone, nobody's. Varied: sums, days, texts, how many of each there are, in which
order they come, and which of the bank's faults happened.
"""

import datetime as dt
import random
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from flows.bank.rules.explain import beside_words, explain, folded
from schemas.bank import BankMatter, Need, lines_of

DAY = dt.date(2026, 10, 5)
CHECKS = BankMatter.CHECKS


def need(subject, cents, day=DAY, *marks, matter=BankMatter.FUNDING):
    return Need(matter, subject, cents, day, frozenset(map(folded, marks or (subject,))))


def said(rows, needs):
    """What was said of each line, by its text."""
    lines = lines_of("itau", [(day, cents, text) for day, cents, text in rows])
    texts = {line.id: line.text for line in lines}
    return {(texts[found.line_id], found.subject): found.how for found in explain(lines, needs)}


@pytest.mark.parametrize(
    ("rows", "needs", "found"),
    [
        ([(DAY, -3000, "PIX RP-ABC")], [need("rp-abc", 3000)], {("PIX RP-ABC", "rp-abc"): "marks"}),
        ([(DAY, -2999, "PIX RP-ABC")], [need("rp-abc", 3000)], {("PIX RP-ABC", "rp-abc"): "marks"}),
        ([(DAY, 3000, "ESTORNO rpabc")], [need("rp-abc", 3000)], {("ESTORNO rpabc", "rp-abc"): "marks"}),
        ([(DAY, -3000, "PIX RP-ABC")], [need("rp-abc", 0)], {("PIX RP-ABC", "rp-abc"): "marks"}),
        ([(DAY, 3000, "ESTORNO rpabc")], [need("rp-abc", 0)], {}),  # of what is all there: a return, perhaps
        ([(DAY, -5000, "a")], [need("x", 3000), need("y", 2000), need("z", 0)], {("a", "x"): "sum", ("a", "y"): "sum"}),
        ([(DAY, -3000, "pix")], [need("rp-abc", 3000)], {("pix", "rp-abc"): "amount"}),
        ([(DAY + dt.timedelta(3), -3000, "pix")], [need("rp-abc", 3000)], {("pix", "rp-abc"): "amount"}),
        ([(DAY - dt.timedelta(1), -3000, "pix")], [need("rp-abc", 3000)], {("pix", "rp-abc"): "amount"}),
        ([(DAY + dt.timedelta(4), -3000, "pix")], [need("rp-abc", 3000)], {}),
        ([(DAY - dt.timedelta(2), -3000, "pix")], [need("rp-abc", 3000)], {}),
        ([(DAY, -3001, "pix")], [need("rp-abc", 3000)], {}),
        ([(DAY, 3000, "pix")], [need("rp-abc", 3000)], {}),
        ([(DAY, -3000, "a"), (DAY, -3000, "b")], [need("rp-abc", 3000)], {}),
        ([(DAY, -3000, "a")], [need("rp-abc", 3000), need("rp-def", 3000)], {}),
        ([(DAY, -3000, "a rpdef")], [need("rp-abc", 3000), need("rp-def", 3000)], {("a rpdef", "rp-def"): "marks"}),
        (
            [(DAY, -3000, "a rpdef"), (DAY, -3000, "b")],
            [need("rp-abc", 3000), need("rp-def", 3000)],
            {("a rpdef", "rp-def"): "marks", ("b", "rp-abc"): "amount"},
        ),
        (
            [(DAY, -3000, "rpabc rpdef")],
            [need("rp-abc", 3000), need("rp-def", 2000)],
            {("rpabc rpdef", "rp-abc"): "amount"},
        ),
        (
            [(DAY, -5000, "a")],
            [need("rp-abc", 3000), need("rp-def", 2000)],
            {("a", "rp-abc"): "sum", ("a", "rp-def"): "sum"},
        ),
        ([(DAY, -5000, "a")], [need("x", 3000), need("y", 2000), need("z", 2000)], {}),
        ([(DAY, -5000, "a"), (DAY, -5000, "b")], [need("x", 3000), need("y", 2000)], {}),
        ([(DAY, -5000, "a")], [need("x", 3000), need("y", 2000, DAY + dt.timedelta(1))], {}),
        ([(DAY, -5000, "a")], [need("x", 3000), need("y", 2000, matter=CHECKS)], {}),
        (
            [(DAY, -36, "tarifa")],
            [need("2026-10-05", 36, matter=BankMatter.CHECKS)],
            {("tarifa", "2026-10-05"): "amount"},
        ),
        (
            [(DAY + dt.timedelta(20), -3000, "pix")],
            [replace(need("rp-abc", 3000), until=DAY + dt.timedelta(20))],
            {("pix", "rp-abc"): "amount"},
        ),
    ],
)
def test_one_answer_on_both_sides_is_taken_and_nothing_else(rows, needs, found):
    assert said(rows, needs) == found


@given(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(1, 5), st.sampled_from(["pix", "rp1", "rp2", ""])), max_size=6),
    st.lists(st.tuples(st.integers(1, 9), st.integers(0, 2)), max_size=5),
    st.randoms(use_true_random=False),
)
def test_no_line_and_no_need_is_explained_twice_and_the_order_of_either_says_nothing(rows, wanted, chance):
    lines = lines_of("itau", [(DAY + dt.timedelta(days), -cents, text) for days, cents, text in rows])
    needs = [need(f"rp{n}", cents, DAY + dt.timedelta(days)) for n, (cents, days) in enumerate(wanted)]
    found = explain(lines, needs)
    by_line = {}
    for each in found:
        by_line.setdefault(each.line_id, []).append(each)
    for line in lines:
        own = by_line.get(line.id, [])
        if own and own[0].how != "marks":
            assert sum(each.cents for each in own) == -line.cents
    met = [(each.matter, each.subject) for each in found if each.how != "marks"]
    assert len(met) == len(set(met))
    mixed_lines, mixed_needs = list(lines), list(needs)
    chance.shuffle(mixed_lines)
    chance.shuffle(mixed_needs)
    assert set(explain(mixed_lines, mixed_needs)) == set(found)


@pytest.mark.parametrize(
    ("said", "lines", "beside"),
    [
        (0, [3000], ["a"]),
        (3000, [3000], []),
        (1000, [1000, 2000], ["b"]),
        (2000, [1000, 2000], ["a"]),
        (3000, [1000, 2000], []),
        (2999, [1000, 2000], []),
        (1000, [2000], []),
        (0, [3000, -3000], ["a", "b"]),
        (0, [100] * 20, [chr(ord("a") + number) for number in range(20)]),
        (100, [100] * 20, []),  # too many to look through
    ],
)
def test_what_people_said_is_the_sum_of_some_lines_and_the_others_are_the_record(said, lines, beside):
    named = {chr(ord("a") + number): cents for number, cents in enumerate(lines)}
    assert beside_words(said, named) == beside


def a_month(chance, count=12):
    """Reports of different sums on different days, and the lines that a bank without faults has of them."""
    cents = chance.sample(range(1_000, 900_000), count)
    days = [DAY + dt.timedelta(chance.randrange(25)) for _ in range(count)]
    needs = [need(f"rp-{n:03}", amount, day) for n, (amount, day) in enumerate(zip(cents, days, strict=True))]
    return needs, [(day, -amount, f"pix {n}") for n, (amount, day) in enumerate(zip(cents, days, strict=True))]


def beside(day_later, cents, text, *, is_lost=False):
    """A line beside the report's own; of two that could be it nobody can tell which is."""

    def put(rows, needs, at):
        day, own, name = rows[at]
        rows = [*rows, (day + dt.timedelta(day_later), own if cents is None else cents(own), text)]
        return rows, needs, ({text, name} if is_lost else {text}, {f"rp-{at:03}"} if is_lost else set())

    return put


def changed(by_cents, by_days=0, rest=()):
    """The report's own line, otherwise than it should be."""

    def put(rows, needs, at):
        day, cents, text = rows[at]
        own = (day + dt.timedelta(by_days), cents + by_cents, text)
        rows = [*rows[:at], own, *rows[at + 1 :], *((day, left, "resto") for left in rest)]
        return rows, needs, ({text, *("resto" for _ in rest)}, {f"rp-{at:03}"})

    return put


def missing(rows, needs, at):
    return [*rows[:at], *rows[at + 1 :]], needs, (set(), {f"rp-{at:03}"})


def merged(rows, needs, at):
    """Two reports of one day in one line."""
    other, (day, cents, text) = at - 1, rows[at]
    together = [*rows[:other], (day, cents + rows[other][1], text), *rows[at + 1 :]]
    of_that_day = [*needs[:other], need(needs[other].subject, needs[other].cents, day), *needs[at:]]
    return together, of_that_day, (set(), set())


def again(rows, needs, at):
    """A file that holds lines which another one has brought: they have the same names."""
    known = {line.id for line in lines_of("itau", rows)}
    whole_days = [row for row in rows if row[0] >= rows[at][0]]
    assert {line.id for line in lines_of("itau", whole_days)} <= known
    return rows, needs, (set(), set())


def equal(rows, needs, at):
    day, cents, _ = rows[at]
    return [*rows, (day, cents, "pix rp-099")], [*needs, need("rp-099", -cents, day)], (set(), set())


def came_back(rows, needs, at):
    day, cents, _ = rows[at]
    return [*rows, (day, -cents, "devolvido")], [*needs, Need(BankMatter.RETURN, "ob-1/r1", cents, day)], (set(), set())


WITH = {
    "a payment that came back": came_back,
    "double debit": beside(0, None, "pix duplicado", is_lost=True),
    "missing": missing,
    "fee changed": changed(-601),
    "reversal": beside(1, lambda cents: -cents, "estorno"),
    "day shifted": changed(0, by_days=9),
    "two merged": merged,
    "one split": changed(7, rest=[-7]),
    "off by one centavo": changed(-1),
    "foreign line": beside(0, lambda _: -123_456_789, "aluguel"),
    "overlapping file": again,
    "same file twice": lambda rows, needs, _at: again(rows, needs, 0),
    "two equal that are right": equal,
}


@pytest.mark.parametrize("fault", WITH)
@pytest.mark.parametrize("seed", range(8))
def test_each_fault_of_a_bank_leaves_exactly_what_it_is_about_and_a_sound_month_leaves_nothing(fault, seed):
    chance = random.Random(f"{fault} {seed}")
    needs, rows = a_month(chance)
    assert open_after(rows, needs) == (set(), set())
    at = chance.randrange(1, len(rows))
    rows, needs, expected = WITH[fault](rows, needs, at)
    assert open_after(rows, needs) == expected


def open_after(rows, needs):
    """The texts of lines that nobody has explained, and what no line has shown."""
    lines = lines_of("itau", rows)
    found = explain(lines, needs)
    left = {line.text for line in lines} - {line.text for line in lines if line.id in {each.line_id for each in found}}
    return left, {each.subject for each in needs} - {each.subject for each in found}
