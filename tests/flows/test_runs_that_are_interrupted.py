"""A run that somebody or something interrupts is told as interrupted, is taken up by the night, and pays nobody twice.

Varied: the moment (each commit of the ledger, each report on its way, before and after the service has it), the kind of
interruption (Ctrl-C, a cancelled task, the end of the program, SIGTERM), and who takes it up (the night, a person).
Constant: SQLite, and a job of payments; `tests/crash` ends processes that get no word in at all.
"""

import asyncio
import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from sqlalchemy import Engine, event

from flows.house_ledger import utc_now
from flows.nights.due import NIGHTLY, DueReason, facts_of, why_due
from flows.nights.night import ANOTHER_NIGHT, run_night
from flows.payables.waits import gather_waits
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import run_payout
from schemas.errors import ExitCode
from schemas.waits import WaitKind
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND, Label
from tests.flows.oracle import CREATE

PEOPLE = people(4)
PAID = [1000, 2000, 3000, 4000]
ROOT = Path(__file__).parents[2]


@pytest.fixture
def four(label: Label) -> Label:
    """A job of four reports that nobody has to approve."""
    label.payments(*(payment(who, f"{number}0,00") for number, who in enumerate(PEOPLE, 1)))
    label.declare(approval={"above": "1000.00"}, rules={"max_payments_per_batch": 1})
    return label


ENDINGS = {"ctrl-c": KeyboardInterrupt, "exit": SystemExit, "cancelled": asyncio.CancelledError}
INTERRUPTED = "from tests.flows.test_runs_that_are_interrupted import run_until; import sys; run_until(*sys.argv[1:])"


def run_until(command: str, path: str, number: str, ending: str) -> None:
    """Run a job, or a night, in a process of its own, until the n-th commit of the ledger; the commit is not made."""
    commits = 0

    def count(_connection: object) -> None:
        nonlocal commits
        commits += 1
        if commits == int(number):
            raise ENDINGS[ending](1)

    event.listen(Engine, "commit", count)
    if command == "night":
        run_night(Path(path))
    else:
        run_payout(Path(path), RunOptions(yes=True, by="ana"))


def interrupt(command: str, path: Path, number: int, ending: str) -> bool:
    """Interrupt it; returns whether it came so far."""
    call = [sys.executable, "-c", INTERRUPTED, command, str(path), str(number), ending]
    return subprocess.run(call, cwd=ROOT, timeout=120, capture_output=True, check=False).returncode != 0


def is_told_as_interrupted(label: Label) -> bool:
    """Whether ledger, people and night are told so, all three or none."""
    with label.ledger() as ledger:
        last = ledger.runs.last_payout("aurora", "2026-10")
        if last is None:
            return False
        told = any(wait.kind is WaitKind.INTERRUPTED for wait in gather_waits(ledger, utc_now(), "aurora"))
        facts = facts_of(read_run_request(label.job), ledger, utc_now())
    assert told is (last.exit_code is None) is (last.finished_at is None) is facts.interrupted
    assert why_due(facts).is_due or not told
    return told


@pytest.mark.long
@pytest.mark.parametrize(
    ("number", "command", "ending"),
    [(number, ("run", "night")[turn % 2], list(ENDINGS)[turn % 3]) for turn, number in enumerate(range(2, 74, 6))],
)
def test_what_is_interrupted_at_any_commit_has_no_end_and_is_taken_up(four, service, command, ending, number):
    """Where the service has less than everything, the run is told as interrupted, whatever it came to write down."""
    path = four.job if command == "run" else four.folder.parent
    came_there = interrupt(command, path, number, ending)
    with four.ledger() as ledger:
        begun = ledger.runs.last_payout("aurora", "2026-10") is not None
        night = ledger.runs.last_ended(NIGHTLY)
    if begun and len(service.paid) < len(PAID):
        assert is_told_as_interrupted(four)
    assert came_there or not is_told_as_interrupted(four)
    assert command == "run" or (night is None) == came_there
    for _ in range(2):
        taken_up = run_night(four.folder.parent)
    assert taken_up.state != ANOTHER_NIGHT
    doubted = taken_up.exit_code is ExitCode.IN_DOUBT
    assert service.paid == PAID or (doubted and len(service.paid) == len(set(service.paid_for)) >= len(PAID) - 1)
    assert not is_told_as_interrupted(four)


@pytest.mark.long
@pytest.mark.parametrize("sign", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize("call", [1, 3])
def test_a_program_that_is_told_to_stop_in_mid_send_leaves_no_end(four, service, eventually, sign, when, call):
    service.plant(CREATE, "hang", when=when, call=call, seconds=600)
    stopped = subprocess.Popen(
        [*COMMAND, "run", str(four.job), "--yes"], stderr=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        eventually(lambda: service.posts == call and (when == "before" or len(service.reports) == call))
        os.kill(stopped.pid, sign)
        stopped.communicate(timeout=60)
    finally:
        stopped.kill()
    assert stopped.returncode != 0
    assert is_told_as_interrupted(four)
    service.clear()
    night = run_night(four.folder.parent)
    assert [job.why for job in night.jobs] == [DueReason.LEFT_OVER]
    assert len(service.paid) == (4 if when == "after" else 3)
    assert len(set(service.paid_for)) == len(service.paid)
    assert night.exit_code == (ExitCode.DONE if when == "after" else ExitCode.IN_DOUBT)
