"""Questions to the ledger: one query each, as text that SQLite and PostgreSQL both take, beside its columns."""
