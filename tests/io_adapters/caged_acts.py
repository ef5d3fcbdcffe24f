"""What somebody would do who had taken over the process that reads workbooks; each says whether it was done.

Run as a module, with a JSON object on stdin: whether to enter the reader's own confinement first, and where there is
something to take. Answers with one JSON object, name of the act -> why it was refused, "" where it was done.
"""

import ctypes
import errno
import json
import os
import resource
import signal
import socket
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from io_adapters.spreadsheets.child import confine

LIBC: Final = ctypes.CDLL(None, use_errno=True)
Place = dict[str, Any]


def _called(answer: int, *, also_done: tuple[int, ...] = ()) -> None:
    if answer < 0 and (number := ctypes.get_errno()) not in also_done:
        raise OSError(number, os.strerror(number))


def _forked(_: Place) -> None:
    if (child := os.fork()) == 0:
        os._exit(0)
    os.waitpid(child, 0)


def _connected(family: int, kind: int, address: object) -> None:
    with socket.socket(family, kind) as caller:
        caller.connect(address)  # type: ignore[arg-type]
        caller.send(b"x")


def _listened(place: Place) -> None:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        listener.listen()


def _memory_read(place: Place) -> None:
    with open(f"/proc/{place['payer']}/mem", "rb"):  # noqa: PTH123
        pass


def _memory_copied(place: Place) -> None:
    here, there = (ctypes.c_size_t * 2)(ctypes.addressof(ctypes.c_char()), 1), (ctypes.c_size_t * 2)(8, 1)
    _called(LIBC.process_vm_readv(place["payer"], here, 1, there, 1, 0), also_done=(errno.EFAULT,))


def _overwritten(place: Place) -> None:
    with open(place["ledger"], "r+b"):  # noqa: PTH123
        pass


def _limits_set(place: Place) -> None:
    resource.prlimit(place["payer"], resource.RLIMIT_NOFILE, resource.prlimit(place["payer"], resource.RLIMIT_NOFILE))


def _shared(_: Place) -> None:
    found = LIBC.shmget(0, 4096, 0o1600)
    _called(found)
    LIBC.shmctl(found, 0, None)


def _moved(place: Place) -> None:
    os.rename(place["job"], f"{place['job']}.away")  # noqa: PTH104
    os.rename(f"{place['job']}.away", place["job"])  # noqa: PTH104


ACTS: Final[dict[str, Callable[[Place], object]]] = {
    "read the payer's environment, with its key": lambda place: Path(f"/proc/{place['payer']}/environ").read_bytes(),
    "read the payer's memory as a file": _memory_read,
    "copy the payer's memory": _memory_copied,
    "read the ledger": lambda place: Path(place["ledger"]).read_bytes(),
    "read the key of approvals": lambda place: Path(place["key"]).read_bytes(),
    "list the home folder": lambda place: os.listdir(place["home"]),  # noqa: PTH208
    "write into the ledger": _overwritten,
    "cut the ledger off": lambda place: os.truncate(place["ledger"], 4),
    "write a file": lambda place: Path(place["home"], "made").write_bytes(b"x"),
    "make a folder": lambda place: Path(place["home"], "folder").mkdir(),
    "move the job away": _moved,
    "link to the job": lambda place: os.link(place["job"], Path(place["home"], "linked")),
    "point at the key": lambda place: os.symlink(place["key"], Path(place["home"], "points")),  # noqa: PTH211
    "let everybody read the key": lambda place: Path(place["key"]).chmod(0o644),
    "date the job back": lambda place: os.utime(place["job"], (0, 0)),
    "delete the job": lambda place: Path(place["job"]).unlink(),
    "call the payout service": lambda place: _connected(socket.AF_INET, socket.SOCK_STREAM, tuple(place["tcp"])),
    "send a packet": lambda place: _connected(socket.AF_INET, socket.SOCK_DGRAM, tuple(place["tcp"])),
    "call a socket of this machine": lambda place: _connected(socket.AF_UNIX, socket.SOCK_STREAM, place["unix"]),
    "call a socket without a file": lambda place: _connected(socket.AF_UNIX, socket.SOCK_STREAM, f"\0{place['name']}"),
    "listen": _listened,
    "start a copy of itself": _forked,
    "signal the payer": lambda place: os.kill(place["payer"], signal.SIGUSR1),
    "take hold of the payer": lambda place: os.close(os.pidfd_open(place["payer"])),
    "change the payer's limits": _limits_set,
    "make a file of memory, to run it": lambda _: os.close(os.memfd_create("x")),
    "share memory with others": _shared,
    "watch the home folder": lambda _: _called(LIBC.inotify_init1(0)),
}
RUNS_ANOTHER: Final = "run another program"


def _outcome(act: Callable[[Place], object], place: Place) -> str:
    try:
        act(place)
    except OSError as error:
        return errno.errorcode.get(error.errno or 0, "?")
    return ""


def main() -> None:
    """Do what can be done, and last become another program, which then says so."""
    asked = json.load(sys.stdin)
    entered = confine(2**31) if asked["caged"] else False
    found = {name: _outcome(act, asked["place"]) for name, act in ACTS.items()}
    done = json.dumps({"entered": entered, **found, RUNS_ANOTHER: ""})
    refused = _outcome(lambda _: os.execv("/bin/echo", ["echo", done]), asked["place"])  # noqa: S606 - an act
    print(json.dumps({"entered": entered, **found, RUNS_ANOTHER: refused}))


if __name__ == "__main__":
    main()
