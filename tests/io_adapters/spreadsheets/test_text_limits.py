"""Texts that nobody means honestly: they are refused with the limit and the row, quickly, in little memory."""

import itertools
import subprocess
import sys
from pathlib import Path

import pytest

from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.texts import read
from tests.sampled import sampled

ROOT = Path(__file__).parents[3]
MB = 2**20


def refused(content, *, block_bytes=2**24):
    with pytest.raises(UnreadableFile) as caught:
        read(content, block_bytes=block_bytes)
    (issue,) = caught.value.issues
    return issue.code, issue.row, str(issue.message)


@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
@pytest.mark.parametrize("letter", ["a", "é"])
def test_a_cell_of_a_megabyte_is_read(quote, letter):
    cell = letter * (MB // len(letter.encode()))
    table = read(f"CPF;Nome\nx;1\ny;{quote}{cell}{quote}\nz;2\n")
    assert table.cells.loc[3, 1] == cell
    assert table.cells.index.tolist() == [2, 3, 4]


@pytest.mark.parametrize("quote", ["", '"'], ids=["plain", "quoted"])
@pytest.mark.parametrize("letter", ["a", "é"])
@pytest.mark.parametrize("block_bytes", [100_000, 2**24])
def test_a_cell_beyond_a_megabyte_is_refused(quote, letter, block_bytes):
    cell = letter * (MB // len(letter.encode()) + 1)
    code, row, message = refused(f"CPF;Nome\nx;1\ny;{quote}{cell}{quote}\nz;2\n", block_bytes=block_bytes)
    assert (code, row) == (IssueCode.FILE_TOO_LARGE, 3)
    assert "1 MB in one cell" in message


def test_a_first_cell_beyond_a_megabyte_is_refused_on_opening():
    assert refused("a" * (MB + 1))[:2] == (IssueCode.FILE_TOO_LARGE, 1)
    assert refused("\n\r\n" + "a" * (MB + 1) + ";b\nCPF;Nome\nx;1\n")[:2] == (IssueCode.FILE_TOO_LARGE, 3)


@pytest.mark.parametrize(
    ("line_end", "encoding"), sampled(itertools.product(["\n", "\r\n", "\r"], ["utf-8", "utf-16", "cp1252"]), one_in=2)
)
def test_a_row_beyond_four_megabytes_is_refused_whatever_is_in_it(line_end, encoding):
    text = line_end.join(["CPF;Nome", "x;é", "", "y" + ";1" * 2 * MB + ";", "z;2"])
    code, row, message = refused(text.encode(encoding))
    assert (code, row) == (IssueCode.FILE_TOO_LARGE, 4)
    assert "4 MB in one row" in message


def test_a_row_that_is_too_long_is_numbered_right_below_any_line_end():
    padded = "CPF;" + "a" * (MB - 5) + "\r\n" + "y" * 5 * MB  # the first megabyte ends between CR and LF
    assert refused(padded)[:2] == (IssueCode.FILE_TOO_LARGE, 2)


def test_a_row_over_many_lines_is_no_longer_than_a_row_on_one():
    cell = '"' + "a\n" * (MB // 4) + '"'
    assert refused(f"CPF;Nome\nx;1\n{';'.join([cell] * 50)}\nz;2\n")[:2] == (IssueCode.FILE_TOO_LARGE, 3)


@pytest.mark.long
def test_short_rows_below_a_very_wide_header_do_not_fill_the_memory():
    header = ";".join(["CPF", *map(str, range(16_383))])
    assert read(f"{header}\nx\n").cells.shape == (1, 16_384)
    for line_end in ("\n", "\r"):
        code, row, message = refused(header + line_end + f"x{line_end}" * 5_000)
        assert code is IssueCode.FILE_TOO_LARGE
        assert "40000000 cells" in message
    code, row, message = refused(f"{header};\nx\n")
    assert (code, row) == (IssueCode.FILE_TOO_LARGE, 1)
    assert "16384 columns" in message


def test_of_two_things_wrong_the_first_is_told():
    text = f"CPF;Nome\nx;{'a' * (MB + 1)}\n" + 'y;"Bia"\n' * 1_000 + 'z;"Caio" C\n'
    assert refused(text, block_bytes=MB + 100)[:2] == (IssueCode.FILE_TOO_LARGE, 2)


def test_rows_that_begin_with_an_invisible_mark_keep_it_wherever_they_are_cut():
    rows = [f"\ufeffx{number};1\n" for number in range(3_000)]
    rows[1_234] = "\ufeffy\n"
    table = read("CPF;Nome\n" + "".join(rows))
    assert table.cells[0].tolist() == [row.rstrip("\n").split(";")[0] for row in rows]
    assert table.misshapen_rows == (1_236,)


READ_WITHIN = """
import re, resource, sys
from tests.io_adapters.spreadsheets.texts import InThisProcess, fit_of
from schemas.errors import UnreadableFile

taken = int(re.search(r"VmSize:\\s+(\\d+) kB", open("/proc/self/status").read())[1]) * 1024
resource.setrlimit(resource.RLIMIT_AS, (taken + int(sys.argv[2]) * 2**20,) * 2)
with open(sys.argv[1], "rb") as stream:
    try:
        file = InThisProcess(stream)
        print(sum(len(block.cells) for block in file.blocks(fit_of(file))))
    except UnreadableFile as refused:
        print(refused.issues[0].code.value, refused.issues[0].row)
"""

# What it begins with, what is repeated how often, how many MB may be taken, what comes of it.
HUGE = {
    "a line": ("CPF;Nome\nx;1\n", "a" * MB, 50, 24, "FILE_TOO_LARGE 3"),
    "a line of many cells": ("CPF;Nome\nx;1\n", "a;" * (MB // 2), 50, 24, "FILE_TOO_LARGE 3"),
    "a first line": ("", "a" * MB, 50, 24, "FILE_TOO_LARGE 1"),
    "an open quote": ('CPF;Nome\nx;"1\n', "y;2\n" * (MB // 4), 100, 600, "FILE_QUOTE 2"),
    "line ends alone": ("CPF;Nome\nx;1\n", "\n" * MB, 100, 900, "1"),
    "quotes in titles": ("CPF;Nome\n", 'x;Mix 12" \n' * (MB // 11), 30, 600, str(MB // 11 * 30)),
}


@pytest.mark.long
@pytest.mark.skipif(sys.platform != "linux", reason="measures its memory as Linux does")
@pytest.mark.parametrize("what", sampled(HUGE, one_in=2))
def test_what_is_huge_is_refused_or_read_in_bounded_memory(tmp_path, what):
    begin, piece, pieces, bound_mb, outcome = HUGE[what]
    path = tmp_path / "p.csv"
    with path.open("w", newline="") as stream:
        stream.write(begin)
        stream.writelines(itertools.repeat(piece, pieces))
    command = [sys.executable, "-c", READ_WITHIN, str(path), str(bound_mb)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, timeout=120, check=False)
    assert (done.stdout.strip(), done.stderr) == (outcome, "")
