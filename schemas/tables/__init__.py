"""Tables: a pandera model for each, and the way from a file's text to typed rows, held rows and problems."""
