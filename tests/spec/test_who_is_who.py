"""Two people in one, one in two, a name that is none: each is a question at its cell."""

import pytest

from tests.schemas.sheets import PIX_PAYEE, codes, parse

PAYMENT = PIX_PAYEE | {"amount": "10,00"}
ANA = {"name": "Ana Lima", "tax_id": "11144477735", "pix_key": "ana@example.com"}


def cells(parsed):
    return [(issue.code.value, issue.cell) for issue in parsed.issues]


@pytest.mark.parametrize("other", ["Ana Lima", "José Souza", "ACME Produções Ltda"])
def test_two_names_without_a_word_in_common_under_one_document_are_held_at_the_names(other):
    parsed = parse("payments", PAYMENT, PAYMENT | {"name": other, "reference": "b", "pix_key": "x@example.com"})
    assert cells(parsed) == [("IDENTITY_CONFLICT", "A2"), ("IDENTITY_CONFLICT", "A3")]


@pytest.mark.parametrize("other", ["Maria S. Silva", "MARIA SILVA", "María da Silva Souza", "M. Silva", "Silva, Maria"])
def test_one_name_written_otherwise_is_one_person(other):
    assert codes(parse("payments", PAYMENT, PAYMENT | {"name": other, "reference": "b"})) == []


@pytest.mark.parametrize("table", ["payments", "payees"])
def test_one_key_beside_two_people_wants_a_look_at_both(table):
    row = PAYMENT if table == "payments" else PIX_PAYEE
    parsed = parse(table, row, row | ANA | {"pix_key": "Maria@example.com"})
    assert [found for found in cells(parsed) if found[0] == "PIX_KEY_SHARED"] == [
        ("PIX_KEY_SHARED", "C2"), ("PIX_KEY_SHARED", "C3"),
    ]  # fmt: skip
    assert len(parsed.frame) == 2


def test_one_key_in_two_rows_of_one_person_is_theirs():
    assert codes(parse("payments", PAYMENT, PAYMENT | {"reference": "b"}, PAYMENT | ANA)) == []


@pytest.mark.parametrize("name", ["12345678900", "529.982.247-25", "?!", "2026", "00123"])
def test_a_name_without_a_letter_is_none(name):
    assert ("NAME_LETTERS", "A2") in cells(parse("payments", PAYMENT | {"name": name}))


@pytest.mark.parametrize(
    ("text", "code"), [("0000125000", "AMOUNT_ZEROS"), ("00012", "AMOUNT_ZEROS"), ("007", "AMOUNT_ZEROS")]
)
def test_centavos_behind_zeros_are_no_reais(text, code):
    assert codes(parse("payments", PAYMENT | {"amount": text})) == [code]


@pytest.mark.parametrize(("text", "cents"), [("0,50", 50), ("00,50", 50), ("125000", 12500000), ("0.50", 50)])
def test_zeros_of_an_amount_below_one_are_its_own(text, cents):
    assert parse("payments", PAYMENT | {"amount": text}).frame["amount_cents"].tolist() == [cents]
