"""The bodies of the command line's commands; each returns its exit code and its JSON document."""
