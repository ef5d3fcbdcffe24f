"""Rules of reconciliation and of what waits; imports schemas and other rules alone."""
