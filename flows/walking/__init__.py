"""How a run is begun and walked: one body for the command line and for Prefect, and the ways to start one elsewhere."""
