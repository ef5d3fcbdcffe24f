"""Which column of a sheet of payments is the amount, and which the names, where cells say it and words do not.

Of several headers that may be the amount it is the one that the others make up in every row; of headers that nobody
knows, the names are the one column with another text for each person.
"""

import re
from decimal import Decimal
from typing import Final

import pandas as pd

from schemas.layouts.answers import with_answers
from schemas.layouts.headers import HeaderMatch, match_headers, with_columns
from schemas.layouts.layout import Layout, fold
from schemas.messages import Message
from schemas.parsing.excluded_rows import excluded_rows
from schemas.parsing.identities import find_identity, read_column
from schemas.parsing.unread_columns import (
    NO_DIGITS,
    Condition,
    UnreadColumn,
    explained,
    is_beside,
    parting,
    rows_of_one_payee,
    unread_columns,
)
from schemas.raw_table import RawTable
from schemas.values.reading import BLANKS


def with_columns_by_cells(raw: RawTable, layout: Layout, *, names: bool = True) -> Layout:
    """Return a layout that reads the amount and the names where the cells say that they stand.

    Args:
        names: Whether the table has to say them; beside a table of payees it has not.
    """
    layout = _with_amount_that_adds_up(raw, layout)
    return _with_names(raw, layout) if names else layout


def names_taken(raw: RawTable, layout: Layout, read_as: Layout) -> list[Message]:
    """Say which column has been taken for the names by its cells."""
    before, after = match_headers(raw.headers, layout), match_headers(raw.headers, read_as)
    if "name" in before.claimed or "name" not in after.positions:
        return []
    return [Message("table.names_by_cells", column=raw.headers[after.positions["name"]].strip())]


def amounts_of_lines(raw: RawTable, layout: Layout, match: HeaderMatch) -> dict[int, Decimal]:
    """Return physical row -> amount of the lines of a table; none, where one of them cannot be read."""
    rows = raw.cells.index[excluded_rows(raw, layout, match.positions).lines].tolist()
    read = read_column(raw, match.positions["amount"], rows, is_taken_off=False) if rows else None
    values = zip(rows, read.values if read else (), strict=False)  # noqa: PD011 - a tuple
    return {row: value for row, value in values if value is not None}


def unread_beside(raw: RawTable, layout: Layout, match: HeaderMatch) -> list[UnreadColumn]:
    """Find the columns that are not read: which of them make up the amount, and which one parts the rows of a payee.

    All is judged by what is written; `parse_table` judges by what could be read.
    """
    unread = unread_columns(raw, layout, match)
    if layout.table == "payments" and "amount" in match.positions:
        unread, _ = explained(unread, raw, amounts_of_lines(raw, layout, match), match.positions["amount"])
    return parting(unread, raw, rows_of_one_payee(raw, layout, match))


def as_proposed(raw: RawTable, layout: Layout) -> Layout:
    """Answer the headers of a table that is only looked at, and that no job reads, as the program proposes."""
    layout = with_columns_by_cells(raw, layout)
    proposed = {
        column.header: column.proposal for column in unread_beside(raw, layout, match_headers(raw.headers, layout))
    }
    return with_answers(layout, {header: answer for header, answer in proposed.items() if answer})


def _with_amount_that_adds_up(raw: RawTable, layout: Layout) -> Layout:
    """Take, of several columns of payments that may be the amount, the one that the others make up in every row.

    Quantity times unit, gross less tax, fee and allowance: the end of all is what is to be paid, as long as every other
    candidate is among its parts and stands before it.
    """
    match = match_headers(raw.headers, layout)
    several = match.duplicates.get("amount", ())
    if layout.table != "payments" or len({fold(raw.headers[at]) for at in several}) != len(several):
        return layout
    for end in reversed(several):
        chosen = with_columns(layout, {raw.headers[end]: "amount"})
        chosen_match = match_headers(raw.headers, chosen)
        amounts = amounts_of_lines(raw, chosen, chosen_match)
        beside = unread_columns(raw, chosen, chosen_match)
        taken_off = {column.position for column in beside if column.condition is Condition.DEDUCTION}
        parts = [
            numbers
            for at in sorted({*several, *match.unknown})
            if at < end and (numbers := read_column(raw, at, [*amounts], is_taken_off=at in taken_off))
        ]
        found = find_identity([*amounts.values()], parts, dict(enumerate(raw.headers))) if amounts else None
        if found and found.positions >= {*several} - {end}:
            return chosen
    return layout


_IS_NAME: Final = re.compile(r"[^\W\d_]['’.\w&/()\- ]*")
_FEWEST_PEOPLE: Final = 2
_DESTINATION: Final = frozenset({"pix_key", "account"})


def _with_names(raw: RawTable, layout: Layout) -> Layout:
    """Take the column of names, where no header is known as theirs: one text for each document, and no two have one.

    Of several, it is the one that has two words in most of its cells. A sheet that does not say itself where the money
    goes has its names beside it; a header that the job has answered, or that speaks of a show or a city, is none.
    """
    match = match_headers(raw.headers, layout)
    if "name" in match.claimed or "tax_id" not in match.positions or not _DESTINATION & match.claimed:
        return layout
    documents = raw.cells[match.positions["tax_id"]].str.replace(NO_DIGITS, "", regex=True)
    rows = documents[documents.str.len() > 0].index
    if documents[rows].nunique() < _FEWEST_PEOPLE:
        return layout
    artist = match.positions.get("artist_name")
    answered = set(map(fold, (*layout.remarks, *layout.only)))
    open_to = [at for at in match.unknown if not is_beside(raw.headers[at]) and fold(raw.headers[at]) not in answered]
    found = [at for at in (*open_to, *([] if artist is None else [artist])) if _names(raw, at, documents[rows])]
    if len(found) > 1:
        found = [at for at in found if _of_two_words(raw, at, documents[rows])]
    return with_columns(layout, {raw.headers[found[0]]: "name"}) if len(found) == 1 else layout


def _names(raw: RawTable, position: int, documents: "pd.Series[str]") -> bool:
    texts = raw.cells[position][documents.index].str.strip(BLANKS)
    if not texts.map(_IS_NAME.fullmatch).notna().all():
        return False
    pairs = {(document, fold(text)) for document, text in zip(documents, texts, strict=True)}
    people = {document for document, _ in pairs}
    return len(people) == len(pairs) == len({text for _, text in pairs})


def _of_two_words(raw: RawTable, position: int, documents: "pd.Series[str]") -> bool:
    texts = raw.cells[position][documents.index].str.strip(BLANKS)
    return bool(2 * texts.str.contains(" ").sum() > len(texts))
