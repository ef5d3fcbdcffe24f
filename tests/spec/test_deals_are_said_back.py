"""What rows of deals mean is said back in a sentence each, so that whoever wrote them sees how they are read.

Held constant: English but for one case, names of payees known.
"""

import pytest

from flows.payables.rules.deals import MOST_TOLD, told_deals
from schemas.messages import render
from tests.spec.office import inputs
from tests.spec.tables import advances, costs, payees, shares


def said(language="en", **tables):
    came_in = inputs([], payees=payees("ana", "bia"), **tables)
    return [render(told, language).partition(": ")[2] for told in told_deals(came_in, "BRL")]


@pytest.mark.parametrize(
    ("drawn", "sentence"),
    [
        ("| share | territory |\n| 20 | BR or PT |", "20 % of what comes in, Territory: only BR, PT, for Ana"),
        ("| share | service |\n| 1/3 | except Onda |", "1/3 of what comes in, Platform: all but onda, for Ana"),
        ("| share | base |\n| 3 | on top |", "3 % on top of the others, for Ana"),
        (
            "| share | base | artist |\n| 20 | % artista | Lua |",
            "20 % of what artista gets, of the artist Lua, for Ana",
        ),
        ("| share | base |\n| 3 | artista |", "3 % of what comes in, out of the part of artista, for Ana"),
        ("| share | contract |\n| 33.3333 | 1 |", "33.3333 % of what comes in, contract 1, for Ana"),
    ],
)
def test_a_share_of_a_deal_is_said_in_a_sentence(drawn, sentence):
    header, row = drawn.split("\n")
    assert said(shares=shares(f"| payee {header}\n| ana {row}")) == [sentence]


def test_a_plain_share_and_a_plain_advance_say_themselves():
    tables = {"shares": shares("| payee | recording | share |\n| ana | samba | 50 |")}
    assert said(advances=advances("| payee | amount |\n| ana | 10.00 |"), **tables) == []


def test_costs_are_said_in_their_order_and_shares_are_of_what_they_leave():
    drawn = "| order | name | share | payee | territory |\n| 2 | estúdio | 10 | bia | |\n| 1 | Ecad | 15 | | BR |"
    assert said(costs=costs(drawn), shares=shares("| payee | share |\n| ana | 2/3 |")) == [
        "2/3 of what is left after costs, for Ana",
        "Ecad takes 15 % first, Territory: only BR, stays with the payer",
        "estúdio takes 10 % first, for Bia",
    ]


def test_what_an_advance_is_recouped_from_is_said():
    drawn = "| payee | amount | contract | part |\n| ana | 200.00 | Disco 1 | 50 |"
    (sentence,) = said(advances=advances(drawn))
    assert sentence.endswith(
        "recouped only from contract disco 1, at most 50 % of what was earned there in each period, to Ana"
    )
    assert "200" in sentence


def test_the_language_is_the_jobs_and_of_many_rows_the_first_are_said():
    rows = "\n".join(["| payee | share | territory |", *(f"| ana | {n} | BR |" for n in range(1, 24))])
    told = said("pt-BR", shares=shares(rows))
    assert told[0] == "1 % do que entra, Território: só BR, para Ana"
    assert len(told) == MOST_TOLD + 1
