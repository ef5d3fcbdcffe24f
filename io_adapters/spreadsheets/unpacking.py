"""Undoing the packing of a file, in the process that reads it: one table in gzip, or a member of a ZIP archive."""

import gzip
import posixpath
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.kinds import WORKBOOKS, ZIP, FileKind, kind_by_name, kind_of
from io_adapters.spreadsheets.limits import FilePlace, copied, refusal
from schemas.issues import IssueCode
from schemas.messages import Message

_GZIP: Final = b"\x1f\x8b"
_ENCRYPTED: Final = 0x1
# What a Mac adds to an archive on its own.
_NOISE: Final = ("__MACOSX/", ".DS_Store")


@dataclass(frozen=True, slots=True)
class Unpacked:
    stream: BinaryIO
    name: str
    packing: str


def plain_file(given: BinaryIO, spare: BinaryIO, member: str, place: FilePlace) -> Unpacked:
    """Undo one packing; a workbook is no packing although it is a ZIP archive, nor is an archive that is called one.

    Args:
        spare: An empty file that takes what is unpacked.
        member: Of an archive, which file of it is meant; "" for its only one.

    Raises:
        UnreadableFile: damaged, expanding beyond what a table does, or an archive of anything but one table.
    """
    name = place.file
    if member:
        return _only_once(Unpacked(spare, _unzip(given, spare, place, member), "zip"), place)
    given.seek(0)
    start = given.read(4)
    given.seek(0)
    if start.startswith(_GZIP):
        _ungzip(given, spare, place)
        return _only_once(Unpacked(spare, name.removesuffix(".gz"), "gzip"), place)
    if start == ZIP and kind_by_name(name) is None and _kind(given, place) is FileKind.ZIP:
        return _only_once(Unpacked(spare, _unzip(given, spare, place), "zip"), place)
    return Unpacked(given, name, "")


def readable_kind(stream: BinaryIO, place: FilePlace) -> FileKind:
    """Return what a file is by its bytes, whatever its name says; refuse what is not read."""
    stream.seek(0)
    try:
        found = kind_of(stream)
    except (zipfile.BadZipFile, ValueError) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=str(error)) from error
    if found is FileKind.ENCRYPTED:
        raise refusal(IssueCode.FILE_ENCRYPTED, place)
    if found not in WORKBOOKS and found is not FileKind.TEXT:
        raise refusal(IssueCode.FILE_TYPE, place, "type", found=Message(f"file.kind_{found}"))
    if found in WORKBOOKS and stream.seek(0, 2) > limits.MOST_WORKBOOK_BYTES:
        raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.MOST_WORKBOOK_BYTES))
    stream.seek(0)
    return found


def members_in(archive: BinaryIO, place: FilePlace) -> list[str]:
    """Return the names of an archive's members, without their folders.

    Raises:
        UnreadableFile: it is damaged, or not to be trusted.
    """
    with _opened_zip(archive, place) as opened:
        return [_flat(member.filename) for member in _tables_in(opened, place)]


def _ungzip(packed: BinaryIO, plain: BinaryIO, place: FilePlace) -> None:
    most_bytes = _most_bytes(packed.seek(0, 2))
    packed.seek(0)
    try:
        with gzip.GzipFile(fileobj=packed) as stream:
            whole = copied(stream, plain, most_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"gzip, {type(error).__name__}") from error
    if not whole:
        raise _expands(place, most_bytes)


def _unzip(packed: BinaryIO, plain: BinaryIO, place: FilePlace, wanted: str = "") -> str:
    """Unpack the one member of an archive, or the one wanted, and return its name; nothing is written under that."""
    with _opened_zip(packed, place) as archive:
        tables = [member for member in _tables_in(archive, place) if wanted in ("", _flat(member.filename))]
        if len(tables) != 1:
            raise refusal(IssueCode.FILE_ZIP, place, "zip_members", members=len(tables))
        (table,) = tables
        if table.flag_bits & _ENCRYPTED:
            raise refusal(IssueCode.FILE_ENCRYPTED, place, "zip_locked")
        most_bytes = _most_bytes(table.compress_size)
        try:
            with archive.open(table) as stream:
                whole = copied(stream, plain, most_bytes)
        except (OSError, EOFError, zlib.error, zipfile.BadZipFile, NotImplementedError) as error:
            raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"zip, {type(error).__name__}") from error
    if not whole:
        raise _expands(place, most_bytes)
    return posixpath.basename(table.filename)


def _tables_in(archive: zipfile.ZipFile, place: FilePlace) -> list[zipfile.ZipInfo]:
    members = archive.infolist()
    if len(members) > limits.MOST_ZIP_MEMBERS:
        raise refusal(IssueCode.FILE_ZIP, place, "zip_members", members=len(members))
    if any(_leads_out(member.filename) for member in members):
        raise refusal(IssueCode.FILE_ZIP, place, "zip_names")
    return [member for member in members if not member.is_dir() and not _is_noise(member.filename)]


@contextmanager
def _opened_zip(packed: BinaryIO, place: FilePlace) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(packed)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"zip, {type(error).__name__}") from error
    with archive:
        yield archive


def _kind(stream: BinaryIO, place: FilePlace) -> FileKind:
    try:
        return kind_of(stream)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"zip, {type(error).__name__}") from error


def _only_once(unpacked: Unpacked, place: FilePlace) -> Unpacked:
    """Refuse a packing within a packing: nobody packs a table twice, but bombs are."""
    unpacked.stream.seek(0)
    start = unpacked.stream.read(4)
    unpacked.stream.seek(0)
    nested = start.startswith(_GZIP) or (start == ZIP and _kind(unpacked.stream, place) is FileKind.ZIP)
    if nested:
        raise refusal(IssueCode.FILE_ZIP, place, "zip_nested")
    unpacked.stream.seek(0)
    return unpacked


def _most_bytes(packed_bytes: int) -> int:
    return min(limits.MOST_TEXT_BYTES, max(limits.HARMLESS_BYTES, limits.MOST_EXPANSION * packed_bytes))


def _expands(place: FilePlace, most_bytes: int) -> Exception:
    return refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(most_bytes))


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]


def _is_noise(name: str) -> bool:
    return name.startswith(_NOISE[0]) or posixpath.basename(name) == _NOISE[1]


def _flat(name: str) -> str:
    return posixpath.basename(name)
