"""Pure decisions on tables and values: no I/O, no clock, no ledger, no service."""
