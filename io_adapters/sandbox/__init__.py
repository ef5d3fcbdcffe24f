"""The sandbox: a faithful local stand-in for the payout service, with its own database and faults on demand."""

from io_adapters.sandbox.assumptions import Behaviour, SandboxSettings
from io_adapters.sandbox.serving import EmbeddedSandbox, serve

__all__ = ["Behaviour", "EmbeddedSandbox", "SandboxSettings", "serve"]
