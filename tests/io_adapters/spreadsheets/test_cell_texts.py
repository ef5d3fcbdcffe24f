"""A number becomes the shortest text that is exactly that number."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from io_adapters.spreadsheets.workbook.sheets import number_text, number_texts


@given(st.floats(allow_nan=False, allow_infinity=False))
def test_the_text_of_a_number_reads_back_as_it_and_has_no_exponent(number):
    text = number_text(number)
    assert float(text) == number
    assert "e" not in text.lower()
    assert not text.endswith(".0")


@given(st.lists(st.floats(allow_nan=False, allow_infinity=False) | st.integers(-(10**17), 10**17).map(float)))
def test_many_numbers_are_written_as_each_alone(numbers):
    assert number_texts(np.array(numbers, np.float64)).to_pylist() == [number_text(number) for number in numbers]


@given(st.integers(0, 10**9))
def test_amounts_in_centavos_survive_the_spreadsheets_floats(cents):
    whole, part = divmod(cents, 100)
    expected = f"{whole}.{part:02d}".rstrip("0").rstrip(".")
    assert number_texts(np.array([cents / 100])).to_pylist() == [expected]
