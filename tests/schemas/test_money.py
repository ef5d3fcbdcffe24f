"""Centavos add up, whatever is shared out and however it is written."""

import csv
import doctest
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemas.values.money
from schemas.values.money import (
    allocate,
    format_cents,
    parse_amount,
    parse_plain_amount,
    round_half_even_cents,
    round_parts,
)

SPLITS = Path(__file__).parents[1] / "vectors" / "splits.csv"
with SPLITS.open(encoding="utf-8", newline="") as file:
    SPLIT_CASES = list(csv.DictReader(file))

weights = st.lists(st.integers(0, 10**6), min_size=1, max_size=20).filter(any)
cents = st.integers(-(10**14), 10**14)


@pytest.mark.parametrize("module", [schemas.values.money], ids=lambda module: module.__name__)
def test_the_examples_in_the_documentation_are_true(module):
    assert doctest.testmod(module).failed == 0


@pytest.mark.parametrize("case", SPLIT_CASES, ids=lambda case: case["note"] or case["weights"])
def test_known_splits_come_out_to_the_centavo(case):
    parts = [Fraction(weight) for weight in case["weights"].split("|")]
    assert allocate(int(case["total_cents"]), parts) == tuple(map(int, case["expected_cents"].split("|")))


@given(cents, weights)
def test_parts_add_up_to_the_total_and_stay_within_a_centavo_of_exact(total, parts):
    shared = allocate(total, parts)
    assert sum(shared) == total
    assert all(abs(part - Fraction(total * w, sum(parts))) < 1 for part, w in zip(shared, parts, strict=True))


@given(cents, weights)
def test_a_negative_total_is_the_mirror_of_the_positive_one(total, parts):
    assert allocate(-total, parts) == tuple(-part for part in allocate(total, parts))


@pytest.mark.parametrize("bad", [[], [0, 0], [1, -1]])
def test_weights_that_share_nothing_are_refused(bad):
    with pytest.raises(ValueError, match="weights"):
        allocate(100, bad)


@given(st.lists(st.fractions(-1000, 1000, max_denominator=997), max_size=20))
def test_rounded_parts_add_up_to_the_rounded_sum(parts):
    rounded = round_parts(parts)
    assert sum(rounded) == round_half_even_cents(sum(parts, Fraction(0)))
    assert all(abs(whole - exact) < 1 for whole, exact in zip(rounded, parts, strict=True))


def test_a_tie_goes_to_the_earlier_part():
    assert round_parts([Fraction(1, 2), Fraction(1, 2), Fraction(1, 2), Fraction(1, 2)]) == (1, 1, 0, 0)


@given(st.lists(st.sampled_from([Fraction(n, 4) for n in range(-6, 7)]) | st.fractions(-9, 9), max_size=8))
def test_what_is_owed_back_is_rounded_as_the_mirror_of_what_is_owed(parts):
    assert round_parts([-part for part in parts]) == tuple(-whole for whole in round_parts(parts))


@pytest.mark.parametrize(
    ("parts", "rounded"),
    [
        ([Fraction(1, 3)] * 3, (1, 0, 0)),
        ([Fraction(-1, 3)] * 3, (-1, 0, 0)),
        ([Fraction(1, 2), Fraction(-1, 2)], (1, -1)),
        ([Fraction(-1, 2), Fraction(1, 2)], (-1, 1)),
        ([Fraction(-1, 2), Fraction(-1, 2), Fraction(5, 2), Fraction(1, 2)], (0, 0, 2, 0)),
    ],
)
def test_a_tie_goes_to_the_earlier_part_of_what_is_owed_and_of_what_is_owed_back(parts, rounded):
    assert round_parts(parts) == rounded


@given(cents, st.sampled_from(["pt-BR", "en"]))
def test_what_is_written_is_read_back(amount, language):
    assert parse_amount(format_cents(amount, language)) == amount


@pytest.mark.parametrize("text", ["1.234,56", "1234,56", "1234.56", "R$ 1.234,56", "R$\u00a01,234.56"])
def test_a_person_may_type_an_amount_in_any_usual_way(text):
    assert parse_amount(text) == 123456


@pytest.mark.parametrize("text", ["1.234", "1,234", "10,005", "1e5", "", "abc", "１２", "1_000", "NaN", "12..3"])
def test_a_typed_amount_that_is_not_certain_is_refused_without_repeating_it(text):
    with pytest.raises(ValueError) as refusal:
        parse_amount(text)
    assert not text or text not in str(refusal.value)


@pytest.mark.parametrize("text", ["1,00", "1.0", "1.234,00", " 1", "1e3", "+1", "", "１", "1_0", ".50"])
def test_a_plain_amount_has_one_form_only(text):
    with pytest.raises(ValueError, match="two decimals"):
        parse_plain_amount(text)


def test_plain_amounts_are_exact():
    assert [parse_plain_amount(text) for text in ("0.10", "50", "-1.01", "999999999999.99")] == [
        10,
        5000,
        -101,
        99999999999999,
    ]
