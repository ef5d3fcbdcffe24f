"""Which jobs of a folder are due tonight, by period and by what they did before."""

import datetime as dt
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from enum import StrEnum
from hashlib import sha256
from typing import Final

from flows.books.alerts import NIGHT_EXPECTED_WITHIN
from flows.payables.rules.account_checks import check_fingerprint
from flows.payables.waits import is_interrupted
from flows.run_request import RunRequest
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import read_obligations
from io_adapters.ledger.runs import StoredRun
from io_adapters.spreadsheets.files import expand, sha256_of
from schemas.errors import ExitCode, UnreadableFile, errors_in_language
from schemas.exchange_update import UNSETTLED
from schemas.issues import IssueCode
from schemas.messages import Message
from schemas.plan import KEPT_BACK, Place
from schemas.submission import SubmissionState


class DueReason(StrEnum):
    """Why a job is due, or why it is not."""

    NEW = "new"
    LEFT_OVER = "left_over"
    APPROVED = "approved"
    INTERRUPTED = "interrupted"
    REASON_GONE = "reason_gone"
    SAME = "same"
    NO_FILES = "no_files"
    OTHER_FILES = "other_files"
    BUSY = "busy"

    @property
    def is_due(self) -> bool:
        return self in _DUE


_DUE: Final = frozenset(
    {DueReason.NEW, DueReason.LEFT_OVER, DueReason.APPROVED, DueReason.INTERRUPTED, DueReason.REASON_GONE}
)

# After these the same files may come to something else: what stood in the way was not in them.
_TRY_AGAIN: Final = frozenset(
    {ExitCode.BUG, ExitCode.ANOTHER_RUN, ExitCode.NOT_SENT, ExitCode.REFUSED, ExitCode.FROZEN, ExitCode.CONFIGURATION}
)
# Account checks that the budget of one run, or the service's silence, has left for the next.
_CHECKS_LEFT: Final = frozenset({"ACCOUNT_BUDGET", "ACCOUNT_UNKNOWN"})


@dataclass(frozen=True, slots=True)
class Facts:
    """What is known of a job of one period."""

    content: str | None
    seen: str | None
    left_over: bool = False
    approved: bool = False
    approved_reads_the_same: bool = True
    interrupted: bool = False
    reason_gone: bool = False


def why_due(facts: Facts) -> DueReason:
    """Decide whether a job is due.

    What is approved and stored goes out whatever the files say. A plan that people have approved is taken up only from
    the files it was made of: run on others, it would be replaced by another plan, and their word lost.

    >>> why_due(Facts(content="1", seen="1")).is_due
    False
    """
    if facts.left_over:
        return DueReason.LEFT_OVER
    if facts.content is None:
        return DueReason.NO_FILES
    if facts.approved:
        return DueReason.APPROVED if facts.approved_reads_the_same else DueReason.OTHER_FILES
    if facts.content != facts.seen:
        return DueReason.NEW
    if facts.interrupted:
        return DueReason.INTERRUPTED
    return DueReason.REASON_GONE if facts.reason_gone else DueReason.SAME


def is_brought_to_an_end(code: ExitCode, issues: Mapping[str, int]) -> bool:
    """Say whether running a job again on the same files can be left to people."""
    return code not in _TRY_AGAIN and not any(issues.get(name) for name in _CHECKS_LEFT)


S = SubmissionState

NIGHTLY: Final = "nightly"
# A night is found among so many runs; one that is older counts as forgotten, and its jobs are run once more.
_LOOK_BACK_RUNS: Final = 2_000
_KEPT_BACK: Final = (*KEPT_BACK, Place.FAILED, Place.UNDETERMINED)


def last_night(ledger: Ledger, now: dt.datetime) -> Message | None:
    """Say how long ago the last night ended, and whether the next should have by now; None where there was none."""
    last = ledger.runs.last_ended(NIGHTLY)
    if last is None or last.finished_at is None:
        return None
    since = now - last.finished_at
    hours = int(since.total_seconds() // 3600)
    return Message("night.overdue" if since > NIGHT_EXPECTED_WITHIN else "night.last", hours=hours)


def facts_of(order: RunRequest, ledger: Ledger, now: dt.datetime) -> Facts:
    """Gather what decides whether a job is due; the service is not asked.

    Effects: reads every file the job names once, to know whether it has changed.
    """
    try:
        sources = _hashes(_patterns_read(order), order)
        tables = _hashes([pattern for patterns in _beside(order) for pattern in patterns], order)
    except UnreadableFile:
        sources, tables = None, {}
    name, label = order.job.job, order.period.label
    waiting = ledger.submissions.list(job=name, states={S.APPROVED, S.NOT_SENT}, bodies=False)
    left_over = bool(waiting) or bool(ledger.exchange_updates.list(job=name, states=UNSETTLED))
    planner = _planner_of_approved(order, ledger, now)
    last = ledger.runs.last_payout(name, label)
    planned_from = set(ledger.files.of_run(planner).values()) if planner else set[str]()
    return Facts(
        content=None if not sources else _content(order, sources | tables),
        seen=last_seen(ledger).get(seen_name(name, label)),
        left_over=left_over,
        approved=planner is not None,
        approved_reads_the_same=planned_from == set((sources or {}).values()),
        interrupted=last is not None and is_interrupted(last, ledger, now),
        reason_gone=last is not None and _is_reason_gone(order, last, ledger, now),
    )


def _is_reason_gone(order: RunRequest, last: StoredRun, ledger: Ledger, now: dt.datetime) -> bool:
    """Say whether people have decided what a run left open, or an account it held is not known as invalid any more."""
    run_ids = [run.run_id for run in ledger.runs.last_with_results(job=last.job) if run.period == last.period]
    found = read_obligations(ledger, run_ids, places=_KEPT_BACK)
    kept_back = [part for obligation in found.values() for part in obligation]
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
    for files in order.job.tables.values():
        if files is not None:
            yield files.files


def _patterns_read(order: RunRequest) -> list[str]:
    """Return the patterns and paths of all that the sources are read from."""
    handed = [str(order.path_of(file)) for file in order.month.files]
    sources = enumerate(order.job.sources, start=1)
    named = [order.patterns_read(("", one.layout_name, str(number)), one.files) for number, one in sources]
    return [*handed, *(pattern for patterns in named for pattern in patterns)]


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
        if ledger.approvals.valid(digest, now):
            return ledger.plans.get(digest).run_id
    return None


def seen_name(job: str, period: str) -> str:
    return f"{job} {period}"


def last_seen(ledger: Ledger) -> dict[str, str]:
    """Return what earlier nights have brought to an end: job and period -> what the job had read."""
    nights = [run for run in ledger.runs.list(_LOOK_BACK_RUNS) if run.command == NIGHTLY]
    seen: dict[str, str] = {}
    for night in reversed(nights):
        seen |= ledger.files.of_run(night.run_id)
    return seen


def remember(ledger: Ledger, night_id: str, order: RunRequest, content: str) -> None:
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
