"""Files packed with gzip, or alone in a ZIP archive: what is in them, unpacked within bounds."""

import gzip
import posixpath
import tempfile
import zipfile
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO, Final, Protocol

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.signatures import FileKind, kind_by_name, kind_of
from schemas.issues import IssueCode

_GZIP: Final = b"\x1f\x8b"
_ZIP: Final = b"PK\x03\x04"
_CHUNK_BYTES: Final = 2**20
_ENCRYPTED: Final = 0x1
# What a Mac adds to an archive on its own.
_NOISE: Final = ("__MACOSX/", ".DS_Store")


class _Readable(Protocol):
    def read(self, size: int, /) -> bytes: ...


@dataclass(frozen=True, slots=True)
class Unpacked:
    """A stream, the name of what it holds, and how that was packed ("" when it was not)."""

    stream: BinaryIO
    name: str
    packing: str


@contextmanager
def unpack(given: Unpacked, place: Place) -> Iterator[Unpacked]:
    """Undo one packing; a workbook is no packing although it is a ZIP archive, nor is an archive that is called one.

    Raises:
        UnreadableFile: damaged, expanding beyond what a table does, or an archive of anything but one table.
    """
    start = given.stream.read(4)
    given.stream.seek(0)
    if start.startswith(_GZIP):
        with tempfile.TemporaryFile() as plain:
            _ungzip(given.stream, plain, place)
            yield _only_once(Unpacked(plain, given.name.removesuffix(".gz"), "gzip"), place)
    elif start == _ZIP and kind_by_name(given.name) is None and _kind(given.stream, place) is FileKind.ZIP:
        with tempfile.TemporaryFile() as plain:
            name = _unzip(given.stream, plain, place)
            yield _only_once(Unpacked(plain, name, "zip"), place)
    else:
        yield given


def copied(source: _Readable, target: BinaryIO, most_bytes: int) -> bool:
    """Copy a stream; stop and return False when it has more bytes than that."""
    total = 0
    while chunk := source.read(_CHUNK_BYTES):
        total += len(chunk)
        if total > most_bytes:
            return False
        target.write(chunk)
    return True


def _ungzip(packed: BinaryIO, plain: BinaryIO, place: Place) -> None:
    most_bytes = _most_bytes(packed.seek(0, 2))
    packed.seek(0)
    try:
        with gzip.GzipFile(fileobj=packed) as stream:
            whole = copied(stream, plain, most_bytes)
    except (OSError, EOFError, zlib.error) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"gzip, {type(error).__name__}") from error
    if not whole:
        raise _expands(place, most_bytes)


def _unzip(packed: BinaryIO, plain: BinaryIO, place: Place) -> str:
    """Unpack the one member of an archive and return its name; nothing is ever written under that name."""
    with _opened_zip(packed, place) as archive:
        members = archive.infolist()
        if len(members) > limits.MOST_ZIP_MEMBERS:
            raise refusal(IssueCode.FILE_ZIP, place, "zip_members", members=len(members))
        if any(_leads_out(member.filename) for member in members):
            raise refusal(IssueCode.FILE_ZIP, place, "zip_names")
        tables = [one for one in members if not one.is_dir() and not _is_noise(one.filename)]
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


@contextmanager
def _opened_zip(packed: BinaryIO, place: Place) -> Iterator[zipfile.ZipFile]:
    try:
        archive = zipfile.ZipFile(packed)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"zip, {type(error).__name__}") from error
    with archive:
        yield archive


def _kind(stream: BinaryIO, place: Place) -> FileKind:
    try:
        return kind_of(stream)
    except (zipfile.BadZipFile, ValueError, OSError) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"zip, {type(error).__name__}") from error


def _only_once(unpacked: Unpacked, place: Place) -> Unpacked:
    """Refuse a packing within a packing: nobody packs a table twice, but bombs are."""
    unpacked.stream.seek(0)
    start = unpacked.stream.read(4)
    unpacked.stream.seek(0)
    nested = start.startswith(_GZIP) or (start == _ZIP and _kind(unpacked.stream, place) is FileKind.ZIP)
    if nested:
        raise refusal(IssueCode.FILE_ZIP, place, "zip_nested")
    unpacked.stream.seek(0)
    return unpacked


def _most_bytes(packed_bytes: int) -> int:
    return min(limits.MOST_TEXT_BYTES, max(limits.HARMLESS_BYTES, limits.MOST_EXPANSION * packed_bytes))


def _expands(place: Place, most_bytes: int) -> Exception:
    return refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(most_bytes))


def _leads_out(name: str) -> bool:
    parts = name.replace("\\", "/").split("/")
    return ".." in parts or name.startswith(("/", "\\")) or ":" in parts[0]


def _is_noise(name: str) -> bool:
    return name.startswith(_NOISE[0]) or posixpath.basename(name) == _NOISE[1]
