"""Each bad cell is named for what is wrong with it, and each damaged one that lost nothing is read."""

from decimal import Decimal

import pytest

from schemas.issues import IssueCode, Severity
from schemas.parsing.readers import read_text
from schemas.sheet_cells import CellKind
from tests.schemas.sheets import ACCOUNT_PAYEE, PIX_PAYEE, codes, parse

PAYMENT = PIX_PAYEE | {"amount": "10,00"}
LINE = {"isrc": "BRABC2600001", "amount": "0.5", "currency": "USD"}
SHARE = {"isrc": "BRABC2600001", "tax_id": "52998224725", "share": "50"}
ADVANCE = {"tax_id": "52998224725", "amount": "10,00"}
ACCOUNT_PAYMENT = ACCOUNT_PAYEE | {"amount": "10,00"}
SOUND = {
    "payments": PAYMENT,
    "payees": PIX_PAYEE,
    "royalty_lines": LINE,
    "shares": SHARE,
    "advances": ADVANCE,
}

BAD_CELLS = [
    ("payments", {"name": ""}, ["NAME_REQUIRED"]),
    ("payments", {"name": "=HYPERLINK(1)"}, ["NAME_FORMULA"]),
    ("payments", {"name": "X"}, ["NAME_LENGTH"]),
    ("payments", {"name": "X" * 201}, ["NAME_LENGTH"]),
    ("payments", {"name": "Ma\u200bria"}, ["NAME_CONTROL"]),
    ("payments", {"name": "Ma\u202eria"}, ["NAME_CONTROL"]),
    ("payments", {"artist_name": "a\nb"}, ["TEXT_CONTROL"]),
    ("payments", {"tax_id": ""}, ["CELL_REQUIRED"]),
    ("payments", {"tax_id": "5299822472"}, ["TAXID_LENGTH"]),
    ("payments", {"tax_id": "52998224724"}, ["TAXID_CHECK"]),
    ("payments", {"tax_id": "52.998.224-725"}, ["TAXID_FORMAT"]),
    ("payments", {"tax_id": "#REF!"}, ["CELL_ERROR"]),
    ("payments", {"original_tax_id": "1"}, ["TAXID_LENGTH"]),
    ("payments", {"email": "a@b"}, ["EMAIL_FORMAT"]),
    ("payments", {"email": "a@b.com\r\nBcc: c@d.com"}, ["EMAIL_FORMAT"]),
    ("payments", {"amount": ""}, ["CELL_REQUIRED"]),
    ("payments", {"amount": "dez"}, ["AMOUNT_FORMAT"]),
    ("payments", {"amount": "1e5"}, ["AMOUNT_FORMAT"]),
    ("payments", {"amount": "１０"}, ["AMOUNT_FORMAT"]),
    ("payments", {"amount": "10%"}, ["AMOUNT_TYPE"]),
    ("payments", {"amount": "1.234"}, ["AMOUNT_AMBIGUOUS"]),
    ("payments", {"amount": "1234.565"}, ["AMOUNT_DECIMALS"]),
    ("payments", {"amount": "0,00"}, ["AMOUNT_NOT_POSITIVE"]),
    ("payments", {"amount": "(12,30)"}, ["AMOUNT_NOT_POSITIVE"]),
    ("payments", {"amount": "12,30-"}, ["AMOUNT_NOT_POSITIVE"]),
    ("payments", {"amount": "R$ -"}, ["AMOUNT_NOT_POSITIVE"]),
    ("payments", {"amount": "US$ 5"}, ["AMOUNT_CURRENCY"]),
    ("payments", {"owner_amount": "-1,00"}, ["AMOUNT_NOT_POSITIVE"]),
    ("payments", {"advance": "talvez"}, ["BOOL_FORMAT"]),
    ("payments", {"percentage": "101"}, ["PERCENT_RANGE"]),
    ("payments", {"pix_key_type": ""}, ["PIX_TYPE_PROPOSED"]),
    ("payments", {"pix_key_type": "chave"}, ["PIX_TYPE_UNKNOWN"]),
    ("payments", {"pix_key": ""}, ["PIX_KEY_REQUIRED"]),
    ("payments", {"pix_key": "", "pix_key_type": ""}, ["DESTINATION_MISSING"]),
    ("payments", {"pix_key": "1", "pix_key_type": "CPF"}, ["PIX_CPF"]),
    ("payments", {"pix_key": "1", "pix_key_type": "CNPJ"}, ["PIX_CNPJ"]),
    ("payments", {"pix_key": "1133334444", "pix_key_type": "Celular"}, ["PIX_PHONE"]),
    ("payments", {"pix_key": "51998259765", "pix_key_type": "Celular"}, ["PIX_AMBIGUOUS"]),
    ("payments", {"pix_key": "a b@example.com"}, ["PIX_EMAIL"]),
    ("payments", {"pix_key": "123", "pix_key_type": "EVP"}, ["PIX_EVP"]),
    ("payments", {"pix_key": "11144477735", "pix_key_type": "CPF"}, ["PIX_OWNER"]),
    ("royalty_lines", {"amount": "0.5 EUR"}, ["AMOUNT_CURRENCY"]),
    ("royalty_lines", {"currency": "$"}, ["CURRENCY_UNKNOWN"]),
    ("royalty_lines", {"currency": ""}, ["CURRENCY_UNKNOWN"]),
    ("royalty_lines", {"isrc": "BR-ABC-26"}, ["ISRC_FORMAT"]),
    ("royalty_lines", {"upc": "8.8E+11", "isrc": ""}, ["UPC_FORMAT"]),
    ("royalty_lines", {"units": "1.5"}, ["COUNT_FORMAT"]),
    ("royalty_lines", {"period": "2026-13"}, ["DATE_FORMAT"]),
    ("royalty_lines", {"period": "01/02/2026"}, ["DATE_AMBIGUOUS"]),
    ("royalty_lines", {"amount": "0.1234567890123456789"}, ["AMOUNT_DECIMALS"]),
    ("shares", {"share": "33,33333"}, ["PERCENT_FORMAT"]),
    ("shares", {"share": "0,5"}, ["PERCENT_FORMAT"]),
    ("shares", {"share": "0"}, ["PERCENT_RANGE"]),
    ("shares", {"share": "100,01"}, ["PERCENT_RANGE"]),
    ("shares", {"share": "4/3"}, ["PERCENT_RANGE"]),
    ("shares", {"share": "0/3"}, ["PERCENT_RANGE"]),
    ("shares", {"share": "1/0"}, ["PERCENT_RANGE"]),
    ("shares", {"share": "1/3%"}, ["PERCENT_FORMAT"]),
    ("shares", {"share": "0,00/un"}, ["PERCENT_RANGE"]),
    ("shares", {"share": "10/semana"}, ["PERCENT_FORMAT"]),
    ("shares", {"valid_from": "2026-02-01", "valid_to": "2026-01-31"}, ["DATE_ORDER"]),
    ("shares", {"valid_from": "2026-02-30"}, ["DATE_FORMAT"]),
    ("advances", {"date": "31/31/2026"}, ["DATE_FORMAT"]),
    ("advances", {"isrc": "?"}, ["ISRC_FORMAT"]),
]


@pytest.mark.parametrize(("table", "change", "expected"), BAD_CELLS, ids=lambda value: str(value)[:50])
def test_a_bad_cell_holds_its_row_and_is_named(table, change, expected):
    parsed = parse(table, SOUND[table] | change)
    assert codes(parsed) == expected
    assert parsed.frame.empty
    assert parsed.held["codes"].tolist() == [",".join(expected)]


@pytest.mark.parametrize("field", ["bank_code", "agency", "account_type"])
def test_an_account_that_lacks_a_field_is_held_and_the_field_named(field):
    parsed = parse("payments", ACCOUNT_PAYMENT | {field: ""})
    assert [(issue.code.value, issue.column) for issue in parsed.issues] == [("BANK_FIELD_REQUIRED", field)]


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"bank_code": "00000000"}, "BANK_CODE"),
        ({"psp_id": "Itaú"}, "BANK_PSP"),
        ({"agency": "15849"}, "AGENCY_FORMAT"),
        ({"account": "12-34"}, "ACCOUNT_FORMAT"),
        ({"account": "1.23457E+11"}, "ACCOUNT_PRECISION"),
        ({"account_type": "CP"}, "ACCOUNT_TYPE"),
        ({"pix_key": "selo@example.com", "pix_key_type": "email"}, "DESTINATION_CONFLICT"),
    ],
)
def test_bad_bank_data_holds_its_row(change, code):
    parsed = parse("payments", ACCOUNT_PAYMENT | change)
    assert codes(parsed) == [code]
    assert parsed.frame.empty


def test_a_row_without_any_account_field_but_one_needs_all_the_others():
    parsed = parse("payments", {"name": "Maria Silva", "tax_id": "52998224725", "amount": "1", "agency": "1234"})
    assert codes(parsed) == ["BANK_FIELD_REQUIRED"] * 3


def test_a_check_digit_that_does_not_fit_only_warns():
    parsed = parse("payments", ACCOUNT_PAYMENT | {"account": "431291"})
    assert [(issue.code.value, issue.severity) for issue in parsed.issues] == [("ACCOUNT_DIGIT", Severity.WARNING)]
    assert parsed.frame["account"].tolist() == ["431291"]


def test_a_foreign_phone_only_warns():
    parsed = parse("payments", PAYMENT | {"pix_key": "+12025550123", "pix_key_type": "Telefone"})
    assert [(issue.code.value, issue.severity) for issue in parsed.issues] == [("PIX_PHONE_FOREIGN", Severity.WARNING)]
    assert len(parsed.frame) == 1


@pytest.mark.parametrize(
    ("kind", "column", "text", "code"),
    [
        (CellKind.BOOL, "amount", "TRUE", "AMOUNT_TYPE"),
        (CellKind.DATE, "amount", "2026-01-05", "AMOUNT_TYPE"),
        (CellKind.ERROR, "amount", "#REF!", "CELL_ERROR"),
        (CellKind.ERROR, "name", "#N/A", "CELL_ERROR"),
        (CellKind.FORMULA_WITHOUT_VALUE, "amount", "", "FORMULA_NO_VALUE"),
        (CellKind.FORMULA_WITHOUT_VALUE, "email", "", "FORMULA_NO_VALUE"),
        (CellKind.FORMULA_WITHOUT_VALUE, "tax_id", "", "FORMULA_NO_VALUE"),
        (CellKind.NUMBER, "tax_id", "1144477735", "TAXID_LENGTH"),
    ],
)
def test_what_the_cell_was_before_it_became_text_counts(kind, column, text, code):
    parsed = parse("payments", PAYMENT | {column: text}, kinds={(0, column): kind})
    assert codes(parsed) == [code]


def test_a_date_in_the_agency_is_no_agency_and_long_numbers_are_no_accounts():
    kinds = {(0, "agency"): CellKind.DATE, (0, "account"): CellKind.NUMBER}
    row = ACCOUNT_PAYMENT | {"agency": "2026-01-05", "account": "1234567890123456"}
    assert codes(parse("payments", row, kinds=kinds)) == ["AGENCY_FORMAT", "ACCOUNT_PRECISION"]


def _cents(*texts, **settings):
    rows = [PAYMENT | {"amount": text, "reference": str(n)} for n, text in enumerate(texts)]
    parsed = parse("payments", *rows, **settings)
    return dict(zip(parsed.frame["row"] - 2, parsed.frame["amount_cents"], strict=True)), parsed


def test_unambiguous_amounts_of_a_column_decide_the_others():
    assert _cents("1.234", "10,50")[0] == {0: 123400, 1: 1050}
    assert _cents("1,234", "10.50")[0] == {0: 123400, 1: 1050}
    assert _cents("1.234", "10.50")[1].held["codes"].tolist() == ["AMOUNT_DECIMALS"]


def test_amounts_that_contradict_each_other_leave_the_ambiguous_one_held():
    cents, parsed = _cents("1.234", "10,50", "10.50")
    assert cents == {1: 1050, 2: 1050}
    assert parsed.held["codes"].tolist() == ["AMOUNT_AMBIGUOUS"]


def test_the_layouts_decimal_mark_is_believed_where_no_cell_contradicts_it():
    assert _cents("1,234", "2,50", decimal=",")[1].held["codes"].tolist() == ["AMOUNT_DECIMALS"]
    assert _cents("1.234,00", "2,50", decimal=",")[0] == {0: 123400, 1: 250}
    assert codes(_cents("1.50", "2,50", decimal=",")[1]) == ["AMOUNT_MARKS"]


def test_a_file_saved_again_with_the_other_decimal_mark_is_read_by_it():
    assert _cents("1.50", "20", "1,234.56", decimal=",")[0] == {0: 150, 1: 2000, 2: 123456}
    assert _cents("1,50", "20", decimal=".")[0] == {0: 150, 1: 2000}


@pytest.mark.parametrize(("declared", "text"), [(".", "1,234"), (",", "1.234")])
@pytest.mark.parametrize("others", [(), ("20",), ("20", "2{}50"), ("20", "2{}50", "0{}1")])
def test_the_mark_that_is_not_declared_is_never_one_of_thousands_by_itself(declared, text, others):
    """Else 1,234 of a file saved again with decimal commas would be paid a thousandfold."""
    beside = [other.format(declared) for other in others]
    cents, parsed = _cents(*beside, text, decimal=declared)
    assert codes(parsed) == ["AMOUNT_AMBIGUOUS"]
    assert len(cents) == len(beside)


def test_a_numeric_cell_is_never_ambiguous_and_proves_nothing_about_typed_ones():
    kinds = {(0, "amount"): CellKind.NUMBER}
    cents, parsed = _cents("1234.5", "1.234", kinds=kinds)
    assert cents == {0: 123450}
    assert codes(parsed) == ["AMOUNT_AMBIGUOUS"]


@pytest.mark.parametrize("text", ["0.30000000000000004", "0.29999999999999999", "R$\u00a00,30", "0,30 BRL", "+0,30"])
def test_an_amount_is_read_through_its_decoration(text):
    assert _cents(text)[0] == {0: 30}


def test_the_currency_of_the_layout_is_that_of_its_payables():
    assert _cents("US$ 5.00", currency="USD")[0] == {0: 500}
    assert codes(_cents("R$ 5.00", currency="USD")[1]) == ["AMOUNT_CURRENCY"]


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1.2E-5", "0.000012"),
        ("0E-18", "0"),
        (".021330", "0.021330"),
        ("-.5", "-0.5"),
        ("-0.000000000000000001", "-0.000000000000000001"),
        ("$4,523.45", "4523.45"),
        ("(0.10)", "-0.10"),
        ("\u22121.5", "-1.5"),
    ],
)
def test_statement_lines_are_exact_and_may_be_negative(text, value):
    parsed = parse("royalty_lines", LINE | {"amount": text}, decimal=".")
    assert parsed.frame["amount"].tolist() == [Decimal(value)]
    assert str(parsed.frame["amount"].dtype) == "decimal128(38, 18)[pyarrow]"


def test_the_noise_of_a_float_beyond_18_decimals_holds_no_line():
    text = "0.0000123456789012345678"
    parsed = parse("royalty_lines", LINE | {"amount": text}, kinds={(0, "amount"): CellKind.NUMBER})
    assert parsed.frame["amount"].tolist() == [Decimal("0.000012345678901235")]


@pytest.mark.parametrize(
    ("written", "read"),
    [
        ("2026-10", "2026-10"), ("2017M10", "2017-10"), ("2026/10", "2026-10"), ("10/2026", "2026-10"),
        ("202610", "2026-10"), ("2026/10/05", "2026-10-05"), ("2026-10-05T00:00:00", "2026-10-05"),
        ("31/10/2026", "2026-10-31"), ("10/15/2023 12:00:00 AM", "2023-10-15"), ("05/05/2026", "2026-05-05"),
        ("44884", "2022-11-19"), ("", ""),
    ],
)  # fmt: skip
def test_a_period_is_read_in_every_form_senders_use(written, read):
    assert parse("royalty_lines", LINE | {"period": written}).frame["period"].tolist() == [read]


def test_days_of_a_column_decide_which_number_is_the_month():
    parsed = parse("royalty_lines", LINE | {"period": "01/02/2026"}, LINE | {"period": "31/01/2026"})
    assert parsed.frame["period"].tolist() == ["2026-02-01", "2026-01-31"]


@pytest.mark.parametrize(
    ("written", "ppm"),
    [
        ("33,3333", "333333"),
        ("33.3333%", "333333"),
        ("100", "1000000"),
        ("0,5%", "5000"),
        ("33.33330000000001", "333333"),
        ("1/3", "1000000/3"),
        ("139 / 1000", "139000"),
        ("3/3", "1000000"),
    ],
)
def test_a_share_is_exact_to_the_millionth(written, ppm):
    assert parse("shares", SHARE | {"share": written}).frame["share_ppm"].tolist() == [ppm]


def test_small_percentages_are_believed_beside_large_ones():
    parsed = parse("shares", SHARE | {"share": "0,5"}, SHARE | {"share": "99,5"})
    assert parsed.frame["share_ppm"].tolist() == ["5000", "995000"]


@pytest.mark.parametrize(
    ("column", "written", "read"),
    [
        ("isrc", "br-abc-26-00001", "BRABC2600001"),
        ("isrc", "usx123000001", "USX123000001"),
        ("upc", "0123456789012", "123456789012"),
        ("upc", "23456789012", "023456789012"),
        ("units", "1.234", 1234),
        ("units", "-5.0", -5),
        ("units", "", 0),
        ("territory", "NA", "NA"),
        (
            "title",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
            "\u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
        ),
    ],
)
def test_statement_cells_have_one_canonical_form(column, written, read):
    assert parse("royalty_lines", LINE | {column: written}).frame[column].tolist() == [read]


@pytest.mark.parametrize("name", ["NA", "NULL", "None", "nan", "True", "1E5"])
def test_names_that_look_like_nothing_are_names(name):
    assert parse("payments", PAYMENT | {"name": name}).frame["name"].tolist() == [name]


@pytest.mark.parametrize(
    ("written", "read"), [("sim", True), ("NÃO", False), ("", False), ("TRUE", True), ("0", False), ("x", True)]
)
def test_yes_and_no_are_read_in_the_persons_words(written, read):
    assert parse("payments", PAYMENT | {"withhold": written}).frame["withhold"].tolist() == [read]


def test_completed_codes_are_noted_once_per_column():
    rows = [ACCOUNT_PAYMENT | {"bank_code": "77", "reference": str(n)} for n in range(3)]
    kinds = {(row, "bank_code"): CellKind.NUMBER for row in range(3)}
    (issue,) = parse("payments", *rows, kinds=kinds).issues
    assert (issue.code.value, issue.severity, issue.row) == ("VALUE_NORMALISED", Severity.NOTE, 2)
    assert str(issue.message).startswith("3 values")


def test_a_text_longer_than_any_title_is_an_error_and_not_a_title():
    assert read_text("a" * 2000, CellKind.TEXT).value == "a" * 2000
    long = read_text("a" * 2001, CellKind.TEXT)
    assert (long.value, long.code, long.facts) == (None, IssueCode.TEXT_LENGTH, {"found": 2001, "limit": 2000})


@pytest.mark.parametrize(
    ("written", "per_unit"),
    [
        ("0,10/un", "0.1"),
        ("R$ 0,10/un.", "0.1"),
        ("0.10 / unit", "0.1"),
        ("2 por cópia", "2"),
        ("1,250 per copy", "1.25"),
    ],
)
def test_a_share_may_be_money_a_unit(written, per_unit):
    frame = parse("shares", SHARE | {"share": written}, SHARE | {"isrc": "BRABC2600002", "share": "50"}).frame
    assert (frame["share_ppm"].tolist(), frame["per_unit"].tolist()) == (["0", "500000"], [per_unit, ""])
