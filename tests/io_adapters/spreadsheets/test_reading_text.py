"""Delimited text: encoding and delimiter are decided once, and every row keeps the line it starts on."""

import csv
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import read_table
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.raw_table import RawTable
from schemas.sheet_cells import CellKind

PAYMENTS = read_layout("payments", Path())


def read(folder: Path, text: str | bytes, encoding: str = "utf-8", layout=PAYMENTS) -> RawTable:
    content = text if isinstance(text, bytes) else text.encode(encoding)
    (folder / "p.csv").write_bytes(content)
    return read_table(str(folder / "p.csv"), layout, language="en")


def refused(folder: Path, text: str | bytes) -> tuple[IssueCode, int | None, str]:
    with pytest.raises(UnreadableFile) as caught:
        read(folder, text)
    (issue,) = caught.value.issues
    return issue.code, issue.row, str(caught.value)


@pytest.mark.parametrize(
    ("encoding", "name"),
    [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16"), ("cp1252", "cp1252")],
)
@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
def test_the_encoding_is_decided_and_told(tmp_path, encoding, name, quote):
    table = read(tmp_path, f"Nome;CPF;Valor\n{quote}José{quote};x;1.234,56\n", encoding)
    assert table.headers == ("Nome", "CPF", "Valor")
    assert table.cells.loc[2].tolist() == ["José", "x", "1.234,56"]
    assert table.decisions == (name, "semicolon", "header in row 1")
    assert table.kinds_of(0).tolist() == [CellKind.TEXT]
    assert table.sheet is None


def test_bytes_of_no_encoding_are_refused(tmp_path):
    code, _, message = refused(tmp_path, b"CPF;Valor\nx;\x81\n")
    assert code is IssueCode.FILE_ENCODING
    assert "byte 13" in message


@pytest.mark.parametrize(("mark", "name"), [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "vertical bar")])
def test_the_delimiter_is_the_one_under_which_the_headers_are_found(tmp_path, mark, name):
    table = read(tmp_path, f"Nome{mark}CPF/CNPJ{mark}Valor\nSilva; Ana, | Cia{mark}x{mark}1\n".replace(f"{mark} ", " "))
    assert table.decisions[1] == name
    assert table.headers == ("Nome", "CPF/CNPJ", "Valor")


def test_a_preamble_is_passed_over_and_rows_keep_their_numbers(tmp_path):
    table = read(tmp_path, 'Relatório "outubro"\n\nsep=;\nCPF;Valor\nx;1\n\n\ny;2\n\n\n')
    assert table.header_row == 4
    assert table.cells.index.tolist() == [5, 6, 7, 8]
    assert table.cells[0].tolist() == ["x", "", "", "y"]
    assert table.misshapen_rows == ()


def test_line_breaks_inside_quotes_do_not_shift_row_numbers(tmp_path):
    table = read(tmp_path, 'CPF;Nome;Valor\r\nx;"Ana\nMaria\r\nSilva";1\r\n\r\ny;"Bia ""B""; Souza";2\r\nz;Caio;3')
    assert table.cells.index.tolist() == [2, 5, 6, 7]
    assert table.cells.loc[2, 1] == "Ana\nMaria\r\nSilva"
    assert table.cells.loc[6].tolist() == ["y", 'Bia "B"; Souza', "2"]


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("name", ["Ana", '"Ana"'], ids=["plain", "quoted"])
def test_every_kind_of_line_end_counts_as_one(tmp_path, line_end, name):
    table = read(tmp_path, line_end.join(["CPF;Nome;Valor", f"x;{name};1", "", "y;Bia;2"]))
    assert table.cells.index.tolist() == [2, 3, 4]
    assert table.cells[1].tolist() == ["Ana", "", "Bia"]


@pytest.mark.parametrize("note", ["", '"ok"'], ids=["plain", "quoted"])
def test_rows_of_another_width_are_kept_and_named_and_never_shift_the_others(tmp_path, note):
    table = read(tmp_path, f"CPF,Valor,Nota\nx,1,{note}\ny,10,50,{note}\nz\n,,,,\nw,2,{note}\n")
    assert table.misshapen_rows == (3, 4)
    assert table.cells.loc[3, [0, 1]].tolist() == ["y", "10"]
    assert table.cells.loc[4].tolist() == ["z", "", ""]
    assert table.cells.loc[6, [0, 1]].tolist() == ["w", "2"]
    assert table.headers == ("CPF", "Valor", "Nota")


@pytest.mark.parametrize("tail", ["", 'w;"Davi";4\n'], ids=["to the end", "to another quote"])
def test_a_quote_that_is_never_closed_is_told_where_it_opens(tmp_path, tail):
    code, row, message = refused(tmp_path, f'CPF;Nome;Valor\nx;"Ana\nMaria";1\ny;"Bia;2\nz;Caio;3\n{tail}')
    assert (code, row) == (IssueCode.FILE_CORRUPT, 4)
    assert "row 4" in message


def test_a_field_without_end_is_refused(tmp_path):
    code, row, message = refused(tmp_path, 'CPF;Nome;Valor\nx;"' + "a" * 200_000 + '";1\n')
    assert (code, row) == (IssueCode.FILE_CORRUPT, 2)
    assert "too long" in message


def test_a_file_without_rows_is_refused(tmp_path):
    assert refused(tmp_path, "CPF;Valor\n")[0] is IssueCode.FILE_NO_ROWS
    assert refused(tmp_path, "CPF;Valor\n;\n;;\n")[0] is IssueCode.FILE_NO_ROWS


def test_without_the_required_headers_the_first_line_is_the_header(tmp_path):
    table = read(tmp_path, "Nome;Quantia;Nota\nAna;1,50;a,b,c,d\n")
    assert (table.header_row, table.headers) == (1, ("Nome", "Quantia", "Nota"))


def test_the_layout_may_say_where_the_header_is(tmp_path):
    layout = PAYMENTS.model_copy(update={"header_row": 3})
    table = read(tmp_path, "CPF;Valor\nx;1\nCPF;Valor\ny;2\n", layout=layout)
    assert (table.header_row, table.cells[0].tolist()) == (3, ["y"])


def test_nothing_is_taken_for_a_number_or_for_nothing(tmp_path):
    values = ["NA", "null", "00123", "1E5", "12345678E00131", " x ", "TRUE", "nan"]
    table = read(tmp_path, "CPF;Valor\n" + "".join(f"{value};1\n" for value in values))
    assert table.cells[0].tolist() == values


def test_the_quick_way_and_the_thorough_way_agree(tmp_path):
    rows = [[f"p{number}", "", f"{number},50", "ção"] for number in range(40_000)]
    plain, quoted = tmp_path / "plain.csv", tmp_path / "quoted.csv"
    for path, quoting in ((plain, csv.QUOTE_NONE), (quoted, csv.QUOTE_ALL)):
        with path.open("w", encoding="cp1252", newline="") as stream:
            csv.writer(stream, delimiter=";", quoting=quoting).writerows([["CPF", "Nome", "Valor", "x"], *rows])
    one, other = (read_table(str(path), PAYMENTS) for path in (plain, quoted))
    assert one.cells.index.tolist() == other.cells.index.tolist() == list(range(2, 40_002))
    assert one.cells.equals(other.cells)
    assert one.decisions == other.decisions


def test_old_and_new_distrokid_exports_are_recognised(tmp_path):
    layout = read_layout("distrokid", Path())
    old = (
        "Reporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\tSong/Album\t"
        "Country of Sale\tSongwriter Royalties Withheld\tEarnings (USD)"
    )
    new = (
        "Date Inserted\tReporting Date\tSale Month\tStore\tArtist\tTitle\tISRC\tUPC\tQuantity\tTeam Percentage\t"
        "Source Type\tCountry of Sale\tSongwriter Royalties Withheld (USD)\tEarnings (USD)\tRecoup (USD)"
    )
    for header in (old, new):
        width = header.count("\t") + 1
        table = read(tmp_path, header + "\n" + "\t".join(["x"] * width) + "\n", layout=layout)
        assert table.decisions[1:] == ("tab", "header in row 1")
        assert len(table.headers) == width
