"""Calls that change something without moving money: each is sent once, over a connection of its own.

A failure says which of three it was: certainly nothing happened (`NotSent`, `Refused`, `NotFound`), or it is not known
(`Unanswered`). None of them is tried again here.
"""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from io_adapters.split_api.assumptions import ANY_2XX
from io_adapters.split_api.connections import Connections
from io_adapters.split_api.errors import AlreadyThere, NotFound, Refused, Unanswered
from io_adapters.split_api.exchange import Reply, exchange
from io_adapters.split_api.outcome import classify_exception
from io_adapters.split_api.pace import Pace
from io_adapters.split_api.reply_text import reason_for
from io_adapters.split_api.validation_error import places, read_validation_errors
from schemas.errors import NotSent
from schemas.submission import Outcome
from schemas.wire import Request, Response, body_of, canonical_json, parse_json

MAX_REPLY_BYTES: Final = 4_000_000
AnyResponse = TypeVar("AnyResponse", bound=Response)


@dataclass(frozen=True, slots=True)
class Statuses:
    """What the statuses of an answer are taken to mean.

    Attributes:
        done: It is done.
        missing: There is no such thing, and nothing was done.
        existing: There is one already, and nothing was done.
    """

    done: Collection[int] = ANY_2XX
    missing: Collection[int] = ()
    existing: Collection[int] = ()


ANY_SUCCESS: Final = Statuses()


class Orders:
    """Sends requests that have an effect, each exactly once."""

    def __init__(self, connections: Connections, *, timeout_s: float, pace: Pace) -> None:
        """Prepare to send; `timeout_s` is for one whole answer of what `do` sends."""
        self._connections = connections
        self._timeout_s = timeout_s
        self._pace = pace

    def send_once(
        self,
        method: str,
        path: str,
        content: bytes | None,
        *,
        params: Mapping[str, str] | None = None,
        deadline_s: float,
    ) -> Reply:
        """Wait for one's place in the pace, then send one request as `send_at_once` does."""
        self._pace.wait()
        return self.send_at_once(method, path, content, params=params, deadline_s=deadline_s)

    def send_at_once(
        self,
        method: str,
        path: str,
        content: bytes | None,
        *,
        params: Mapping[str, str] | None = None,
        deadline_s: float,
        before_connect: Callable[[], None] = lambda: None,
    ) -> Reply:
        """Send one request over a fresh connection; `Reply.failure` says what went wrong on the wire.

        Args:
            method: Of HTTP.
            path: Below the service's address.
            content: JSON; None sends no body.
            params: Query.
            deadline_s: For connecting, writing and reading together.
            before_connect: Called immediately before connecting; if it raises, nothing is sent and it propagates.
        """
        kind = {} if content is None else {"Content-Type": "application/json"}
        with self._connections.fresh(deadline_s) as client:
            request = client.build_request(
                method, path, content=content, params=params, headers=kind | {"Connection": "close"}
            )
            before_connect()
            return exchange(client, request, deadline_s=deadline_s, max_bytes=MAX_REPLY_BYTES)

    def do(
        self,
        what: str,
        method: str,
        path: str,
        request: Request | None,
        *,
        params: Mapping[str, str] | None = None,
        statuses: Statuses = ANY_SUCCESS,
    ) -> Reply:
        """Send one request and return its reply, which is complete and of a status that says it is done.

        Args:
            what: What is done, for messages: "creating a contact".
            method: Of HTTP.
            path: Below the service's address.
            request: The body; None sends none.
            params: Query.
            statuses: What those of the answer mean.

        Raises:
            NotSent: certainly nothing was sent.
            Refused: 422 as documented.
            AlreadyThere: there is one already.
            NotFound: there is no such thing.
            Unanswered: anything else.
        """
        content = None if request is None else canonical_json(body_of(request))
        reply = self.send_once(method, path, content, params=params, deadline_s=self._timeout_s)
        if reply.failure is not None or reply.status is None:
            answer = classify_exception(reply.failure or RuntimeError(), status=reply.status)
            if answer.outcome is Outcome.NOT_SENT:
                raise NotSent(f"{what}: nothing was sent ({answer.reason})")
            raise Unanswered(f"{what}: no whole answer ({answer.reason}); it may have happened", status=reply.status)
        if reply.status in statuses.done:
            return reply
        raise self._failure(what, reply, reply.status, statuses)

    def _failure(self, what: str, reply: Reply, status: int, statuses: Statuses) -> Exception:
        if status == 422 and (errors := read_validation_errors(reply.body)):
            return Refused(f"{what}: the payout service refused it (HTTP 422) at {places(errors)}", errors)
        said = self._connections.excerpt(reply.body)
        if status in statuses.existing:
            return AlreadyThere(f"{what}: the payout service has one already (HTTP {status}{said})", ())
        if status in statuses.missing:
            return NotFound(f"{what}: the payout service knows no such thing (HTTP {status}{said})")
        told = f"{reason_for(status, reply.headers)}{said}"
        return Unanswered(f"{what}: {told}; whether it happened is not known", status=status)


def answer_in(reply: Reply, model: type[AnyResponse], what: str) -> AnyResponse:
    """Read the JSON object that a successful reply holds.

    Raises:
        Unanswered: it holds none; what was asked for has probably happened.
    """
    try:
        data: Any = parse_json(reply.body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise Unanswered(
            f"{what}: HTTP {reply.status} without a readable answer; it may have happened", status=reply.status
        )
    return model.model_validate(data)
