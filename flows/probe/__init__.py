"""Probing, on staging, what the service's interface does not say."""
