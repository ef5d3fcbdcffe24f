"""Bank data as people write them: what is understood, what is told of it, and what a person is asked about.

A row of a table is a cell as it is written, and what comes of it; a code means that its row is held, a code in
parentheses that the value is used and something is said of it.
"""

import doctest
from pathlib import Path

import pytest

from flows.payables.rules.institutions import fill_psp_ids
from io_adapters.spreadsheets.declarations import read_layout
from schemas.issues import IssueCode
from schemas.layouts.headers import match_headers
from schemas.messages import render
from schemas.sheet_cells import CellKind
from schemas.values import bank_account
from schemas.wire import Institution
from tests.schemas.sheets import ACCOUNT_PAYEE, comes_of, parse
from tests.spec.office import inputs
from tests.spec.tables import table

PAYMENT = ACCOUNT_PAYEE | {"amount": "10,00"}


def test_the_examples_in_the_documentation_are_true():
    assert doctest.testmod(bank_account).failed == 0


@pytest.mark.parametrize(
    ("written", "cell", "read"),
    [
        (row["bank"], row["cell"], row["read"])
        for row in table("""
            | bank                   | cell   | read                   |
            | 341                    | text   | 341                    |
            | 341 - Itaú             | text   | 341 (VALUE_NORMALISED) |
            | 341 Itaú Unibanco S.A. | text   | 341 (VALUE_NORMALISED) |
            | 341/Itaú               | text   | 341 (VALUE_NORMALISED) |
            | Itaú (341)             | text   | 341 (VALUE_NORMALISED) |
            | Itaú - 341             | text   | 341 (VALUE_NORMALISED) |
            | C6 Bank 336            | text   | 336 (VALUE_NORMALISED) |
            | 260-7                  | text   | 260 (VALUE_NORMALISED) |
            | 34                     | number | 034 (VALUE_NORMALISED) |
            | 1                      | number | 001 (VALUE_NORMALISED) |
            | 1.0                    | text   | 001 (VALUE_NORMALISED) |
            | 34                     | text   | BANK_CODE              |
            | 1                      | text   | BANK_CODE              |
            | 1 - Banco do Brasil    | text   | BANK_CODE              |
            | 237 - Itaú             | text   | BANK_CODE              |
            | Itaú                   | text   | BANK_CODE              |
            | 000                    | text   | BANK_CODE              |
            | 0                      | number | BANK_CODE              |
            | 3410                   | text   | BANK_CODE              |
        """)
    ],
)
def test_a_bank_is_known_by_its_three_digits_and_a_name_beside_them_must_not_be_anothers(written, cell, read):
    row = PAYMENT | {"psp_id": "60701190"}
    found = comes_of("payments", row, "bank_code", written, CellKind[cell.upper()])
    assert found.replace(" (ACCOUNT_DIGIT)", "") == read


@pytest.mark.parametrize(
    ("bank", "written", "read"),
    [
        (row["bank"], row["agency"], row["read"])
        for row in table("""
            | bank | agency  | read                |
            | 001  | 1584-9  | 1584 (AGENCY_DIGIT) |
            | 001  | 4556-X  | 4556 (AGENCY_DIGIT) |
            | 001  | 4556-x  | 4556 (AGENCY_DIGIT) |
            | 001  | 229-1   | 0229 (AGENCY_DIGIT) |
            | 237  | 1769-8  | 1769 (AGENCY_DIGIT) |
            | 237  | 1769-0  | AGENCY_FORMAT       |
            | 001  | 1584-8  | AGENCY_FORMAT       |
            | 001  | 15849   | AGENCY_FORMAT       |
            | 341  | 1584-9  | AGENCY_FORMAT       |
            | 077  | 0001-9  | AGENCY_FORMAT       |
        """)
    ],
)
def test_an_agency_loses_its_check_digit_where_the_banks_rule_proves_that_it_is_one(bank, written, read):
    found = comes_of("payments", PAYMENT | {"bank_code": bank}, "agency", written)
    assert found.replace(" (ACCOUNT_DIGIT)", "") == read


@pytest.mark.parametrize(
    ("bank", "written", "read"),
    [
        (row["bank"], row["account"], row["read"])
        for row in table("""
            | bank | account         | read                             |
            | 104  | 013 00012345-2  | 013000123452 (ACCOUNT_OPERATION) |
            | 104  | 013.00012345-2  | 013000123452 (ACCOUNT_OPERATION) |
            | 104  | 013 - 12345-2   | 013000123452 (ACCOUNT_OPERATION) |
            | 104  | 001 00012345-9  | 001000123459 (ACCOUNT_OPERATION) |
            | 104  | 013000123452    | 013000123452                     |
            | 104  | 013 00012345-3  | ACCOUNT_FORMAT                   |
            | 341  | 013 00012345-2  | ACCOUNT_FORMAT                   |
        """)
    ],
)
def test_an_account_of_caixa_is_read_behind_its_operation_where_the_check_digit_proves_it(bank, written, read):
    row = PAYMENT | {"bank_code": bank, "agency": "1278"}
    assert comes_of("payments", row, "account", written) == read


@pytest.mark.parametrize(
    ("bank", "account", "digit", "read"),
    [
        (row["bank"], row["account"], row["digit"], row["read"])
        for row in table("""
            | bank | account | digit | read                 |
            | 341  | 43129   | 0     | 431290               |
            | 341  | 43129-0 | 0     | 431290               |
            | 341  | 43129-0 | .     | 431290               |
            | 341  | 431290  | 0     | 431290               |
            | 341  | 431290  | .     | ACCOUNT_DIGIT_FORMAT |
            | 341  | 43129   | .     | ACCOUNT_DIGIT_FORMAT |
            | 341  | 43129-0 | 1     | ACCOUNT_DIGIT_FORMAT |
            | 341  | 43129   | 00    | ACCOUNT_DIGIT_FORMAT |
            | 341  | 43129   | 0.0   | 431290               |
            | 077  | 1234567 | 7     | 12345677             |
            | 077  | 1234567 | .     | ACCOUNT_DIGIT_FORMAT |
            | 001  | 12351   | x     | 12351X               |
        """)
    ],
)
def test_an_account_and_the_digit_of_its_own_column_are_joined(bank, account, digit, read):
    row = PAYMENT | {"bank_code": bank, "account": account, "account_digit": "" if digit == "." else digit}
    filled = PAYMENT | {"account": "43129", "account_digit": "0", "reference": "2"}
    parsed = parse("payments", row, filled)
    assert parsed.frame["account"].tolist() == ([] if read[0] == "A" else [read]) + ["431290"]
    assert [issue.code.value for issue in parsed.issues if issue.row == 2] == ([read] if read[0] == "A" else [])


def test_a_column_of_digits_that_nobody_has_filled_in_says_nothing():
    parsed = parse("payments", PAYMENT | {"account_digit": ""})
    assert parsed.frame["account"].tolist() == ["431290"]


def test_a_digit_right_of_an_agency_is_the_agencys_own():
    layout = read_layout("payments", Path())
    match = match_headers(["Banco", "Agência", "Dígito", "Conta", "Dígito"], layout)
    assert (match.positions, match.unknown) == ({"bank_code": 0, "agency": 1, "account": 3, "account_digit": 4}, ())


def test_what_was_left_out_of_agencies_is_told_once_for_the_column():
    rows = [PAYMENT | {"bank_code": "001", "agency": agency, "reference": agency} for agency in ("1584-9", "4556-X")]
    told = [issue for issue in parse("payments", *rows).issues if issue.code is IssueCode.AGENCY_DIGIT]
    (note,) = told
    assert (note.cell, note.severity.value) == ("E2", "note")
    assert "2 agências desta coluna vieram com o dígito verificador" in render(note.message, "pt-BR")


LISTED = {
    row["ispb"]: Institution(
        ispb_number=row["ispb"], compe_number=row["code"], name=row["name"], is_active=row["active"] == "yes"
    )
    for row in table("""
        | ispb     | code | name                | active |
        | 60701190 | 341  | Itaú Unibanco S.A.  | yes    |
        | 00000000 | 1    | Banco do Brasil     | yes    |
        | 11111111 | 111  | Antigo 111          | no     |
        | 22222222 | 111  | Novo 111            | yes    |
        | 33333333 | 333  | Um 333              | yes    |
        | 44444444 | 333  | Outro 333           | yes    |
        | 55555555 | 555  | Encerrado           | no     |
        | 66666666 |      | Só Pix              | yes    |
    """)
}


@pytest.mark.parametrize(
    ("code", "ispb"),
    [("341", "60701190"), ("001", "00000000"), ("111", "22222222"), ("333", ""), ("555", "55555555"), ("999", "")],
)
def test_an_account_without_ispb_takes_the_one_that_the_list_has_for_its_banks_code(code, ispb):
    parsed = parse("payments", PAYMENT | {"psp_id": "", "bank_code": code})
    assert [issue.code.value for issue in parsed.issues if issue.code is not IssueCode.ACCOUNT_DIGIT] == [
        "BANK_PSP_LISTED"
    ]
    read = inputs(payments=parsed.frame)
    assert fill_psp_ids(read, LISTED).payments["psp_id"].tolist() == [ispb]
    assert fill_psp_ids(read, {}) is read


def test_what_the_row_says_itself_is_never_replaced():
    parsed = parse("payments", PAYMENT | {"psp_id": "99999999"})
    read = inputs(payments=parsed.frame)
    assert fill_psp_ids(read, LISTED) is read
