"""Real processes are killed at random moments while they send, to a service that misbehaves in a share of its calls.

The oracle is what the service has. `KILLS=1000 make crash` kills more often, `SEED=...` repeats a run's choices.
"""

import os
import random
import signal
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import repeat
from math import ceil
from pathlib import Path
from typing import Any, Final

import pytest

from schemas.exit_codes import ExitCode
from tests.crash.payday import Payday, check_books, opened_payday

KILLS: Final = int(os.environ.get("KILLS", "60"))
SEED: Final = int(os.environ.get("SEED", str(random.SystemRandom().randrange(10**9))))

pytestmark = [pytest.mark.crash, pytest.mark.timeout(120 + KILLS)]

PAYMENTS: Final = 160
KILLS_EACH: Final = 20
AT_ONCE: Final = 3
TIMEOUT_S: Final = 0.5
LATEST_EFFECT_S: Final = 1.0
REFUSAL: Final = {"detail": [{"loc": ["body", "payments", 0, "name"], "msg": "not today", "type": "value_error"}]}
# What one call of POST /split can meet; a hang of 0.8 s outlasts the client's patience.
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
    {"kind": "hang", "when": "before", "seconds": 0.8},
    {"kind": "late", "seconds": 0.4},
    {"kind": "status", "when": "before", "status": 422, "body": REFUSAL},
)
# Ends that a worker may come to by itself; anything else, a bug (70) or a freeze (31) above all, is a finding.
FAIR_ENDS: Final = {
    *(ExitCode.DONE, ExitCode.ROWS_HELD, ExitCode.REFUSED, ExitCode.NOT_SENT, ExitCode.IN_DOUBT, ExitCode.STILL_OPEN),
}


def test_no_kill_makes_anybody_be_paid_twice_or_loses_a_payment(tmp_path: Path):
    print(f"SEED={SEED} KILLS={KILLS}")
    began = time.monotonic()
    with ThreadPoolExecutor(AT_ONCE) as pool:
        results = list(pool.map(survive, repeat(tmp_path), range(ceil(KILLS / KILLS_EACH))))
    kills, totals = sum(kills for kills, _ in results), sum((states for _, states in results), Counter[str]())
    rate = kills / (time.monotonic() - began)
    print(f"{kills} kills, {rate:.1f} a second with all checks; submissions: {dict(totals)}")
    assert totals["paid"] > kills


def survive(folder: Path, number: int) -> tuple[int, Counter[str]]:
    """Pay one job through so many kills and hold the books against the service; what happened is told."""
    rng = random.Random(f"{SEED}-{number}")
    with opened_payday(folder / str(number), PAYMENTS, per_batch=rng.choice((1, 2)), timeout_s=TIMEOUT_S) as payday:
        plant_faults(payday, rng)
        killed = kill_while_there_is_something_to_send(payday, rng, KILLS_EACH)
        bring_to_an_end(payday)
        return killed, check_books(payday)


def plant_faults(payday: Payday, rng: random.Random) -> None:
    for call in range(1, 4 * PAYMENTS):
        if rng.random() < 0.1:
            payday.plant("POST /split", **rng.choice(FAULTS), call=call)
        if rng.random() < 0.005:
            payday.plant("GET /split", "status", call=call, status=503)


def kill_while_there_is_something_to_send(payday: Payday, rng: random.Random, at_most: int) -> int:
    kills = 0
    while kills < at_most:
        worker = payday.start()
        if worker.reaches(rng.choice(("recover", "recover", "send"))):
            time.sleep(rng.uniform(0, 0.15))
        worker.process.kill()
        end = worker.ended()
        kills += end == -signal.SIGKILL
        assert end == -signal.SIGKILL or end in FAIR_ENDS, f"exit {end}"
        if end in {ExitCode.DONE, ExitCode.IN_DOUBT} and not any(
            one in {"approved", "not_sent"} for one in payday.states()
        ):
            break
    return kills


def bring_to_an_end(payday: Payday) -> None:
    """Run, with a service in good health, until a run changes nothing any more."""
    payday.clear_faults()
    time.sleep(LATEST_EFFECT_S)
    before: list[str] = []
    while before != (before := payday.states()):
        end = payday.pay()
        assert end in FAIR_ENDS, f"exit {end}"
    assert set(before) <= {"paid", "in_doubt", "refused", "withdrawn"}
