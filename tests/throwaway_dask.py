"""A Dask cluster of its own for tests: a scheduler and workers, real processes on loopback, gone afterwards."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass, field
from pathlib import Path

_PATIENCE_S = 60
# What a flow is to do that must be plain enough to be handed to workers.
WAYS: list[Callable[[], None]] = []
_ON_ONE_CORE = "import os, sys; os.sched_setaffinity(0, {int(sys.argv[1])}); os.execv(sys.argv[2], sys.argv[2:])"


@dataclass
class ThrowawayCluster:
    """A cluster that runs.

    Attributes:
        address: Of its scheduler.
        folder: Holds what its processes log, and what they spill.
        workers: Its workers' processes.
    """

    address: str
    folder: Path
    scheduler: subprocess.Popen
    workers: list[subprocess.Popen] = field(default_factory=list)

    def kill(self, number: int) -> None:
        """End a worker as the system ends one that takes too much memory."""
        os.kill(self.workers[number].pid, signal.SIGKILL)
        self.workers[number].wait()

    @property
    def logs(self) -> str:
        """All that its processes have logged."""
        return "\n".join(path.read_text() for path in sorted(self.folder.glob("*.log")))


@contextmanager
def opened_dask(
    folder: Path,
    *,
    workers: int = 2,
    environment: Mapping[str, str] | None = None,
    cores: Sequence[int] | None = None,
) -> Iterator[ThrowawayCluster]:
    """Start a scheduler, and so many workers of one thread each; ends them all.

    Args:
        folder: For logs; an empty one.
        workers: How many.
        environment: More variables of its processes' environment.
        cores: The one core that each worker has; None where they share all.
    """
    named = folder / "scheduler.json"
    with ExitStack() as exits:

        def start(name: str, *arguments: str, core: int | None = None) -> subprocess.Popen:
            log = exits.enter_context((folder / f"{name}.log").open("w"))
            command = [sys.executable, "-m", "dask", *arguments]
            if core is not None:
                command = [sys.executable, "-c", _ON_ONE_CORE, str(core), *command]
            process = subprocess.Popen(
                command,
                cwd=folder,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=os.environ | dict(environment or {}),
            )
            exits.callback(_end, process)
            return process

        place = ("--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(named))
        scheduler = start("scheduler", "scheduler", *place)
        _wait(named.is_file, scheduler)
        cluster = ThrowawayCluster(json.loads(named.read_text())["address"], folder, scheduler)
        one_thread = ("--nthreads", "1", "--no-nanny", "--no-dashboard", "--local-directory", str(folder))
        for number in range(workers):
            words = ("worker", cluster.address, "--host", "127.0.0.1", *one_thread)
            cluster.workers.append(start(f"worker-{number}", *words, core=cores[number] if cores else None))
        for number, worker in enumerate(cluster.workers):
            log = folder / f"worker-{number}.log"
            _wait(lambda log=log: "Registered to" in log.read_text(), worker)
        yield cluster


def _wait(happened: Callable[[], bool], process: subprocess.Popen) -> None:
    deadline = time.monotonic() + _PATIENCE_S
    while not happened():
        if process.poll() is not None or time.monotonic() > deadline:
            raise RuntimeError("a process of the cluster has not come up")
        time.sleep(0.05)


def _end(process: subprocess.Popen) -> None:
    process.terminate()
    try:
        process.wait(10)
    except subprocess.TimeoutExpired:
        process.kill()
        process.wait()
