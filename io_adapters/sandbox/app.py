"""Puts the sandbox together as one FastAPI application."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path

from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError

from io_adapters.sandbox import accounts, control, splits
from io_adapters.sandbox.assumptions import Behaviour, SandboxSettings
from io_adapters.sandbox.context import Sandbox, require_api_key
from io_adapters.sandbox.faults import FaultPlan
from io_adapters.sandbox.store import Store
from io_adapters.sandbox.transport import FaultyTransport
from io_adapters.sandbox.validation import HTTPValidationError, answer_422


def create_app(
    database: Path,
    settings: SandboxSettings,
    *,
    clock: Callable[[], float] = time.time,
    stopping: asyncio.Event | None = None,
) -> FastAPI:
    """Return the sandbox over a SQLite file, which is made where there is none.

    Args:
        database: The file that holds all state.
        settings: How it starts.
        clock: Seconds since 1970 (UTC).
        stopping: Ends the waits of planted faults when it is set.
    """
    store = Store(database)
    behaviour = Behaviour(**settings.model_dump(include=set(Behaviour.model_fields)))
    sandbox = Sandbox(store, behaviour, FaultPlan(), settings.api_key, clock)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        yield
        store.close()

    app = FastAPI(
        title="Payout service sandbox",
        version="1.0.0",
        lifespan=lifespan,
        responses={422: {"model": HTTPValidationError}},
    )
    app.state.sandbox = sandbox
    for subject in (splits.router, accounts.router):
        app.include_router(subject, prefix=settings.prefix, dependencies=[Depends(require_api_key)])
    app.include_router(control.router)
    app.add_exception_handler(RequestValidationError, answer_422)
    app.add_middleware(
        FaultyTransport,
        prefix=settings.prefix,
        store=store,
        faults=sandbox.faults,
        stopping=stopping or asyncio.Event(),
    )
    return app
