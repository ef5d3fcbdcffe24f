"""The sandbox as one FastAPI application."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from typing import Final

from anyio.to_thread import current_default_thread_limiter
from fastapi import Depends, FastAPI
from fastapi.exceptions import RequestValidationError
from starlette.concurrency import run_in_threadpool

from io_adapters.sandbox import accounts, contacts, control, pix, splits, webhooks
from io_adapters.sandbox.assumptions import SandboxSettings
from io_adapters.sandbox.context import NOT_LET_IN, Sandbox, refuse_unknown_queries, require_api_key
from io_adapters.sandbox.counting import RequestCounter
from io_adapters.sandbox.transport import FaultyTransport
from io_adapters.sandbox.validation import HTTPValidationError, answer_405, answer_422

SUBJECTS: Final = (contacts, pix, accounts, splits, webhooks)
GUARDS: Final = (Depends(require_api_key), Depends(refuse_unknown_queries))
SAVE_EVERY_S: Final = 0.5
THREADS: Final = 100


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
        stopping: Ends the waits of planted faults and of the latency when it is set.
    """
    sandbox = Sandbox(database, settings, clock)

    @asynccontextmanager
    async def lifespan(_: FastAPI) -> AsyncIterator[None]:
        current_default_thread_limiter().total_tokens = THREADS
        saving = asyncio.create_task(_save_now_and_then(sandbox.requests))
        sandbox.start()
        yield
        saving.cancel()
        with suppress(asyncio.CancelledError):
            await saving
        await run_in_threadpool(sandbox.stop)
        sandbox.close()

    app = FastAPI(
        title="Payout service sandbox",
        summary="A local stand-in: play money, its own memory, faults on demand under /_sandbox.",
        version="1.0.0",
        lifespan=lifespan,
        responses={422: {"model": HTTPValidationError}},
    )
    app.state.sandbox, app.state.prefix = sandbox, settings.prefix
    for subject in SUBJECTS:
        app.include_router(subject.router, prefix=settings.prefix, dependencies=GUARDS, responses=NOT_LET_IN)
    app.include_router(control.router)
    app.add_exception_handler(RequestValidationError, answer_422)
    app.add_exception_handler(405, answer_405)
    app.add_middleware(FaultyTransport, prefix=settings.prefix, sandbox=sandbox, stopping=stopping or asyncio.Event())
    return app


async def _save_now_and_then(requests: RequestCounter) -> None:
    while True:
        await asyncio.sleep(SAVE_EVERY_S)
        await run_in_threadpool(requests.save)
