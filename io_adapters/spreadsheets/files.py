"""Finding a job's files and opening each safely: its kind, within limits, unpacked, known by its bytes."""

import glob
import hashlib
import os
import re
import stat
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from hashlib import sha256
from pathlib import Path
from types import ModuleType
from typing import BinaryIO, Final, cast

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.limits import FilePlace, copied, refusal
from schemas.issues import IssueCode
from schemas.raw_table import FileIdentity

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


# A member of an archive has a path of its own: "royalties/cargo.zip!royalty.csv".
_MEMBER: Final = re.compile(r"(.+\.zip)!([^/!]+)", re.IGNORECASE)


def split_member(path: str) -> tuple[str, str]:
    """Return the path of an archive and the name of its member, which is "" for any other file."""
    found = _MEMBER.fullmatch(path)
    if found is None or (not is_url(path) and Path(path).exists()):
        return path, ""
    return found[1], found[2]


# A pipe would keep whoever opens it waiting, a link leads where nobody has looked; Windows knows neither flag.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)


@dataclass(frozen=True, slots=True)
class FileContent:
    """An open file.

    Attributes:
        identity: Of its bytes; of a member of an archive, of the member's, once it has been unpacked.
        stream: The file as it is; its position is anybody's.
        spare: An empty file that takes what is unpacked from it.
        member: Which member of an archive is meant; "" for the file itself.
    """

    name_only: FileIdentity
    identity: Callable[[], FileIdentity]
    stream: BinaryIO
    spare: BinaryIO
    member: str
    check_unchanged: Callable[[], None]

    @property
    def place(self) -> FilePlace:
        return FilePlace(self.name_only.name)


@contextmanager
def opened_content(path: str) -> Iterator[FileContent]:
    """Open a local file or an fsspec URL, to be looked at by whoever reads it.

    Raises:
        UnreadableFile: it is missing, no regular file, not permitted, empty, or too large.
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
        spare = exits.enter_context(tempfile.TemporaryFile())
        name_only = FileIdentity(place.file, "", before.st_size)
        hashing = exits.enter_context(ThreadPoolExecutor(1))
        digest = None if member else hashing.submit(_sha256, stream.fileno())

        def identity() -> FileIdentity:
            if digest is not None:
                return replace(name_only, sha256=digest.result())
            return FileIdentity(place.file, _sha256(spare.fileno()), os.fstat(spare.fileno()).st_size)

        def check_unchanged() -> None:
            if _state(os.fstat(stream.fileno())) != _state(before):
                raise refusal(IssueCode.FILE_CHANGED, place)

        yield FileContent(name_only, identity, stream, spare, member, check_unchanged)


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
    while chunk := os.pread(descriptor, _CHUNK, position):
        digest.update(chunk)
        position += len(chunk)
    return digest.hexdigest()


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns
