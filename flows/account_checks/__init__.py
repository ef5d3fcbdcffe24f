"""Paid checks of the accounts that money would go to."""
