"""Runs the migrations on the connection that the program gives it, inside its transaction.

A new migration is a new file in `versions/`, named and numbered after the last one, and its revision is added to
`io_adapters.ledger.engine.REVISIONS`.
"""

from alembic import context

from io_adapters.ledger.tables import metadata

# From the metadata migrations take how keys and constraints are named, and nothing else.
context.configure(connection=context.config.attributes["connection"], target_metadata=metadata, transactional_ddl=True)
with context.begin_transaction():
    context.run_migrations()
