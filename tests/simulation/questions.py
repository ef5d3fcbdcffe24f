"""What no way of things leads to, asked directly: a promise behind another promise."""

import json
import sqlite3
from contextlib import closing
from pathlib import Path

from io_adapters.payout_api.outcome import classify_response
from schemas.submission import Outcome
from tests.simulation.behaviours import BEHAVIOURS, LISTINGS, REFUSAL
from tests.simulation.office import Office
from tests.simulation.world import World


def a_refusal_of_bytes_once_in_doubt(folder: Path, office: Office) -> tuple[str, ...]:
    """It may be of the second copy; bytes once in doubt are sent again by no route, so the client is asked itself."""
    body = json.dumps(REFUSAL).encode()
    answer = classify_response(422, {}, body, report_id="rp-1", was_in_doubt=True)
    return () if answer.outcome is Outcome.IN_DOUBT else (f"bytes once in doubt are {answer.outcome}",)


def a_second_live_claim_on_one_obligation(folder: Path, office: Office) -> tuple[str, ...]:
    """The file itself refuses it, whatever program writes to it."""
    world = World(folder, office, BEHAVIOURS[0], LISTINGS[0])
    world.pay(office.six, name="only")
    with closing(sqlite3.connect(world.file)) as ledger:
        (columns,) = ledger.execute("SELECT group_concat(name) FROM pragma_table_info('claims')").fetchone()
        again = columns.replace("position", "position + 100")
        try:
            ledger.execute(f"INSERT INTO claims ({columns}) SELECT {again} FROM claims WHERE live")  # noqa: S608
        except sqlite3.IntegrityError:
            return ()
    return ("an obligation is claimed twice",)
