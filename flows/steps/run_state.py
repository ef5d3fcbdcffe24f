"""How a run stands: its exit code from what its submissions have come to, and the state's name."""

from collections.abc import Collection, Iterable, Sequence
from typing import Final

from schemas.exit_codes import ExitCode
from schemas.reconciliation import Discrepancy
from schemas.submission import Submission, SubmissionState

S = SubmissionState

# Codes that following the reports can change; they are told anew from the submissions each time.
FOLLOWED: Final = frozenset(
    {ExitCode.IN_DOUBT, ExitCode.NOT_SENT, ExitCode.STILL_OPEN, ExitCode.DISCREPANCIES, ExitCode.APPROVAL_WANTED}
)

_CODE_OF: Final = {
    S.PLANNED: ExitCode.APPROVAL_WANTED,
    S.APPROVED: ExitCode.NOT_SENT,
    S.NOT_SENT: ExitCode.NOT_SENT,
    S.SENDING: ExitCode.IN_DOUBT,
    S.IN_DOUBT: ExitCode.IN_DOUBT,
    S.ABSENT: ExitCode.IN_DOUBT,
    S.ACCEPTED: ExitCode.STILL_OPEN,
    S.PROCESSING: ExitCode.STILL_OPEN,
    S.REFUSED: ExitCode.REFUSED,
    S.PARTIAL: ExitCode.DISCREPANCIES,
    S.FAILED: ExitCode.DISCREPANCIES,
    S.EXCLUDED: ExitCode.DISCREPANCIES,
}

_NAMES: Final = {
    ExitCode.DONE: "done",
    ExitCode.ROWS_REFUSED: "rows_refused",
    ExitCode.APPROVAL_WANTED: "awaiting_approval",
    ExitCode.ROWS_HELD: "done_with_rows_held",
    ExitCode.REFUSED: "refused",
    ExitCode.NOT_SENT: "not_sent",
    ExitCode.IN_DOUBT: "in_doubt",
    ExitCode.STILL_OPEN: "settling",
    ExitCode.ANOTHER_RUN: "another_run",
    ExitCode.FROZEN: "frozen",
    ExitCode.DISCREPANCIES: "discrepancies",
    ExitCode.NO_SOUND_PLAN: "no_sound_plan",
    ExitCode.BUG: "bug",
}


NOTHING_TO_PAY: Final = "nothing_to_pay"


def closing_codes(
    noted: Iterable[int],
    submissions: Sequence[Submission],
    discrepancies: Sequence[Discrepancy],
    *,
    ever_sent: bool,
    decided: Collection[str] = (),
) -> set[ExitCode]:
    """Return every exit code that holds of a run now.

    Rows held with nothing ever sent is another outcome (12) than rows held beside payments that went out (15). Where
    there is nothing to follow, because the service could not be reached for instance, all that was noted stands.

    Args:
        noted: Codes noted while the run went on.
        submissions: What the run sent or planned, and what of earlier runs still keeps its payments from being done.
        discrepancies: All that were seen.
        ever_sent: Whether anything of the job was ever sent, by any run.
        decided: Ids of those that people have explained, payment by payment; they stand in nobody's way.
    """
    codes = {ExitCode(code) for code in noted}
    if submissions:
        codes -= FOLLOWED
    codes |= {_CODE_OF[one.state] for one in submissions if one.state in _CODE_OF and one.id not in decided}
    if discrepancies:
        codes.add(ExitCode.DISCREPANCIES)
    if ExitCode.ROWS_HELD in codes and not ever_sent:
        codes = codes - {ExitCode.ROWS_HELD} | {ExitCode.ROWS_REFUSED}
    return codes or {ExitCode.DONE}


def state_name(code: ExitCode, *, sent: bool) -> str:
    """Name a run's state for people and `summary.json`.

    >>> state_name(ExitCode.DONE, sent=False)
    'nothing_to_pay'
    """
    if code is ExitCode.DONE and not sent:
        return NOTHING_TO_PAY
    return _NAMES.get(code, code.name.lower())
