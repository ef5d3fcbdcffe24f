"""What the endpoints share: the running sandbox, and the check of its key."""

import hmac
from collections.abc import Callable
from dataclasses import dataclass
from typing import Annotated

from fastapi import Depends, HTTPException, Request, Security
from fastapi.security import APIKeyHeader

from io_adapters.sandbox.assumptions import Behaviour
from io_adapters.sandbox.faults import FaultPlan
from io_adapters.sandbox.store import Store


@dataclass(slots=True)
class Sandbox:
    """One running sandbox.

    Attributes:
        store: Its memory.
        behaviour: How it behaves now; replaced as a whole when a test changes it.
        faults: What is planted.
        api_key: The one key it lets in.
        clock: Seconds since 1970 (UTC).
    """

    store: Store
    behaviour: Behaviour
    faults: FaultPlan
    api_key: str
    clock: Callable[[], float]


def running_sandbox(request: Request) -> Sandbox:
    """Return the sandbox that serves a request."""
    sandbox = request.app.state.sandbox
    assert isinstance(sandbox, Sandbox)  # noqa: S101 - narrows Starlette's untyped state
    return sandbox


Running = Annotated[Sandbox, Depends(running_sandbox)]

_header = APIKeyHeader(name="Authorization", auto_error=False, description="The API key itself, without a scheme.")


def require_api_key(sandbox: Running, key: Annotated[str | None, Security(_header)]) -> None:
    """Let nobody in without the exact key.

    Raises:
        HTTPException: 401, the sandbox's own choice (see `assumptions`).
    """
    if key is None or not hmac.compare_digest(key.encode(), sandbox.api_key.encode()):
        raise HTTPException(401, "The Authorization header must be the API key")
