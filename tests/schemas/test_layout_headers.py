"""Headers are compared as people read them, and each has one place."""

import pytest

from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout, fold

LAYOUT = Layout(
    layout="x",
    title="X",
    table="payments",
    columns={"tax_id": ["CPF/CNPJ", "CPF"], "amount": ["Valor", "Valor líquido"], "email": ["E-mail"]},
    required=["tax_id", "amount"],
    ignored=["Valor bruto"],
)


@pytest.mark.parametrize(
    "header", ["Valor líquido", " VALOR  LIQUIDO ", "valor_líquido", "Valor-Li\u0301quido:", "ｖalor liquido"]
)
def test_case_accents_blanks_and_punctuation_do_not_matter(header):
    assert fold(header) == "valorliquido"


def test_blank_headers_are_blank_and_marks_stay():
    assert [fold(header) for header in ("", "  ", "%", " # ")] == ["", "", "%", "#"]


def test_every_header_has_one_place():
    match = match_headers(["E-mail", "", "cpf", "Valor", "Observação", "valor bruto"], LAYOUT)
    assert match.positions == {"email": 0, "tax_id": 2, "amount": 3}
    assert match.unknown == (4,)
    assert match.ignored == (5,)
    assert (match.duplicates, match.missing) == ({}, ())


def test_two_headers_for_one_column_are_told_and_neither_is_taken():
    match = match_headers(["CPF", "Valor", "Valor líquido"], LAYOUT)
    assert match.duplicates == {"amount": (1, 2)}
    assert "amount" not in match.positions
    assert match.missing == ()


def test_missing_required_columns_come_in_the_layouts_order():
    assert match_headers(["E-mail"], LAYOUT).missing == ("tax_id", "amount")
