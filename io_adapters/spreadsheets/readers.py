"""Processes that read strangers' files, so that a hostile one can neither stop this process nor do anything else."""

import atexit
import io
import os
import signal
import socket
import subprocess
import sys
import tempfile
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict
from typing import IO, BinaryIO, Final

import pyarrow as pa

from io_adapters.spreadsheets.files import FileContent, opened_content
from io_adapters.spreadsheets.kinds import FileKind
from io_adapters.spreadsheets.limits import (
    MOST_TEXT_BYTES,
    MOST_WORKBOOK_BYTES,
    READER_MEMORY_BYTES,
    READER_SECONDS,
    refusal,
    size_text,
)
from io_adapters.spreadsheets.transfer import MOST_BODY_BYTES, Broken, Words, issue_from, receive, send
from schemas.corrections import WorkbookMarks
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode
from schemas.messages import Message, render

_MODULE: Final = "io_adapters.spreadsheets.child"
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
# As slowly as this a file may be gone through; a long one has longer.
_SLOWEST_BYTES_PER_S: Final = 16 * 2**20
_SENDS_FILES: Final = hasattr(socket, "send_fds")


Answers = list[tuple[Words, bytes]]


class ReaderStopped(Exception):
    """The child gave no answer: it took too long or too much memory, or fell over."""

    def __init__(self, *, out_of_time: bool) -> None:
        super().__init__()
        self.out_of_time = out_of_time


class ReaderChild:
    def __init__(self, memory_bytes: int, seconds: float, folder: str = "", file_bytes: int = MOST_TEXT_BYTES) -> None:
        """Start it and wait until it is ready.

        Args:
            folder: Where it may make files; "" for nowhere.
            file_bytes: How long a file may become that it writes, there or in one that it was given.

        Raises:
            OSError: it cannot be started.
        """
        self._seconds = seconds
        self._timed_out = False
        self._files: socket.socket | None = None
        theirs: socket.socket | None = None
        if _SENDS_FILES:
            self._files, theirs = socket.socketpair()
        channel = theirs.fileno() if theirs else -1
        try:
            self._process = subprocess.Popen(  # noqa: S603  # our own module, in our own interpreter
                [sys.executable, "-P", "-m", _MODULE, str(memory_bytes), str(channel), folder, str(file_bytes)],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,  # libraries repeat there what they read
                env=_environment() | ({"TMPDIR": folder} if folder else {}),
                pass_fds=[channel] if theirs else (),
            )
        finally:
            if theirs:
                theirs.close()
        assert self._process.stdin is not None  # noqa: S101  # for the type checker: both are pipes
        assert self._process.stdout is not None  # noqa: S101
        self._requests, self._answers = self._process.stdin, self._process.stdout
        try:
            with self._deadline(_START_SECONDS):
                ready, _ = self._receive()
            self.is_caged = ready.get("caged") is True
        except ReaderStopped:
            raise OSError(f"the reader of files ended with {self._process.returncode}") from None

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

    def ask(self, words: Words, files: Sequence[BinaryIO] = (), seconds: float | None = None) -> Answers:
        """Return its answers to one request; the last is `done`, or says why not.

        Args:
            files: What is asked about, and an empty one to unpack it into. The child is given the open files where the
                system can do that, and the bytes of what is in memory alone.

        Raises:
            ReaderStopped: it ended over it; or it was ended, since it took too long.
        """
        seconds = seconds or self._seconds
        with self._deadline(seconds):
            try:
                self._send(words | {"seconds": seconds}, files)
            except OSError:
                raise self._stopped() from None
            answers, size_bytes = [self._receive()], 0
            while "block" in answers[-1][0]:
                size_bytes += len(answers[-1][1])
                if size_bytes > MOST_BODY_BYTES:
                    raise self._stopped()
                answers.append(self._receive())
            if "out_of_memory" in answers[-1][0]:
                raise self._stopped()
            return answers

    def _send(self, words: Words, files: Sequence[BinaryIO]) -> None:
        descriptors = [number for file in files if (number := _descriptor(file)) is not None]
        if self._files and len(descriptors) > 1:
            socket.send_fds(self._files, [b"f"], descriptors)
            send(self._requests, words | {"file": "open"})
        else:
            send(self._requests, words, _content(files[0]) if files else b"")

    def kill(self) -> None:
        """End it and wait until it is gone; it has nothing to lose."""
        self._process.kill()
        self._process.wait()
        for pipe in self._pipes():
            with suppress(OSError):
                pipe.close()

    def forget(self) -> None:
        """Let go of a child of the process this one was forked from: as long as its pipes are open, it goes on."""
        nowhere = os.open(os.devnull, os.O_RDWR)
        for pipe in self._pipes():
            os.dup2(nowhere, pipe.fileno(), inheritable=False)
        os.close(nowhere)
        self._process.returncode = 0  # nobody but its parent may wait for it

    def _pipes(self) -> list[IO[bytes] | socket.socket]:
        return [self._requests, self._answers, *([self._files] if self._files else [])]

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


def _descriptor(file: BinaryIO) -> int | None:
    """Return the descriptor of an open file; None for one that is in memory alone."""
    with suppress(OSError):
        return file.fileno()
    return None


def _content(file: BinaryIO) -> bytes:
    file.seek(0)
    return file.read()


def _environment() -> dict[str, str]:
    passed_on = {name: os.environ[name] for name in _PASSED_ON if name in os.environ}
    # It finds what its parent found, and nothing in the folder that happens to be the current one.
    return passed_on | _FRUGAL | {"PYTHONPATH": os.pathsep.join(filter(None, sys.path))}


class Readers:
    """Children that read, each one file at a time; one that is not asked is kept for the next file.

    Attributes:
        in_the_cage_alone: Whether workbooks are read by a child in the cage alone.
    """

    def __init__(self, memory_bytes: int = READER_MEMORY_BYTES, seconds: float = READER_SECONDS) -> None:
        """Start none yet."""
        self.in_the_cage_alone = False
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._lock = threading.Lock()
        self._idle: list[ReaderChild] = []
        self._all: list[ReaderChild] = []

    @property
    def child_pid(self) -> int | None:
        """Process id of the child that was started last; None when there is none."""
        return self._all[-1].pid if self._all else None

    def take(self) -> ReaderChild:
        """Return a child that answers, for one file.

        Raises:
            OSError: none can be started.
        """
        while True:
            with self._lock:
                child = self._idle.pop() if self._idle else None
            if child is None:
                break
            if child.is_there():
                return child
            self.end_one(child)
        child = ReaderChild(self._memory_bytes, self._seconds)
        with self._lock:
            self._all.append(child)
        return child

    def give_back(self, child: ReaderChild) -> None:
        """Keep a child for the next file, unless one waits already.

        One that took much memory is ended: not all of it would come back.
        """
        reserved_bytes: object = None
        with suppress(ReaderStopped):
            reserved_bytes = child.ask({"ask": "close"})[-1][0].get("reserved_bytes")
        with self._lock:
            is_small = isinstance(reserved_bytes, int) and reserved_bytes <= self._memory_bytes // 2
            if is_small and not self._idle:
                self._idle.append(child)
                return
        self.end_one(child)

    def ask_once(self, words: Words, files: Sequence[BinaryIO]) -> Words:
        """Ask a child one thing about a file.

        Raises:
            ReaderStopped, OSError: it is not answered.
        """
        child = self.take()
        try:
            answers = child.ask(words, files)
        except BaseException:
            self.end_one(child)
            raise
        self.give_back(child)
        return answers[-1][0]

    def end_one(self, child: ReaderChild) -> None:
        with self._lock:
            self._all = [other for other in self._all if other is not child]
        child.kill()

    def end(self) -> None:
        """End all children; the next file starts another."""
        children, self._all, self._idle = self._all, [], []
        for child in children:
            child.kill()

    def forget(self) -> None:
        """Let go of the children of the process this one was forked from."""
        children, self._all, self._idle = self._all, [], []
        self._lock = threading.Lock()
        for child in children:
            child.forget()

    def seconds_for(self, size_bytes: int) -> float:
        return self._seconds + size_bytes // _SLOWEST_BYTES_PER_S

    @property
    def memory(self) -> Message:
        return Message("file.memory", size=size_text(self._memory_bytes))


class ReadInChild:
    """An open file that a child reads; closing it frees the child."""

    def __init__(self, content: FileContent, readers: Readers) -> None:
        """Open it there.

        Raises:
            UnreadableFile: it cannot be read.
        """
        self._readers, self._place = readers, content.place
        self._given = (content.stream, content.spare)
        self._open = {"ask": "open", "name": content.place.file, "member": content.member}
        self._seconds = readers.seconds_for(content.name_only.size_bytes)
        self._child: ReaderChild | None = None
        self.shown, _ = self._asked()[-1]

    def ask(self, question: Words) -> Answers:
        """Ask about it; where the child has gone meanwhile, another one opens it again.

        Raises:
            UnreadableFile: it cannot be read.
        """
        if self._child is None or not self._child.is_there():
            self._asked()
        return self._asked(question)

    def next_block(self) -> tuple[Words, bytes]:
        """Return the next block of the table that was asked for last.

        Raises:
            UnreadableFile: it cannot be read.
        """
        return self._asked({"ask": "block"})[-1]

    @contextmanager
    def sound_answers(self) -> Iterator[None]:
        """Take what is no answer for a damaged file: nothing that comes out of the child is trusted."""
        try:
            yield
        except (LookupError, TypeError, ValueError, AttributeError, ArithmeticError, pa.ArrowException) as error:
            reason = f"{type(error).__name__}, answer"
            raise refusal(IssueCode.FILE_CORRUPT, self._place, "corrupt", reason=reason) from None

    def close(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            self._readers.give_back(child)

    def _asked(self, question: Words | None = None) -> Answers:
        try:
            answers = self._answers(question)
        except ReaderStopped as stopped:
            self._let_go()
            limit = f"{self._seconds:g} s" if stopped.out_of_time else self._readers.memory
            raise refusal(IssueCode.FILE_PARSER, self._place, limit=limit) from None
        except OSError as error:
            raise refusal(IssueCode.FILE_PARSER, self._place, "no_reader", reason=type(error).__name__) from error
        except BaseException:
            self._let_go()
            raise
        if refused := answers[-1][0].get("refused"):
            if question is None:
                self.close()
            with self.sound_answers():
                issue = issue_from(refused, self._place.file)
                render(issue.message, "en")  # its id and its facts are the catalogue's
            raise UnreadableFile(Message("file.refused", file=self._place.file, wrong=issue.message), issues=(issue,))
        return answers

    def _answers(self, question: Words | None) -> Answers:
        if question is None:
            self._let_go()
            self._child = self._readers.take()
            may = self._child.is_caged or not self._readers.in_the_cage_alone
            return self._child.ask(self._open | {"workbooks": may}, self._given, self._seconds)
        if self._child is None:
            raise ReaderStopped(out_of_time=False)
        return self._child.ask(question, seconds=self._seconds)

    def _let_go(self) -> None:
        child, self._child = self._child, None
        if child is not None:
            self._readers.end_one(child)


READERS: Final = Readers()
atexit.register(READERS.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=READERS.forget)


def read_in_the_cage_alone() -> None:
    """Refuse workbooks, from now on, where the system has no cage for the process that reads them."""
    READERS.in_the_cage_alone = True


def has_a_cage() -> bool:
    """Tell whether the process that reads strangers' files is in a cage on this system.

    Raises:
        OSError: it cannot be started.
    """
    child = ReaderChild(READER_MEMORY_BYTES, READER_SECONDS)
    child.kill()
    return child.is_caged


def members_of(path: str) -> list[str]:
    """Return the paths of an archive's members, where it has several; of any other file its own path.

    An archive that is not to be trusted, or cannot be read, keeps its path: whoever opens it is told why.
    """
    if not path.lower().endswith(".zip"):
        return [path]
    with suppress(UnreadableFile, ReaderStopped, OSError, TypeError), opened_content(path) as content:
        asked = {"ask": "members", "name": content.place.file}
        names = READERS.ask_once(asked, [content.stream, content.spare]).get("members", [])
        if len(names) > 1 and len(set(names)) == len(names) and not any("!" in name for name in names):
            return [f"{path}!{name}" for name in names]
    return [path]


def kind_of_content(content: bytes) -> FileKind:
    """Return what some bytes are; `BINARY` where nobody can tell."""
    with suppress(ReaderStopped, OSError, ValueError, KeyError):
        return FileKind(READERS.ask_once({"ask": "kind"}, [io.BytesIO(content)])["kind"])
    return FileKind.BINARY


def mark_workbook(content: bytes, marks: WorkbookMarks) -> bytes | None:
    """Return a person's own .xlsx with marks put into it, in a process of its own, which ends with it.

    Returns:
        The workbook; None where that process cannot do it within its limits.
    """
    with suppress(ReaderStopped, OSError), tempfile.TemporaryDirectory() as folder:
        child = ReaderChild(READER_MEMORY_BYTES, READER_SECONDS, folder, MOST_WORKBOOK_BYTES)
        try:
            if READERS.in_the_cage_alone and not child.is_caged:
                return None
            words, body = child.ask({"ask": "mark", "marks": asdict(marks)}, [io.BytesIO(content)])[-1]
        finally:
            child.kill()
        return body if "done" in words else None
    return None
