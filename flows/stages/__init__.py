"""Gather, decide, act: each stage fills in its part of a `Run`. Knows nothing of Prefect or of who runs it."""
