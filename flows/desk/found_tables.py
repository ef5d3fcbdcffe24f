"""Tables recognised in files that people bring to the desk, and the choice of their columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from flows.desk.uploads import Received
from io_adapters.spreadsheets.reading import open_file
from schemas.layouts.headers import with_columns
from schemas.layouts.identify import Possibilities, Possibility, as_table
from schemas.layouts.layout import fold
from schemas.messages import Message, catalogue_in
from schemas.raw_table import column_letter
from schemas.sheet_cells import View
from schemas.tables.parsing import column_names


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a sheet, and which column it would be read as; "" for none."""

    position: int
    cell: str
    text: str
    column: str


@dataclass(frozen=True, slots=True)
class FoundTable:
    """One table of a file that was brought, as it would be read.

    Attributes:
        number: Names it within its draft.
        file: The file.
        kinds: Layouts that it could be of, the likeliest first; none, where one has to be drafted.
        kind: The layout that is chosen; "" where one has to be drafted.
        sheets: Sheets of which one has to be chosen; empty where there is no doubt.
        sheet: The one that is chosen; "" where there is no doubt.
        headers: Of its header row.
        choices: Columns that a header can be.
        columns: Header -> column, as far as people have said so.
        missing: Columns that nothing is, though one must be.
        table: Which table the layout is of.
    """

    number: int
    file: Received
    kinds: tuple[str, ...]
    kind: str
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    headers: tuple[Header, ...] = ()
    choices: tuple[str, ...] = ()
    columns: Mapping[str, str] | None = None
    missing: tuple[str, ...] = ()
    table: str = "royalty_lines"


# Views of a file -> what each table in it could be.
Identify = Callable[[Sequence[View]], tuple[Possibilities, ...]]


def views_of(file: Received) -> Sequence[View]:
    """Return what is seen of a file before it is read: its sheets, or its text under each delimiter.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    with open_file(str(file.path)) as opened:
        return list(opened.views)


def found_tables(
    files: Sequence[Received], form: Mapping[str, str], identify: Identify, declared: Mapping[str, str] | None = None
) -> tuple[FoundTable, ...]:
    """Say what each table of the files would be, with what people have answered so far.

    Args:
        files: What was brought.
        form: Their answers: `kind-N`, `sheet-N` and `col-N-P`, for table N and the header at position P.
        identify: Says what the tables of a file could be.
        declared: Header -> column, as the job says already.

    Raises:
        UnreadableFile: a file cannot be opened.
    """
    return tuple(_found(files, form, identify, {fold(header): of for header, of in (declared or {}).items()}))


def _found(
    files: Sequence[Received], form: Mapping[str, str], identify: Identify, declared: Mapping[str, str]
) -> Iterator[FoundTable]:
    number = 0
    for file in files:
        tables = identify(views_of(file))
        if not tables:
            yield FoundTable(number, file, (), "")
            number += 1
        for possibilities in tables:
            kinds = tuple(possibility.layout.layout for possibility in possibilities)
            kind = form.get(f"kind-{number}", kinds[0])
            chosen = possibilities[kinds.index(kind)] if kind in kinds else possibilities[0]
            yield _table(number, file, kinds, chosen, form, declared, is_alone=len(tables) == 1)
            number += 1


def _table(  # all of it is one table's
    number: int,
    file: Received,
    kinds: tuple[str, ...],
    chosen: Possibility,
    form: Mapping[str, str],
    declared: Mapping[str, str],
    *,
    is_alone: bool,
) -> FoundTable:
    asked = form.get(f"sheet-{number}", "")
    sheet = asked if asked in chosen.sheets else ""
    fit = next((fit for fit in chosen.fits if fit.view.sheet == sheet), chosen.fits[0])
    if not sheet and not chosen.sheets and not is_alone and fit.view.sheet:
        sheet = fit.view.sheet
    usual = {position: column for column, position in fit.match.positions.items()}
    choices = tuple(sorted(column_names(chosen.layout.table)))
    columns, headers = dict[str, str](), list[Header]()
    for position, text in enumerate(fit.header.texts):
        if not text.strip():
            continue
        before = declared.get(fold(text), usual.get(position, ""))
        column = form.get(f"col-{number}-{position}", before)
        column = column if column in choices else usual.get(position, "")
        if column and column != usual.get(position, ""):
            columns[text.strip()] = column
        headers.append(Header(position, f"{column_letter(position)}{fit.header.row}", text.strip(), column))
    read = with_columns(chosen.layout, columns)
    left = as_table([fit.view], [read], read.layout)
    missing = tuple(left[0].open_columns) if left else ()
    return FoundTable(
        number=number,
        file=file,
        kinds=kinds,
        kind=chosen.layout.layout,
        sheets=chosen.sheets,
        sheet=sheet,
        headers=tuple(headers),
        choices=choices,
        columns=columns,
        missing=missing,
        table=chosen.layout.table,
    )


def word_of(column: str) -> Message | str:
    """Name a column as the model sheets do."""
    return Message(f"model.column.{column}") if f"model.column.{column}" in catalogue_in("en") else column
