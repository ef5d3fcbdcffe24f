"""Proposing a job: what the tables of people's files would be read as, what is open, and the job made of the answers.

The desk's pages and `repasse new` ask people what a proposal leaves open, each in its own way.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from pathlib import Path
from types import MappingProxyType
from typing import Final, NamedTuple

import numpy as np
import pandas as pd

from flows.intake.examine import all_layouts, currencies_of, key_types_shown
from flows.intake.strange_statement import StrangeStatement, read_strange
from io_adapters.spreadsheets.reading import open_file
from schemas.errors import ConfigurationError, UnreadableFile
from schemas.job import NO_HOUSE_COLUMNS, HouseColumns
from schemas.job_draft import (
    EVERY_SHEET,
    SOURCE_TABLES,
    DraftedFiles,
    DraftedLayout,
    JobDraft,
    join_files,
    name_of_file,
)
from schemas.layouts.answers import IGNORED, REMARK, ColumnAnswer, IgnoredWhile, columns_yaml, over, with_answers
from schemas.layouts.drafting import KnownMoney, guess_table
from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.money_column import is_money
from schemas.layouts.recognise import Possibilities, Possibility, as_table
from schemas.messages import Message, catalogue_in
from schemas.parsing.columns_by_cells import unread_beside, with_columns_by_cells
from schemas.parsing.statement_columns import statement_columns
from schemas.parsing.table import column_names
from schemas.parsing.unread_columns import (
    UnreadColumn,
    quoted,
    where_answered,
)
from schemas.raw_table import FileIdentity, RawTable, column_letter
from schemas.sheet_cells import HeadRow, View


class BroughtFile(NamedTuple):
    """A file that a person has brought."""

    name: str
    path: Path
    written: str


# What a job says of the headers of some files, see `schemas.job.TableFiles`.
Answers = Mapping[str, ColumnAnswer]
NO_ANSWERS: Final[Answers] = MappingProxyType({})
# What a form says of a header by which rows are chosen: as the job asks already, or those with a text behind the mark.
AS_ASKED: Final = "="
_WITH: Final = "="
_MOST_SEEN: Final = 10


def _said_of(answers: Answers, header: str) -> ColumnAnswer | None:
    return next((answer for written, answer in answers.items() if fold(written) == fold(header)), None)


@dataclass(frozen=True, slots=True)
class Header:
    """A header of a sheet, and which column it would be read as.

    Attributes:
        seen: Some of the texts below it, each once, as whoever brought the file may see them.
        proposal: What the program proposes, as a form has it; "" where it is answered, or a person has to think.
    """

    position: int
    cell: str
    text: str
    column: str
    unread: UnreadColumn | None = None
    asked: tuple[str, ...] = ()
    is_named: bool = True
    seen: tuple[str, ...] = ()
    proposal: str = ""

    @property
    def texts(self) -> tuple[str, ...]:
        """Texts below it that rows can be asked for by; none below a clause, see `schemas.parsing.unread_columns`."""
        return tuple(text for text, _ in self.unread.texts) if self.unread and not self.unread.is_clause else ()

    @property
    def is_open(self) -> bool:
        """Whether something stands below it, and nobody has said what it is."""
        return self.unread is not None and self.unread.code is not None and not self.column


@dataclass(frozen=True, slots=True)
class ProposedTable:
    """One table of a file that was brought, as it would be read.

    Attributes:
        kinds: Layouts that it could be of, the likeliest first; none, where one has to be drafted.
        kind: The layout that is chosen; "" where one has to be drafted.
        sheet: The one that is chosen, or `EVERY_SHEET`; "" where there is no doubt.
        missing: Column that nothing is, though one must be -> headers that could be it, in the file's order.
    """

    number: int
    file: BroughtFile
    kinds: tuple[str, ...]
    kind: str
    sheets: tuple[str, ...] = ()
    sheet: str = ""
    headers: tuple[Header, ...] = ()
    choices: tuple[str, ...] = ()
    answers: Answers = field(default_factory=dict)
    missing: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    table: str = "royalty_lines"
    is_variant: bool = False
    is_of_a_sender: bool = False

    def of_house(self, declared: Answers = NO_ANSWERS) -> Answers:
        """Return what the house answers for all its jobs: columns of a known sender's statement that are left aside.

        Args:
            declared: What the job says by itself already, and goes on saying.
        """
        own = set(map(fold, declared))
        return {
            header: answer
            for header, answer in self.answers.items()
            if self.is_of_a_sender and isinstance(answer, IgnoredWhile) and fold(header) not in own
        }

    def of_job(self, declared: Answers = NO_ANSWERS) -> Answers:
        """Return what the job says of its headers, beside what the house does."""
        return {header: answer for header, answer in self.answers.items() if header not in self.of_house(declared)}

    @property
    def read_sheets(self) -> tuple[str, ...]:
        """The sheets of which a job has to say that they are read."""
        return self.sheets if self.sheet == EVERY_SHEET else (self.sheet,) if self.sheet else ()

    @property
    def proposed(self) -> tuple[Header, ...]:
        """The headers that are answered as the program proposes."""
        return tuple(header for header in self.headers if header.proposal and header.column == header.proposal)

    @property
    def without_proposals(self) -> "ProposedTable":
        """The table as it is where nobody agrees to what is proposed."""
        left = {header.position for header in self.proposed}
        headers = (replace(header, column="") if header.position in left else header for header in self.headers)
        names = {header.text for header in self.proposed}
        answers = {header: answer for header, answer in self.answers.items() if header not in names}
        return replace(self, headers=tuple(headers), answers=answers)

    @property
    def open_headers(self) -> Iterator[Message]:
        """Name the headers of which the job has to say what they mean before any row is used."""
        for header in self.headers:
            if header.is_open and header.unread and header.unread.condition:
                texts = quoted(header.unread.texts) or Message(f"condition.{header.unread.condition}")
                yield Message(
                    "new.needs_word",
                    file=self.file.name,
                    column=header.text,
                    texts=texts,
                    remedy=header.unread.remedy,
                )
        left = [header for header in self.headers if header.is_open and header.unread and not header.unread.condition]
        if left:
            sender = self.kind if self.is_of_a_sender else ""
            proposed = {
                header.text: header.unread.proposal or IgnoredWhile(header.unread.kind)
                for header in left
                if header.unread
            }
            yield Message(
                "new.needs_answers",
                file=self.file.name,
                where=where_answered(self.table, sender),
                answers=f"{sender or 'columns'}: {columns_yaml(proposed)}",
            )


# A file and its views -> what each table in it could be.
Identify = Callable[[BroughtFile, Sequence[View]], tuple[Possibilities, ...]]


def views_of(file: BroughtFile) -> Sequence[View]:
    """Return what is seen of a file before it is read: its sheets, or its text under each delimiter.

    Raises:
        UnreadableFile: it cannot be opened.
    """
    with open_file(str(file.path)) as opened:
        return list(opened.views)


def propose_tables(
    files: Sequence[BroughtFile],
    form: Mapping[str, str],
    identify: Identify,
    declared: Answers = NO_ANSWERS,
    house: HouseColumns = NO_HOUSE_COLUMNS,
) -> tuple[ProposedTable, ...]:
    """Say what each table of the files would be, with what people have answered so far.

    Args:
        declared: What the job says of headers already.
        house: What the house has answered for all jobs.

    Raises:
        UnreadableFile: a file cannot be opened.
    """
    return tuple(_proposed(files, form, identify, lambda layout: over(house.of(layout), declared)))


def _proposed(
    files: Sequence[BroughtFile], form: Mapping[str, str], identify: Identify, answered: Callable[[Layout], Answers]
) -> Iterator[ProposedTable]:
    number = 0
    for file in files:
        tables = identify(file, views_of(file))
        if not tables:
            yield ProposedTable(number, file, (), "")
            number += 1
        for possibilities in tables:
            kinds = tuple(possibility.layout.layout for possibility in possibilities)
            kind = form.get(f"kind-{number}", kinds[0])
            if not kind and possibilities[0].is_variant:
                yield ProposedTable(number, file, kinds, "", is_variant=True)
                number += 1
                continue
            chosen = possibilities[kinds.index(kind)] if kind in kinds else possibilities[0]
            yield _table(number, file, kinds, chosen, form, answered(chosen.layout), is_alone=len(tables) == 1)
            number += 1


def _table(  # all of it is one table's
    number: int,
    file: BroughtFile,
    kinds: tuple[str, ...],
    chosen: Possibility,
    form: Mapping[str, str],
    declared: Answers,
    *,
    is_alone: bool,
) -> ProposedTable:
    asked = form.get(f"sheet-{number}", "")
    titles = {fit.view.sheet for fit in chosen.fits} | ({EVERY_SHEET} if chosen.sheets else set())
    sheet = asked if asked in titles else ""
    fit = next((fit for fit in chosen.fits if fit.view.sheet == sheet), chosen.fits[0])
    if not sheet and not chosen.sheets and not is_alone and fit.view.sheet:
        sheet = fit.view.sheet
    raw = _head_table(fit.view.head, fit.header)
    layout = with_columns_by_cells(raw, chosen.layout)
    usual = {position: column for column, position in match_headers(fit.header.texts, layout).positions.items()}
    choices = tuple(sorted(column_names(layout.table)))
    answers, headers = dict[str, ColumnAnswer](), list[Header]()
    unread = {seen.position: seen for seen in _unread_in_head(raw, layout)}
    for position, written in enumerate(fit.header.texts):
        is_named = bool(written.strip())
        here = unread.get(position)
        if not is_named and not here:
            continue
        text = written.strip() or column_letter(position)
        before = _said_of(declared, text)
        asked_by = before if isinstance(before, tuple) else ()
        known = AS_ASKED if asked_by else _in_form(before) or usual.get(position, "")
        proposal = _in_form(here.proposal) if here and not known else ""
        answer = form.get(f"col-{number}-{position}", known or proposal)
        said, column = _answered(answer, asked_by, usual.get(position, ""), choices if is_named else ())
        if said == IGNORED and here:
            said = IgnoredWhile(here.kind)
        answers |= {text: said} if said else {}
        cell = f"{column_letter(position)}{fit.header.row}"
        below = [row.texts[position] for row in fit.view.head if row.row > fit.header.row and row.texts[position:]]
        seen = tuple(dict.fromkeys(text for text in below if text.strip()))[:_MOST_SEEN]
        headers.append(Header(position, cell, text, column, here, asked_by, is_named, seen, proposal))
    read = with_answers(layout, answers)
    left = as_table([fit.view], [read], read.layout)
    return ProposedTable(
        number=number,
        file=file,
        kinds=kinds,
        kind=chosen.layout.layout,
        sheets=chosen.sheets,
        sheet=sheet,
        headers=tuple(headers),
        choices=choices,
        answers=answers,
        missing=left[0].open_columns if left else {},
        table=chosen.layout.table,
        is_variant=chosen.is_variant,
        is_of_a_sender=chosen.layout.is_of_a_sender,
    )


def _head_table(head: Sequence[HeadRow], header: HeadRow) -> RawTable:
    """Return the first rows of a table, as far as its view shows them."""
    width = len(header.texts)
    rows = [(*row.texts, *[""] * width)[:width] for row in head if row.row > header.row]
    cells = pd.DataFrame({at: pd.Series([row[at] for row in rows], dtype="str") for at in range(width)})
    return RawTable(FileIdentity("", "", 0), None, header.row, header.texts, cells)


def _unread_in_head(raw: RawTable, layout: Layout) -> list[UnreadColumn]:
    """Find the columns that would not be read, as far as the first rows of a table show them."""
    match = match_headers(raw.headers, layout)
    unread = unread_beside(raw, layout, match)
    if layout.table != "royalty_lines":
        return unread
    seen = statement_columns(raw, unread, np.ones(len(raw.cells), dtype=bool))
    kinds = {column.header: column.kind for column in seen if column.is_open}
    return [
        replace(column, is_answered=False, kind=kinds[column.header]) if column.header in kinds else column
        for column in unread
    ]


def _in_form(answer: ColumnAnswer | None) -> str:
    return IGNORED if isinstance(answer, IgnoredWhile) else str(answer or "")


def _answered(
    answer: str, asked_by: tuple[str, ...], usual: str, choices: Sequence[str]
) -> tuple[ColumnAnswer | None, str]:
    """Return what the job has to say of a header, None for nothing; and what its form shows."""
    if answer in {IGNORED, REMARK}:
        return answer, answer
    if answer == AS_ASKED and asked_by:
        return asked_by, answer
    if answer.startswith(_WITH) and len(answer) > len(_WITH):
        return (answer.removeprefix(_WITH),), answer
    column = answer if answer in choices else usual
    return (column if column != usual else None), column


def word_of(column: str) -> Message | str:
    return Message(f"model.column.{column}") if f"model.column.{column}" in catalogue_in("en") else column


def headers_of(table: ProposedTable) -> tuple[str, ...]:
    """Return the headers of which a person may say what they are: of a table to be drafted, which one is the money."""
    if table.kind:
        return tuple(header.text for header in table.headers)
    guess = guess_table(views_of(table.file), all_layouts())
    return tuple(guess.header.texts[at] for at, texts in guess.samples.items() if is_money(texts)) if guess else ()


def is_a_table(table: ProposedTable) -> bool:
    """Say whether a table is of a known layout, or one can be drafted for it; a text brought by mistake is neither."""
    return bool(table.kind) or guess_table(views_of(table.file), all_layouts()) is not None


def keys_that_show_a_type(tables: Iterable[ProposedTable]) -> int:
    layouts, shown = {layout.layout: layout for layout in all_layouts()}, 0
    for table in tables:
        if table.kind in layouts:
            layout = with_answers(layouts[table.kind], table.answers)
            sheets = {"sheets": [*table.read_sheets]} if table.sheet else {}
            with suppress(UnreadableFile):  # told when the job is checked
                shown += key_types_shown(table.file.path, layout.model_copy(update=sheets))
    return shown


@dataclass(frozen=True, slots=True)
class OpenedTable:
    """A table that a job is to read, and what its file says of currencies.

    Attributes:
        strange: What is known of its statement where no layout reads it, and one is drafted beside the job.
    """

    table: ProposedTable
    currencies: tuple[str, ...]
    strange: StrangeStatement | None = None

    @property
    def is_statement(self) -> bool:
        return bool(self.currencies or (self.strange and self.strange.sums))

    def in_job(self, language: str, received: Mapping[str, str], money: KnownMoney | None) -> DraftedFiles:
        """Say how a job reads the table, of which the bank got something.

        Args:
            money: Which column of a strange statement is the money, as far as that is known.
        """
        table = self.table
        if self.strange is None:
            what = "payments" if table.table == "payments" else "statement"
            return DraftedFiles(
                (table.file.written,), table.kind, what, table.read_sheets, table.of_job(), self.currencies, received
            )
        name = name_of_file(table.file.name)
        text = self.strange.draft(name, language, money)
        layout = DraftedLayout(f"{name}.layout.yaml", text)
        currencies = self.currencies or ((money.currency,) if money and money.currency else ())
        return DraftedFiles(
            (table.file.written,),
            f"./{layout.name}",
            "drafted",
            currencies=currencies,
            received=received if self.strange.agrees(money, received) else {},
            beside=layout,
        )


def open_table(table: ProposedTable) -> OpenedTable:
    """Read the file of a table as far as a job has to know it.

    Raises:
        UnreadableFile: it cannot be read.
    """
    if not table.kind:
        strange = read_strange(table.file.path)
        return OpenedTable(table, strange.currencies, strange)
    layout = next(layout for layout in all_layouts() if layout.layout == table.kind)
    return OpenedTable(table, currencies_of(table.file.path, with_answers(layout, table.answers)))


def propose_job(
    read: Sequence[tuple[str, DraftedFiles]],
    *,
    name: str,
    payer: tuple[str, str],
    period: str,
    language: str,
    four_eyes: bool = False,
    key_types: bool = False,
) -> JobDraft:
    """Put the files that a job reads in their places.

    Raises:
        ConfigurationError: nothing came in that is paid from, or one table is in unlike files.
    """
    sources = join_files(files for table, files in read if table in SOURCE_TABLES)
    if not sources:
        raise ConfigurationError(Message("error.new_no_source"))
    tables = dict.fromkeys(table for table, _ in read if table not in SOURCE_TABLES)
    alike = {table: join_files(files for of, files in read if of == table) for table in tables}
    if unlike := next((table for table, files in alike.items() if len(files) > 1), None):
        raise ConfigurationError(Message("error.new_unlike", table=unlike))
    others = {table: files for table, (files,) in alike.items()}
    return JobDraft(name, *payer, period, sources, others, language, four_eyes=four_eyes, key_types=key_types)
