"""Reconciliation: every centavo and every row of a run in its place."""
