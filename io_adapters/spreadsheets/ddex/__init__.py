"""DDEX sales reports (DSR flat files): text of typed records, read as the table their lines make."""
