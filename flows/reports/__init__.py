"""Reports: the service's list of reports, and what it proves."""
