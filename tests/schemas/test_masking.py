"""What is shown of a value identifies nobody."""

import doctest

import pytest
from hypothesis import given
from hypothesis import strategies as st

import schemas.values.masking
from schemas.values.masking import mask_account, mask_pix_key, mask_value
from schemas.values.tax_id import check_digits, format_tax_id


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(schemas.values.masking).failed == 0


@pytest.mark.parametrize(
    ("key", "key_type", "shown"),
    [
        ("52998224725", "cpf", "***.982.247-**"),
        ("12ABC34501DE35", "cnpj", "12.***.***/****-35"),
        ("fulano@example.com", "email", "f***o@e***.com"),
        ("+5511987654321", "phone_number", "+55 11 *****-4321"),
        ("123e4567-e89b-12d3-a456-426655440000", "random_key", "123e4567-****-...-0000"),
        ("5299822472", "cpf", "10 digits"),
        ("52998224725", "surprise", "11 digits"),
    ],
)
def test_a_pix_key_is_masked_by_its_type(key, key_type, shown):
    assert mask_pix_key(key, key_type) == shown


def test_only_the_last_character_of_an_account_is_shown():
    assert mask_account("1234567") == "****7"


@pytest.mark.parametrize(
    ("column", "text", "shown"),
    [
        ("amount", "1.234,565", "1.234,565"),
        ("amount", "529.982.247-25", "***.982.247-**"),
        ("amount", "11144477735", "***.444.777-**"),
        ("reference", "fulano@example.com", "f***o@e***.com"),
        ("artist_name", "11 98765-4321", "13 characters"),
        ("isrc", "BRABC2600001", "BRABC2600001"),
        ("title", "a\u202eb", "a<U+202E>b"),
        ("name", "Maria da Silva", "M*** d*** S***"),
        ("name", "=HYPERLINK(1)", "13 characters"),
        ("email", "not an address", "14 characters"),
        ("tax_id", "", ""),
    ],
)
def test_a_cell_is_masked_by_its_column_and_by_what_it_holds(column, text, shown):
    assert mask_value(column, text) == shown


COLUMNS = ["tax_id", "pix_key", "account", "amount", "reference", "name", "email", "agency", "title", "percentage"]


@given(st.text("0123456789", min_size=9, max_size=9), st.sampled_from(COLUMNS), st.booleans())
def test_no_column_shows_a_whole_document(body, column, masked):
    tax_id = body + check_digits(body)
    text = format_tax_id(tax_id) if masked else tax_id
    if len(set(body)) > 1:
        assert text not in mask_value(column, text)
