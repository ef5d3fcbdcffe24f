"""Programs that are started together and end together, each with a log of its own."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from schemas.errors import ConfigurationError

ROOT: Final = Path(__file__).resolve().parents[2]
GRACE_S: Final = 10.0


@dataclass(frozen=True, slots=True)
class Program:
    """A program that runs, and where it writes."""

    name: str
    process: subprocess.Popen[bytes]
    log: Path


@dataclass(slots=True)
class Together:
    """Programs of this installation, with one environment.

    Attributes:
        environment: What they are told.
        logs: Folder of their logs, one file each.
        programs: Those that were started, in that order.
    """

    environment: Mapping[str, str]
    logs: Path
    programs: list[Program] = field(default_factory=list)

    def start(self, name: str, command: Sequence[str]) -> None:
        """Start a program, and go on."""
        log = self.logs / f"{name}.log"
        with log.open("wb") as out:
            process = subprocess.Popen(  # noqa: S603
                _of_this_installation(command),
                cwd=ROOT,
                env=dict(self.environment),
                start_new_session=True,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self.programs.append(Program(name, process, log))

    def do(self, name: str, command: Sequence[str]) -> None:
        """Run a program to its end.

        Raises:
            ConfigurationError: it failed; its log says why.
        """
        log = self.logs / f"{name}.log"
        with log.open("ab") as out:
            done = subprocess.run(  # noqa: S603
                _of_this_installation(command),
                cwd=ROOT,
                env=dict(self.environment),
                check=False,
                stdin=subprocess.DEVNULL,
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        if done.returncode:
            raise ConfigurationError(f"`{' '.join(command[:3])}` failed (exit {done.returncode}); {log} says why")

    def check(self) -> None:
        """Look whether all of them still run.

        Raises:
            ConfigurationError: one has ended.
        """
        for program in self.programs:
            if program.process.poll() is not None:
                code = program.process.returncode
                raise ConfigurationError(f"{program.name} has ended (exit {code}); {program.log} says why")

    def stop(self) -> None:
        """Ask, wait, and insist; only what was started here, with what it started itself."""
        for program in reversed(self.programs):
            _signal(program, signal.SIGINT)
        until = time.monotonic() + GRACE_S
        for program in reversed(self.programs):
            with suppress(subprocess.TimeoutExpired):
                program.process.wait(max(0.1, until - time.monotonic()))
            _signal(program, signal.SIGKILL)
            program.process.wait()


def _of_this_installation(command: Sequence[str]) -> list[str]:
    return [str(Path(sys.executable).parent / command[0]), *command[1:]]


def _signal(program: Program, number: signal.Signals) -> None:
    """Reach the program's whole group; one that has ended may have left children in it."""
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(program.process.pid, number)
