"""Bytes and names: opening local files and URLs, and finding the files a job means."""

import glob
import gzip
import hashlib
import io
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import fsspec

from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode
from schemas.raw_table import FileIdentity

# Honest tables pack 5 to 50 times smaller; the densest bombs about 1000 times.
MAX_EXPANSION: Final = 250
HARMLESS_BYTES: Final = 64 * 2**20

_GZIP: Final = b"\x1f\x8b"


def is_url(path: str) -> bool:
    """Tell a URL (s3://...) from a local path."""
    return "://" in path


def read_bytes(path: str, language: str) -> tuple[FileIdentity, bytes]:
    """Read a whole file and say which it is.

    Args:
        path: Local path or fsspec URL.
        language: Of the message, when it cannot be read.

    Raises:
        UnreadableFile: it is missing, no regular file, not permitted, or empty.
    """
    place = Place(path.rsplit("/", 1)[-1], language)
    try:
        if is_url(path):
            with fsspec.open(path, "rb") as stream:
                content: bytes = stream.read()
        else:
            if Path(path).exists() and not Path(path).is_file():
                raise refusal(IssueCode.FILE_TYPE, place, "not_regular")
            content = Path(path).read_bytes()
    except FileNotFoundError:
        raise refusal(IssueCode.FILE_MISSING, place, "missing") from None
    except (OSError, ValueError, ImportError) as error:
        # The class name alone: the text of a storage library may quote a signed URL.
        raise refusal(IssueCode.FILE_MISSING, place, "unreachable", reason=type(error).__name__) from None
    if not content:
        raise refusal(IssueCode.FILE_EMPTY, place, "empty")
    return FileIdentity(place.file, hashlib.sha256(content).hexdigest(), len(content)), content


def is_gzip(content: bytes) -> bool:
    """Tell whether the bytes are gzip's."""
    return content.startswith(_GZIP)


def unpack(content: bytes, place: Place) -> bytes:
    """Undo gzip, within bounds.

    Raises:
        UnreadableFile: damaged, or expanding beyond what a table does.
    """
    limit = max(HARMLESS_BYTES, MAX_EXPANSION * len(content))
    try:
        with gzip.GzipFile(fileobj=io.BytesIO(content)) as stream:
            unpacked = stream.read(limit + 1)
    except (OSError, EOFError, zlib.error) as error:
        raise refusal(IssueCode.FILE_CORRUPT, place, "corrupt", reason=f"gzip, {error}") from error
    if len(unpacked) > limit:
        raise refusal(IssueCode.FILE_CORRUPT, place, "bomb", part="gzip")
    return unpacked


def expand(patterns: Sequence[str], folder: Path, period_label: str, language: str = "pt-BR") -> list[str]:
    """Find the files that a job's patterns mean.

    `{period}` becomes the period's label; patterns are relative to the job's folder, absolute, or fsspec URLs. A file
    that two patterns match is given once. Hidden files and Excel's lock files (~$name.xlsx) never match.

    Returns:
        Paths and URLs, sorted within each pattern.

    Raises:
        UnreadableFile: a pattern matches nothing.
    """
    found: dict[str, None] = {}
    for pattern in patterns:
        concrete = pattern.replace("{period}", period_label)
        matches = _matches(concrete, folder)
        if not matches:
            shown = concrete.rsplit("/", 1)[0] if is_url(concrete) else str(folder)
            raise refusal(IssueCode.FILE_MISSING, Place(concrete, language), "pattern", pattern=concrete, folder=shown)
        found.update(dict.fromkeys(matches))
    return list(found)


def _matches(pattern: str, folder: Path) -> list[str]:
    if is_url(pattern):
        filesystem, inner = fsspec.core.url_to_fs(pattern)
        names = [inner] if filesystem.isfile(inner) else filesystem.glob(inner)
        paths = [str(filesystem.unstrip_protocol(name)) for name in names]
    elif (folder / pattern).is_file():  # a name may hold the characters that patterns are made of
        paths = [str(folder / pattern)]
    else:
        # Path.glob would refuse an absolute pattern.
        paths = [str(folder / name) for name in glob.glob(pattern, root_dir=folder, recursive=True)]  # noqa: PTH207
        paths = [path for path in paths if Path(path).is_file()]
    return sorted(path for path in paths if not path.rsplit("/", 1)[-1].startswith("~$"))
