"""Where no header is known as that of the names, they are the column with another text for each document.

Held constant: payments with documents and Pix keys, under headers of ours but for the names. What varies: the header
over the names, what stands in the columns beside them, and what the job has said of those.
"""

from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from schemas.errors import UnreadableFile
from schemas.messages import render
from schemas.parsing.columns_by_cells import as_proposed
from schemas.parsing.table import parse_table
from tests.schemas.sheets import sheet

PAYMENTS = read_layout("payments", Path())
PEOPLE = (("Maria Silva", "52998224725"), ("Ana Lima", "11144477735"), ("Caio Reis", "39053344705"))


def read(columns, layout=None, payee_data_required=True, people=PEOPLE):
    """Read three payments with these columns before what is known."""
    rows = [
        {header: texts[at] for header, texts in columns.items()}
        | {"CPF": tax_id, "PIX": f"p{at}@example.com", "Tipo de chave": "E-mail", "Valor": f"{at + 1}0,00"}
        for at, (_, tax_id) in enumerate(people)
    ]
    raw = sheet(*rows)
    return parse_table(raw, layout or as_proposed(raw, PAYMENTS), payee_data_required=payee_data_required)


NAMES = [name for name, _ in PEOPLE]


@pytest.mark.parametrize("header", ["Músico", "Artista", "Artista/Favorecido", "Xerloque", "歌手", "Quem recebe"])
def test_they_are_found_under_any_header_and_it_is_said(header):
    found = read({header: NAMES}, PAYMENTS)
    assert found.frame["name"].tolist() == NAMES
    assert f"names under {header}" in " ".join(render(said, "en") for said in found.decisions)


@pytest.mark.parametrize(
    "beside",
    [
        {"Zebra": ["listrada", "", "listrada"]},
        {"Zebra": ["zig", "zag", "zug"]},
        {"Cidade": ["São Paulo", "Porto Alegre", "Rio Branco"]},
        {"Zebra": ["11 98765-4321", "12 98765-4321", "13 98765-4321"]},
    ],
)
def test_what_stands_beside_them_is_not_taken_for_them(beside):
    assert read(beside | {"Músico": NAMES}).frame["name"].tolist() == NAMES


@pytest.mark.parametrize(
    "columns",
    [
        {"Músico": NAMES, "Zebra": ["zig um", "zag dois", "zug tres"]},
        {"Cidade": ["São Paulo", "Porto Alegre", "Rio Branco"]},
        {"Músico": ["Maria Silva", "Maria Silva", "Ana Lima"]},
        {"Músico": ["Maria Silva", "", "Ana Lima"]},
        {"Músico": ["1", "2", "3"]},
    ],
)
def test_where_cells_do_not_say_it_a_person_does(columns):
    with pytest.raises(UnreadableFile) as refused:
        read(columns)
    assert [issue.code.value for issue in refused.value.issues] == ["COLUMN_MISSING"]


def test_a_remark_is_no_name_and_one_row_proves_nothing():
    answered = PAYMENTS.model_copy(update={"remarks": ["Zebra"]})
    with pytest.raises(UnreadableFile):
        read({"Zebra": NAMES}, answered)
    with pytest.raises(UnreadableFile):
        read({"Músico": NAMES[:1]}, people=PEOPLE[:1])


def test_beside_a_table_of_payees_nothing_is_taken_for_their_names():
    found = read({"Xerloque": NAMES}, PAYMENTS, payee_data_required=False)
    assert [issue.code.value for issue in found.issues] == ["COLUMN_UNANSWERED"]


def test_one_person_may_stand_in_two_rows():
    twice = (*PEOPLE[:2], PEOPLE[0])
    found = read({"Músico": ["Maria Silva", "Ana Lima", "MARIA SILVA"], "Referência": ["a", "b", "c"]}, people=twice)
    assert found.frame["name"].tolist() == ["Maria Silva", "Ana Lima", "MARIA SILVA"]
