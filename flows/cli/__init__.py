"""The command line: one module for each group of commands, one function for each command."""

from flows.cli.app import app, main

__all__ = ["app", "main"]
