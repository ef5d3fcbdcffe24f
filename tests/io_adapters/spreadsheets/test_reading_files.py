"""A file is what its bytes say; what cannot be read is refused by name, before any row is looked at."""

import gzip
import hashlib
import zipfile
from pathlib import Path

import fsspec
import openpyxl
import pytest

from io_adapters.spreadsheets.declarations import read_layout
from io_adapters.spreadsheets.files import expand
from io_adapters.spreadsheets.limits import FilePlace
from io_adapters.spreadsheets.reading import read_table, recognised
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.messages import Message
from schemas.sheet_cells import View

PAYMENTS = read_layout("payments", Path())
CSV = b"CPF;Valor\n529.982.247-25;10,50\n"
OLE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600


def refused(path: Path, content: bytes) -> tuple[IssueCode, str]:
    path.write_bytes(content)
    with pytest.raises(UnreadableFile) as caught:
        read_table(str(path), PAYMENTS)
    return caught.value.issues[0].code, str(caught.value)


@pytest.mark.parametrize(
    ("name", "content", "found"),
    [
        ("p.xlsx", b"\xef\xbb\xbf <HTML><body><p>", "HTML page without a table"),
        ("p.xlsx", b'<?xml version="1.0"?><Workbook/>', "XML"),
        ("p.xlsx", OLE, "old Office document"),
        ("p.csv", b"%PDF-1.7", "PDF"),
        ("p.csv", b"\x89PNG\r\n", "image"),
        ("p.csv", b"a;b\n\0\0\1", "binary"),
    ],
)
def test_what_is_not_a_table_is_refused_and_named(tmp_path, name, content, found):
    code, message = refused(tmp_path / name, content)
    assert code is IssueCode.FILE_TYPE
    assert found in message


def test_a_locked_workbook_is_told_from_a_damaged_one(tmp_path):
    code, message = refused(tmp_path / "p.xlsx", OLE + "EncryptedPackage".encode("utf-16-le"))
    assert code is IssueCode.FILE_ENCRYPTED
    assert "password" in message
    assert refused(tmp_path / "p.xls", OLE + "Workbook".encode("utf-16-le"))[0] is IssueCode.FILE_CORRUPT


def test_other_archives_are_refused_and_named(tmp_path):
    with zipfile.ZipFile(tmp_path / "made.zip", "w") as archive:
        archive.writestr("photo.jpg", "x")
    code, message = refused(tmp_path / "p.xlsx", (tmp_path / "made.zip").read_bytes())
    assert code is IssueCode.FILE_TYPE
    assert "ZIP archive" in message


def workbook_bytes(path: Path) -> bytes:
    book = openpyxl.Workbook()
    for row in (("CPF", "Valor"), ("529.982.247-25", "10,50")):
        book.active.append(row)
    book.save(path)
    return path.read_bytes()


@pytest.mark.parametrize("name", ["p.csv", "p.xls", "p.xlsx", "p.ods", "p.dat", "p", "p.REM", "p.pdf"])
@pytest.mark.parametrize("kind", ["text", "workbook", "page"])
def test_a_file_is_read_for_what_it_is_under_any_name(tmp_path, name, kind):
    page = b"<html><table><tr><th>CPF<th>Valor</tr><tr><td>529.982.247-25<td>10,50</table>"
    content = {"text": CSV, "workbook": workbook_bytes(tmp_path / "made.xlsx"), "page": page}[kind]
    (tmp_path / name).write_bytes(content)
    table = read_table(str(tmp_path / name), PAYMENTS)
    assert table.headers == ("CPF", "Valor")
    assert table.cells.iloc[0].tolist() == ["529.982.247-25", "10,50"]
    promised = {"p.csv": "text", "p.xls": "old", "p.xlsx": "workbook", "p.ods": "ods"}.get(name, kind)
    assert ("file.named" in {said.id for said in table.decisions if isinstance(said, Message)}) == (promised != kind)


def test_missing_empty_and_irregular_files_are_refused(tmp_path):
    assert refused(tmp_path / "p.csv", b"")[0] is IssueCode.FILE_EMPTY
    assert refused(tmp_path / "p.csv", b"\xef\xbb\xbf \n\n")[0] is IssueCode.FILE_EMPTY
    assert refused(tmp_path / "p.xlsx", b"PK\x03\x04 and no more")[0] is IssueCode.FILE_CORRUPT
    for path, code in ((tmp_path / "none.csv", IssueCode.FILE_MISSING), (tmp_path, IssueCode.FILE_NOT_REGULAR)):
        with pytest.raises(UnreadableFile) as caught:
            read_table(str(path), PAYMENTS)
        assert caught.value.issues[0].code is code


def test_a_file_is_known_by_the_hash_of_its_bytes(tmp_path):
    (tmp_path / "p.csv").write_bytes(CSV)
    file = read_table(str(tmp_path / "p.csv"), PAYMENTS).file
    assert (file.name, file.sha256, file.size_bytes) == ("p.csv", hashlib.sha256(CSV).hexdigest(), len(CSV))


def test_gzip_is_undone_and_a_damaged_or_exploding_one_refused(tmp_path):
    path = tmp_path / "p.csv.gz"
    path.write_bytes(gzip.compress(CSV))
    table = read_table(str(path), PAYMENTS)
    assert table.cells.loc[2].tolist() == ["529.982.247-25", "10,50"]
    assert table.file.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert refused(path, gzip.compress(CSV)[:-9])[0] is IssueCode.FILE_CORRUPT
    assert refused(path, gzip.compress(b" " * (70 * 2**20)))[0] is IssueCode.FILE_TOO_LARGE


def test_urls_are_read_like_paths():
    with fsspec.open("memory://statements/p.csv", "wb") as stream:
        stream.write(CSV)
    assert read_table("memory://statements/p.csv", PAYMENTS).file.name == "p.csv"
    assert expand(["memory:///statements/*.csv"], Path(), "2026-10") == ["memory:///statements/p.csv"]
    with pytest.raises(UnreadableFile):
        read_table("memory://statements/other.csv", PAYMENTS)


def test_patterns_mean_the_periods_files_each_once_and_in_order(tmp_path):
    for name in ("b-2026-10.csv", "a-2026-10.csv", "a-2026-11.csv", "~$a-2026-10.csv", ".a-2026-10.csv", "x[1].csv"):
        (tmp_path / name).write_bytes(CSV)
    found = expand(["*-{period}.csv", "a-{period}.csv", "x[1].csv"], tmp_path, "2026-10")
    assert [Path(path).name for path in found] == ["a-2026-10.csv", "b-2026-10.csv", "x[1].csv"]
    assert expand([str(tmp_path / "a-*10.csv")], Path("/"), "2026-10") == [str(tmp_path / "a-2026-10.csv")]


def test_a_pattern_that_means_no_file_is_refused_with_its_folder(tmp_path):
    with pytest.raises(UnreadableFile) as caught:
        expand(["dk-{period}*.tsv"], tmp_path, "2026-10")
    assert caught.value.issues[0].code is IssueCode.FILE_MISSING
    assert f"no file matches dk-2026-10*.tsv in {tmp_path}" in str(caught.value)


def test_a_file_that_shows_no_row_is_of_no_layout_that_is_known():
    with pytest.raises(UnreadableFile) as caught:
        recognised([View(None, ",", visible=True, head=())], [], FilePlace("payments.csv"))
    assert [issue.code for issue in caught.value.issues] == [IssueCode.LAYOUT_UNKNOWN]
