"""Which jobs of a folder are due tonight, by period and by what they did before."""

import datetime as dt
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from enum import StrEnum
from hashlib import sha256
from pathlib import Path
from typing import Final

import pyarrow.compute as pc

from flows.payables.rules.account_checks import check_fingerprint
from flows.reconciliation.waits import is_interrupted
from flows.reports.rules.report_list import is_watched_still
from flows.run import RunRequest
from flows.run_record import read_obligations
from flows.settings import UPLOADS, Settings
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.runs import Run
from io_adapters.spreadsheets.declarations import read_job
from io_adapters.spreadsheets.files import expand, sha256_of
from schemas.errors import ConfigurationError, RepasseError, UnreadableFile, errors_in_language
from schemas.exchange_update import UNSETTLED
from schemas.exit_codes import ExitCode
from schemas.issues import IssueCode
from schemas.messages import Message
from schemas.plan import Place
from schemas.submission import PROVISIONAL, UNTOLD, SubmissionState


class Why(StrEnum):
    """Why a job is due, or why it is not."""

    NEW = "new"
    LEFT_OVER = "left_over"
    APPROVED = "approved"
    INTERRUPTED = "interrupted"
    REASON_GONE = "reason_gone"
    SAME = "same"
    NO_FILES = "no_files"
    OTHER_FILES = "other_files"

    @property
    def is_due(self) -> bool:
        """Whether the night runs the job."""
        return self in _DUE


_DUE: Final = frozenset({Why.NEW, Why.LEFT_OVER, Why.APPROVED, Why.INTERRUPTED, Why.REASON_GONE})

# After these the same files may come to something else: what stood in the way was not in them.
_TRY_AGAIN: Final = frozenset(
    {ExitCode.BUG, ExitCode.ANOTHER_RUN, ExitCode.NOT_SENT, ExitCode.REFUSED, ExitCode.FROZEN, ExitCode.CONFIGURATION}
)
# Account checks that the budget of one run, or the service's silence, has left for the next.
_CHECKS_LEFT: Final = frozenset({"ACCOUNT_BUDGET", "ACCOUNT_UNKNOWN"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a job of one period.

    Attributes:
        content: One number for all that the job reads, its own file included; None while files are missing.
        seen: The same of the last night that brought it to an end; None when there was none.
        left_over: Whether reports that people have approved, or rates to be set, wait to be sent.
        approved: Whether a plan that waits has the word of a person.
        approved_reads_the_same: Whether the files of that plan are those the job names now.
        interrupted: Whether the last run died before it came to an end.
        reason_gone: Whether what kept money back is not so any more: people have decided, or an account is not known to
            be invalid any longer.
    """

    content: str | None
    seen: str | None
    left_over: bool = False
    approved: bool = False
    approved_reads_the_same: bool = True
    interrupted: bool = False
    reason_gone: bool = False


def why_due(facts: Facts) -> Why:
    """Decide whether a job is due.

    What is approved and stored goes out whatever the files say. A plan that people have approved is taken up only from
    the files it was made of: run on others, it would be replaced by another plan, and their word lost.

    >>> why_due(Facts(content="1", seen="1")).is_due
    False
    """
    if facts.left_over:
        return Why.LEFT_OVER
    if facts.content is None:
        return Why.NO_FILES
    if facts.approved:
        return Why.APPROVED if facts.approved_reads_the_same else Why.OTHER_FILES
    if facts.content != facts.seen:
        return Why.NEW
    if facts.interrupted:
        return Why.INTERRUPTED
    return Why.REASON_GONE if facts.reason_gone else Why.SAME


def is_brought_to_an_end(code: ExitCode, issues: Mapping[str, int]) -> bool:
    """Say whether running a job again on the same files can be left to people.

    Args:
        code: How its run ended.
        issues: How many of each problem the run has found, by code.
    """
    return code not in _TRY_AGAIN and not any(issues.get(name) for name in _CHECKS_LEFT)


S = SubmissionState

NIGHTLY: Final = "nightly"
# A night is found among so many runs; one that is older counts as forgotten, and its jobs are run once more.
_LOOK_BACK_RUNS: Final = 2_000
_KEPT_BACK: Final = (Place.HELD, Place.CONFLICT, Place.FAILED, Place.UNDETERMINED)


def find_jobs(folder: Path) -> list[Path]:
    """List the job files of a folder: each YAML file in it, and each `job.yaml` one folder below, by name.

    Layouts belong in a folder of their own.
    """
    beside = [path for pattern in ("*.yaml", "*.yml") for path in folder.glob(pattern)]
    below = [path for pattern in ("*/job.yaml", "*/job.yml") for path in folder.glob(pattern)]
    return sorted(path for path in {*beside, *below} if path.is_file())


def require_job_of_folder(job: Path, files: Sequence[str], settings: Settings, folder: Path | None) -> None:
    """Refuse to pay from anywhere but the folder of jobs, for whoever starts runs from afar.

    Args:
        job: The job's file.
        files: Read instead of those it names, as "[SOURCE=]PATH"; there too, or among what was brought to the desk.
        settings: Of the environment.
        folder: The folder of jobs; None where there is none.

    Raises:
        ConfigurationError: the job, or a file, lies elsewhere.
    """
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


def facts_of(order: RunRequest, ledger: Ledger, now: dt.datetime) -> Facts:
    """Gather what decides whether a job is due; the service is not asked.

    Args:
        order: The job, with its period resolved.
        ledger: The record.
        now: The present moment; approvals expire by it.

    Effects: reads every file the job names once, to know whether it has changed.
    """
    try:
        sources = _hashes([pattern for source in order.job.sources for pattern in source.files], order)
        beside = _hashes([pattern for patterns in _beside(order) for pattern in patterns], order)
    except UnreadableFile:
        sources, beside = None, {}
    name, label = order.job.job, order.period.label
    waiting = ledger.submissions.list(job=name, states={S.APPROVED, S.NOT_SENT}, bodies=False)
    left_over = bool(waiting) or bool(ledger.exchange_updates.list(job=name, states=UNSETTLED))
    planner = _planner_of_approved(order, ledger, now)
    last = ledger.runs.last_payout(name, label)
    planned_from = set(ledger.files.of_run(planner).values()) if planner else set[str]()
    return Facts(
        content=None if sources is None else _content(order, sources | beside),
        seen=last_seen(ledger).get(seen_name(name, label)),
        left_over=left_over,
        approved=planner is not None,
        approved_reads_the_same=planned_from == set((sources or {}).values()),
        interrupted=last is not None and is_interrupted(last, ledger, now),
        reason_gone=last is not None and _is_reason_gone(order, last, ledger, now),
    )


def _is_reason_gone(order: RunRequest, last: Run, ledger: Ledger, now: dt.datetime) -> bool:
    """Say whether people have decided what a run left open, or an account it held is not known as invalid any more."""
    left = [period for period in ledger.runs.left_open(last.job) if period.period == last.period and period.items]
    where = pc.field("place").isin([place.value for place in _KEPT_BACK])
    found = read_obligations(ledger, [period.run_id for period in left[:1]], where)
    kept_back = [part for owed in found.values() for part in owed]
    if not kept_back:
        return False
    keys = {key for part in kept_back for key in (part.key, part.base_key)} - {""}
    if ledger.decisions.any_since(keys, last.started_at):  # its end is written anew whenever it is settled
        return True
    ownership = order.job.account_checks.ownership
    invalid = {
        check_fingerprint(part, ownership=ownership) for part in kept_back if part.code == IssueCode.ACCOUNT_INVALID
    }
    kept = ledger.checks.kept(invalid, now)
    return any(name not in kept or kept[name].result != "invalid" for name in invalid)


def _beside(order: RunRequest) -> Iterator[tuple[str, ...]]:
    for beside in order.job.beside.values():
        if beside is not None:
            yield beside.files


def _hashes(patterns: list[str], order: RunRequest) -> dict[str, str]:
    with errors_in_language(order.job.outputs.language):
        paths = expand(patterns, order.folder, order.period.label) if patterns else []
        return {path: sha256_of(path) for path in paths}


def _content(order: RunRequest, hashes: dict[str, str]) -> str:
    own = sha256(order.job_path.read_bytes()).hexdigest()
    parts = [order.job.job, order.period.label, own, *(f"{path}\0{digest}" for path, digest in sorted(hashes.items()))]
    return sha256("\n".join(parts).encode()).hexdigest()


def _planner_of_approved(order: RunRequest, ledger: Ledger, now: dt.datetime) -> str | None:
    """Name the run that made the plan of this job and period that people have approved and nobody has taken up."""
    name, label = order.job.job, order.period.label
    planned = ledger.submissions.list(job=name, period=label, states={S.PLANNED}, bodies=False)
    for digest in {submission.plan_digest for submission in planned}:
        if ledger.approvals.standing(digest, now):
            return ledger.plans.get(digest).run_id
    return None


def seen_name(job: str, period: str) -> str:
    """Name a job and period in a night's record."""
    return f"{job} {period}"


def last_seen(ledger: Ledger) -> dict[str, str]:
    """Return what earlier nights have brought to an end: job and period -> what the job had read."""
    nights = [run for run in ledger.runs.list(_LOOK_BACK_RUNS) if run.command == NIGHTLY]
    seen: dict[str, str] = {}
    for night in reversed(nights):
        seen |= ledger.files.of_run(night.run_id)
    return seen


def remember(ledger: Ledger, night_id: str, order: RunRequest, content: str) -> None:
    """Write down that a night has brought a job to an end with what it reads now."""
    name = seen_name(order.job.job, order.period.label)
    ledger.files.record(
        night_id,
        order.job.job,
        order.period.label,
        NIGHTLY,
        name,
        file_sha256=content,
        content_sha256=content,
    )


def is_anything_open(ledger: Ledger, job: str | None, now: dt.datetime) -> bool:
    """Say whether a look at the service could change anything: reports open or in doubt, rates left, words to tell.

    So do reports that ended without being paid, for a month, and those that nobody has explained yet. What people have
    declared absent does not count: the night looks for it.
    """
    open_states = {S.ACCEPTED, S.PROCESSING, S.SENDING, S.IN_DOUBT}
    ended = ledger.submissions.list(job=job, states=PROVISIONAL, bodies=False)
    if any(is_watched_still(submission, now) for submission in ended):
        return True
    if ledger.decisions.undecided(submission.id for submission in ended if submission.state in UNTOLD):
        return True
    return (
        bool(ledger.submissions.list(job=job, states=open_states, bodies=False))
        or bool(ledger.exchange_updates.list(job=job, states=UNSETTLED))
        or bool(ledger.decisions.runs_to_tell(job))
    )
