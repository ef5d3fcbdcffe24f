"""Which column of a file is which, and refusing a file that lacks one or has it twice."""

import difflib

from schemas.errors import UnreadableFile
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.layouts.headers import HeaderMatch, fold, match_headers
from schemas.layouts.layout import Layout
from schemas.raw_table import RawTable, column_letter


def find_columns(raw: RawTable, layout: Layout, needed: list[str], language: str) -> HeaderMatch:
    """Match a file's headers with a layout's columns.

    Args:
        raw: The file.
        layout: How its sender lays it out.
        needed: Canonical columns the table cannot do without, besides those the layout requires.
        language: Of the messages.

    Raises:
        UnreadableFile: columns are missing or claimed twice; the issues name all of them.
    """
    match = match_headers(raw.headers, layout)
    claimed = match.positions.keys() | match.duplicates.keys()
    missing = [*match.missing, *(name for name in needed if name not in claimed and name not in match.missing)]
    issues = [_missing(raw, layout, name, match, language) for name in missing]
    issues += [_duplicate(raw, layout, name, positions, language) for name, positions in match.duplicates.items()]
    if issues:
        raise UnreadableFile(f"{raw.file.name}: " + "; ".join(issue.message for issue in issues), issues=tuple(issues))
    return match


def unknown_columns(raw: RawTable, match: HeaderMatch, language: str) -> list[Issue]:
    """Note the columns that were not read, those without a header among them when something stands in them."""
    nameless = [
        position
        for position, header in enumerate(raw.headers)
        if not header.strip() and bool((raw.cells[position] != "").any())
    ]
    return [
        make_issue(
            IssueCode.COLUMN_UNKNOWN,
            language=language,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(position)}{raw.header_row}",
            row=raw.header_row,
            column=raw.headers[position] or column_letter(position),
        )
        for position in sorted({*match.unknown, *nameless})
    ]


def label_of(layout: Layout, column: str) -> str:
    """Return the header a layout expects first for a column."""
    return next(iter(layout.columns.get(column, [])), column)


def _missing(raw: RawTable, layout: Layout, column: str, match: HeaderMatch, language: str) -> Issue:
    aliases = layout.columns.get(column, [column])
    open_headers = {fold(raw.headers[position]): raw.headers[position] for position in match.unknown}
    near = [
        open_headers[found]
        for alias in aliases
        for found in difflib.get_close_matches(fold(alias), open_headers, n=2, cutoff=0.5)
    ]
    return make_issue(
        IssueCode.COLUMN_MISSING,
        language=language,
        file=raw.file.name,
        sheet=raw.sheet,
        row=raw.header_row,
        wanted=label_of(layout, column),
        near=", ".join(dict.fromkeys(near)) or "-",
        headers=", ".join(aliases),
    )


def _duplicate(raw: RawTable, layout: Layout, column: str, positions: tuple[int, ...], language: str) -> Issue:
    return make_issue(
        IssueCode.COLUMN_DUPLICATE,
        language=language,
        file=raw.file.name,
        sheet=raw.sheet,
        row=raw.header_row,
        column=raw.headers[positions[1]],
        wanted=label_of(layout, column),
        letters=", ".join(column_letter(position) for position in positions),
    )
