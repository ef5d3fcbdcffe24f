"""The payout service over HTTP: requests, what answers prove, and assumptions about what the interface leaves out."""
