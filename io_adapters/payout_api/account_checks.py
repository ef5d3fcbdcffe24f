"""POST /validate/account: its request, what its answer says, and many of them within a rate and a budget."""

import contextlib
import queue
import threading
import time
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import TracebackType
from typing import Final, Self

import httpx

from io_adapters.payout_api.connection import Connection, RateLimiter, Reply
from io_adapters.payout_api.errors import read_validation_errors
from io_adapters.payout_api.outcome import classify_exception
from schemas.messages import Message
from schemas.submission import Outcome
from schemas.wire import AccountValidation, AccountVerdict, body_of, canonical_json, parse_json

MESSAGE_LENGTH: Final = 500
_OF_A_BANK_ACCOUNT: Final = ("agency", "pspId", "accountType", "name", "bankCode")


@dataclass(frozen=True, slots=True)
class CheckAnswer:
    """What one account check said.

    Attributes:
        valid: The verdict; None when there is none.
        http_status: Status of the reply; None when none came.
    """

    outcome: Outcome
    valid: bool | None
    message: str = field(repr=False)
    http_status: int | None = None
    body: bytes = field(default=b"", repr=False)

    @property
    def sent(self) -> bool:
        """Whether the call may have been charged. False is proven: never sent, or refused as documented."""
        return self.outcome in {Outcome.ACCEPTED, Outcome.IN_DOUBT}

    @property
    def refused(self) -> bool:
        return self.outcome is Outcome.REFUSED

    @property
    def answered(self) -> bool:
        return self.outcome in {Outcome.ACCEPTED, Outcome.REFUSED}


def broken_rules(request: AccountValidation) -> tuple[Message, ...]:
    """Name what the service's documented rules 1 to 4 for an account check miss in a request; () when it is sound."""
    broken = []
    if not (request.pixKey or request.account):
        broken.append(Message("rule.check_destination"))
    if request.pixKey and not request.pixKeyType:
        broken.append(Message("rule.required_with", field="pixKeyType", other="pixKey"))
    if request.account:
        broken += [
            Message("rule.required_with", field=name, other="account")
            for name in _OF_A_BANK_ACCOUNT
            if not getattr(request, name)
        ]
    if request.validateOwnership and not request.taxId:
        broken.append(Message("rule.required_with", field="taxId", other="validateOwnership"))
    return tuple(broken)


def read_check_reply(reply: Reply) -> CheckAnswer:
    """Say what the reply to an account check means; one that cannot be read counts as spent."""
    status, body = reply.status, reply.body
    if reply.failure is not None:
        answer = classify_exception(reply.failure, status=status, body=body)
        return CheckAnswer(answer.outcome, None, str(answer.reason), answer.http_status, body)
    if status == 422:
        errors = read_validation_errors(body)
        if errors:
            places = ", ".join(error.place for error in errors)
            why = f"HTTP 422: the request failed validation at {places}"
            return CheckAnswer(Outcome.REFUSED, None, why, status, body)
    verdict = _verdict(body) if status is not None and 200 <= status < 300 else None
    if verdict is None or verdict.valid is None:
        return CheckAnswer(Outcome.IN_DOUBT, None, f"HTTP {status} without a readable verdict", status, body)
    return CheckAnswer(Outcome.ACCEPTED, verdict.valid, _printable(verdict.message or ""), status, body)


def _verdict(body: bytes) -> AccountVerdict | None:
    try:
        data = parse_json(body)
    except ValueError:
        return None
    return AccountVerdict.model_validate(data) if isinstance(data, dict) else None


def _printable(text: str) -> str:
    """Make one line of the service's words: control and direction marks become blanks."""
    kept = "".join(" " if unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"} else char for char in text)
    return " ".join(kept[:MESSAGE_LENGTH].split())


# Answers are handed on in groups: whoever takes them writes them down in one transaction.
GROUP_S: Final = 0.025
_JOIN_S: Final = 1.0
FIRST_LINES: Final = 4
ANSWERS_BEFORE_TRYING_AGAIN: Final = 20
# Before lines that found no connection try again: from this on, twice as long each round.
FIRST_PAUSE_S: Final = 0.25
LONGEST_PAUSE_S: Final = 5.0


@dataclass(frozen=True, slots=True)
class _Ticket:
    name: str
    body: bytes


class _Flow:
    """How many lines may be at it together, and from when on: a few at first, more with answers, fewer on trouble.

    A round is what began since that number last changed. It grows only once all that began in earlier rounds has come
    back: a connection that a full service leaves waiting tells of it late. Of the many that meet trouble together only
    the first one counts. As many as met trouble once are tried again only after a good many answers: each such trial
    may leave a check without an answer, and paid for.
    """

    def __init__(self, lines: int) -> None:
        self.misses = 0
        self._most, self._allowed = lines, min(lines, FIRST_LINES)
        self._trouble: int | None = None
        self._round = self._answered = 0
        self._busy = Counter[int]()
        self._from_s = 0.0
        self._changed = threading.Condition()
        self._ended = False

    def enter(self) -> int:
        """Wait for a place; returns the round it is in."""
        with self._changed:
            while not self._ended and (wait_s := self._wait_s()) != 0:
                self._changed.wait(wait_s)
            self._busy[self._round] += 1
            return self._round

    def leave(self, of_round: int, *, answered: bool, found: bool) -> None:
        with self._changed:
            busy = self._busy.total()
            self._busy[of_round] -= 1
            self.misses = 0 if found else self.misses
            if answered:
                self._answered += 1
                self._grow()
            elif of_round == self._round:
                self._trouble = min(busy, self._allowed)
                self._begin_round(max(1, self._allowed // 2))
                if not found:
                    self.misses += 1
                    self._from_s = time.monotonic() + min(FIRST_PAUSE_S * 2.0 ** (self.misses - 1), LONGEST_PAUSE_S)
            self._changed.notify_all()

    def _grow(self) -> None:
        is_settled = self._busy[self._round] == self._busy.total()
        patience = 1 if self._trouble is None or self._allowed + 1 < self._trouble else ANSWERS_BEFORE_TRYING_AGAIN
        if is_settled and self._allowed < self._most and self._answered >= patience * self._allowed:
            more = 2 * self._allowed if self._trouble is None else self._allowed + 1
            self._begin_round(min(self._most, more))

    def _begin_round(self, allowed: int) -> None:
        self._round, self._answered, self._allowed = self._round + 1, 0, allowed

    def end(self) -> None:
        """Let nobody wait any more."""
        with self._changed:
            self._ended = True
            self._changed.notify_all()

    def _wait_s(self) -> float | None:
        """How long to wait at most before looking again; 0 for not at all, None until somebody leaves."""
        return None if self._busy.total() >= self._allowed else max(0.0, self._from_s - time.monotonic())


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
        pace: RateLimiter | None = None,
        may_send: Callable[[str], bool] = lambda _name: True,
    ) -> None:
        """Prepare; nothing is sent."""
        self._deadline_s = deadline_s
        self._pace = pace
        self._may_send = may_send
        self._give_up_after = give_up_after
        self._unanswered = 0
        self._counting = threading.Lock()
        self._tickets: queue.SimpleQueue[_Ticket | None] = queue.SimpleQueue()
        self._answered: queue.SimpleQueue[tuple[str, CheckAnswer]] = queue.SimpleQueue()
        self._given_back = threading.Event()
        self._flow = _Flow(at_a_time)
        self._lines = [Connection(open_client, deadline_s) for _ in range(at_a_time)]
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
        self.give_back()
        for line in self._lines:
            self._tickets.put(None)
            line.break_off()
        ends_at_s = time.monotonic() + _JOIN_S  # looking a name up cannot be broken off; its thread ends by itself
        for thread in self._threads:
            thread.join(max(0.0, ends_at_s - time.monotonic()))

    def begin(self, checks: Iterable[tuple[str, bytes]]) -> None:
        """Ask about accounts, each under a name that its answer comes back with, as soon as lines are free.

        Args:
            checks: Names, and the exact bytes to send, from `check_body`.
        """
        for name, body in checks:
            self._tickets.put(_Ticket(name, body))

    def answers(self) -> list[tuple[str, CheckAnswer]]:
        """Wait for at least one answer; returns all that came, by name. There must be one to wait for."""
        found = [self._next()]
        time.sleep(GROUP_S)
        with contextlib.suppress(queue.Empty):
            while True:
                found.append(self._answered.get_nowait())
        return found

    @property
    def gave_up(self) -> bool:
        return self._given_back.is_set()

    def give_back(self) -> list[str]:
        """Let nothing more begin; returns the names of those that will have no answer: they were never sent."""
        self._stop()
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

    def _serve(self, line: Connection) -> None:
        with line:
            while (ticket := self._tickets.get()) is not None:
                if self._pace is not None:
                    self._pace.wait()
                of_round = self._flow.enter()
                if self._given_back.is_set() or not self._may_send(ticket.name):
                    answer, found = CheckAnswer(Outcome.NOT_SENT, None, "not asked any more"), True
                else:
                    reply = line.exchange("/validate/account", ticket.body)
                    if self._pace is not None:
                        self._pace.heed(reply)
                    answer = read_check_reply(reply)
                    found = answer.sent or answer.answered
                    self._count(answer, found=found)
                self._flow.leave(of_round, answered=answer.answered, found=found)
                if self._flow.misses >= self._give_up_after:
                    self._stop()
                if found or self._given_back.is_set():
                    self._answered.put((ticket.name, answer))
                else:
                    self._tickets.put(ticket)

    def _count(self, answer: CheckAnswer, *, found: bool) -> None:
        """Count what was sent and not answered; what found no connection is counted by rounds."""
        with self._counting:
            if found:
                self._unanswered = 0 if answer.answered else self._unanswered + 1
        if self._unanswered >= self._give_up_after:
            self._stop()

    def _stop(self) -> None:
        self._given_back.set()
        self._flow.end()


def check_body(request: AccountValidation) -> bytes:
    """Write the body of a check.

    Raises:
        ValueError: the request breaks a documented rule. The message names fields alone.
    """
    broken = broken_rules(request)
    if broken:
        raise ValueError("; ".join(map(str, broken)))
    return canonical_json(body_of(request))
