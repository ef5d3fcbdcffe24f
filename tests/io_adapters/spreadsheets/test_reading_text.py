"""Delimited text: encoding and delimiter are decided once, and every row keeps the line it starts on."""

import itertools
from pathlib import Path

import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.reading import open_file, read_table
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.recognise import find_header
from schemas.sheet_cells import HEAD_ROWS, CellKind
from tests.io_adapters.spreadsheets.texts import PLAIN, InThisProcess, fit_of, opened, read
from tests.written import written

ENCODINGS = [("utf-8", "UTF-8"), ("utf-8-sig", "UTF-8"), ("utf-16", "UTF-16"), ("cp1252", "cp1252")]
DELIMITERS = [(",", "comma"), (";", "semicolon"), ("\t", "tab"), ("|", "vertical bar")]


def refused(content):
    with pytest.raises(UnreadableFile) as caught:
        read(content)
    (issue,) = caught.value.issues
    return issue.code, issue.row, str(caught.value)


@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"], ids=["LF", "CRLF", "CR"])
@pytest.mark.parametrize(("encoding", "encoding_name"), ENCODINGS)
@pytest.mark.parametrize(("mark", "mark_name"), DELIMITERS)
@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
def test_every_delimiter_encoding_and_line_end_is_read_and_told(
    mark, mark_name, encoding, encoding_name, line_end, quote
):
    rows = [["Nome", "CPF", "Valor"], ["José", "x", "1.234.567"], ["", "", ""], ["Conceição €", "y", "NA"]]
    text = line_end.join(mark.join(f"{quote}{cell}{quote}" for cell in row) for row in rows)
    for end, block_bytes in itertools.product(["", line_end, line_end * 3], [7, 2**20]):
        content = (text + end).encode(encoding)
        file = opened(content, block_bytes=block_bytes)
        assert written(file.decisions) == (encoding_name,)
        table = read(content, block_bytes=block_bytes)
        assert table.headers == tuple(rows[0])
        assert written(table.decisions) == (mark_name, "header in row 1")
        assert table.cells.index.tolist() == [2, 3, 4]
        assert table.cells.to_numpy().tolist() == rows[1:]
        assert table.kinds_of(0).tolist() == [CellKind.TEXT, CellKind.EMPTY, CellKind.TEXT]
        assert table.sheet is None


# Names as they are written on the machines that these encodings come from.
NAMES = [
    "João da Conceição",
    "Antônio Simões",
    "Luís Égide",
    "Núbia",
    "Mãe d’Água",
    "Inês & Ângela",
    "MARIA JOSÉ",
    "JOÃO",
]


@pytest.mark.parametrize(("codec", "name"), [("mac-roman", "Mac Roman"), ("cp850", "cp850"), ("cp1252", "cp1252")])
@pytest.mark.parametrize("count", [1, 3, 8])
def test_the_encoding_is_the_one_that_makes_words_of_the_names(codec, name, count):
    names = [text.replace("’", "'") if codec == "cp850" else text for text in NAMES[:count]]
    content = "\n".join(["CPF;Valor", *(f"{text};1,50" for text in names)]).encode(codec)
    assert written(opened(content).decisions) == (name,)
    assert read(content).cells[0].tolist() == names


FOREIGN = {
    "cp1250": ["Utwór;Łódź", "Źdźbło;Kwota", "Żółć;Święta", "Próżność;Kłótnia"],
    "cp1251": ["Трек;Магазин", "Песня;Сумма", "ЛЮБОВЬ;Яндекс", "Ёлка;МОСКВА"],
}


@pytest.mark.parametrize("codec", FOREIGN)
@pytest.mark.parametrize("count", [1, 2, 4])
def test_letters_of_other_alphabets_are_read_as_they_were_written(codec, count):
    rows = FOREIGN[codec][:count]
    content = "\n".join(["CPF;Valor", *rows]).encode(codec)
    assert written(opened(content).decisions)[0].startswith(codec)
    assert [";".join(row) for row in read(content).cells.to_numpy().tolist()] == rows


@pytest.mark.parametrize("codec", ["cp1251", "koi8-r", "shift-jis", "cp1253"])
def test_an_encoding_that_can_only_be_guessed_is_said_to_be_a_guess(codec):
    text = {"shift-jis": "音楽配信サービス;宇多田ヒカル", "cp1253": "Τραγούδι;Αγάπη"}.get(codec, "Песня;Любовь")
    (said,) = written(opened(f"CPF;Valor\n{text}\n".encode(codec)).decisions)
    assert "a guess by its letters" in said


@pytest.mark.parametrize(
    "title",
    [
        "Björk",
        "Motörhead",
        "Jäger",
        "Don’t “Go”",
        "Æsir – live",
        "Señor Ñu",
        "Blå øl",
        "US€ 5 … ™",
        "Rock•Pop",
        "de 5 m²",
        "live–take",
    ],
)
def test_usual_texts_of_other_countries_stay_cp1252(title):
    content = f"CPF;Preço\n{title};1\n".encode("cp1252")
    assert read(content).cells[0].tolist() == [title]


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_without_a_mark_is_read(tmp_path, encoding):
    path = tmp_path / "payments.csv"
    path.write_bytes("Nome;CPF;Valor\nJoão;529.982.247-25;1,50\n".encode(encoding))
    with open_file(str(path)) as file:
        rows = [row.texts for view in file.views for row in view.head]
    assert ("João", "529.982.247-25", "1,50") in rows


@pytest.mark.parametrize("encoding", ["utf-16-le", "utf-16-be"])
def test_utf_16_is_read_in_either_order_of_bytes(encoding):
    table = read(("\ufeffCPF;Valor\nx🎵;1\n").encode(encoding), block_bytes=3)
    assert table.cells[0].tolist() == ["x🎵"]


@pytest.mark.parametrize(
    ("content", "byte"),
    [
        (b"CPF;Valor\nx;\x81\n", 13),
        (b"\xef\xbb\xbfCPF;Valor\nx;\xe9\n", 16),
        (b"\xff\xfe" + "CPF;Valor\nx;".encode("utf-16-le") + b"\x00\xd8;\0", 27),
        (b"\xff\xfe" + "CPF;Valor\nx;1".encode("utf-16-le") + b"\n", 29),
        (b"CPF;Valor\nx;\0\n", 13),
        ("\ufeffCPF;Valor\nx;\0\n".encode("utf-16-be"), 27),
    ],
    ids=[
        "cp1252 has no such byte",
        "a mark promises UTF-8",
        "half a pair",
        "half a unit",
        "NUL",
        "NUL in UTF-16",
    ],
)
@pytest.mark.parametrize("block_bytes", [5, 2**20])
def test_bytes_of_no_encoding_are_refused_and_the_first_is_named(content, byte, block_bytes):
    with pytest.raises(UnreadableFile, match=rf"byte {byte}\)") as caught:
        opened(content, block_bytes=block_bytes)
    assert caught.value.issues[0].code is IssueCode.FILE_ENCODING


@pytest.mark.parametrize("content", [b"\n", b" \t\r\n \n", b"\xef\xbb\xbf\n", "\ufeff \n".encode("utf-16-le")])
def test_nothing_but_blanks_is_an_empty_file(content):
    with pytest.raises(UnreadableFile) as caught:
        opened(content)
    assert caught.value.issues[0].code is IssueCode.FILE_EMPTY


def test_a_text_is_seen_under_each_delimiter_that_cuts_it():
    file = opened("Statement; October\n\nCPF,Nome\n x ,Ana\n")
    comma, semicolon = file.views
    assert (comma.delimiter, semicolon.delimiter) == (",", ";")
    assert [(head.row, head.texts) for head in comma.head] == [
        (1, ("Statement; October",)),
        (3, ("CPF", "Nome")),
        (4, (" x ", "Ana")),
    ]
    assert semicolon.head[0].texts == ("Statement", " October")
    assert all(view.sheet is None and view.visible for view in file.views)


def test_a_text_of_one_column_is_seen_under_the_comma():
    (view,) = opened("CPF\nx\n\ny\n").views
    assert view.delimiter == ","
    table = read("CPF\nx\n\ny\n")
    assert table.cells.index.tolist() == [2, 3, 4]
    assert table.cells[0].tolist() == ["x", "", "y"]


def test_the_first_rows_that_hold_anything_are_shown_wherever_they_are():
    blank = "\n" * 100
    rows = "".join(f"{blank}x,{number}\n" for number in range(HEAD_ROWS + 5))
    (view,) = opened(rows).views
    assert [head.row for head in view.head] == [101 * number for number in range(1, HEAD_ROWS + 1)]


def test_a_row_is_shown_whole_or_not_at_all():
    name = "a" * 50_000 + "\n" + "b" * 50_000
    (view,) = opened("CPF,Nome\n" + f'x,"{name}"\n' * HEAD_ROWS).views
    assert len(view.head) > 2
    assert {head.texts for head in view.head[1:]} == {("x", name)}


def test_the_delimiter_is_the_one_under_which_the_headers_are_found():
    table = read("a,b;c,d;e\nNome;CPF;Valor\nSilva, Ana;x;1,5\n")
    assert written(table.decisions) == ("semicolon", "header in row 2")
    assert table.cells.loc[3].tolist() == ["Silva, Ana", "x", "1,5"]


def test_a_preamble_is_passed_over_and_rows_keep_their_numbers():
    table = read('Relatório "outubro"\n\nsep=;\nCPF;Valor\nx;1\n\n\ny;2\n\n\n')
    assert table.header_row == 4
    assert table.cells.index.tolist() == [5, 6, 7, 8]
    assert table.cells[0].tolist() == ["x", "", "", "y"]
    assert table.misshapen_rows == ()


@pytest.mark.parametrize("block_bytes", [10, 2**20])
def test_a_header_deep_below_a_preamble_with_quotes_over_lines_is_found(block_bytes):
    preamble = 'Label,"Aurora\r\nMúsica\r\nLtda"\r\n' + "\r\n" * 30 + "Period,2026-10\r\n" * (HEAD_ROWS - 2)
    text = preamble + 'CPF,"Valor\r\n(R$)",Nome\r\nx,1,Ana\r\n\r\ny,2,"Bia ""B"""\r\n'
    table = read(text, block_bytes=block_bytes)
    assert table.header_row == 33 + HEAD_ROWS - 1
    assert table.headers == ("CPF", "Valor\r\n(R$)", "Nome")
    assert table.cells.index.tolist() == [94, 95, 96]
    assert table.cells[2].tolist() == ["Ana", "", 'Bia "B"']


def test_the_layout_may_say_where_the_header_is():
    layout = PLAIN.model_copy(update={"header_row": 3})
    table = read("CPF;Valor\nx;1\nCPF;Valor\ny;2\n", layout)
    assert (table.header_row, table.cells[0].tolist()) == (3, ["y"])


def test_mixed_line_ends_count_as_one_line_each():
    table = read("CPF;Nome\r\nx;Ana\ny;Bia\r\rz;Caio\n\r\nw;Davi")
    assert table.cells.index.tolist() == [2, 3, 4, 5, 6, 7]
    assert table.cells[0].tolist() == ["x", "y", "", "z", "", "w"]


@pytest.mark.parametrize("note", ["", '"ok"'], ids=["plain", "quoted"])
@pytest.mark.parametrize("block_bytes", [6, 2**20])
def test_rows_of_another_width_are_kept_and_named_and_never_shift_the_others(note, block_bytes):
    text = f"CPF,Valor,Nota\nx,1,{note}\ny,10,50,{note}\nz\n,,,,\nw,2,{note}\n"
    table = read(text, block_bytes=block_bytes)
    assert table.misshapen_rows == (3, 4)
    assert table.cells.index.tolist() == [2, 3, 4, 5, 6]
    assert table.cells.loc[3, [0, 1]].tolist() == ["y", "10"]
    assert table.cells.loc[4].tolist() == ["z", "", ""]
    assert table.cells.loc[6, [0, 1]].tolist() == ["w", "2"]
    assert table.headers == ("CPF", "Valor", "Nota")


def test_a_row_with_something_beyond_the_header_alone_is_no_blank_row():
    table = read("CPF,Valor\nx,1\n,,2\n\n")
    assert table.misshapen_rows == (3,)
    assert table.cells.index.tolist() == [2, 3]


def test_every_row_one_field_too_long_is_told_and_not_shifted():
    table = read("CPF,Valor\nx,1,\ny,2,\n")
    assert table.misshapen_rows == (2, 3)
    assert table.cells[0].tolist() == ["x", "y"]


@pytest.mark.parametrize("text", ["CPF;Valor\n", "CPF;Valor", "CPF;Valor\n;\n;;\n\n", 'CPF;Valor\n"";""\n'])
def test_a_header_alone_is_an_empty_table_which_is_said(text):
    table = read(text)
    assert (table.cells.shape, table.headers) == ((0, 2), ("CPF", "Valor"))
    assert "no row below the header" in str(table.decisions[-1])


def test_nothing_is_taken_for_a_number_or_for_nothing():
    values = ["NA", "null", "00123", "1E5", "12345678E00131", " x ", "TRUE", "nan", "\ufeffx"]
    table = read("CPF;Valor\n" + "".join(f"{value};1\n" for value in values))
    assert table.cells[0].tolist() == values


def test_the_stream_is_read_from_its_start_and_left_open(tmp_path):
    path = tmp_path / "p.csv"
    path.write_bytes(b"CPF;Valor\nx;1\n")
    with path.open("rb") as stream:
        stream.seek(5)
        file = InThisProcess(stream)
        (table,) = file.blocks(fit_of(file))
        assert table.cells.loc[2].tolist() == ["x", "1"]
        assert written(table.decisions, "pt-BR") == ("ponto e vírgula", "cabeçalho na linha 1")
        assert not stream.closed


def test_old_and_new_distrokid_exports_are_recognised():
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
        file = opened(header + "\n" + "\t".join(["x"] * width) + "\n")
        (view,) = file.views
        fit = find_header(view, layout)
        assert fit is not None
        (table,) = file.blocks(fit)
        assert written(table.decisions) == ("tab", "header in row 1")
        assert len(table.headers) == width


@pytest.mark.parametrize(
    ("written", "read"),
    [('="00123"', "00123"), ('"=""00123"""', "00123"), ('=""', ""), ('="a"&"b"', '="a"&"b"'), ("=1+1", "=1+1")],
)
def test_a_text_that_an_export_put_into_a_formula_to_keep_its_zeros_is_that_text(tmp_path, written, read):
    path = tmp_path / "p.csv"
    path.write_text(f"CPF;Valor\n{written};1,00\n", encoding="utf-8")
    layout = read_layout("payments", Path())
    assert read_table(str(path), layout).cells[0].tolist() == [read]
