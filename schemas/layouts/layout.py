"""How a sender lays out its file: the model behind each YAML declaration in this folder, and its headers."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final, Literal

from pydantic import BaseModel, ConfigDict, Field, model_validator

from schemas.issues import Issue, IssueCode, make_issue
from schemas.values.reading import fold_word

TableName = Literal[
    "payments",
    "royalty_lines",
    "payees",
    "shares",
    "costs",
    "advances",
    "opening",
    "rates",
    "taxes",
    "invoices",
    "bank_lines",
]
WrittenAs = Literal["tab", "comma", "semicolon", "bar", "sheet"]
_ATTRIBUTE: Final = re.compile(r"^ {8}(\w+): (.*(?:\n {12}.*)*)", re.MULTILINE)


def _describe_keys(schema: dict[str, Any], model: type[BaseModel]) -> None:
    """Say in the JSON Schema of a declaration, which editors show, what its docstring says of its attributes."""
    what, _, attributes = (model.__doc__ or "").partition("\n\n    Attributes:\n")
    schema["description"] = what.replace("\n    ", "\n").strip()
    for name, text in _ATTRIBUTE.findall(attributes):
        schema["properties"][name]["description"] = " ".join(text.split())


class _Declared(BaseModel):
    """Part of a layout; a key it does not name is an error."""

    model_config = ConfigDict(extra="forbid", frozen=True, json_schema_extra=_describe_keys)


class Recognise(_Declared):
    """By what `layout: auto` knows a sender's file.

    Attributes:
        headers: Headers that must all be there, in one row; one that is a column's may be there under any of the
            column's names. Empty: the layout is never recognised by itself.
        absent: Headers of which none may be there, since they tell another layout of the same sender.
        written_as: What stands between a text's fields, or that it is a sheet, where this alone tells two layouts of
            one sender apart. Empty: any.
        nothing_else: Whether every header of the file must be one the layout knows; for layouts whose headers are
            words that anybody uses.
    """

    headers: list[str] = []
    absent: list[str] = []
    written_as: list[WrittenAs] = []
    nothing_else: bool = False


class LeaveOut(_Declared):
    """Rows that are no lines: those where a column holds one of some texts.

    Attributes:
        column: Header, as the sender writes it; it need not be one that is read.
        values: Texts, compared like headers: case, accents and blanks aside.
    """

    column: str
    values: list[str] = Field(min_length=1)


class Sign(_Declared):
    """Where a column says which way the money went, and the amount does not.

    Attributes:
        column: Header of the column that says it.
        negative: Its texts for money that went out; their amounts count below zero, whatever sign they bear.
    """

    column: str
    negative: list[str] = Field(min_length=1)


class RestsOn(_Declared):
    """What a layout rests on, so that nobody takes an assumption for knowledge.

    Attributes:
        kind: A file of the sender that is public; what the sender or others have written of it; or neither.
        where: Which, and what of the layout is not known from there.
    """

    kind: Literal["public file", "documentation", "assumption"]
    where: str = Field(min_length=1)


class Above(_Declared):
    """A value that stands once above the header: beside a label, or in a sentence.

    Attributes:
        label: Text of the cell beside which it stands.
        behind: Words of a row, its cells joined by blanks, directly behind which it stands.
        shape: What it looks like there: a currency's three letters, a month (2026-10, 10/2026), or a day.
    """

    label: str | None = None
    behind: str | None = None
    shape: Literal["currency", "month", "day"] | None = None

    @model_validator(mode="after")
    def _one_of_both(self) -> "Above":
        in_sentence = bool(self.behind and fold(self.behind)) and self.shape is not None
        if (self.label is None) != in_sentence or (self.label is not None and (self.behind or self.shape)):
            raise ValueError("either a label, or words behind which it stands and its shape, say where a value is")
        return self


class YearAndMonth(_Declared):
    """The columns that say a line's period together.

    Attributes:
        year: Header of the year.
        month: Header of the month, a number or its name.
    """

    year: str
    month: str


class Computed(_Declared):
    """What an amount is made of, for rows in which the sender leaves the amount itself empty.

    Attributes:
        add: Headers of the parts it is the sum of; each must be filled.
        subtract: Headers of what is taken off, each filled likewise.
        subtract_if_given: Headers of what is taken off where anything stands there.
    """

    add: list[str] = Field(min_length=1)
    subtract: list[str] = []
    subtract_if_given: list[str] = []

    @property
    def parts(self) -> tuple[str, ...]:
        """Headers of all parts."""
        return (*self.add, *self.subtract, *self.subtract_if_given)


class AskedFor(_Declared):
    """Lines that are read only where a job asks for them.

    Attributes:
        sheet: The sheet they are in.
        headers: Headers that tell them where they come as a file of their own.
    """

    sheet: str
    headers: list[str] = Field(min_length=1)

    def has(self, headers: Sequence[str]) -> bool:
        """Tell whether a header row is theirs."""
        return set(map(fold, self.headers)) <= set(map(fold, headers))


class ControlRows(_Declared):
    """A block below the lines in which the sender states what they sum up to: a word in the first cell, a value beside.

    Attributes:
        rows: Word beside which the number of lines stands.
        amount: Word beside which the sum of the amounts stands.
        end: Other words that begin this block. From the first of all these words on, nothing is a line.
    """

    rows: str | None = None
    amount: str | None = None
    end: list[str] = []

    @property
    def words(self) -> tuple[str, ...]:
        """All words with which a row of the block begins."""
        return tuple(word for word in (self.rows, self.amount, *self.end) if word)


class Lent(_Declared):
    """Records that lend their columns to the lines.

    Attributes:
        record: Which, by their letters (AS), or by letters and number (AS02) where only these are meant.
        key: Headers that the cell may bear by which lines refer to such a record. None: it lends to the lines that
            follow it, until the next such record or the end of its block.
        by: Headers that the line's own cell may bear which holds that key.
    """

    record: str = Field(pattern=r"^[A-Z]{2,4}([0-9]{2})?$")
    key: list[str] = []
    by: list[str] = []

    @model_validator(mode="after")
    def _a_key_is_referred_to(self) -> "Lent":
        if bool(self.key) != bool(self.by):
            raise ValueError("key and by go together")
        return self


class Records(_Declared):
    """For files of typed records (DDEX sales reports): which of them are lines.

    Headers of such a file are the record's letters and the name of the cell, as the file's `#` lines give it ("AS.ISRC"
    of AS01 and AS02 alike), or the cell's number in the standard ("AS.5") where there are no such lines. A column that
    names both is read only where both agree.

    Attributes:
        line: The record that makes one line each; the number after its point (SU02.03) does not matter.
        lend: The records whose columns lines have besides their own.
        same: Groups of headers whose cells must say the same on a line, those of them that are filled.
        money: Whether lines state what the recipient is due. A file of which none does is recognised, so that this can
            be said, and not read.
    """

    line: str = Field(pattern=r"^[A-Z]{2}[0-9]{2}$")
    lend: list[Lent] = []
    same: list[list[str]] = []
    money: bool = True

    @property
    def letters(self) -> frozenset[str]:
        """Letters of all records that are read."""
        return frozenset(name.rstrip("0123456789") for name in (self.line, *(lent.record for lent in self.lend)))


class Layout(_Declared):
    """One sender's file: how to know it, how to find the header, and which header is which column.

    Attributes:
        layout: Name, as a job says it.
        title: What it is, for people.
        table: Which table its rows become.
        recognise: By what `layout: auto` knows it.
        rests_on: What it rests on; None for a layout that its users have written.
        sheets: Sheets to read, all of them that are there; none named takes the only sheet that has the required
            headers.
        asked_for: What is read besides where a job says so (`read:`), since whether its money is to be added is the
            house's to say.
        not_sheets: Sheets that are not to be read, whatever they hold.
        repeats: Sheets, or members of an archive, that hold money of the others once more; `*` stands for anything.
        header_row: Physical row of the header; None looks for it in the first rows.
        headers: For a file without a header row, the headers that its columns would have, from column A.
        preamble: Canonical column -> what stands above the header for all lines, where no column says it.
        months: Which columns say the period together, where none says it alone.
        columns: Canonical column -> headers it may bear, first the sender's own; case, accents and blanks aside.
        fallbacks: Canonical column -> headers of columns whose cell is read where its own is empty and it has the form
            of an ISRC, or of a UPC.
        computed: What an amount is made of where its own cell is empty.
        usual_headers: Whether columns may also bear the headers that people usually write over them, and stand in two
            rows, the title of a group above; for sheets that people make, not for senders' own statements.
        exact: Canonical columns that bear no header but those declared, where `usual_headers` is true.
        required: Canonical columns without which the file cannot be read.
        ignored: Headers known and deliberately not read, so that nobody takes a gross or a balance for the money.
        ignore_columns: Headers that a job leaves unread, whatever they would be otherwise.
        ignored_kinds: Of these, header -> what its cells were when it was answered so.
        remarks: Headers of what people wrote for whoever approves; nothing is read of it.
        only: Header -> texts; rows whose cell there is none of them are no lines.
        decimal: Decimal mark of numbers written as text; "auto" decides once per column, from its unambiguous cells. A
            column in which these all bear the other mark, since its file was saved again elsewhere, is read by that.
        dates: Whether the day or the month comes first where a date has the year last; "auto" decides likewise, and
            "home" takes the day first below any header but an English one, unless cells prove otherwise.
        currency: Currency of every line when no column says it.
        quotes: "none" when the sender puts no quotes around fields, so that one in a title is part of it.
        sign: What says that an amount went out; None when its own sign does.
        leave_out: Rows that are no lines.
        totals: Words with which a row of totals begins, compared like headers; its amount is held against the lines'.
        control: The block of totals below the lines; None when there is none.
        records: Which records are lines, in a file of typed records; None for tables.
    """

    layout: str = Field(pattern=r"^[a-z0-9-]+$")
    title: str
    table: TableName
    recognise: Recognise = Recognise()
    rests_on: RestsOn | None = None
    sheets: list[str] = []
    asked_for: AskedFor | None = None
    not_sheets: list[str] = []
    repeats: list[str] = []
    header_row: int | None = Field(default=None, ge=1)
    headers: list[str] = []
    preamble: dict[Literal["period", "currency", "platform", "territory"], Above] = {}
    months: YearAndMonth | None = None
    columns: dict[str, list[str]]
    fallbacks: dict[Literal["isrc", "upc"], list[str]] = {}
    computed: Computed | None = None
    usual_headers: bool = False
    exact: list[str] = []
    required: list[str] = []
    ignored: list[str] = []
    ignore_columns: list[str] = []
    ignored_kinds: dict[str, str] = {}
    remarks: list[str] = []
    only: dict[str, list[str]] = {}
    decimal: Literal["auto", ",", "."] = "auto"
    dates: Literal["auto", "home", "day_first", "month_first"] = "auto"
    currency: str | None = Field(default=None, pattern=r"^[A-Z]{3}$")
    quotes: Literal["auto", "none"] = "auto"
    sign: Sign | None = None
    leave_out: list[LeaveOut] = []
    totals: list[str] = []
    control: ControlRows | None = None
    records: Records | None = None

    @property
    def is_of_a_sender(self) -> bool:
        """Whether it is of a known sender's statement, whose other columns a house answers once for all its jobs."""
        return self.table == "royalty_lines" and self.rests_on is not None

    @property
    def not_columns(self) -> tuple[str, ...]:
        """Headers it knows and reads as no column: those it ignores, and those that rules of its own look at."""
        rules = [*([self.sign.column] if self.sign else []), *(rule.column for rule in self.leave_out)]
        parts = [*(self.computed.parts if self.computed else ())]
        parts += [self.months.year, self.months.month] if self.months else []
        return (*self.ignored, *rules, *(header for headers in self.fallbacks.values() for header in headers), *parts)

    @model_validator(mode="before")
    @classmethod
    def _a_key_with_nothing_behind_it_says_nothing(cls, declared: Any) -> Any:  # noqa: ANN401
        """Take `ignored:` whose entries are all comments for none; a layout without `columns` has none."""
        if not isinstance(declared, dict):
            return declared
        said = {key: value for key, value in declared.items() if value is not None}
        return said | ({"columns": {}} if "columns" in declared.keys() - said.keys() else {})

    @model_validator(mode="after")
    def _required_columns_are_declared(self) -> "Layout":
        unknown = [name for name in self.required if name not in self.columns]
        if unknown:
            raise ValueError(f"required names columns that are not declared: {', '.join(unknown)}")
        return self

    @model_validator(mode="after")
    def _columns_are_of_records_that_are_read(self) -> "Layout":
        if self.records is not None:
            headers = [header for aliases in self.columns.values() for header in aliases]
            strange = [header for header in headers if header.partition(".")[0] not in self.records.letters]
            if strange:
                raise ValueError(f"columns are of records that neither are lines nor lend: {', '.join(strange)}")
        return self


@lru_cache(maxsize=1 << 15)
def fold(text: str) -> str:
    """Reduce a header to what counts when people compare two: letters and digits, no case, no accents.

    A header made of marks alone ("%") stays what it is.

    >>> fold(" Valor Líquido (R$) "), fold("CPF/CNPJ"), fold("%")
    ('valorliquidor', 'cpfcnpj', '%')
    """
    return fold_word(text) or text.strip()


# DSR Part 1, "File naming convention": elements between underscores, "7of9" among them, a creation time after it.
_PART: Final = re.compile(r"(?<![^_])([0-9]{1,3})of([0-9]{1,3})(?![^_.])")
_ENDING: Final = re.compile(r"(?:_[0-9]{8}T[0-9]{6,9})?(?:\.[A-Za-z0-9]+)*$")


@dataclass(frozen=True, slots=True)
class MissingPart:
    """A part that is not there.

    Attributes:
        file: Base name of a part that is.
        part: Which is missing, from 1.
        parts: Of how many.
    """

    file: str
    part: int
    parts: int

    def issue(self) -> Issue:
        """Return the issue that tells it."""
        return make_issue(IssueCode.FILE_PART_MISSING, file=self.file, part=self.part, parts=self.parts)


def part_of(name: str) -> tuple[int, int] | None:
    """Return which part of how many a file is, by its name; None when the name does not say.

    >>> part_of("DSR_Aurora_Onda_Premium_2026-09_BR_1of2_20261012T090000.tsv.gz"), part_of("sales.csv")
    ((1, 2), None)
    """
    found = _PART.search(name)
    return (int(found[1]), int(found[2])) if found else None


def missing_parts(names: Sequence[str]) -> list[MissingPart]:
    """Name each part that is not among the files of one source.

    Parts belong together when their names are alike but for the part and the packing. They should bear one creation
    time; where those of no single time are complete, parts of different times are taken together, since some senders
    stamp each file as it is written.

    Args:
        names: Base names of the files; those that say of no part are passed over.

    Returns:
        In the order of names and parts; nothing when all parts are there, or a name says "3of2" or "0of2".
    """
    files = [name for name in names if (part := part_of(name)) and 1 <= part[0] <= part[1]]
    complete = {name for group in _grouped(files, exactly=True) if not _absent(group) for name in group}
    rest = [name for name in files if name not in complete]
    return [missing for group in _grouped(rest, exactly=False) for missing in _absent(group)]


def _grouped(names: Iterable[str], *, exactly: bool) -> list[list[str]]:
    groups: dict[tuple[str, str], list[str]] = {}
    for name in names:
        ending = _ENDING.search(name)
        stamp = ending[0].partition(".")[0] if ending and exactly else ""
        alike = _PART.sub(lambda part: f"of{int(part[2])}", _ENDING.sub("", name), count=1)
        groups.setdefault((alike, stamp), []).append(name)
    return list(groups.values())


def _absent(group: Sequence[str]) -> list[MissingPart]:
    there = {part for name in group if (part := part_of(name))}
    parts = max(count for _, count in there)
    return [MissingPart(group[0], part, parts) for part in range(1, parts + 1) if (part, parts) not in there]
