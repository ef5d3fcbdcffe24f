"""Deciding what waits: what a run leaves open, and which of it still waits now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from schemas.account import OwedSum
from schemas.errors import ExitCode
from schemas.issues import IssueCode
from schemas.plan import Place
from schemas.reasons import Reasons, because, reasons_from_json, reasons_text
from schemas.submission import SubmissionState
from schemas.values.money import SignedSums
from schemas.waits import ROW, HeldRows, OpenItem, OpenPeriod, Wait, WaitKind, is_freed

S = SubmissionState

_LEFT_OPEN: Final = frozenset(
    {Place.HELD, Place.CONFLICT, Place.REFUSED, Place.FAILED, Place.PLANNED, Place.NOT_SENT, Place.RETURNED}
)
# Why what was planned waits, of a plan that people rejected; and what its reports are told to be withdrawn for.
REJECTED: Final = "rejected"
_REJECTION: Final = "attempt.rejected"
_Left = tuple[Place, str, Reasons]
# Submissions in these states tell of themselves what was planned and has not been sent.
UNDER_WAY: Final = frozenset({S.PLANNED, S.APPROVED, S.NOT_SENT, S.SENDING, S.IN_DOUBT})
# A run that ended so left work undone, whatever it has written down.
_STOPPED: Final = frozenset(
    {
        ExitCode.NO_SOUND_PLAN,
        ExitCode.REFUSED,
        ExitCode.NOT_SENT,
        ExitCode.ANOTHER_RUN,
        ExitCode.FROZEN,
        ExitCode.BUG,
    }
)
# A run that ended so has not even read its files: worth a word until the job is run again, for whatever period.
_NOT_READ: Final = frozenset({ExitCode.USAGE, ExitCode.CONFIGURATION, ExitCode.UNREADABLE_FILE})
# Of these ends the code still says what is wrong when somebody asks later.
_STANDS: Final = frozenset(
    {
        ExitCode.UNREADABLE_FILE,
        ExitCode.ROWS_REFUSED,
        ExitCode.NO_SOUND_PLAN,
        ExitCode.APPROVAL_WANTED,
        ExitCode.REFUSED,
    }
)
_KINDS: Final = {
    Place.HELD: WaitKind.HELD,
    Place.CONFLICT: WaitKind.CONFLICT,
    Place.REFUSED: WaitKind.REFUSED,
    Place.FAILED: WaitKind.FAILED,
    Place.PLANNED: WaitKind.NOT_SENT,
    Place.NOT_SENT: WaitKind.NOT_SENT,
    Place.RETURNED: WaitKind.RETURNED,
}
_CODES: Final = {
    WaitKind.REFUSED: ExitCode.REFUSED,
    WaitKind.FAILED: ExitCode.DISCREPANCIES,
}
_ORDER: Final = {kind: number for number, kind in enumerate(WaitKind)}


def open_items(unpaid: Iterable[OwedSum], held: Iterable[HeldRows]) -> tuple[OpenItem, ...]:
    """Tell what is open of one period by now, by place, kind and reason: money first, then held rows without any."""
    counts, cents = SignedSums[_Left](), SignedSums[_Left]()
    for due in unpaid:
        place = _PLACE_OF.get(due.place)
        if place is None or due.report:  # reports that have it tell of themselves
            continue
        if place in {Place.PLANNED, Place.NOT_SENT}:
            is_rejected = any(getattr(why.facts.get("said"), "id", "") == _REJECTION for why in due.reasons)
            known = because(REJECTED) if is_rejected else ()
        else:
            known = tuple(why.nameless for why in due.reasons)
        counts[place, due.kind, known] += due.count
        cents[place, due.kind, known] += due.amount_cents
    for rows in held:
        counts[Place.HELD, rows.kind, reasons_from_json(rows.reasons)] += rows.number
    return tuple(OpenItem(*key, counts[key], cents[key]) for key in sorted(counts, key=_in_order))


_PLACE_OF: Final = {place.value: place for place in _LEFT_OPEN}


def _in_order(left: _Left) -> tuple[bool, Place, str, str]:
    place, kind, reasons = left
    return kind == ROW, place, kind, reasons_text(reasons)


@dataclass(frozen=True, slots=True)
class LastRun:
    """The last payout of a job and period.

    Attributes:
        exit_code: The same as a code; None of one that never wrote down its end.
    """

    job: str
    period: str
    run_id: str
    state: str
    exit_code: ExitCode | None
    interrupted: bool
    is_last_of_job: bool
    command: str
    language: str
    in_desk: bool


def what_waits(
    runs: Iterable[LastRun],
    left: Mapping[tuple[str, str], OpenPeriod],
    under_way: frozenset[tuple[str, str]],
) -> tuple[Wait, ...]:
    """Decide what waits beside submissions, which tell of themselves.

    Args:
        left: Job and period -> what the last run that came to its end has left open.

    Returns:
        By job and period, what is most urgent first.
    """
    waits = [wait for run in runs for wait in _of_run(run, left.get((run.job, run.period)), under_way)]
    return in_order(waits)


def in_order(waits: Iterable[Wait]) -> tuple[Wait, ...]:
    """Sort by job and period, what is most urgent and largest first."""
    return tuple(sorted(waits, key=lambda wait: (wait.job, wait.period, _ORDER[wait.kind], -wait.amount_cents)))


def waits_of_items(left: OpenPeriod, run: LastRun, *, under_way: bool) -> list[Wait]:
    """Tell what a run has left open; what was planned is left out while submissions tell of it themselves."""
    waits = []
    for item in left.items:
        kind = _KINDS[item.place]
        if item.reasons == because(REJECTED):
            kind = WaitKind.REJECTED
        if kind is WaitKind.HELD and item.kind == ROW:
            kind = WaitKind.ROWS
        if item.reasons == because(IssueCode.SHARE_UNMATCHED.value):
            kind = WaitKind.UNMATCHED
        if kind is WaitKind.NOT_SENT and under_way:
            continue
        held_code = ExitCode.ROWS_REFUSED if run.exit_code is ExitCode.ROWS_REFUSED else ExitCode.ROWS_HELD
        is_unsent = kind in {WaitKind.NOT_SENT, WaitKind.REJECTED} or is_freed(item.reasons)
        code = _unsent_code(run) if is_unsent else _CODES.get(kind, held_code)
        waits.append(
            Wait(
                kind=kind,
                job=left.job,
                period=left.period,
                run_id=left.run_id,
                reasons=item.reasons,
                count=item.count,
                amount_cents=item.amount_cents,
                currency=left.currency,
                code=code,
                command=run.command,
                folder=left.folder,
                language=left.language,
                state=_unsent_state(run) if kind is WaitKind.NOT_SENT and not item.reasons else "",
                in_desk=run.in_desk,
                obligation_kind=item.kind,
            )
        )
    return waits


def _unsent_code(run: LastRun) -> ExitCode:
    """Return how to tell of a run that has not sent all: what froze it, or broke, tells of itself while it lasts."""
    return run.exit_code if run.exit_code in _STANDS and run.exit_code is not None else ExitCode.NOT_SENT


def _unsent_state(run: LastRun) -> str:
    """Return how a run ended that has not sent all; a plan that waits for approval is under way, this one is not."""
    return S.WITHDRAWN.value if run.exit_code is ExitCode.APPROVAL_WANTED else run.state


def _of_run(run: LastRun, left: OpenPeriod | None, under_way: frozenset[tuple[str, str]]) -> list[Wait]:
    waits = waits_of_items(left, run, under_way=(run.job, run.period) in under_way) if left else []
    told_otherwise = (run.job, run.period) in under_way or any(
        wait.kind in {WaitKind.NOT_SENT, WaitKind.REJECTED, WaitKind.REFUSED} and wait.run_id == run.run_id
        for wait in waits
    )
    stopped = run.exit_code in _STOPPED or (run.exit_code in _NOT_READ and run.is_last_of_job)
    if run.interrupted:
        waits.append(_of_the_run_itself(run, WaitKind.INTERRUPTED, ExitCode.NOT_SENT))
    elif stopped and not told_otherwise and run.exit_code is not None:
        waits.append(_of_the_run_itself(run, WaitKind.STOPPED, _unsent_code(run)))
    return waits


def _of_the_run_itself(run: LastRun, kind: WaitKind, code: ExitCode) -> Wait:
    return Wait(
        kind=kind,
        job=run.job,
        period=run.period,
        run_id=run.run_id,
        reasons=(),
        count=0,
        amount_cents=0,
        currency="",
        code=code,
        command=run.command,
        folder="",
        language=run.language,
        state=run.state if kind is WaitKind.STOPPED else "",
        in_desk=run.in_desk,
    )
