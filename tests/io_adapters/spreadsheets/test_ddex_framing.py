"""A DDEX sales report that is cut off, put together from several, damaged or hostile is refused, and it is said why."""

import tracemalloc

import pytest

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.ddex import report as pieces
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.ddex_reports import (
    NAMES,
    due,
    foot,
    framed,
    head,
    opened,
    read,
    recording,
    summary,
    tables,
)

BODY = [summary(), recording(1, "BRAUR2600001"), due(1, "1"), recording(2, "BRAUR2600002"), due(2, "2")]
LINES = 1 + len(NAMES) + len(BODY) + 1


def refused(text, **named):
    with pytest.raises(UnreadableFile) as caught:
        tables(text, **named)
    (issue,) = caught.value.issues
    return issue.code, issue.row, str(issue.message)


def test_the_report_that_the_others_are_made_of_is_sound():
    assert read(framed(BODY))["LI.AllocatedAmount"].tolist() == ["1", "2"]


@pytest.mark.parametrize("kept", range(1, LINES))
def test_a_report_cut_off_at_any_line_is_refused(kept):
    lines = framed(BODY).splitlines(keepends=True)
    assert len(lines) == LINES
    code, row, message = refused("".join(lines[:kept]))
    assert (code, row) in {(IssueCode.FILE_CORRUPT, None), (IssueCode.FILE_NO_ROWS, None)}
    assert "missing" in message or "no LI01" in message  # not even what a line is called


@pytest.mark.long
def test_a_report_cut_off_at_any_byte_is_refused():
    content = framed(BODY).encode()
    # The footer's last cell counts the blocks of all parts, which one file cannot show.
    for kept in range(content.rindex(b"\t") - 1):
        with pytest.raises(UnreadableFile):
            tables(content[:kept])


@pytest.mark.parametrize(
    ("footer", "said"),
    [
        (foot(LINES + 1, 1, 2), f"declares {LINES + 1} lines and there are {LINES}"),
        (foot(LINES - 1, 1, 2), f"declares {LINES - 1} lines and there are {LINES}"),
        (foot(LINES, 2, 2), "declares 2 summary records and there are 1"),
        (foot(LINES, 1, 3), "declares 3 blocks and there are 2"),
        (foot("many", 1, 2), f"declares ? lines and there are {LINES}"),
        (foot("", 1, 2), f"declares ? lines and there are {LINES}"),
    ],
)
def test_a_footer_that_counts_otherwise_refuses_the_report(footer, said):
    code, row, message = refused(framed(BODY, footer=footer))
    assert (code, row) == (IssueCode.FILE_CORRUPT, LINES)
    assert said in message


def test_a_line_taken_out_of_the_middle_is_missed():
    lines = framed(BODY).splitlines(keepends=True)
    del lines[-2]
    assert f"declares {LINES} lines and there are {LINES - 1}" in refused("".join(lines))[2]


def test_two_reports_in_one_file_are_refused():
    code, row, message = refused(framed(BODY) + framed(BODY))
    assert (code, row) == (IssueCode.FILE_CORRUPT, LINES + 1)
    assert "second report" in message


def test_records_behind_the_footer_are_refused():
    code, row, message = refused(framed(BODY) + "\t".join(map(str, due(2, "3"))) + "\n")
    assert (code, row) == (IssueCode.FILE_CORRUPT, LINES + 1)
    assert "after the footer" in message


def test_blank_lines_behind_the_footer_do_no_harm():
    assert len(read(framed(BODY) + "\n\n")) == 2


def test_a_block_that_goes_on_after_another_is_counted_as_one_more_and_refused():
    again = [*BODY, due(1, "3")]
    assert "declares 2 blocks and there are 3" in refused(framed(again, footer=foot(LINES + 1, 1, 2)))[2]


def test_a_record_without_a_block_is_refused():
    body = [*BODY[:3], due("", "5"), *BODY[3:]]
    code, row, message = refused(framed(body))
    assert (code, row) == (IssueCode.FILE_CORRUPT, 1 + len(NAMES) + 4)
    assert "in no block" in message


@pytest.mark.parametrize("rest", ["rest of a title\t5\t6", "\tBRAUR2600001", "123"])
def test_a_line_that_is_no_record_is_refused_since_it_may_be_the_rest_of_one(rest):
    code, row, message = refused(framed([*BODY[:3], [rest], *BODY[3:]]))
    assert (code, row) == (IssueCode.FILE_CORRUPT, 1 + len(NAMES) + 4)
    assert message == f"row {row} is not a record"


def test_bytes_that_are_not_utf_8_are_named():
    text = framed(BODY).encode()
    at = text.index("Título".encode())
    code, _, message = refused(text[:at] + b"T\xedtulo" + text[at + 7 :])
    assert code is IssueCode.FILE_ENCODING
    assert f"byte {at + 2} " in message


def test_such_a_byte_is_counted_from_the_start_of_the_file_however_far_behind_it_is(monkeypatch):
    monkeypatch.setattr(pieces, "_READ_BYTES", 200)
    monkeypatch.setattr(pieces, "_FIRST_BYTES", 1_000)
    text = framed([*BODY, *(due(block, "1") for block in range(3, 60))]).encode()
    at = text.rindex(b"Aurora")
    code, _, message = refused(text[:at] + b"\xe1" + text[at + 1 :])
    assert code is IssueCode.FILE_ENCODING
    assert f"byte {at + 1} " in message


def test_a_line_whose_summary_is_not_there_is_refused():
    code, row, message = refused(framed([*BODY, due(2, "3", "S9")]))
    assert (code, row) == (IssueCode.FILE_CORRUPT, LINES)
    assert "refers to a SY record that is not there" in message


def test_two_summaries_of_one_key_that_differ_in_what_is_read_are_refused():
    assert len(read(framed([summary(), *BODY]))) == 2
    code, _, message = refused(framed([summary(currency="USD"), *BODY]))
    assert code is IssueCode.FILE_CORRUPT
    assert message == "there are SY records of one reference that differ in SY.CurrencyOfReporting"


def test_an_amount_of_which_two_currencies_could_be_meant_is_refused():
    body = [summary(currency="USD", other="BRL"), *BODY[1:]]
    code, row, message = refused(framed(body))
    assert (code, row) == (IssueCode.FILE_CORRUPT, 1 + len(NAMES) + 3)
    assert message == f"row {row} says different things in SY.CurrencyOfReporting, SY.CurrencyOfTransaction"


@pytest.mark.parametrize("name", ["DSR_a_b_2026-09_BR_2of2_20261012T090000.tsv", "report.tsv"])
def test_a_part_whose_name_does_not_say_so_is_refused_since_nobody_would_miss_the_others(name):
    code, _, message = refused(framed(BODY, header=head(part=1, parts=2)), name=name)
    assert code is IssueCode.FILE_CORRUPT
    assert "part 1 of 2" in message


def test_a_part_under_its_own_name_is_read():
    name = "DSR_a_b_2026-09_BR_1of2_20261012T090000.tsv.gz"
    assert len(read(framed(BODY, header=head(part=1, parts=2)), name=name)) == 2


def test_a_kind_of_record_that_first_turns_up_late_and_nameless_is_refused():
    comments = [[f"#{kind}", *NAMES[kind].split()] for kind in NAMES if kind != "RE01.02"]
    body = [summary()]
    for block in range(80_000):
        body += [recording(block, "BRAUR2600001", "Um título como outro qualquer"), due(block, "1")]
    body += [["RE01.02", 80_000, "R0", "", "", "", "7899990000014"], due(80_000, "1")]
    code, row, message = refused(framed(body, comments=comments))
    assert (code, row) == (IssueCode.FILE_CORRUPT, 1 + len(comments) + len(body) - 1)
    assert "has a RE01 record, of which no # line names the columns" in message


def test_a_line_without_an_end_is_refused():
    code, _, message = refused(b"HEAD\tdsrf/1.4\t" + b"x" * (limits.MOST_FIELD_BYTES * 5))
    assert code is IssueCode.FILE_CORRUPT
    assert "too long" in message


def test_a_line_of_tabs_alone_costs_no_more_than_other_text():
    text = framed(BODY).encode() + b"\t" * (3 * 2**20) + b"\n"
    tracemalloc.start()
    code, row, _ = refused(text)
    peak_bytes = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert (code, row) == (IssueCode.FILE_CORRUPT, LINES + 1)
    assert peak_bytes < 60 * len(text)


@pytest.mark.long
def test_a_block_that_cannot_be_held_is_refused_with_the_limit():
    start = framed([summary(), recording(1, "BRAUR2600001")]).splitlines(keepends=True)[:-1]
    line = "\t".join(map(str, due(1, "1"))) + "\n"
    text = "".join(start) + line * (1 + (limits.MOST_DDEX_BLOCK_BYTES + 8 * 2**20) // len(line))
    code, _, message = refused(text)
    assert code is IssueCode.FILE_TOO_LARGE
    assert "16 MB" in message


def test_a_file_that_does_not_begin_with_its_header_is_refused():
    with pytest.raises(UnreadableFile):
        opened(framed(BODY).replace("HEAD\t", "SY99\t", 1))
