"""What is taken for plainly sound at a glance is what the rules take for sound, cell by cell and block by block."""

import re
from decimal import Decimal
from itertools import product

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from flows.intake.rules.inputs import sum_lines
from io_adapters.statement_lines.blocks import sum_block
from io_adapters.statement_lines.sums import Summing
from schemas.line_sketch import hash_frame, identify_lines
from schemas.parsing.amounts import price_text
from schemas.parsing.blocks import Before, parse_block
from schemas.parsing.cells import unreadable
from schemas.parsing.content_hash import RowsContent
from schemas.parsing.line_sums import TableSource, compare_totals
from schemas.parsing.readers import Convention, plain_amounts, plain_pattern, reader_factory
from schemas.raw_table import FileIdentity, RawTable, joined, some_rows
from schemas.sheet_cells import CellKind, HeadRow
from schemas.tables.model import ColumnKind
from schemas.tables.royalties import COLUMNS, LINE_AMOUNT, UNREAD_UPC
from schemas.values.reading import BLANKS
from tests.schemas.sheets import layout

KINDS = [column.kind for column in COLUMNS if column.kind is not ColumnKind.LINE_AMOUNT]
ODD_TEXTS = st.text(st.sampled_from(" \t#\"'\\=+-,.;/0129AZazÀÿɏɐé\u0301\u00a0\u200b\ufeff"), max_size=16)
ANYTHING = st.text(max_size=20) | ODD_TEXTS


@pytest.mark.parametrize("kind", sorted(set(KINDS)))
@given(data=st.data())
def test_a_plain_text_is_read_as_it_stands(kind, data):
    pattern = plain_pattern(kind)
    text = data.draw(st.from_regex(pattern, fullmatch=True) | ANYTHING)
    assume(re.fullmatch(pattern, text))
    assert text == text.strip(BLANKS)
    assert unreadable(text, CellKind.TEXT) is None
    reading = reader_factory(kind, Convention("auto", "BRL", "auto"))([(text, CellKind.TEXT)]).read(text, CellKind.TEXT)
    read = price_text(reading.value.value) if kind is ColumnKind.PRICE else reading.value
    assert (read, reading.code) == (int(text) if kind is ColumnKind.COUNT else text, None)


@pytest.mark.parametrize("mark", [".", ","])
@pytest.mark.parametrize("numbers", [False, True])
@given(data=st.data())
def test_a_plain_amount_is_worth_what_it_says(mark, numbers, data):
    pattern = plain_amounts(mark, numbers=numbers)
    text = data.draw(st.from_regex(pattern, fullmatch=True) | st.text("0123456789.,-+e", max_size=36))
    assume(re.fullmatch(pattern, text))
    kind = CellKind.NUMBER if numbers else CellKind.TEXT
    reader = reader_factory(ColumnKind.LINE_AMOUNT, Convention(mark, "BRL", "auto"))([(text, kind)])
    assert reader.read(text, kind).code is None
    expected = Decimal(text if numbers else text.replace(",", "."))
    assert reader.read(text, kind).value == (expected, "")


HEADERS = (
    "period",
    "platform",
    "territory",
    "isrc",
    "upc",
    "release",
    "title",
    "artist",
    "units",
    "amount",
    "currency",
)
CELLS = {
    "period": ["2026-09", "10/2026", "set/26", "05/06/2026", "2026-13", "45000", ""],
    "platform": ["Onda", " Onda", "Ond\u0301a", "#REF!", "Total", "Resumo", "a\\b", ""],
    "territory": ["BR", "BR ", "", "B\tR"],
    "isrc": ["BRAUR2600001", "BR-AUR-26-00001", "brAUR2600001", "curto", ""],
    "upc": ["0602435678901", "602435678901", "602435678901.0", "12345678", "x", ""],
    "release": ["Lua", "", "Lu\ufb01"],
    "title": ["Maré", "Mare\u0301", "=1+1", "x" * 250, ""],
    "artist": ["Ana", "Ana\u200b", ""],
    "units": ["12", "1.000", "-3", "12.0", "x", "", "0000000000000012"],
    "amount": ["1.25", "1,25", "1.234", "R$ 1,25", "US$ 2", "-0.5", "(3.00)", "1e3", "", "1.0000000000000000001", "?"],
    "currency": ["BRL", "brl", "R$", "USD", "", "reais"],
}
HEADERS = tuple(CELLS)
KIND_OF = [CellKind.TEXT] * 8 + [CellKind.NUMBER] * 3 + [CellKind.DATE, CellKind.BOOL, CellKind.ERROR]


@st.composite
def blocks(draw):
    """A sheet's rows: some cells plain, some odd, some of another kind than text."""
    count = draw(st.integers(1, 12))
    columns, kinds = {}, np.empty((count, len(HEADERS)), dtype=np.int8)
    of_text = draw(st.booleans())
    for at, name in enumerate(HEADERS):
        few = draw(st.lists(st.sampled_from(CELLS[name]), min_size=1, max_size=3))
        texts = draw(st.lists(st.sampled_from(few), min_size=count, max_size=count))
        columns[at] = pd.Series(texts, dtype="str")
        drawn = (
            [CellKind.TEXT] * count
            if of_text
            else draw(st.lists(st.sampled_from(KIND_OF), min_size=count, max_size=count))
        )
        kinds[:, at] = [CellKind.EMPTY if text == "" else kind for text, kind in zip(texts, drawn, strict=True)]
    cells = pd.DataFrame(columns)
    cells.index = pd.RangeIndex(3, count + 3)
    file = FileIdentity("folha.xlsx", "0" * 64, 1)
    title = draw(st.sampled_from([(), ("Total", "1.25"), ("Total: 3",), ("Royalties", ""), ("Total de linhas", "2")]))
    above = (HeadRow(1, title),) if title else ()
    raw = RawTable(file, None if of_text else "Folha", 2, HEADERS, cells, None if of_text else kinds, above=above)
    first = np.arange(count) < draw(st.integers(0, count))
    return joined([some_rows(raw, first), some_rows(raw, ~first)])  # columns of several chunks, as large files have


def proved(known):
    """Column -> how many things its cells prove: which of them are named does not matter."""
    return {name: len(cells) for name, cells in known.evidence.cells.items()}, known.below


@given(
    blocks(),
    st.sampled_from(["auto", ".", ","]),
    st.sampled_from([None, "BRL"]),
    st.sampled_from([None, {"column": "territory", "negative": ["BR"]}]),
)
def test_a_block_read_by_the_column_comes_to_what_the_rules_come_to(raw, decimal, currency, sign):
    how = layout(
        "royalty_lines",
        decimal=decimal,
        currency=currency,
        sign=sign,
        totals=["Total"],
        leave_out=[{"column": "platform", "values": ["Resumo"]}],
        recognise={"nothing_else": True},
    )
    by_column, by_rules = sum_block(raw, how, Before(), few_rows=0), parse_block(raw, how, before=Before())
    summing = Summing()
    for sums in by_column.sums:
        summing.add(sums)
    expected = sum_lines(by_rules.frame)
    pd.testing.assert_frame_equal(summing.total("folha.xlsx", raw.sheet).by_platform, expected.by_platform)
    assert by_column.content == RowsContent.of_lines(hash_frame(by_rules.frame))
    found = [issue for part in by_column.found for issue in part.issues]
    assert sorted(map(str, dict.fromkeys(found))) == sorted(map(str, dict.fromkeys(by_rules.found.issues)))
    assert proved(by_column.after) == proved(by_rules.found.after)
    held = pd.concat([part.held for part in by_column.found])
    assert held["row"].tolist() == by_rules.found.held["row"].tolist()
    assert [stated for part in by_column.found for stated in part.sums.control] == [*by_rules.found.sums.control]


@pytest.mark.parametrize(("stated", "found"), [("3,75", []), ("3,74", ["TOTAL_MISMATCH"])])
def test_a_total_above_the_header_is_held_against_lines_however_many(stated, found):
    lines = {"isrc": ["BRAUR2600001"] * 3, "amount": ["1,25"] * 3}
    cells = pd.DataFrame(dict(enumerate(pd.Series(texts, dtype="str") for texts in lines.values())))
    cells.index = pd.RangeIndex(3, 6)
    above = (HeadRow(1, ("Total", stated)),)
    raw = RawTable(FileIdentity("folha.csv", "0" * 64, 1), None, 2, tuple(lines), cells, None, above=above)
    how = layout("royalty_lines", currency="BRL", totals=["Total"], recognise={"nothing_else": True})
    block = sum_block(raw, how, Before(), few_rows=0)
    issues, _ = compare_totals([part.sums for part in block.found], TableSource("folha.csv", None, raw.headers))
    assert [issue.code for issue in issues] == found


def test_numbers_of_a_sheet_do_not_decide_how_people_typed_the_other_amounts():
    """1.234 is a thousand or one and a bit: that another cell is a number, shown as 5.5, does not say which."""
    amounts = {"1.234": CellKind.TEXT, "5.678": CellKind.TEXT, "5.5": CellKind.NUMBER}
    cells = pd.DataFrame({0: pd.Series(list(amounts), dtype="str")}).set_index(pd.RangeIndex(2, 5))
    kinds = np.array([[kind] for kind in amounts.values()], dtype=np.int8)
    raw = RawTable(FileIdentity("folha.xlsx", "0" * 64, 1), "Folha", 1, ("amount",), cells, kinds)
    found = sum_block(raw, layout("royalty_lines", currency="BRL"), Before(), few_rows=0).found
    held = [code for part in found for code in part.held["codes"].tolist()]
    assert held == ["AMOUNT_AMBIGUOUS", "AMOUNT_AMBIGUOUS"]


@given(
    st.lists(
        st.tuples(
            st.sampled_from(["", "BRAUR2600001", "BRAUR2600002"]),
            st.sampled_from(["", "0602435678901", "602435678901", UNREAD_UPC]),
            st.sampled_from(["", "Maré", "MARÉ", "mar\u00e9!", "Lua"]),
        ),
        min_size=1,
        max_size=12,
    )
)
def test_lines_by_the_column_are_of_the_recordings_that_their_codes_or_titles_name(lines):
    columns = dict(zip(("isrc", "upc", "title"), zip(*lines, strict=True), strict=True))
    same = dict.fromkeys(("period", "platform", "territory", "currency"), ["x"] * len(lines))
    texts = {name: (codes, different.tolist()) for name, (codes, different) in _factorized(columns | same).items()}
    hashes = identify_lines(texts, pa.array([Decimal(1)] * len(lines), LINE_AMOUNT)).hashes.tolist()
    named = [_recording(*line) for line in lines]
    for first, second in product(range(len(lines)), repeat=2):
        assert (hashes[first] == hashes[second]) == (named[first] == named[second])


def _recording(isrc, upc, title):
    letters = "".join(character for character in title.casefold() if character.isalnum())
    return isrc or (upc if upc != UNREAD_UPC else "").lstrip("0") or letters


def _factorized(columns):
    return {name: pd.factorize(np.array(texts, dtype=object)) for name, texts in columns.items()}
