"""Obligations, claims, batches, and what to look at in a plan; schemas and other rules alone."""
