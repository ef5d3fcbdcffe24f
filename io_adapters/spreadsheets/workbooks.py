"""Reading workbooks in a process of their own, so that a hostile file cannot stop this one."""

import atexit
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, replace
from decimal import Decimal
from types import TracebackType
from typing import Any, Final, Protocol, Self

import numpy as np
import pandas as pd
import pyarrow as pa

from io_adapters.spreadsheets.files import WORKBOOKS, FileKind
from io_adapters.spreadsheets.limits import (
    MOST_WORKBOOK_BYTES,
    READER_MEMORY_BYTES,
    READER_SECONDS,
    FilePlace,
    refusal,
    size_text,
)
from io_adapters.spreadsheets.workbook.transfer import MOST_BODY_BYTES, Broken, Words, oddities_from, receive, send
from schemas.corrections import WorkbookMarks
from schemas.issues import IssueCode
from schemas.layouts.recognise import Fit
from schemas.messages import Message
from schemas.raw_table import FileIdentity, RawTable, text_series, without_rows
from schemas.sheet_cells import NO_ODDITIES, CellKind, HeadRow, Oddities, View


class WorkbookSource(Protocol):
    def heads(self) -> Words:
        """Return what it shows."""

    def table(self, sheet: str, header_row: int) -> list[tuple[Words, bytes]]:
        """Return the cells below a header, in blocks, and last what else there is to say of them."""

    def close(self) -> None:
        """Let go of it."""


class OpenedWorkbook:
    """An `OpenedFile`; leaving its `with` block closes it."""

    def __init__(self, source: WorkbookSource, identity: FileIdentity) -> None:
        """Look at its first rows.

        Raises:
            UnreadableFile: it cannot be read, or holds nothing.
        """
        self._source = source
        self._identity = identity
        self._place = FilePlace(identity.name)
        shown = source.heads()
        self.views = tuple(_view(shown_sheet) for shown_sheet in shown["sheets"])
        traits = {"active": shown["macros"], "date_1904": shown["date_1904"]}
        self.decisions = tuple(Message(f"file.{trait}") for trait, holds in traits.items() if holds)
        self.properties: Mapping[str, str] = shown["properties"]
        if not any(view.head for view in self.views):
            self.close()
            raise refusal(IssueCode.FILE_EMPTY, self._place)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self._source.close()

    def blocks(self, fit: Fit) -> Iterator[RawTable]:
        """Yield a sheet below its header, in one block.

        Raises:
            UnreadableFile: the sheet cannot be read.
        """
        sheet, header_row = fit.view.sheet or "", fit.header.row
        *blocks, (words, body) = self._source.table(sheet, header_row)
        shown = [*fit.header.texts, *words["headers"][len(fit.header.texts) :]]
        cells, kinds = _cells([part for _, part in blocks], shown, header_row)
        if not len(cells):
            decisions = self._table_decisions(sheet, header_row, NO_ODDITIES)
            yield without_rows(RawTable(self._identity, sheet, header_row, tuple(shown), cells, decisions=decisions))
            return
        oddities = _within(oddities_from(words, body), int(cells.index[-1]), cells.shape[1])
        headers = tuple((shown + [""] * cells.shape[1])[: cells.shape[1]])
        decisions = self._table_decisions(sheet, header_row, oddities)
        yield RawTable(self._identity, sheet, header_row, headers, cells, kinds, decisions, oddities=oddities)

    def _table_decisions(self, sheet: str, header_row: int, oddities: Oddities) -> tuple[Message | str, ...]:
        decisions = [Message("file.sheet", sheet=sheet)]
        if unread := [str(view.sheet) for view in self.views if not view.visible and view.sheet != sheet]:
            decisions.append(Message("file.hidden_sheets", sheets=", ".join(unread)))
        if oddities.hidden_rows or oddities.hidden_columns:
            decisions.append(Message("file.hidden_lines"))
        return (*decisions, Message("file.header", row=header_row))


def _view(sheet: Words) -> View:
    head = tuple(HeadRow(row, tuple(texts)) for row, texts in sheet["head"])
    return View(sheet["name"], None, sheet["visible"], head, sheet["rows"])


def _cells(blocks: list[bytes], headers: list[str], header_row: int) -> tuple[pd.DataFrame, np.ndarray]:
    """Put a sheet's blocks together: texts and kinds, up to the last row and column with anything in them.

    Columns that are under a header count even when they are empty.
    """
    batches = [pa.ipc.open_stream(pa.py_buffer(block)).read_next_batch() for block in blocks]
    width = batches[0].num_columns // 2 if batches else 0
    kinds = np.empty((sum(batch.num_rows for batch in batches), width), np.int8, order="F")
    for position in range(width):
        chunks = [batch.column(width + position) for batch in batches]
        kinds[:, position] = pa.chunked_array(chunks).to_numpy()
    filled = kinds != CellKind.EMPTY
    height = _until_last(filled.any(axis=1))
    used = max(_until_last(filled.any(axis=0)), _until_last(np.array([bool(header) for header in headers], bool)))
    columns = {position: text_series([batch.column(position) for batch in batches], height) for position in range(used)}
    index = pd.RangeIndex(header_row + 1, header_row + 1 + height)
    return pd.DataFrame(columns, copy=False).set_axis(index, axis=0), kinds[:height, :used]


def _until_last(filled: np.ndarray) -> int:
    found = np.flatnonzero(filled)
    return int(found[-1]) + 1 if found.size else 0


def _within(oddities: Oddities, last_row: int, width: int) -> Oddities:
    return replace(
        oddities,
        hidden_rows=tuple(row for row in oddities.hidden_rows if row <= last_row),
        hidden_columns=tuple(position for position in oddities.hidden_columns if position < width),
        merged=frozenset((row, position) for row, position in oddities.merged if row <= last_row and position < width),
        stale=oddities.stale and bool(oddities.formulas),
    )


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


class ReaderStopped(Exception):
    """The child gave no answer: it took too long or too much memory, or fell over."""

    def __init__(self, *, out_of_time: bool) -> None:
        super().__init__()
        self.out_of_time = out_of_time


class NoCage(Exception):
    """The system has no cage for the child, and it is to read nothing without."""


class ReaderChild:
    def __init__(self, memory_bytes: int, seconds: float, folder: str = "", file_bytes: int = 0) -> None:
        """Start it and wait until it is ready.

        Args:
            folder: Where it may write files of at most `file_bytes`; "" for nowhere.

        Raises:
            OSError: it cannot be started.
        """
        self._seconds = seconds
        self._timed_out = False
        self._process = subprocess.Popen(  # noqa: S603  # our own module, in our own interpreter
            [sys.executable, "-P", "-m", _MODULE, str(memory_bytes), str(seconds), folder, str(file_bytes)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,  # libraries repeat there what they read
            env=_environment() | ({"TMPDIR": folder} if folder else {}),
        )
        assert self._process.stdin is not None  # noqa: S101  # for the type checker: both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._requests, self._answers = self._process.stdin, self._process.stdout
        try:
            with self._deadline(_START_SECONDS):
                ready, _ = self._receive()
            self.is_caged = ready.get("caged") is True
        except ReaderStopped:
            raise OSError(f"the reader of workbooks ended with {self._process.returncode}") from None

    @property
    def pid(self) -> int:
        return self._process.pid

    def is_there(self) -> bool:
        """Tell whether it answers at all; asked before a file is, so that no file is blamed for what came before."""
        if self._process.poll() is not None:
            return False
        try:
            self.ask({"ask": "nothing"})
        except ReaderStopped:
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

    def _stopped(self) -> ReaderStopped:
        self.kill()
        too_long = hasattr(signal, "SIGXCPU") and self._process.returncode == -signal.SIGXCPU
        return ReaderStopped(out_of_time=self._timed_out or too_long)

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


def read_in_the_cage_alone() -> None:
    """Refuse workbooks, from now on, where the system has no cage for the process that reads them."""
    _READER.in_the_cage_alone = True


def has_a_cage() -> bool:
    """Tell whether the process that reads workbooks is in a cage on this system.

    Raises:
        OSError: it cannot be started.
    """
    reader = WorkbookReader()
    try:
        return reader.is_caged()
    finally:
        reader.end()


def open_workbook(content: bytes, kind: FileKind, identity: FileIdentity) -> OpenedWorkbook:
    """Open a workbook in the one process that this one keeps for it.

    Raises:
        UnreadableFile: FILE_EMPTY, FILE_CORRUPT, FILE_EXTENT, FILE_ZIP, FILE_TOO_LARGE, FILE_XML_FORBIDDEN or
            FILE_PARSER; FILE_ENCRYPTED and FILE_TYPE also for kinds that say so.
    """
    return _READER.open(content, kind, identity)


def mark_workbook(content: bytes, marks: WorkbookMarks) -> bytes | None:
    """Return a person's own .xlsx with marks put into it, in a process of its own, which ends with it.

    Returns:
        The workbook; None where that process cannot do it within its limits.
    """
    with suppress(ReaderStopped, OSError), tempfile.TemporaryDirectory() as folder:
        child = ReaderChild(READER_MEMORY_BYTES, READER_SECONDS, folder, MOST_WORKBOOK_BYTES)
        try:
            if _READER.in_the_cage_alone and not child.is_caged:
                return None
            ((words, body),) = child.ask({"ask": "mark", "marks": asdict(marks)}, content)
        finally:
            child.kill()
        return body if "done" in words else None
    return None


class WorkbookReader:
    """Keeps one child and asks it.

    Attributes:
        in_the_cage_alone: Whether a child that is in no cage is asked nothing.
    """

    def __init__(self, memory_bytes: int = READER_MEMORY_BYTES, seconds: float = READER_SECONDS) -> None:
        """Start nothing yet."""
        self.in_the_cage_alone = False
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: ReaderChild | None = None
        self._holds: _InChild | None = None

    def open(self, content: bytes, kind: FileKind, identity: FileIdentity) -> OpenedWorkbook:
        place = FilePlace(identity.name)
        if kind is FileKind.ENCRYPTED:
            raise refusal(IssueCode.FILE_ENCRYPTED, place)
        if kind not in WORKBOOKS:
            raise refusal(IssueCode.FILE_TYPE, place, "type", found=Message(f"file.kind_{kind}"))
        if len(content) > MOST_WORKBOOK_BYTES:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=size_text(MOST_WORKBOOK_BYTES))
        return OpenedWorkbook(_InChild(self, kind, content, place), identity)

    @property
    def child_pid(self) -> int | None:
        """Process id of the child; None when there is none."""
        return self._child.pid if self._child is not None else None

    def end(self) -> None:
        """End the child; the next workbook starts another."""
        child, self._child, self._holds = self._child, None, None
        if child is not None:
            child.kill()

    def forget(self) -> None:
        child, self._child, self._holds = self._child, None, None
        self._lock = threading.Lock()
        if child is not None:
            child.forget()

    def ask(self, workbook: "_InChild", question: Words | None = None) -> list[tuple[Words, bytes]]:
        """Open a workbook, unless the child has it open, and ask about it.

        Raises:
            Stopped: the child ended over it.
            OSError: no child can be started.
        """
        with self._lock:
            child = self._running_child()
            if self.in_the_cage_alone and not child.is_caged:
                raise NoCage
            if question is None or self._holds is not workbook:
                self._holds = None
                answers = self._answers(child, {"ask": "open", "kind": str(workbook.kind)}, workbook.content)
                if question is None or "done" not in answers[-1][0]:
                    self._holds = workbook if "done" in answers[-1][0] else None
                    return answers
                self._holds = workbook
            return self._answers(child, question)

    def close(self, workbook: "_InChild") -> None:
        """Let the child forget a workbook. One that took much memory is ended: not all of it would come back."""
        with self._lock, suppress(ReaderStopped):
            if self._holds is workbook and self._child is not None:
                self._holds = None
                ((words, _),) = self._answers(self._child, {"ask": "close"})
                if words["reserved_bytes"] > self._memory_bytes // 2:
                    self.end()

    def _running_child(self) -> ReaderChild:
        if self._child is None or not self._child.is_there():
            self.end()
            self._child = ReaderChild(self._memory_bytes, self._seconds)
        return self._child

    def is_caged(self) -> bool:
        with self._lock:
            return self._running_child().is_caged

    def _answers(self, child: ReaderChild, words: Words, body: bytes = b"") -> list[tuple[Words, bytes]]:
        try:
            answers = child.ask(words, body)
        except BaseException:
            self._child = self._holds = None
            raise
        if "out_of_memory" in answers[-1][0]:
            self.end()
            raise ReaderStopped(out_of_time=False)
        return answers

    def limit(self, *, out_of_time: bool) -> Message | str:
        return f"{self._seconds:g} s" if out_of_time else Message("file.memory", size=size_text(self._memory_bytes))


@dataclass(frozen=True, eq=False)
class _InChild:
    reader: WorkbookReader
    kind: FileKind
    content: bytes
    place: FilePlace

    def heads(self) -> Words:
        """Return what it shows.

        Raises:
            UnreadableFile: it cannot be read.
        """
        ((words, _),) = self._ask()
        return words

    def table(self, sheet: str, header_row: int) -> list[tuple[Words, bytes]]:
        """Return the cells below a header, in blocks, and last what else there is to say of them.

        Raises:
            UnreadableFile: they cannot be read.
        """
        return self._ask({"ask": "table", "sheet": sheet, "header_row": header_row})

    def close(self) -> None:
        self.reader.close(self)

    def _ask(self, question: Words | None = None) -> list[tuple[Words, bytes]]:
        try:
            answers = self.reader.ask(self, question)
        except ReaderStopped as stopped:
            limit = self.reader.limit(out_of_time=stopped.out_of_time)
            raise refusal(IssueCode.FILE_PARSER, self.place, limit=limit) from None
        except NoCage:
            raise refusal(IssueCode.FILE_PARSER, self.place, "no_cage") from None
        except OSError as error:
            raise refusal(IssueCode.FILE_PARSER, self.place, "no_reader", reason=type(error).__name__) from error
        if refused := answers[-1][0].get("refused"):
            facts: dict[str, Any] = {name: _fact(fact) for name, fact in refused["facts"].items()}
            raise refusal(IssueCode(refused["code"]), self.place, refused["key"], sheet=refused["sheet"], **facts)
        return answers


def _fact(plain: str | int) -> str | Decimal:
    """What the child tells of: numbers are counts, and written as such."""
    return plain if isinstance(plain, str) else Decimal(plain)


_READER = WorkbookReader()
atexit.register(_READER.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_READER.forget)
