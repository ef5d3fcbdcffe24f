"""CPF and CNPJ are recognised by rule, and never repaired by guessing."""

import csv
import doctest
import random
from pathlib import Path

import pandas as pd
import pytest
import stdnum.br.cnpj
import stdnum.br.cpf
from hypothesis import given
from hypothesis import strategies as st

import schemas.values.tax_id
from schemas.issues import IssueCode
from schemas.values.tax_id import (
    check_digits,
    format_tax_id,
    is_tax_id,
    kind_of,
    parse_tax_id,
    read_tax_ids,
    require_tax_id,
)

VECTORS = Path(__file__).parents[1] / "vectors"


def _cases(kind):
    with (VECTORS / f"{kind}.csv").open(encoding="utf-8", newline="") as file:
        return [(kind, case["value"], case["valid"] == "1") for case in csv.DictReader(file)]


CASES = _cases("cpf") + _cases("cnpj")
ALPHABET = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ"
bodies = st.text("0123456789", min_size=9, max_size=9) | st.text(ALPHABET, min_size=12, max_size=12)


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(schemas.values.tax_id).failed == 0


@pytest.mark.parametrize(("kind", "text", "valid"), CASES)
def test_known_documents_are_judged_as_they_stand(kind, text, valid):
    reading = parse_tax_id(text)
    sound = reading.value is not None and reading.code is None and kind_of(reading.value) == kind
    assert sound is valid


@pytest.mark.parametrize(
    ("text", "canonical"),
    [
        (" 529.982.247-25 ", "52998224725"),
        ("52998224725.0", "52998224725"),
        ("5.2998224725E+10", "52998224725"),
        ("1.1222333000181E+13", "11222333000181"),
        ("12.abc.345/01de-35", "12ABC34501DE35"),
        ("12.aBc.345/01dE-35", "12ABC34501DE35"),
    ],
)
def test_a_document_written_otherwise_is_read_with_a_note(text, canonical):
    reading = parse_tax_id(text)
    assert (reading.value, reading.code) == (canonical, IssueCode.TAXID_NORMALISED)
    assert not is_tax_id(text)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("1144477735", IssueCode.TAXID_LENGTH),
        ("191", IssueCode.TAXID_LENGTH),
        ("11111111111", IssueCode.TAXID_CHECK),
        ("00000000000000", IssueCode.TAXID_CHECK),
        ("52998224724", IssueCode.TAXID_CHECK),
        ("5,3E+10", IssueCode.TAXID_FORMAT),
        ("1.2345678E+138", IssueCode.TAXID_FORMAT),
        ("１１２２２３３３０００１８１", IssueCode.TAXID_FORMAT),
        ("Maria", IssueCode.TAXID_FORMAT),
    ],
)
def test_a_document_that_cannot_be_used_says_why(text, code):
    assert (parse_tax_id(text).value, parse_tax_id(text).code) == (None, code)


@given(bodies.filter(lambda body: len(set(body)) > 1))
def test_an_independent_library_agrees_on_the_check_digits(body):
    oracle = stdnum.br.cpf if len(body) == 9 else stdnum.br.cnpj
    tax_id = body + check_digits(body)
    assert oracle.is_valid(tax_id)
    assert is_tax_id(tax_id)
    wrong = f"{(int(tax_id[-1]) + 1) % 10}"
    assert not is_tax_id(tax_id[:-1] + wrong)
    assert not oracle.is_valid(tax_id[:-1] + wrong)


@given(bodies.filter(lambda body: len(set(body)) > 1))
def test_a_mask_is_put_on_and_taken_off(body):
    tax_id = body + check_digits(body)
    assert parse_tax_id(format_tax_id(tax_id)) == parse_tax_id(tax_id)


@pytest.mark.parametrize("value", ["1144477735", "52998224724", "nobody", 52998224725, None])
def test_a_declaration_with_a_bad_document_is_refused_without_repeating_it(value):
    with pytest.raises(ValueError) as refusal:
        require_tax_id(value)
    assert str(value) not in str(refusal.value)


def _column(texts):
    column = read_tax_ids(pd.Series(texts, dtype="str"))
    return column.tax_ids.tolist(), column.readings


def test_a_whole_column_is_read_as_its_cells_would_be():
    texts = [text for _, text, _ in CASES] + ["", "52998224725.0", " 529.982.247-25", "12.abc.345/01de-35"]
    random.Random(7).shuffle(texts)
    tax_ids, readings = _column(texts)
    assert tax_ids == [parse_tax_id(text).value or "" for text in texts]
    assert readings == {i: parse_tax_id(text) for i, text in enumerate(texts) if text and parse_tax_id(text).code}


anything = st.one_of(
    st.text(max_size=20),
    st.text("0123456789.-/E+xX \u00a0\n", max_size=20),
    st.text(ALPHABET + "./-", max_size=20),
    st.sampled_from(["0" * 11, "1" * 14, "111.111.111-11", "1.5E10", "1.23456789E14", "123.00", " ", "\u2003", "\x1f"]),
    bodies.map(lambda body: format_tax_id(body + check_digits(body))),
    bodies.map(lambda body: body + check_digits(body)),
    bodies.map(lambda body: format_tax_id(body + "00")),
)


@given(st.lists(anything, max_size=30))
def test_no_text_whatever_makes_column_and_cell_disagree(texts):
    tax_ids, readings = _column(texts)
    read = [parse_tax_id(text) for text in texts]
    assert tax_ids == [reading.value or "" for reading in read]
    assert readings == {i: read[i] for i, text in enumerate(texts) if text.strip() and read[i].code}


def test_a_column_keeps_its_index_and_may_be_empty_or_a_slice():
    column = pd.Series(["x", "529.982.247-25", ""], index=[5, 6, 9], dtype="str", name="CPF")[1:]
    read = read_tax_ids(column).tax_ids
    assert (read.index.tolist(), read.tolist(), read.name) == ([6, 9], ["52998224725", ""], "CPF")
    assert read_tax_ids(pd.Series([], dtype="str")).tax_ids.empty
