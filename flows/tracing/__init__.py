"""One payee's money, followed from source rows to report."""
