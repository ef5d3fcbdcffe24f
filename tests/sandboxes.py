"""Sandboxes of tests: each test has its own, and goes on while the server of the one before closes its connections."""

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Final

from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings

AT_ONCE: Final = SandboxSettings(processing_after_s=0, done_after_s=0)
_ENDING: Final = ThreadPoolExecutor(4, thread_name_prefix="ending")


@contextmanager
def opened_sandbox(settings: SandboxSettings = AT_ONCE) -> Iterator[EmbeddedSandbox]:
    """Start a sandbox, which pays at once unless told otherwise; it is asked to end with the context."""
    sandbox = EmbeddedSandbox(settings=settings)
    sandbox.__enter__()
    try:
        yield sandbox
    finally:
        _ENDING.submit(sandbox.__exit__, None, None, None)
