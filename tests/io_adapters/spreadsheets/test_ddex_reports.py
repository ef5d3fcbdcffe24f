"""A DDEX sales report becomes a table of its lines, each with what the records around it say of it."""

import re
import string
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from io_adapters.spreadsheets.ddex import report as pieces
from io_adapters.spreadsheets.ddex.head import is_records
from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.texts import raw_tables
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.layouts.layout import Layout
from schemas.layouts.recognise import candidates
from schemas.parsing.table import parse_table
from tests.io_adapters.spreadsheets.ddex_reports import (
    IDENTITY,
    NAMES,
    RECORD_COMPANIES,
    ROYALTIES,
    due,
    fitted,
    framed,
    head,
    lines_of,
    names,
    opened,
    read,
    recording,
    release,
    summary,
    tables,
    usage,
)
from tests.written import written

TWO_BLOCKS = [
    summary(),
    summary("S2", "USD", "US"),
    release(1),
    recording(1, "BRAUR2600001"),
    usage(1),
    due(1, "1.50"),
    usage(1, "S2"),
    due(1, "-0.25", "S2", -3),
    recording(1, "BRAUR2600002", "Outro"),
    usage(1),
    due(1, "7"),
    recording(2, "BRAUR2600003", "Sem álbum"),
    usage(2),
    due(2, "9"),
]


def refused(text, layout=ROYALTIES, **named):
    with pytest.raises(UnreadableFile) as caught:
        tables(text, layout, **named)
    (issue,) = caught.value.issues
    return issue.code, issue.row, str(issue.message)


@pytest.mark.parametrize(
    ("start", "expected"),
    [
        (b"HEAD\tdsrf/1.4\t", True),
        (b"\xef\xbb\xbfHEAD\tdsrf/1.4\t", True),
        (b"# made by hand\r\n\r\n#HEAD\tMessageVersion\r\nHEAD\tdsrf/1.4\r\n", True),
        (b"HEAD;dsrf", False),
        (b"HEADER\tx\n", False),
        (b"Sale Month\tStore\n", False),
        (b"", False),
    ],
)
def test_a_report_is_known_by_its_first_record(start, expected):
    assert is_records(start) is expected


def test_a_line_has_its_recording_its_release_its_summary_and_the_report_s_head():
    cells = read(framed(TWO_BLOCKS))
    first = 1 + len(NAMES) + 1
    assert cells.index.tolist() == [first + n for n in (5, 7, 10, 13)]
    assert cells["LI.AllocatedAmount"].tolist() == ["1.50", "-0.25", "7", "9"]
    assert cells["AS.ISRC"].tolist() == [f"BRAUR260000{n}" for n in (1, 1, 2, 3)]
    assert cells["AS.Title"].tolist() == ["Título", "Título", "Outro", "Sem álbum"]
    assert cells["SY.Territory"].tolist() == ["BR", "US", "BR", "BR"]
    assert cells["SY.CurrencyOfReporting"].tolist() == ["BRL", "USD", "BRL", "BRL"]
    assert set(cells["HEAD.12"]) == {"Onda Sonora"}


def test_a_release_lends_to_its_own_block_only():
    assert read(framed(TWO_BLOCKS))["RE.Title"].tolist() == ["Sal Grosso"] * 3 + [""]


def test_a_column_of_the_line_stands_in_the_letter_it_has_in_the_file():
    (table,) = tables(framed(TWO_BLOCKS))
    assert table.headers.index("LI.AllocatedAmount") == lines_of([due(1, "x")])[0].split("\t").index("x")
    assert table.header_row == 2 + list(NAMES).index("LI01.03")


def test_sums_are_never_lines_and_decoys_are_not_read():
    (table,) = tables(framed(TWO_BLOCKS))
    parsed = parse_table(table, ROYALTIES)
    assert [str(amount) for amount in parsed.frame["amount"]] == [
        f"{amount}{'0' * 16}" for amount in ("1.50", "-0.25", "7.00", "9.00")
    ]
    assert "99.99" not in table.cells.to_numpy()
    assert parsed.issues == ()


def test_records_of_one_kind_share_the_columns_that_both_have():
    body = [
        summary(),
        recording(1, "BRAUR2600001", kind="AS01.02"),
        due(1, "1"),
        recording(2, "BRAUR2600002", kind="AS02.03"),
        due(2, "2"),
    ]
    cells = read(framed(body))
    assert cells["AS.ISRC"].tolist() == ["BRAUR2600001", "BRAUR2600002"]


def test_without_lines_that_name_cells_these_are_read_by_their_number():
    named, numbered = (read(framed(TWO_BLOCKS, comments=given)) for given in (None, []))
    shift = len(NAMES)
    assert (numbered.index + shift).tolist() == named.index.tolist()
    assert {"LI.10", "AS.5", "SY.12", "RE.7"} <= set(numbered.columns)
    assert numbered["LI.10"].tolist() == named["LI.AllocatedAmount"].tolist()
    assert numbered["AS.5"].tolist() == named["AS.ISRC"].tolist()
    assert numbered["SY.12"].tolist() == named["SY.CurrencyOfReporting"].tolist()


def test_a_record_of_another_version_than_the_named_one_is_read_by_these_names():
    older = [["#AS02.02" if row[0] == "#AS02.03" else row[0], *row[1:]] for row in names()]
    cells = read(framed(TWO_BLOCKS, comments=older))
    assert cells["AS.ISRC"].tolist() == [f"BRAUR260000{n}" for n in (1, 1, 2, 3)]
    assert "AS.5" not in cells.columns


def test_cells_are_named_once_and_what_a_later_comment_says_does_not_matter():
    again = [*TWO_BLOCKS[:6], ["#LI01.03", *reversed(NAMES["LI01.03"].split())], *TWO_BLOCKS[6:]]
    assert read(framed(again))["LI.AllocatedAmount"].tolist() == ["1.50", "-0.25", "7", "9"]


def test_a_line_that_names_cells_cannot_make_another_cell_the_money():
    other = {"AllocatedAmount": "AllocatedNetRevenue", "AllocatedNetRevenue": "AllocatedAmount"}
    swapped = [[other.get(name, name) for name in row] for row in names()]
    code, _, message = refused(framed(TWO_BLOCKS, comments=swapped))
    assert code is IssueCode.FILE_CORRUPT
    assert "LI.AllocatedAmount is cell 9 of its record, and cell 10 in the layout" in message


def test_a_job_s_own_layout_says_which_cell_is_the_money():
    own = ROYALTIES.model_copy(update={"columns": ROYALTIES.columns | {"amount": ["LI.AllocatedNetRevenue"]}})
    report = opened(framed(TWO_BLOCKS))
    (table,) = raw_tables(report.table(fitted(report, own)), IDENTITY)
    amounts = parse_table(table, own).frame["amount"]
    assert [str(amount.normalize()) for amount in amounts] == ["99.99"] * 4


def test_a_layout_whose_columns_are_of_no_record_it_reads_is_wrong():
    with pytest.raises(ValueError, match=r"neither are lines nor lend: MW\.Title"):
        Layout.model_validate(ROYALTIES.model_dump() | {"columns": ROYALTIES.columns | {"title": ["MW.Title"]}})


def test_a_missing_money_column_is_told_with_the_nearest_header():
    renamed = [["AmountAllocated" if name == "AllocatedAmount" else name for name in row] for row in names()]
    (table,) = tables(framed(TWO_BLOCKS, comments=renamed))
    with pytest.raises(UnreadableFile) as caught:
        parse_table(table, ROYALTIES)
    (issue,) = caught.value.issues
    assert issue.code is IssueCode.COLUMN_MISSING
    assert "LI.AmountAllocated" in str(issue.message)


def test_a_report_of_usages_alone_is_recognised_and_not_paid():
    layout = read_layout("ddex-basic-audio", Path())
    body = [
        ["SY01.02", "S1", "", "", "SubscriptionModel", "", "BR", "Premium", 3160, 9, "BRL", "5000.00"],
        ["AS02.03", 1, "A1", "d", "BRAUR2600001"],
        ["SU02.02", 1, "S1", "T1", "", "A1", "TRUE", 120, "19.90"],
    ]
    single = [body[0], ["SR02.01", "S1", "d", "BRAUR2600001"]]
    for profile, records in (("BasicAudioProfile", body), ("BasicAudioProfileSRB", single)):
        text = framed(records, header=head(profile), comments=[])
        (fit,) = candidates(opened(text).views, [layout, ROYALTIES])
        assert fit.layout is layout
        code, _, message = refused(text, layout)
        assert code is IssueCode.COLUMN_MISSING
        assert "states usages" in message


def test_lines_that_refer_to_their_recording_have_that_one_and_not_the_one_above():
    layout = Layout.model_validate(
        {
            "layout": "own",
            "title": "Own",
            "table": "royalty_lines",
            "records": {
                "line": "SU02",
                "lend": [{"record": "AS", "key": ["AS.3"], "by": ["SU.6"]}],
            },
            "columns": {"isrc": ["AS.5"], "amount": ["SU.9"]},
            "required": ["amount"],
            "currency": "BRL",
        }
    )
    body = [
        recording(1, "BRAUR2600001", reference="A1"),
        recording(1, "BRAUR2600002", reference="A2"),
        *(["SU02.02", 1, "S1", "T", "", reference, "TRUE", 1, amount] for reference, amount in (("A2", 5), ("A1", 7))),
        ["SU02.02", 1, "S1", "T", "R0", "", "TRUE", 1, 9],
        recording(2, "BRAUR2600003", reference="A1"),
        ["SU02.02", 2, "S1", "T", "", "A1", "TRUE", 1, 3],
    ]
    cells = read(framed(body, comments=[]), layout)
    assert cells["AS.5"].tolist() == ["BRAUR2600002", "BRAUR2600001", "", "BRAUR2600003"]
    body.append(["SU02.02", 2, "S1", "T", "", "A2", "TRUE", 1, 3])
    code, row, message = refused(framed(body, comments=[]), layout)
    assert (code, row) == (IssueCode.FILE_CORRUPT, 9)
    assert "row 9 refers to a AS record that is not there" in message


@pytest.mark.parametrize(
    ("written", "title"),
    [
        ("Fim \\\\| Recomeço", "Fim | Recomeço"),
        ("Fim \\| Recomeço", "Fim | Recomeço"),
        ("Barra\\\\\\Invertida", "Barra\\Invertida"),
        ("Fim\\\\\\", "Fim\\"),
        ("Um\\\\\\|Outro", "Um\\\\\\|Outro"),
        ("Um|Outro\\\\|s", "Um|Outro\\\\|s"),
        ("A\\\tB", "A\tB"),
        ('"Aspas" soltas', '"Aspas" soltas'),
    ],
)
def test_escaped_marks_are_part_of_a_text_and_several_values_stay_as_written(written, title):
    # The recording's other cells show that no tab was taken for a mark, nor a mark for a tab.
    cells = read(framed([summary(), recording(1, "BRAUR2600001", written), due(1, "1")]))
    assert cells["AS.Title"].tolist() == [title]
    assert cells["AS.DisplayArtistName"].tolist() == ["Lua Serrana"]


def test_a_backslash_before_a_backslash_does_not_escape_the_tab_behind_both():
    # An escaped backslash, then an escaped tab; and an escaped backslash, then the end of the cell.
    cells = read(framed([summary(), recording(1, "BRAUR2600001", "A\\\\\\\\\tB"), due(1, "1")]))
    assert cells["AS.Title"].tolist() == ["A\\\tB"]


@pytest.mark.parametrize(("column", "code"), [("ISRC", IssueCode.ISRC_FORMAT), ("amount", IssueCode.AMOUNT_FORMAT)])
def test_two_values_where_one_is_read_are_an_error_and_never_the_first(column, code):
    isrc = "BRAUR2600001|BRAUR2600002" if column == "ISRC" else "BRAUR2600001"
    amount = "1.00|2.00" if column == "amount" else "1.00"
    (table,) = tables(framed([summary(), recording(1, isrc), due(1, amount)]))
    parsed = parse_table(table, ROYALTIES)
    assert [issue.code for issue in parsed.issues] == [code]
    assert parsed.frame.empty


def test_a_line_with_more_cells_than_names_or_fewer_than_are_read_is_held():
    shifted = due(1, "3")
    shifted[3:3] = ["extra", "extra"]
    body = [
        summary(),
        recording(1, "BRAUR2600001"),
        due(1, "1"),
        due(1, "2")[:8],
        shifted,
        [*due(1, "4"), "", ""],
        due(1, "5")[:10],
    ]
    (table,) = tables(framed(body))
    held = parse_table(table, ROYALTIES)
    first = int(table.cells.index[0])
    assert table.misshapen_rows == (first + 1, first + 2, first + 4)
    assert [issue.code for issue in held.issues] == [IssueCode.ROW_WIDTH] * 3
    assert [str(amount.normalize()) for amount in held.frame["amount"]] == ["1", "4"]


def test_a_line_that_a_stray_backslash_has_shifted_is_held():
    # Its last cell is filled, so that it is long enough in spite of the cell it lost.
    stray = [*due(1, "1"), "T1"]
    stray[3] = "Aurora\\"
    (table,) = tables(framed([summary(), recording(1, "BRAUR2600001"), due(1, "2"), stray]))
    assert table.misshapen_rows == (int(table.cells.index[1]),)


def test_windows_line_ends_blank_lines_and_a_byte_order_mark_change_nothing():
    text = framed(TWO_BLOCKS)
    assert read(b"\xef\xbb\xbf" + text.replace("\n", "\r\n").encode()).equals(read(text))
    body = framed([*TWO_BLOCKS[:2], [""], *TWO_BLOCKS[2:]])
    assert read(body)["LI.AllocatedAmount"].tolist() == ["1.50", "-0.25", "7", "9"]
    assert read(text.removesuffix("\n")).equals(read(text))


def test_what_was_decided_is_told():
    body = [*TWO_BLOCKS[:2], ["XX09", "?"], ["DE01", "deal"], *TWO_BLOCKS[2:]]
    report = opened(framed(body, header=head(part=2, parts=3)), "DSR_a_b_2of3_20261012T090000.tsv")
    assert written(report.decisions) == (
        "UTF-8",
        "DDEX sales report, profile RoyaltyReportingProfile",
        "part 2 of 3",
        "records of unknown type not read: XX09",
    )
    (table,) = raw_tables(report.table(fitted(report)), IDENTITY)
    assert written(table.decisions) == ("each LI01 record is a line",)


def test_a_report_read_by_a_layout_for_tables_is_refused():
    code, _, message = refused(framed(TWO_BLOCKS), read_layout("royalties", Path()))
    assert code is IssueCode.LAYOUT_UNKNOWN
    assert "does not say which records are lines" in message


def test_a_report_without_sales_has_no_rows():
    code, _, message = refused(framed([summary(), release(1)]))
    assert code is IssueCode.FILE_NO_ROWS
    assert message == "the report has no LI01 record"


def test_a_report_of_single_records_needs_no_blocks():
    line = [""] * 48
    line[0], line[13], line[24], line[25], line[28], line[44], line[46] = (
        *("SR08.01", "BRAUR2600001", "S1", "2026-09-05", "12"),
        *("3.25", "88"),
    )
    sy = [""] * 22
    sy[0], sy[1], sy[12], sy[20], sy[21] = "SY10.01", "S1", "PT", "EUR", "BRL"
    text = "\n".join(lines_of([head("FinancialReportingToRecordCompaniesProfileSRB"), sy, line, ["SRFO", 4, 1]]))
    (table,) = tables(text, RECORD_COMPANIES)
    parsed = parse_table(table, RECORD_COMPANIES)
    (told,) = parsed.frame.to_dict("records")
    assert (str(told["amount"].normalize()), told["currency"], told["territory"]) == ("3.25", "BRL", "PT")
    assert (told["isrc"], told["period"], told["units"]) == ("BRAUR2600001", "2026-09-05", 12)
    assert parsed.issues == ()


# Marks that have a meaning, and some that do not.
_TEXT = st.text(st.sampled_from([*string.ascii_letters[:6], "|", "\\", "é", '"', "#", " ", "💿"]), max_size=6)


@pytest.mark.long
@given(
    st.lists(
        st.tuples(_TEXT, st.lists(st.tuples(st.booleans(), st.integers(-999, 999)), max_size=4)), min_size=1, max_size=9
    ),
    st.integers(60, 900),
)
@settings(max_examples=80)
def test_pieces_of_any_size_give_the_lines_that_a_reader_line_by_line_gives(recordings, read_bytes):
    body, expected = [summary(), summary("S2", "USD", "US")], []
    for number, (title, dues) in enumerate(recordings):
        block = number // 2
        written = title.strip().replace("\\", "\\\\\\").replace("|", "\\\\|")
        body.append(recording(block, f"BRAUR26{number:05d}", written))
        for in_dollars, amount in dues:
            body.append(due(block, amount, "S2" if in_dollars else "S1"))
            row = 1 + len(NAMES) + len(body)
            expected.append((row, f"BRAUR26{number:05d}", title.strip(), "USD" if in_dollars else "BRL", str(amount)))
    text = framed(body)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(pieces, "_READ_BYTES", read_bytes)
        if not expected:
            assert refused(text)[0] is IssueCode.FILE_NO_ROWS
            return
        cells = read(text)
    columns = ["AS.ISRC", "AS.Title", "SY.CurrencyOfReporting", "LI.AllocatedAmount"]
    assert list(cells[columns].itertuples(name=None)) == expected


def test_a_report_larger_than_what_is_read_at_once_is_read_in_several_tables():
    body = [summary()]
    for block in range(60_000):
        body += [recording(block, f"BRAUR26{block:05d}"), due(block, f"{block}.01")]
    blocks = tables(framed(body))
    assert len(blocks) > 1
    assert sum(len(table.cells) for table in blocks) == 60_000
    for table in blocks:
        isrcs = table.cells[table.headers.index("AS.ISRC")]
        amounts = table.cells[table.headers.index("LI.AllocatedAmount")]
        assert [re.sub("^0+(?=.)", "", isrc[7:]) + ".01" for isrc in isrcs] == amounts.tolist()
