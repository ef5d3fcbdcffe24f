"""Rules of reports: what one report or a list of them means; imports schemas and other rules alone."""
