"""A column that alone tells rows of one payee apart is offered as their reference; obeyed, each row is paid once.

Held constant: payments of two payees, one of whom has several rows, in a sheet without a reference. What varies: the
header, in words that the program may know or not, what stands below it, and what the job has answered of it before.
"""

import pytest
from ruamel.yaml import YAML

from schemas.messages import render
from tests.schemas.sheets import PIX_PAYEE, codes, parse

OTHER = PIX_PAYEE | {"tax_id": "11144477735", "name": "Ana Lima", "pix_key": "ana@example.com"}
PARTING = {
    "Show": ["Recife", "Olinda", "Recife"],
    "Xerloque": ["blim", "blam", ""],
    "Dia do show": ["05/10/2026", "06/10/2026", "05/10/2026"],
    "曲": ["海", "山", "海"],
    "Função": ["voz", "violão", "bateria"],
}
PARTS_NOTHING = {
    "Show": ["Recife", "Recife", "Olinda"],
    "Palco": ["Recife", "", "Olinda"],
    "Obs": ["conferido", "conferir com a Bia", ""],
    "Palco principal": ["São Luís", "SAO  LUIS", "Olinda"],
}


def payments(header, texts, **columns):
    people = (PIX_PAYEE, PIX_PAYEE, OTHER)
    rows = [
        who | {"amount": f"{at}0,00", header: text} for at, (who, text) in enumerate(zip(people, texts, strict=True), 1)
    ]
    return parse("payments", *rows, **columns)


def answer_in(issue):
    """Read what the remedy says to write, as a job file has it."""
    (written,) = (part for part in render(issue.accepts, "pt-BR").split("`") if part.startswith("columns: "))
    return YAML(typ="safe").load(written)["columns"]


@pytest.mark.parametrize("header", PARTING)
def test_what_is_proposed_for_it_pays_each_row(header):
    asked = payments(header, PARTING[header])
    (question,) = (issue for issue in asked.issues if issue.code == "COLUMN_UNANSWERED")
    proposed = answer_in(question)
    assert proposed == {header: "reference"}
    paid = payments(header, PARTING[header], columns=proposed)
    assert codes(paid) == []
    assert paid.frame["amount_cents"].tolist() == [1000, 2000, 3000]


@pytest.mark.parametrize("header", PARTING)
def test_whoever_took_it_for_a_remark_is_offered_it_where_the_rows_are_held(header):
    held = payments(header, PARTING[header], columns={header: "remark"})
    assert held.frame["amount_cents"].tolist() == [3000]
    (offer,) = (issue for issue in held.issues if issue.code == "COLUMN_PARTS_ROWS")
    assert "2, 3" in render(offer.message, "pt-BR")
    paid = payments(header, PARTING[header], columns=answer_in(offer))
    assert (codes(paid), len(paid.frame)) == ([], 3)


@pytest.mark.parametrize("header", PARTS_NOTHING)
def test_what_does_not_tell_them_apart_is_not_offered(header):
    asked = payments(header, PARTS_NOTHING[header])
    assert "reference" not in render(asked.issues[0].accepts, "en")
    assert "COLUMN_PARTS_ROWS" not in codes(payments(header, PARTS_NOTHING[header], columns={header: "remark"}))


def test_where_nobody_has_two_rows_or_a_reference_is_there_nothing_is_offered():
    alone = parse("payments", PIX_PAYEE | {"amount": "10,00", "Show": "a"}, OTHER | {"amount": "10,00", "Show": "b"})
    assert "reference" not in render(alone.issues[0].accepts, "en")
    named = [PIX_PAYEE | {"amount": "10,00", "Show": show, "reference": "r"} for show in ("a", "b")]
    assert "COLUMN_PARTS_ROWS" not in codes(parse("payments", *named, columns={"Show": "remark"}))
