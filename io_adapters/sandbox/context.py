"""What the endpoints share: the running sandbox, its key, counts of calls, planted faults, answers other than 200."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Final, Literal

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import APIKeyHeader
from pydantic import BaseModel, ConfigDict, Field

from io_adapters.sandbox.address_book import AddressBook
from io_adapters.sandbox.assumptions import Behaviour, SandboxSettings
from io_adapters.sandbox.models import read_exact_json
from io_adapters.sandbox.store import Store
from io_adapters.sandbox.tables import SandboxDatabase
from io_adapters.sandbox.validation import Endpoint, RequestCounter, refuse_if_any, unknown_queries
from schemas.wire import canonical_json


class Sandbox:
    """One running sandbox.

    Attributes:
        store: What it remembers of reports and account checks.
        requests: How often each endpoint was called.
        behaviour: How it behaves now; replaced as a whole when a test changes it.
        clock: Seconds since 1970 (UTC).
    """

    def __init__(self, file: Path, settings: SandboxSettings, clock: Callable[[], float]) -> None:
        """Open the file, making it where there is none."""
        self.database = SandboxDatabase(file)
        self.store = Store(self.database)
        self.address_book = AddressBook(self.database)
        self.requests = RequestCounter(self.database)
        self.behaviour = Behaviour(**settings.model_dump(include=set(Behaviour.model_fields)))
        self.faults = FaultPlan()
        self.api_key = settings.api_key
        self.clock = clock

    def close(self) -> None:
        """Write down what was counted, and close the file."""
        self.requests.save()
        self.database.close()


async def running_sandbox(request: Request) -> Sandbox:
    """Return the sandbox that serves a request."""
    sandbox = request.app.state.sandbox
    assert isinstance(sandbox, Sandbox)  # noqa: S101 - narrows Starlette's untyped state
    return sandbox


Running = Annotated[Sandbox, Depends(running_sandbox)]

_header = APIKeyHeader(name="Authorization", auto_error=False, description="The API key itself, without a scheme.")


async def require_api_key(sandbox: Running, key: Annotated[str | None, Security(_header)]) -> None:
    """Let nobody in without the exact key.

    Raises:
        HTTPException: 401, the sandbox's own choice (see `assumptions`).
    """
    if key is None or not hmac.compare_digest(key.encode(), sandbox.api_key.encode()):
        raise HTTPException(401, "The Authorization header must be the API key")


async def refuse_unknown_queries(request: Request, sandbox: Running) -> None:
    """Let no query name pass that the endpoint does not take, so that a misspelt one is noticed.

    Raises:
        RequestValidationError: there is one, and the sandbox knows its fields only.
    """
    if request.query_params and sandbox.behaviour.known_fields_only:
        refuse_if_any(unknown_queries(request))


Answers = dict[int | str, dict[str, Any]]


class Refusal(BaseModel):
    """Why a request was turned away, in words."""

    detail: str


NOT_LET_IN: Final[Answers] = {401: {"model": Refusal, "description": "The Authorization header is not the API key"}}
NOT_FOUND: Final[Answers] = {404: {"model": Refusal, "description": "There is no such thing"}}
NOTHING: Final[Answers] = {204: {"description": "Deleted, where the sandbox is told to answer nothing"}}
CONFLICT: Final[Answers] = {409: {"model": Refusal, "description": "There is one already"}}
Kind = Literal[
    "status",
    "html",
    "garbage",
    "empty",
    "redirect",
    "wrong_report_id",
    "late",
    "hang",
    "drop",
    "reset",
    "cut",
    "cut_head",
    "drip",
]
_DEFAULT_STATUS = {"status": 500, "html": 502, "redirect": 307, "late": 504}


class Fault(BaseModel):
    """One disturbance of one endpoint.

    Attributes:
        endpoint: Which endpoint, e.g. "POST /split".
        kind: What the client meets:
            `status` the given status and body; `html` a gateway's error page; `garbage` 200 with something that is not
            JSON; `empty` 200 with nothing; `redirect` to another path; `wrong_report_id` the true answer with another
            `reportId`; `late` an error at once, and the effect `seconds` later; `hang` the true answer, `seconds` late;
            `drop` the connection closed; `reset` the connection reset; `cut` an answer that ends in its body;
            `cut_head` one that ends in its headers; `drip` one that comes byte by byte, `seconds` apart.
        when: Whether the request has its effect first ("after") or never ("before"). With `hang` and "before" the
            effect comes after the wait. `late` and `wrong_report_id` have their effect in any case.
        call: Which call of the endpoint, the next one being 1.
        times: How many calls in a row, from that one on; None is all of them.
        status: Status of `status`, `html`, `redirect` and `late`; None is 500, 502, 307 and 504.
        body: Body of `status`: text goes out as it is, anything else as JSON.
        seconds: How long `late`, `hang` and `drip` wait.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    endpoint: Endpoint
    kind: Kind
    when: Literal["before", "after"] = "after"
    call: int = Field(default=1, ge=1)
    times: int | None = Field(default=1, ge=1)
    status: int | None = Field(default=None, ge=200, le=599)
    body: Any = {"detail": "planted"}
    seconds: float = Field(default=1.0, ge=0)

    def covers(self, call: int) -> bool:
        """Tell whether the n-th call since planting is meant."""
        return self.call <= call and (self.times is None or call < self.call + self.times)


@dataclass(frozen=True, slots=True)
class FaultyReply:
    """An HTTP answer as bytes."""

    status: int
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes


class FaultPlan:
    """The faults that are planted. Used from the event loop alone."""

    def __init__(self) -> None:
        self._planted: list[tuple[Fault, list[int]]] = []

    def plant(self, fault: Fault) -> int:
        """Add a fault; return how many there are."""
        self._planted.append((fault, [0]))
        return len(self._planted)

    def clear(self) -> None:
        """Forget all faults."""
        self._planted.clear()

    def next(self, endpoint: Endpoint) -> Fault | None:
        """Count a call of an endpoint and return the fault it meets: of several, the one planted first."""
        met: Fault | None = None
        for fault, calls in self._planted:
            if fault.endpoint is endpoint:
                calls[0] += 1
                met = met or (fault if fault.covers(calls[0]) else None)
        return met


def reply_of(
    status: int, body: bytes, content_type: bytes = b"application/json", *extra: tuple[bytes, bytes]
) -> FaultyReply:
    """Return a complete answer; its length header tells the truth."""
    length = str(len(body)).encode()
    return FaultyReply(status, ((b"content-type", content_type), (b"content-length", length), *extra), body)


def disturbed(fault: Fault, true_reply: FaultyReply | None) -> FaultyReply:
    """Return the answer the client gets instead.

    Args:
        true_reply: What the service answered; None when the request never had its effect.
    """
    status = fault.status or _DEFAULT_STATUS.get(fault.kind, 200)
    match fault.kind:
        case "status" | "late":
            reply = _planted_body(status, fault.body)
        case "html":
            reply = reply_of(status, b"<html><body><h1>Bad Gateway</h1></body></html>", b"text/html")
        case "garbage":
            reply = reply_of(200, b'{"_id": "4f')
        case "empty":
            reply = reply_of(200, b"")
        case "redirect":
            reply = reply_of(status, b"", b"text/plain", (b"location", b"/elsewhere"))
        case _:
            reply = true_reply or reply_of(200, b'{"_id": "000000000000000000000000", "status": "PENDING"}')
    return _with_other_report_id(reply) if fault.kind == "wrong_report_id" else reply


def _planted_body(status: int, body: Any) -> FaultyReply:  # noqa: ANN401
    if isinstance(body, str):
        return reply_of(status, body.encode(), b"text/plain; charset=utf-8")
    return reply_of(status, canonical_json(body))


def _with_other_report_id(reply: FaultyReply) -> FaultyReply:
    answer = read_exact_json(reply.body)
    if not isinstance(answer, dict) or "reportId" not in answer:
        return reply
    return reply_of(reply.status, canonical_json(answer | {"reportId": "another-report"}))
