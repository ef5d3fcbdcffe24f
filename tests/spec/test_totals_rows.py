"""Rows of a file that are no lines: left out by the layout, or totals, which the lines have to bear out.

Each case draws the rows of a file as its reader sees them, below a header in row 1. `why` is what became of each row.
"""

import pytest

from schemas.issues import IssueCode, Severity
from schemas.parsing.table import ParsedTable
from schemas.sheet_cells import CellKind
from tests.schemas.sheets import codes, parse
from tests.spec.tables import CPF, table
from tests.written import written

WORDS = ["Total", "Total geral", "Subtotal"]


def statement(drawn: str, **settings: object) -> ParsedTable:
    """Read a statement in reais; recordings go by their ISRC's last digit."""
    rows = [
        {name: f"BRAUR260000{text}" if name == "isrc" and text else text for name, text in row.items()}
        for row in table(drawn)
    ]
    return parse("royalty_lines", *rows, **{"currency": "BRL", "totals": WORDS} | settings)


def payments(drawn: str, **settings: object) -> ParsedTable:
    """Read payments to people by name."""
    rows = [
        row | {"tax_id": CPF.get(row["name"], ""), "pix_key": f"{row['name']}@example.com", "pix_key_type": "E-mail"}
        if row["name"] in CPF
        else row | {"tax_id": "", "pix_key": "", "pix_key_type": ""}
        for row in table(drawn)
    ]
    return parse("payments", *rows, **{"currency": "BRL", "totals": WORDS} | settings)


def why(parsed: ParsedTable) -> list[str]:
    """Say of each row what became of it."""
    ends = parsed.rows[["disposition", "codes"]].itertuples(index=False, name=None)
    return [" ".join(filter(None, end)) for end in ends]


def test_a_total_that_agrees_is_left_out_and_said():
    parsed = payments(
        """
        | name  | amount   |
        | ana   | 1.000,00 |
        | bia   | 234,56   |
        | Total | 1.234,56 |
        """
    )
    assert why(parsed) == ["used", "used", "ignored total"]
    assert codes(parsed) == []
    assert written(parsed.decisions) == ("decimal comma", "1 totals row left out")


@pytest.mark.parametrize(
    "word",
    ["TOTAL R$", "Total a pagar", "TOTAIS GERAIS", "Total (3 favorecidos)", "Total a pagar (R$):", "Soma dos valores"],
)
def test_a_total_in_any_usual_words_is_none_of_the_payments(word):
    drawn = f"| name | amount |\n| ana | 1.000,00 |\n| bia | 234,56 |\n| {word} | {{}} |"
    usual = ["Total", "Totais", "Soma"]
    assert why(payments(drawn.format("1.234,56"), totals=usual)) == ["used", "used", "ignored total"]
    assert codes(payments(drawn.format("1.234,57"), totals=usual)) == ["TOTAL_MISMATCH"]


def test_a_title_that_begins_like_a_total_is_a_line():
    parsed = statement(
        "| title | isrc | amount |\n| Total Eclipse | 1 | 1.50 |\n| Soma de Nós | 2 | 2.50 |", decimal="."
    )
    assert why(parsed) == ["used", "used"]


def test_a_total_that_disagrees_holds_the_whole_file_and_is_named_once_with_both_sums():
    parsed = payments(
        """
        | name  | amount   |
        | ana   | 1.000,00 |
        | bia   | 234,50-  |
        | caio  | 234,56   |
        | TOTAL | 1.234,57 |
        """
    )
    assert why(parsed) == ["held TOTAL_MISMATCH", "held AMOUNT_NOT_POSITIVE", "held TOTAL_MISMATCH", "ignored total"]
    assert parsed.frame.empty
    assert parsed.held["codes"].tolist() == ["TOTAL_MISMATCH", "AMOUNT_NOT_POSITIVE", "TOTAL_MISMATCH"]
    assert codes(parsed) == ["AMOUNT_NOT_POSITIVE", "TOTAL_MISMATCH"]
    mismatch = parsed.issues[-1]
    assert (mismatch.cell, mismatch.row, mismatch.column, mismatch.severity) == ("B5", 5, "amount", Severity.ERROR)
    assert "1,234.57" in str(mismatch.message)
    assert "1,000.06" in str(mismatch.message)


def test_a_centavo_is_a_disagreement_in_the_language_of_the_job():
    parsed = payments(
        """
        | name  | amount   |
        | ana   | 1.000,00 |
        | Total | 1.000,01 |
        """
    )
    (issue,) = parsed.issues
    (wrong,) = written([issue.message], "pt-BR")
    assert "1.000,01" in wrong
    assert "1.000,00" in wrong
    assert issue.code is IssueCode.TOTAL_MISMATCH


@pytest.mark.parametrize(
    "row", ["| Total | |", "| TOTAL: 1.234,56 | |", "| Total geral R$ 1.234,56 | |", "| total... | R$ 1.234,56 |"]
)
def test_a_total_may_bear_its_amount_beside_the_word_or_none(row):
    parsed = payments("| name | amount |\n| ana | 1.000,00 |\n| bia | 234,56 |\n" + row)
    assert why(parsed) == ["used", "used", "ignored total"]
    compared = "1.234,56" in row
    assert written(parsed.decisions)[-1] == "1 totals row left out" + (
        "" if compared else ", not compared with the lines"
    )


@pytest.mark.parametrize("row", ["| TOTAL: 1.234,57 | |", "| Total geral R$ 1.234,57 | |", "| Total (1.234,56) | |"])
def test_an_amount_beside_the_word_has_to_agree_as_well(row):
    parsed = payments("| name | amount |\n| ana | 1.000,00 |\n| bia | 234,56 |\n" + row)
    assert codes(parsed) == ["TOTAL_MISMATCH"]
    assert parsed.issues[0].cell == "A4"


def test_word_and_amount_may_stand_in_the_amounts_own_column():
    drawn = "| name | amount |\n| ana | 10,00 |\n| | TOTAL {} |"
    assert written(payments(drawn.format("10,00")).decisions)[-1] == "1 totals row left out"
    assert codes(payments(drawn.format("10,01"))) == ["TOTAL_MISMATCH"]


def test_blanks_beside_the_word_are_no_amount():
    row = {"title": "Samba", "isrc": "BRAUR2600001", "amount": "10,00"}
    stated = {"title": " Total 10,01 ", "isrc": " ", "amount": "\u00a0"}
    assert codes(parse("royalty_lines", row, stated, currency="BRL", totals=WORDS)) == ["TOTAL_MISMATCH"]


def test_a_number_before_the_word_says_nothing():
    lines = "| 1 | Samba | 1 | 1 |\n| 2 | Valsa | 2 | 1 |\n| 3 | Choro | 3 | 1 |"
    drawn = f"| n | title | isrc | amount |\n{lines}\n| 4 | Total | | 3 |"
    parsed = statement(drawn, kinds={(at, "n"): CellKind.NUMBER for at in range(4)})
    assert why(parsed) == ["used", "used", "used", "ignored total"]


def test_words_that_no_layout_declares_begin_no_total():
    parsed = payments(
        """
        | name         | amount |
        | ana          | 10,00  |
        | Total de ana | 10,00  |
        | Totalmente   | 10,00  |
        """
    )
    assert why(parsed) == ["used"] + ["held CELL_REQUIRED,DESTINATION_MISSING"] * 2
    assert not parsed.frame.empty


def test_without_the_words_a_row_of_totals_is_a_row_with_problems():
    parsed = payments("| name | amount |\n| ana | 10,00 |\n| Total | 10,00 |", totals=[])
    assert why(parsed)[-1] == "held CELL_REQUIRED,DESTINATION_MISSING"


def test_a_line_that_says_what_it_is_about_is_a_line_whatever_its_title():
    parsed = statement(
        """
        | title | isrc | amount |
        | Samba | 1    | 0.25   |
        | Total | 2    | 0.50   |
        | Total |      | 0.75   |
        """
    )
    assert why(parsed) == ["used", "used", "ignored total"]
    assert parsed.frame["title"].tolist() == ["Samba", "Total"]


def test_the_word_may_stand_in_any_column_if_nothing_stands_before_it():
    parsed = statement(
        """
        | artist | title | isrc | amount |
        | Ana    | Samba | 1    | 0.25   |
        |        | Total |      | 0.25   |
        | Ana    | Total |      | 9.00   |
        """
    )
    assert why(parsed) == ["used", "ignored total", "used"]


def test_subtotals_are_held_against_their_own_lines_and_the_last_total_against_all():
    parsed = statement(
        """
        | title       | isrc | amount |
        | Samba       | 1    | 0.25   |
        | Valsa       | 2    | 0.50   |
        | Subtotal    |      | 0.75   |
        | Choro       | 3    | 1.00   |
        | Subtotal    |      | 1.00   |
        | Total geral |      | 1.75   |
        """
    )
    assert why(parsed).count("ignored total") == 3
    assert codes(parsed) == []
    assert written(parsed.decisions) == ("decimal point", "3 totals rows left out")


def test_totals_of_totals_may_be_nested_in_any_depth():
    parsed = statement(
        """
        | title       | isrc | amount |
        | Samba       | 1    | 1.00   |
        | Subtotal    |      | 1.00   |
        | Valsa       | 2    | 2.00   |
        | Subtotal    |      | 2.00   |
        | Total       |      | 3.00   |
        | Choro       | 3    | 4.00   |
        | Subtotal    |      | 4.00   |
        | Frevo       | 4    | 8.00   |
        | Subtotal    |      | 8.00   |
        | Total       |      | 12.00  |
        | Total geral |      | 15.00  |
        """
    )
    assert codes(parsed) == []


def test_each_total_that_disagrees_is_named():
    parsed = statement(
        """
        | title       | isrc | amount |
        | Samba       | 1    | 1.00   |
        | Subtotal    |      | 1.10   |
        | Valsa       | 2    | 2.00   |
        | Subtotal    |      | 2.00   |
        | Total geral |      | 3.10   |
        """
    )
    assert [(issue.row, issue.code.value) for issue in parsed.issues] == [(3, "TOTAL_MISMATCH"), (6, "TOTAL_MISMATCH")]
    assert "its rows sum up to 3.00" in str(parsed.issues[1].message)


def test_a_total_above_the_lines_is_that_of_all_of_them():
    drawn = """
        | title | isrc | amount |
        | Total |      | {}     |
        | Samba | 1    | 0.25   |
        | Valsa | 2    | 0.50   |
        """
    assert codes(statement(drawn.format("0.75"))) == []
    assert codes(statement(drawn.format("0.70"))) == ["TOTAL_MISMATCH"]


@pytest.mark.parametrize(
    ("total", "agrees"),
    [("0.37", True), ("0.370370", True), ("0.370370367", True), ("0.38", False), ("0.36", False), ("0.3703704", True),
     ("0.370371", False), ("0.370370368", False)],
)  # fmt: skip
def test_a_total_is_as_exact_as_it_is_written(total, agrees):
    lines = "\n".join("| Samba | 1 | 0.123456789 |" for _ in range(3))
    parsed = statement(f"| title | isrc | amount |\n{lines}\n| Total | | {total} |")
    assert codes(parsed) == ([] if agrees else ["TOTAL_MISMATCH"])


def test_a_total_that_drops_its_last_zero_is_still_one_of_centavos():
    parsed = statement("| title | isrc | amount |\n| Samba | 1 | 1.52 |\n| Total | | 1.5 |", decimal=".")
    assert codes(parsed) == ["TOTAL_MISMATCH"]


@pytest.mark.parametrize(("total", "expected"), [("0.6000000000000001", []), ("0.61", ["TOTAL_MISMATCH"])])
def test_a_number_cell_may_bear_the_noise_of_binary_arithmetic(total, expected):
    kinds = {(row, "amount"): CellKind.NUMBER for row in range(4)}
    drawn = "| title | isrc | amount |\n| Samba | 1 | 0.1 |\n| Valsa | 2 | 0.2 |\n| Choro | 3 | 0.3 |\n"
    parsed = statement(f"{drawn}| Total | | {total} |", kinds=kinds)
    assert codes(parsed) == expected


def test_what_a_spreadsheet_sums_up_over_many_lines_agrees():
    count = 50_000
    rows = [{"title": "Samba", "isrc": "BRAUR2600001", "amount": "0.1"}] * count
    kinds = {(row, "amount"): CellKind.NUMBER for row in range(count + 1)}
    for total, expected in ((sum([0.1] * count), []), (5000.0001, ["TOTAL_MISMATCH"])):
        assert repr(total) != "5000.0", "or no noise is tested"
        stated = {"title": "Total", "isrc": "", "amount": repr(total)}
        parsed = parse("royalty_lines", *rows, stated, currency="BRL", totals=WORDS, kinds=kinds)
        assert codes(parsed) == expected


def test_the_noise_of_a_number_is_not_told():
    parsed = statement(
        "| title | isrc | amount |\n| Samba | 1 | 0.6 |\n| Total | | 0.7000000000000001 |",
        kinds={(row, "amount"): CellKind.NUMBER for row in range(2)},
    )
    assert "total is 0.70, its rows sum up to 0.60;" in str(parsed.issues[0].message)


def test_a_line_that_cannot_be_read_leaves_the_total_uncompared_and_the_others_paid():
    parsed = payments(
        """
        | name  | amount |
        | ana   | 10,00  |
        | bia   | ?      |
        | Total | 99,00  |
        """
    )
    assert why(parsed) == ["used", "held AMOUNT_FORMAT", "ignored total"]
    assert written(parsed.decisions)[-1] == "1 totals row left out, not compared with the lines"


def test_a_total_of_what_can_be_read_alone_is_no_comparison():
    parsed = payments("| name | amount |\n| ana | 10,00 |\n| bia | ? |\n| Total | 10,00 |")
    assert written(parsed.decisions)[-1] == "1 totals row left out, not compared with the lines"


def test_a_subtotal_below_a_line_that_cannot_be_read_is_compared_all_the_same():
    parsed = statement(
        """
        | title       | isrc | amount |
        | Samba       | 1    | ?      |
        | Subtotal    |      | 1.00   |
        | Valsa       | 2    | 2.00   |
        | Subtotal    |      | 2.00   |
        | Total geral |      | 3.00   |
        """
    )
    assert codes(parsed) == ["AMOUNT_FORMAT"]
    assert written(parsed.decisions)[-1] == "3 totals rows left out, 2 of them not compared with the lines"


@pytest.mark.parametrize("kind", [CellKind.FORMULA_WITHOUT_VALUE, CellKind.ERROR])
def test_a_total_without_a_value_is_left_out_uncompared(kind):
    text = "#REF!" if kind is CellKind.ERROR else ""
    parsed = payments(
        f"| name | amount |\n| ana | 10,00 |\n| Total | {text} |",
        kinds={(1, "amount"): kind},
    )
    assert why(parsed) == ["used", "ignored total"]
    assert written(parsed.decisions)[-1] == "1 totals row left out, not compared with the lines"


def test_the_columns_decimal_mark_reads_a_total_that_reads_two_ways():
    drawn = "| name | amount |\n| ana | {} |\n| Total | 1.234 |"
    assert codes(payments(drawn.format("1234,00"))) == []
    assert codes(payments(drawn.format("1234.00"))) == ["TOTAL_MISMATCH"]
    assert codes(payments(drawn.format("1.234,00"), decimal=",")) == []
    # Where nothing decides the mark, either reading may agree.
    assert codes(payments(drawn.format("1234"))) == []
    assert codes(payments(drawn.format("1235"))) == ["TOTAL_MISMATCH"]


def test_held_lines_are_part_of_the_total():
    parsed = payments(
        """
        | name  | amount |
        | ana   | 10,00  |
        |       | 5,00   |
        | Total | 15,00  |
        """
    )
    assert why(parsed)[2] == "ignored total"
    assert "TOTAL_MISMATCH" not in codes(parsed)


def test_totals_in_several_currencies_are_held_against_the_lines_in_theirs():
    drawn = """
        | title | isrc | amount    | currency |
        | Samba | 1    | 1.00      | BRL      |
        | Samba | 1    | 2.00      | USD      |
        | Valsa | 2    | 4.00      | USD      |
        | Total |      | {}        | {}       |
        """
    for total in (("6.00", "USD"), ("US$ 6.00", ""), ("1.00", "BRL")):
        assert written(statement(drawn.format(*total)).decisions)[-1] == "1 totals row left out"
    assert codes(statement(drawn.format("7.00", "USD"))) == ["TOTAL_MISMATCH"]
    for total in ("31.00", "$ 31.00"):
        parsed = statement(drawn.format(total, ""))
        assert codes(parsed) == []
        assert "not compared" in written(parsed.decisions)[-1]


def test_a_row_of_totals_with_too_few_fields_is_no_line_either():
    parsed = payments("| name | amount |\n| ana | 10,00 |\n| Total 10,00 | |", misshapen=(3,))
    assert why(parsed) == ["used", "ignored total"]
    assert codes(parsed) == []


def test_a_line_with_too_many_fields_leaves_the_total_uncompared():
    parsed = payments("| name | amount |\n| ana | 10,00 |\n| bia | 5,00 |\n| Total | 15,00 |", misshapen=(3,))
    assert why(parsed) == ["used", "held ROW_WIDTH", "ignored total"]


def test_a_line_with_too_many_fields_is_missed_only_where_it_stands():
    drawn = "| title | isrc | amount |\n| Samba | 1 | 9 |\n| Valsa | 2 | 10 |\n| Total | | 10 |\n| Choro | 3 | 5 |\n"
    parsed = statement(f"{drawn}| Total | | 5 |", misshapen=(2,))
    assert why(parsed) == ["held ROW_WIDTH", "used", "ignored total", "used", "ignored total"]
    assert written(parsed.decisions) == ("2 totals rows left out, 1 of them not compared with the lines",)
    assert codes(statement(drawn.replace("| | 10", "| | 99"), misshapen=(2,))) == ["ROW_WIDTH"]


def test_problems_of_cells_and_totals_are_told_in_order_of_row():
    drawn = "| title | isrc | amount |\n| Samba | 1 | 1 |\n| Total | | 2 |\n| Valsa | x | 1 |"
    assert codes(statement(drawn)) == ["TOTAL_MISMATCH", "ISRC_FORMAT"]


def test_payees_and_shares_have_totals_that_nothing_is_held_against():
    parsed = parse(
        "shares",
        {"artist": "Ana", "tax_id": CPF["ana"], "share": "50%"},
        {"artist": "Ana", "tax_id": CPF["bia"], "share": "50%"},
        {"artist": "Total", "tax_id": "", "share": "100%"},
        totals=WORDS,
    )
    assert why(parsed) == ["used", "used", "ignored total"]
    assert written(parsed.decisions) == ("1 totals row left out, not compared with the lines",)


def test_rows_that_the_layout_leaves_out_are_nothing_but_counted():
    drawn = """
        | type    | title  | isrc | amount |
        | track   | Samba  | 1    | 0.25   |
        | Pay-Out |        |      | -9.00  |
        | PAYOUT  | Valsa  | 2    | ?      |
        |         | Total  |      | 0.25   |
        """
    rule = [{"column": "Type", "values": ["payout"]}]
    parsed = statement(drawn, leave_out=rule)
    assert why(parsed) == ["used", "ignored left_out", "ignored left_out", "ignored total"]
    assert codes(parsed) == []
    assert written(parsed.decisions) == ("decimal point", "2 rows left out", "1 totals row left out")


def test_a_column_that_the_file_lacks_leaves_nothing_out():
    parsed = statement("| title | isrc | amount |\n| Samba | 1 | 1 |", leave_out=[{"column": "Type", "values": [""]}])
    assert why(parsed) == ["used"]


def test_a_blank_row_is_blank_whatever_else_is_left_out():
    rows = [{"title": "Samba", "amount": "1"}, {"title": "", "amount": " "}, {"title": "", "amount": "1"}]
    parsed = parse("royalty_lines", *rows, currency="BRL", leave_out=[{"column": "title", "values": [""]}])
    assert why(parsed) == ["used", "ignored blank", "ignored left_out"]


def test_a_row_with_shifted_fields_is_never_left_out_for_what_may_be_another_column():
    rule = [{"column": "title", "values": ["Samba"]}]
    drawn = "| isrc | title | amount |\n| 1 | Samba | 1 |\n| 1 | Samba | 1 |"
    assert why(statement(drawn, leave_out=rule, misshapen=(3,))) == ["ignored left_out", "held ROW_WIDTH"]
    first = drawn.replace("isrc | title", "title | isrc").replace("| 1 | Samba", "| Samba | 1")
    assert why(statement(first, leave_out=rule, misshapen=(3,))) == ["ignored left_out"] * 2


CONTROL = {"rows": "Total_Rows", "amount": "Total_Amount", "end": ["Country Of Sale"]}
BLOCK = """
    | title           | isrc         | amount | artist |
    | Samba           | BRAUR2600001 | 1.00   |        |
    | Valsa           | BRAUR2600002 | 2.50   |        |
    | Total_Rows      |              |        | {}     |
    | Total_Amount    | {}           |        |        |
    | Country Of Sale | Quantity     | Sum    |        |
    | BR              | 1            | 3.50   |        |
    """


def control(rows: str, amount: str) -> ParsedTable:
    """Read two lines and the block below them."""
    return parse("royalty_lines", *table(BLOCK.format(rows, amount)), currency="USD", control=CONTROL)


def test_nothing_below_the_first_word_of_the_control_block_is_a_line():
    parsed = control("2", "3.50")
    assert why(parsed) == ["used", "used", *["ignored total"] * 4]
    assert codes(parsed) == []
    assert written(parsed.decisions) == ("decimal point", "control totals compared: 2 rows, 3.50")


@pytest.mark.parametrize(
    ("rows", "amount", "cell", "told"),
    [("3", "3.50", "D4", "total is 3 rows, its rows sum up to 2 rows"), ("2", "3.51", "B5", "total is 3.51")],
)
def test_control_totals_that_disagree_hold_the_whole_file(rows, amount, cell, told):
    parsed = control(rows, amount)
    assert parsed.frame.empty
    (issue,) = parsed.issues
    assert (issue.code, issue.cell) == (IssueCode.TOTAL_MISMATCH, cell)
    assert told in str(issue.message)


def test_a_repeated_payee_stays_a_duplicate_in_a_file_that_is_held():
    payee = {"name": "Ana", "tax_id": CPF["ana"], "pix_key": "ana@example.com", "pix_key_type": "E-mail"}
    stated = dict.fromkeys(payee, "") | {"name": "Total_Rows: 3"}
    parsed = parse("payees", payee, payee, stated, control=CONTROL)
    assert why(parsed) == ["held TOTAL_MISMATCH", "ignored duplicate", "ignored total"]
    assert codes(parsed) == ["ROW_DUPLICATE", "TOTAL_MISMATCH"]


def test_control_totals_that_cannot_be_read_are_said_to_be_uncompared():
    parsed = control("many", "")
    assert why(parsed)[:2] == ["used", "used"]
    assert written(parsed.decisions)[-1] == "control totals not compared with the lines"


def test_a_line_that_cannot_be_read_leaves_the_control_sum_uncompared():
    drawn = "| title | isrc | amount |\n| Samba | 1 | 1.00 |\n| Valsa | 2 | ? |\n| Total_Amount | | 9.00 |"
    parsed = statement(drawn, control=CONTROL)
    assert why(parsed) == ["used", "held AMOUNT_FORMAT", "ignored total"]
    assert written(parsed.decisions)[-1] == "control totals not compared with the lines"


def test_the_control_counts_held_lines_and_none_that_are_left_out():
    drawn = """
        | title      | isrc | amount |
        | Samba      | 1    | 1.00   |
        | Payout     |      | -1.00  |
        | Valsa      | x    | 2.00   |
        | Total_Rows |      | 2      |
        """
    parsed = statement(drawn, control=CONTROL, leave_out=[{"column": "title", "values": ["Payout"]}])
    assert why(parsed) == ["used", "ignored left_out", "held ISRC_FORMAT", "ignored total"]
    assert written(parsed.decisions)[-1] == "control totals compared: 2 rows"


def test_a_control_row_with_too_few_fields_is_read():
    drawn = "| title | artist | amount |\n| Samba | | 1.00 |\n| Total_Rows | 1 | |"
    parsed = statement(drawn, control=CONTROL, misshapen=(3,))
    assert why(parsed) == ["used", "ignored total"]
    assert written(parsed.decisions)[-1] == "control totals compared: 1 row"


def test_a_column_may_say_that_an_amount_went_out():
    drawn = """
        | kind | title | isrc | amount |
        | Sale | Samba | 1    | 1.00   |
        | VOID | Samba | 1    | 0.25   |
        | void | Samba | 1    | -0.25  |
        | Void | Samba | 1    | 0.00   |
        | Sale | Samba | 1    | -0.10  |
        |      | Total |      | 0.40   |
        """
    parsed = statement(drawn, sign={"column": "Kind", "negative": ["Void"]})
    assert [str(amount.normalize()) for amount in parsed.frame["amount"]] == ["1", "-0.25", "-0.25", "0", "-0.1"]
    assert codes(parsed) == []


def test_a_file_that_lacks_the_column_of_signs_is_not_read():
    with pytest.raises(Exception, match="no column for Kind"):
        statement("| title | isrc | amount |\n| Samba | 1 | 1 |", sign={"column": "Kind", "negative": ["Void"]})


def test_a_payment_that_went_out_is_none():
    drawn = """
        | name | amount | kind    |
        | ana  | 10,00  | estorno |
        | bia  | 10,00  |         |
        | caio | 0,00   | estorno |
        | davi | ?      | estorno |
        | edu  | -7,00  | estorno |
        """
    parsed = payments(drawn, sign={"column": "kind", "negative": ["Estorno"]})
    out = "held AMOUNT_NOT_POSITIVE"
    assert why(parsed) == [out, "used", out, "held AMOUNT_FORMAT", out]
    assert list(map(str, parsed.held["amount"])) == ["-10.00", "0.00", "None", "-7.00"]
    assert codes(parsed) == ["AMOUNT_NOT_POSITIVE"] * 2 + ["AMOUNT_FORMAT", "AMOUNT_NOT_POSITIVE"]


LINES = """
    | isrc | platform | period  | title  | artist | amount |
    | 1    | Loja     | 2026-09 | Samba  | Lua    | 10.25  |
    | 2    | Loja     | 2026-09 | Valsa  | Lua    | 4.50   |
    | 1    | Rádio    | 2026-09 | Samba  | Lua    | 1.25   |
"""


@pytest.mark.parametrize("words", ["Repasse do mês", "Licensee Reported Royalty", "Valor devido ao licenciante", "***"])
def test_a_row_that_is_the_sum_of_all_lines_is_none_whatever_words_it_bears(words):
    parsed = statement(f"{LINES}    |      |          |         | {words} |        | 16.00  |")
    assert why(parsed) == ["used", "used", "used", "ignored total"]
    assert codes(parsed) == []


@pytest.mark.parametrize(("amount", "end"), [("15.80", "used"), ("4.50", "used"), ("16.00", "ignored total")])
def test_a_line_without_code_store_and_month_that_is_no_sum_is_a_line(amount, end):
    parsed = statement(f"{LINES}    |      |          |         | Bônus |        | {amount}  |")
    assert why(parsed)[-1] == end


@pytest.mark.parametrize("amount", ["15.99", "16.16"])
def test_a_line_that_is_nearly_the_sum_of_all_is_asked_about_and_doubles_nothing(amount):
    parsed = statement(f"{LINES}    |      |          |         | Bônus |        | {amount}  |")
    assert codes(parsed) == ["TOTAL_MISMATCH"]
    assert parsed.frame.empty


def test_sums_between_and_below_the_lines_are_both_none():
    parsed = statement(
        f"""{LINES}    |      |          |         | Parte 1 |        | 16.00  |
    | 3    | Loja     | 2026-09 | Choro  | Sol    | 2.00   |
    | 4    | Loja     | 2026-09 | Frevo  | Sol    | 3.00   |
    |      |          |         | Parte 2 |        | 5.00  |
    |      |          |         | Repasse |        | 21.00  |"""
    )
    assert why(parsed)[3:] == ["ignored total", "used", "used", "ignored total", "ignored total"]


@pytest.mark.parametrize("name", ["Soma", "Total", "Subtotal"])
def test_an_artist_whose_name_is_a_word_for_totals_earns(name):
    drawn = f"""
        | artist | title  | platform | amount |
        | {name} | Samba  | Loja     | 10.25  |
        | {name} | Valsa  | Loja     | 4.50   |
        | {name} |        |          | 14.75  |
    """
    parsed = statement(drawn, totals=["Soma", "Total", "Subtotal"])
    assert why(parsed) == ["used", "used", "ignored total"]
