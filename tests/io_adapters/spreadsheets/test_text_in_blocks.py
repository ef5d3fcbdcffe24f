"""A text larger than one block: the same table, its rows numbered through, whatever a block ends in."""

import csv
import io

import pytest

from schemas.messages import render
from schemas.raw_table import joined
from tests.io_adapters.spreadsheets.texts import fit_of, opened, read

ROWS = [[f"p{number}", "" if number % 3 else "Canção, lado B", f"{number},50", "€"] for number in range(5_000)]


def written(quoting, line_end="\n", rows=ROWS):
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, delimiter=";", quoting=quoting, lineterminator=line_end)
    writer.writerows([["CPF", "Nome", "Valor", "x"], *rows])
    return buffer.getvalue()


def blocks_of(content, block_bytes):
    file = opened(content, block_bytes=block_bytes)
    return list(file.blocks(fit_of(file)))


@pytest.mark.parametrize("encoding", ["utf-8", "cp1252", "utf-16"])
@pytest.mark.parametrize("line_end", ["\n", "\r\n", "\r"])
@pytest.mark.parametrize("quoting", [csv.QUOTE_NONE, csv.QUOTE_ALL])
def test_blocks_follow_each_other_without_a_gap(encoding, line_end, quoting):
    blocks = blocks_of(written(quoting, line_end).encode(encoding), 10_001)
    assert len(blocks) > 5
    table = joined(blocks)
    assert table.cells.index.tolist() == list(range(2, 5_002))
    assert table.cells.to_numpy().tolist() == ROWS
    assert {tuple(map(str, block.decisions)) for block in blocks} == {("semicolon", "header in row 1")}
    assert {block.headers for block in blocks} == {("CPF", "Nome", "Valor", "x")}


def test_a_block_holds_no_more_than_it_should():
    content = written(csv.QUOTE_ALL).encode()
    blocks = blocks_of(content, 10_000)
    rows_of_a_block = 10_000 * len(ROWS) / len(content)
    assert max(len(block.cells) for block in blocks) < rows_of_a_block * 1.2


def test_a_byte_at_the_very_end_decides_the_encoding_of_all():
    rows = [[f"p{number}", "JosÃ©", "1", "x"] for number in range(2_000)]
    text = written(csv.QUOTE_NONE, rows=rows)
    almost = text.encode("cp1252")
    assert joined(blocks_of(almost + b"z;b;2;\xc3\xa9\n", 4_096)).cells.iloc[-1, 3] == "é"
    table = joined(blocks_of(almost + b"z;b;2;\xe9\n", 4_096))
    (encoding,) = opened(almost + b"\xe9").decisions
    assert render(encoding, "en").startswith("cp1252, a guess")
    assert table.cells.iloc[-1, 3] == "é"
    assert set(table.cells.iloc[:-1, 1]) == {"JosÃ©"}


def test_one_irregular_row_leaves_the_blocks_around_it_as_they_are():
    rows = ROWS.copy()
    rows[2_500] = ["p2500", "x"]
    table = joined(blocks_of(written(csv.QUOTE_MINIMAL, rows=rows).encode(), 4_096))
    assert table.misshapen_rows == (2_502,)
    assert table.cells.index.tolist() == list(range(2, 5_002))
    assert table.cells.drop(index=2_502).to_numpy().tolist() == ROWS[:2_500] + ROWS[2_501:]


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\r", ";;;\n", '"";"";"";""\n', ";\n"], ids=repr)
@pytest.mark.parametrize("block_bytes", [3, 50, 2**20])
def test_a_blank_tail_over_several_blocks_is_left_out(blank, block_bytes):
    table = read("CPF;Nome;Valor;x\np;q;r;s\n" + blank * 100, block_bytes=block_bytes)
    assert table.cells.index.tolist() == [2]


@pytest.mark.parametrize("blank", ["\n", "\r\n", "\r", ";;;\n", '"";"";"";""\n', ";\n"], ids=repr)
@pytest.mark.parametrize("block_bytes", [3, 50, 2**20])
def test_blank_rows_over_several_blocks_are_kept_between_others(blank, block_bytes):
    text = "CPF;Nome;Valor;x\n" + blank * 60 + "p;q;r;s\n" + blank * 100 + "t;u;v;w\n" + blank * 2
    table = read(text, block_bytes=block_bytes)
    assert table.cells.index.tolist() == list(range(2, 163 + 1))
    told = table.cells[(table.cells != "").any(axis=1)]
    assert told.index.tolist() == [62, 163]
    assert told.to_numpy().tolist() == [["p", "q", "r", "s"], ["t", "u", "v", "w"]]
    assert table.misshapen_rows == ()


def test_a_file_of_blank_rows_alone_has_no_rows():
    (table,) = blocks_of(b"CPF;Nome\n" + b";\n" * 1_000, 64)
    assert table.cells.shape == (0, 2)


def test_two_readings_of_one_file_do_not_disturb_each_other():
    content = written(csv.QUOTE_ALL).encode()
    file = opened(content, block_bytes=4_096)
    fit = fit_of(file)
    for one, other in zip(file.blocks(fit), file.blocks(fit), strict=True):
        assert one.cells.equals(other.cells)


def test_a_reader_who_stops_halfway_is_let_go():
    file = opened(written(csv.QUOTE_ALL), block_bytes=4_096)
    blocks = file.blocks(fit_of(file))
    assert len(next(blocks).cells)
    blocks.close()
    assert list(blocks) == []
