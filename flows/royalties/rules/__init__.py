"""Shares, allocation, advances, periods, statements; schemas and other rules alone."""
