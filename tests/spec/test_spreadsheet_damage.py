"""What spreadsheets do to values, case by case, and what becomes of each: undone where nothing was lost, or held."""

import csv
from decimal import Decimal
from pathlib import Path

import pytest

from schemas.issues import Severity
from tests.schemas.sheets import ACCOUNT_PAYEE, PIX_PAYEE, parse

DAMAGE = Path(__file__).parents[1] / "vectors" / "spreadsheet_damage.csv"
with DAMAGE.open(encoding="utf-8", newline="") as file:
    CASES = list(csv.DictReader(file))

PAYMENT = PIX_PAYEE | {"amount": "10,00"}
# Of a bank whose check digits follow no known rule, so that nothing is said of them.
ACCOUNT_PAYMENT = ACCOUNT_PAYEE | {"amount": "10,00", "bank_code": "077", "psp_id": "00416968"}
LINE = {"isrc": "BRABC2600001", "amount": "0.5", "currency": "USD"}
SHARE = {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50"}
ADVANCE = {"tax_id": "52998224725", "amount": "10,00"}

# Field of the vectors -> table, a sound row of it, the column where the damage is, and the column that comes out.
FIELDS = {
    "cpf": ("payments", PAYMENT, "tax_id", "tax_id"),
    "cnpj": ("payments", PAYMENT, "tax_id", "tax_id"),
    "bankCode": ("payments", ACCOUNT_PAYMENT, "bank_code", "bank_code"),
    "pspId": ("payments", ACCOUNT_PAYMENT, "psp_id", "psp_id"),
    "agency": ("payments", ACCOUNT_PAYMENT, "agency", "agency"),
    "account": ("payments", ACCOUNT_PAYMENT, "account", "account"),
    "phone": ("payments", PAYMENT | {"pix_key_type": "Celular"}, "pix_key", "pix_key"),
    "amount": ("royalty_lines", LINE, "amount", "amount"),
    "date": ("advances", ADVANCE, "date", "date"),
    "percentage": ("shares", SHARE, "share", "share_ppm"),
    "isrc": ("royalty_lines", LINE, "isrc", "isrc"),
    "upc": ("royalty_lines", LINE | {"isrc": ""}, "upc", "upc"),
    "name": ("payments", PAYMENT, "name", "name"),
}

# Where we do otherwise, on purpose: (field, raw) -> the table, the row, the column, what comes out (None: held), why.
OTHERWISE = {
    ("pspId", "0"): (
        "payments", ACCOUNT_PAYMENT | {"bank_code": "001"}, "psp_id", "00000000",
        "beside the code of Banco do Brasil, whose ISPB is all zeros, nothing else can be meant; elsewhere it is held",
    ),
    ("bankCode", "77"): (
        "payments", ACCOUNT_PAYMENT, "bank_code", None,
        "a text of two digits may have lost any of its three, 34 be 341 as well as 034; a number has lost zeros alone",
    ),
    ("amount", "1234.565"): (
        "payments", PAYMENT, "amount", None,
        "a payable of three decimals is held; statement lines have up to eighteen, and are rounded once, at the end",
    ),
    ("date", "2026-11"): (
        "royalty_lines", LINE, "period", "2026-11",
        "a month stays a month: which of its days a share covers is for the rules of shares to say",
    ),
    ("date", "2017M10"): ("royalty_lines", LINE, "period", "2017-10", "a month, as above"),
}  # fmt: skip


def outcome(table, row, column, becomes, raw):
    """Return what comes out of a cell (None when its row is held), and what is said of it."""
    parsed = parse(table, row | {column: raw})
    values = parsed.frame[becomes].tolist()
    return (values[0] if values else None), [issue for issue in parsed.issues if issue.column == column]


def canonical(case):
    """Return the value that the vectors expect, as our tables hold it."""
    if case["field"] == "amount":
        return Decimal(case["canonical"])
    return str(int(Decimal(case["canonical"]) * 1_000_000)) if case["field"] == "percentage" else case["canonical"]


AGREED = [case for case in CASES if (case["field"], case["raw"]) not in OTHERWISE]


@pytest.mark.parametrize("case", AGREED, ids=lambda case: f"{case['field']} {case['raw']}")
def test_a_damaged_value_is_undone_or_its_row_is_held(case):
    table, row, column, becomes = FIELDS[case["field"]]
    value, told = outcome(table, row, column, becomes, case["raw"])
    severities = {issue.severity for issue in told}
    match case["action"]:
        case "accept":
            assert (value, told) == (canonical(case), [])
        case "accept_with_note":
            assert value == canonical(case)
            assert severities <= {Severity.NOTE}
        case "hold_confirm" | "reject":
            assert value is None
            assert Severity.ERROR in severities


@pytest.mark.parametrize(("field", "raw"), OTHERWISE)
def test_where_we_do_otherwise_it_is_said_why(field, raw):
    table, row, column, expected, reason = OTHERWISE[field, raw]
    becomes = "amount_cents" if (table, column) == ("payments", "amount") else column
    value, told = outcome(table, row, column, becomes, raw)
    assert value == expected
    assert reason
    assert (expected is None) is any(issue.severity is Severity.ERROR for issue in told)


def test_a_lone_zero_is_no_ispb_beside_the_code_of_another_bank():
    assert outcome("payments", ACCOUNT_PAYMENT, "psp_id", "psp_id", "0")[0] is None
    assert outcome("payments", ACCOUNT_PAYMENT, "psp_id", "psp_id", "00000000")[0] == "00000000"
    assert outcome("payments", PAYMENT, "psp_id", "pix_key", "0")[0] == PAYMENT["pix_key"]


def test_every_case_of_the_vectors_is_one_of_these():
    fields = {(case["field"], case["raw"]) for case in CASES}
    assert len(fields) == len(CASES) == len(AGREED) + len(OTHERWISE)
    assert fields >= OTHERWISE.keys()
    assert {case["field"] for case in CASES} == FIELDS.keys()


@pytest.mark.parametrize(
    ("field", "raw", "code"),
    [
        ("cpf", "191", "TAXID_LENGTH"),
        ("bankCode", "00000000", "BANK_CODE"),
        ("agency", "15849", "AGENCY_FORMAT"),
        ("agency", "2026-01-05", "AGENCY_FORMAT"),
        ("account", "1.23457E+11", "ACCOUNT_PRECISION"),
        ("phone", "51998259765", "PIX_AMBIGUOUS"),
        ("amount", "#REF!", "CELL_ERROR"),
        ("percentage", "0,5", "PERCENT_FORMAT"),
        ("upc", "8.8E+11", "UPC_FORMAT"),
        ("name", '=HYPERLINK("http://x")', "NAME_FORMULA"),
    ],
)
def test_what_is_held_is_named_for_what_is_wrong_with_it(field, raw, code):
    assert any((case["field"], case["raw"]) == (field, raw) for case in CASES)
    table, row, column, becomes = FIELDS[field]
    _, told = outcome(table, row, column, becomes, raw)
    assert [issue.code.value for issue in told] == [code]
