"""Columns of a file by its headers: which are found, and what is wrong with those that are not."""

import difflib
from collections.abc import Sequence
from dataclasses import replace
from typing import Final

from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.headers import HeaderMatch, match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.money_column import currency_in
from schemas.layouts.recognise import is_data, no_known_header
from schemas.messages import Listed, Message
from schemas.parsing.excluded_rows import positions_under
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, column_letter


def find_columns(raw: RawTable, layout: Layout, needed: list[str]) -> HeaderMatch:
    """Match a file's headers with a layout's columns.

    Raises:
        UnreadableFile: columns are missing or claimed twice, or amounts are in another currency by their header; the
            issues name all of them.
    """
    match = match_headers(raw.headers, layout)
    claimed = match.positions.keys() | match.duplicates.keys()
    missing = [*match.missing, *(name for name in needed if name not in claimed and name not in match.missing)]
    wanted = [layout.columns.get(name, [name]) for name in missing]
    # Without these, what went out would count as what came in, and rows nobody asks for would be paid.
    deciding = [*([layout.sign.column] if layout.sign else []), *layout.only]
    wanted += [[column] for column in deciding if not positions_under(raw, column)]
    if wanted and not match.claimed:
        issues = [_no_header(raw, wanted)]
    else:
        issues = [_missing(raw, layout, aliases, match) for aliases in wanted]
    issues += [_duplicate(raw, layout, name, positions) for name, positions in match.duplicates.items()]
    issues += _of_another_currency(raw, layout, match)
    if issues:
        wrong = Listed(tuple(issue.message for issue in issues), "; ")
        raise UnreadableFile(Message("file.refused", file=raw.file.name, wrong=wrong), issues=tuple(issues))
    return match


def label_of(layout: Layout, column: str) -> str:
    """Return the header a layout expects first for a column."""
    return next(iter(layout.columns.get(column, [])), column)


def _no_header(raw: RawTable, wanted: Sequence[Sequence[str]]) -> Issue:
    """Say once that nothing of a row is a header of the table, instead of each column that is missing."""
    headers = ", ".join(names[0] for names in wanted)
    issue = make_issue(
        IssueCode.COLUMN_MISSING,
        file=raw.file.name,
        sheet=raw.sheet,
        row=raw.header_row,
    )
    right = Message("issue.COLUMN_MISSING.header", headers=headers, choose=Message("column.elsewhere"))
    return replace(issue, message=no_known_header(raw.header_row, raw.headers), accepts=right)


_MOST_NEAR: Final = 8


def _missing(raw: RawTable, layout: Layout, aliases: list[str], match: HeaderMatch) -> Issue:
    unknown = () if is_data(raw.headers) else match.unknown
    open_headers = {fold(raw.headers[position]): raw.headers[position] for position in unknown}
    near = [
        open_headers[found]
        for alias in aliases
        for found in difflib.get_close_matches(fold(alias), open_headers, n=2, cutoff=0.5)
    ]
    near = list(dict.fromkeys(near)) or list(open_headers.values())
    column = next((name for name, declared in layout.columns.items() if declared == aliases), "")
    issue = make_issue(
        IssueCode.COLUMN_MISSING,
        file=raw.file.name,
        sheet=raw.sheet,
        row=raw.header_row,
        wanted=aliases[0],
        near=", ".join(near[:_MOST_NEAR]),
        headers=", ".join(aliases),
        choose=_choose(layout, next(iter(near), ""), column),
    )
    return issue if near else replace(issue, message=Message("issue.COLUMN_MISSING.none", wanted=aliases[0]))


def _choose(layout: Layout, header: str, column: str) -> Message:
    """Say what to write into the job so that a header is a column."""
    if not header or not column:
        return Message("column.elsewhere")
    line = f"columns: {{{yaml_scalar(header)}: {column}}}"
    is_other = layout.table not in {"payments", "royalty_lines"}
    return Message("column.choose_beside" if is_other else "column.choose", line=line, table=layout.table)


def _duplicate(raw: RawTable, layout: Layout, column: str, positions: tuple[int, ...]) -> Issue:
    headers = [raw.headers[position] for position in positions]
    alike = len(set(map(fold, headers))) < len(headers)  # none of two that read the same can be named
    cells = (f"{column_letter(at)}{raw.header_row} ({raw.headers[at].strip()})" for at in positions)
    return make_issue(
        IssueCode.COLUMN_DUPLICATE,
        file=raw.file.name,
        sheet=raw.sheet,
        cell=f"{column_letter(positions[0])}{raw.header_row}",
        row=raw.header_row,
        column=headers[1],
        wanted=label_of(layout, column),
        cells=", ".join(cells),
        choose=Message("column.alike") if alike else _choose(layout, headers[-1], column),
    )


def _of_another_currency(raw: RawTable, layout: Layout, match: HeaderMatch) -> list[Issue]:
    expected = layout.currency or ("" if layout.table == "royalty_lines" else HOME_CURRENCY)
    if not layout.usual_headers or not expected or "amount" not in match.claimed:
        return []
    position = match.positions.get("amount", match.duplicates.get("amount", (0,))[0])
    found = currency_in(raw.headers[position]) or ("$" if "$" in raw.headers[position] else expected)
    if found == expected:
        return []
    return [
        make_issue(
            IssueCode.AMOUNT_CURRENCY,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(position)}{raw.header_row}",
            row=raw.header_row,
            column=raw.headers[position],
            found=found,
            expected=expected,
        )
    ]
