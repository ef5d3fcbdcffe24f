"""The process that reads workbooks: it limits its own memory and time, then answers its parent.

Where the system knows none, its parent's clock remains.
"""

import contextlib
import gc
import math
import os
import signal
import sys
import traceback
from collections.abc import Callable, Iterator
from typing import IO, Final

from python_calamine import PasswordError

from io_adapters.spreadsheets.workbook.calamine_sheet import OpenWorkbook, open_values_only
from io_adapters.spreadsheets.workbook.markup import open_html, open_xml_sheet
from io_adapters.spreadsheets.workbook.sheets import Workbook, WorkbookRefused
from io_adapters.spreadsheets.workbook.transfer import Words, heads_message, receive, send, table_messages
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


def confine(memory_bytes: int, file_bytes: int = 0) -> None:
    """Bound memory and what a file may be written to, and allow no memory to be dumped.

    An interrupt from the keyboard goes to all processes of a terminal; this one ends when its parent does.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if resource is None:
        return
    for limit, amount in (("RLIMIT_CORE", 0), ("RLIMIT_FSIZE", file_bytes), ("RLIMIT_AS", memory_bytes)):
        _lower(limit, amount)


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


def address_space_bytes() -> int:
    """Return how much memory this process has reserved at the most so far; 0 where the system does not say."""
    with contextlib.suppress(OSError, ValueError), open("/proc/self/status", "rb") as status:  # noqa: PTH123
        for line in status:
            if line.startswith(b"VmPeak:"):
                return int(line.split()[1]) * 1024
    return 0


_OPENERS: Final[dict[str, Callable[[bytes], Workbook]]] = {
    "xlsx": open_xlsx,
    **dict.fromkeys(("xls", "xlsb", "ods"), open_values_only),
    "html_table": open_html,
    "xml_sheet": open_xml_sheet,
}


def main(memory_bytes: int, seconds: float, file_bytes: int) -> None:
    """Serve requests, one after the other, until stdin ends or nobody listens any more."""
    requests, answers = sys.stdin.buffer, _own_stdout()
    # Rows are lists in a list, made and dropped by the thousand: looking through them for cycles takes half the time.
    gc.disable()
    gc.freeze()  # what was imported stays, and need not be looked through after each request
    confine(memory_bytes, file_bytes)
    with contextlib.suppress(BrokenPipeError):
        send(answers, {"ready": True})
        reader = _Reader()
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
    def __init__(self) -> None:
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
            from io_adapters.spreadsheets.workbook.marking import marked  # noqa: PLC0415 - openpyxl, for this alone

            yield {"done": True}, marked(body, words["marks"])
        elif words["ask"] == "close":
            self._open = None
            yield {"done": True, "reserved_bytes": address_space_bytes()}, b""
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
    main(int(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3]))
