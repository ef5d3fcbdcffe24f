"""How often whoever approves has to tick something: a list that cries wolf is ticked unread.

Held constant: a house of forty people whose list has columns for function, show, invoice and remarks, a tab and a file
named for the month; each month whoever approves ticks what is new, a column at once where it has several new texts.
What varies: whom a month pays, where they play, what is written beside them in words of CLDR, and one text a month that
nobody has written before.
"""

from collections.abc import Mapping
from dataclasses import replace
from random import Random

import pytest

from sample_data.making.people import masked
from schemas.layouts.answers import with_answers
from schemas.parsing.table import ParsedTable, parse_table
from schemas.parsing.written import TextToCheck, texts_to_check
from tests.flows.jobs import people
from tests.sampled import sampled
from tests.schemas.sheets import PIX_PAYEE, layout, sheet
from tests.sheets.ordinary import WORDS

MONTHS = (
    "janeiro", "fevereiro", "março", "abril", "maio", "junho", "julho", "agosto", "setembro", "outubro", "novembro",
    "dezembro",
)  # fmt: skip
BESIDE = ("Função", "Show", "NF", "Obs")
LIST = with_answers(layout("payments"), dict.fromkeys(BESIDE, "remark"))
FORTY = people(40)


class House:
    """Who is paid what and where in a year, and in which words."""

    def __init__(self, seed: int) -> None:
        self.drawn = Random(seed)
        words = self.drawn.sample(WORDS, 60)
        self.functions = {who: self.drawn.choice(words[:8]) for who in range(40)}
        self.places, self.phrases, self.rare = words[8:20], words[20:30], iter(words[30:])

    def month(self, number: int) -> tuple[ParsedTable, str]:
        """Return the month's list as it is read, and the text in it that nobody has written before."""
        new, rows = f"{next(self.rare)} {next(self.rare)}", self.rows(number)
        self.drawn.choice(rows)["Obs"] = new
        return read(rows, number), new

    def rows(self, number: int) -> list[dict[str, str]]:
        return [self._row(who, number) for who in self.drawn.sample(range(40), 32)]

    def again(self, rows: list[dict[str, str]], number: int) -> list[dict[str, str]]:
        """Write the words of a list again: for others of its people, of another month, with other numbers."""
        texts = self.drawn.sample([row["Obs"] for row in rows], len(rows))
        shows = [row["Show"].rpartition(" ")[0] for row in rows]
        written = [self._row(int(row["pix_key"].strip("p").partition("@")[0]), number) for row in rows]
        pairs = zip(written, texts, shows, strict=True)
        return [row | {"Obs": text, "Show": f"{show} 07/{number:02}"} for row, text, show in pairs]

    def _row(self, who: int, number: int) -> dict[str, str]:
        drawn, payee = self.drawn, FORTY[who]
        own = {"name": payee.name, "tax_id": masked(payee.tax_id), "pix_key": f"p{who}@example.com"}
        return PIX_PAYEE | own | {
            "amount": f"{drawn.randrange(300, 4000)},00",
            "Função": self.functions[who],
            "Show": f"{drawn.choice(self.places)} {drawn.randrange(1, 29):02}/{number:02}",
            "NF": f"NF {drawn.randrange(100, 999)}",
            "Obs": drawn.choice(("", "", "", drawn.choice(self.phrases))),
        }  # fmt: skip


def read(rows: list[dict[str, str]], number: int) -> ParsedTable:
    raw = sheet(*rows)
    named = replace(raw.file, name=f"cachês {MONTHS[number - 1]} 2026.xlsx")
    return parse_table(replace(raw, file=named, sheet=MONTHS[number - 1].title()), LIST)


def new_texts(found: ParsedTable, seen: set[str]) -> tuple[TextToCheck, ...]:
    where = found.frame[["file", "sheet", "row"]].itertuples(index=False, name=None)
    return texts_to_check(found.written, set(where), seen)


def ticks_of_a_year(seed: int) -> Mapping[int, int]:
    """Return month -> how many ticks it takes: one for each column or kind of place that has new texts."""
    house, seen, ticks = House(seed), set[str](), dict[int, int]()
    for number in range(1, 13):
        found, new = house.month(number)
        assert len(found.frame) == 32
        texts = new_texts(found, seen)
        assert new in {text.text for text in texts}, "what nobody has written before always stands"
        ticks[number] = len({text.where for text in texts})
        seen |= {text.token for text in texts}
        assert new_texts(found, seen) == ()
    return ticks


@pytest.mark.parametrize("seed", sampled(range(40), one_in=8))
def test_few_ticks_are_asked_for_and_fewer_the_longer_a_house_pays(seed):
    ticks = ticks_of_a_year(seed)
    assert max(ticks[month] for month in (2, 3, 4)) <= 8
    assert max(ticks[month] for month in range(7, 13)) <= 3


@pytest.mark.parametrize("seed", sampled(range(100, 200), one_in=10))
def test_a_month_in_which_nothing_new_is_written_asks_nothing(seed):
    """The second month of a house: other amounts, days and numbers, remarks beside other people, and no new word."""
    house = House(seed)
    rows = house.rows(1)
    seen = {text.token for text in new_texts(read(rows, 1), set())}
    found = read(house.again(rows, 2), 2)
    assert new_texts(found, seen) == ()
    assert found.issues == ()
