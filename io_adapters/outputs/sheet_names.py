"""Names a spreadsheet program accepts for a sheet."""

import re
from itertools import count
from typing import Final

LONGEST: Final = 31
_FORBIDDEN: Final = re.compile(r"[\[\]:*?/\\\x00-\x1f]")


def unique_sheet_name(wanted: str, taken: set[str]) -> str:
    """Return a name as near to the one wanted as Excel allows, and add it to those taken.

    Args:
        wanted: The sheet's own name, or the stem of a text file's name.
        taken: Case-folded names in use; changed.

    >>> unique_sheet_name("Royalties 2026/10", {"royalties 2026_10"})
    'Royalties 2026_10 (2)'
    """
    plain = _FORBIDDEN.sub("_", wanted).strip("' ")[:LONGEST].rstrip("' ") or "_"
    for number in count(1):
        suffix = "" if number == 1 else f" ({number})"
        name = plain[: LONGEST - len(suffix)] + suffix
        if name.casefold() not in taken:
            break
    taken.add(name.casefold())
    return name
