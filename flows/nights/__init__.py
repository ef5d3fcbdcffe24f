"""Nights: which jobs of a folder are due, and the night that runs them."""
