"""Tables recognised in files that people bring to the desk, and the choice of their columns."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Final

from flows.desk.uploads import Received
from io_adapters.spreadsheets.reading import open_file
from schemas.job import TableFiles
from schemas.layouts.drafting import Possibilities, Possibility, as_table
from schemas.layouts.headers import with_columns
from schemas.layouts.layout import Layout, fold
from schemas.messages import Message, catalogue_in
from schemas.parsing.table import column_names
from schemas.parsing.unread_columns import unread_in_head
from schemas.raw_table import column_letter
from schemas.sheet_cells import View


@dataclass(frozen=True, slots=True)
class Said:
    """What a job says of the headers of some files, see `schemas.job.TableFiles`.

    Attributes:
        columns: Header -> canonical column.
        only: Header -> texts of the rows that are asked for.
        ignore_columns: Headers that say nothing of what is to be paid.
    """

    columns: Mapping[str, str] = field(default_factory=dict)
    only: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    ignore_columns: tuple[str, ...] = ()

    def joined(self, other: "Said") -> "Said":
        """Return what both say."""
        ignored = dict.fromkeys((*self.ignore_columns, *other.ignore_columns))
        return Said({**self.columns, **other.columns}, {**self.only, **other.only}, tuple(ignored))

    def applied(self, layout: Layout) -> Layout:
        """Return a layout that reads files as this says."""
        only = {header: list(texts) for header, texts in self.only.items()}
        changes = {"only": only, "ignore_columns": list(self.ignore_columns)}
        return with_columns(layout, self.columns).model_copy(update=changes)

    def asked_of(self, header: str) -> tuple[str, ...]:
        """Return the texts below a header by which rows are asked for; nothing where all are."""
        return next((texts for of, texts in self.only.items() if fold(of) == fold(header)), ())

    def answer_of(self, header: str) -> str | None:
        """Return what is said of a header as a form has it: a column, `IGNORED`, `AS_SAID`, or None for nothing."""
        folded = fold(header)
        if folded in set(map(fold, self.ignore_columns)):
            return IGNORED
        if self.asked_of(header):
            return AS_SAID
        return next((column for said, column in self.columns.items() if fold(said) == folded), None)


# What a form says of a header that is no column: left alone, rows as the job asks for already, or those with a text.
IGNORED: Final = "-"
AS_SAID: Final = "="
_WITH: Final = "="
NOTHING_SAID: Final = Said()


def said_of(files: TableFiles) -> Said:
    """Return what a job says of the headers of a source or a table."""
    return Said(files.columns, files.only, files.ignore_columns)


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a sheet, and which column it would be read as.

    Attributes:
        position: From 0, column A.
        cell: Where it stands.
        column: Canonical column, `IGNORED`, `AS_SAID`, or `=` and the text of the rows asked for; "" for none.
        texts: What stands below it, where it may bear on payments and is not read: texts that rows can be asked for by.
        asked: The texts that the job asks for already.
        is_open: Whether it may bear on payments, and nobody has said what it is.
    """

    position: int
    cell: str
    text: str
    column: str
    texts: tuple[str, ...] = ()
    asked: tuple[str, ...] = ()
    is_open: bool = False


@dataclass(frozen=True, slots=True)
class FoundTable:
    """One table of a file that was brought, as it would be read.

    Attributes:
        number: Names it within its draft.
        kinds: Layouts that it could be of, the likeliest first; none, where one has to be drafted.
        kind: The layout that is chosen; "" where one has to be drafted.
        sheets: Sheets of which one has to be chosen; empty where there is no doubt.
        sheet: The one that is chosen; "" where there is no doubt.
        choices: Columns that a header can be.
        said: What people have said of its headers.
        missing: Columns that nothing is, though one must be.
        table: Which table the layout is of.
        is_variant: Whether it is nearly of its kinds, or one has to be drafted.
    """

    number: int
    file: Received
    kinds: tuple[str, ...]
    kind: str
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    headers: tuple[Header, ...] = ()
    choices: tuple[str, ...] = ()
    said: Said = Said()
    missing: tuple[str, ...] = ()
    table: str = "royalty_lines"
    is_variant: bool = False


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
    files: Sequence[Received], form: Mapping[str, str], identify: Identify, declared: Said = NOTHING_SAID
) -> tuple[FoundTable, ...]:
    """Say what each table of the files would be, with what people have answered so far.

    Args:
        form: Their answers: `kind-N`, `sheet-N` and `col-N-P`, for table N and the header at position P.
        identify: Says what the tables of a file could be.

    Raises:
        UnreadableFile: a file cannot be opened.
    """
    return tuple(_found(files, form, identify, declared))


def _found(
    files: Sequence[Received], form: Mapping[str, str], identify: Identify, declared: Said
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
            if not kind and possibilities[0].is_variant:
                yield FoundTable(number, file, kinds, "", is_variant=True)
                number += 1
                continue
            chosen = possibilities[kinds.index(kind)] if kind in kinds else possibilities[0]
            yield _table(number, file, kinds, chosen, form, declared, is_alone=len(tables) == 1)
            number += 1


def _table(  # all of it is one table's
    number: int,
    file: Received,
    kinds: tuple[str, ...],
    chosen: Possibility,
    form: Mapping[str, str],
    declared: Said,
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
    answers, headers = Said(), list[Header]()
    unread = {seen.position: seen for seen in unread_in_head(fit.view.head, fit.header, chosen.layout)}
    for position, written in enumerate(fit.header.texts):
        text = written.strip()
        if not text:
            continue
        before = declared.answer_of(text)
        answer = form.get(f"col-{number}-{position}", usual.get(position, "") if before is None else before)
        answers, column = _answered(answers, text, answer, declared, usual.get(position, ""), choices)
        condition = unread.get(position)
        texts = tuple(text_below for text_below, _ in condition.texts) if condition else ()
        by = declared.asked_of(text)
        is_open = condition is not None and condition.condition is not None and not column
        cell = f"{column_letter(position)}{fit.header.row}"
        headers.append(Header(position, cell, text, column, texts, by, is_open))
    read = answers.applied(chosen.layout)
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
        said=answers,
        missing=missing,
        table=chosen.layout.table,
        is_variant=chosen.is_variant,
    )


def _answered(
    answers: Said, header: str, answer: str, declared: Said, usual: str, choices: Sequence[str]
) -> tuple[Said, str]:
    """Return what is said with one answer more, and what the form shows for it."""
    asked = declared.asked_of(header)
    if answer == IGNORED:
        return answers.joined(Said(ignore_columns=(header,))), answer
    if answer == AS_SAID and asked:
        return answers.joined(Said(only={header: asked})), answer
    if answer.startswith(_WITH) and len(answer) > len(_WITH):
        return answers.joined(Said(only={header: (answer.removeprefix(_WITH),)})), answer
    column = answer if answer in choices else usual
    return (answers.joined(Said(columns={header: column})) if column and column != usual else answers), column


def word_of(column: str) -> Message | str:
    """Name a column as the model sheets do."""
    return Message(f"model.column.{column}") if f"model.column.{column}" in catalogue_in("en") else column
