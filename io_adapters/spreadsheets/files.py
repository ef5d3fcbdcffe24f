"""Finding a job's files and opening each safely: its kind, within limits, unpacked, known by its bytes."""

import glob
import gzip
import hashlib
import os
import posixpath
import re
import stat
import tempfile
import zipfile
import zlib
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from enum import StrEnum
from hashlib import sha256
from pathlib import Path, PurePosixPath
from types import ModuleType
from typing import BinaryIO, Final, Protocol, cast

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.limits import FilePlace, refusal
from io_adapters.spreadsheets.text.encodings import utf_16_without_a_mark
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.raw_table import FileIdentity

_OLE: Final = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"
_UTF8_BOM: Final = b"\xef\xbb\xbf"
_UTF16_BOMS: Final = (b"\xff\xfe", b"\xfe\xff")
_HTML: Final = (b"<!doctype html", b"<html", b"<head", b"<body", b"<table", b"<meta")
_XML_SHEET: Final = b"urn:schemas-microsoft-com:office:spreadsheet"
_START_BYTES: Final = 2**16
# The names of an OLE file's streams stand somewhere in it; its first megabytes would do for most.
_OLE_BYTES: Final = 256 * 2**20


class FileKind(StrEnum):
    """The kinds of file that are told apart; workbooks and text are read."""

    XLSX = "xlsx"
    XLS = "xls"
    XLSB = "xlsb"
    ODS = "ods"
    HTML_TABLE = "html_table"
    XML_SHEET = "xml_sheet"
    TEXT = "text"
    ENCRYPTED = "encrypted"
    OLE = "ole"
    ZIP = "zip"
    PDF = "pdf"
    HTML = "html"
    XML = "xml"
    IMAGE = "image"
    BINARY = "binary"


WORKBOOKS: Final = frozenset(
    {FileKind.XLSX, FileKind.XLS, FileKind.XLSB, FileKind.ODS, FileKind.HTML_TABLE, FileKind.XML_SHEET}
)

_MARKS: Final = {
    FileKind.PDF: (b"%PDF",),
    FileKind.IMAGE: (b"\x89PNG", b"\xff\xd8\xff", b"GIF8", b"II*\0", b"MM\0*"),
}

_BY_SUFFIX: Final = {
    ".xlsx": FileKind.XLSX,
    ".xlsm": FileKind.XLSX,
    ".xls": FileKind.XLS,
    ".xlsb": FileKind.XLSB,
    ".ods": FileKind.ODS,
    ".csv": FileKind.TEXT,
    ".tsv": FileKind.TEXT,
    ".txt": FileKind.TEXT,
}


def kind_by_name(name: str) -> FileKind | None:
    """Return what a name promises; None for a name that promises nothing.

    >>> kind_by_name("royalties.TSV")
    <FileKind.TEXT: 'text'>
    """
    return _BY_SUFFIX.get(PurePosixPath(name.lower()).suffix)


def is_sheet_by_name(name: str) -> bool:
    """Say whether a name promises a spreadsheet, or an archive of some.

    >>> is_sheet_by_name("payments.xlsx"), is_sheet_by_name("june.csv.gz"), is_sheet_by_name("job.yaml")
    (True, True, False)
    """
    return kind_by_name(name) is not None or name.lower().endswith((".gz", ".zip"))


def kind_of(stream: BinaryIO) -> FileKind:
    """Return what a seekable stream holds, and leave it at its start.

    Raises:
        zipfile.BadZipFile, ValueError: it begins like a ZIP archive and is none.
    """
    start = stream.read(_START_BYTES)
    try:
        if start.startswith(b"PK\x03\x04"):
            return _zip_kind(stream)
        if start.startswith(_OLE):
            return _ole_kind(start + stream.read(_OLE_BYTES))
    finally:
        stream.seek(0)
    if start.startswith(_UTF16_BOMS):
        return FileKind.TEXT
    for kind, marks in _MARKS.items():
        if start.startswith(marks):
            return kind
    if b"\0" in start:
        return FileKind.TEXT if utf_16_without_a_mark(start) else FileKind.BINARY
    return _text_kind(start)


def _text_kind(start: bytes) -> FileKind:
    start = start.removeprefix(_UTF8_BOM).lstrip().lower()
    is_xml = start.startswith(b"<?xml")
    if start.startswith(_HTML) or (is_xml and b"<html" in start[:1024]):
        return FileKind.HTML_TABLE if b"<table" in start else FileKind.HTML
    if is_xml and _XML_SHEET in start[:4096]:
        return FileKind.XML_SHEET
    return FileKind.XML if is_xml else FileKind.TEXT


def _zip_kind(stream: BinaryIO) -> FileKind:
    with zipfile.ZipFile(stream) as archive:
        names = set(archive.namelist())
        if "xl/workbook.bin" in names:
            return FileKind.XLSB
        if "[Content_Types].xml" in names and any(name.startswith("xl/") for name in names):
            return FileKind.XLSX
        if "mimetype" in names and archive.getinfo("mimetype").file_size < _START_BYTES:
            is_sheet = b"opendocument.spreadsheet" in archive.read("mimetype")
            return FileKind.ODS if is_sheet else FileKind.ZIP
    return FileKind.ZIP


def _ole_kind(content: bytes) -> FileKind:
    # An OLE directory names its streams in UTF-16; a locked .xlsx is an OLE file around an encrypted package.
    if "EncryptedPackage".encode("utf-16-le") in content:
        return FileKind.ENCRYPTED
    if "Workbook".encode("utf-16-le") in content or "Book".encode("utf-16-le") in content:
        return FileKind.XLS
    return FileKind.OLE


_CHUNK = 1 << 20


def sha256_of(path: str) -> str:
    """Return the hex sha256 of a file's bytes.

    Raises:
        UnreadableFile: the file is not there any more, or may not be read.
    """
    digest = sha256()
    try:
        with _elsewhere().open(path, "rb") if is_url(path) else _local(path, FilePlace(Path(path).name)) as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        raise refusal(IssueCode.FILE_MISSING, FilePlace(Path(path).name)) from None
    return digest.hexdigest()


def _elsewhere() -> ModuleType:
    """Return the library that knows other storage than this machine's; most jobs have no file there."""
    import fsspec  # noqa: PLC0415 - it imports asyncio and more, and every command that reads a file would wait for it

    return cast("ModuleType", fsspec)


def is_url(path: str) -> bool:
    return "://" in path


def expand(patterns: Sequence[str], folder: Path, period_label: str) -> list[str]:
    """Find the files that a job's patterns mean.

    `{period}` becomes the period's label; patterns are relative to the job's folder, absolute, or fsspec URLs. A file
    that two patterns match is given once. Hidden files and Excel's lock files (~$name.xlsx) never match.

    Raises:
        UnreadableFile: a pattern matches nothing.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        concrete = pattern.replace("{period}", period_label)
        matches = _matches(concrete, folder)
        if not matches:
            shown = concrete.rsplit("/", 1)[0] if is_url(concrete) else str(folder)
            raise refusal(IssueCode.FILE_MISSING, FilePlace(concrete), "pattern", pattern=concrete, folder=shown)
        found.update(dict.fromkeys(matches))
    return list(found)


def _matches(pattern: str, folder: Path) -> list[str]:
    if is_url(pattern):
        with _reaching(FilePlace(pattern.rsplit("/", 1)[-1])):
            filesystem, inner = _elsewhere().core.url_to_fs(pattern)
            names = [inner] if filesystem.isfile(inner) else filesystem.glob(inner)
        paths = [str(filesystem.unstrip_protocol(name)) for name in names]
    elif (folder / pattern).is_file():  # a name may hold the characters that patterns are made of
        paths = [str(folder / pattern)]
    else:
        # Path.glob would refuse an absolute pattern.
        paths = [str(folder / name) for name in glob.glob(pattern, root_dir=folder, recursive=True)]  # noqa: PTH207
        paths = [path for path in paths if Path(path).is_file()]
    return sorted(path for path in paths if not path.rsplit("/", 1)[-1].startswith("~$"))


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
    stream: BinaryIO
    name: str
    packing: str


@contextmanager
def unpack(given: Unpacked, place: FilePlace) -> Iterator[Unpacked]:
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


# A member of an archive has a path of its own: "royalties/cargo.zip!royalty.csv".
_MEMBER: Final = re.compile(r"(.+\.zip)!([^/!]+)", re.IGNORECASE)


def _flat(name: str) -> str:
    return posixpath.basename(name)


def split_member(path: str) -> tuple[str, str]:
    """Return the path of an archive and the name of its member, which is "" for any other file."""
    found = _MEMBER.fullmatch(path)
    if found is None or (not is_url(path) and Path(path).exists()):
        return path, ""
    return found[1], found[2]


def members_of(path: str) -> list[str]:
    """Return the paths of an archive's members, where it has several; of any other file its own path.

    An archive that is not to be trusted, or cannot be read, keeps its path: whoever opens it is told why.
    """
    if not path.lower().endswith(".zip"):
        return [path]
    place = FilePlace(path.rsplit("/", 1)[-1])
    try:
        with (
            _fetched(path, place) if is_url(path) else _local(path, place) as stream,
            _opened_zip(stream, place) as archive,
        ):
            names = [_flat(member.filename) for member in _tables_in(archive, place)]
    except UnreadableFile:
        return [path]
    several = len(names) > 1 and len(set(names)) == len(names) and not any("!" in name for name in names)
    return [f"{path}!{name}" for name in names] if several else [path]


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
    nested = start.startswith(_GZIP) or (start == _ZIP and _kind(unpacked.stream, place) is FileKind.ZIP)
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


# A pipe would keep whoever opens it waiting, a link leads where nobody has looked; Windows knows neither flag.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class FileContent:
    """An open file."""

    name_only: FileIdentity
    identity: Callable[[], FileIdentity]
    stream: BinaryIO
    name: str
    packing: str
    check_unchanged: Callable[[], None]


@contextmanager
def opened_content(path: str) -> Iterator[FileContent]:
    """Open a local file or an fsspec URL.

    Raises:
        UnreadableFile: it is missing, no regular file, not permitted, empty, too large, or a damaged archive.
    """
    place = FilePlace(path.rsplit("/", 1)[-1])
    path, member = split_member(path)
    with ExitStack() as exits:
        stream = exits.enter_context(_fetched(path, place) if is_url(path) else _local(path, place))
        before = os.fstat(stream.fileno())
        if before.st_size == 0:
            raise refusal(IssueCode.FILE_EMPTY, place, "empty")
        if before.st_size > limits.MOST_TEXT_BYTES:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.MOST_TEXT_BYTES))
        plain = exits.enter_context(_member_of(stream, member, place)) if member else None
        hashed = plain.stream if plain else stream
        name_only = FileIdentity(place.file, "", os.fstat(hashed.fileno()).st_size)
        digest = exits.enter_context(ThreadPoolExecutor(1)).submit(_sha256, hashed.fileno())

        def identity() -> FileIdentity:
            return replace(name_only, sha256=digest.result())

        def check_unchanged() -> None:
            if _state(os.fstat(stream.fileno())) != _state(before):
                raise refusal(IssueCode.FILE_CHANGED, place)

        unpacked = plain or exits.enter_context(unpack(Unpacked(stream, place.file, ""), place))
        yield FileContent(name_only, identity, unpacked.stream, unpacked.name, unpacked.packing, check_unchanged)


@contextmanager
def _member_of(archive: BinaryIO, member: str, place: FilePlace) -> Iterator[Unpacked]:
    with tempfile.TemporaryFile() as plain:
        name = _unzip(archive, plain, place, member)
        plain.flush()
        yield _only_once(Unpacked(plain, name, "zip"), place)


_KEPT: Final = set[Path]()


def keep_within(folders: Iterable[Path]) -> None:
    """Let what is read below any of these folders lie there in truth, whatever links lead out of them, from now on.

    A name says nothing: between a look and the opening a link may take its place. So a file is opened first, and then
    it is asked where it lies.
    """
    _KEPT.update(Path(os.path.abspath(folder)) for folder in folders)  # noqa: PTH100 - as it is called, links and all


def lies_within(descriptor: int, path: str | Path) -> bool:
    called = Path(os.path.abspath(path))  # noqa: PTH100
    if not any(called.is_relative_to(folder) for folder in _KEPT):
        return True
    known = Path(f"/proc/self/fd/{descriptor}")
    place = Path(os.readlink(known) if known.parent.is_dir() else os.path.realpath(path))  # noqa: PTH115
    if not known.parent.is_dir() and not os.path.samestat(os.fstat(descriptor), place.stat()):
        return False
    return any(place.is_relative_to(folder.resolve()) for folder in _KEPT)


@contextmanager
def _local(path: str, place: FilePlace) -> Iterator[BinaryIO]:
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise refusal(IssueCode.FILE_MISSING, place, "missing") from None
    except (OSError, ValueError) as error:
        if os.path.islink(path):  # noqa: PTH114  # Path refuses names that the system could not have
            raise refusal(IssueCode.FILE_NOT_REGULAR, place) from None
        raise refusal(IssueCode.FILE_MISSING, place, "unreachable", reason=type(error).__name__) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode) or not lies_within(descriptor, path):
        os.close(descriptor)
        raise refusal(IssueCode.FILE_NOT_REGULAR, place)
    with os.fdopen(descriptor, "rb") as stream:
        yield stream


@contextmanager
def _fetched(url: str, place: FilePlace) -> Iterator[BinaryIO]:
    """Bring a remote file here, since it is read more than once."""
    with tempfile.TemporaryFile() as here:
        with _reaching(place), _elsewhere().open(url, "rb") as there:
            whole = copied(there, here, limits.MOST_TEXT_BYTES)
        if not whole:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.MOST_TEXT_BYTES))
        here.seek(0)
        yield here


@contextmanager
def _reaching(place: FilePlace) -> Iterator[None]:
    try:
        yield
    except FileNotFoundError:
        raise refusal(IssueCode.FILE_MISSING, place, "missing") from None
    except Exception as error:  # noqa: BLE001 - each storage has a library, with exceptions of its own
        # The class name alone: the text of a storage library may quote a signed URL.
        raise refusal(IssueCode.FILE_MISSING, place, "unreachable", reason=type(error).__name__) from None


def _sha256(descriptor: int) -> str:
    digest, position = hashlib.sha256(), 0
    while chunk := os.pread(descriptor, _CHUNK_BYTES, position):
        digest.update(chunk)
        position += len(chunk)
    return digest.hexdigest()


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns
