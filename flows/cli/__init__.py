"""The command line: what can be said, and how a command ends. What commands do stands in `flows.commands`."""

from flows.cli.app import app, main

__all__ = ["app", "main"]
