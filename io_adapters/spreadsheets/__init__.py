"""Bytes -> RawTable: every cell as text, with file, sheet and physical row; and the YAML declarations around them."""
