"""Workbooks made to do harm are refused with the reason, in no time and without taking memory; the next one is read."""

import io
import json
import resource
import subprocess
import sys
import zipfile
from collections.abc import Callable
from itertools import product
from pathlib import Path

import openpyxl
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_adapters.spreadsheets import readers, transfer
from io_adapters.spreadsheets.workbook.calamine_sheet import OpenWorkbook
from io_adapters.spreadsheets.workbook.sheets import WorkbookRefused
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from tests.io_adapters.spreadsheets.workbook_files import (
    ANA,
    HEADERS,
    SHARED_TEXTS,
    SHEET,
    bytes_of,
    opened,
    read,
    table_of,
    with_part,
    with_shared_texts,
    with_sheet,
    workbook,
)
from tests.sampled import sampled

ROOT = Path(__file__).parents[3]
SOUND = workbook([HEADERS, ANA, ("Bia", "#REF!", "=1+1")])
ENTITIES = '<!DOCTYPE x [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;&a;&a;&a;&a;&a;&a;">]>'
OUTSIDE = '<!DOCTYPE x SYSTEM "file:///etc/passwd" [<!ENTITY a SYSTEM "file:///etc/passwd">]>'


def refused(content: bytes) -> tuple[IssueCode, str]:
    with pytest.raises(UnreadableFile) as caught:
        read(content)
    (issue,) = caught.value.issues
    assert read(SOUND).cells.loc[2, 0] == "Ana", "the next file is read all the same"
    return issue.code, str(issue.message)


def archive(members: dict[str, bytes], packing: int = zipfile.ZIP_DEFLATED) -> bytes:
    content = io.BytesIO()
    with zipfile.ZipFile(content, "w", packing) as new:
        for name, member in members.items():
            new.writestr(name, member)
    return content.getvalue()


def beside(members: dict[str, bytes], content: bytes = SOUND) -> bytes:
    """Return a workbook with more members."""
    changed = io.BytesIO(content)
    with zipfile.ZipFile(changed, "a", zipfile.ZIP_DEFLATED) as new:
        for name, member in members.items():
            new.writestr(name, member)
    return changed.getvalue()


def far_corner(*, near: bool) -> bytes:
    cells = '<row r="1"><c r="A1"><v>1</v></c></row>' if near else ""
    return with_sheet(f'<sheetData>{cells}<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>')


def shared_bomb() -> bytes:
    """A text of 30 kB that 200,000 cells share: 6 GB in a file of a megabyte."""
    rows = "".join(
        f'<row r="{n}">{"".join(f"""<c r="{column}{n}" t="s"><v>0</v></c>""" for column in "ABCD")}</row>'
        for n in range(1, 50_000)
    )
    return with_shared_texts(f"<si><t>{'A' * 30_000}</t></si>", rows)


def head_bomb() -> bytes:
    row = "".join(f'<c r="{column}{{0}}" t="s"><v>0</v></c>' for column in "ABCDEFGH")
    rows = "".join(f'<row r="{n}">{row.format(n)}</row>' for n in range(1, 50))
    return with_shared_texts(f"<si><t>{'A' * 30_000}</t></si>", rows)


def blank_bomb() -> bytes:
    return with_part(SOUND, SHEET, lambda xml: xml + b" " * (100 * 2**20))


def merged_bomb() -> bytes:
    cells = '<row r="1"><c r="A1"><v>1</v></c></row><row r="400000"><c r="CV400000"><v>1</v></c></row>'
    merged = '<mergeCells count="1"><mergeCell ref="A2:CV399999"/></mergeCells>'
    return with_sheet(f"<sheetData>{cells}</sheetData>{merged}")


HOSTILE: dict[str, tuple[Callable[[], bytes], set[IssueCode]]] = {
    "one cell in the far corner": (lambda: far_corner(near=False), {IssueCode.FILE_EXTENT}),
    "two cells in opposite corners": (lambda: far_corner(near=True), {IssueCode.FILE_EXTENT}),
    "a cell that says it is in another row": (
        lambda: with_sheet('<sheetData><row r="1"><c r="XFD1048576"><v>1</v></c></row></sheetData>'),
        {IssueCode.FILE_CORRUPT},
    ),
    "a part of blanks": (blank_bomb, {IssueCode.FILE_TOO_LARGE}),
    "many parts of blanks": (
        lambda: beside({f"xl/media/{n}": b"\0" * (60 * 2**20) for n in range(3)}),
        {IssueCode.FILE_TOO_LARGE},
    ),
    "a text shared by all cells": (shared_bomb, {IssueCode.FILE_PARSER, IssueCode.FILE_TOO_LARGE}),
    "long texts in the first rows": (head_bomb, {IssueCode.FILE_TOO_LARGE}),
    "a merged cell over everything": (merged_bomb, {IssueCode.FILE_EXTENT}),
    "more than 10,000 members": (lambda: beside({f"x/{n}": b"" for n in range(10_000)}), {IssueCode.FILE_ZIP}),
    "no archive": (lambda: b"PK\x03\x04 and nothing of the kind" * 100, {IssueCode.FILE_CORRUPT}),
    "an archive of something else": (lambda: archive({"photo.jpg": b"x"}), {IssueCode.FILE_TYPE}),
    "nothing": (lambda: b"", {IssueCode.FILE_EMPTY}),
}


SLOW = "a text shared by all cells"  # seconds, until its memory is used up


@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=pytest.mark.long if name == SLOW else ()) for name in HOSTILE]
)
def test_a_hostile_workbook_is_refused_by_its_reason(name):
    made, codes = HOSTILE[name]
    code, message = refused(made())
    assert code in codes
    timed_out = "took more than" in message and "of memory" not in message
    assert not timed_out, "it is refused by its reason, not because time ran out"


def test_the_extent_of_a_workbook_of_a_kilobyte_is_told():
    content = far_corner(near=False)
    assert len(content) < 10_000
    assert "1,048,576 rows and 16,384 columns" in refused(content)[1]


def test_a_table_of_too_much_text_is_refused(monkeypatch):
    book = OpenWorkbook(open_xlsx(workbook([HEADERS, *[ANA] * 5_000])))
    assert len(list(transfer.table_messages(book, "Sheet", 1))) == 3
    monkeypatch.setattr(transfer, "MOST_BODY_BYTES", 2**16)
    with pytest.raises(WorkbookRefused) as caught:
        list(transfer.table_messages(book, "Sheet", 1))
    assert caught.value.code == "FILE_TOO_LARGE"


@pytest.mark.long
def test_no_memory_of_this_process_is_taken(tmp_path):
    for name, (made, _) in HOSTILE.items():
        (tmp_path / f"{name}.xlsx").write_bytes(made())
    script = """
import json, sys
from pathlib import Path
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import UnreadableFile
from tests.peak_memory import peak_bytes
before = peak_bytes()
refused = 0
for path in Path(sys.argv[1]).iterdir():
    try:
        with open_file(str(path)):
            pass
    except UnreadableFile:
        refused += 1
print(json.dumps([refused, peak_bytes() - before]))
"""
    command = [sys.executable, "-c", script, str(tmp_path)]
    done = subprocess.run(command, check=True, capture_output=True, text=True, cwd=ROOT, timeout=200)
    count, grown = json.loads(done.stdout)
    assert count == len(HOSTILE)
    assert grown < 60 * 2**20


PARTS = (SHEET, SHARED_TEXTS, "xl/workbook.xml", "xl/styles.xml", "_rels/.rels", "xl/_rels/workbook.xml.rels",
         "docProps/custom.xml", "[Content_Types].xml")  # fmt: skip


@pytest.mark.parametrize("before", [ENTITIES, OUTSIDE], ids=["entities", "outside"])
@pytest.mark.parametrize(("part", "encoding"), sampled(product(PARTS, ["utf-8", "utf-16-le", "utf-16-be"]), one_in=4))
def test_a_document_type_in_any_part_is_refused(part, encoding, before):
    def declaring(xml: bytes) -> bytes:
        text = xml.decode().removeprefix('<?xml version="1.0" encoding="UTF-8" standalone="yes"?>')
        return (before + text.replace("</", "&b;</", 1)).encode(encoding)

    content = with_part(with_shared_texts("<si><t>x</t></si>", ""), part, lambda xml: declaring(xml or b"<x></x>"))
    assert refused(content)[0] is IssueCode.FILE_XML_FORBIDDEN


def test_a_document_type_deep_in_a_large_sheet_is_refused_before_it_is_read():
    rows = "".join(f'<row r="{n}"><c r="A{n}"><v>{n}</v></c></row>' for n in range(1, 30_000))
    content = with_sheet(f"<sheetData>{rows}</sheetData>{ENTITIES}")
    assert refused(content)[0] is IssueCode.FILE_XML_FORBIDDEN


@pytest.mark.parametrize(
    "name", ["../x.xml", "xl/../../x.xml", "/etc/x.xml", "\\x.xml", "xl\\..\\..\\x", SHEET.upper()]
)
def test_names_that_lead_out_of_the_archive_or_come_twice_are_refused(name):
    assert refused(beside({name: b"x"}))[0] is IssueCode.FILE_ZIP


def test_no_name_of_a_member_reaches_the_terminal_as_it_is():
    code, message = refused(beside({"../\x1b[31mred\n.xml": b"x"}))
    assert code is IssueCode.FILE_ZIP
    assert message.isprintable()


def test_an_archive_within_the_workbook_is_left_alone():
    assert read(beside({"xl/embeddings/inner.zip": blank_bomb()})).cells.loc[2, 0] == "Ana"


def test_a_workbook_locked_by_a_password_is_told():
    container = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 504 + "EncryptedPackage".encode("utf-16-le")
    with pytest.raises(UnreadableFile) as caught:
        read(container)
    assert caught.value.issues[0].code is IssueCode.FILE_ENCRYPTED
    flagged = bytearray(SOUND)
    flagged[flagged.rindex(b"PK\x01\x02") + 8] |= 1
    assert refused(bytes(flagged))[0] is IssueCode.FILE_ENCRYPTED


def test_what_is_no_workbook_is_told():
    with pytest.raises(UnreadableFile) as caught:
        read(b"%PDF-1.7")
    assert caught.value.issues[0].code is IssueCode.FILE_TYPE


def test_a_cut_or_damaged_workbook_is_refused_and_the_part_is_named():
    content = workbook([HEADERS, *[ANA] * 500])
    assert refused(content[: len(content) // 2])[0] is IssueCode.FILE_CORRUPT
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        start = package.getinfo(SHEET).header_offset + 100
    code, message = refused(content[:start] + b"\xff\x00\xff\x00" + content[start + 4 :])
    assert code is IssueCode.FILE_CORRUPT
    assert SHEET in message


def test_a_hidden_sheet_that_cannot_be_read_hides_nothing_else():
    book = openpyxl.load_workbook(io.BytesIO(SOUND))
    hidden = book.create_sheet("Velhos")
    hidden.sheet_state = "hidden"
    hidden["XFD1048576"] = 1
    with opened(bytes_of(book)) as content:
        assert [(view.sheet, view.visible, len(view.head)) for view in content.views] == [
            ("Sheet", True, 3),
            ("Velhos", False, 0),
        ]
        assert table_of(content).cells.loc[2, 0] == "Ana"


@pytest.mark.parametrize(
    "rows",
    [
        '<row r="1"><c r="A1" t="d"><v>{}</v></c></row>',
        '<row r="1"><c r="A1"><v>{}</v></c></row>',
        '<row r="1"><c r="{}"><v>1</v></c></row>',
        '<row r="{}"><c r="A1"><v>1</v></c></row>',
        '<row r="1"><c r="A1" t="s"><v>{}</v></c></row>',
        '<row r="1"><c r="A1" t="{}"><v>1</v></c></row>',
        '<row r="1"><c r="A1"><v>{}</w></c></row>',
    ],
)
def test_what_a_cell_holds_is_never_in_a_message(rows):
    document = "529.982.247-25"
    messages = [""]
    try:
        read(with_sheet(f"<sheetData>{rows.format(document)}</sheetData>"))
    except UnreadableFile as error:
        messages = [str(error), str(error.issues[0].message)]
    assert not any(document in message for message in messages)


@given(st.data())
def test_a_damaged_archive_is_read_or_refused_and_nothing_else(data):
    content = bytearray(SOUND)
    for _ in range(data.draw(st.integers(1, 4))):
        position = data.draw(st.integers(0, len(content) - 1))
        content[position] = data.draw(st.integers(0, 255))
    attempt(bytes(content[: data.draw(st.integers(0, len(content)) | st.just(len(content)))]))


@given(st.data())
def test_damaged_xml_is_read_or_refused_and_nothing_else(data):
    part = data.draw(st.sampled_from([SHEET, "xl/workbook.xml", "xl/styles.xml", "_rels/.rels", SHARED_TEXTS]))
    base = with_shared_texts(
        "<si><t>Nome</t></si>", '<row r="1"><c r="A1" t="s"><v>0</v></c><c r="B1"><v>2</v></c></row>'
    )

    def damaged(xml: bytes) -> bytes:
        spoilt = bytearray(xml)
        for _ in range(data.draw(st.integers(1, 3))):
            start = data.draw(st.integers(0, len(spoilt) - 1))
            end = start + data.draw(st.integers(0, 3))
            spoilt[start:end] = data.draw(st.binary(max_size=3) | st.sampled_from([b"<", b'"', b"9" * 30, b"-1", b"&"]))
        return bytes(spoilt)

    attempt(with_part(base, part, damaged))


def attempt(content: bytes) -> None:
    try:
        with opened(content) as book:
            for number, view in enumerate(book.views):
                if view.head:
                    table_of(book, view.head[0].row, number)
    except UnreadableFile:
        return


def test_the_reader_writes_no_longer_file_than_is_read_and_dumps_no_memory():
    read(SOUND)
    limits = Path(f"/proc/{readers.READERS.child_pid}/limits")
    if not limits.exists():
        pytest.skip("looks at limits as Linux shows them")
    soft = {line[:25].strip(): line[25:].split()[0] for line in limits.read_text().splitlines()[1:]}
    assert (soft["Max file size"], soft["Max core file size"]) == (str(4 * 2**30), "0")
    assert soft["Max address space"] == str(3 * 2**30)
    assert int(soft["Max cpu time"]) < 1_000
    assert resource.getrlimit(resource.RLIMIT_FSIZE)[0] != 0
