"""A row that is the sum of rows above it is a total, whatever it is called; and nobody's money is lost to that.

Held constant: one table, its columns in one order, two decimals. What varies: the words (CLDR's, none of this program),
the column they stand in, how many rows a group has, how many groups, whether a grand total follows, payments or lines.
"""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from schemas.values.tax_id import check_digits
from tests.schemas.sheets import PIX_PAYEE, codes, parse
from tests.sheets.test_strange_words import WORDS, looked_at

AMOUNTS = st.integers(1, 999_999).map(lambda cents: Decimal(cents).scaleb(-2))
LABELS = st.sampled_from([word for word in WORDS if not any(mark.isdigit() for mark in word)])


def payment(amount, of=[100_000_000]):  # noqa: B006 - each row is somebody else's
    of[0] += 1
    tax_id = f"{of[0]}{check_digits(str(of[0]))}"
    return PIX_PAYEE | {"tax_id": tax_id, "pix_key": f"{tax_id}@example.com", "amount": f"{amount:.2f}"}


def line(amount):
    return {"period": "2026-09", "platform": "Deezer", "isrc": "BRAUR2600001", "title": "Samba", "units": "3"} | {
        "amount": f"{amount:.2f}"
    }


# What is read -> a row of it, and the columns in which somebody may write what a sum is called.
TABLES = {"payments": (payment, ["name"]), "royalty_lines": (line, ["period", "platform", "title"])}


@st.composite
def sheets(draw):
    """Draw groups of rows with a sum below each, and one below all."""
    table = draw(st.sampled_from(sorted(TABLES)))
    row, columns = TABLES[table]
    blank = dict.fromkeys(row(Decimal(1)), "")
    column = draw(st.sampled_from(columns))
    groups = draw(st.lists(st.lists(AMOUNTS, min_size=1, max_size=4), min_size=1, max_size=4))
    if all(len(group) == 1 for group in groups):
        groups[0] = [*groups[0], draw(AMOUNTS)]
    rows, names = [], []

    def total(amount):
        names.append(draw(LABELS))
        rows.append(blank | {column: names[-1], "amount": f"{amount:.2f}"})

    for group in groups:
        rows += map(row, group)
        total(sum(group))
    if draw(st.booleans()) and len(groups) > 1:
        total(sum(map(sum, groups)))
    return table, rows, names, sum(map(sum, groups))


@given(sheets())
def test_sums_are_left_out_and_every_other_row_is_read(drawn):
    table, rows, names, whole = drawn
    parsed = parse(table, *rows, currency="BRL")
    if table == "royalty_lines" and len(names) * 2 > len(rows):
        return  # more sums than lines: nobody says of a statement which is which, and it is held
    assert codes(parsed) == []
    paid = parsed.frame["amount_cents"].sum() if table == "payments" else parsed.frame["amount"].sum() * 100
    assert paid == whole * 100
    assert len(parsed.frame) == len(rows) - len(names)
    if table == "payments":
        assert {text for text, _ in looked_at(parsed)} >= set(names), "whoever approves sees what was taken for a sum"


@given(sheets(), st.sampled_from([-1, 1]))
def test_a_sum_of_all_that_is_a_centavo_off_is_no_line_and_is_asked_about(drawn, off):
    table, rows, names, whole = drawn
    is_of_all = Decimal(rows[-1]["amount"]) == whole
    if not is_of_all or (table == "royalty_lines" and len(names) * 2 > len(rows)):
        return
    rows[-1] = rows[-1] | {"amount": f"{whole + Decimal(off).scaleb(-2):.2f}"}
    parsed = parse(table, *rows, currency="BRL")
    if table == "royalty_lines":
        assert codes(parsed) == ["TOTAL_MISMATCH"]
        assert parsed.frame.empty
    else:
        assert parsed.rows["disposition"].tolist()[-1] == "held"
        assert parsed.frame["amount_cents"].sum() == whole * 100, "the payments themselves are sound"


@pytest.mark.parametrize("named", ["Bia Reis", "Gesamt", "2026-09"])
def test_somebody_without_a_document_whose_amount_is_the_sum_by_chance_stands_before_the_approver(named):
    blank = dict.fromkeys(PIX_PAYEE, "")
    rows = [payment(Decimal(100)), payment(Decimal(200)), blank | {"name": named, "amount": "300.00"}]
    parsed = parse("payments", *rows)
    assert len(parsed.frame) == 2
    assert named in {text for text, _ in looked_at(parsed)} or named == "2026-09"


@pytest.mark.parametrize("column", ["pix_key", "account", "tax_id"])
def test_a_row_that_says_where_the_money_goes_is_never_a_sum(column):
    blank = dict.fromkeys(PIX_PAYEE, "")
    rows = [payment(Decimal(100)), payment(Decimal(200)), blank | {column: PIX_PAYEE.get(column, "43129-0")}]
    parsed = parse("payments", *(row | {"name": "Bia", "amount": row.get("amount", "300.00")} for row in rows))
    assert parsed.rows["disposition"].tolist()[2] == "held"


def test_a_line_with_a_title_is_a_line_though_its_store_is_left_blank_and_its_amount_the_sum():
    bare = line(Decimal("0.02")) | {"platform": "", "isrc": ""}
    parsed = parse(
        "royalty_lines", line(Decimal("0.01")), line(Decimal("0.01")), line(Decimal(5)), bare, currency="BRL"
    )
    assert "ignored" not in parsed.rows["disposition"].tolist()
