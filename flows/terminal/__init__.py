"""What people read on the terminal, and the documents that programs read instead."""
