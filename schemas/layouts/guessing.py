"""Guessing a table in a file nobody has declared: its header, what its columns are, which of them is the money."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.file_view import HeadRow, View
from schemas.layouts.claims import SourceTable, Vocabulary
from schemas.layouts.headers import fold
from schemas.layouts.layout import Layout
from schemas.layouts.sampled import is_number

_FEWEST_HEADERS: Final = 3
_SAMPLE_ROWS: Final = 25
_ONLY_IN_PAYMENTS: Final = frozenset({"tax_id", "pix_key", "account"})


@dataclass(frozen=True, slots=True)
class Guess:
    """A table as it seems to be. Positions count from 0, column A.

    Attributes:
        view: Where it is.
        header: Its header row.
        table: What its rows seem to be.
        columns: Canonical column -> position.
        rivals: Canonical column -> other positions that could be it, the likeliest first.
        decoys: Positions of headers that known layouts deliberately do not read.
        unknown: Positions of headers that say nothing.
        samples: Position -> the distinct texts below its header, in order.
    """

    view: View
    header: HeadRow
    table: SourceTable
    columns: dict[str, int]
    rivals: dict[str, tuple[int, ...]]
    decoys: tuple[int, ...]
    unknown: tuple[int, ...]
    samples: dict[int, tuple[str, ...]]


def guess_table(views: Sequence[View], known: Sequence[Layout]) -> Guess | None:
    """Guess what a file holds.

    Args:
        views: Its sheets, or its text under each delimiter.
        known: Layouts to learn headers from.

    Returns:
        The widest table that has a header and numbers below it, or None.
    """
    headed = [
        (view.visible, _filled(head), -head.row, view, at)
        for view in views
        for at, head in enumerate(view.head)
        if _is_header(head, view.head[at + 1 :])
    ]
    if not headed:
        return None
    *_, view, at = max(headed, key=lambda one: one[:3])
    return _understood(view, at, known)


def _filled(head: HeadRow) -> int:
    return len({fold(text) for text in head.texts if text.strip()})


def _is_header(head: HeadRow, below: Sequence[HeadRow]) -> bool:
    """Tell whether a row is several different words, and rows below it fill its columns, with numbers among them."""
    labels = [text for text in head.texts if text.strip()]
    if len(labels) < _FEWEST_HEADERS or _filled(head) < len(labels) - 1 or any(map(is_number, labels)):
        return False
    rows = [row for row in below[:_SAMPLE_ROWS] if any(map(str.strip, row.texts))]
    # A payee has either a Pix key or an account: half of a sheet of payments is blank.
    full = [row for row in rows if 3 * sum(bool(text.strip()) for text in row.texts) >= len(labels)]
    return 2 * len(full) > len(rows) and any(is_number(text) for row in full for text in row.texts)


def _understood(view: View, at: int, known: Sequence[Layout]) -> Guess:
    header = view.head[at]
    below = view.head[at + 1 : at + 1 + _SAMPLE_ROWS]
    samples = {position: _below(position, below) for position, text in enumerate(header.texts) if text.strip()}
    payments = Vocabulary(known, "payments").claims(header.texts, samples)
    table: SourceTable = "payments" if _ONLY_IN_PAYMENTS & payments.keys() else "royalty_lines"
    claims = payments if table == "payments" else Vocabulary(known, table).claims(header.texts, samples)
    taken = {position for ranked in claims.values() for position in ranked}
    not_read = {fold(text) for layout in known for text in layout.ignored}
    rest = [position for position in samples if position not in taken]
    decoys = tuple(position for position in rest if fold(header.texts[position]) in not_read)
    return Guess(
        view,
        header,
        table,
        columns={column: ranked[0] for column, ranked in claims.items()},
        rivals={column: ranked[1:] for column, ranked in claims.items() if len(ranked) > 1},
        decoys=decoys,
        unknown=tuple(position for position in rest if position not in decoys),
        samples=samples,
    )


def _below(position: int, rows: Sequence[HeadRow]) -> tuple[str, ...]:
    texts = (row.texts[position].strip() for row in rows if len(row.texts) > position)
    return tuple(dict.fromkeys(filter(None, texts)))
