"""Who holds something in the ledger, and when that process is proven to be gone."""

import contextlib
import json
import os
import socket
from dataclasses import asdict, dataclass
from pathlib import Path

_PROC = Path("/proc")
# A process that has ended and whose parent has not noticed yet still has its number.
_ENDED = frozenset("ZX")


@dataclass(frozen=True, slots=True)
class Owner:
    """One process at work for one run.

    Attributes:
        host: Name of the machine or container.
        pid: Process id there.
        boot_id: Names the machine's boot and the process id namespace; "" where neither can be known.
        process_start: When the process started, in clock ticks since boot; "" where that cannot be known.
        run_id: What it works for.
    """

    host: str
    pid: int
    boot_id: str
    process_start: str
    run_id: str

    @classmethod
    def current(cls, run_id: str) -> "Owner":
        """Describe this process."""
        pid = os.getpid()
        return cls(socket.gethostname(), pid, _boot_id(), _process_state_and_start(pid)[1], run_id)

    def to_json(self) -> str:
        """Write it for the ledger; equal owners give equal texts."""
        return json.dumps(asdict(self), sort_keys=True)

    @classmethod
    def from_json(cls, text: str) -> "Owner":
        """Read what `to_json` wrote."""
        return cls(**json.loads(text))

    def __str__(self) -> str:
        return f"run {self.run_id} on {self.host} (pid {self.pid})"


def is_gone(owner: Owner, here: Owner) -> bool:
    """Say whether a process has ended; True only when that is proven.

    Only processes of this very boot and process id namespace can be judged: after a restart, or from another machine
    or container, absence proves nothing, and what the owner held has to run out instead.

    Args:
        owner: Who may be gone.
        here: This process, `Owner.current(...)`.
    """
    if not owner.boot_id or (owner.host, owner.boot_id) != (here.host, here.boot_id):
        return False
    try:
        os.kill(owner.pid, 0)
    except ProcessLookupError:
        return True
    except OSError:  # it exists, and belongs to someone else
        pass
    state, started = _process_state_and_start(owner.pid)
    if state in _ENDED:
        return True
    return bool(started and owner.process_start) and started != owner.process_start


def _boot_id() -> str:
    # Containers share the boot id of their machine but not their process ids, hence the namespace.
    try:
        boot = (_PROC / "sys/kernel/random/boot_id").read_text().strip()
        return f"{boot}/{(_PROC / 'self/ns/pid').readlink()}"
    except OSError:
        return ""


def _process_state_and_start(pid: int) -> tuple[str, str]:
    # proc(5): fields 3 and 22 of stat; the name in parentheses before them may hold blanks and parentheses itself.
    with contextlib.suppress(OSError, IndexError):
        fields = (_PROC / str(pid) / "stat").read_text().rpartition(")")[2].split()
        return fields[0], fields[19]
    return "", ""
