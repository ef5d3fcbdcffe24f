"""What a sheet shows and no value tells: a foreign currency, thousandths, a line through a text, a comment."""

from io import BytesIO

import pytest
from openpyxl import Workbook
from openpyxl.comments import Comment
from openpyxl.styles import Font

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import open_file
from schemas.layouts.answers import with_answers
from schemas.messages import render
from schemas.parsing.table import parse_table

HEAD = ("Nome", "CPF", "Chave Pix", "Tipo da chave", "Valor", "Obs")
ROWS = (
    ("Maria Silva", "529.982.247-25", "maria@example.com", "E-mail", 10, "voz"),
    ("Ana Lima", "111.444.777-35", "ana@example.com", "E-mail", 20, "baixo"),
)


@pytest.fixture
def book():
    made = Workbook()
    for row in (HEAD, *ROWS):
        made.active.append(row)
    return made


def read(book, tmp_path):
    content = BytesIO()
    book.save(content)
    path = tmp_path / "p.xlsx"
    path.write_bytes(content.getvalue())
    layout = with_answers(read_layout("payments", tmp_path), {"Obs": "remark"})
    with open_file(str(path)) as file:
        (raw,) = file.tables(layout)
    return parse_table(raw, layout)


def errors(parsed):
    return [(issue.code.value, issue.cell) for issue in parsed.issues if issue.severity == "error"]


FOREIGN = ["[$$-409]#,##0.00", '"US$ "#,##0.00', "[$€-407] #,##0.00", '#,##0.00 "EUR"', "\\$#,##0.00", "[$£-809]0.00",
           "#,##0.00,", "0.0,,", '#,##0," mil"', "[$USD] 0.00"]  # fmt: skip
HOME = ["[$R$-416]#,##0.00", '"R$" #,##0.00', "#,##0.00", "0", "General", '_-"R$"* #,##0.00_-',
        "#,##0.00;[Red]-#,##0.00",
        '"BRL" 0.00', '0.00" reais"']  # fmt: skip


@pytest.mark.parametrize("shown", FOREIGN)
def test_a_number_shown_in_another_currency_or_scaled_is_not_what_it_says(book, tmp_path, shown):
    book.active["E2"].number_format = shown
    parsed = read(book, tmp_path)
    assert errors(parsed) == [("AMOUNT_SHOWN", "E2")]
    assert parsed.frame["row"].tolist() == [3]


@pytest.mark.parametrize("shown", HOME)
def test_reais_are_shown_in_many_ways(book, tmp_path, shown):
    book.active["E2"].number_format = shown
    assert errors(read(book, tmp_path)) == []


@pytest.mark.parametrize("cell", ["A2", "E2", "F2"])
def test_a_row_of_which_something_is_struck_through_is_held(book, tmp_path, cell):
    book.active[cell].font = Font(strike=True)
    parsed = read(book, tmp_path)
    assert errors(parsed) == [("ROW_STRUCK", cell)]
    assert parsed.frame["row"].tolist() == [3]


@pytest.mark.parametrize(
    ("text", "stops"), [("Não pagar este mês", True), ("cancelado em 3/10", True), ("voz e violão", False)]
)
def test_a_comment_that_stops_a_person_stops_the_row(book, tmp_path, text, stops):
    book.active["E2"].comment = Comment(text, "Bia")
    assert errors(read(book, tmp_path)) == ([("ROW_STOPPED", "E2")] if stops else [])


def test_what_is_shown_otherwise_beside_the_amount_or_above_it_holds_nobody(book, tmp_path):
    book.active["F2"].number_format = "[$$-409]0.00"
    book.active["E1"].font = Font(strike=True)
    book.active["A1"].comment = Comment("não pagar sem olhar", "Bia")
    assert errors(read(book, tmp_path)) == []


def test_of_a_large_sheet_the_same_is_seen(book, tmp_path):
    for at in range(3_000):
        book.active.append(("Ana Lima", "111.444.777-35", "ana@example.com", "E-mail", 1 + at, f"ref {at}"))
    book.active["E2000"].number_format = '"US$ "0.00'
    book.active["A2500"].font = Font(strike=True)
    found = [one for one in errors(read(book, tmp_path)) if one[0] != "ROW_DUPLICATE"]
    assert found == [("AMOUNT_SHOWN", "E2000"), ("ROW_STRUCK", "A2500")]


@pytest.mark.parametrize("height", [0.5, 0.01])
def test_a_row_of_no_height_is_a_hidden_one(book, tmp_path, height):
    book.active.row_dimensions[2].height = height
    found = [issue for issue in read(book, tmp_path).issues if issue.code.value == "HIDDEN_DATA"]
    assert ["2" in render(issue.message, "en") for issue in found] == [True]


def test_a_column_of_no_width_that_is_read_is_a_hidden_one(book, tmp_path):
    book.active.column_dimensions["C"].width = 0.1
    assert "HIDDEN_DATA" in {issue.code.value for issue in read(book, tmp_path).issues}


LEGENDS = ["vermelho = não pagar", "Amarelo: já pago", "linhas em verde: cancelado", "red - do not pay"]


@pytest.mark.parametrize("text", LEGENDS)
@pytest.mark.parametrize("where", ["above", "below"])
def test_a_legend_of_colours_that_stops_somebody_holds_all_of_whom_nobody_knows_whether_they_are_meant(
    book, tmp_path, text, where
):
    sheet = book.active
    if where == "above":
        sheet.insert_rows(1, 2)
        sheet["A1"] = text
    else:
        sheet.append((None,))
        sheet.append((text,))
    parsed = read(book, tmp_path)
    cell = "A1" if where == "above" else "A5"
    assert errors(parsed) == [("NOTE_STOPS", cell)]
    assert parsed.frame.empty
    assert set(parsed.held["codes"].tolist()) == {"NOTE_STOPS"}


@pytest.mark.parametrize("text", ["Não pagar antes do dia 10", "Pagamentos de setembro já pagos à parte"])
def test_a_note_that_stops_somebody_wants_a_look(book, tmp_path, text):
    book.active.insert_rows(1, 2)
    book.active["B1"] = text
    parsed = read(book, tmp_path)
    assert [(issue.code.value, issue.cell) for issue in parsed.issues if issue.severity == "warning"] == [
        ("NOTE_STOPS", "B1")
    ]
    assert len(parsed.frame) == 2


@pytest.mark.parametrize("text", ["Verde: novo no mês", "Folha de outubro", "Azul Produções", "Pagamento dia 10"])
def test_notes_that_stop_nobody_are_notes(book, tmp_path, text):
    book.active.insert_rows(1, 2)
    book.active["A1"] = text
    assert "NOTE_STOPS" not in {issue.code.value for issue in read(book, tmp_path).issues}


@pytest.mark.parametrize(
    ("above", "agrees"),
    [
        (("Total", 30), True),
        (("Total: R$ 30,00",), True),
        (("Total geral", None, "30,00"), True),
        (("Total de favorecidos", 2), True),
        (("Total", 31), False),
        (("TOTAL A PAGAR: 300,00",), False),
        (("Total de favorecidos: 3",), False),
        (("Total do contrato", 99), True),
        (("Total", "a conferir"), True),
    ],
)
def test_a_total_above_the_header_is_held_against_the_rows(book, tmp_path, above, agrees):
    book.active.insert_rows(1, 2)
    for position, value in enumerate(above, start=1):
        book.active.cell(1, position, value)
    parsed = read(book, tmp_path)
    assert [code for code, _ in errors(parsed)] == ([] if agrees else ["TOTAL_MISMATCH"])
    assert len(parsed.frame) == (2 if agrees else 0)
