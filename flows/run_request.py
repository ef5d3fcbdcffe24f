"""What a run is asked for: a job file read, the files given beside it, and where a job may read."""

import datetime as dt
import getpass
import re
import secrets
import shutil
from collections.abc import Container, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import Final

from flows.house_ledger import open_ledger_of, utc_now
from flows.run_options import NO_OPTIONS, RunOptions
from flows.settings import UPLOADS, Folders, Settings, read_settings
from io_adapters.ledger.ledger import Ledger, is_there
from io_adapters.spreadsheets.declarations import is_path, read_house_columns, read_job, read_policy
from io_adapters.spreadsheets.files import is_url, keep_within, sha256_of
from io_adapters.spreadsheets.limits import FilePlace, refusal
from schemas.acts import Act
from schemas.deliveries import (
    NO_MONTH,
    HandedFile,
    How,
    Month,
    in_month,
    last_opened,
    month_of,
    open_month,
    rate_as_typed,
    sum_as_typed,
)
from schemas.errors import ConfigurationError, RepasseError
from schemas.issues import IssueCode
from schemas.job import (
    BRASILIA,
    NO_HOUSE_COLUMNS,
    PERIOD_MARK,
    PREVIOUS_MONTH,
    Exchange,
    HouseColumns,
    Job,
    Period,
    PolicyReads,
    month_label,
    period_asked,
    resolve_period,
)
from schemas.messages import Message

# The table beside the sources that is of one month, so that its files are handed in for one.
INVOICES: Final = "invoices"


@dataclass(frozen=True, slots=True)
class RunRequest:
    """What the caller asked for.

    Attributes:
        job: As it stands in the month.
        files: Source (layout name or position; "" for the only one) and path: handed in with the run.
        job_sha256: Hex digest of the declaration's bytes.
        columns: What the house has answered of its senders' statements, and the hex digest of that file; "" for none.
        month: What people have said of the period's month; what was handed in lies in `uploads`.
        acts: By which the caller opens the month, or says more of it; to be recorded.
        is_own: Whether files that the job names without {period} are of this period.
        is_nights: Whether a night asks, and nobody who has looked at what lies there.
    """

    job: Job
    job_path: Path
    period: Period
    options: RunOptions = NO_OPTIONS
    files: tuple[tuple[str, str], ...] = ()
    job_sha256: str = ""
    columns: tuple[HouseColumns, str] = (NO_HOUSE_COLUMNS, "")
    month: Month = NO_MONTH
    uploads: Path = Path()
    acts: tuple[Act, ...] = ()
    is_own: bool = True
    is_nights: bool = False

    @property
    def is_beside(self) -> bool:
        """Whether the files given stand beside those that are there, or in the place of one."""
        return self.options.added or bool(self.options.in_place_of)

    def is_gone(self, sha256: str) -> bool:
        """Whether a file counts no more for the period, or one that is given is to take its place."""
        place = self.options.in_place_of.lower()
        return sha256 in self.month.gone or (bool(place) and sha256.startswith(place))

    def path_of(self, file: HandedFile) -> Path:
        """Return where the bytes of a file are kept that was handed in."""
        return self.uploads / file.sha256 / file.name

    def reads(self, pattern: str) -> bool:
        """Whether a pattern of the job's finds files of this period; of other months, those with {period} do."""
        return self.is_own or PERIOD_MARK in pattern

    def patterns_read(self, names: Iterable[str], patterns: Sequence[str], *, is_given: bool = False) -> list[str]:
        """Return which patterns of a source are read: none, where the month's first file was handed in, or is given.

        Args:
            names: Of the source.
            is_given: Whether a file is given for it.
        """
        is_first = any(file.how is How.NEW for file in self.month.of_source(names)) or (is_given and not self.is_beside)
        return [] if is_first else list(filter(self.reads, patterns))

    @property
    def named(self) -> str:
        """The option by which a command means this period, with a blank before; "" where the job means it by itself."""
        return "" if self.is_own and self.job.period != PREVIOUS_MONTH else f" --period {self.period.label}"

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


def read_run_request(job_path: Path, options: RunOptions = NO_OPTIONS, *, offline: bool = False) -> RunRequest:
    """Read the job file and settle what the caller asked for, and for which month.

    Args:
        offline: Ask the ledger for nothing but the month opened last, where the job names none.

    Raises:
        ConfigurationError: the job file is wrong, every problem with line and column; it is for other days, no month is
            open, or it reads where the house does not let jobs read.
    """
    declared = read_job(job_path)
    job = declared.job
    require_within_reach(job, job_path)
    hows = (options.new, options.added, bool(options.in_place_of))
    if sum(hows) > 1 or (any(hows) and not options.files):
        raise ConfigurationError(Message("error.how_of_files"))
    today = dt.datetime.now(BRASILIA).date()
    acts = () if offline and job.period is not None else _acts_on_months()
    try:
        asked = month_label(options.period, today) or (last_opened(acts, job.job) if job.period is None else "")
        spec = period_asked(job.period, asked) if asked else job.period
    except ValueError as error:
        raise ConfigurationError(Message("error.in_job_file", file=job_path.name, why=str(error))) from None
    if spec is None:
        raise ConfigurationError(Message("error.no_month", command=f"repasse run {quote(str(job_path))} --period "))
    period = resolve_period(spec, today)
    known = {str(position) for position in range(1, len(job.sources) + 1)} | {*names_of_sources(job), INVOICES}
    known |= {source.layout_name for source in job.sources}
    given = tuple(_given_file(text, known) for text in options.files)
    is_own = job.period is not None and (job.period == PREVIOUS_MONTH or resolve_period(job.period, today) == period)
    opening = _opened_by_caller(job, period.label, options, known)
    month = month_of([*acts, *opening], job.job, period.label)
    was_open = month_of(acts, job.job, period.label).is_open
    return RunRequest(
        job=in_month(job, month, is_own=is_own or job.period is None),
        job_path=job_path.absolute(),
        period=period,
        options=options,
        files=given,
        job_sha256=declared.sha256,
        columns=read_house_columns(Folders().columns),
        month=month,
        acts=opening if options.rate or options.received or not (is_own or was_open) else (),
        uploads=Folders().home / UPLOADS,
        is_own=is_own,
    )


def names_of_sources(job: Job) -> list[str]:
    """Name each source by its layout where that is its alone, by its position elsewhere."""
    layouts = [source.layout_name for source in job.sources]
    return [layout if layouts.count(layout) == 1 else str(position) for position, layout in enumerate(layouts, start=1)]


def _opened_by_caller(job: Job, period: str, options: RunOptions, sources: Container[str]) -> tuple[Act, ...]:
    """Return the act by which the caller opens a month, with the rates and sums that hold in it alone.

    Raises:
        ConfigurationError: one of them is none.
    """
    by = options.by or current_user()
    rates, received = dict[str, Exchange](), dict[str, dict[str, Decimal]]()
    for text in options.rate:
        with _typed("--rate", text):
            rates |= rate_as_typed(text, by)
    for text in options.received:
        with _typed("--received", text):
            for source, sums in sum_as_typed(text, sources, job.currency).items():
                received[source] = received.get(source, {}) | sums
    return (open_month(job.job, period, by, utc_now(), rates, received),)


@contextmanager
def _typed(option: str, text: str) -> Iterator[None]:
    try:
        yield
    except (ValueError, ArithmeticError):
        raise ConfigurationError(Message("error.typed_of_month", option=option, text=text)) from None


def _acts_on_months() -> Sequence[Act]:
    settings = read_settings()
    if not is_there(settings.ledger_url):
        return ()
    with open_ledger_of(settings, create=False) as ledger:
        return ledger.acts.on_months()


def _given_file(text: str, sources: set[str]) -> tuple[str, str]:
    """Tell for which source a file was given, when that was said; a name may hold the sign itself."""
    name, mark, path = text.partition("=")
    if mark and name in sources:
        return name, str(kept_upload(path) or Path(path).absolute())
    return "", str(kept_upload(text) or Path(text).absolute())


_DIGITS_NAMED: Final = 16
_DIGITS: Final = re.compile(r"[0-9a-f]{8,64}")
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


def names_of_jobs(settings: Settings) -> list[str]:
    """Name the jobs of the folder of jobs; none where no folder is named, and none of a file with mistakes."""
    there = find_jobs(settings.jobs) if settings.jobs and settings.jobs.is_dir() else []
    return sorted(set(filter(None, map(declared_name, there))))


def job_of_folder(named: str, settings: Settings) -> Path:
    """Find a job by its name in the folder of jobs; what names none there is the path of its file."""
    there = find_jobs(settings.jobs) if settings.jobs and settings.jobs.is_dir() else []
    return next((path for path in there if declared_name(path) == named), Path(named))


def kept_upload(digits: str) -> Path | None:
    """Find a file that was brought to the desk by the first digits of its hash, eight or more; None for no such one."""
    if not _DIGITS.fullmatch(digits):
        return None
    folders = list((Folders().home / UPLOADS).glob(f"{digits}*"))
    return max(folders[0].iterdir(), key=lambda path: path.stat().st_mtime) if len(folders) == 1 else None


def keep_copy(path: Path, kept: Path, sha256: str) -> None:
    """Keep the bytes of a file that was handed in beside those that were brought to the desk.

    Raises:
        UnreadableFile: it is not what was read of it any more.
    """
    if kept.exists():
        return
    kept.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
    arriving = kept.with_name(f".{secrets.token_hex(8)}")
    shutil.copyfile(path, arriving)
    if sha256_of(str(arriving)) != sha256:
        arriving.unlink()
        raise refusal(IssueCode.FILE_CHANGED, FilePlace(path.name))
    arriving.chmod(0o600)
    arriving.replace(kept)


def by_hash(given: str) -> str:
    """Name a file that was given, with or without its source, by its hash, and keep its bytes.

    What somebody else keeps (Prefect its parameters) names no file.

    Raises:
        UnreadableFile: it is not there.
    """
    has_source = "=" in given and not Path(given).is_file()
    source, mark, text = given.partition("=") if has_source else ("", "", given)
    path = kept_upload(text) or Path(text)
    digest, uploads = sha256_of(str(path)), Folders().home / UPLOADS
    keep_copy(path, uploads / digest / path.name, digest)
    return f"{source}{mark}{digest[:_DIGITS_NAMED]}"


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
        given = text if Path(text).is_file() else text.partition("=")[2] or text
        path = (kept_upload(given) or Path(given)).absolute().resolve()
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
    declared = set(filter(None, map(declared_name, find_jobs(folder) if folder and folder.is_dir() else [])))
    if name in declared:
        return
    near = get_close_matches(name.strip().lower(), sorted(known | declared), n=1, cutoff=0.5)
    raise ConfigurationError(
        Message("job.unknown_near", job=name, near=near[0]) if near else Message("job.unknown", job=name)
    )


def declared_name(path: Path) -> str:
    """Name the job that a file declares; "" for a file with mistakes."""
    try:
        return read_job(path).job.job
    except RepasseError:
        return ""
