"""What a run is asked for: a job file read, the files given beside it, and where a job may read."""

import datetime as dt
import getpass
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from typing import Final

from flows.run_options import NO_OPTIONS, RunOptions
from flows.settings import UPLOADS, Folders, Settings
from io_adapters.ledger.ledger import Ledger
from io_adapters.spreadsheets.declarations import is_path, read_job, read_policy
from io_adapters.spreadsheets.files import is_url, keep_within
from schemas.errors import ConfigurationError, RepasseError
from schemas.job import BRASILIA, Job, Period, PolicyReads, month_label, period_asked, resolve_period
from schemas.messages import Message


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the caller asked for.

    Attributes:
        files: Source (layout name or position; "" for the only one) and path: read instead of the declared files.
        job_sha256: Hex digest of the declaration's bytes.
    """

    job: Job
    job_path: Path
    period: Period
    options: RunOptions = NO_OPTIONS
    files: tuple[tuple[str, str], ...] = ()
    job_sha256: str = ""

    @property
    def by(self) -> str:
        """Who asks: a name that was given, or the account that the program runs for."""
        return self.options.by or current_user()

    @property
    def again(self) -> frozenset[str]:
        """Base names of files to use although they, or lines of theirs, were used before."""
        return frozenset(Path(text).name for text in self.options.again)

    @property
    def folder(self) -> Path:
        """What relative paths in the job are relative to."""
        return self.job_path.parent


def current_user() -> str:
    """Name the person or account the program runs for."""
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        return "unknown"


def read_run_request(job_path: Path, options: RunOptions = NO_OPTIONS) -> RunRequest:
    """Read the job file and settle what the caller asked for.

    Raises:
        ConfigurationError: the job file is wrong, every problem with line and column; it is for another period, or
            reads where the house does not let jobs read.
    """
    declared = read_job(job_path)
    job = declared.job
    require_within_reach(job, job_path)
    today = dt.datetime.now(BRASILIA).date()
    try:
        asked = month_label(options.period, today)
        spec = period_asked(job.period, asked) if asked else job.period
    except ValueError as error:
        raise ConfigurationError(Message("error.in_job_file", file=job_path.name, why=str(error))) from None
    resolved = resolve_period(spec, today)
    known = {str(position) for position in range(1, len(job.sources) + 1)}
    known |= {source.layout if isinstance(source.layout, str) else source.layout.layout for source in job.sources}
    given = tuple(_given_file(text, known) for text in options.files)
    return RunRequest(job, job_path.absolute(), resolved, options, given, declared.sha256)


def _given_file(text: str, sources: set[str]) -> tuple[str, str]:
    """Tell for which source a file was given, when that was said; a name may hold the sign itself."""
    name, mark, path = text.partition("=")
    if mark and name in sources:
        return name, str(Path(path).absolute())
    return "", str(Path(text).absolute())


_WILD: Final = frozenset("*?[{")


def paths_in(job: Job) -> Iterator[str]:
    tables = [*job.sources, *(files for files in job.tables.values() if files)]
    yield from (pattern for files in tables for pattern in files.files)
    yield from (source.layout for source in job.sources if isinstance(source.layout, str) and is_path(source.layout))


def leads_outside(path: str) -> bool:
    """Whether a path of a job leads out of the job's folder.

    >>> leads_outside("s3://bucket/a.csv"), leads_outside("../a.csv"), leads_outside("tables/a.csv")
    (True, True, False)
    """
    return is_url(path) or Path(path).is_absolute() or ".." in Path(path).parts


def require_within_reach(job: Job, path: Path) -> None:
    """Refuse a job that reads where the house does not let jobs read; without a policy they may read anywhere.

    Raises:
        ConfigurationError: it names such paths, or the policy cannot be read.
    """
    folders = Folders()
    if folders.policy is None:
        return
    reads, jobs = read_policy(folders.policy).reads, folders.jobs
    own = [path.absolute().parent, *([jobs] if jobs else [])]
    keep_within([*own, *map(Path, reads.folders)])
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


def find_jobs(folder: Path) -> list[Path]:
    """List the job files of a folder: each YAML file in it, and each `job.yaml` one folder below, by name.

    Layouts belong in a folder of their own.
    """
    here = [path for pattern in ("*.yaml", "*.yml") for path in folder.glob(pattern)]
    below = [path for pattern in ("*/job.yaml", "*/job.yml") for path in folder.glob(pattern)]
    return sorted(path for path in {*here, *below} if path.is_file())


def require_job_of_folder(job: Path, files: Sequence[str], settings: Settings) -> None:
    """Refuse to pay from anywhere but the folder of jobs, for whoever starts runs from afar.

    Raises:
        ConfigurationError: the job, or a file, lies elsewhere, or no folder of jobs is named.
    """
    folder = settings.jobs
    if folder is None:
        raise ConfigurationError(Message("error.jobs_unset"))
    if not job.absolute().resolve().is_relative_to(folder.resolve()):
        raise ConfigurationError(Message("error.job_elsewhere", folder=str(folder)))
    roots = [folder.resolve(), (settings.home / UPLOADS).resolve()]
    for text in files:
        path = Path(text if Path(text).is_file() else text.partition("=")[2] or text).absolute().resolve()
        if not any(path.is_relative_to(root) for root in roots):
            raise ConfigurationError(Message("error.file_elsewhere", folder=str(folder)))


def require_known_job(ledger: Ledger, name: str, folder: Path | None) -> None:
    """Refuse a name that is no job's: neither of one that ever ran, nor of one in the folder of jobs.

    Raises:
        ConfigurationError: with the nearest name, where one is near.
    """
    known = ledger.runs.jobs()
    if name in known:
        return
    declared = set(filter(None, map(_declared_name, find_jobs(folder) if folder and folder.is_dir() else [])))
    if name in declared:
        return
    near = get_close_matches(name.strip().lower(), sorted(known | declared), n=1, cutoff=0.5)
    raise ConfigurationError(
        Message("job.unknown_near", job=name, near=near[0]) if near else Message("job.unknown", job=name)
    )


def _declared_name(path: Path) -> str:
    """Name the job that a file declares; "" for a file with mistakes."""
    try:
        return read_job(path).job.job
    except RepasseError:
        return ""
