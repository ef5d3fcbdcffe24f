"""`layout: auto` knows a file by its headers: by all of the telling ones, and by none that tells another layout."""

import pytest

from schemas.layouts.layout import Layout
from schemas.layouts.recognise import candidates, missing_of_nearest
from schemas.sheet_cells import HeadRow, View


def view(*rows, delimiter=",", sheet=None, visible=True):
    return View(sheet, delimiter, visible, tuple(HeadRow(row, texts) for row, texts in enumerate(rows, 1)))


def layout(**recognise):
    return Layout(
        layout="mine",
        title="Mine",
        table="royalty_lines",
        recognise=recognise,
        columns={"amount": ["Valor", "Amount"], "isrc": ["ISRC"]},
        required=["amount"],
        ignored=["Bruto"],
    )


HEADER = ("ISRC", "Bruto", "Valor", "Meu Código")


def test_a_file_with_all_telling_headers_is_recognised_wherever_its_header_is():
    mine = layout(headers=["Meu Código", "Valor"])
    (fit,) = candidates([view(("Relatório",), (), HEADER)], [mine])
    assert (fit.layout, fit.header.row, fit.known) == (mine, 3, 2)


@pytest.mark.parametrize("header", ["meu codigo", "MEU  CÓDIGO", "Meu_Código:"])
def test_telling_headers_are_compared_as_people_read_them(header):
    assert candidates([view((*HEADER[:3], header))], [layout(headers=["Meu Código"])])


def test_a_telling_header_of_a_column_may_bear_any_of_its_names():
    assert candidates([view(("ISRC", "Amount"))], [layout(headers=["ISRC", "Valor"])])


def test_a_file_that_lacks_a_telling_or_a_required_header_is_not_recognised():
    assert candidates([view(("ISRC", "Valor"))], [layout(headers=["Meu Código"])]) == []
    assert candidates([view(("ISRC", "Meu Código"))], [layout(headers=["Meu Código"])]) == []


def test_a_layout_without_telling_headers_is_never_recognised():
    assert candidates([view(HEADER)], [layout()]) == []


def test_a_header_that_tells_another_layout_rules_a_file_out():
    assert candidates([view((*HEADER, "Novo"))], [layout(headers=["Meu Código"], absent=["novo"])]) == []


def test_nothing_else_means_that_every_header_is_known():
    mine = layout(headers=["Valor"], nothing_else=True)
    assert candidates([view(("ISRC", "", "Valor", "Bruto"))], [mine])
    assert candidates([view(("ISRC", "Valor", "Observação"))], [mine]) == []


def test_two_layouts_may_differ_by_what_stands_between_the_fields_alone():
    tabs = layout(headers=["Valor"], written_as=["tab", "sheet"])
    commas = layout(headers=["Valor"], written_as=["comma"])
    assert [fit.layout for fit in candidates([view(HEADER, delimiter="\t")], [tabs, commas])] == [tabs]
    assert [fit.layout for fit in candidates([view(HEADER)], [tabs, commas])] == [commas]
    assert [fit.layout for fit in candidates([view(HEADER, delimiter=None, sheet="A")], [tabs, commas])] == [tabs]
    assert candidates([view(HEADER, delimiter=";")], [tabs, commas]) == []


def test_a_visible_sheet_is_taken_before_a_hidden_one_with_more_columns():
    hidden = view(HEADER, delimiter=None, sheet="Velha", visible=False)
    shown = view(("Valor", "Meu Código"), delimiter=None, sheet="Nova")
    (fit,) = candidates([hidden, shown], [layout(headers=["Meu Código"])])
    assert fit.view.sheet == "Nova"


def test_the_nearest_layout_and_what_it_lacks_are_named():
    mine = layout(headers=["Meu Código", "Valor"])
    other = layout(headers=["Alheio", "Estranho", "Valor"])
    assert missing_of_nearest([view(("Amount", "ISRC"))], [other, mine]) == (mine, ("Meu Código",))
    assert missing_of_nearest([view(("Nome", "Idade"))], [other, mine]) is None
