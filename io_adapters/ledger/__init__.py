"""The ledger: the durable record (SQLite or PostgreSQL) that decides what may still be sent."""
