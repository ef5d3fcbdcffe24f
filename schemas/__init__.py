"""What data must look like, and the rules that hold of it. Pure: no I/O, no clock, no randomness, no Prefect."""
