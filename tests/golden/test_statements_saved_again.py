"""A sender's statement that somebody opened and saved again in another country pays the same, or nothing at all."""

import csv
import itertools
import json
import re
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import UnreadableFile
from schemas.parsing.table import parse_table
from tests.sampled import sampled

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
EXPECTED = json.loads((SAMPLES / "expected" / "statements.json").read_text(encoding="utf-8"))
NUMBER = re.compile(r"-?[.,][0-9]+|-?\$?[0-9]{1,3}(,[0-9]{3})+\.[0-9]+|-?\$?[0-9]+\.[0-9]+|-?\$?[0-9]+,[0-9]+")
DATE = re.compile(r"([0-9]{1,2})/([0-9]{1,2})/([0-9]{2,4})(.*)")
OTHER_MARK = str.maketrans(".,", ",.")


def with_other_mark(cell):
    return cell.translate(OTHER_MARK) if NUMBER.fullmatch(cell) else cell


def with_other_dates(cell):
    found = DATE.fullmatch(cell)
    return f"{found[2]}/{found[1]}/{found[3]}{found[4]}" if found else cell


CHANGES = {"mark": with_other_mark, "dates": with_other_dates}
VARIANTS = [
    pytest.param([CHANGES[name] for name in names], delimiter, id="+".join((*names, repr(delimiter))))
    for count in (1, 2)
    for names in itertools.combinations(CHANGES, count)
    for delimiter in (";", ",", "\t")
]


def rows_of(expected):
    """What stands above a statement's first table, its header, and its rows as texts."""
    layout = read_layout(expected["layout"], SAMPLES)
    with open_file(str(SAMPLES / "statements" / expected["file"])) as opened:
        table, fit = next(opened.tables(layout)), opened.fits(layout)[0]
    above = [list(head.texts) for head in fit.view.head if head.row < fit.header.row]
    return [*above, list(table.headers), *table.cells.to_numpy().tolist()]


def sums_read(path, layout):
    """Add up what is used of a file; nothing where it is refused."""
    try:
        with open_file(str(path)) as opened:
            frames = [parse_table(table, layout).frame for table in opened.tables(layout)]
    except UnreadableFile:
        return {}
    return {
        currency: total
        for frame in frames
        for currency, total in frame.groupby("currency")["amount"].sum().to_dict().items()
    }


def saved(path, rows, delimiter):
    with path.open("w", encoding="utf-8", newline="") as stream:
        csv.writer(stream, delimiter=delimiter).writerows(rows)
    return path


@pytest.mark.parametrize(("changes", "delimiter"), VARIANTS)
@pytest.mark.parametrize("expected", sampled([pytest.param(one, id=one["file"]) for one in EXPECTED], one_in=2))
def test_it_pays_the_same_or_nothing(tmp_path, expected, changes, delimiter):
    rows = rows_of(expected)
    layout = read_layout(expected["layout"], SAMPLES).model_copy(update={"sheets": [], "header_row": None})
    as_sent = sums_read(saved(tmp_path / "as-sent.csv", rows, delimiter), layout)
    assert as_sent
    for change in changes:
        rows = [[change(cell) for cell in row] for row in rows]
    assert sums_read(saved(tmp_path / "saved-again.csv", rows, delimiter), layout) in ({}, as_sent)
