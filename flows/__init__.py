"""What happens in which order: steps decide, stages gather and act, flow files let Prefect watch."""
