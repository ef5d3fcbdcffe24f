"""What every worker would do once for itself; done at import, in the process that workers are forked from."""

import tests.crash.workers  # noqa: F401
from schemas.parsing.table import empty_table

# What others import only when they need it.
for module in ("alembic.command", "httpcore", "h2.connection", "sqlalchemy.dialects.sqlite.pysqlite"):
    __import__(module)

# Empty tables are made when the first table is read.
for table in ("payments", "payees", "royalty_lines", "shares", "advances"):
    empty_table(table)
