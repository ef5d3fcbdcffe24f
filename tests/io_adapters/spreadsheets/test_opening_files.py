"""A file is opened only when it is one: no pipe, no link, nothing that grows or changes, one table to an archive."""

import gzip
import hashlib
import io
import os
import socket
import zipfile
from pathlib import Path

import pytest

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.files import FileContent, opened_content
from io_adapters.spreadsheets.unpacking import Unpacked, plain_file
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode

TABLE = b"Nome;Valor\r\nAna;1,00\r\n"


def unpacked(content: FileContent) -> Unpacked:
    """Undo its packing in this process."""
    return plain_file(content.stream, content.spare, content.member, content.place)


def refused(path: Path) -> tuple[IssueCode, str]:
    with pytest.raises(UnreadableFile) as caught, opened_content(str(path)) as content:
        unpacked(content)
    (issue,) = caught.value.issues
    assert issue.file == path.name
    return issue.code, str(issue.message)


def archive(path: Path, members: dict[str, bytes]) -> Path:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as new:
        for name, content in members.items():
            new.writestr(name, content)
    return path


def test_a_plain_file_is_itself(tmp_path):
    path = tmp_path / "lista.csv"
    path.write_bytes(TABLE)
    with opened_content(str(path)) as content:
        found = unpacked(content)
        assert found.stream.read() == TABLE
        assert (found.name, found.packing) == ("lista.csv", "")
        assert content.identity().sha256 == hashlib.sha256(TABLE).hexdigest()
        assert content.identity().size_bytes == len(TABLE)
        content.check_unchanged()


@pytest.mark.parametrize(
    ("name", "packed", "member"),
    [
        ("lista.csv.gz", gzip.compress(TABLE, mtime=0), "lista.csv"),
        ("lista.zip", None, "statement/lista 2026.csv"),
        ("lista", gzip.compress(TABLE, mtime=0), "lista"),
    ],
    ids=["gzip", "zip", "gzip under another name"],
)
def test_a_packed_table_is_unpacked_and_keeps_the_identity_of_the_file_that_came(tmp_path, name, packed, member):
    path = tmp_path / name
    if packed is None:
        archive(path, {"statement/": b"", member: TABLE, "__MACOSX/._lista.csv": b"x", ".DS_Store": b"x"})
    else:
        path.write_bytes(packed)
    with opened_content(str(path)) as content:
        found = unpacked(content)
        assert found.stream.read() == TABLE
        assert found.name == member.rsplit("/", 1)[-1]
        assert content.identity().sha256 == hashlib.sha256(path.read_bytes()).hexdigest()


def test_a_missing_or_an_empty_file_is_told(tmp_path):
    assert refused(tmp_path / "nada.csv")[0] is IssueCode.FILE_MISSING
    (tmp_path / "vazio.csv").touch()
    assert refused(tmp_path / "vazio.csv")[0] is IssueCode.FILE_EMPTY


def test_a_pipe_is_refused_without_waiting_for_anyone_to_write(tmp_path):
    os.mkfifo(tmp_path / "cano.csv")
    assert refused(tmp_path / "cano.csv")[0] is IssueCode.FILE_NOT_REGULAR


def test_a_link_a_folder_a_device_and_a_socket_are_refused(tmp_path):
    (tmp_path / "real.csv").write_bytes(TABLE)
    (tmp_path / "atalho.csv").symlink_to(tmp_path / "real.csv")
    (tmp_path / "pasta.csv").mkdir()
    for path in (tmp_path / "atalho.csv", tmp_path / "pasta.csv", Path("/dev/zero")):
        assert refused(path)[0] is IssueCode.FILE_NOT_REGULAR, path
    with socket.socket(socket.AF_UNIX) as server:
        server.bind(str(tmp_path / "s.csv"))
        assert refused(tmp_path / "s.csv")[0] in {IssueCode.FILE_NOT_REGULAR, IssueCode.FILE_MISSING}


@pytest.mark.parametrize("change", ["append", "overwrite", "truncate"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, change):
    path = tmp_path / "lista.csv"
    path.write_bytes(TABLE)
    with opened_content(str(path)) as content:
        content.check_unchanged()
        with path.open("ab" if change == "append" else "r+b") as writer:
            if change == "truncate":
                writer.truncate(5)
            else:
                writer.write(b"X")
        with pytest.raises(UnreadableFile) as caught:
            content.check_unchanged()
    assert caught.value.issues[0].code is IssueCode.FILE_CHANGED


def test_a_file_replaced_by_another_while_it_is_read_is_read_to_its_own_end(tmp_path):
    path, other = tmp_path / "lista.csv", tmp_path / "nova.csv"
    path.write_bytes(TABLE)
    other.write_bytes(b"Nome;Valor\r\nBia;9,00\r\n")
    with opened_content(str(path)) as content:
        other.replace(path)
        assert content.stream.read() == TABLE


@pytest.mark.parametrize(
    ("members", "code"),
    [
        ({}, IssueCode.FILE_ZIP),
        ({"a.csv": TABLE, "b.csv": TABLE}, IssueCode.FILE_ZIP),
        ({"../a.csv": TABLE}, IssueCode.FILE_ZIP),
        ({"a/../../b.csv": TABLE}, IssueCode.FILE_ZIP),
        ({"/etc/a.csv": TABLE}, IssueCode.FILE_ZIP),
        ({"..\\a.csv": TABLE}, IssueCode.FILE_ZIP),
        ({"C:\\a.csv": TABLE}, IssueCode.FILE_ZIP),
        ({"a.csv.gz": gzip.compress(TABLE, mtime=0)}, IssueCode.FILE_ZIP),
        ({f"{n}.csv": b"" for n in range(limits.MOST_ZIP_MEMBERS + 1)}, IssueCode.FILE_ZIP),
    ],
    ids=["nothing", "two tables", "dots", "dots inside", "absolute", "backslash", "drive", "packed twice", "many"],
)
def test_an_archive_of_anything_but_one_table_is_refused(tmp_path, members, code):
    path = archive(tmp_path / "a.zip", members or {"pasta/": b""})
    assert refused(path)[0] is code
    assert list(tmp_path.iterdir()) == [path]


def test_a_zip_within_a_zip_is_refused(tmp_path):
    inner = io.BytesIO()
    with zipfile.ZipFile(inner, "w") as new:
        new.writestr("a.csv", TABLE)
    assert refused(archive(tmp_path / "a.zip", {"b.zip": inner.getvalue()}))[0] is IssueCode.FILE_ZIP


def test_a_locked_archive_is_told_apart_from_a_damaged_one(tmp_path):
    path = archive(tmp_path / "a.zip", {"a.csv": TABLE})
    content = bytearray(path.read_bytes())
    for mark, offset in ((b"PK\x03\x04", 6), (b"PK\x01\x02", 8)):
        content[content.index(mark) + offset] |= 1
    path.write_bytes(content)
    assert refused(path)[0] is IssueCode.FILE_ENCRYPTED
    path.write_bytes(bytes(content[: len(content) // 2]))
    assert refused(path)[0] is IssueCode.FILE_CORRUPT


def test_what_expands_beyond_any_table_is_refused_before_it_fills_the_disk(tmp_path):
    bomb = bytes(limits.HARMLESS_BYTES + 1)
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(bomb))
    code, message = refused(tmp_path / "a.csv.gz")
    assert code is IssueCode.FILE_TOO_LARGE
    assert "64 MB" in message
    assert refused(archive(tmp_path / "a.zip", {"a.csv": bomb}))[0] is IssueCode.FILE_TOO_LARGE


def test_a_gzip_cut_short_is_damaged(tmp_path):
    (tmp_path / "a.csv.gz").write_bytes(gzip.compress(TABLE * 100)[:-12])
    assert refused(tmp_path / "a.csv.gz")[0] is IssueCode.FILE_CORRUPT


def test_a_file_larger_than_what_is_read_is_refused_by_its_size_alone(tmp_path):
    path = tmp_path / "a.csv"
    with path.open("wb") as sparse:
        sparse.truncate(limits.MOST_TEXT_BYTES + 1)
    code, message = refused(path)
    assert code is IssueCode.FILE_TOO_LARGE
    assert "4 GB" in message
