"""Many account checks at a time: each is asked once, over connections that are used again, within a deadline.

As many lines as checks may be under way; a line is a thread with one connection that asks one check after another over
it. Nothing is ever asked again: a connection that the service has closed meanwhile proves nothing, unless a new one
could not be opened. Unlike a payment a check needs no fresh connection: the doubt a stale one leaves costs one fee, is
told, and pays nobody. (Threads, because httpx's lines of one event loop take turns at every step of an exchange, so
that answers which come together all wait for the last of them: a tenth of the throughput of fifty lines.)
"""

import contextlib
import queue
import threading
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import TracebackType
from typing import Final, Protocol, Self

import httpx

from io_adapters.split_api.account_check import CheckAnswer, broken_rules, read_check_reply
from io_adapters.split_api.line import Line
from schemas.wire import AccountValidation, body_of, canonical_json

# Answers are handed on in groups: whoever takes them writes them down in one transaction.
GROUP_S: Final = 0.025
_JOIN_S: Final = 1.0


class Pace(Protocol):
    """Keeps all requests together to a rate."""

    def wait(self) -> object:
        """Return when the next request may go."""


@dataclass(frozen=True, slots=True)
class _Ticket:
    name: str
    body: bytes


class AccountCalls:
    """Asks the service about accounts, some at a time; a context manager. Each call costs a centavo and a fee.

    Its methods are for one thread, that of whoever opened it.
    """

    def __init__(
        self,
        open_client: Callable[[], httpx.Client],
        *,
        at_a_time: int,
        give_up_after: int,
        deadline_s: float,
        pace: Pace | None = None,
    ) -> None:
        """Prepare; nothing is sent.

        Args:
            open_client: Opens the client of one line.
            at_a_time: How many checks may be under way together.
            give_up_after: So many calls in a row without an answer, and nothing more begins.
            deadline_s: For one check, from connecting to the last byte of its answer.
            pace: Keeps to a rate; None for no limit.
        """
        self._deadline_s = deadline_s
        self._pace = pace
        self._give_up_after = give_up_after
        self._unanswered = 0
        self._counting = threading.Lock()
        self._tickets: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._answered: queue.SimpleQueue[tuple[str, CheckAnswer]] = queue.SimpleQueue()
        self._given_back = threading.Event()
        self._lines = [Line(open_client, deadline_s) for _ in range(at_a_time)]
        self._threads = [
            threading.Thread(target=self._serve, args=(line,), name="account-check", daemon=True)
            for line in self._lines
        ]

    def __enter__(self) -> Self:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Break off what is under way, and close all connections."""
        self.give_back()
        for line in self._lines:
            self._tickets.put(None)
            line.break_off()
        ends_at_s = time.monotonic() + _JOIN_S  # looking a name up cannot be broken off; its thread ends by itself
        for thread in self._threads:
            thread.join(max(0.0, ends_at_s - time.monotonic()))

    def begin(self, checks: Iterable[tuple[str, AccountValidation]]) -> None:
        """Ask about accounts, each under a name that its answer comes back with, as soon as lines are free.

        Raises:
            ValueError: a request breaks a documented rule; none of these is sent. The message names fields alone.
        """
        for ticket in [_Ticket(name, check_body(request)) for name, request in checks]:
            self._tickets.put(ticket)

    def answers(self) -> list[tuple[str, CheckAnswer]]:
        """Wait for at least one answer; returns all that came, by name. There must be one to wait for."""
        found = [self._next()]
        time.sleep(GROUP_S)
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self._answered.get_nowait())
        return found

    def give_back(self) -> list[str]:
        """Let nothing more begin; returns the names of those that will have no answer: they were never sent."""
        self._given_back.set()
        names = []
        with contextlib.suppress(queue.Empty):
            while True:
                ticket = self._tickets.get_nowait()
                names += [ticket.name] if ticket else []
        return names

    def _next(self) -> tuple[str, CheckAnswer]:
        while True:
            for line in self._lines:
                line.break_off_late()
            with contextlib.suppress(queue.Empty):
                return self._answered.get(timeout=self._deadline_s / 20)

    def _serve(self, line: Line) -> None:
        """Ask one check after another, until told to end."""
        with line:
            while (ticket := self._tickets.get()) is not None:
                if self._pace is not None:
                    self._pace.wait()
                if self._given_back.is_set():
                    answer = CheckAnswer(None, "not asked any more", sent=False)
                else:
                    answer = read_check_reply(line.exchange("/validate/account", ticket.body))
                    self._count(answer)
                self._answered.put((ticket.name, answer))

    def _count(self, answer: CheckAnswer) -> None:
        with self._counting:
            self._unanswered = 0 if answer.answered else self._unanswered + 1
            if self._unanswered >= self._give_up_after:
                self._given_back.set()


def check_body(request: AccountValidation) -> bytes:
    """Write the body of a check.

    Raises:
        ValueError: the request breaks a documented rule. The message names fields alone.
    """
    broken = broken_rules(request)
    if broken:
        raise ValueError("; ".join(broken))
    return canonical_json(body_of(request))
