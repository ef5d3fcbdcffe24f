"""What the first cell of a record says it is, and what that means under the standard (DSR Parts 1 and 8)."""

import re
from typing import Final, NamedTuple

_TYPE: Final = re.compile(r"([A-Z]{2,4})([0-9]{2})?(?:\.?([0-9]{2}))?")
# Letters of the records that stand in blocks and have the block's id in their second cell.
_IN_BLOCKS: Final = frozenset({"RE", "AS", "LC", "MW", "CU", "RC", "SU", "RU", "LI", "ST", "ML"})
_OUTSIDE: Final = frozenset({"HEAD", "SY", "SR", "DE", "FOOT", "SRFO"})
FOOTERS: Final = frozenset({"FOOT", "SRFO"})


class RecordType(NamedTuple):
    """A record's type.

    Attributes:
        letters: What records of its kind share: "SU".
        name: Letters and number: "SU02"; what a layout names.
        version: Which version of its definition: "03", or "" for the first. Versions add cells at the end.
    """

    letters: str
    name: str
    version: str

    @property
    def is_known(self) -> bool:
        """Whether the standard defines such records."""
        return self.letters in _IN_BLOCKS or self.letters in _OUTSIDE

    @property
    def is_in_a_block(self) -> bool:
        """Whether its second cell is, by the standard, the id of its block."""
        return self.letters in _IN_BLOCKS

    def answers_to(self, record: str) -> bool:
        """Tell whether a layout that says "SU" or "SU02" means this."""
        return record in (self.letters, self.name)


def record_type(text: str) -> RecordType | None:
    """Read the first cell of a record; None when no record has such a type.

    >>> record_type("SU02.03")
    RecordType(letters='SU', name='SU02', version='03')
    >>> record_type("Total") is None
    True
    """
    found = _TYPE.fullmatch(text.strip().upper())
    return RecordType(found[1], found[1] + (found[2] or ""), found[3] or "") if found else None
