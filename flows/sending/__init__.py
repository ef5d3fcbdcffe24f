"""Sending: reports and exchange rates, at most once, and following reports to their end."""
