"""Opening balances as a team writes them: in Portuguese or English, with each bad cell named."""

from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from schemas.parsing.table import parse_table
from tests.schemas.sheets import codes, sheet

LAYOUT = read_layout("opening", Path())
ANA, BIA = "529.982.247-25", "111.444.777-35"
ROW = {"CPF/CNPJ": ANA, "Tipo": "saldo", "Período": "2026-07", "Valor": "1.234,56"}


def read(*rows):
    return parse_table(sheet(*rows), LAYOUT)


def test_portuguese_and_english_headers_and_words_say_the_same():
    portuguese = {"CPF": ANA, "Tipo": "A recuperar", "Mês": "jul/2026", "Referência": "disco", "Valor": "50,00"}
    english = {"tax_id": ANA, "Kind": "to recoup", "Period": "2026-07", "reference": "disco", "amount": "50.00"}
    columns = ["tax_id", "kind", "period", "reference", "amount_cents"]
    first, second = (read(row | {"ISRC": "BRABC2600001"}).frame[columns] for row in (portuguese, english))
    assert first.to_dict("records") == second.to_dict("records") != []


@pytest.mark.parametrize(
    ("written", "kind"),
    [
        ("Saldo", "carried"),
        ("saldo anterior", "carried"),
        ("CARRIED", "carried"),
        ("a recuperar", "to_recoup"),
        ("to_recoup", "to_recoup"),
        ("Pago", "paid"),
        ("paid outside", "paid"),
    ],
)
def test_kinds_are_words_people_use(written, kind):
    assert read(ROW | {"Tipo": written}).frame["kind"].tolist() == [kind]


@pytest.mark.parametrize(("written", "cents"), [("1.234,56", 123456), ("-1.234,56", -123456), ("(12,30)", -1230)])
def test_what_is_carried_may_be_owed_back(written, cents):
    parsed = read(ROW | {"Valor": written})
    assert (parsed.frame["amount_cents"].tolist(), codes(parsed)) == ([cents], [])


@pytest.mark.parametrize(
    ("change", "found", "cell"),
    [
        ({"Tipo": "sobra"}, "OPENING_KIND", "B2"),
        ({"Tipo": ""}, "CELL_REQUIRED", "B2"),
        ({"Período": ""}, "CELL_REQUIRED", "C2"),
        ({"Período": "julho"}, "DATE_FORMAT", "C2"),
        ({"Valor": "dez"}, "AMOUNT_FORMAT", "D2"),
        ({"Valor": "1001,005"}, "AMOUNT_DECIMALS", "D2"),
        ({"Tipo": "pago", "Valor": "-1,00"}, "AMOUNT_NOT_POSITIVE", "D2"),
        ({"Tipo": "a recuperar", "Valor": "0,00"}, "AMOUNT_NOT_POSITIVE", "D2"),
        ({"CPF/CNPJ": "52998224724"}, "TAXID_CHECK", "A2"),
    ],
)
def test_each_bad_cell_is_named_and_its_row_held(change, found, cell):
    parsed = read(ROW | change)
    assert [(issue.code.value, issue.cell) for issue in parsed.issues] == [(found, cell)]
    assert len(parsed.frame) == 0


def test_two_balances_of_one_payee_and_period_are_both_held():
    parsed = read(ROW, ROW | {"Valor": "5,00"}, ROW | {"CPF/CNPJ": BIA}, ROW | {"Período": "2026-08"})
    assert (codes(parsed), len(parsed.frame)) == (["ROW_DUPLICATE", "ROW_DUPLICATE"], 2)


def test_two_payments_are_told_apart_by_their_dates():
    paid = ROW | {"Tipo": "pago", "Valor": "5,00"}
    parsed = read(paid | {"Data": "2026-08-05"}, paid | {"Data": "2026-08-15"}, paid | {"Data": "2026-08-15"})
    assert (codes(parsed), len(parsed.frame)) == (["ROW_DUPLICATE", "ROW_DUPLICATE"], 1)
