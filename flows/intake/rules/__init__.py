"""What is right or wrong with what was read; schemas and other rules alone."""
