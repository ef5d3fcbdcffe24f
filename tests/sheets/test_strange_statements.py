"""Statements in words that this program does not know: what came in says which of their columns is the money.

Headers and labels are CLDR's names of languages, territories and currencies in a dozen languages. Held constant: one
table of lines, one currency. What varies: which columns there are, their order, decimal mark and decimals, a
percentage, a year to date, a total by a strange name, a figure above the header, and what is known of the money: what
came in, the file's own figure, the bank's costs, or nothing.
"""

import re
from decimal import ROUND_HALF_UP, Decimal
from pathlib import Path
from random import Random

import pandas as pd
import pytest

from io_adapters.spreadsheets.declarations import known_layouts, parse_yaml, read_layout
from schemas.layouts.answers import with_answers
from schemas.layouts.drafting import KnownMoney, draft_layout, guess_table
from schemas.layouts.layout import Layout
from schemas.layouts.money_column import is_number
from schemas.messages import Message
from schemas.parsing.column_sums import figures_in, nearest, sum_columns, which_came_in, which_is_stated
from schemas.parsing.table import parse_table
from schemas.raw_table import FileIdentity, RawTable
from schemas.sheet_cells import HeadRow, View
from tests.sampled import sampled
from tests.sheets.test_strange_words import WORDS

KNOWN = [read_layout(name, Path()) for name in known_layouts()]
NAMES = [word for word in WORDS if not any(mark.isdigit() or mark in "()" for mark in word)]
A_HUNDRED = 100
SETTING = re.compile(r"^(\s*)# ((?:[a-z_]+: |- ).*)$", re.MULTILINE)


class Statement:
    """A statement drawn by a seed: its table, and which column of it is the money."""

    def __init__(self, seed: int) -> None:
        chance = Random(seed)
        self.mark = chance.choice(",.")
        self.decimals = chance.choice([2, 2, 2, 6, 10])
        step = Decimal(1).scaleb(-self.decimals)
        words = chance.sample(NAMES, 16)

        def written(value: Decimal) -> str:
            return f"{value:f}".replace(".", self.mark)

        lines = []
        for at in range(chance.randint(4, 30)):
            units, price = chance.randint(1, 900), Decimal(chance.randint(1, 10**self.decimals)) * step
            gross = (units * price).quantize(step)
            fee = (gross * chance.choice([15, 20, 30]) / 100).quantize(step, ROUND_HALF_UP)
            net = gross - fee
            past = net + Decimal(chance.randint(1, 10**6)).scaleb(-2)
            code = f"BRAUR26{at:05d}"
            lines.append(
                {"title": chance.choice(NAMES), "artist": chance.choice(NAMES)}
                | {"code": code, "store": chance.choice(words[:3])}
                | {"units": str(units), "price": written(price), "gross": written(gross), "fee": written(fee)}
                | {"part": "85%", "net": written(net), "past": written(past)}
            )  # fmt: skip
        kept = ["code", "net", *(name for name in lines[0] if name not in {"code", "net"} and chance.random() < 0.8)]
        chance.shuffle(kept)
        self.kept, self.headers = kept, tuple(words[: len(kept)])
        rows = [tuple(line[name] for name in kept) for line in lines]
        read = {
            name: [Decimal(line[name].replace(self.mark, ".")) for line in lines] for name in ("net", "gross", "units")
        }
        self.came_in = round(sum(read["net"]) * 100)
        if chance.random() < 0.5:
            sums = {name: written(sum(read[name])) for name in read}
            label = next(name for name in kept if name in {"title", "artist", "store", "code"})
            rows.append(tuple(words[15] if name == label else sums.get(name, "") for name in kept))
        self.rows = rows
        self.money = kept.index("net")
        self.above = HeadRow(1, (words[14], f"{Decimal(self.came_in).scaleb(-2):.2f}".replace(".", ",")))
        cells = pd.DataFrame({at: pd.Series([row[at] for row in rows], dtype="str") for at in range(len(kept))})
        cells.index = pd.RangeIndex(4, 4 + len(rows))
        self.raw = RawTable(FileIdentity("test.csv", "0" * 64, 1), None, 3, self.headers, cells)

    @property
    def views(self) -> list[View]:
        head = [self.above, HeadRow(3, self.headers), *(HeadRow(4 + at, row) for at, row in enumerate(self.rows))]
        return [View(None, ";", visible=True, head=tuple(head[:60]))]

    @property
    def is_plain(self) -> bool:
        """Whether no other column comes to the same."""
        sums = [found.cents.get("", 0) for found in sum_columns(self.raw) if found.position != self.money]
        return self.came_in not in sums


SEEDS = sampled(range(0, 2_000, A_HUNDRED), one_in=20)


@pytest.mark.parametrize("first", SEEDS)
def test_the_column_whose_sum_came_in_is_the_money_whatever_it_is_called(first):
    for seed in range(first, first + A_HUNDRED):
        drawn = Statement(seed)
        sums = sum_columns(drawn.raw)
        assert "part" not in {drawn.kept[found.position] for found in sums}, "a percentage is never the money"
        found = which_came_in(sums, {"EUR": drawn.came_in})
        assert found is not None, seed
        if drawn.is_plain:
            assert found.position == drawn.money, (seed, drawn.kept[found.position])
        assert which_came_in(sums, {"EUR": drawn.came_in + 7}) is None or not drawn.is_plain


@pytest.mark.parametrize("first", SEEDS)
def test_a_draft_reads_the_money_and_stays_sound_whichever_of_its_settings_are_taken_out_of_their_comments(first):
    for seed in range(first, first + A_HUNDRED, 5):
        drawn = Statement(seed)
        found = which_came_in(sum_columns(drawn.raw), {"EUR": drawn.came_in})
        language = ("en", "pt-BR")[seed % 2]
        money = KnownMoney(found.position, found.mark, "EUR", Message("draft.came_in", amount=found.amounts))
        text = draft_layout(drawn.views, KNOWN, "drafted", language=language, money=money)
        layout = Layout.model_validate(parse_yaml(text, "drafted.yaml").values)
        assert layout.columns["amount"] == [drawn.headers[found.position]]
        assert layout.currency == "EUR"
        read = {header for headers in layout.columns.values() for header in headers}
        answered = with_answers(layout, {header: "ignored" for header in drawn.headers if header not in read})
        parsed = parse_table(drawn.raw, answered)
        assert round(parsed.frame["amount"].sum() * 100) == drawn.came_in, (
            seed,
            [issue.code for issue in parsed.issues],
        )
        for uncommented in settings_uncommented(text):
            assert Layout.model_validate(parse_yaml(uncommented, "drafted.yaml").values).columns["amount"], seed


def settings_uncommented(text: str):
    """Yield a draft with all its commented settings in force, and with each alone."""
    yield SETTING.sub(r"\1\2", text)
    for setting in SETTING.finditer(text):
        yield f"{text[: setting.start()]}{setting[1]}{setting[2]}{text[setting.end() :]}"


@pytest.mark.parametrize("seed", range(30))
def test_without_what_came_in_a_figure_above_the_lines_says_it(seed):
    drawn = Statement(seed)
    found = which_is_stated(sum_columns(drawn.raw), figures_in(drawn.above.texts))
    assert not drawn.is_plain or found.position == drawn.money


@pytest.mark.parametrize("seed", range(30))
def test_what_the_bank_may_have_kept_is_said_with_its_column_and_more_than_that_is_not(seed):
    drawn = Statement(seed)
    kept = max(drawn.came_in // 50, 1)
    short = nearest(sum_columns(drawn.raw), {"EUR": drawn.came_in - kept})
    assert short is not None
    assert 0 < short.cents <= kept
    others = [found for found in sum_columns(drawn.raw) if found.position == drawn.money]
    assert nearest(others, {"EUR": drawn.came_in // 2}) is None
    assert nearest(others, {"EUR": drawn.came_in * 2}) is None, "the bank adds nothing"


@pytest.mark.parametrize("texts", [("1.234", "2.500"), ("1,234", "2,500")])
def test_what_came_in_says_how_amounts_are_read_that_read_two_ways(texts):
    cells = pd.DataFrame({0: pd.Series(["a", "b"], dtype="str"), 1: pd.Series(texts, dtype="str")})
    cells.index = pd.RangeIndex(2, 4)
    sums = sum_columns(RawTable(FileIdentity("t.csv", "0" * 64, 1), None, 1, ("x", "y"), cells))
    thousands = which_came_in(sums, {"EUR": 3_734_00})
    units = which_came_in(sums, {"EUR": 373})
    assert {thousands.mark, units.mark} == {",", "."}
    assert is_number(texts[0])


def test_a_table_is_found_under_headers_of_any_script():
    head = HeadRow(1, ("曲名", "作者", "単価", "金額"))
    view = View(None, ",", visible=True, head=(head, HeadRow(2, ("桜", "花", "1.20", "2.40"))))
    assert guess_table([view], KNOWN).header == head
