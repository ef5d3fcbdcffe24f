"""Which files and lines were used before: by what they say, whose money it was, and not by order, cut or format."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.intake.rules.inputs import UsedFile
from flows.intake.rules.used_before import FEW_IN, FEW_LINES, find_used_before
from schemas.line_sketch import MOST_HEAVY, MOST_KEPT, NO_LINES, LineSketch, most_of, sketch_of
from schemas.sources import FileUse, WhoseMoney

HERE = WhoseMoney("selo", "12ABC34501DE35", "2026-02", "BRL")
BEFORE = HERE._replace(period="2026-01")
HASHES = np.random.default_rng(7).integers(0, 2**63, 200_000, dtype=np.uint64) * np.uint64(2)
EVERY = st.lists(st.integers(0, 2**64 - 1) | st.integers(0, 5), max_size=60)


def hashes(*numbers):
    return np.array(numbers, dtype=np.uint64)


def sketched(lines, weight=0):
    """Sketch lines of a weight each; `lines` are hashes."""
    given = np.asarray(lines, dtype=np.uint64)
    weights = np.broadcast_to(np.asarray(weight, np.int64), len(given))
    return sketch_of(given, weights, (np.zeros(len(given), np.int32), ["BRL"]))


def file(name, lines=(), *, content="", line_by_line=True, stands_for=(), weight=0):
    """A file that holds lines, whose money is not at issue unless they have a weight."""
    sketch = sketched(lines, weight)
    content = content or f"content of {sorted(sketch.hashes.tolist())} {sketch.counts.tolist()} {len(lines) or name}"
    reader = (lambda: None) if line_by_line else None
    return UsedFile("royalties", name, f"bytes of {name}", content, frozenset(stands_for), sketch, read_lines=reader)


def used(given, *, whose=BEFORE, name=None, run="run-1"):
    return FileUse(whose, run, name or given.name, given.file_sha256, given.content_sha256, lines=given.lines)


def judged(*files, uses=(), again=()):
    return find_used_before(files, uses, HERE, frozenset(again))


# --- the sketch


@settings(deadline=None)
@given(EVERY, EVERY, EVERY)
def test_sketches_add_up_in_any_cut_and_order(one, two, three):
    a, b, c = (sketched(part, [number % 1000 for number in part]) for part in (one, two, three))
    together = [*one, *two, *three]
    whole = sketched(together, [number % 1000 for number in together])
    assert a + b + c == c + (b + a) == whole
    assert whole.lines == len(one) + len(two) + len(three)
    assert LineSketch.from_bytes(whole.to_bytes()) == whole


def test_a_large_sketch_is_bounded_and_the_same_in_whatever_blocks_it_was_made():
    weights = (HASHES % np.uint64(997)).astype(np.int64) ** 3
    whole = sketched(HASHES, weights)
    blocks = [sketched(HASHES[part], weights[part]) for part in np.array_split(np.arange(len(HASHES)), 7)]
    assert sum(blocks, NO_LINES) == sum(blocks[::-1], NO_LINES) == whole
    assert MOST_KEPT // 2 < len(whole.hashes) - MOST_HEAVY <= MOST_KEPT
    assert whole.level == 4
    assert len(whole.to_bytes()) < 20 * MOST_KEPT
    assert abs(whole.lines_of(whole.counts) - len(HASHES)) < len(HASHES) // 20
    money = int(weights.sum())
    assert whole.money == {"BRL": money}
    assert abs(whole.money_of(whole.counts)["BRL"] - money) < money // 20


def test_of_versions_of_one_file_a_line_counts_as_often_as_in_the_one_that_has_it_most():
    versions = most_of([sketched([1, 1, 2]), sketched([1, 2, 2, 3])])
    assert dict(zip(versions.hashes.tolist(), versions.counts.tolist(), strict=True)) == {1: 2, 2: 2, 3: 1}


# --- whole files


@pytest.mark.parametrize(
    ("first", "second"),
    [("x.tsv", "x (1).tsv"), ("x.tsv", "x - Cópia.tsv"), ("a.csv", "b.xlsx"), ("x.csv", "x.xlsx")],
)
def test_of_two_files_that_say_the_same_the_one_whose_name_comes_later_is_the_duplicate(first, second):
    files = [file(name, content="c") for name in (first, second)]
    assert judged(*files).repeated == judged(*files[::-1]).repeated == {second: first}


def test_the_name_that_the_period_knows_comes_first():
    known, other = file("z.tsv", content="c"), file("a.tsv", content="c")
    assert judged(known, other, uses=[used(known, whose=HERE)]).repeated == {"a.tsv": "z.tsv"}


@pytest.mark.parametrize("changed", [{"job": "boreal"}, {"payer": "other"}, {"period": "2026-03"}, {"currency": "USD"}])
def test_a_file_that_was_somebody_elses_money_is_repeated(changed):
    one = file("x.tsv", hashes(1, 2, 3))
    assert list(judged(one, uses=[used(one, whose=HERE._replace(**changed))]).repeated) == ["x.tsv"]
    both = [used(one, whose=HERE._replace(**changed)), used(one, whose=HERE)]
    assert judged(one, uses=both).repeated == {}  # this period was allowed to use it, or was the first


@pytest.mark.parametrize("changed", [{"job": "boreal"}, {"payer": "other"}, {"period": "2026-03"}, {"currency": "USD"}])
def test_a_list_of_payments_that_was_used_elsewhere_is_judged_row_by_row(changed):
    one = file("payments.xlsx", content="c")
    assert judged(one, uses=[used(one, whose=HERE._replace(**changed))]).repeated == {}


def test_a_file_used_in_this_period_under_a_name_that_is_gone_is_the_same_file_renamed():
    one, other = file("final.tsv", content="c"), file("x.tsv", content="d")
    uses = [used(file("x.tsv", content="c"), whose=HERE)]
    assert list(judged(one, uses=uses).renamed) == ["final.tsv"]
    assert list(judged(one, other, uses=uses).repeated) == ["final.tsv"]


def test_corrections_are_no_duplicate_of_what_they_stand_for():
    corrections = file("corrections.xlsx", content="c", stands_for=["x.tsv"])
    assert not judged(corrections, uses=[used(file("x.tsv", content="c"), whose=HERE)]).duplicates


def test_what_is_used_again_on_purpose_is_told_and_not_repeated():
    first, second = file("x.tsv", content="c"), file("x (1).tsv", content="c")
    found = judged(first, second, again=["x (1).tsv"])
    assert (found.repeated, found.released) == ({}, {"x (1).tsv": "x.tsv"})


def test_a_copy_that_a_person_has_let_be_used_stays_so_and_a_renamed_file_does_not():
    first, second = file("a.tsv", content="c"), file("b.tsv", content="c")
    together = [used(one, whose=HERE, run="run-1") for one in (first, second)]
    one_after_the_other = [used(first, whose=HERE, run="run-1"), used(second, whose=HERE, run="run-2")]
    assert judged(first, second, uses=together).repeated == {}
    assert judged(first, second, uses=one_after_the_other).repeated == {"b.tsv": "a.tsv"}


# --- single lines


def shared(before, now, **more):
    found = judged(now, uses=[used(before)], **more).shared
    return found.get(now.name)


@pytest.mark.parametrize("lines", [40, 1000])
def test_few_lines_of_many_are_honest_and_one_more_is_not(lines):
    few = max(FEW_LINES, lines // FEW_IN)
    before = file("jan.tsv", HASHES[:lines])
    for extra, held in ((0, None), (1, few + 1)):
        now = file("feb.tsv", HASHES[lines - few - extra : 2 * lines - few - extra])
        found = shared(before, now)
        assert (found and found.lines) == held
        assert found is None or found.line_by_line


@pytest.mark.parametrize(("heavy", "of", "held"), [(3, 60, 3), (1, 60, 1), (10, 1_000, 10), (3, 100_000, 3)])
def test_few_lines_that_are_much_of_the_money_are_held(heavy, of, held):
    weight = [1_000_000] * heavy + [1] * (of - heavy)
    before = file("jan.tsv", HASHES[:of], weight=weight)
    found = shared(before, file("feb.tsv", [*HASHES[:heavy], *HASHES[of : 2 * of - heavy]], weight=weight))
    assert found.lines == held
    light = weight[::-1]
    assert shared(before, file("feb.tsv", [*HASHES[:heavy], *HASHES[of : 2 * of - heavy]], weight=light)) is None


@pytest.mark.parametrize(("before", "now", "held"), [(1, 1, 1), (2, 1, None), (3, 2, 2), (4, 2, None), (4, 3, 3)])
def test_what_is_most_of_another_statement_is_that_statement_again(before, now, held):
    found = shared(file("jan.tsv", HASHES[:before]), file("feb.tsv", [*HASHES[:now], *HASHES[100:120]]))
    assert (found and found.lines) == held


def test_lines_that_this_period_has_used_are_claimed_and_not_held_again():
    before, now = file("jan.tsv", HASHES[:50]), file("feb.tsv", HASHES[:60])
    assert judged(now, uses=[used(before)]).shared["feb.tsv"].lines == 50
    assert judged(now, uses=[used(before), used(now, whose=HERE)]).shared == {}
    more = file("feb.tsv", HASHES[:70])
    assert judged(more, uses=[used(before), used(now, whose=HERE)]).shared == {}


def test_lines_of_two_files_that_a_person_has_let_be_used_stay_used():
    first, second = file("a.tsv", HASHES[:50]), file("b.tsv", HASHES[10:60])
    together = [used(one, whose=HERE, run="run-1") for one in (first, second)]
    one_after_the_other = [used(first, whose=HERE, run="run-1"), used(second, whose=HERE, run="run-2")]
    assert judged(first, second, uses=together).shared == {}
    assert judged(first, second, uses=one_after_the_other).shared["b.tsv"].lines == 40


def test_a_version_of_a_statement_that_was_run_many_times_counts_once():
    before, now = file("jan.tsv", [*HASHES[:50]]), file("feb.tsv", [*HASHES[:50], *HASHES[:50], *HASHES[200:300]])
    uses = [used(before, run=f"run-{number}") for number in range(5)]
    assert judged(now, uses=uses).shared["feb.tsv"].lines == 50


@pytest.mark.parametrize("size", [MOST_KEPT + 2_000, 150_000])
def test_of_a_large_statement_the_lines_cannot_be_told_apart_and_all_of_it_is_held(size):
    before, other = file("jan.tsv", HASHES[:size]), HASHES[size : size + 5_000]
    found = shared(before, file("feb.tsv", [*HASHES[:size], *other]))
    assert not found.line_by_line
    assert abs(found.lines - size) < size // 10
    assert (
        shared(before, file("mar.tsv", [*HASHES[: size // 500], *HASHES[150_000:199_000]][: size // 500 + 40_000]))
        is None
    )


def test_a_small_statement_that_is_part_of_a_large_one_is_found_and_held_whole():
    found = shared(file("year.tsv", HASHES[:150_000]), file("month.tsv", HASHES[:2_000]))
    assert found is not None
    assert not found.line_by_line


def test_a_file_too_long_to_be_kept_is_held_whole():
    found = shared(file("jan.tsv", HASHES[:50]), file("feb.tsv", HASHES[:60], line_by_line=False))
    assert (found.lines, found.line_by_line) == (50, False)


def test_two_statements_of_a_run_that_share_lines_count_them_once():
    found = judged(file("b.tsv", HASHES[10:60]), file("a.tsv", HASHES[:50])).shared
    assert {name: lines.lines for name, lines in found.items()} == {"b.tsv": 40}
    assert found["b.tsv"].found == "a.tsv"
