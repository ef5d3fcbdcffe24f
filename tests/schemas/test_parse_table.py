"""A file becomes a table in one pass: nothing hides anything else, and every row is somewhere."""

from dataclasses import replace
from decimal import Decimal

import numpy as np
import pandas as pd
import pytest

from schemas.errors import UnreadableFile
from schemas.issues import Severity
from schemas.parsing.row_rules import RULES
from schemas.parsing.table import empty_table, parse_table
from schemas.tables.payees import Payments
from tests.schemas.sheets import ACCOUNT_PAYEE, COLUMNS, PIX_PAYEE, codes, layout, parse, sheet

PAYMENT = PIX_PAYEE | {"amount": "10,00"}


def test_a_sound_payment_comes_out_canonical():
    row = ACCOUNT_PAYEE | {"amount": "R$ 1.234,56", "email": "selo@example.com", "percentage": "33,3300"}
    parsed = parse("payments", row)
    (payment,) = parsed.frame.to_dict("records")
    assert payment["tax_id"] == "12ABC34501DE35"
    assert payment["amount_cents"] == 123456
    assert payment["account"] == "431290"
    assert payment["account_type"] == "checking_account"
    assert payment["account_holder"] == "Selo Aurora"
    assert payment["percentage"] == "33.33"
    assert (payment["file"], payment["sheet"], payment["row"]) == ("test.xlsx", "Plan1", 2)
    assert codes(parsed) == []


def test_one_bad_cell_hides_no_other():
    parsed = parse(
        "payments",
        {
            "name": "=x",
            "tax_id": "123",
            "email": "?",
            "amount": "x",
            "advance": "?",
            "pix_key": "?",
            "pix_key_type": "CPF",
        },
        PAYMENT | {"amount": "0"},
    )
    first = ["NAME_FORMULA", "TAXID_LENGTH", "EMAIL_FORMAT", "AMOUNT_FORMAT", "BOOL_FORMAT", "PIX_CPF"]
    assert codes(parsed, row=2) == first
    assert codes(parsed, row=3) == ["AMOUNT_NOT_POSITIVE"]


def test_an_issue_names_the_cell_as_the_spreadsheet_does_and_masks_the_value():
    (issue,) = parse("payments", PAYMENT, PAYMENT | {"tax_id": "52998224724"}).issues
    assert (issue.file, issue.sheet, issue.cell, issue.row, issue.column) == ("test.xlsx", "Plan1", "B3", 3, "tax_id")
    assert issue.value_masked == "11 digits"


def test_every_row_is_in_one_place():
    parsed = parse("payments", PAYMENT, {"name": " "}, PAYMENT | {"tax_id": "1"}, PAYMENT | {"reference": "b"})
    assert parsed.rows[["row", "disposition", "codes"]].to_numpy().tolist() == [
        [2, "used", ""],
        [3, "ignored", "blank"],
        [4, "held", "TAXID_LENGTH"],
        [5, "used", ""],
    ]
    assert parsed.frame["row"].tolist() == [2, 5]


def test_what_is_held_keeps_its_exact_amount_where_there_is_one():
    parsed = parse(
        "payments",
        PAYMENT | {"pix_key": ""},
        PAYMENT | {"amount": "10,005"},
        PAYMENT | {"amount": "dez"},
        currency="BRL",
    )
    assert parsed.held["amount"].tolist() == [Decimal("10.00"), Decimal("10.005"), None]
    assert parsed.held["currency"].tolist() == ["BRL"] * 3
    assert parsed.held["tax_id"].tolist() == ["52998224725"] * 3


def test_two_payments_to_one_payee_need_distinct_references():
    parsed = parse("payments", PAYMENT, PAYMENT | {"amount": "20,00"}, PAYMENT | {"reference": "bonus"})
    assert parsed.held["row"].tolist() == [2, 3]
    assert [(i.code.value, i.row, str(i.message)) for i in parsed.issues] == [
        ("ROW_DUPLICATE", 2, "the same payee, with the same reference or share, is also in row 3"),
        ("ROW_DUPLICATE", 3, "the same payee, with the same reference or share, is also in row 2"),
    ]
    assert parsed.frame["row"].tolist() == [4]


def test_a_payment_held_for_another_reason_still_counts_as_a_repetition():
    parsed = parse("payments", PAYMENT, PAYMENT | {"amount": "x"})
    assert parsed.held["codes"].tolist() == ["ROW_DUPLICATE", "AMOUNT_FORMAT,ROW_DUPLICATE"]


def test_a_payments_row_may_leave_its_payee_to_the_payees_table():
    row = {"tax_id": "52998224725", "amount": "10,00", "name": "", "pix_key": "", "pix_key_type": ""}
    assert len(parse("payments", row, payee_data_required=False).frame) == 1
    assert codes(parse("payments", row)) == ["DESTINATION_MISSING", "NAME_REQUIRED"]


def test_a_destination_given_partly_is_checked_as_given():
    row = {"tax_id": "52998224725", "amount": "10,00", "pix_key": "x", "pix_key_type": "CPF", "agency": ""}
    assert codes(parse("payments", row, payee_data_required=False)) == ["PIX_CPF"]


def test_account_data_beside_a_pix_key_are_not_sent():
    parsed = parse("payments", PAYMENT | {"bank_code": "341"})
    assert parsed.frame[["pix_key", "bank_code"]].to_numpy().tolist() == [["maria@example.com", ""]]


def test_the_first_of_two_equal_payees_is_used():
    parsed = parse("payees", PIX_PAYEE, PIX_PAYEE | {"tax_id": "529.982.247-25"})
    assert [(i.code.value, i.severity, i.row) for i in parsed.issues] == [("ROW_DUPLICATE", Severity.WARNING, 3)]
    assert parsed.rows["disposition"].tolist() == ["used", "ignored"]
    assert parsed.frame["row"].tolist() == [2]


def test_a_payee_described_in_two_ways_is_held_in_both():
    parsed = parse("payees", PIX_PAYEE, PIX_PAYEE | {"name": "Maria Souza"})
    assert codes(parsed) == ["IDENTITY_CONFLICT", "IDENTITY_CONFLICT"]
    assert parsed.frame.empty


def test_lines_take_the_layouts_currency_when_no_column_says_it():
    parsed = parse("royalty_lines", {"amount": "1.50"}, currency="USD")
    assert parsed.frame["currency"].tolist() == ["USD"]


def test_held_lines_keep_amount_and_currency():
    parsed = parse("royalty_lines", {"amount": "1.50", "isrc": "?", "currency": "EUR"})
    assert parsed.held[["amount", "currency", "tax_id"]].to_numpy().tolist() == [[Decimal("1.50"), "EUR", ""]]


def test_a_missing_column_is_named_with_what_comes_near():
    raw = sheet({"name": "Maria", "taxid_": "52998224725", "ammount": "1"})
    with pytest.raises(UnreadableFile) as refusal:
        parse_table(replace(raw, headers=("name", "CPF do titular", "ammount")), layout("payments"))
    assert [issue.code.value for issue in refusal.value.issues] == ["COLUMN_MISSING", "COLUMN_MISSING"]
    assert "ammount" in str(refusal.value.issues[1].message)
    assert "52998224725" not in str(refusal.value)


def test_payments_that_must_bring_their_payees_need_a_column_of_names():
    raw = sheet({"tax_id": "52998224725", "amount": "1"})
    with pytest.raises(UnreadableFile):
        parse_table(raw, layout("payments"))
    assert len(parse_table(raw, layout("payments"), payee_data_required=False).frame) == 1


def test_a_column_that_is_there_twice_is_refused():
    raw = sheet({"tax_id": "52998224725", "amount": "1", "name": "Maria", "x": "2"})
    with pytest.raises(UnreadableFile) as refusal:
        parse_table(replace(raw, headers=("tax_id", "Amount", "name", "AMOUNT ")), layout("payments"))
    (issue,) = refusal.value.issues
    assert issue.code.value == "COLUMN_DUPLICATE"
    assert "B1 (Amount), D1 (AMOUNT)" in str(issue.message)


def test_columns_nobody_reads_hold_the_rows_and_one_without_a_header_is_asked_about_by_itself():
    parsed = parse("advances", {"tax_id": "52998224725", "amount": "1", "Nota": "x", "": "y"})
    assert sorted((i.code.value, i.severity, i.cell) for i in parsed.issues) == [
        ("COLUMN_CONDITION", Severity.ERROR, "D1"),
        ("COLUMN_UNANSWERED", Severity.ERROR, "C1"),
    ]


def test_a_row_with_too_many_fields_is_held_unread():
    raw = replace(sheet(PAYMENT, PAYMENT | {"amount": "?"}), misshapen_rows=(3,))
    parsed = parse_table(raw, layout("payments"))
    assert parsed.rows["disposition"].tolist() == ["used", "held"]
    assert codes(parsed) == ["ROW_WIDTH"]
    assert parsed.held["amount"].tolist() == [None]


def _forget_a_zero(table):
    agencies = table.canonical["agency"].copy()
    agencies[0] = "12"
    return table.assign(agency=agencies)


def _write_into_a_column(table):
    table.canonical["agency"][0] = "12"
    return table


def test_a_row_that_breaks_the_contract_for_no_known_reason_is_held_and_named(monkeypatch):
    """The model is the last word, even over a rule with a mistake in it."""
    monkeypatch.setitem(RULES, "payments", (_forget_a_zero,))
    parsed = parse("payments", PAYMENT, PAYMENT)
    assert codes(parsed) == ["ROW_CONTRACT"]
    assert parsed.rows["disposition"].tolist() == ["held", "used"]


def test_no_rule_writes_into_a_column_that_others_have_read(monkeypatch):
    monkeypatch.setitem(RULES, "payments", (_write_into_a_column,))
    with pytest.raises(ValueError, match="read-only"):
        parse("payments", PAYMENT)


@pytest.mark.parametrize("table", COLUMNS)
def test_a_table_without_rows_is_typed_like_one_with_rows(table):
    raw = sheet(headers=COLUMNS[table][0])
    parsed = parse_table(raw, layout(table))
    assert parsed.frame.dtypes.to_dict() == empty_table(table).dtypes.to_dict()
    assert parsed.held.empty
    assert parsed.rows.empty


def test_frames_of_several_files_join_without_losing_their_types():
    one = parse("payments", PAYMENT).frame
    joined = pd.concat([empty_table("payments"), one, one], ignore_index=True)
    assert joined.dtypes.to_dict() == one.dtypes.to_dict()
    Payments.validate(joined)


def test_reading_the_same_file_twice_gives_the_same(recwarn):
    first, second = (parse("payments", PAYMENT, PAYMENT | {"amount": "x"}) for _ in range(2))
    pd.testing.assert_frame_equal(first.rows, second.rows)
    assert first.issues == second.issues
    assert not recwarn.list


def test_a_text_file_has_no_kinds_and_no_sheet():
    raw = replace(sheet(PAYMENT), kinds=None, sheet=None)
    parsed = parse_table(raw, layout("payments"))
    assert parsed.frame["sheet"].tolist() == [""]
    assert np.issubdtype(parsed.frame["amount_cents"].dtype, np.integer)
