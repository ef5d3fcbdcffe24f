"""Several ledgers of one process on one file: what one of them writes, other programs see at once."""

import subprocess
import sys

from io_adapters.ledger.ledger import open_ledger

WRITE_AND_END = """
import datetime as dt, sys
from io_adapters.ledger.ledger import open_ledger
with open_ledger(sys.argv[1], clock=lambda: dt.datetime(2026, 11, 20, tzinfo=dt.UTC)) as ledger:
    hold = ledger.hold.current()
    print(hold.by if hold else "nobody")
"""


def another_program(url: str) -> str:
    done = subprocess.run([sys.executable, "-c", WRITE_AND_END, url], check=True, timeout=60, capture_output=True)
    return done.stdout.decode().strip()


def test_a_second_ledger_that_was_closed_takes_no_lock_away_from_the_first(tmp_path, clock):
    """A lost lock lets another program remove the log under the first one, whose words then nobody else can see."""
    url = f"sqlite:///{tmp_path}/ledger.db"
    with open_ledger(url, clock=clock) as first:
        open_ledger(url, clock=clock).close()
        assert another_program(url) == "nobody"
        first.hold.put("ana", "written after both ended")
        assert another_program(url) == "ana"
