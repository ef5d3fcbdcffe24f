"""Which column of a file is which, and refusing a file that lacks one or has it twice."""

import difflib

from schemas.errors import UnreadableFile
from schemas.issue_texts import make_issue
from schemas.issues import Issue, IssueCode
from schemas.layouts.layout import HeaderMatch, Layout, fold, match_headers
from schemas.raw_table import RawTable, column_letter
from schemas.tables.row_words import positions_under


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
    wanted = [layout.columns.get(name, [name]) for name in missing]
    if layout.sign and not positions_under(raw, layout.sign.column):
        wanted.append([layout.sign.column])  # without it, what went out would count as what came in
    issues = [_missing(raw, aliases, match, language) for aliases in wanted]
    issues += [_duplicate(raw, layout, name, positions, language) for name, positions in match.duplicates.items()]
    if issues:
        raise UnreadableFile(f"{raw.file.name}: " + "; ".join(issue.message for issue in issues), issues=tuple(issues))
    return match


def unknown_columns(raw: RawTable, layout: Layout, match: HeaderMatch, language: str) -> list[Issue]:
    """Note the columns that were not read, those without a header among them when something stands in them."""
    looked_at = {fold(rule.column) for rule in (*layout.leave_out, layout.sign) if rule}
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
        if fold(raw.headers[position]) not in looked_at
    ]


def label_of(layout: Layout, column: str) -> str:
    """Return the header a layout expects first for a column."""
    return next(iter(layout.columns.get(column, [])), column)


def _missing(raw: RawTable, aliases: list[str], match: HeaderMatch, language: str) -> Issue:
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
        wanted=aliases[0],
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
