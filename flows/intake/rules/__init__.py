"""Rules of intake: what may be used of what was read; imports schemas and other rules alone."""
