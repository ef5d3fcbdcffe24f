"""Writing corrections.xlsx and missing-shares.xlsx: people's own sheets with the bad cells marked."""

import datetime as dt
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Final

import numpy as np

from io_adapters.outputs.atomic import replace_atomically
from io_adapters.outputs.reconciliation_workbook import SEVERITY_TONES, issues_table
from io_adapters.outputs.workbook import (
    BACKGROUNDS,
    GENERAL,
    HEADER,
    MONEY,
    NUMBER_DIGITS,
    PLAIN,
    TEXT,
    TITLE,
    WHOLE,
    Book,
    Cell,
    Ink,
    Linked,
    Page,
    Row,
    Setup,
    Value,
    unique_sheet_name,
)
from io_adapters.outputs.workbook_tables import SheetColumn, write_headers, write_table
from schemas.corrections import (
    CellMark,
    MissingShare,
    MissingShares,
    Origin,
    ProblemList,
    SheetMarks,
    WorkbookMarks,
    to_properties,
)
from schemas.issues import Issue, IssueCode, Severity
from schemas.messages import Catalogue, Message, catalogue_in, currency_sign
from schemas.raw_table import RawTable, column_letter
from schemas.readers import for_people
from schemas.sheet_cells import NOTE_MARK, CellKind
from schemas.states import Tone

# Above this a copy of the whole sheet helps nobody: only the rows with problems are copied.
COPIED_WHOLE: Final = 50_000

# In cells of these rules a digit lost is a wrong person or account: what is typed there stays text.
_IDENTIFIERS: Final = ("TAXID_", "PIX_", "BANK_", "AGENCY_", "ACCOUNT_", "UPC_")

# What holds these cells is not in their text, and is not copied with it: whoever gives the copy back types the value.
_NOT_IN_THE_TEXT: Final = frozenset(
    {
        IssueCode.AMOUNT_SHOWN,
        IssueCode.AMOUNT_SPLIT,
        IssueCode.FORMULA_EXTERNAL,
        IssueCode.FORMULA_NO_VALUE,
        IssueCode.CELL_MERGED,
        IssueCode.ROW_WIDTH,
    }
)
_TO_BE_TYPED: Final = "#N/A"

_WIDTHS: Final = (14, 40)
_LOOKED_AT: Final = 200
_PROBLEM_WIDTH: Final = 60

Marks = Mapping[tuple[int, int], Sequence[Issue]]
Proposals = Mapping[tuple[int, int], str]


@dataclass(frozen=True, slots=True)
class SheetToCorrect:
    """A table as it was read, what was found in it, and what its copy will stand for.

    A table of which only rows with problems were kept says so in its origin: it is not whole.

    Attributes:
        proposals: Row and position -> what is written there in the place of what is wrong, for a person to accept.
    """

    table: RawTable
    issues: Sequence[Issue]
    origin: Origin
    proposals: Proposals = field(default_factory=dict)
    added: int = 0

    @property
    def own_width(self) -> int:
        """How many columns the person's own sheet has."""
        return len(self.table.headers) - self.added


@for_people()
def write_corrections(sheets: Sequence[SheetToCorrect], path: Path, language: str, next_step: Message) -> Path | None:
    """Write the corrections workbook.

    Returns:
        Where it is; None, and no file, when there is nothing to correct.

    Raises:
        OSError: the folder cannot be written.
    """
    labels = catalogue_in(language)
    to_correct = {sheet.table.file.sha256 for sheet in sheets if _blocking(sheet.issues)}
    if not to_correct:
        return None
    book = Book()
    titles = {labels("output.sheet.issues").casefold()}
    notes = [labels.write(next_step)]
    listed: list[Issue] = []
    origins: dict[str, Origin] = {}
    copies: dict[tuple[str, str | None], str] = {}
    for sheet in sheets:
        table, origin = sheet.table, sheet.origin
        if table.file.sha256 not in to_correct:
            continue
        title = unique_sheet_name(origin.sheet or Path(origin.file).stem, titles)
        whole = origin.whole and len(table.cells) <= COPIED_WHOLE
        if not whole:
            notes.append(labels("output.note.only_rows_with_issues") + title)
        _write_sheet(book, title, sheet, labels)
        added = labels("output.corrections.problem")
        origins[title] = replace(origin, whole=whole, width=len(table.headers), added=added)
        copies[table.file.name, table.sheet] = title
        listed.extend(sheet.issues)
    write_table(book, issues_table(listed, labels, " ".join(notes), copies))
    book.remember(to_properties(origins))
    return replace_atomically(path, book.to_bytes())


def marks_of(
    sheets: Sequence[SheetToCorrect], issues: Sequence[Issue], language: str, next_step: Message
) -> WorkbookMarks:
    """Say what is put into a person's own workbook, of which all sheets that were read are given whole."""
    labels = catalogue_in(language)
    added = labels("output.corrections.problem")
    titles = {(sheet.table.file.name, sheet.table.sheet): sheet.table.sheet or "" for sheet in sheets}
    listed = issues_table(issues, labels, sheets=titles)
    origins = {
        sheet.table.sheet or "": replace(sheet.origin, width=len(sheet.table.headers), added=added) for sheet in sheets
    }
    return WorkbookMarks(
        tuple(_marks_of_sheet(sheet, labels) for sheet in sheets),
        ProblemList(
            listed.title,
            labels.write(next_step),
            tuple((column.header, column.width) for column in listed.columns),
            _CELL_COLUMN,
            tuple(_texts_of(row) for row in listed.rows),
        ),
        to_properties(origins),
    )


_CELL_COLUMN: Final = 3


def _texts_of(row: Row) -> tuple[str, ...]:
    linked = next((value for value in row if isinstance(value, Linked)), None)
    texts = [str(getattr(value, "text", value)) if value is not None else "" for value in row]
    return (*texts, f"#'{linked.sheet.replace(chr(39), chr(39) * 2)}'!{linked.cell}" if linked else "")


def _marks_of_sheet(sheet: SheetToCorrect, texts: Catalogue) -> SheetMarks:
    table, issues = sheet.table, _blocking(sheet.issues)
    marks, problems = _marks(table, issues), _problems_of_rows(issues, sheet.proposals, texts)
    writer = _CellWriter(table, sheet.proposals, texts)
    width, added = len(table.headers), texts("output.corrections.problem")
    new = [(position, header) for position, header in enumerate(table.headers) if position >= sheet.own_width]
    return SheetMarks(
        table.sheet or "",
        table.header_row,
        tuple(writer.mark(*place, marks.get(place, ())) for place in sorted(marks.keys() | sheet.proposals.keys())),
        (*new, (width, added)),
        width,
        tuple(sorted(problems.items())),
    )


def _blocking(issues: Iterable[Issue]) -> tuple[Issue, ...]:
    return tuple(issue for issue in issues if issue.severity in (Severity.ERROR, Severity.WARNING))


def _marks(table: RawTable, issues: Iterable[Issue]) -> Marks:
    """Place each issue on a cell (row, position): its own, the header of its column, or the first of its row."""
    letters = {column_letter(position): position for position in range(len(table.headers))}
    marks: dict[tuple[int, int], list[Issue]] = defaultdict(list)
    for issue in issues:
        if issue.code is IssueCode.ROW_WIDTH and issue.row is not None:
            for position in letters.values():  # none of its cells is sure of its column
                marks[issue.row, position].append(issue)
        elif issue.row is not None:
            letter = (issue.cell or "").rstrip("0123456789")
            marks[issue.row, letters.get(letter, 0)].append(issue)
        elif issue.column in table.headers:
            marks[table.header_row, table.headers.index(issue.column)].append(issue)
    return marks


def _write_sheet(book: Book, title: str, sheet: SheetToCorrect, texts: Catalogue) -> None:
    table, issues = sheet.table, _blocking(sheet.issues)
    marks, problems = _marks(table, issues), _problems_of_rows(issues, sheet.proposals, texts)
    writer = _CellWriter(table, sheet.proposals, texts)
    numeric = (CellKind.NUMBER, CellKind.DATE, CellKind.BOOL)
    text_columns = frozenset(
        position + 1 for position in range(len(table.headers)) if not np.isin(table.kinds_of(position), numeric).any()
    )
    widths = [*(_width(table, position) for position in range(len(table.headers))), _PROBLEM_WIDTH]
    page = book.page(Setup(title, widths, table.header_row, text_columns))
    for head in table.above:
        _skip_to(page, head.row)
        page.append([Cell(text) for text in head.texts])
    _skip_to(page, table.header_row)
    headers = [
        writer.cell(table.header_row, position, header, CellKind.TEXT, marks.get((table.header_row, position), ()))
        for position, header in enumerate(table.headers)
    ]
    page.append([*headers, Cell(texts("output.corrections.problem"), HEADER)])
    for row, cells, kinds in _rows_to_copy(table, marks):
        _skip_to(page, row)
        copied = [
            writer.cell(row, position, text, kind, marks.get((row, position), ()))
            for position, (text, kind) in enumerate(zip(cells, kinds, strict=True))
        ]
        page.append([*copied, Cell(problems[row]) if row in problems else None])
    page.filter(table.header_row, len(table.headers) + 1)


def _problems_of_rows(issues: Iterable[Issue], proposals: Proposals, texts: Catalogue) -> dict[int, str]:
    problems: dict[int, list[str]] = defaultdict(list)
    proposed = {f"{column_letter(position)}{row}": proposal for (row, position), proposal in proposals.items()}
    for issue in issues:
        if issue.row is None:
            continue
        where = " ".join(filter(None, (issue.cell, issue.column)))
        words = f"{where}: {texts.write(issue.message)}" if where else texts.write(issue.message)
        if proposal := proposed.get(issue.cell or ""):
            words += f" ({texts('output.corrections.proposal', proposal=proposal)})"
        problems[issue.row].append(words)
    return {row: "; ".join(dict.fromkeys(words)) for row, words in problems.items()}


def _width(table: RawTable, position: int) -> int:
    """Make room for the header and for what most of the first cells hold, so that nobody corrects what is cut off."""
    longest = table.cells[position].head(_LOOKED_AT).str.len().max() if len(table.cells) else 0
    narrowest, widest = _WIDTHS
    return int(min(max(len(table.headers[position]) + 4, longest + 2, narrowest), widest))


def _skip_to(page: Page, row: int) -> None:
    while page.rows_written < row - 1:
        page.append()


def _rows_to_copy(table: RawTable, marks: Marks) -> Iterator[tuple[int, tuple[str, ...], Sequence[int]]]:
    width = len(table.headers)
    kinds = np.column_stack([table.kinds_of(position) for position in range(width)])
    wanted = None if len(table.cells) <= COPIED_WHOLE else {row for row, _ in marks}
    for row, texts, kinds_of_row in zip(
        table.cells.index, table.cells.itertuples(index=False, name=None), kinds.tolist(), strict=True
    ):
        if wanted is None or row in wanted:
            yield int(row), texts, kinds_of_row


class _CellWriter:
    def __init__(self, table: RawTable, proposals: Proposals, texts: Catalogue) -> None:
        oddities = table.oddities
        self._table = table
        self._zeros = {(row, position): digits for row, position, digits in oddities.zeros}
        self._struck = oddities.struck
        self._comments = {(row, position): text for row, position, text in oddities.comments}
        self._unseen = _NOT_IN_THE_TEXT | ({IssueCode.PERCENT_FORMAT} if oddities.values_only else set())
        self._proposals = proposals
        self._texts = texts

    def cell(self, row: int, position: int, text: str, kind: int, issues: Sequence[Issue]) -> Cell | None:
        """Copy a cell: what was read of it can be read again, and what is typed instead of it comes back as typed."""
        value, number_format = _value(text, kind)
        keeps_digits = any(issue.code.startswith(_IDENTIFIERS) for issue in issues)
        if keeps_digits and _lost_digits(text, kind):
            value = ""
        if isinstance(value, dt.date) and any(issue.cell for issue in issues):
            value = text  # in a cell that shows days, 59 would come back as one of the year 1900
        is_text = isinstance(value, str) or (not text and bool(issues))
        if zeros := self._zeros.get((row, position)):
            number_format = "0" * zeros
        elif keeps_digits or (is_text and kind != CellKind.DATE):
            number_format = TEXT
        elif is_text:
            number_format = GENERAL
        proposal = self._proposals.get((row, position))
        is_error = kind == CellKind.ERROR
        if proposal is not None:
            value, number_format, is_error = proposal, TEXT, False
        elif any(issue.code in self._unseen for issue in issues):
            value, is_error = _TO_BE_TYPED, True
        strike = (row, position) in self._struck
        comment = self._comments.get((row, position), "")
        if not issues:
            ink = Ink(number_format, strike=strike) if text else PLAIN
            return Cell(value, ink, comment=comment, is_error=is_error)
        worst = Severity.ERROR if any(issue.severity is Severity.ERROR for issue in issues) else Severity.WARNING
        ink = Ink(number_format, SEVERITY_TONES[worst] or Tone.WAITING, strike=strike)
        written = text if proposal is not None or value == _TO_BE_TYPED else ""
        explained = self._explained(issues, written, proposal)
        return Cell(value, ink, comment=f"{comment}\n\n{explained}".lstrip(), is_error=is_error)

    def mark(self, row: int, position: int, issues: Sequence[Issue]) -> CellMark:
        proposal = self._proposals.get((row, position))
        worst = Severity.ERROR if any(issue.severity is Severity.ERROR for issue in issues) else Severity.WARNING
        tone = SEVERITY_TONES[worst] or Tone.WAITING
        kind, text = CellKind.TEXT, ""
        if row in self._table.cells.index:
            text = str(self._table.cells.loc[row, position])
            kind = CellKind(int(self._table.kinds_of(position)[self._table.cells.index.get_loc(row)]))
        keeps_digits = any(issue.code.startswith(_IDENTIFIERS) for issue in issues)
        value = proposal
        if value is None and kind == CellKind.DATE and any(issue.cell for issue in issues):
            value = text
        elif value is None and keeps_digits and _lost_digits(text, kind):
            value = ""
        stays_text = keeps_digits or not text or value is not None
        note = self._explained(issues, text if proposal is not None else "", proposal)
        return CellMark(row, position, BACKGROUNDS[tone], note, value, stays_text)

    def _explained(self, issues: Sequence[Issue], written: str, proposal: str | None) -> str:
        write = self._texts.write
        explained = [f"{write(issue.message)}\n→ {write(issue.accepts)}" for issue in issues]
        if proposal is not None:
            explained.append(self._texts("output.corrections.proposed", proposal=proposal, written=written))
        elif written:
            explained.append(self._texts("output.corrections.written", written=written))
        return "\n\n".join([NOTE_MARK, *explained])


def _value(text: str, kind: int) -> tuple[Value, str]:
    """Give a cell its first nature back where that loses nothing, and the format that shows it so; text otherwise."""
    if kind == CellKind.NUMBER:
        number, number_format = _number(text)
        return (
            (number, number_format) if len(number.normalize().as_tuple().digits) <= NUMBER_DIGITS else (text, GENERAL)
        )
    if kind == CellKind.BOOL:
        return text == "TRUE", GENERAL
    if kind == CellKind.DATE and len(text) == len("2026-10-31"):
        return dt.date.fromisoformat(text), "yyyy-mm-dd"
    return text, GENERAL


def _lost_digits(text: str, kind: int) -> bool:
    """Tell whether a spreadsheet lost digits of a number: as text it would look whole, and be believed."""
    return kind == CellKind.NUMBER and isinstance(_value(text, kind)[0], str)


def _number(text: str) -> tuple[Decimal, str]:
    """Return a number, and the format that shows it: a percentage is a part of one that is shown as such."""
    if not text.endswith("%"):
        return Decimal(text), GENERAL
    decimals = len(text.removesuffix("%").partition(".")[2])
    return Decimal(text.removesuffix("%")).scaleb(-2), ("0." + "0" * decimals if decimals else "0") + "%"


# In the order of the table of shares; what comes after the share, and the title, that table leaves alone.
_COLUMNS: Final = (
    ("isrc", 16, GENERAL),
    ("upc", 16, GENERAL),
    ("release", 28, GENERAL),
    ("artist", 28, GENERAL),
    ("title", 32, GENERAL),
    ("tax_id", 20, GENERAL),
    ("role", 18, GENERAL),
    ("share", 15, GENERAL),
    ("periods", 27, GENERAL),
    ("lines", 25, WHOLE),
    ("amount", 25, MONEY),
)
# Columns (from 1) in which a leading zero must survive whatever a person types.
_TEXTS: Final = frozenset({1, 2, 6})
_PERIODS_NAMED: Final = 2
_TO_FILL_IN: Final = Ink(tone=Tone.WAITING)
_STEPS: Final = ("fill_in", "several", "delete", "hand_in", "shares_key", "holds_for")


def write_missing_shares(missing: MissingShares, path: Path, language: str) -> Path | None:
    """Write the list: a sheet in the layout of shares, payee and share left to fill in, and a sheet on how to use it.

    Returns:
        Where it is, as `atomic.replace_atomically` says; None, and no file, when nothing is missing.

    Raises:
        OSError: the folder cannot be written.
    """
    return replace_atomically(path, missing_shares_xlsx(missing, language)) if missing else None


@for_people()
def missing_shares_xlsx(missing: MissingShares, language: str) -> bytes:
    labels = catalogue_in(language)
    book = Book()
    if missing.named:
        _write_rows(book, missing, labels)
    _write_how_to(book, missing, labels)
    return book.to_bytes()


def _write_rows(book: Book, missing: MissingShares, labels: Catalogue) -> None:
    columns = [SheetColumn(labels(f"output.missing.{name}"), width, form) for name, width, form in _COLUMNS]
    page = book.page(Setup(labels("output.sheet.missing_shares"), [column.width for column in columns], 1, _TEXTS))
    write_headers(page, columns)
    for share in missing.named:
        _write_row(page, share)
    page.filter(1, len(columns))


def _write_row(page: Page, share: MissingShare) -> None:
    names = [Cell(text, Ink(TEXT) if text else PLAIN) for text in (share.isrc, share.upc)]
    words = [Cell(text) for text in (share.release, share.artist, share.title)]
    to_fill_in = [Cell(None, _TO_FILL_IN._replace(number_format=form)) for form in (TEXT, GENERAL, GENERAL)]
    about = [Cell(_periods(share)), Cell(share.lines, Ink(WHOLE)), Cell(_shown(share.amount), Ink(MONEY))]
    page.append([*names, *words, *to_fill_in, *about])


def _write_how_to(book: Book, missing: MissingShares, labels: Catalogue) -> None:
    page = book.page(Setup(labels("output.sheet.how_to"), [110]))
    page.write(labels("output.sheet.how_to"), ink=TITLE)
    if missing.named:
        for step in _STEPS:
            page.write(labels(f"output.missing.{step}"))
        page.write(labels("output.missing.amounts", currency=missing.currency))
    if not missing.nameless:
        return
    page.append()
    page.write(labels("output.missing.nameless"), ink=_TO_FILL_IN)
    for share in missing.nameless:
        amount = "" if share.amount is None else f"{currency_sign(missing.currency)} {_shown(share.amount)}"
        page.write(
            "; ".join(filter(None, (share.title, _periods(share), f"{labels('output.lines')}: {share.lines}", amount)))
        )


def _periods(share: MissingShare) -> str:
    """Name one or two periods; of more, the first and the last."""
    named = [period for period in share.periods if period]
    return ", ".join(named) if len(named) <= _PERIODS_NAMED else f"{named[0]} … {named[-1]}"


def _shown(amount: Decimal | None) -> Decimal | None:
    """Round to centavos, half to even, for the eye: who is owed what is never computed from this list."""
    return None if amount is None else Decimal(round(Fraction(amount) * 100)).scaleb(-2)
