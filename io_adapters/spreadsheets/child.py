"""The process that reads strangers' files: it limits its own memory and time, enters the cage, and answers its parent.

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
import socket
import sys
import traceback
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any, BinaryIO, Final

from python_calamine import PasswordError

from io_adapters.cage import enter_cage, program_folders
from io_adapters.spreadsheets.ddex.head import is_records
from io_adapters.spreadsheets.kinds import FileKind, kind_of
from io_adapters.spreadsheets.limits import FilePlace, refusal
from io_adapters.spreadsheets.text.opened_text import OpenedText, open_text
from io_adapters.spreadsheets.text.records import TextBlock, TextTable
from io_adapters.spreadsheets.transfer import (
    Words,
    heads_message,
    receive,
    refused_words,
    send,
    table_messages,
    text_block_message,
    text_table_words,
    told_words,
    views_words,
)
from io_adapters.spreadsheets.unpacking import members_in, plain_file, readable_kind
from io_adapters.spreadsheets.workbook.calamine_sheet import OpenWorkbook, open_values_only
from io_adapters.spreadsheets.workbook.markup import open_html, open_xml_sheet
from io_adapters.spreadsheets.workbook.ofx import open_ofx
from io_adapters.spreadsheets.workbook.sheets import Workbook, WorkbookRefused
from io_adapters.spreadsheets.workbook.xlsx import open_xlsx
from schemas.errors import ConfigurationError, UnreadableFile
from schemas.issues import IssueCode
from schemas.messages import fact_json
from schemas.sheet_cells import HeadRow

if TYPE_CHECKING:
    from io_adapters.spreadsheets.ddex.report import Report

try:
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]


_MOST_OPEN_FILES: Final = 64


def confine(memory_bytes: int, folder: Path | None = None, file_bytes: int = 0) -> bool:
    """Bound memory and files, allow no memory to be dumped, and enter the cage.

    An interrupt from the keyboard goes to all processes of a terminal; this one ends when its parent does.

    Args:
        folder: Where it may make files; None for nowhere.
        file_bytes: How long a file may become that it writes, there or in one that it was given.

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


START_BYTES: Final = 2**16
# With openpyxl, which takes a while to load and is for this alone.
_MARKING: Final = "io_adapters.spreadsheets.workbook.marking"
_OPENERS: Final[dict[FileKind, Callable[[bytes], Workbook]]] = {
    FileKind.XLSX: open_xlsx,
    **dict.fromkeys((FileKind.XLS, FileKind.XLSB, FileKind.ODS), open_values_only),
    FileKind.HTML_TABLE: open_html,
    FileKind.XML_SHEET: open_xml_sheet,
    FileKind.OFX: open_ofx,
}


def main(memory_bytes: int, channel: int, folder: str, file_bytes: int) -> None:
    """Serve requests, one after the other, until stdin ends or nobody listens any more.

    Args:
        channel: Descriptor of the socket over which open files come; -1 where they come as bytes.
    """
    requests, answers, reader = sys.stdin.buffer, _own_stdout(), _Reader(_own_status())
    files = socket.socket(fileno=channel) if channel >= 0 else None
    if folder:
        importlib.import_module(_MARKING)  # which loads what nothing loads in the cage
    # Rows are lists in a list, made and dropped by the thousand: looking through them for cycles takes half the time.
    gc.disable()
    gc.freeze()  # what was imported stays, and need not be looked through after each request
    is_caged = confine(memory_bytes, Path(folder) if folder else None, file_bytes)
    with contextlib.suppress(BrokenPipeError):
        send(answers, {"ready": True, "caged": is_caged})
        while (message := receive(requests)) is not None:
            words, body = message
            allow_seconds(words["seconds"])
            _answer(answers, reader, words, *_given(files, words, body))
            del message, body
            if words["ask"] != "block":
                gc.collect()


def _given(files: socket.socket | None, words: Words, body: bytes) -> tuple[BinaryIO, BinaryIO]:
    """Return the file that is asked about, whose position is shared with whoever gave it, and one to unpack it into."""
    if files is None or words.get("file") != "open":
        return io.BytesIO(body), io.BytesIO()
    _, descriptors, _, _ = socket.recv_fds(files, 1, 2)
    given, spare = descriptors
    return os.fdopen(given, "rb"), os.fdopen(spare, "r+b")


def _answer(answers: IO[bytes], reader: "_Reader", words: Words, given: BinaryIO, spare: BinaryIO) -> None:
    try:
        for answer, part in reader.answers(words, given, spare):
            send(answers, answer, part)
    except BrokenPipeError:
        raise
    except UnreadableFile as failure:
        send(answers, {"refused": refused_words(failure)})
    except WorkbookRefused as refused:
        send(answers, {"refused": _words_of(refused.code, refused.key, refused.sheet, **refused.facts)})
    except PasswordError:
        send(answers, {"refused": _words_of("FILE_ENCRYPTED")})
    except MemoryError:
        send(answers, {"out_of_memory": True})
    except BaseException as error:  # noqa: BLE001  # whatever a damaged file makes of a library; its panics are no Exception
        reason = f"{type(error).__name__}, {_place_of(error)}"  # its text might repeat a cell
        send(answers, {"refused": _words_of("FILE_CORRUPT", "corrupt", reason=reason)})


def _words_of(code: str, key: str = "", sheet: str | None = None, **facts: str | int) -> Words:
    told: dict[str, Any] = {
        name: fact if isinstance(fact, str) else Decimal(fact) for name, fact in facts.items()
    }  # numbers count
    return refused_words(refusal(IssueCode(code), FilePlace(""), key, sheet=sheet, **told))


def _place_of(error: BaseException) -> str:
    """Say where an error arose, so that a mistake of ours can be told from a file's damage."""
    frame = traceback.extract_tb(error.__traceback__)[-1]
    return f"{os.path.basename(frame.filename)}:{frame.lineno}"  # noqa: PTH119


class _Reader:
    """Answers about one file at a time."""

    def __init__(self, status: IO[bytes]) -> None:
        self._status = status
        self._open: OpenWorkbook | OpenedText | Report | None = None
        self._blocks: Iterator[TextBlock] = iter(())
        self._files: tuple[BinaryIO, ...] = ()

    def answers(self, words: Words, given: BinaryIO, spare: BinaryIO) -> Iterator[tuple[Words, bytes | memoryview]]:
        """Answer one request; the last answer is `done`."""
        match words["ask"]:
            case "open":
                self._forget()
                self._files = given, spare
                place = FilePlace(words["name"])
                unpacked = plain_file(given, spare, words["member"], place)
                kind = readable_kind(unpacked.stream, place)
                if kind is not FileKind.TEXT and not words["workbooks"]:
                    raise refusal(IssueCode.FILE_PARSER, place, "no_cage")
                self._open = _opened(kind, words["name"], unpacked.stream)
                yield _heads(self._open) | {"kind": kind, "name": unpacked.name, "packing": unpacked.packing}, b""
            case "members":
                yield {"done": True, "members": members_in(given, FilePlace(words["name"]))}, b""
            case "kind":
                yield {"done": True, "kind": kind_of(given)}, b""
            case "table":
                yield from self._table(words)
            case "block":
                block = next(self._blocks, None)
                yield text_block_message(block) if block else ({"done": True, "end": True}, b"")
            case "yaml" | "yaml_with":
                yield _of_yaml(words, given.read().decode("utf-8", "surrogatepass")), b""
            case "mark":
                yield {"done": True}, importlib.import_module(_MARKING).marked(given.read(), words["marks"])
            case "close":
                self._forget()
                yield {"done": True, "reserved_bytes": _reserved_bytes(self._status)}, b""
            case _:
                yield {"done": True}, b""

    def _table(self, asked: Words) -> Iterator[tuple[Words, bytes | memoryview]]:
        opened = self._open
        if isinstance(opened, OpenWorkbook):
            yield from table_messages(opened, asked["sheet"], asked["header_row"])
        elif opened is not None:
            table = _table_of(opened, asked)
            self._blocks = table.blocks
            yield text_table_words(table), b""

    def _forget(self) -> None:
        self._open, self._blocks = None, iter(())
        for file in self._files:
            file.close()


def _of_yaml(asked: Words, text: str) -> Words:
    from io_adapters.spreadsheets.yaml_text import yaml_with, yaml_words  # noqa: PLC0415 - for declarations alone

    try:
        if asked["ask"] == "yaml":
            return {"done": True} | yaml_words(text, asked["name"])
        return {"done": True, "text": yaml_with(text, asked["changes"])}
    except ConfigurationError as refused:
        return {"done": True, "wrong": fact_json(refused.content)}


def _opened(kind: FileKind, name: str, stream: BinaryIO) -> "OpenWorkbook | OpenedText | Report":
    if kind is not FileKind.TEXT:
        return OpenWorkbook(_OPENERS[kind](stream.read()))
    start = stream.read(START_BYTES)
    if not is_records(start):
        return open_text(stream, name)
    from io_adapters.spreadsheets.ddex.report import open_records  # noqa: PLC0415 - with pandas, for these files alone

    return open_records(stream, name)


def _heads(opened: "OpenWorkbook | OpenedText | Report") -> Words:
    if isinstance(opened, OpenWorkbook):
        return heads_message(opened)
    shown = {"done": True, "views": views_words(opened.views), "decisions": told_words(opened.decisions)}
    return shown | {"profile": "" if isinstance(opened, OpenedText) else opened.profile}


def _table_of(opened: "OpenedText | Report", asked: Words) -> TextTable:
    header = HeadRow(asked["row"], tuple(asked["texts"]))
    if isinstance(opened, OpenedText):
        return opened.table(asked["delimiter"], header, quotes=asked["layout"]["quotes"])
    from schemas.layouts.headers import match_headers  # noqa: PLC0415 - as above
    from schemas.layouts.layout import Layout  # noqa: PLC0415
    from schemas.layouts.recognise import Fit  # noqa: PLC0415

    (view,), layout = opened.views, Layout.model_validate(asked["layout"])
    return opened.table(Fit(layout, view, header, match_headers(header.texts, layout)))


def _own_stdout() -> IO[bytes]:
    """Keep stdout for answers: whatever else is written there, by any library, goes nowhere."""
    answers = os.fdopen(os.dup(1), "wb")
    nowhere = os.open(os.devnull, os.O_WRONLY)
    os.dup2(nowhere, 1)
    os.close(nowhere)
    return answers


if __name__ == "__main__":
    main(int(sys.argv[1]), int(sys.argv[2]), sys.argv[3], int(sys.argv[4]))
