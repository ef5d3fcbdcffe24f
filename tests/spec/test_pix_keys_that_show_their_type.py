"""Pix keys without a type: what each can only be, what nobody can tell, and what is taken once somebody says so."""

import pytest

from schemas.parsing.table import parse_table
from schemas.parsing.typed_table import KeyTypes
from schemas.values.pix_key import key_digest, proposed_key_type
from tests.schemas.sheets import PIX_PAYEE, layout, sheet

OWN = "52998224725"
COMPANY = "12ABC34501DE35"

SHOWN = [
    ("maria@example.com", "email"), (" Maria@Example.com ", "email"), ("+5511987654321", "phone_number"),
    ("(11) 98765-4321", "phone_number"), ("+55 (11) 98765-4321", "phone_number"), ("(11)987654321", "phone_number"),
    ("+55 11 98765 4321", "phone_number"), ("55 (11) 98765-4321", "phone_number"),
    ("123e4567-e89b-12d3-a456-426655440000", "random_key"), ("123E4567-E89B-12D3-A456-426655440000", "random_key"),
    ("529.982.247-25", "cpf"), ("52998224725", "cpf"), ("11.222.333/0001-81", "cnpj"), ("11222333000181", "cnpj"),
]  # fmt: skip
SEVERAL = [
    "11987654321", "11144477735", "987654321", "1198765432", "+14155550100", "maria", "maria.silva", "(11) 8765-4321",
    "(00) 98765-4321", "maria@", "00000000-0000-0000-0000-000000000000", "529.982.247-26", "11 98765-4321", "Pix", "-",
]  # fmt: skip


@pytest.mark.parametrize(("text", "kind"), SHOWN)
def test_a_key_that_can_only_be_of_one_type_by_how_it_is_written_is_proposed_as_that(text, kind):
    assert proposed_key_type(text, OWN) == kind


@pytest.mark.parametrize("text", SEVERAL)
def test_a_key_that_could_be_several_or_none_is_nobody_s_to_say(text):
    assert proposed_key_type(text, OWN) is None


def rows(*keys):
    payee = {name: text for name, text in PIX_PAYEE.items() if name != "pix_key_type"}
    return sheet(*(payee | {"pix_key": key, "amount": "10,00", "reference": str(at)} for at, key in enumerate(keys)))


def held(parsed):
    return [(issue.code.value, issue.cell) for issue in parsed.issues if issue.severity == "error"]


def test_in_a_sheet_without_a_column_for_it_each_type_is_asked_at_the_key():
    parsed = parse_table(rows("maria@example.com", "11987654321", "+5511987654321"), layout("payments"))
    assert held(parsed) == [("PIX_TYPE_PROPOSED", "C2"), ("PIX_TYPE_REQUIRED", "C3"), ("PIX_TYPE_PROPOSED", "C4")]
    assert parsed.frame.empty
    assert parsed.proposed == {key_digest("maria@example.com"): "email", key_digest("+5511987654321"): "phone_number"}
    assert "só pode ser" not in str(parsed.issues[0].message)
    assert "it can only be an e-mail" in str(parsed.issues[0].message)


def test_on_somebody_s_word_all_that_show_their_type_are_ready_and_the_others_are_asked():
    parsed = parse_table(
        rows("maria@example.com", "11987654321", "529.982.247-25"), layout("payments"), key_types=KeyTypes(taken=True)
    )
    assert parsed.frame[["pix_key", "pix_key_type"]].to_numpy().tolist() == [
        ["maria@example.com", "email"], ["52998224725", "cpf"],
    ]  # fmt: skip
    assert held(parsed) == [("PIX_TYPE_REQUIRED", "C3")]
    assert "the types of 2 Pix keys taken as they show them" in map(str, parsed.decisions)


def test_what_was_confirmed_of_a_key_is_known_however_its_letters_are_written():
    known = KeyTypes({key_digest("11987654321"): "phone_number", key_digest("MARIA@example.com"): "email"})
    parsed = parse_table(
        rows("11987654321", "maria@Example.com", "ana@example.com"), layout("payments"), key_types=known
    )
    assert parsed.frame["pix_key_type"].tolist() == ["phone_number", "email"]
    assert held(parsed) == [("PIX_TYPE_PROPOSED", "C4")]


def test_a_type_that_stands_in_the_sheet_goes_before_what_was_confirmed():
    known = KeyTypes({key_digest("11987654321"): "cpf"}, taken=True)
    raw = sheet(PIX_PAYEE | {"pix_key": "11987654321", "pix_key_type": "Celular", "amount": "10,00"})
    assert parse_table(raw, layout("payments"), key_types=known).frame["pix_key_type"].tolist() == ["phone_number"]


def test_somebody_else_s_document_is_no_key_though_it_shows_its_type():
    parsed = parse_table(rows("111.444.777-35"), layout("payments"), key_types=KeyTypes(taken=True))
    assert held(parsed) == [("PIX_OWNER", "C2")]
