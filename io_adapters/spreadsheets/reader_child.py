"""The process in which workbooks are read, as its parent sees it: asked, timed, and ended when it does not answer."""

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Final

from io_adapters.spreadsheets.workbook.messages import MOST_BODY_BYTES, Broken, Words, receive, send

_MODULE: Final = "io_adapters.spreadsheets.workbook.child"
_START_SECONDS: Final = 60.0
# Whoever reads a stranger's file need not know this process's secrets; these few may be needed to start at all.
_PASSED_ON: Final = ("SYSTEMROOT", "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "TMPDIR", "TEMP")
# Each thread of a library, and each arena of the C library, reserves address space, which is limited.
_FRUGAL: Final = {
    "OPENBLAS_NUM_THREADS": "1",
    "OMP_NUM_THREADS": "1",
    "MALLOC_ARENA_MAX": "2",
    "ARROW_DEFAULT_MEMORY_POOL": "system",
}


class Stopped(Exception):
    """The child gave no answer: it took too long or too much memory, or fell over.

    Attributes:
        out_of_time: It was the time; otherwise memory, as far as can be told.
    """

    def __init__(self, *, out_of_time: bool) -> None:
        super().__init__()
        self.out_of_time = out_of_time


class ReaderChild:
    """One running child."""

    def __init__(self, memory_bytes: int, seconds: float) -> None:
        """Start it and wait until it is ready.

        Args:
            memory_bytes: How much it may reserve.
            seconds: How long it may take for one request.

        Raises:
            OSError: it cannot be started.
        """
        self._seconds = seconds
        self._timed_out = False
        self._process = subprocess.Popen(  # noqa: S603  # our own module, in our own interpreter
            [sys.executable, "-P", "-m", _MODULE, str(memory_bytes), str(seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # libraries repeat there what they read
            env=_environment(),
        )
        assert self._process.stdin is not None  # noqa: S101  # for the type checker: both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._requests, self._answers = self._process.stdin, self._process.stdout
        try:
            with self._deadline(_START_SECONDS):
                self._receive()
        except Stopped:
            raise OSError(f"the reader of workbooks ended with {self._process.returncode}") from None

    @property
    def pid(self) -> int:
        """Its process id."""
        return self._process.pid

    def is_there(self) -> bool:
        """Tell whether it answers at all; asked before a file is, so that no file is blamed for what came before."""
        if self._process.poll() is not None:
            return False
        try:
            self.ask({"ask": "nothing"})
        except Stopped:
            return False
        return True

    def ask(self, words: Words, body: bytes = b"") -> list[tuple[Words, bytes]]:
        """Return its answers to one request; the last is `done`, or says why not.

        Raises:
            Stopped: it ended over it; or it was ended, since it took too long.
        """
        with self._deadline(self._seconds):
            try:
                send(self._requests, words, body)
            except OSError:
                raise self._stopped() from None
            answers, size_bytes = [self._receive()], 0
            while "block" in answers[-1][0]:
                size_bytes += len(answers[-1][1])
                if size_bytes > MOST_BODY_BYTES:
                    raise self._stopped()
                answers.append(self._receive())
            return answers

    def kill(self) -> None:
        """End it and wait until it is gone; it has nothing to lose."""
        self._process.kill()
        self._process.wait()
        for pipe in (self._requests, self._answers):
            with suppress(OSError):
                pipe.close()

    def forget(self) -> None:
        """Let go of a child of the process this one was forked from: as long as its pipes are open, it goes on."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for pipe in (self._requests, self._answers):
            os.dup2(nowhere, pipe.fileno(), inheritable=False)
        os.close(nowhere)
        self._process.returncode = 0  # nobody but its parent may wait for it

    def _receive(self) -> tuple[Words, bytes]:
        try:
            message = receive(self._answers)
        except (Broken, OSError):
            message = None
        if message is None:
            raise self._stopped()
        return message

    def _stopped(self) -> Stopped:
        self.kill()
        too_long = hasattr(signal, "SIGXCPU") and self._process.returncode == -signal.SIGXCPU
        return Stopped(out_of_time=self._timed_out or too_long)

    @contextmanager
    def _deadline(self, seconds: float) -> Iterator[None]:
        """Kill it when the time is over: whatever waits for its answer then gets none, and goes on."""
        timer = threading.Timer(seconds, self._time_out)
        timer.daemon = True
        timer.start()
        try:
            yield
        except BaseException:  # an interrupt, too: the rest of this answer must not be taken for the next one's
            self.kill()
            raise
        finally:
            timer.cancel()
            timer.join()

    def _time_out(self) -> None:
        self._timed_out = True
        self._process.kill()


def _environment() -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # It finds what its parent found, and nothing in the folder that happens to be the current one.
    return passed_on | _FRUGAL | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}
