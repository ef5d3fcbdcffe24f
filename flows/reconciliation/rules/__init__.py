"""The reconciliation and what waits, decided; schemas and other rules alone."""
