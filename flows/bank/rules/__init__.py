"""Which line of the bank is what."""
