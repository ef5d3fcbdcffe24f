"""Statement lines as columns, from cells to sums, in DuckDB."""
