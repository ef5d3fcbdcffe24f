"""Where a job may read: in its own folder, in the folder of jobs, and where the house's policy says."""

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

from flows.settings import jobs_folder, policy_file
from io_adapters.spreadsheets.declarations import is_path, read_policy
from io_adapters.spreadsheets.files import is_url
from schemas.errors import ConfigurationError
from schemas.job import Job, PolicyReads
from schemas.messages import Message

_WILD: Final = frozenset("*?[{")


def paths_in(job: Job) -> Iterator[str]:
    """Name every path that a job reads."""
    tables = [*job.sources, *(files for files in job.beside.values() if files)]
    yield from (pattern for files in tables for pattern in files.files)
    yield from (source.layout for source in job.sources if isinstance(source.layout, str) and is_path(source.layout))


def leads_outside(path: str) -> bool:
    """Whether a path of a job leads out of the job's folder.

    >>> leads_outside("s3://bucket/a.csv"), leads_outside("../a.csv"), leads_outside("tables/a.csv")
    (True, True, False)
    """
    return is_url(path) or Path(path).is_absolute() or ".." in Path(path).parts


def require_within_reach(job: Job, path: Path, environment: Mapping[str, str] = os.environ) -> None:
    """Refuse a job that reads where the house does not let jobs read; without a policy they may read anywhere.

    Args:
        job: The declaration.
        path: Its file.
        environment: Names the policy and the folder of jobs.

    Raises:
        ConfigurationError: it names such paths, or the policy cannot be read.
    """
    policy = policy_file(environment)
    if policy is None:
        return
    reads, jobs = read_policy(policy).reads, jobs_folder(environment)
    own = [path.absolute().parent, *([jobs] if jobs else [])]
    beyond = [text for text in paths_in(job) if not _is_within(text, own[0], own, reads)]
    if beyond:
        raise ConfigurationError(Message("error.out_of_reach", file=path.name, paths=", ".join(beyond)))


def _is_within(text: str, folder: Path, own: list[Path], reads: PolicyReads) -> bool:
    if is_url(text):
        return text.split("://", 1)[0] in reads.schemes
    fixed = Path()
    for part in Path(text).parts:
        if _WILD & set(part):
            break
        fixed /= part
    place = (folder / fixed).resolve()
    after = Path(text).parts[len(fixed.parts) :]
    roots = [*own, *map(Path, reads.folders)]
    return ".." not in after and any(place.is_relative_to(root.resolve()) for root in roots)
