"""A table's identity survives re-sorting, re-encoding and another file format, and nothing else."""

import datetime as dt
import unicodedata
from decimal import Decimal

import pandas as pd
import pyarrow as pa
import pytest

from schemas.line_sketch import hash_frame
from schemas.parsing.content_hash import RowsContent, content_of, content_sha256
from schemas.tables.royalties import TEXTS

ROWS = pd.DataFrame(
    {
        "file": "a.csv",
        "sheet": "",
        "row": [2, 3, 4],
        "tax_id": ["52998224725", "12ABC34501DE35", "52998224725"],
        "amount": [Decimal("10.50"), Decimal(3), Decimal("10.5")],
        "note": ["", "x", ""],
    }
)


def test_order_place_decimal_zeros_and_blank_columns_do_not_matter():
    other = ROWS.iloc[::-1].assign(file="b.xlsx", sheet="P", row=[9, 8, 7], email="")
    other["amount"] = pd.array([Decimal("10.5"), Decimal(3), Decimal("10.5")], dtype="object")
    assert content_sha256(other[sorted(other.columns)]) == content_sha256(ROWS)


def test_accents_hash_alike_whichever_way_a_program_writes_them():
    composed = ROWS.assign(note=["Forró", "x", "Canção"])
    decomposed = composed.assign(note=[unicodedata.normalize("NFD", text) for text in composed["note"]])
    assert (
        content_sha256(decomposed)
        == content_sha256(composed)
        != content_sha256(ROWS.assign(note=["Forro", "x", "Cancao"]))
    )


def test_decimals_of_arrow_hash_alike_whatever_their_scale():
    def table(scale: int) -> pd.DataFrame:
        return pd.DataFrame({"amount": pd.array([Decimal("1.50")], dtype=pd.ArrowDtype(pa.decimal128(20, scale)))})

    assert content_sha256(table(2)) == content_sha256(table(18))


@pytest.mark.parametrize(
    "change",
    [
        lambda rows: rows.assign(amount=[Decimal("10.51"), Decimal(3), Decimal("10.5")]),
        lambda rows: rows.iloc[:2],
        lambda rows: pd.concat([rows, rows.iloc[:1]]),
        lambda rows: rows.rename(columns={"note": "email"}),
        lambda rows: rows.assign(note=["x", "", ""]),
    ],
    ids=["amount", "row gone", "row twice", "column", "value in another row"],
)
def test_every_change_of_content_changes_the_hash(change):
    assert content_sha256(change(ROWS)) != content_sha256(ROWS)


def test_no_two_tables_are_written_alike_whatever_their_texts_hold():
    pairs = [
        ("a\x1f", "b"),
        ("a", "\x1fb"),
        ("a\\u", "b"),
        ("a", "b\n"),
        ("a", "b\\n"),
        ("a\\", "b"),
        ("a\\\\", "b"),
        ("a\x1e", "b"),
    ]
    hashes = {content_sha256(pd.DataFrame({"x": [one], "y": [other]})) for one, other in pairs}
    assert len(hashes) == len(pairs)


@pytest.mark.parametrize("at", [0, 1, 2, 3])
def test_the_contents_of_blocks_add_up_to_the_content_of_the_file_in_any_order(at):
    blocks = [content_of(ROWS.iloc[:at]), content_of(ROWS.iloc[at:])]
    assert blocks[0] + blocks[1] == blocks[1] + blocks[0] == content_of(ROWS)
    assert (blocks[1] + blocks[0]).sha256 == content_sha256(ROWS)


def test_a_column_that_only_one_block_fills_counts_there_alone():
    blocks = [ROWS.iloc[:1].drop(columns="note"), ROWS.iloc[1:]]
    assert content_of(blocks[0]) + content_of(blocks[1]) == content_of(ROWS)


def test_contents_add_up_beyond_the_largest_digest():
    whole = RowsContent()
    for _ in range(50):
        whole += content_of(ROWS)
    assert whole == content_of(pd.concat([ROWS] * 50, ignore_index=True))
    assert whole.digest < 2**256


def test_whole_numbers_booleans_and_dates_are_hashed_by_their_text():
    frame = pd.DataFrame({"amount_cents": [1], "withhold": [True], "date": [dt.date(2026, 10, 1)]})
    assert content_sha256(frame) == content_sha256(frame.astype("object"))
    assert content_sha256(frame) != content_sha256(frame.assign(amount_cents=[2]))


def test_floats_have_no_identity():
    with pytest.raises(TypeError):
        content_sha256(pd.DataFrame({"amount": [1.5]}))
    with pytest.raises(TypeError):
        content_sha256(pd.DataFrame({"amount": [1.5, "x"]}))


def hashes_of(frame):
    return hash_frame(frame)


def line(**changes) -> pd.DataFrame:
    """One statement line, with its accents composed or not."""
    cells = dict.fromkeys(TEXTS, "") | {"isrc": "BRAUR2600001", "title": "Canção", "currency": "BRL"}
    numbers = {"units": [12], "amount": pd.array([Decimal("-1.5")], dtype=pd.ArrowDtype(pa.decimal128(38, 18)))}
    return pd.DataFrame({name: pd.Series([text], dtype="str") for name, text in cells.items()} | numbers | changes)


LINE_CONTENT = "8ccc2cd0b742216765c5cfb8370b4620d7a7b739991e3947c008d5fd2229dbbc"


def test_a_statement_line_keeps_its_hash_from_one_version_to_the_next():
    decomposed = pd.Series([unicodedata.normalize("NFD", "Canção")], dtype="str")
    assert hashes_of(line()).tolist() == hashes_of(line(title=decomposed)).tolist() == [7130831940215396200]
    assert RowsContent.of_lines(hashes_of(line())).sha256 == LINE_CONTENT


@pytest.mark.parametrize(
    "change",
    [
        {"units": [13]},
        {"amount": pd.array([Decimal("1.5")], dtype=pd.ArrowDtype(pa.decimal128(38, 18)))},
        {"title": pd.Series(["Cancao"], dtype="str")},
        {"title": pd.Series([""], dtype="str"), "release": pd.Series(["Canção"], dtype="str")},
    ],
    ids=["units", "amount", "accents", "another column"],
)
def test_a_statement_line_that_says_something_else_has_another_hash(change):
    assert hashes_of(line(**change)).tolist() != hashes_of(line()).tolist()
