"""Finding the files a job means."""

import glob
from collections.abc import Sequence
from pathlib import Path

import fsspec

from io_adapters.spreadsheets.refusals import Place, refusal
from schemas.issues import IssueCode


def is_url(path: str) -> bool:
    """Tell a URL (s3://...) from a local path."""
    return "://" in path


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
