"""Quotes in delimited text: around fields, over lines, in titles, and never closed."""

import pytest

from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.texts import PLAIN, fit_of, opened, read
from tests.written import written

NO_QUOTES = PLAIN.model_copy(update={"quotes": "none"})
ANY_BLOCKS = pytest.mark.parametrize("block_bytes", [1, 9, 2**20])


def refused(text, layout=PLAIN, *, block_bytes=2**20):
    with pytest.raises(UnreadableFile) as caught:
        read(text, layout, block_bytes=block_bytes)
    (issue,) = caught.value.issues
    return issue.code, issue.row, str(issue.message)


@ANY_BLOCKS
def test_line_breaks_inside_quotes_do_not_shift_row_numbers(block_bytes):
    text = 'CPF;Nome;Valor\r\nx;"Ana\nMaria\r\nSilva";1\r\n\r\ny;"Bia ""B""; Souza";2\r\nz;Caio;3'
    table = read(text, block_bytes=block_bytes)
    assert table.cells.index.tolist() == [2, 5, 6, 7]
    assert table.cells.loc[2, 1] == "Ana\nMaria\r\nSilva"
    assert table.cells.loc[6].tolist() == ["y", 'Bia "B"; Souza', "2"]


@ANY_BLOCKS
def test_a_quote_in_the_middle_of_a_field_is_part_of_it(block_bytes):
    text = 'CPF,Título,Valor\nx,Mix 12" de ouro,1\nv,LP 7",5\ny,"A, ""B""",2\nz,O "Melhor",3\nw,"Fim",4\n'
    table = read(text, block_bytes=block_bytes)
    assert table.cells[1].tolist() == ['Mix 12" de ouro', 'LP 7"', 'A, "B"', 'O "Melhor"', "Fim"]
    assert table.cells.index.tolist() == [2, 3, 4, 5, 6]
    assert written(table.decisions) == ("comma", "header in row 1")


@pytest.mark.parametrize(
    "tail",
    ["", 'w;"Davi";4\n', 'w;"Davi\n";4\n', "w;Davi;4\n" * 30_000, "w;" + "Davi" * 500_000 + ";4\n"],
    ids=["to the end", "to another quote", "to a quote in a line below", "beyond many rows", "beyond a long field"],
)
@pytest.mark.parametrize("block_bytes", [2**10, 2**24])
def test_a_quote_that_is_never_closed_is_told_where_it_opens(tail, block_bytes):
    text = f'CPF;Nome;Valor\r\nx;"Ana\nMaria";"1"\r\ny;"Bia\n";"2\r\nz;Caio;3\r\n{tail}'
    code, row, message = refused(text, block_bytes=block_bytes)
    assert (code, row) == (IssueCode.FILE_QUOTE, 5)
    assert "row 5" in message


@ANY_BLOCKS
def test_a_quote_closed_in_the_middle_of_a_field_is_told_where_it_opens(block_bytes):
    code, row, _ = refused('CPF,Nome\nx,"Ana"\ny,"Heroes" (Remaster)\nz,"Bia"\n', block_bytes=block_bytes)
    assert (code, row) == (IssueCode.FILE_QUOTE, 3)


def test_of_two_broken_quotes_the_first_is_told():
    text = "CPF,Nome\n" + 'x,"Ana"\n' * 50 + 'y,"Bia" B\n' + 'x,"Ana"\n' * 50 + 'z,"Caio'
    assert refused(text, block_bytes=64)[:2] == (IssueCode.FILE_QUOTE, 52)


def test_a_header_with_an_open_quote_is_told():
    text = 'CPF,"Nome\nx,Ana\n'
    file = opened(text)
    with pytest.raises(UnreadableFile) as caught:
        next(file.blocks(fit_of(file)))
    assert [(issue.code, issue.row) for issue in caught.value.issues] == [(IssueCode.FILE_QUOTE, 1)]


@ANY_BLOCKS
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize("title", ['"Heroes" (Remaster)', 'Mix 12" de ouro', '"Heroes', 'Heroes"', 'x ""y""'])
def test_between_tabs_a_quote_in_a_title_makes_all_quotes_part_of_the_text(title, line_end, block_bytes):
    lines = ["CPF\tTítulo\tValor", 'x\t"Calm"\t1', *["w\tFim\t3"] * 20, f"y\t{title}\t2", "z\tFim\t3", ""]
    table = read(line_end.join(lines), block_bytes=block_bytes)
    assert table.cells[1].tolist() == ['"Calm"', *["Fim"] * 20, title, "Fim"]
    assert table.cells.index.tolist() == list(range(2, 25))
    assert written(table.decisions) == ("tab", "header in row 1", "quotes read as part of the text")


def test_between_tabs_a_header_below_an_open_quote_is_found():
    table = read('"Aurora\nCPF\tTítulo\nx\tMix\n')
    assert (table.header_row, table.cells.loc[3].tolist()) == (2, ["x", "Mix"])


@ANY_BLOCKS
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
def test_between_tabs_quotes_around_fields_enclose_them_when_all_do(line_end, block_bytes):
    text = '"CPF"\t"Título"\nx\t"a\tb\nc ""d"""\ny\te\n'.replace("\n", line_end)
    table = read(text, block_bytes=block_bytes)
    assert table.headers == ("CPF", "Título")
    assert table.cells[1].tolist() == [f'a\tb{line_end}c "d"', "e"]
    assert table.cells.index.tolist() == [2, 4]
    assert written(table.decisions) == ("tab", "header in row 1")


@ANY_BLOCKS
@pytest.mark.parametrize("mark", [",", ";", "\t", "|"])
def test_a_layout_without_quotes_takes_each_for_a_character(mark, block_bytes):
    text = f'CPF{mark}Título\nx{mark}"Calm"\ny{mark}"Heroes\nz{mark}Fim\n'
    table = read(text, NO_QUOTES, block_bytes=block_bytes)
    assert table.cells[1].tolist() == ['"Calm"', '"Heroes', "Fim"]
    assert written(table.decisions)[2:] == ("quotes read as part of the text",)
    assert written(read(text.replace('"', ""), NO_QUOTES).decisions)[2:] == ()
