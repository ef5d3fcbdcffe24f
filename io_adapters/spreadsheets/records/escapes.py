"""Marks that are part of a text: a pipe, a tab or a backslash behind backslashes."""

import re
from typing import Final

import pyarrow as pa
import pyarrow.compute as pc

# As DSR Part 1 has it: three backslashes are one, two and a pipe are a pipe, one and a tab are a tab. One and a pipe
# were a pipe in files of earlier years.
_ESCAPE: Final = re.compile(r"\\{3}|\\{1,2}\||\\\t")


def plain(texts: pa.Array) -> pa.Array:
    """Write cells without escapes; those of several values, between bare pipes, stay as they are."""
    marked = pc.match_substring(texts, "\\")
    if not pc.any(marked).as_py():
        return texts
    freed = [_plain(text) for text in texts.filter(marked).to_pylist()]
    return pc.replace_with_mask(texts, marked, pa.array(freed, pa.large_string()))


def _plain(text: str) -> str:
    if "|" in _ESCAPE.sub("", text):
        return text
    return _ESCAPE.sub(lambda found: found[0][-1], text)
