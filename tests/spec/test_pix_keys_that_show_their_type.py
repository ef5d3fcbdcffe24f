"""Pix keys without a type: what each can only be, what nobody can tell, and what is taken once somebody says so."""

import pytest

from schemas.parsing.table import parse_table
from schemas.parsing.typed_table import KeyTypes
from schemas.values.pix_key import key_digest, proposed_key_type
from schemas.values.tax_id import is_tax_id
from tests.schemas.sheets import PIX_PAYEE, layout, sheet

OWN = "52998224725"
COMPANY = "12ABC34501DE35"

SHOWN = [
    ("maria@example.com", "email"), (" Maria@Example.com ", "email"), ("+5511987654321", "phone_number"),
    ("(11) 98765-4321", "phone_number"), ("+55 (11) 98765-4321", "phone_number"), ("(11)987654321", "phone_number"),
    ("+55 11 98765 4321", "phone_number"), ("55 (11) 98765-4321", "phone_number"),
    ("123e4567-e89b-12d3-a456-426655440000", "random_key"), ("123E4567-E89B-12D3-A456-426655440000", "random_key"),
    ("529.982.247-25", "cpf"), ("52998224725", "cpf"), ("11.222.333/0001-81", "cnpj"), ("11222333000181", "cnpj"),
    ("11987654321", "phone_number"), ("11 98765-4321", "phone_number"), ("5511987654321", "phone_number"),
    ("21 9 8765-4321", "phone_number"), ("CPF: 529.982.247-25", "cpf"), ("cpf 52998224725", "cpf"),
    ("email: maria@example.com", "email"), ("E-mail - maria@example.com", "email"), ("mail m@example.com", "email"),
    ("Celular: 11 98765-4321", "phone_number"), ("Tel (11) 98765-4321", "phone_number"), ("CPF", "cpf"),
    ("Chave aleatória: 123e4567-e89b-12d3-a456-426655440000", "random_key"), ("o mesmo CPF", "cpf"),
    ("mesmo cpf", "cpf"), ("CPF do titular", "cpf"), ("Documento", "cpf"),
]  # fmt: skip
SEVERAL = [
    "11144477735", "987654321", "11887654321", "00987654321", "20987654321", "1198765432", "+14155550100", "maria",
    "maria.silva", "(11) 8765-4321", "(00) 98765-4321", "maria@", "00000000-0000-0000-0000-000000000000",
    "529.982.247-26", "Pix", "-", "CPF: 111.444.777-34", "email: maria", "celular: 3232-1000", "cnpj", "o mesmo CNPJ",
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
    parsed = parse_table(rows("maria@example.com", "11144477735", "+5511987654321"), layout("payments"))
    assert held(parsed) == [("PIX_TYPE_PROPOSED", "C2"), ("PIX_TYPE_REQUIRED", "C3"), ("PIX_TYPE_PROPOSED", "C4")]
    assert parsed.frame.empty
    assert parsed.proposed == {key_digest("maria@example.com"): "email", key_digest("+5511987654321"): "phone_number"}
    assert "só pode ser" not in str(parsed.issues[0].message)
    assert "it can only be an e-mail" in str(parsed.issues[0].message)


def test_on_somebody_s_word_all_that_show_their_type_are_ready_and_the_others_are_asked():
    parsed = parse_table(
        rows("maria@example.com", "11144477735", "529.982.247-25"), layout("payments"), key_types=KeyTypes(taken=True)
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


@pytest.mark.parametrize(
    ("text", "key", "kind"),
    [
        ("CPF: 529.982.247-25", OWN, "cpf"), ("o mesmo CPF", OWN, "cpf"), ("o mesmo e-mail", "m@example.com", "email"),
        ("email: Maria@example.com", "maria@example.com", "email"), ("11 98765-4321", "+5511987654321", "phone_number"),
        ("celular 11 98765-4321", "+5511987654321", "phone_number"),
    ],
)  # fmt: skip
@pytest.mark.parametrize("stated", ["", "said"])
def test_what_is_sent_is_the_key_alone_whoever_says_its_type(text, key, kind, stated):
    words = {"cpf": "CPF", "email": "E-mail", "phone_number": "Celular"}
    row = PIX_PAYEE | {"email": "m@example.com", "pix_key": text, "amount": "10,00"}
    row["pix_key_type"] = words[kind] if stated else ""
    parsed = parse_table(sheet(row), layout("payments"), key_types=KeyTypes(taken=not stated))
    assert parsed.frame[["pix_key", "pix_key_type"]].to_numpy().tolist() == [[key, kind]]


def test_a_cell_that_names_another_type_than_its_column_is_held():
    row = PIX_PAYEE | {"pix_key": "CPF: 529.982.247-25", "pix_key_type": "Celular", "amount": "10,00"}
    parsed = parse_table(sheet(row), layout("payments"), key_types=KeyTypes(taken=True))
    assert held(parsed) == [("PIX_PHONE", "C2")]


@pytest.mark.parametrize(
    ("header", "keys", "kinds"),
    [
        ("Pix (celular)", ["11987654321", "11 98765-4321"], ["phone_number", "phone_number"]),
        ("Chave Pix (e-mail)", ["maria@example.com", "529.982.247-25"], ["email", "cpf"]),
        ("PIX CPF", ["52998224725"], ["cpf"]),
        ("Chave Pix (CPF, celular ou e-mail)", ["11987654321"], ["phone_number"]),
        ("Chave Pix", ["11987654321"], ["phone_number"]),
    ],
)
def test_a_header_that_names_one_type_says_it_of_the_keys_that_fit_it(header, keys, kinds):
    assert [proposed_key_type(key, OWN, header=header) for key in keys] == kinds


def test_eleven_digits_that_are_somebodys_cpf_are_no_phone_under_any_header():
    digits = "11999999930"
    assert is_tax_id(digits) is (proposed_key_type(digits, "", header="Pix (celular)") is None)
