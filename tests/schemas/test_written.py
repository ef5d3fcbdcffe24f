"""What counts when a text beside a payment is written again another month."""

import re
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from schemas.parsing.table import parse_table
from schemas.parsing.written import Wrote, folded_text
from schemas.sheet_cells import Look, Oddities
from schemas.values.reading import without_accents
from tests.schemas.sheets import PIX_PAYEE, layout, sheet
from tests.spec.tables import table

SAME = """
    | one month             | another                  |
    | Show 05/10            | show 12/11               |
    | NF 1234               | nf 99                    |
    | out/2026              | nov 2026                 |
    | Sexta, São Paulo      | sábado - SAO PAULO       |
    | 2ª parcela de outubro | 3ª parcela de novembro   |
    | Vale 30,00            | vale 35                  |
"""
OTHERWISE = """
    | one                | another                 |
    | pagar              | não pagar               |
    | pago               | pago?                   |
    | 10                 | 10%                     |
    | show Recife        | show Olinda             |
    | combinar com o Zé  | combinar com a Zezé     |
    | ok                 | ok ❌                   |
    | 付款               | 不要付款                |
"""


@pytest.mark.parametrize("row", table(SAME), ids=lambda row: row["one month"])
def test_numbers_months_and_weekdays_are_the_same_text_another_month(row):
    assert folded_text(row["one month"]) == folded_text(row["another"])


@pytest.mark.parametrize("row", table(OTHERWISE), ids=lambda row: row["another"])
def test_any_other_word_or_mark_is_another_text(row):
    assert folded_text(row["one"]) != folded_text(row["another"]) != ""


THREAD = (
    "[Threaded comment]\n\nYour version of Excel allows you to read this threaded comment. Learn more: "
    "https://go.microsoft.com/fwlink/?linkid=870924\n\nComment:\n    só depois do show\nReply:\n    ok"
)


@pytest.mark.parametrize(
    ("written", "said"), [(THREAD, "só depois do show\nReply:\n    ok"), ("[ok] talvez", "[ok] talvez")]
)
def test_of_a_comment_in_a_thread_the_programs_own_words_are_left_out(written, said):
    raw = replace(sheet(PIX_PAYEE | {"amount": "10,00"}), oddities=Oddities(comments=((2, 0, written),)))
    found = parse_table(raw, layout("payments")).written
    assert [text.text for text in found if text.kind == "comment"] == [said]


def test_a_rows_own_names_are_no_news():
    assert folded_text("cachê Maria Silva", {"maria", "silva"}) == folded_text("cachê João Souza", {"joao", "souza"})
    assert folded_text("Maria não vem", {"maria"}) == "nao vem"


@given(text=st.text(max_size=30), word=st.text("abcdfghjklpqvwxyzçßжя漢", min_size=5, max_size=12))
def test_whatever_surrounds_it_a_word_that_nobody_has_seen_is_never_folded_away(text, word):
    """Of letters of any script; months and weekdays of three languages have other letters, or are shorter."""
    assume(not re.search(r"\w$", text))
    assert without_accents(word) in folded_text(f"{text} {word}").replace(" ", "")


@given(
    text=st.text("0123456789.,;:/- ", max_size=20), word=st.sampled_from(["janeiro", "dez", "segunda", "Friday", ""])
)
def test_a_date_or_a_number_alone_is_nothing_to_look_at(text, word):
    assert folded_text(f"{text} {word} {text}") == ""


@pytest.mark.parametrize(
    ("name", "looked_at"),
    [
        ("Maria Silva - FORA", "- FORA"), ("Maria Silva (só em novembro)", "(só em novembro)"),
        ("Maria Silva [Silva]", None), ("Maria Silva / aguardar", "/ aguardar"), ("Maria Silva *", None),
        ("Maria-Ana Silva", None), ("Maria Silva", None), ("(Maria Silva)", None), ("Maria d'Ávila Jr.", None),
    ],
)  # fmt: skip
@pytest.mark.parametrize("column", ["name", "artist_name"])
def test_what_stands_behind_a_name_in_its_cell_is_looked_at(column, name, looked_at):
    found = parse_table(sheet(PIX_PAYEE | {"amount": "10,00", column: name}), layout("payments")).written
    assert [text.text for text in found if text.kind is Wrote.COLUMN and text.token] == (
        [looked_at] if looked_at else []
    )


@pytest.mark.parametrize("column", ["name", "amount", "pix_key"])
def test_what_nobody_sees_is_looked_at_though_it_is_a_number_or_the_row_s_own_name(column):
    raw = sheet(PIX_PAYEE | {"amount": "10,00"})
    unseen = replace(raw, oddities=Oddities(looks=((2, raw.headers.index(column), Look.UNSEEN, ""),)))
    (text,) = (text for text in parse_table(unseen, layout("payments")).written if text.kind is Wrote.UNSEEN)
    assert text.token
    assert text.column == column


def coloured(*shown):
    """Read so many payments, each in a colour."""
    raw = sheet(*(PIX_PAYEE | {"amount": f"{at + 1}0,00"} for at in range(len(shown))))
    looks = tuple((at, 0, Look.COLOUR, colour) for at, colour in enumerate(shown, 2) if colour)
    found = parse_table(replace(raw, oddities=Oddities(looks=looks)), layout("payments")).written
    return [(text.row, text.text) for text in found if text.kind is Wrote.COLOUR]


@pytest.mark.parametrize(
    "shown",
    [
        ["yellow"] * 4,
        ["", "blue"] * 3,
        ["blue", "grey", "white"] * 3,
        ["", "", "", ""],
        ["grey", "blue", "grey", "blue", "grey"],
    ],
)
def test_rows_in_one_colour_or_by_turns_say_nothing(shown):
    assert coloured(*shown) == []


@pytest.mark.parametrize(
    ("shown", "differ"),
    [
        (["", "yellow", "", ""], [(3, "yellow")]),
        (["green", "green", "", "green"], [(4, "white")]),
        (["", "blue", "", "red", "", "blue"], [(3, "blue"), (5, "red"), (7, "blue")]),
        (["", "yellow"], [(3, "yellow")]),
    ],
)
def test_a_row_in_another_colour_than_most_is_looked_at(shown, differ):
    assert coloured(*shown) == differ
