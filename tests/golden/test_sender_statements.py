"""Each sender's statement comes to what was invented for it, is recognised, and no decoy is ever the money."""

import dataclasses
import json
from collections import Counter
from decimal import Decimal
from pathlib import Path

import pandas as pd
import pytest

from io_adapters.spreadsheets.declarations import known_layouts, parse_yaml, read_layout
from io_adapters.spreadsheets.reading import open_file
from schemas.issues import errors_among
from schemas.layouts.drafting import draft_layout
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.recognise import candidates
from schemas.parsing.table import parse_table

SAMPLES = Path(__file__).resolve().parents[2] / "sample_data"
EXPECTED = json.loads((SAMPLES / "expected" / "statements.json").read_text(encoding="utf-8"))
KNOWN = [read_layout(name, Path()) for name in known_layouts()]
# What a source may be, when its layout is found by its headers.
SOURCES = [layout for layout in KNOWN if layout.table in {"payments", "royalty_lines"}]
OTHER_SAMPLES = {
    "royalties/distrokid-2026-10.tsv": "distrokid",
    "royalties/distribuidora-2026-10.xlsx": "royalties",
    "payments/payments.xlsx": "payments",
    "broken/payments-broken.xlsx": "payments",
}
SAMPLE_OF = {f"statements/{sample['file']}": sample["layout"] for sample in EXPECTED} | OTHER_SAMPLES
OTHER_DIGITS = str.maketrans("0123456789", "3456789012")


@pytest.fixture(params=EXPECTED, ids=lambda one: one["file"])
def expected(request):
    return request.param


def layout_named(name):
    return read_layout(name, Path())


def tables_of(file, layout):
    with open_file(str(SAMPLES / file)) as opened:
        return list(opened.tables(layout))


def views_of(file):
    with open_file(str(SAMPLES / file)) as opened:
        return opened.views


def parsed_of(one, change=lambda raw, layout: raw):
    layout = layout_named(one["layout"])
    tables = tables_of(f"statements/{one['file']}", layout)
    return [parse_table(change(raw, layout), layout) for raw in tables]


def lines_of(parsed):
    return pd.concat([table.frame for table in parsed], ignore_index=True)


def exact(line):
    return {name: Decimal(str(value)) if name == "amount" else value for name, value in line.items()}


def test_every_layout_of_a_sender_has_a_statement():
    ours = {"payments", "royalties"}
    assert {sample["layout"] for sample in EXPECTED} == {
        layout.layout for layout in SOURCES if layout.records is None and layout.layout not in ours
    }


def test_a_statement_read_by_its_layout_is_what_was_invented_for_it(expected):
    parsed = parsed_of(expected)
    lines = lines_of(parsed)
    went = Counter(row for table in parsed for row in table.rows["disposition"])
    assert went == Counter({"used": expected["lines"], "ignored": expected["left_out"]})
    assert lines.groupby("currency")["amount"].sum().to_dict() == {
        currency: Decimal(total) for currency, total in expected["sums"].items()
    }
    for at, end in ((0, "first"), (-1, "last")):
        assert exact(lines.iloc[at][list(expected[end])].to_dict()) == exact(expected[end])


def test_nothing_is_told_of_a_sound_statement_but_what_was_left_out(expected):
    for table in parsed_of(expected):
        assert errors_among(table.issues) == ()
        assert table.issues == ()


@pytest.mark.parametrize(("file", "layout"), SAMPLE_OF.items(), ids=SAMPLE_OF)
def test_every_sample_is_recognised_by_its_own_layout_and_by_no_other(file, layout):
    assert [fit.layout.layout for fit in candidates(views_of(file), SOURCES)] == [layout]


def test_a_recognised_file_is_opened_as_what_it_is(expected):
    with open_file(str(SAMPLES / "statements" / expected["file"])) as opened:
        assert opened.recognise(SOURCES).layout == expected["layout"]


def with_other_decoys(raw, layout):
    """Change every digit under headers that the layout never reads, in rows that have all columns."""
    never = set(map(fold, layout.ignored))
    ignored = [at for at in match_headers(raw.headers, layout).ignored if fold(raw.headers[at]) in never]
    changed = raw.cells.copy()
    whole = ~changed.index.isin(raw.misshapen_rows)
    for position in ignored:
        changed.loc[whole, position] = changed.loc[whole, position].str.translate(OTHER_DIGITS)
    assert any((changed[position] != raw.cells[position]).any() for position in ignored)
    return dataclasses.replace(raw, cells=changed)


def with_other_money(raw, layout):
    position = match_headers(raw.headers, layout).positions["amount"]
    changed = raw.cells.copy()
    changed[position] = changed[position].str.translate(OTHER_DIGITS)
    return dataclasses.replace(raw, cells=changed)


def test_no_number_under_another_header_changes_what_is_owed(expected):
    pd.testing.assert_frame_equal(lines_of(parsed_of(expected)), lines_of(parsed_of(expected, with_other_decoys)))


def test_the_money_is_what_stands_under_its_own_header(expected):
    other = [table.frame["amount"].sum() for table in parsed_of(expected, with_other_money)]
    assert other != [table.frame["amount"].sum() for table in parsed_of(expected)]


def test_a_draft_finds_the_money_of_every_sender_without_knowing_the_sender(expected):
    """A sender's other layouts are taken away too, so that nothing but what other senders and people say is known."""
    family = expected["layout"].split("-")[0]
    others = [layout for layout in KNOWN if layout.layout.split("-")[0] != family]
    views = views_of(f"statements/{expected['file']}")
    draft = draft_layout(views, others, "drafted")
    drafted = Layout.model_validate(parse_yaml(draft, "drafted.yaml").values)
    right = layout_named(expected["layout"])
    assert {fold(column) for column in drafted.columns["amount"]} <= {
        fold(column) for column in right.columns["amount"]
    }
    assert [fit.layout for fit in candidates(views, [drafted])] == [drafted]
    assert "CONFIRM" in draft
