"""Workbooks of every format, opened in a process of their own; what stands here is imported there."""
