"""The process that reads workbooks: it limits its own memory and time, enters the cage, then answers its parent.

Where the system knows neither limits nor cage, its parent's clock remains.
"""

import contextlib
import gc
import importlib
import io
import math
import os
import re
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Final

from python_calamine import PasswordError

from io_adapters.cage import enter_cage, program_folders
from io_adapters.spreadsheets.workbook.calamine_sheet import OpenWorkbook, open_values_only
from io_adapters.spreadsheets.workbook.markup import open_html, open_xml_sheet
from io_adapters.spreadsheets.workbook.sheets import Workbook, WorkbookRefused
from io_adapters.spreadsheets.workbook.transfer import Words, heads_message, receive, send, table_messages
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


_MOST_OPEN_FILES: Final = 64


def confine(memory_bytes: int, folder: Path | None = None, file_bytes: int = 0) -> bool:
    """Bound memory and files, allow no memory to be dumped, and enter the cage.

    An interrupt from the keyboard goes to all processes of a terminal; this one ends when its parent does.

    Args:
        folder: Where it may write files of at most `file_bytes`; None for nowhere.

    Returns:
        Whether it is in the cage.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    bounds = {"FSIZE": file_bytes, "NOFILE": _MOST_OPEN_FILES, "AS": memory_bytes}
    for limit, amount in bounds.items():
        _lower(f"RLIMIT_{limit}", amount)
    return enter_cage(program_folders(), folder)


def allow_seconds(seconds: float) -> None:
    """Allow that much processor time from now on; beyond it the system kills this process."""
    if resource is not None:
        usage = resource.getrusage(resource.RUSAGE_SELF)
        _lower("RLIMIT_CPU", math.ceil(usage.ru_utime + usage.ru_stime + seconds))


def _lower(limit: str, amount: int) -> None:
    # A system may lack one of them, or forbid it: macOS has no RLIMIT_AS that counts.
    with contextlib.suppress(AttributeError, ValueError, OSError):
        number = getattr(resource, limit)
        _, most = resource.getrlimit(number)
        resource.setrlimit(number, (amount if most == resource.RLIM_INFINITY else min(amount, most), most))


def _own_status() -> IO[bytes]:
    """Open what the system says of this process, once and for all: nobody opens it in the cage."""
    with contextlib.suppress(OSError):
        return open("/proc/self/status", "rb", buffering=0)  # noqa: PTH123
    return io.BytesIO()


def _reserved_bytes(status: IO[bytes]) -> int:
    """Return how much memory this process has reserved at the most so far; 0 where the system does not say."""
    status.seek(0)
    found = re.search(rb"^VmPeak:\s*(\d+) kB", status.read(), re.MULTILINE)
    return int(found[1]) * 1024 if found else 0


# With openpyxl, which takes a while to load and is for this alone.
_MARKING: Final = "io_adapters.spreadsheets.workbook.marking"
_OPENERS: Final[dict[str, Callable[[bytes], Workbook]]] = {
    "xlsx": open_xlsx,
    **dict.fromkeys(("xls", "xlsb", "ods"), open_values_only),
    "html_table": open_html,
    "xml_sheet": open_xml_sheet,
}


def main(memory_bytes: int, seconds: float, folder: str, file_bytes: int) -> None:
    """Serve requests, one after the other, until stdin ends or nobody listens any more."""
    requests, answers, reader = sys.stdin.buffer, _own_stdout(), _Reader(_own_status())
    if folder:
        importlib.import_module(_MARKING)  # which loads what nothing loads in the cage
    # Rows are lists in a list, made and dropped by the thousand: looking through them for cycles takes half the time.
    gc.disable()
    gc.freeze()  # what was imported stays, and need not be looked through after each request
    is_caged = confine(memory_bytes, Path(folder) if folder else None, file_bytes)
    with contextlib.suppress(BrokenPipeError):
        send(answers, {"ready": True, "caged": is_caged})
        while (message := receive(requests)) is not None:
            allow_seconds(seconds)
            _answer(answers, reader, *message)
            del message
            gc.collect()


def _answer(answers: IO[bytes], reader: "_Reader", words: Words, body: bytes) -> None:
    try:
        for refusal, part in reader.answers(words, body):
            send(answers, refusal, part)
    except BrokenPipeError:
        raise
    except WorkbookRefused as refused:
        refusal = {"code": refused.code, "key": refused.key, "sheet": refused.sheet, "facts": refused.facts}
        send(answers, {"refused": refusal})
    except PasswordError:
        send(answers, {"refused": {"code": "FILE_ENCRYPTED", "key": "", "sheet": None, "facts": {}}})
    except MemoryError:
        send(answers, {"out_of_memory": True})
    except BaseException as error:  # noqa: BLE001  # whatever a damaged file makes of a library; its panics are no Exception
        facts = {"reason": f"{type(error).__name__}, {_place_of(error)}"}  # its text might repeat a cell
        send(answers, {"refused": {"code": "FILE_CORRUPT", "key": "corrupt", "sheet": None, "facts": facts}})


def _place_of(error: BaseException) -> str:
    """Say where an error arose, so that a mistake of ours can be told from a file's damage."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(frame.filename)}:{frame.lineno}"  # noqa: PTH119


class _Reader:
    def __init__(self, status: IO[bytes]) -> None:
        self._status = status
        self._open: OpenWorkbook | None = None

    def answers(self, words: Words, body: bytes) -> Iterator[tuple[Words, bytes | memoryview]]:
        """Answer one request; the last answer is `done`."""
        if words["ask"] == "open":
            self._open = None
            self._open = OpenWorkbook(_workbook(words["kind"], body))
            yield heads_message(self._open), b""
        elif words["ask"] == "table" and self._open is not None:
            yield from table_messages(self._open, words["sheet"], words["header_row"])
        elif words["ask"] == "mark":
            yield {"done": True}, importlib.import_module(_MARKING).marked(body, words["marks"])
        elif words["ask"] == "close":
            self._open = None
            yield {"done": True, "reserved_bytes": _reserved_bytes(self._status)}, b""
        else:
            yield {"done": True}, b""


def _workbook(kind: str, content: bytes) -> Workbook:
    if kind not in _OPENERS:
        raise WorkbookRefused("FILE_TYPE")
    return _OPENERS[kind](content)


def _own_stdout() -> IO[bytes]:
    """Keep stdout for answers: whatever else is written there, by any library, goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
