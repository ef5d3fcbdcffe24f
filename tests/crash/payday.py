"""A payday: one job, one ledger, one service in its own process, and the oracle, which is what the service has."""

import datetime as dt
import multiprocessing
import os
import signal
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from multiprocessing.connection import Connection
from multiprocessing.context import ForkContext, ForkServerContext
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any

import httpx

from flows.reports.rules.report_list import MOST_DOUBTS
from io_adapters.ledger.ledger import Ledger, open_ledger
from schemas.submission import Submission, SubmissionState
from tests.crash import workers
from tests.one_certificate import write_one_certificate
from tests.payments_job import PaymentsJob, write_payments_job

S = SubmissionState

# Workers are forked from a process that has imported everything: a new Python each time would be most of the time.
WARM = multiprocessing.get_context("forkserver")
WARM.set_forkserver_preload(["tests.crash.warm"])
Processes = ForkContext | ForkServerContext

IN_THE_SERVICE = {S.ACCEPTED, S.PROCESSING, S.PAID, S.PARTIAL, S.FAILED, S.EXCLUDED}
NOT_IN_THE_SERVICE = {S.PLANNED, S.APPROVED, S.NOT_SENT, S.REFUSED, S.WITHDRAWN}


@dataclass(frozen=True, slots=True)
class Worker:
    """A process that pays.

    Attributes:
        process: The process.
        stages: Tells the name of each stage it begins, and `workers.SENT` for each batch it is done with.
    """

    process: BaseProcess
    stages: Connection

    def ended(self) -> int:
        """Wait for its end; returns its exit code, negative for the signal that ended it."""
        self.process.join(60)
        self.stages.close()
        assert self.process.exitcode is not None, "the worker hangs"
        return self.process.exitcode

    def reaches(self, *names: str) -> bool:
        """Wait until it begins one of these stages; False when it ends before."""
        while (name := self.next_stage()) is not None:
            if name in names:
                return True
        return False

    def stands_still(self) -> bool:
        """Whether it is stopped (proc(5): the state after the name in parentheses)."""
        stat = Path(f"/proc/{self.process.pid}/stat").read_text(encoding="utf-8")
        return stat.rpartition(")")[2].split()[0] == "T"

    def goes_on(self) -> None:
        """Wake it."""
        os.kill(self.process.pid, signal.SIGCONT)

    def next_stage(self) -> str | None:
        """Wait for the next stage it begins; None when it has ended."""
        try:
            return str(self.stages.recv())
        except EOFError:
            return None


@dataclass(frozen=True, slots=True)
class Payday:
    """Everything a test of crashes needs.

    Attributes:
        job: What is to be paid.
        environment: What makes a process talk to this service and this ledger.
        control: Control plane of the service.
        processes: How workers come into being.
    """

    job: PaymentsJob
    environment: dict[str, str]
    control: httpx.Client
    processes: Processes

    def start(self, job: PaymentsJob | None = None, does: Callable[..., None] = workers.pay, *more: object) -> Worker:
        """Start a worker on the job, or on another one; it pays, or does something else that `workers` can do."""
        hears, tells = self.processes.Pipe(duplex=False)
        process = self.processes.Process(target=does, args=((job or self.job).path, self.environment, *more, tells))
        process.start()
        tells.close()
        return Worker(process, hears)

    def pay(self) -> int:
        """Run the job to its end in a process of its own; returns the exit code."""
        return self.start().ended()

    def pay_and_die(self, moment: workers.Moment, batch: int) -> int:
        """Run the job in a process that dies at a moment; returns its exit code."""
        return self.start(self.job, workers.pay_and_die, moment, batch).ended()

    def plant(self, endpoint: str, kind: str, **fields: object) -> None:
        """Let a call of the service go wrong."""
        self.control.post("/faults", json={"endpoint": endpoint, "kind": kind, **fields}).raise_for_status()

    def clear_faults(self) -> None:
        """Let everything go well from here on."""
        self.control.delete("/faults").raise_for_status()

    def audit(self) -> Any:
        """Return what the service has."""
        return self.control.get("/audit").raise_for_status().json()

    def posts(self) -> int:
        """Count the calls of POST /split that reached the service."""
        return self.audit()["requests"].get("POST /split", 0)

    @contextmanager
    def ledger(self, *, create: bool = False) -> Iterator[Ledger]:
        """Open the ledger to look at it."""
        url = self.environment["REPASSE_LEDGER_URL"]
        with open_ledger(url, clock=lambda: dt.datetime.now(dt.UTC), create=create) as ledger:
            yield ledger

    def submissions(self) -> list[Submission]:
        """Return all submissions of the ledger, in the order they were planned."""
        with self.ledger() as ledger:
            return ledger.submissions.list(bodies=False)

    def states(self) -> list[str]:
        """Return where each submission stands, by batch."""
        return [
            submission.state.value
            for submission in sorted(self.submissions(), key=lambda one: (one.batch_number, one.attempt))
        ]


def wait_for(condition: Callable[[], bool], what: str, seconds: float = 20.0) -> None:
    """Wait until something has happened."""
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, f"{what}: it did not happen in {seconds} s"
        time.sleep(0.005)


@contextmanager
def opened_payday(
    folder: Path,
    payments: int,
    *,
    per_batch: int = 1,
    checks: str = "never",
    formats: str = "json",
    timeout_s: float = 5.0,
    ledger_url: str | None = None,
    processes: Processes = WARM,
) -> Iterator[Payday]:
    """Write a job, and serve the service until the context ends; the ledger is a SQLite file unless a URL is given."""
    job = write_payments_job(folder, payments, per_batch=per_batch, checks=checks, formats=formats)
    hears, tells = processes.Pipe(duplex=False)
    service = processes.Process(target=workers.serve_service, args=(folder / "sandbox.db", tells))
    service.start()
    try:
        assert hears.poll(20), "the service does not start"
        url = hears.recv()
        home = folder / "home"
        environment = {
            "REPASSE_API_URL": url,
            "REPASSE_API_KEY": "sandbox-key",
            "REPASSE_HOME": str(home),
            "REPASSE_LEDGER_URL": ledger_url or f"sqlite:///{home}/ledger.db",
            "REPASSE_TIMEOUT_S": str(timeout_s),
            "SSL_CERT_FILE": str(write_one_certificate(folder)),
        }
        with httpx.Client(base_url=url.removesuffix("/external") + "/_sandbox", timeout=20) as control:
            yield Payday(job, environment, control, processes)
    finally:
        service.terminate()
        service.join(10)


@dataclass(frozen=True, slots=True)
class Books:
    """What the ledger and the service came to, found to agree.

    Attributes:
        states: How many submissions stand where.
        intents: How often an intent to send was written down.
        ambiguous: How many submissions have ever been in doubt.
        with_people: How many of those still are, and wait for a person or for a late report.
    """

    states: Counter[str]
    intents: int
    ambiguous: int
    with_people: int


def check_books(payday: Payday, jobs: Sequence[PaymentsJob] = ()) -> Books:
    """Hold the ledger against the service, and both against what is owed by all jobs of the ledger."""
    jobs = jobs or [payday.job]
    audit = payday.audit()
    creates = audit["creates"]
    # No two payments are of one amount, and no person says a word here: none is ever asked for again.
    paid = Counter(payment["final_amount_cents"] for create in creates for payment in create["payments"])
    assert [cents for cents, times in paid.items() if times > 1] == [], "paid twice"
    there = Counter(create["reportId"] for create in creates)
    with payday.ledger() as ledger:
        submissions = ledger.submissions.list(bodies=False)
        claims = [claim for job in jobs for claim in ledger.claims.live_of(job.name, "2026-10")]
        refused = {
            payment.amount_cents
            for submission in submissions
            if submission.state is S.REFUSED
            for payment in ledger.claims.payments_of(submission.id)
        }
        intents = {
            submission.id: sum(line.after is S.SENDING for line in ledger.submissions.transitions(submission.id))
            for submission in submissions
        }
        assert ledger.journal.disagreeing(intents) == [], "the journal and the record of reports disagree"
        assert sum(ledger.journal.balances().values()) == 0, "the journal does not balance"
        certainly_unsent = sum(
            line.after is S.NOT_SENT
            for submission in submissions
            for line in ledger.submissions.transitions(submission.id)
        )
    by_id = {submission.id: submission.state for submission in submissions}
    assert set(there) <= set(by_id), "the service has a report that the ledger does not know"
    for name, state in by_id.items():
        expected = {1} if state in IN_THE_SERVICE else {0} if state in NOT_IN_THE_SERVICE else {0, 1}
        assert there[name] in expected, f"the ledger says {state}, the service has it {there[name]} times"
    posts = audit["requests"].get("POST /split", 0)
    assert posts <= sum(intents.values()), "something was sent without its intent written down"
    assert sum(intents.values()) - certainly_unsent == sum(map(bool, intents.values())), "an intent was renewed"
    doubtful = {claim.amount_cents for claim in claims if claim.state is S.IN_DOUBT}
    claimed = {claim.amount_cents for claim in claims}
    owed = {cents for job in jobs for cents in job.owed.values()}
    # Where so many doubts stand that sending has stopped, what no report claims waits for people to settle them.
    stopped = sum(state is S.IN_DOUBT for state in by_id.values()) >= MOST_DOUBTS
    sent = {claim.amount_cents for claim in claims if claim.state in IN_THE_SERVICE}
    waiting = owed - sent if stopped else set()
    _check_that_nothing_is_lost(owed, set(paid), claimed, doubtful | refused | waiting)
    doubted = [submission for submission in submissions if submission.was_in_doubt]
    with_people = sum(one.state is S.IN_DOUBT for one in doubted)
    states = Counter(state.value for state in by_id.values())
    return Books(states, sum(intents.values()), len(doubted), with_people)


def _check_that_nothing_is_lost(owed: set[int], paid: set[int], claimed: set[int], told_unpaid: set[int]) -> None:
    """Every amount owed is in the service, or in doubt, refused or waiting in the ledger's own words."""
    assert paid <= owed, "another amount, or somebody to whom nothing is owed"
    assert owed - paid <= told_unpaid, "lost"
    assert paid <= claimed, "paid, and free to be paid again"
