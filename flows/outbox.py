"""The outbox: `send_once` asks the service for one effect that the ledger holds, once.

Account checks alone go many at a time, by the same steps, in groups: see `flows.account_checks`.

The intent is committed, durably, in a compare-and-set that one worker wins; row and deadline are looked at again
immediately before connecting; the stored bytes go over a fresh connection; what the answer proves is committed with the
raw answer. No database transaction is open during HTTP. Whatever is not proven is in doubt.
"""

import datetime as dt
from collections.abc import Callable
from hashlib import sha256
from typing import Any, Protocol, TypeVar

from flows.run import Run
from io_adapters.ledger.outbox import Outbox, Proof
from schemas.attempt import Attempt, AttemptState
from schemas.errors import NotSent
from schemas.messages import Listed, Message

Kept = TypeVar("Kept", bound=Attempt[Any])


class Answer(Protocol):
    """What every kind's answer tells: its status, None when none came, and its body as far as it was read."""

    @property
    def http_status(self) -> int | None: ...  # noqa: D102
    @property
    def body(self) -> bytes: ...  # noqa: D102


AnyAnswer = TypeVar("AnyAnswer", bound=Answer)


def send_once(
    run: Run,
    outbox: Outbox[Kept],
    attempt: Kept,
    call: Callable[..., AnyAnswer],
    classify: Callable[[AnyAnswer], Proof],
    *,
    by: str = "",
) -> tuple[Kept, AnyAnswer] | None:
    """Make an approved attempt.

    Args:
        run: Who makes it.
        outbox: The record of its kind.
        attempt: Approved, with its body.
        call: Sends these bytes, once, over a fresh connection; takes them, and by name `deadline_s`, for connecting,
            writing and reading together, and `before_connect`, called immediately before connecting: if that raises,
            nothing is sent and it propagates.
        classify: Says what the answer proves.
        by: The people who asked for it by hand; "" where nobody did.

    Returns:
        The attempt as it stands now, and the answer; None when it is not to be sent any more, or another worker has it.

    Raises:
        NotSent: sending is on hold, or this worker was late; nothing was sent.
        SendingFrozen: ledger and service disagree.
        ApprovalWanted: what approved it has lapsed.
        BrokenInvariant: its bytes are not those that people approved.
    """
    run.require_service().api.await_turn()
    timeout_s, began_s = run.timeout_s, run.clock.monotonic_s()
    taken = outbox.take_for_sending(
        attempt.id,
        owner=run.owner,
        run_id=run.id,
        body_sha256=sha256(attempt.body).hexdigest(),
        deadline_at=run.clock.now() + dt.timedelta(seconds=timeout_s),
        by=by,
    )
    if not taken:
        return None
    timeout_s = max(0.0, timeout_s - (run.clock.monotonic_s() - began_s))  # the deadline is the one written down
    before_connect = _last_look(run, outbox, attempt, run.clock.monotonic_s() + timeout_s)
    answer = call(attempt.body, deadline_s=timeout_s, before_connect=before_connect)
    proven = classify(answer)
    stands = outbox.record_outcome(
        attempt.id,
        proven.state,
        http_status=answer.http_status,
        raw_answer=answer.body,
        reason=proven.reason,
        split_id=proven.split_id,
        alarms=proven.alarms,
    )
    return stands, answer


def _last_look(run: Run, outbox: Outbox[Kept], attempt: Kept, deadline_s: float) -> Callable[[], None]:
    """Make the check that runs immediately before connecting: the row is still ours, and there is time left.

    A worker that is late says that it has sent nothing; if nobody has doubted it by then, the next run may send.
    """

    def look() -> None:
        if run.clock.monotonic_s() >= deadline_s or not outbox.still_mine(attempt.id, run.owner):
            why = Message("attempt.late")
            outbox.record_outcome(attempt.id, AttemptState.NOT_SENT, http_status=None, raw_answer=b"", reason=why)
            raise NotSent(Listed((attempt.id, why), ": "))

    return look
