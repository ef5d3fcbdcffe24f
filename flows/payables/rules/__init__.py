"""Rules of payables: obligations, claims, batches, review; imports schemas and other rules alone."""
