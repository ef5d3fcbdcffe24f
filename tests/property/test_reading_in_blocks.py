"""A file of royalty lines read block by block says what it says read as a whole, wherever it is cut."""

from collections import Counter
from concurrent.futures import ProcessPoolExecutor
from decimal import Decimal
from itertools import pairwise
from multiprocessing import get_context

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from flows.intake.read_lines import lines_again, read_blocks
from flows.intake.rules.inputs import sum_lines
from io_adapters.statement_lines.blocks import sum_block
from io_adapters.statement_lines.sums import Summing
from schemas.line_sketch import hash_frame, identify_frame
from schemas.parsing.blocks import Before
from schemas.parsing.content_hash import RowsContent
from schemas.parsing.table import parse_table
from schemas.raw_table import some_rows
from schemas.reasons import codes_json
from tests.schemas.sheets import layout, sheet
from tests.spec.tables import table
from tests.written import written

FEW = settings(max_examples=settings.default.max_examples // 4)
HEADERS = ("period", "platform", "isrc", "title", "units", "amount", "currency")
SETTINGS = {
    "currency": "BRL",
    "totals": ["Total", "Subtotal"],
    "control": {"rows": "Linhas", "amount": "Soma", "end": ["Fim"]},
    "leave_out": [{"column": "platform", "values": ["Resumo"]}],
}


def statement_of(rows):
    return sheet(*rows, headers=HEADERS)


def cut(raw, positions):
    numbers = np.arange(len(raw.cells))
    edges = [0, *sorted(positions), len(raw.cells)]
    return [some_rows(raw, (numbers >= a) & (numbers < b)) for a, b in pairwise(edges) if a < b]


def went(rows):
    """Disposition and reasons -> how many rows."""
    count = rows["rows"] if "rows" in rows else pd.Series(1, index=rows.index)
    reasons = rows["reasons"] if "reasons" in rows else rows["codes"].map(codes_json)
    return Counter({key: int(n) for key, n in count.groupby([rows["disposition"], reasons]).sum().to_dict().items()})


def held_of(frame):
    sums = {}
    for currency, codes, amount in zip(frame["currency"], frame["codes"], frame["amount"], strict=True):
        sums[currency, codes] = sums.get((currency, codes), Decimal(0)) + (amount or 0)
    return sums


def assert_read_alike(raw, blocks, **changes):
    """Hold a file cut in blocks against the same file read as a whole."""
    how = layout("royalty_lines", **SETTINGS | changes)
    whole = parse_table(raw, how)
    pieced = read_blocks(lambda: iter(blocks), how, few_rows=0)
    expected = sum_lines(whole.frame)
    pd.testing.assert_frame_equal(pieced.totals.by_platform, expected.by_platform)
    pd.testing.assert_frame_equal(pieced.totals.by_territory, expected.by_territory)
    assert pieced.content == RowsContent.of_lines(hash_frame(whole.frame))
    assert pieced.sketch == identify_frame(whole.frame).sketch()
    if not pieced.accounting.held_whole:
        again = lines_again(pieced.raw, how, pieced.before)
        pd.testing.assert_frame_equal(again.sort_values("row"), whole.frame.sort_values("row"))
    assert went(pieced.accounting.runs) == went(whole.rows)
    assert held_of(pieced.held) == held_of(whole.held)
    assert pieced.accounting.issues == whole.issues
    assert pieced.accounting.decisions == whole.decisions
    return pieced


def row(amount="1,50", period="2026-09", platform="Onda", isrc="BRAUR2600001", **more):
    return {"period": period, "platform": platform, "isrc": isrc, "title": "Samba", "amount": amount} | more


AMOUNTS = st.sampled_from(
    ["1.000", "2,000", "1.234,56", "0,5", "7", "-3,25", "?", "", "1,234.56", "R$ 4,00", "US$ 1,00"]
)
PERIODS = st.sampled_from(["", "2026-09", "03/04/2026", "25/04/2026", "set/26", "04/25/2026", "x"])
LINE = st.builds(
    row,
    amount=AMOUNTS,
    period=PERIODS,
    platform=st.sampled_from(["Onda", "Praia", "Resumo"]),
    isrc=st.sampled_from(["BRAUR2600001", "BR-AUR-26-00002", "", "curto"]),
    units=st.sampled_from(["", "1.000", "12"]),
    currency=st.sampled_from(["", "", "BRL", "USD"]),
)
TOTAL = st.builds(
    lambda word, amount: dict.fromkeys(HEADERS, "") | {"period": word, "amount": amount},
    st.sampled_from(["Total", "Subtotal", "Fim", "Linhas", "Soma"]),
    AMOUNTS,
)
ROWS = st.lists(LINE | LINE | LINE | TOTAL | st.just(dict.fromkeys(HEADERS, "")), min_size=1, max_size=14)


@FEW
@given(ROWS, st.data())
def test_any_file_cut_anywhere_is_read_as_if_it_were_not_cut(rows, data):
    raw = statement_of(rows)
    positions = data.draw(st.sets(st.integers(1, len(rows)), max_size=5))
    assert_read_alike(raw, cut(raw, positions))


@pytest.mark.parametrize(
    ("amounts", "total"),
    [(["1.234", "1.234,50"], "2468.5"), (["1.234", "1,234.50"], "1235.734")],
    ids=["comma", "point"],
)
def test_the_decimal_mark_that_the_last_line_proves_counts_for_the_first(amounts, total):
    raw = statement_of([row(amount) for amount in amounts])
    pieced = assert_read_alike(raw, cut(raw, [1]))
    assert str(pieced.totals.by_platform["amount"].sum().normalize()) == total


def test_marks_that_contradict_each_other_in_two_blocks_leave_open_what_a_cell_does():
    raw = statement_of([row("1.234,56"), row("1.234"), row("1,234.56")])
    pieced = assert_read_alike(raw, cut(raw, [1, 2]))
    assert [issue.code.value for issue in pieced.accounting.issues] == ["AMOUNT_AMBIGUOUS"]


def test_the_order_of_dates_that_the_last_line_proves_counts_for_the_first():
    raw = statement_of([row(period="03/04/2026"), row(period="25/04/2026")])
    pieced = assert_read_alike(raw, cut(raw, [1]))
    assert pieced.totals.by_platform["period"].tolist() == ["2026-04-03", "2026-04-25"]


TOTALS = """
    | period  | isrc         | amount |
    |         | BRAUR2600001 | 1,00   |
    |         | BRAUR2600001 | 2,00   |
    | Total   |              | 3,00   |
    |         | BRAUR2600002 | 4,00   |
    | Total   |              | {sum}  |
"""


@pytest.mark.parametrize(("stated", "agrees"), [("7,00", True), ("4,00", True), ("6,00", False)])
@pytest.mark.parametrize("positions", [[1], [2], [3], [4], [1, 2, 3, 4]])
def test_a_total_is_held_against_the_lines_of_all_blocks_above_it(stated, agrees, positions):
    raw = statement_of([dict.fromkeys(HEADERS, "") | one for one in table(TOTALS.format(sum=stated))])
    pieced = assert_read_alike(raw, cut(raw, positions))
    assert pieced.accounting.held_whole is not agrees
    assert went(pieced.accounting.runs)["used", ""] == (3 if agrees else 0)
    assert len(pieced.held) == (0 if agrees else 1)


@pytest.mark.parametrize("positions", [[1], [2], [3], [4], [1, 2, 3, 4]])
def test_nothing_below_the_block_of_totals_is_a_line_however_far_down_the_file_it_is(positions):
    blank = dict.fromkeys(HEADERS, "")
    rows = [row("1,00"), row("2,00"), blank | {"period": "Linhas", "platform": "2"}]
    rows += [blank | {"period": "Soma", "platform": "3,00"}, blank | {"platform": "Elaborado em outubro"}]
    pieced = assert_read_alike(statement_of(rows), cut(statement_of(rows), positions))
    assert went(pieced.accounting.runs) == {("used", ""): 2, ("ignored", codes_json("total")): 3}
    assert "control" in written(pieced.accounting.decisions)[-1]


def test_what_holds_of_a_column_is_told_once_with_the_count_of_all_blocks():
    raw = statement_of([row(period="set/26")] * 5 + [row(period="2026-09")])
    pieced = assert_read_alike(raw, cut(raw, [2, 4]))
    (note,) = pieced.accounting.issues
    assert (note.row, str(note.message)[:1]) == (2, "5")


def test_a_block_is_added_up_alike_by_another_process():
    raw, how = statement_of([row(), row("?")]), layout("royalty_lines", **SETTINGS)
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as processes:
        there = processes.submit(sum_block, raw, how, Before(), few_rows=0).result(60)
    here = sum_block(raw, how, Before(), few_rows=0)
    assert totals_of(there).by_platform.equals(totals_of(here).by_platform)
    assert (there.content, there.found[-1].issues) == (here.content, here.found[-1].issues)


def totals_of(block):
    summing = Summing()
    for sums in block.sums:
        summing.add(sums)
    return summing.total("statement.csv", None)


def test_headers_are_told_once():
    raw = sheet(*[row() | {"???": "x", "!!!": ""}] * 4)
    pieced = assert_read_alike(raw, cut(raw, [1, 2, 3]))
    assert [issue.code.value for issue in pieced.accounting.issues] == ["COLUMN_UNANSWERED", "COLUMN_UNKNOWN"]
