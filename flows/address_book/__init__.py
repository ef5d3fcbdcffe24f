"""The service's address book, kept in step with a job's payees."""
