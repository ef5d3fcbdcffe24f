"""What frames a report: one header, one footer, and as much between them as the footer counts."""

import re
from typing import Final

import numpy as np

from io_adapters.spreadsheets.records.headings import Headings
from io_adapters.spreadsheets.records.piece import Blocks, Piece
from io_adapters.spreadsheets.records.record_types import FOOTERS
from io_adapters.spreadsheets.refusals import Place, refusal
from io_adapters.spreadsheets.words import say
from schemas.errors import UnreadableFile
from schemas.issues import IssueCode

# What each footer counts, and in which of its cells (DSR Part 8, 5.1.2 and 5.1.3). Lines are all lines of the file up
# to the footer, comments and blank ones included.
_COUNTS: Final = {
    "FOOT": {"lines": 1, "summaries": 3, "blocks": 4},
    "SRFO": {"lines": 1, "summaries": 2},
}


class Framing:
    """Watches the pieces of one report go by, and refuses one that does not end as it should."""

    def __init__(self, headings: Headings, place: Place) -> None:
        self._headings = headings
        self._place = place
        self._heads = 0
        self._footer_row: int | None = None
        self._found = {"lines": 0, "summaries": 0, "blocks": 0}

    def watch(self, piece: Piece, blocks: Blocks) -> None:
        """Take note of a piece.

        Raises:
            UnreadableFile: a second header, a record behind the footer, a count that is not what was found.
        """
        heads = piece.rows_of(lambda kind: kind.letters == "HEAD")
        if self._heads + len(heads) > 1:
            raise self._refusal("records_head", row=piece.first_row + int(heads[-1]))
        self._heads += len(heads)
        if len(blocks.nameless):
            raise self._refusal("records_outside", row=piece.first_row + int(blocks.nameless[0]))
        self._found["summaries"] += len(piece.rows_of(lambda kind: kind.letters == "SY"))
        self._found["blocks"] += len(blocks)
        records = piece.rows_of(lambda _: True)
        footers = piece.rows_of(lambda kind: kind.letters in FOOTERS)
        if self._footer_row is not None and len(records):
            raise self._refusal("records_after", row=piece.first_row + int(records[0]))
        if len(footers):
            footer = int(footers[0])
            if records[-1] > footer:
                raise self._refusal("records_after", row=piece.first_row + int(records[records > footer][0]))
            self._footer_row = self._found["lines"] = piece.first_row + footer
            self._compare(piece, footer)

    def finish(self) -> None:
        """Say that the file ends.

        Raises:
            UnreadableFile: no footer was seen.
        """
        if self._footer_row is None:
            raise self._refusal("records_no_footer")

    def _compare(self, piece: Piece, footer: int) -> None:
        (kind,) = [kind for kind in piece.types if kind.letters in FOOTERS]
        for what, cell in _COUNTS[kind.letters].items():
            declared = piece.grid.cells(np.array([footer]), cell)[0].as_py().strip()
            is_count = re.fullmatch("[0-9]{1,15}", declared) is not None
            if not is_count or int(declared) != self._found[what]:
                raise refusal(
                    IssueCode.FILE_CORRUPT,
                    self._place,
                    "records_count",
                    row=self._footer_row,
                    declared=declared if is_count else "?",
                    what=say(f"records_what_{what}", self._place.language),
                    found=self._found[what],
                )

    def _refusal(self, key: str, row: int | None = None) -> UnreadableFile:
        return refusal(IssueCode.FILE_CORRUPT, self._place, key, row=row)
