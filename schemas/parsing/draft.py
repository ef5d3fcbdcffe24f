"""A table while it is being parsed: its headers, every cell's value, and the problems found so far."""

import difflib
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Any, Final

import numpy as np
import numpy.typing as npt

from schemas.errors import UnreadableFile
from schemas.issues import Issue, IssueCode, Severity, make_issue, severity_of
from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.headers import HeaderMatch, match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.recognise import currency_in, is_data, no_known_header
from schemas.messages import Listed, Message
from schemas.parsing.cells import CellFinding, ColumnReading, DecidingCells, ParsingDecision
from schemas.parsing.excluded_rows import positions_under
from schemas.plan import HOME_CURRENCY
from schemas.raw_table import RawTable, column_letter
from schemas.values.masking import mask_pix_key, mask_value
from schemas.values.reading import key_types_of

_MOST_ROWS_NAMED: Final = 5


def find_columns(raw: RawTable, layout: Layout, needed: list[str]) -> HeaderMatch:
    """Match a file's headers with a layout's columns.

    Args:
        needed: Canonical columns the table cannot do without, besides those the layout requires.

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
    """Name headers of amounts that speak of another currency than what is read is in."""
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


Mask = npt.NDArray[np.bool_]


@dataclass(frozen=True, slots=True)
class KeyTypes:
    """What people have said of the types of Pix keys, beside what stands in the sheet.

    Attributes:
        known: `schemas.values.pix_key.key_digest` of a key -> its type, as it was confirmed before.
        taken: Whether the type that a key shows is taken, on somebody's word for all of them.
    """

    known: Mapping[str, str] = field(default_factory=dict)
    taken: bool = False


NO_KEY_TYPES: Final = KeyTypes()


@dataclass
class TableDraft:
    """Lines, column by column; rules across columns read it and write to it.

    Attributes:
        rows: Physical row numbers.
        labels: Canonical column -> header as written, or the layout's own where the file lacks the column.
        currency: The layout's currency; "" when it names none.
        payee_data_required: Whether rows must bring the payee's own data.
        key_types: What is known of the types of Pix keys.
        proposed: Position -> the type that a key shows, which nobody has confirmed.
        texts: Canonical column -> texts as written, without outer blanks; all columns of the table.
        canonical: Canonical column -> canonical values, the absent one where there is none.
        findings: All that was found so far.
        ignored: Position -> why a sound row is not used.
        decisions: Canonical column -> what was decided for all its cells.
        said_nothing: Canonical column -> rows in which a word or a dash stood for nothing.
        evidence: Canonical column -> the cells that decided it, of this block or of others.
        held_whole: The code that holds every row, when something is wrong with the file as a whole.
    """

    rows: npt.NDArray[np.int64]
    labels: Mapping[str, str]
    currency: str
    payee_data_required: bool
    key_types: KeyTypes = NO_KEY_TYPES
    proposed: dict[int, str] = field(default_factory=dict)
    texts: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    canonical: dict[str, npt.NDArray[Any]] = field(default_factory=dict)
    findings: list[CellFinding] = field(default_factory=list)
    ignored: dict[int, str] = field(default_factory=dict)
    decisions: dict[str, ParsingDecision] = field(default_factory=dict)
    said_nothing: dict[str, Mask] = field(default_factory=dict)
    evidence: dict[str, DecidingCells] = field(default_factory=dict)
    held_whole: IssueCode | None = None

    def add(self, column: str, reading: ColumnReading, texts: npt.NDArray[Any]) -> None:
        """Enter a column as read, and its texts without outer blanks."""
        self.canonical[column], self.texts[column] = reading.canonical, texts
        self.evidence[column] = reading.deciding
        self.findings += reading.findings
        if reading.decision:
            self.decisions[column] = reading.decision

    def given(self, column: str) -> Mask:
        """Tell for each row whether anything is written in a column."""
        return np.asarray(self.texts[column] != "", dtype=bool)

    def sound(self, column: str) -> Mask:
        """Tell for each row whether a column has no error so far."""
        sound = np.ones(len(self.rows), dtype=bool)
        sound[[found.position for found in self.findings if found.column == column and is_error(found)]] = False
        return sound

    def report(self, where: Mask, column: str | None, code: IssueCode, **facts: object) -> None:
        """Report one code for every row of a mask."""
        self.findings += [CellFinding(position, column, code, facts) for position in np.flatnonzero(where).tolist()]

    def row_list(self, positions: Iterable[int], *, but: int = -1) -> str:
        """Name physical rows for people, all but one; a long list is cut, and not walked through."""
        first = list(islice((position for position in positions if position != but), _MOST_ROWS_NAMED + 1))
        shown = ", ".join(str(self.rows[position]) for position in first[:_MOST_ROWS_NAMED])
        return shown + (", ..." if len(first) > _MOST_ROWS_NAMED else "")

    def groups(self, *columns: str, form: Callable[[Any], Any] = lambda value: value) -> list[list[int]]:
        """Return groups of two or more positions that agree in columns, the first of which is given and sound.

        Args:
            columns: Canonical columns.
            form: What of each value of the other columns must agree.
        """
        first, *others = columns
        usable = np.flatnonzero(self.given(first) & self.sound(first)).tolist()
        found: dict[tuple[Any, ...], list[int]] = {}
        for position in usable:
            name = (self.canonical[first][position], *(form(self.canonical[other][position]) for other in others))
            found.setdefault(name, []).append(position)
        return [positions for positions in found.values() if len(positions) > 1]


Rule = Callable[[TableDraft], None]


def is_error(finding: CellFinding) -> bool:
    """Tell whether a finding holds its row."""
    return (finding.severity or severity_of(finding.code)) is Severity.ERROR


# Told once per column, at its first cell and with a count: a column of bank codes without leading zeros is one thing to
# know, not thousands.
REPORTED_ONCE: Final = frozenset(
    {
        IssueCode.VALUE_NORMALISED,
        IssueCode.ZEROS_SHOWN,
        IssueCode.BANK_PSP_LISTED,
        IssueCode.AGENCY_DIGIT,
        IssueCode.ACCOUNT_OPERATION,
        IssueCode.AMOUNT_MARKS,
        IssueCode.PIX_TYPE_TAKEN,
        IssueCode.DATE_AMBIGUOUS,
    }
)


def count_reported_once(draft: TableDraft) -> Counter[tuple[IssueCode, str]]:
    """Count the cells of each canonical column that one issue tells of, by its code."""
    return Counter(
        (found.code, found.column)
        for found in draft.findings
        if found.code in REPORTED_ONCE and found.column is not None
    )


# What was understood of documents and accounts is told in the line on the file, too, which nobody has to look for.
_UNDERSTOOD: Final = (
    IssueCode.ZEROS_SHOWN,
    IssueCode.BANK_PSP_LISTED,
    IssueCode.AGENCY_DIGIT,
    IssueCode.ACCOUNT_OPERATION,
    IssueCode.PIX_TYPE_TAKEN,
)


def understood(draft: TableDraft) -> list[Message]:
    """Say how many cells were read as more, or less, than is written in them."""
    counts = Counter(found.code for found in draft.findings)
    return [Message(f"table.{code.lower()}", count=counts[code]) for code in _UNDERSTOOD if counts[code]]


def to_issues(draft: TableDraft, raw: RawTable, positions: dict[str, int]) -> list[Issue]:
    """Make the issues of a file, in order of row and column."""
    ordered = sorted(
        draft.findings, key=lambda found: (draft.rows[found.position], positions.get(found.column or "", -1))
    )
    counts = count_reported_once(draft)
    issues = []
    for found in ordered:
        facts = dict(found.facts)
        if found.code in REPORTED_ONCE and found.column is not None:
            count = counts.pop((found.code, found.column), None)
            if count is None:
                continue
            facts["count"] = count
        issues.append(_to_issue(found, facts, draft, raw, positions))
    return issues


def _to_issue(
    found: CellFinding, facts: dict[str, object], draft: TableDraft, raw: RawTable, positions: dict[str, int]
) -> Issue:
    row = int(draft.rows[found.position])
    position = positions.get(found.column or "", found.at)
    return make_issue(
        found.code,
        file=raw.file.name,
        sheet=raw.sheet,
        cell=None if position is None else f"{column_letter(position)}{row}",
        row=row,
        column=None if position is None else raw.headers[position],
        value_masked=_masked(found, draft),
        severity=found.severity,
        **facts,
    )


def _masked(found: CellFinding, draft: TableDraft) -> str:
    if found.column is None:
        return ""
    text = draft.texts[found.column][found.position]
    if found.column == "pix_key":
        types = key_types_of(draft.texts["pix_key_type"][found.position])
        return mask_pix_key(text, *types) if text and len(types) == 1 else mask_value("pix_key", text)
    return mask_value(found.column, text)
