"""Opening workbooks: whatever a file does to its reader, this process goes on and says what happened."""

import atexit
import os
import threading
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from io_adapters.spreadsheets.limits import MOST_WORKBOOK_BYTES, READER_MEMORY_BYTES, READER_SECONDS, size_text
from io_adapters.spreadsheets.opened_workbook import OpenedWorkbook
from io_adapters.spreadsheets.reader_child import ReaderChild, Stopped
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.signatures import WORKBOOKS, FileKind
from io_adapters.spreadsheets.words import say
from io_adapters.spreadsheets.workbook.messages import Words
from schemas.issues import IssueCode
from schemas.raw_table import FileIdentity


def open_workbook(content: bytes, kind: FileKind, identity: FileIdentity, language: str) -> OpenedWorkbook:
    """Open a workbook in the one process that this one keeps for it.

    Args:
        content: The file's bytes; kept until it is closed, so that another child can open it, should this one end.
        kind: XLSX, XLS, XLSB or ODS.
        identity: Of the file.
        language: Of decisions and messages.

    Returns:
        The workbook, a context manager.

    Raises:
        UnreadableFile: FILE_EMPTY, FILE_CORRUPT, FILE_EXTENT, FILE_ZIP, FILE_TOO_LARGE, FILE_XML_FORBIDDEN or
            FILE_PARSER; FILE_ENCRYPTED and FILE_TYPE also for kinds that say so.
    """
    return _READER.open(content, kind, identity, language)


class WorkbookReader:
    """Keeps a child that reads workbooks, one at a time, for any number of threads."""

    def __init__(self, memory_bytes: int = READER_MEMORY_BYTES, seconds: float = READER_SECONDS) -> None:
        """Start nothing yet.

        Args:
            memory_bytes: How much memory the child may reserve.
            seconds: How long it may take to open a workbook, and to read a table.
        """
        self._memory_bytes = memory_bytes
        self._seconds = seconds
        self._lock = threading.Lock()
        self._child: ReaderChild | None = None
        self._holds: _InChild | None = None

    def open(self, content: bytes, kind: FileKind, identity: FileIdentity, language: str) -> OpenedWorkbook:
        """Open a workbook, as `open_workbook` does."""
        place = Place(identity.name, language)
        if kind is FileKind.ENCRYPTED:
            raise refusal(IssueCode.FILE_ENCRYPTED, place)
        if kind not in WORKBOOKS:
            expected = say(f"kind_{FileKind.XLSX}", language)
            raise refusal(IssueCode.FILE_TYPE, place, "type", found=say(f"kind_{kind}", language), expected=expected)
        if len(content) > MOST_WORKBOOK_BYTES:
            raise refusal(IssueCode.FILE_TOO_LARGE, place, limit=size_text(MOST_WORKBOOK_BYTES))
        return OpenedWorkbook(_InChild(self, kind, content, place), identity, language)

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
        """Leave the child alone, in a process forked from the one that started it."""
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
        with self._lock, suppress(Stopped):
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

    def _answers(self, child: ReaderChild, words: Words, body: bytes = b"") -> list[tuple[Words, bytes]]:
        try:
            answers = child.ask(words, body)
        except BaseException:
            self._child = self._holds = None
            raise
        if "out_of_memory" in answers[-1][0]:
            self.end()
            raise Stopped(out_of_time=False)
        return answers

    def limit_text(self, language: str, *, out_of_time: bool) -> str:
        """Name the limit beyond which the child is ended."""
        return f"{self._seconds:g} s" if out_of_time else say("memory", language, size=size_text(self._memory_bytes))


@dataclass(frozen=True, eq=False)
class _InChild:
    """A workbook that a child has open, or will have opened before it is asked about it."""

    reader: WorkbookReader
    kind: FileKind
    content: bytes
    place: Place

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
        """Let the child forget it."""
        self.reader.close(self)

    def _ask(self, question: Words | None = None) -> list[tuple[Words, bytes]]:
        try:
            answers = self.reader.ask(self, question)
        except Stopped as stopped:
            limit = self.reader.limit_text(self.place.language, out_of_time=stopped.out_of_time)
            raise refusal(IssueCode.FILE_PARSER, self.place, limit=limit) from None
        except OSError as error:
            raise refusal(IssueCode.FILE_PARSER, self.place, "no_reader", reason=type(error).__name__) from error
        if refused := answers[-1][0].get("refused"):
            facts: dict[str, Any] = {name: _shown(fact, self.place.language) for name, fact in refused["facts"].items()}
            raise refusal(IssueCode(refused["code"]), self.place, refused["key"], sheet=refused["sheet"], **facts)
        return answers


def _shown(fact: str | int, language: str) -> str:
    if isinstance(fact, str):
        return fact
    return f"{fact:,}".replace(",", "." if language == "pt-BR" else ",")


_READER = WorkbookReader()
atexit.register(_READER.end)
if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_READER.forget)
