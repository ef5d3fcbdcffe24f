"""What a file holds, as one number; the same for a file of this machine and one behind a URL."""

from hashlib import sha256
from pathlib import Path

import fsspec

from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode

_CHUNK = 1 << 20


def sha256_of(path: str, language: str = "pt-BR") -> str:
    """Return the hex sha256 of a file's bytes.

    Args:
        path: A path, or a URL that fsspec knows.
        language: Of the refusal.

    Raises:
        UnreadableFile: the file is not there any more, or may not be read.
    """
    digest = sha256()
    try:
        with fsspec.open(path, "rb") as file:
            while chunk := file.read(_CHUNK):
                digest.update(chunk)
    except OSError:
        raise refusal(IssueCode.FILE_MISSING, Place(Path(path).name, language)) from None
    return digest.hexdigest()
