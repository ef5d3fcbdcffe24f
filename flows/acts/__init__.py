"""What people do: a form of what it takes and one function for each act, whichever face it is done at."""
