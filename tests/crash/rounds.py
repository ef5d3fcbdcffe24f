"""Rounds of kills: in each a ledger and a service of their own, two jobs whose batches are approved, and many workers.

Workers do with the batches what every run does with stored ones; some are whole runs, some only settle. Often two work
at once, on the two jobs of the ledger or on the same one. Runs in a process of its own, which forks the workers.
"""

import multiprocessing
import random
import signal
import sys
import time
import traceback
from collections.abc import Callable
from dataclasses import dataclass, replace
from multiprocessing.connection import Connection, wait
from pathlib import Path
from typing import Any, Final

from flows.reports.rules.report_list import MOST_DOUBTS
from sample_data.making.people import Registry
from schemas.errors import ExitCode
from tests.crash import workers
from tests.crash.payday import Books, Payday, Worker, check_books, opened_payday
from tests.payments_job import PAYER, PaymentsJob, write_payments_job

FORK: Final = multiprocessing.get_context("fork")  # safe here: a lane has no threads

OTHER_PAYER: Final = "11222333000181"
PAYMENTS: Final = 40
TIMEOUT_S: Final = 0.4
LATEST_EFFECT_S: Final = 0.8
LONGEST_LIFE_S: Final = 30.0
FAULTY_POSTS: Final = 0.04  # more would leave most rounds with so many doubts that sending stops
FAULTY_LISTINGS: Final = 0.003
REFUSAL: Final = {"detail": [{"loc": ["body", "payments", 0, "name"], "msg": "not today", "type": "value_error"}]}
# What one call of POST /split can meet; a hang of 0.6 s outlasts the client's patience.
FAULTS: Final[tuple[dict[str, Any], ...]] = (
    {"kind": "drop", "when": "before"},
    {"kind": "drop", "when": "after"},
    {"kind": "reset", "when": "after"},
    {"kind": "status", "when": "before", "status": 500},
    {"kind": "status", "when": "after", "status": 500},
    {"kind": "html", "when": "after"},
    {"kind": "garbage", "when": "after"},
    {"kind": "cut", "when": "after"},
    {"kind": "cut_head", "when": "after"},
    {"kind": "hang", "when": "after", "seconds": 0.1},
    {"kind": "hang", "when": "before", "seconds": 0.6},
    {"kind": "late", "seconds": 0.3},
    {"kind": "status", "when": "before", "status": 422, "body": REFUSAL},
)
# Ends that a worker may come to by itself; anything else, a bug (70) or a freeze (31) above all, is a finding.
FAIR_ENDS: Final = {
    *(ExitCode.DONE, ExitCode.ROWS_HELD, ExitCode.REFUSED, ExitCode.NOT_SENT, ExitCode.IN_DOUBT, ExitCode.STILL_OPEN),
    ExitCode.ANOTHER_RUN,
    ExitCode.APPROVAL_WANTED,  # what was edited wants a person, and there is none here
}
UNSENT: Final = {"approved", "not_sent"}
ENDS: Final = {"paid", "in_doubt", "refused", "withdrawn"}
WORK: Final = {workers.finish_stored: 90, workers.pay: 5, workers.settle: 5}


@dataclass(frozen=True, slots=True)
class Survived:
    """One round: how many were killed in it, and the books that agree afterwards."""

    kills: int
    books: Books


@dataclass(frozen=True, slots=True)
class Strike:
    """What one worker does, and when it is killed.

    Attributes:
        does: One of `workers`.
        job: Which job.
        words: It lives until it has told so much: a word for each stage it begins, then one for each batch it has sent.
        then_s: And for so long after that.
    """

    does: Callable[..., None]
    job: PaymentsJob
    words: int
    then_s: float


def survive_rounds(folder: Path, seed: str, kills: int, parent: Connection) -> None:
    """Go on until so many were killed; each round, or why it failed, is told. Ledgers are asked for."""
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    number = 0
    try:
        while kills > 0:
            parent.send("ledger")
            survived = survive(folder / str(number), random.Random(f"{seed}-{number}"), parent.recv())
            parent.send(survived)
            kills, number = kills - survived.kills, number + 1
    except Exception:  # noqa: BLE001 - whatever it is, the test has to tell it
        parent.send(f"round {seed}-{number}\n{traceback.format_exc()}")


def survive(folder: Path, rng: random.Random, ledger_url: str) -> Survived:
    """Kill until everything is sent, and hold the books against the service."""
    with opened_payday(
        folder, PAYMENTS, per_batch=1, timeout_s=TIMEOUT_S, ledger_url=ledger_url, processes=FORK
    ) as payday:
        other = write_payments_job(folder / "other", PAYMENTS, name="other", per_batch=1, first_cents=500_000)
        jobs = [payday.job, other]
        for job in jobs:
            assert payday.start(job, workers.prepare).ended() == workers.DIED
        plant_faults(payday, rng)
        kills = kill_while_there_is_something_to_send(payday, jobs, rng)
        payday.clear_faults()
        time.sleep(LATEST_EFFECT_S)
        bring_to_an_end(payday, jobs)
        return Survived(kills, check_books(payday, jobs))


def plant_faults(payday: Payday, rng: random.Random) -> None:
    for call in range(1, 2 * PAYMENTS + 1):
        if rng.random() < FAULTY_POSTS:
            payday.plant("POST /split", **rng.choice(FAULTS), call=call)
    for call in range(1, 14 * PAYMENTS):
        if rng.random() < FAULTY_LISTINGS:
            payday.plant("GET /split", "status", call=call, status=503)


def kill_while_there_is_something_to_send(payday: Payday, jobs: list[PaymentsJob], rng: random.Random) -> int:
    kills = 0
    while True:
        ends = carry_out(payday, draw_strikes(jobs, rng))
        kills += ends.count(-signal.SIGKILL)
        by_themselves = set(ends) - {-signal.SIGKILL}
        assert by_themselves <= FAIR_ENDS, f"exits {by_themselves}, {why_frozen(payday)}"
        if by_themselves - {ExitCode.ANOTHER_RUN} and (not unsent(payday) or waits_for_people(payday)):
            return kills


def why_frozen(payday: Payday) -> str:
    """Say why sending is frozen, for the one who reads that it is."""
    with payday.ledger() as ledger:
        freeze = ledger.freeze.current()
    return "not frozen" if freeze is None else f"frozen: {freeze.reason}"


def unsent(payday: Payday) -> bool:
    """Whether batches wait for being sent."""
    return not UNSENT.isdisjoint(payday.states())


def waits_for_people(payday: Payday) -> bool:
    """Whether so many answers are in doubt that no run sends any more until people have looked."""
    return payday.states().count("in_doubt") >= MOST_DOUBTS


def edit(job: PaymentsJob, rng: random.Random) -> None:
    """Do to a job's files what offices do between two runs; none of it makes a payment another one."""
    rows = list(job.rows)
    for number in rng.sample(range(len(rows)), 6):
        row = rows[number]
        payee = row.payee
        match rng.randrange(4):
            case 0:
                rows[number] = replace(row, reference=f"Nota {number}")
            case 1:
                rows[number] = replace(row, reference=f"NOTA\u00a0 {number} ")
            case 2:
                rows[number] = replace(row, payee=replace(payee, tax_id=Registry(f"own {number}").cnpj()))
            case 3:
                rows[number] = replace(row, payee=replace(payee, email=f"nova.{payee.email}", name=payee.name.upper()))
    rng.shuffle(rows)
    job.retype(rows, rng.choice((PAYER, PAYER, PAYER, OTHER_PAYER)))


def draw_strikes(jobs: list[PaymentsJob], rng: random.Random) -> list[Strike]:
    """One worker, or two on the two jobs, or two on the same one, of which the lease lets one in."""
    chosen = rng.choices(([rng.choice(jobs)], rng.sample(jobs, 2), [rng.choice(jobs)] * 2), weights=(2, 6, 2))[0]
    return [draw_strike(job, rng) for job in chosen]


def draw_strike(job: PaymentsJob, rng: random.Random) -> Strike:
    does = rng.choices(list(WORK), weights=list(WORK.values()))[0]
    if does is workers.pay:
        edit(job, rng)
        return Strike(does, job, 3, rng.uniform(0, 0.2))  # its third stage is the one that sends what is stored
    if does is workers.settle or rng.random() < 0.2:
        return Strike(does, job, 0, rng.uniform(0, 0.2))
    return Strike(does, job, 1 + rng.randrange(4), rng.uniform(0, 0.01))


def carry_out(payday: Payday, strikes: list[Strike]) -> list[int]:
    """Start the workers together and kill each at its moment, if it is still alive by then; returns the exit codes."""
    doomed = [Doomed(strike, payday.start(strike.job, strike.does)) for strike in strikes]
    while alive := [one for one in doomed if one.worker.process.is_alive()]:
        soonest_s = min(one.dies_at_s for one in alive) - time.monotonic()
        heard = wait([one.worker.stages for one in alive], max(0.0, soonest_s))
        for one in alive:
            if one.worker.stages in heard:
                one.hear()
            if time.monotonic() >= one.dies_at_s:
                one.worker.process.kill()
    return [one.worker.ended() for one in doomed]


class Doomed:
    """A worker that is listened to until the moment it is to be killed."""

    def __init__(self, strike: Strike, worker: Worker) -> None:
        self.worker = worker
        self.dies_at_s = time.monotonic() + LONGEST_LIFE_S
        self._then_s = strike.then_s
        self._words_left = strike.words
        self._count_down()

    def hear(self) -> None:
        """Take a word from it."""
        if self.worker.next_stage() is not None:
            self._words_left -= 1
            self._count_down()

    def _count_down(self) -> None:
        if not self._words_left:
            self.dies_at_s = time.monotonic() + self._then_s


def bring_to_an_end(payday: Payday, jobs: list[PaymentsJob]) -> None:
    """Run, with a service in good health, until nothing changes any more."""
    for job in jobs:
        job.retype(job.rows)
    before: list[str] = []
    while before != (before := payday.states()):
        for job in jobs:
            end = payday.start(job).ended()
            assert end in FAIR_ENDS - {ExitCode.ANOTHER_RUN}, f"exit {end}"
        assert payday.start(does=workers.settle).ended() in FAIR_ENDS
    ends = ENDS | UNSENT if waits_for_people(payday) else ENDS
    assert set(before) <= ends, f"not at an end: {before}"
