"""Deciding what waits: what a run leaves open, and which of it still waits now."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Final, cast

from flows.payables.rules.places import place_of
from schemas.approval import DecisionKind
from schemas.errors import ExitCode
from schemas.issues import IssueCode
from schemas.obligation import Kind, Obligation, Reasons, because, reasons_from_json, reasons_text
from schemas.plan import Place
from schemas.submission import Claim, Submission, SubmissionState
from schemas.values.money import SignedSums
from schemas.waits import ROW, LeftSum, OpenItem, OpenPeriod, Wait, WaitKind

S = SubmissionState

_LEFT_OPEN: Final = frozenset({Place.HELD, Place.CONFLICT, Place.REFUSED, Place.FAILED, Place.PLANNED, Place.NOT_SENT})
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
}
_CODES: Final = {
    WaitKind.REFUSED: ExitCode.REFUSED,
    WaitKind.FAILED: ExitCode.DISCREPANCIES,
}
_ORDER: Final = {kind: number for number, kind in enumerate(WaitKind)}


def open_items(left: Iterable[LeftSum], submissions: Mapping[str, Submission]) -> tuple[OpenItem, ...]:
    """Tell what a run leaves open by now, by place, kind and reason: money first, then held rows of other files.

    Args:
        submissions: By id, those that claim any of it.
    """
    counts, cents = SignedSums[_Left](), SignedSums[_Left]()
    for one in left:
        place, reasons = _by_now(one, submissions.get(one.submission_id))
        if place not in _LEFT_OPEN or (place is Place.FAILED and one.kind == "owner"):
            continue
        if place in {Place.PLANNED, Place.NOT_SENT}:
            is_rejected = any(getattr(why.facts.get("said"), "id", "") == _REJECTION for why in reasons)
            known = because(REJECTED) if is_rejected else ()
        else:
            known = tuple(why.nameless for why in reasons)
        counts[place, one.kind, known] += one.number
        cents[place, one.kind, known] += one.amount_cents
    return tuple(OpenItem(*key, counts[key], cents[key]) for key in sorted(counts, key=_in_order))


def _by_now(left: LeftSum, submission: Submission | None) -> tuple[Place, Reasons]:
    """Say where obligations are by now and why, as `places.reconcile` says it of each."""
    obligation = Obligation(
        kind=cast("Kind", left.kind),
        amount_cents=left.amount_cents,
        place=Place(left.place),
        reasons=reasons_from_json(left.reasons),
    )
    if submission is None or obligation.place is Place.CONFLICT:
        is_kept = obligation.place is Place.PLANNED and left.kind == "owner"
        return Place.OWNER if is_kept else obligation.place, obligation.reasons
    word = DecisionKind(left.word) if left.word else None
    place = place_of(obligation, submission, left.run_id, word)
    if word is not None:
        return place, because("decided", decision=word.value)
    return place, because("submission", said=submission.reason) if submission.reason else obligation.reasons


def _in_order(left: _Left) -> tuple[bool, Place, str, str]:
    place, kind, reasons = left
    return kind == ROW, place, kind, reasons_text(reasons)


def _is_freed(item: OpenItem) -> bool:
    return any(why.code == "decided" and why.facts["decision"] == DecisionKind.PAY for why in item.reasons)


def still_unmade(left: OpenPeriod, unmade: Iterable[Claim]) -> OpenPeriod:
    """Return what is still open of what a run has left: what failed and was paid with anything else is not."""
    counts, cents = SignedSums[tuple[str, bool]](), SignedSums[tuple[str, bool]]()
    for claim in unmade:
        counts[claim.kind, claim.state is not S.FAILED] += 1
        cents[claim.kind, claim.state is not S.FAILED] += claim.amount_cents
    items = list[OpenItem]()
    for item in left.items:
        about = item.kind, _is_freed(item)
        if item.place is not Place.FAILED:
            items.append(item)
        elif counted := counts.pop(about, 0):  # several reports that failed are told as one
            items.append(replace(item, count=counted, amount_cents=cents[about]))
    return replace(left, items=tuple(items))


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
        kind = WaitKind.NOT_SENT if _is_freed(item) else _KINDS[item.place]
        if item.reasons == because(REJECTED):
            kind = WaitKind.REJECTED
        if kind is WaitKind.HELD and item.kind == ROW:
            kind = WaitKind.ROWS
        if item.reasons == because(IssueCode.SHARE_UNMATCHED.value):
            kind = WaitKind.UNMATCHED
        if kind is WaitKind.NOT_SENT and under_way:
            continue
        held_code = ExitCode.ROWS_REFUSED if run.exit_code is ExitCode.ROWS_REFUSED else ExitCode.ROWS_HELD
        code = _CODES.get(kind, _unsent_code(run) if kind in {WaitKind.NOT_SENT, WaitKind.REJECTED} else held_code)
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
