"""Opening a file safely: the regular file itself, within limits, unchanged while it is read, unpacked when packed."""

import hashlib
import os
import stat
import tempfile
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, replace
from typing import BinaryIO, Final

import fsspec

from io_adapters.spreadsheets import limits
from io_adapters.spreadsheets.files import is_url
from io_adapters.spreadsheets.packed import Unpacked, copied, unpack
from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode
from schemas.raw_table import FileIdentity

# A pipe would keep whoever opens it waiting, a link leads where nobody has looked; Windows knows neither flag.
_FLAGS: Final = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
_CHUNK_BYTES: Final = 2**20


@dataclass(frozen=True, slots=True)
class Content:
    """An open file.

    Attributes:
        name_only: The file as it was found, packed or not, its hash not known yet.
        identity: Returns the same with its hash; waits for it, since it is taken beside the reading.
        stream: Its content, unpacked; seekable, at the start.
        name: Of the content: of the one member of an archive, else of the file.
        packing: How it was packed: "gzip", "zip"; "" when it was not.
        check_unchanged: Raises UnreadableFile when somebody has written to the file since it was opened.
    """

    name_only: FileIdentity
    identity: Callable[[], FileIdentity]
    stream: BinaryIO
    name: str
    packing: str
    check_unchanged: Callable[[], None]


@contextmanager
def opened_content(path: str, language: str) -> Iterator[Content]:
    """Open a local file or an fsspec URL.

    Args:
        path: Local path or URL.
        language: Of the message, when it cannot be read.

    Raises:
        UnreadableFile: it is missing, no regular file, not permitted, empty, too large, or a damaged archive.
    """
    place = Place(path.rsplit("/", 1)[-1], language)
    with ExitStack() as exits:
        stream = exits.enter_context(_fetched(path, place) if is_url(path) else _local(path, place))
        before = os.fstat(stream.fileno())
        if before.st_size == 0:
            raise refusal(IssueCode.FILE_EMPTY, place, "empty")
        if before.st_size > limits.MOST_TEXT_BYTES:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.MOST_TEXT_BYTES))
        name_only = FileIdentity(place.file, "", before.st_size)
        digest = exits.enter_context(ThreadPoolExecutor(1)).submit(_sha256, stream.fileno())

        def identity() -> FileIdentity:
            return replace(name_only, sha256=digest.result())

        def check_unchanged() -> None:
            if _state(os.fstat(stream.fileno())) != _state(before):
                raise refusal(IssueCode.FILE_CHANGED, place)

        unpacked = exits.enter_context(unpack(Unpacked(stream, place.file, ""), place))
        yield Content(name_only, identity, unpacked.stream, unpacked.name, unpacked.packing, check_unchanged)


@contextmanager
def _local(path: str, place: Place) -> Iterator[BinaryIO]:
    try:
        descriptor = os.open(path, _FLAGS)
    except FileNotFoundError:
        raise refusal(IssueCode.FILE_MISSING, place, "missing") from None
    except (OSError, ValueError) as error:
        if os.path.islink(path):  # noqa: PTH114  # Path refuses names that the system could not have
            raise refusal(IssueCode.FILE_NOT_REGULAR, place) from None
        raise refusal(IssueCode.FILE_MISSING, place, "unreachable", reason=type(error).__name__) from None
    if not stat.S_ISREG(os.fstat(descriptor).st_mode):
        os.close(descriptor)
        raise refusal(IssueCode.FILE_NOT_REGULAR, place)
    with os.fdopen(descriptor, "rb") as stream:
        yield stream


@contextmanager
def _fetched(url: str, place: Place) -> Iterator[BinaryIO]:
    """Bring a remote file here, since it is read more than once."""
    with tempfile.TemporaryFile() as here:
        try:
            with fsspec.open(url, "rb") as there:
                whole = copied(there, here, limits.MOST_TEXT_BYTES)
        except FileNotFoundError:
            raise refusal(IssueCode.FILE_MISSING, place, "missing") from None
        except (OSError, ValueError, ImportError) as error:
            # The class name alone: the text of a storage library may quote a signed URL.
            raise refusal(IssueCode.FILE_MISSING, place, "unreachable", reason=type(error).__name__) from None
        if not whole:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=limits.size_text(limits.MOST_TEXT_BYTES))
        here.seek(0)
        yield here


def _sha256(descriptor: int) -> str:
    """Hash a whole file without moving the place at which others read it."""
    digest, position = hashlib.sha256(), 0
    while chunk := os.pread(descriptor, _CHUNK_BYTES, position):
        digest.update(chunk)
        position += len(chunk)
    return digest.hexdigest()


def _state(found: os.stat_result) -> tuple[int, int, int]:
    return found.st_size, found.st_mtime_ns, found.st_ctime_ns
