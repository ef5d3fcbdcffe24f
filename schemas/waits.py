"""Waits: money and rows that a run left open, runs that did not end, and what to do next.

Kept by job and period with nobody's name in it, so that it can be told wherever people look.
"""

from dataclasses import dataclass
from enum import StrEnum
from functools import cache
from pathlib import Path

from pydantic import TypeAdapter

from schemas.errors import ExitCode
from schemas.messages import Listed, Message
from schemas.obligation import Reasons, reasons_message
from schemas.plan import Place


@dataclass(frozen=True, slots=True)
class OpenItem:
    """What a run has left open for one reason.

    Attributes:
        place: held, conflict, refused, failed, planned or `not_sent`.
        kind: Of `schemas.tables.royalties.KINDS`; "row" for rows that stand for no payment of their own.
        reasons: Why; nobody's name in them.
        count: How many obligations, or rows.
        amount_cents: What they come to; 0 for rows.
    """

    place: Place
    kind: str
    reasons: Reasons
    count: int
    amount_cents: int


@dataclass(frozen=True, slots=True)
class OpenPeriod:
    """What the last run of a job and period has left open.

    Attributes:
        run_id: The run that left it.
        folder: Where that run has written its outputs.
        items: By place, kind and reason; empty when nothing is left.
    """

    job: str
    period: str
    run_id: str
    currency: str
    language: str
    folder: str
    items: tuple[OpenItem, ...]

    def to_json(self) -> bytes:
        """Write it for the ledger."""
        return _adapter().dump_json(self)

    @staticmethod
    def from_json(content: bytes) -> "OpenPeriod":
        """Read what `to_json` wrote."""
        return _adapter().validate_json(content)


@cache
def _adapter() -> TypeAdapter[OpenPeriod]:
    """Return what writes and reads; it takes long to make, and most commands need none."""
    return TypeAdapter(OpenPeriod)


class WaitKind(StrEnum):
    """What kind of thing waits, in the order in which it is told."""

    INTERRUPTED = "interrupted"
    STOPPED = "stopped"
    NOT_SENT = "not_sent"
    REFUSED = "refused"
    FAILED = "failed"
    CONFLICT = "conflict"
    UNMATCHED = "unmatched"
    HELD = "held"
    ROWS = "rows"


@dataclass(frozen=True, slots=True)
class Wait:
    """One thing that waits for somebody.

    Attributes:
        run_id: The run that left it.
        count: How many obligations or rows; 0 of a run.
        amount_cents: What they come to; 0 where no amount is known.
        currency: Of the amount; "" where there is none.
        code: How a command that tells of it ends.
        command: What runs the job's period again; "" where nobody knows its job file.
        folder: Where that run has written what is to be put right; "" for beside whatever tells of it.
        state: How the run ended, where that is why.
        in_desk: Whether words on the job count only from people who have signed in at the desk.
    """

    kind: WaitKind
    job: str
    period: str
    run_id: str
    reasons: Reasons
    count: int
    amount_cents: int
    currency: str
    code: ExitCode
    command: str
    folder: str
    language: str
    state: str = ""
    in_desk: bool = False

    @property
    def way(self) -> Message:
        """How to go on."""
        wants_word = self.kind in {WaitKind.FAILED, WaitKind.CONFLICT}
        return Message(
            f"wait.{self.kind}.desk" if wants_word and self.in_desk else f"wait.{self.kind}.way",
            command=self.command or "repasse run JOB",
            corrections=str(Path(self.folder, "corrections.xlsx")),
            shares=str(Path(self.folder, "missing-shares.xlsx")),
        )

    @property
    def what(self) -> Message:
        """What kind of thing waits."""
        return Message(f"wait.{self.kind}")

    @property
    def why(self) -> Message | Listed:
        """The rules that were broken, or how the run ended."""
        return Message(f"state.{self.state}") if self.state else reasons_message(self.reasons)
