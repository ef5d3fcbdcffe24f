"""However a text is written and wherever a block of it ends, it is read as Python's csv reads the whole."""

import csv
import io

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.texts import below_first_line

SOME = settings(max_examples=max(settings.default.max_examples, 200))
DELIMITERS = st.sampled_from([",", ";", "\t", "|"])
LINE_ENDS = st.sampled_from(["\n", "\r\n", "\r"])
ENCODINGS = st.sampled_from(["utf-8", "utf-8-sig", "utf-16", "cp1252"])
BLOCKS = st.one_of(st.integers(1, 40), st.just(2**20))
WIDTHS = st.integers(1, 4)
CELLS = st.one_of(
    st.sampled_from(["", "", "NA", "1.234,56", "José", " x ", '"', '""', "\n", "\r\n", "a\rb", ",", ";", "\t", "|"]),
    st.text(alphabet='ab"é€ ,;\t|\r\n', max_size=6),
)
# What leaves every record regular, so that Arrow reads it.
CALM_CELLS = st.sampled_from(
    ["a", "NA", "José", "x, y", 'says "no"', '"', "Ana\nMaria\n\n", "Ana\r\nSilva", "1;5", "\t", "|"]
)


def written(rows, delimiter, line_end, quoting):
    buffer = io.StringIO(newline="")
    csv.writer(buffer, delimiter=delimiter, lineterminator=line_end, quoting=quoting).writerows(rows)
    return buffer.getvalue()


def numbered_records(text, delimiter, quoting=csv.QUOTE_MINIMAL):
    """Return (physical line, fields) of each record after the first, as Python's csv reads the whole text."""
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=delimiter, quoting=quoting, strict=True)
    starts, records = [1], []
    for fields in reader:
        records.append(fields)
        starts.append(reader.line_num + 1)
    return list(zip(starts, records, strict=False))[1:]


def expected(records, width):
    """Return rows by line, padded or cut to the width of the header, and the lines of those of another width."""
    odd = [row for row, fields in records if len(fields) != width and any(map(str.strip, fields))]
    rows = [(row, [*fields, *[""] * width][:width]) for row, fields in records]
    while rows and not any(rows[-1][1]) and rows[-1][0] not in odd:
        rows.pop()
    return rows, odd


def assert_reads(content, headers, delimiter, block_bytes, records):
    rows, odd = expected(records, len(headers))
    table = below_first_line(content, headers, delimiter, block_bytes=block_bytes)
    assert list(zip(table.cells.index.tolist(), table.cells.to_numpy().tolist(), strict=True)) == rows
    assert list(table.misshapen_rows) == odd
    assert {str(dtype) for dtype in table.cells.dtypes} == {"str"}


@SOME
@given(st.data(), WIDTHS, DELIMITERS, LINE_ENDS, ENCODINGS, BLOCKS)
def test_what_csv_writes_is_read_back_wherever_blocks_end(data, width, delimiter, line_end, encoding, block_bytes):
    quoting = data.draw(st.sampled_from([csv.QUOTE_MINIMAL, csv.QUOTE_ALL]))
    headers = tuple(f"h{position}" for position in range(width))
    cells = data.draw(st.sampled_from([CELLS, CALM_CELLS]))
    rows = data.draw(st.lists(st.lists(cells, min_size=width, max_size=width), max_size=12))
    text = written([headers, *rows], delimiter, line_end, quoting)
    text += data.draw(st.sampled_from(["", line_end * 3, (delimiter * (width - 1) + line_end) * 2]))
    assert_reads(text.encode(encoding), headers, delimiter, block_bytes, numbered_records(text, delimiter))


@SOME
@given(st.text(alphabet='ab"" ,\n\r\té\ufeff', max_size=60), st.sampled_from([",", "\t"]), WIDTHS, BLOCKS)
def test_any_text_is_read_or_refused_as_csv_does(body, delimiter, width, block_bytes):
    headers = tuple(f"h{position}" for position in range(width))
    text = delimiter.join(headers) + "\n" + body
    try:
        records = numbered_records(text, delimiter)
        broken = False
    except csv.Error:
        broken = True
    if delimiter == "\t" and (broken or not only_around_fields(text, delimiter)):
        records = numbered_records(text, delimiter, csv.QUOTE_NONE)
    elif broken:
        with pytest.raises(UnreadableFile) as caught:
            below_first_line(text.encode(), headers, delimiter, block_bytes=block_bytes)
        (issue,) = caught.value.issues
        assert (issue.code, issue.row) == (IssueCode.FILE_QUOTE, line_of_broken_quote(text, delimiter))
        return
    assert_reads(text.encode(), headers, delimiter, block_bytes, records)


def states(text, delimiter):
    """Yield (position, character, whether it is inside quotes, whether a field begins with it), the long way."""
    inside, begins, position = False, True, 0
    while position < len(text):
        character = text[position]
        yield position, character, inside, begins
        if inside and character == '"' and text[position + 1 : position + 2] == '"':
            position += 1
        elif character == '"' and (inside or begins):
            inside = not inside
        begins = not inside and character in (delimiter, "\n", "\r")
        position += 1


def line_of_broken_quote(text, delimiter):
    for position, character, inside, begins in states(text, delimiter):
        if character == '"' and not inside and begins:
            opened = position
        closes = character == '"' and inside and text[position + 1 : position + 2] != '"'
        if closes and text[position + 1 : position + 2] not in ("", delimiter, "\r", "\n"):
            break
    return len(io.StringIO(text[: opened + 1], newline="").readlines())


def only_around_fields(text, delimiter):
    seen = [(inside, begins) for _, character, inside, begins in states(text, delimiter) if character == '"']
    return all(inside or begins for inside, begins in seen)
