"""What a report or a list of reports means; schemas and other rules alone."""
