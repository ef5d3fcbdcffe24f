"""People's decisions on plans, obligations and submissions."""
