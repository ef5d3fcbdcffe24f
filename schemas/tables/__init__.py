"""One pandera model per table: columns, of which cells they are read, checks."""
