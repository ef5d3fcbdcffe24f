"""A destination is what the person states it is, in one canonical form, and its fingerprint gives nothing away."""

import csv
from pathlib import Path

import pytest

from schemas.issues import IssueCode
from schemas.sheet_cells import CellKind
from schemas.values.bank_account import (
    check_account_digit,
    destination_of,
    read_account,
    read_account_type,
    read_agency,
    read_psp_id,
)
from schemas.values.pix_key import AREA_CODES, read_pix_key, read_pix_key_type

VECTORS = Path(__file__).parents[1] / "vectors"
ACCOUNT = {
    "bank_code": "341",
    "psp_id": "60701190",
    "agency": "4313",
    "account": "431290",
    "account_type": "checking_account",
}


def _cases(name):
    with (VECTORS / f"{name}.csv").open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("case", _cases("pix_keys"), ids=lambda case: f"{case['type']} {case['key'][:20]!r}")
def test_known_pix_keys_are_judged_as_they_stand(case):
    reading = read_pix_key(case["key"], case["type"])
    as_it_stands = reading.value == case["key"] and reading.code in {None, IssueCode.PIX_PHONE_FOREIGN}
    assert as_it_stands is (case["valid"] == "1")
    if "NORMALISE" in case["note"]:
        assert reading.value is not None
        assert read_pix_key(reading.value, case["type"]).code is None
    if "AMBIGUOUS" in case["note"]:
        assert (reading.value, reading.code) == (None, IssueCode.PIX_AMBIGUOUS)


@pytest.mark.parametrize("written", ["11987654321", "+55 11 98765-4321", "(11) 98765-4321", "5511987654321"])
def test_a_phone_key_has_one_form(written):
    assert read_pix_key(written, "phone_number").value == "+5511987654321"


def test_the_country_has_67_area_codes():
    assert len(AREA_CODES) == 67


def test_a_document_key_must_be_the_payees_own():
    assert read_pix_key("529.982.247-25", "cpf", owner="52998224725").value == "52998224725"
    assert read_pix_key("529.982.247-25", "cpf", owner="11144477735").code is IssueCode.PIX_OWNER


@pytest.mark.parametrize(
    ("word", "wire"),
    [
        ("CPF", "cpf"), ("cnpj", "cnpj"), ("Celular", "phone_number"), ("TELEFONE", "phone_number"),
        ("E-mail", "email"), ("Email", "email"), ("Aleatória", "random_key"), ("evp", "random_key"),
        ("phone_number", "phone_number"), ("random_key", "random_key"),
    ],
)  # fmt: skip
def test_the_type_of_a_key_is_said_in_the_persons_words(word, wire):
    assert read_pix_key_type(word).value == wire


@pytest.mark.parametrize(
    ("word", "wire"),
    [
        ("Corrente", "checking_account"), ("conta corrente", "checking_account"), ("Poupança", "saving_account"),
        ("POUPANCA", "saving_account"), ("Pagamento", "payment_account"), ("Conta Salário", "salary_account"),
        ("saving_account", "saving_account"), ("CC", "checking_account"), ("C/C", "checking_account"),
    ],
)  # fmt: skip
def test_the_type_of_an_account_is_said_in_the_persons_words(word, wire):
    assert read_account_type(word).value == wire
    assert read_account_type("CP").code is IssueCode.ACCOUNT_TYPE  # Poupança to some, Pagamento to others


# Agencies are kept without their own check digit, so nothing is said of a wrong one.
ACCOUNTS = [case for case in _cases("bank_accounts") if case["note"] != "bad branch digit"]


@pytest.mark.parametrize("case", ACCOUNTS, ids=lambda case: f"{case['bank_code']} {case['account']}")
def test_known_accounts_have_the_check_digit_of_their_bank(case):
    account = case["account"] + case["account_digit"]
    assert check_account_digit(case["bank_code"], case["branch"], account) is (case["valid"] == "1")


@pytest.mark.parametrize(("bank", "account"), [("077", "12345678"), ("001", "12345678901"), ("104", "1234567890123")])
def test_an_account_whose_rule_is_not_known_is_not_judged(bank, account):
    assert check_account_digit(bank, "0001", account) is None


def test_digits_a_spreadsheet_lost_are_never_made_up():
    assert read_account("1.23457E+11").code is IssueCode.ACCOUNT_PRECISION
    assert read_account("12345678901234567", CellKind.NUMBER).code is IssueCode.ACCOUNT_PRECISION
    assert read_account("12345678901234567", CellKind.TEXT).value == "12345678901234567"
    assert read_agency("2026-01-05", CellKind.DATE).code is IssueCode.AGENCY_FORMAT


@pytest.mark.parametrize("text", ["00000", "12-34-5", "abc", "1" * 21, "12345-XX"])
def test_an_impossible_account_is_refused(text):
    assert read_account(text).code is IssueCode.ACCOUNT_FORMAT


def test_banco_do_brasil_is_never_missing():
    assert read_psp_id("0").value == "00000000"
    assert read_psp_id("12abc345").value == "12ABC345"
    assert read_psp_id("Itaú").code is IssueCode.BANK_PSP


def test_a_fingerprint_tells_destinations_apart_and_shows_none():
    pix = destination_of(pix_key="52998224725", pix_key_type="cpf").fingerprint
    account = destination_of(**ACCOUNT).fingerprint
    assert destination_of() is None
    assert pix != account != destination_of(**ACCOUNT | {"agency": "0001"}).fingerprint
    assert account == destination_of(**ACCOUNT, account_holder="Anyone").fingerprint
    assert "52998224725" not in pix
    assert len(pix) == 64
