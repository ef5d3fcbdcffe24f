"""Real processes are killed at random moments while they send, to a service that misbehaves in a share of its calls.

`KILLS=10000 make crash` kills more often, `SEED=...` repeats a run's choices; the moments are the machine's.
"""

import os
import random
import time
from collections.abc import Callable
from multiprocessing.connection import wait
from pathlib import Path
from typing import Final

import pytest

from tests.crash.payday import WARM
from tests.crash.rounds import Survived, survive_rounds
from tests.crash.tally import Tally

KILLS: Final = int(os.environ.get("KILLS", "1000"))
SEED: Final = int(os.environ.get("SEED", str(random.SystemRandom().randrange(10**9))))
LANES: Final = 3  # faults and pauses leave two cores idle otherwise

pytestmark = [pytest.mark.crash, pytest.mark.timeout(600 + KILLS)]


def test_no_kill_makes_anybody_be_paid_twice_or_loses_a_payment(
    tmp_path: Path, new_ledger: Callable[[], str], tally: Tally, request: pytest.FixtureRequest
):
    kind: str = request.node.callspec.id
    began, tally.seed = time.monotonic(), SEED
    survived = in_lanes(tmp_path, f"{SEED}-{kind}", KILLS // 2, new_ledger)
    tally.kills[kind] = sum(one.kills for one in survived)
    tally.seconds += time.monotonic() - began
    for one in survived:
        tally.add(one.books)
    assert tally.kills[kind] >= KILLS // 2
    # Else the kills would have left next to nothing to be paid twice.
    assert sum(one.books.states["paid"] for one in survived) > tally.kills[kind] // 2


def in_lanes(folder: Path, seed: str, kills: int, new_ledger: Callable[[], str]) -> list[Survived]:
    """Kill so many in several processes at once, each with rounds of its own; the first that fails fails the test."""
    survived: list[Survived] = []
    lanes, ears = [], []
    for lane in range(LANES):
        hears, tells = WARM.Pipe()
        quota = kills // LANES + (lane < kills % LANES)
        process = WARM.Process(target=survive_rounds, args=(folder / str(lane), f"{seed}-{lane}", quota, tells))
        process.start()
        tells.close()
        lanes.append(process)
        ears.append(hears)
    try:
        while ears:
            for ear in wait(ears):
                told = None
                try:
                    told = ear.recv()
                except EOFError:
                    ears.remove(ear)
                match told:
                    case "ledger":
                        ear.send(new_ledger())
                    case Survived():
                        survived.append(told)
                    case str():
                        pytest.fail(told)
    finally:
        for process in lanes:
            process.terminate()
            process.join(20)
    return survived
