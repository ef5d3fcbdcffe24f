"""A column of a statement that its layout does not know: asked about once the file is read, or no more than noted.

Held constant: lines of reais under our own headers. What varies: what stands beside them, in which blocks of the file,
and what the job says of it.
"""

from functools import reduce

import pytest

from flows.intake.read_lines import read_blocks
from schemas.layouts.answers import CellsOf, IgnoredWhile, with_answers
from schemas.messages import render
from schemas.parsing.unread_columns import KindCounts
from tests.schemas.sheets import layout, sheet

LINE = {"period": "2026-09", "title": "Samba", "amount": "10.00", "currency": "BRL"}
STATEMENT = layout("royalty_lines")
MANY = [f"loja {number}" for number in range(30)]


def read(*blocks, job=STATEMENT):
    """Read a statement of so many blocks, each of lines with a text under one more header."""
    header, *cut = blocks
    tables, at = [], 2
    for texts in cut:
        table = sheet(*(LINE | {"title": f"Faixa {at + place}", header: text} for place, text in enumerate(texts)))
        table.cells.index = range(at, at + len(texts))
        tables.append(table)
        at += len(texts)
    return read_blocks(lambda: iter(tables), job).accounting


def codes(accounting):
    return [issue.code.value for issue in accounting.issues]


def used(accounting):
    return sum(int(run["rows"]) for _, run in accounting.runs.iterrows() if run["disposition"] == "used")


@pytest.mark.parametrize("cut", [1, 2, 40])
@pytest.mark.parametrize(
    ("header", "texts", "answer"),
    [
        ("Valor do artista", [f"{number},50" for number in range(1, 31)], "{ignored: money}"),
        ("Settlement", ["1.00", "2.00", "0.00"], "{ignored: money}"),
        ("Repassar?", ["sim", "não", "sim"], "{ignored: yes_no}"),
        ("Repassar?", ["não", "não"], "{ignored: yes_no}"),
        ("Pagar", ["0", "0", "1"], "{ignored: whole_number}"),
        ("Pagar", ["0", "1"], "{ignored: whole_number}"),
        ("Xerloque", ["blim", "blam", ""], "{ignored: text}"),
        ("備考", ["済", "", ""], "{ignored: text}"),
    ],
)
def test_money_a_yes_or_a_no_and_few_texts_hold_the_statement_until_the_job_answers(header, texts, answer, cut):
    blocks = [texts[at::cut] for at in range(min(cut, len(texts)))]
    held = read(header, *blocks)
    assert (used(held), codes(held)) == (0, ["COLUMN_UNANSWERED"])
    (issue,) = held.issues
    assert answer in render(issue.accepts, "en")
    said = with_answers(STATEMENT, {header: "ignored"})
    answered = read(header, *blocks, job=said)
    assert (used(answered), codes(answered)) == (len(texts), [])


def test_the_question_says_what_the_amounts_add_up_to():
    (issue,) = read("Valor do artista", ["1,50", "2,00"], ["0,25"]).issues
    assert "3.75" in render(issue.message, "en")


@pytest.mark.parametrize("texts", [MANY, ["", "", ""], ["0,00", "-", "R$ 0,00"], ["1", "2", "3", "4"]])
def test_many_texts_and_nothing_are_noted(texts):
    found = read("Zebra", texts[:2], texts[2:])
    assert (used(found), set(codes(found))) == (len(texts), {"COLUMN_UNKNOWN"})


@pytest.mark.parametrize(("now", "holds"), [("text", False), ("money", True)])
def test_what_was_answered_of_one_kind_is_asked_again_of_another(now, holds):
    said = with_answers(STATEMENT, {"Zebra": IgnoredWhile(CellsOf.TEXT)})
    found = read("Zebra", ["12,00", "13,00"] if now == "money" else ["a", "b"], job=said)
    assert codes(found) == (["COLUMN_UNANSWERED"] if holds else [])


@pytest.mark.parametrize(
    ("texts", "kind"),
    [
        (["1.00", "2.50"], "money"), (["5.10", "12.5"], "money"), (["5.10.2026", "06.10.26"], "date"),
        (["05/10", "06/10"], "date"), (["2026-10-05", "2026-10-06T10:00"], "date"), (["1", "20"], "whole_number"),
        (["sim", "não"], "yes_no"), (["R$ 5,00", "-"], "money"), (["10%", "x"], "money"), (["a", "1,00", "b"], "text"),
        ([], "text"),
    ],
)  # fmt: skip
def test_what_cells_are_is_said_alike_of_statements_and_of_payments(texts, kind):
    """In one block, and in as many as there are texts."""
    whole = KindCounts.of(texts)
    assert whole.kind == kind
    assert reduce(KindCounts.plus, (KindCounts.of([text]) for text in texts), KindCounts()) == whole
