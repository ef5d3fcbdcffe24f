"""Two people in one, one in two, a name that is none: each is a question at its cell."""

from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.parsing.table import parse_table
from tests.schemas.sheets import PIX_PAYEE, codes, parse

PAYMENTS = read_layout("payments", Path())
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


def written(*lines, tmp_path):
    (tmp_path / "p.csv").write_text("\n".join(lines))
    return parse_table(read_table(str(tmp_path / "p.csv"), PAYMENTS), PAYMENTS)


HEADER = "Nome,CPF,Chave Pix,Tipo da chave,Valor,Referência"
FIRST = "Maria Silva,529.982.247-25,maria@example.com,E-mail"


@pytest.mark.parametrize("amount", ["10,50", "1250,00", "R$ 500,00", "7,05"])
def test_decimal_commas_between_commas_without_quotes_are_a_question_at_each_amount(amount, tmp_path):
    parsed = written(
        HEADER, f"{FIRST},{amount}", f"Ana Lima,11144477735,ana@example.com,E-mail,{amount}", tmp_path=tmp_path
    )
    assert {code for code, _ in cells(parsed)} == {"AMOUNT_SPLIT"}
    assert len(parsed.frame) == 0


@pytest.mark.parametrize("rest", ['"10,50",50', "10.50,50", "10,a5", "10,505", "10,"])
def test_a_field_beside_an_amount_is_no_centavos_when_it_cannot_be(rest, tmp_path):
    assert cells(written(HEADER, f"{FIRST},{rest}", tmp_path=tmp_path)) == []


def test_a_field_of_two_digits_beside_an_amount_is_its_own_between_semicolons(tmp_path):
    lines = (line.replace(",", ";") for line in (HEADER, f"{FIRST},10,50"))
    assert cells(written(*lines, tmp_path=tmp_path)) == []


@pytest.mark.parametrize(("text", "cents"), [("0,50", 50), ("00,50", 50), ("125000", 12500000), ("0.50", 50)])
def test_zeros_of_an_amount_below_one_are_its_own(text, cents):
    assert parse("payments", PAYMENT | {"amount": text}).frame["amount_cents"].tolist() == [cents]
