"""Every mistake is told at its cell, by its rule, and nothing is told of what is right."""

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.issues import Severity
from schemas.parsing.table import parse_table
from tests.property.sheets_with_mistakes import MadeSheet, make_sheet
from tests.sampled import sampled

FILES = 20


def told_of(made: MadeSheet) -> set[tuple[str, str]]:
    layout = read_layout("payments", made.path.parent)
    parsed = parse_table(read_table(str(made.path), layout), layout)
    told = [issue for issue in parsed.issues if issue.severity is not Severity.NOTE]
    return {(issue.cell or str(issue.row), issue.code.value) for issue in told}


@pytest.mark.parametrize("first", sampled(range(0, 200, FILES)))
def test_nothing_is_told_of_two_hundred_clean_files(tmp_path, first):
    for seed in range(first, first + FILES):
        made = make_sheet(tmp_path, seed, mistakes=False)
        assert told_of(made) == set(), made.path.name


@pytest.mark.parametrize("first", sampled(range(1_000, 1_120, FILES)))
def test_each_of_more_than_two_thousand_mistakes_is_told_at_its_cell(tmp_path, first):
    seeded = 0
    for seed in range(first, first + FILES):
        made = make_sheet(tmp_path, seed, mistakes=True)
        expected = {(cell, code.value) for cell, code in made.expected}
        told = told_of(made)
        assert told == expected, (made.path.name, "missed", expected - told, "invented", told - expected)
        seeded += made.mistakes
    assert seeded >= 2_000 * FILES / 120
