"""Ordinary sheets are ready: of the payments in them at least 95 of 100, after at most one answer for the whole sheet.

Held constant: a workbook in which everything is to be paid, with documents and Pix keys; a person agrees to all that is
proposed, takes the types that keys show, and obeys what is told of both a key and an account. What varies: see
`ordinary.FEATURES`, of which up to three stand in a sheet.
"""

from pathlib import Path

import pytest
from ruamel.yaml import YAML

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.layout import fold
from schemas.messages import render
from schemas.parsing.columns_by_cells import as_proposed
from schemas.parsing.table import parse_table
from schemas.parsing.typed_table import KeyTypes
from schemas.raw_table import RawTable
from tests.sampled import sampled
from tests.sheets.ordinary import FEATURES, Ordinary, ordinary

PAYMENTS = read_layout("payments", Path())
A_HUNDRED = 100
ALL_THAT_KEYS_SHOW = KeyTypes(taken=True)


def paid_cents(raw: RawTable) -> list[int]:
    """Read a sheet as its person has answered; nothing, where it is not read."""
    layout = as_proposed(raw, PAYMENTS)
    try:
        found = parse_table(raw, layout, key_types=ALL_THAT_KEYS_SHOW)
    except UnreadableFile:
        return []
    asked = [issue for issue in found.issues if issue.code is IssueCode.DESTINATION_CONFLICT]
    if asked:
        (answers,) = (part for part in render(asked[0].accepts, "pt-BR").split("`") if part.startswith("columns: "))
        by_pix = {fold(header) for header in YAML(typ="safe").load(answers)["columns"]}
        ignored = [*layout.ignore_columns, *(header for header in raw.headers if fold(header) in by_pix)]
        obeyed = layout.model_copy(update={"ignore_columns": ignored})
        found = parse_table(raw, obeyed, key_types=ALL_THAT_KEYS_SHOW)
    return found.frame.sort_values("row")["amount_cents"].tolist()


def read(sheet: Ordinary, folder: Path) -> list[int]:
    return paid_cents(read_table(str(sheet.write(folder / "pagamentos.xlsx")), PAYMENTS))


@pytest.mark.parametrize("first", sampled(range(0, 2_000, A_HUNDRED), one_in=20))
def test_of_payments_in_ordinary_sheets_at_least_95_of_100_are_ready_and_none_of_another_amount(tmp_path, first):
    ready = drawn = 0
    for seed in range(first, first + A_HUNDRED):
        sheet = ordinary(seed)
        paid = read(sheet, tmp_path)
        assert paid in (sheet.cents, []) or set(paid) < set(sheet.cents), (seed, sheet.drawn)
        ready, drawn = ready + len(paid), drawn + len(sheet.cents)
    assert 100 * ready >= 95 * drawn


@pytest.mark.parametrize("feature", FEATURES)
def test_nothing_that_is_usual_keeps_a_sheet_from_being_ready(tmp_path, feature):
    """In the first sheet that has it and nothing else."""
    sheet = next(sheet for sheet in map(ordinary, range(2_000)) if sheet.drawn == [feature])
    assert read(sheet, tmp_path) == sheet.cents
