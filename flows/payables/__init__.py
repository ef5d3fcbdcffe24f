"""Payables: what is owed, what of it is claimed already, and the plan that pays the rest."""
