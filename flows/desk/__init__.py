"""Fills what the desk asks for with stages, the ledger and outputs."""
