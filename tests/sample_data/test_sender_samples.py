"""The sample statements have their senders' own forms, hold the traps they promise, and add up by another program."""

import csv
import io
import json
import re
from fractions import Fraction
from pathlib import Path

import pytest
from openpyxl import load_workbook

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
STATEMENTS = {
    load["layout"]: load for load in json.loads((SAMPLES / "expected/statements.json").read_text(encoding="utf-8"))
}
# Layout -> encoding, delimiter, whether fields are quoted, the money's header.
TEXTS = {
    "distrokid": ("utf-8", "\t", False, "Earnings (USD)"),
    "distrokid-csv": ("utf-8", ",", True, "Earnings (USD)"),
    "tunecore": ("utf-8", ",", True, "Total Earned"),
    "cdbaby": ("utf-8", "\t", False, "Subtotal"),
    "symphonic": ("utf-8", ",", True, "Royalty ($US)"),
    "believe": ("utf-8-sig", ";", True, "Net Revenue"),
    "orchard": ("utf-8-sig", ",", True, "NET SHARE ACCOUNT CURRENCY"),
    "orchard-old": ("cp1252", "\t", False, "Label Share Net Receipts"),
    "fuga": ("utf-8", ",", True, "Reported Royalty"),
    "bandcamp": ("utf-16", ",", True, "net amount"),
    "apple": ("utf-8", "\t", False, "Extended Partner Share"),
}


def bytes_of(layout):
    return (SAMPLES / "statements" / STATEMENTS[layout]["file"]).read_bytes()


def rows_of(layout):
    """Read the lines of a text as dictionaries, whatever stands above and below them."""
    encoding, delimiter, quoted, money = TEXTS[layout]
    text = io.StringIO(bytes_of(layout).decode(encoding), newline="")
    quoting = csv.QUOTE_MINIMAL if quoted else csv.QUOTE_NONE
    rows = list(csv.reader(text, delimiter=delimiter, quoting=quoting))
    header = next(row for row in rows if money in row)
    below = rows[rows.index(header) + 1 :]
    return [dict(zip(header, row, strict=True)) for row in below if len(row) == len(header)]


def money(text):
    negative = text.startswith(("-", "("))
    plain = re.sub(r"[^0-9.,]", "", text)
    if "," in plain and "." not in plain:
        plain = plain.replace(",", ".")
    number = Fraction(plain.replace(",", ""))
    return -number if negative else number


def left_of_parts(row):
    """Reckon a net amount that Bandcamp left empty."""
    taken = ("transaction fee", "shipping", "seller tax", "marketplace tax", "collection society share")
    return money(row["item total"]) - sum(money(row[part]) for part in taken if row[part])


def total(layout):
    return sum(Fraction(amount) for amount in STATEMENTS[layout]["sums"].values())


@pytest.mark.parametrize("layout", TEXTS)
def test_the_expected_sum_of_a_text_is_what_another_program_adds_up(layout):
    rows = [row for row in rows_of(layout) if row.get("item type") != "payout"]
    voids = [row.get("Sale or Void") == "Void" for row in rows]
    amounts = [money(row[TEXTS[layout][3]]) if row[TEXTS[layout][3]] else left_of_parts(row) for row in rows]
    assert len(rows) == STATEMENTS[layout]["lines"]
    assert sum(-one if void else one for one, void in zip(amounts, voids, strict=True)) == total(layout)


@pytest.mark.parametrize(
    ("layout", "sheets", "money_column"),
    [
        ("onerpm", ("Masters", "Youtube Channels"), "Net"),
        ("ingrooves", ("Digital Sales Details",), "Net Dollars after Fees"),
    ],
)
def test_the_expected_sum_of_a_workbook_is_what_another_program_adds_up(layout, sheets, money_column):
    book = load_workbook(SAMPLES / "statements" / STATEMENTS[layout]["file"])
    amounts = []
    for name in sheets:
        header, *rows = book[name].iter_rows(values_only=True)
        lines = [dict(zip(header, row, strict=True)) for row in rows]
        amounts += [Fraction(repr(line[money_column])) for line in lines if "Total" not in line.values()]
    assert (len(amounts), sum(amounts)) == (STATEMENTS[layout]["lines"], total(layout))


@pytest.mark.parametrize("layout", TEXTS)
def test_every_text_has_lines_below_zero_a_line_worth_nothing_and_namibia(layout):
    rows = rows_of(layout)
    amounts = [money(row[TEXTS[layout][3]] or "0") for row in rows]
    assert 20 <= len(rows) <= 60
    assert 0 in amounts
    assert min(amounts) < 0 or any(row.get("Sale or Void") == "Void" for row in rows)
    assert any("NA" in row.values() for row in rows)


def test_each_text_has_its_sender_s_form():
    assert bytes_of("bandcamp").startswith(b"\xff\xfe")
    assert bytes_of("believe").startswith(b"\xef\xbb\xbf")
    assert b"\r\n" in bytes_of("cdbaby")
    assert "é".encode("cp1252") in bytes_of("orchard-old")
    assert bytes_of("distrokid-csv").startswith(b'"Date Inserted","Reporting Date"')
    assert bytes_of("apple").startswith(b"Vendor Name\tSelo Aurora\nStart Date\t")
    assert re.search(rb"\nTotal_Rows\t40\nTotal_Amount\t", bytes_of("apple"))


def test_each_text_has_its_sender_s_traps():
    assert any(row["Title"].startswith('"') for row in rows_of("distrokid"))
    assert any('"' in row["Title"] for row in rows_of("distrokid-csv"))
    assert {row["Optional ISRC"] == "" for row in rows_of("tunecore")} == {True, False}
    assert all(row["TC Song ID"].startswith("BRAUR") for row in rows_of("tunecore") if not row["Optional ISRC"])
    assert all(row["Isrc"] == row["Isrc"].lower() for row in rows_of("cdbaby"))
    assert all(re.fullmatch(r"-?[0-9]+,[0-9]{10}", row["Net Revenue"]) for row in rows_of("believe"))
    assert {"$4,523.450000"} <= {row["Label Share Net Receipts"] for row in rows_of("orchard-old")}
    assert any(row["Label Share Net Receipts"].startswith("($") for row in rows_of("orchard-old"))
    assert not any("-" in row["Royalty ($US)"] + row["Count"] for row in rows_of("symphonic"))
    assert [row["item type"] for row in rows_of("bandcamp")].count("payout") == 2
    (unsettled,) = [row for row in rows_of("bandcamp") if row["item type"] == "refund" and not row["net amount"]]
    assert money(unsettled["item total"]) < 0
    assert {row["currency"] for row in rows_of("bandcamp")} == {"USD", "EUR", "GBP"}
    assert {row["Currency"] for row in rows_of("fuga")} == {"USD", "EUR", "GBP"}


def test_the_workbook_of_two_currencies_has_a_sheet_that_repeats_money():
    book = load_workbook(SAMPLES / "statements" / STATEMENTS["onerpm"]["file"])
    assert book.sheetnames == ["Masters", "Youtube Channels", "Shares In & Out"]
    assert STATEMENTS["onerpm"]["sums"].keys() == {"USD", "BRL"}
    header, *rows = book["Shares In & Out"].iter_rows(values_only=True)
    assert all(row[header.index("Share Type")] == "Out" for row in rows)


@pytest.mark.parametrize("layout", STATEMENTS)
def test_nobody_real_is_in_a_statement(layout):
    known = {"selo@example.com", "quem@example.com"}
    text = bytes_of(layout).decode(TEXTS[layout][0]) if layout in TEXTS else ""
    assert set(re.findall(r"[\w.]+@[\w.]+", text)) <= known
