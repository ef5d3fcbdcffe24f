"""What Prefect shows of a run: stages as tasks, pages, events, states. The flow files above are all that runs there."""
