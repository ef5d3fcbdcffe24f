"""What the endpoints share: the running sandbox, the check of its key, and answers other than 200 and 422."""

import hmac
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Any, Final

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import APIKeyHeader
from pydantic import BaseModel

from io_adapters.sandbox.address_book import AddressBook
from io_adapters.sandbox.assumptions import Behaviour, SandboxSettings
from io_adapters.sandbox.counting import RequestCounter
from io_adapters.sandbox.deliveries import Deliveries, StatusWatch, WebhookRegister
from io_adapters.sandbox.faults import FaultPlan
from io_adapters.sandbox.store import Store
from io_adapters.sandbox.tables import Database
from io_adapters.sandbox.validation import refuse_if_any, unknown_queries


class Sandbox:
    """One running sandbox.

    Attributes:
        database: Its file.
        store: What it remembers of reports and account checks.
        address_book: What it remembers of contacts.
        requests: How often each endpoint was called.
        watch: Tells webhooks of what moves.
        behaviour: How it behaves now; replaced as a whole when a test changes it.
        faults: What is planted.
        api_key: The one key it lets in.
        clock: Seconds since 1970 (UTC).
    """

    def __init__(self, file: Path, settings: SandboxSettings, clock: Callable[[], float]) -> None:
        """Open the file, making it where there is none."""
        self.database = Database(file)
        self.store = Store(self.database)
        self.address_book = AddressBook(self.database)
        self.requests = RequestCounter(self.database)
        self.behaviour = Behaviour(**settings.model_dump(include=set(Behaviour.model_fields)))
        self.faults = FaultPlan()
        self.api_key = settings.api_key
        self.clock = clock
        self._deliveries = Deliveries(self.database, clock, anywhere=settings.deliver_anywhere)
        webhooks = WebhookRegister(self.database)
        self.watch = StatusWatch(self.database, webhooks, self._deliveries, lambda: (self.behaviour, self.clock()))

    def start(self) -> None:
        """Begin to tell webhooks."""
        self._deliveries.start()
        self.watch.start()

    def stop(self) -> None:
        """Stop telling webhooks; to be called after `start` alone."""
        self.watch.stop()
        self._deliveries.stop()

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
