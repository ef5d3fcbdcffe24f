"""What Prefect shows of a run: stages as tasks, artifacts, events, states."""
