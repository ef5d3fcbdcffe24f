"""Rows told in runs: few records, every row in exactly one."""

import pandas as pd
from hypothesis import given
from hypothesis import strategies as st

from schemas.parsing.row_accounting import RowRun, join_runs, move_rows, runs_of
from schemas.reasons import codes_json
from tests.spec.tables import same

ENDS = st.sampled_from([("used", ""), ("held", "AMOUNT_FORMAT"), ("ignored", "blank"), ("ignored", "total")])


def rows(*ends, file="a.csv", first=2):
    places = {"file": file, "sheet": "", "row": range(first, first + len(ends))}
    return pd.DataFrame(places | {"disposition": [e for e, _ in ends], "codes": [why for _, why in ends]})


USED, BLANK, HELD = ("used", ""), ("ignored", "blank"), ("held", "AMOUNT_FORMAT")


def test_a_million_good_rows_with_a_few_others_among_them_are_a_few_records():
    assert same(
        runs_of(rows(USED, USED, BLANK, BLANK, USED, HELD, USED)),
        """
        | first_row | last_row | rows | disposition | reason        |
        | 2         | 8        | 4    | used        |               |
        | 4         | 5        | 2    | ignored     | blank         |
        | 7         | 7        | 1    | held        | AMOUNT_FORMAT |
        """,
    )


@given(st.lists(ENDS, min_size=1, max_size=12), st.data())
def test_runs_do_not_depend_on_where_a_file_was_cut(ends, data):
    whole, at = rows(*ends), data.draw(st.integers(0, len(ends)))
    pieces = [part for part in (whole.iloc[:at], whole.iloc[at:]) if len(part)]
    joined = join_runs([runs_of(piece) for piece in pieces])
    key = ["first_row", "disposition", "reasons"]
    pd.testing.assert_frame_equal(
        joined.sort_values(key, ignore_index=True), runs_of(whole).sort_values(key, ignore_index=True)
    )
    assert joined["rows"].sum() == len(ends)


def test_neighbours_of_two_files_are_no_run():
    joined = join_runs([runs_of(rows(BLANK)), runs_of(rows(BLANK, file="b.csv", first=3))])
    assert joined["file"].tolist() == ["a.csv", "b.csv"]


def test_rows_that_turn_out_otherwise_are_taken_from_where_they_were_and_none_is_lost():
    moved = [
        RowRun("a.csv", "", 3, 3, 1, "duplicate", codes_json("rp-1")),  # of the used ones
        RowRun("a.csv", "", 5, 5, 1, "duplicate", codes_json("rp-1")),  # of the held ones
        RowRun("a.csv", "", 2, 6, 2, "held", codes_json("SHARE_UNMATCHED")),  # scattered among the used ones
        RowRun("b.csv", "", 2, 2, 1, "held", codes_json("SHARE_UNMATCHED")),  # of a file that is not there
        RowRun("a.csv", "", 4, 4, 1, "held", codes_json("AMOUNT_FORMAT")),  # held already
    ]
    before = runs_of(rows(USED, USED, HELD, HELD, USED, USED))
    after = move_rows(before, moved)
    assert same(
        after,
        """
        | first_row | last_row | rows | disposition | reason          |
        | 2         | 7        | 1    | used        |                 |
        | 4         | 5        | 1    | held        | AMOUNT_FORMAT   |
        | 3         | 3        | 1    | duplicate   | rp-1            |
        | 5         | 5        | 1    | duplicate   | rp-1            |
        | 2         | 6        | 2    | held        | SHARE_UNMATCHED |
        """,
    )
    assert after["rows"].sum() == before["rows"].sum()
