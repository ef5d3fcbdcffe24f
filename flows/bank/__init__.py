"""The bank's side: statements read, lines explained, months closed."""
