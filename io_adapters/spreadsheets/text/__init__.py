"""Delimited text of any size: surveyed once on opening, then read in blocks of bounded memory."""
