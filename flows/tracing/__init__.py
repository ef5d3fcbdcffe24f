"""Tracing one payee's money from source rows to report."""
