"""The desk's pages, by subject."""
