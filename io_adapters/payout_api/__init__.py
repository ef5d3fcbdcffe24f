"""The payout service over HTTP: what is asked, what an answer proves, and what the interface leaves to guess."""
