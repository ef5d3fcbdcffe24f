"""A text read in ranges of bytes that know nothing of each other says what it says read from its top to its end."""

import csv
import io
from dataclasses import replace
from functools import reduce
from itertools import pairwise

import pandas as pd
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from flows.intake.read_lines import GivenFile, find_lines, read_remote
from io_adapters.spreadsheets.text.opened_text import CutText
from schemas.errors import UnreadableFile
from tests.schemas.sheets import layout

FEW = settings(max_examples=settings.default.max_examples // 2)
HEADERS = ("period", "platform", "isrc", "title", "units", "amount", "currency")
LAYOUT = layout(
    "royalty_lines",
    currency="BRL",
    totals=["Total", "Subtotal"],
    leave_out=[{"column": "platform", "values": ["Resumo"]}],
)
FIELDS = (
    st.sampled_from(["", "2026-09", "03/04/2026", "25/04/2026", "set/26", "04/25/2026", "x"]),
    st.sampled_from(["Onda", "Praia", "Resumo", "Canção"]),
    st.sampled_from(["BRAUR2600001", "BR-AUR-26-00002", "", "curto"]),
    st.sampled_from(
        ["Samba", "", 'Um "lado" B', "Duas\nlinhas", "Linha\r\n\r\nvazia; e mais", "1\n2\n3\n4\n5\n6\n7\n8"]
    ),
    st.sampled_from(["", "1.000", "12"]),
    st.sampled_from(["1.000", "2,000", "1.234,56", "0,5", "7", "-3,25", "?", "", "1,234.56", "R$ 4,00"]),
    st.sampled_from(["", "", "BRL", "USD"]),
)
LINE = st.tuples(*FIELDS)
TOTAL = st.tuples(st.sampled_from(["Total", "Subtotal"]), *([st.just("")] * 4), FIELDS[5], st.just(""))
ODD = st.sampled_from([("",) * 7, (), ("2026-09", "Onda"), ("1",) * 9, (" ",) * 7, ("",) * 6 + ("", "", "x")])
ROWS = st.lists(LINE | LINE | LINE | LINE | TOTAL | ODD, min_size=1, max_size=14)
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "cp1252", "utf-16"])


def text_of(rows, *, delimiter=";", line_end="\n", quoting=csv.QUOTE_MINIMAL):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=line_end, quoting=quoting).writerows([HEADERS, *rows])
    return buffer.getvalue()


class OnePartAfterTheOther:
    """An engine that is this process."""

    def merged(self, work, items, join):
        return reduce(join, map(work, items))


def read(path, range_bytes, how=LAYOUT):
    """Read a file; what was wrong with it where it cannot be read."""
    try:
        (table,) = read_remote(OnePartAfterTheOther(), GivenFile(str(path), (how,), range_bytes)).tables
    except UnreadableFile as refused:
        return refused.issues
    return table[1]


def assert_read_alike(path, range_bytes, how=LAYOUT):
    whole, in_ranges = read(path, None, how), read(path, range_bytes, how)
    if isinstance(whole, tuple) or isinstance(in_ranges, tuple):
        assert in_ranges == whole
        return whole
    pd.testing.assert_frame_equal(in_ranges.totals.by_platform, whole.totals.by_platform)
    pd.testing.assert_frame_equal(in_ranges.totals.by_territory, whole.totals.by_territory)
    pd.testing.assert_frame_equal(in_ranges.held, whole.held)
    pd.testing.assert_frame_equal(in_ranges.accounting.runs, whole.accounting.runs)
    pd.testing.assert_frame_equal(in_ranges.raw.cells, whole.raw.cells, check_index_type=False)
    assert replace(in_ranges.raw, cells=whole.raw.cells) == whole.raw
    assert (in_ranges.accounting.issues, in_ranges.accounting.decisions) == (
        whole.accounting.issues,
        whole.accounting.decisions,
    )
    assert (in_ranges.content, in_ranges.sketches, in_ranges.whole) == (whole.content, whole.sketches, whole.whole)
    assert in_ranges.before == whole.before
    return whole


def ranges_of(path, range_bytes, how=LAYOUT):
    found = find_lines(GivenFile(str(path), (how,), range_bytes)).tables[0][1]
    return found.ranges if isinstance(found, CutText) else ()


@pytest.fixture(scope="module")
def path(tmp_path_factory):
    return tmp_path_factory.mktemp("ranges") / "statement.csv"


@FEW
@given(
    ROWS,
    st.integers(1, 300),
    ENCODINGS,
    st.sampled_from(["\n", "\r\n", "\r"]),
    st.sampled_from([";", ",", "\t"]),
    st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]),
)
def test_any_text_cut_anywhere_is_read_as_if_it_were_not_cut(path, rows, size, encoding, line_end, delimiter, quoting):
    text = text_of(rows, delimiter=delimiter, line_end=line_end, quoting=quoting)
    path.write_bytes(text.encode(encoding))
    assert_read_alike(path, size)


@FEW
@given(
    st.lists(st.sampled_from(['"', '""', ";", "\n", "\r\n", "\r", "a", "1,5", " ", "é", '"a\n', 'b"']), max_size=60),
    st.integers(1, 60),
    ENCODINGS,
)
@example(['"', "a", "\n", "b", '"', ";", "\n", "1,5"], 1, "utf-8")
def test_quotes_wherever_they_stand_are_read_alike(path, parts, size, encoding):
    lines = ["2026-09;Onda;BRAUR2600001;Samba;1;1,50;BRL"] * 3
    text = "\n".join([";".join(HEADERS), *lines[:2], "".join(parts), *lines])
    path.write_bytes(text.encode(encoding))
    assert_read_alike(path, size)


def test_ranges_follow_each_other_and_tell_their_first_rows(path):
    row = ("2026-09", "Onda", "BRAUR2600001", "Duas\nlinhas", "1", "1,50", "BRL")
    text = text_of([row] * 50)
    path.write_bytes(text.encode())
    ranges = ranges_of(path, 200)
    assert len(ranges) > 10
    assert (ranges[0].start, ranges[-1].end) == (text.index("\n") + 1, len(text))
    for above, below in pairwise(ranges):
        assert above.end == below.start
        assert text[: above.end].count("\n") + 1 == below.first_row
        assert text[: above.end].endswith("BRL\n")


@pytest.mark.parametrize("encoding", ["utf-8-sig", "cp1252", "utf-16"])
def test_any_encoding_is_cut(path, encoding):
    path.write_bytes(text_of([("2026-09", "Canção", "BRAUR2600001", "É", "1", "1,50", "BRL")] * 50).encode(encoding))
    assert len(ranges_of(path, 400)) > 3
    assert assert_read_alike(path, 400).content.rows == 50


def test_a_quote_inside_a_field_leaves_a_text_in_one_piece(path):
    rows = ['2026-09;Onda;BRAUR2600001;O "lado" B;1;1,50;BRL'] * 50
    path.write_text("\n".join([";".join(HEADERS), *rows]), encoding="utf-8")
    assert ranges_of(path, 400) == ()


def test_a_block_below_the_lines_leaves_a_text_in_one_piece(path):
    how = layout("royalty_lines", currency="BRL", control={"rows": "Linhas", "amount": "Soma", "end": ["Fim"]})
    path.write_bytes(text_of([("2026-09", "Onda", "BRAUR2600001", "", "1", "1,50", "BRL")] * 50).encode())
    assert ranges_of(path, 400, how) == ()


def test_what_the_last_range_proves_counts_for_the_first(path):
    rows = [("03/04/2026", "Onda", "BRAUR2600001", "", "1", amount, "BRL") for amount in ["1.234"] * 40 + ["1.234,50"]]
    path.write_bytes(text_of([*rows, ("25/04/2026", *rows[0][1:])]).encode())
    read_as = assert_read_alike(path, 100)
    assert read_as.totals.by_platform["period"].tolist() == ["2026-04-03", "2026-04-25"]
    assert read_as.totals.by_platform["amount"].sum() == 1234 * 41 + 1234.5


def test_a_range_of_a_file_that_was_written_over_is_refused(path):
    path.write_bytes(text_of([("2026-09", "Onda", "BRAUR2600001", "", "1", "1,50", "BRL")] * 50).encode())
    given_file = GivenFile(str(path), (LAYOUT,), 400)

    class Rewritten(OnePartAfterTheOther):
        def merged(self, work, items, join):
            made = super().merged(work, items, join)
            path.write_bytes(path.read_bytes().replace(b"1,50", b"9,50"))
            return made

    with pytest.raises(UnreadableFile, match="changed"):
        read_remote(Rewritten(), given_file)
