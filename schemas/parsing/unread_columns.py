"""Unread columns: what a person wrote that no column of the table is for, and what the job says of it.

Every column in which something stands has an answer in the job, under `columns`: one of ours, `remark`, `ignored`, or
`{only: [...]}`. Without one it holds its table. Words and cells decide no more than what is proposed: a *condition* (a
state, a payment method, a due date, a discount, a territory) is a question of its own, and for the others one answer
each is proposed, all of them in one question.

Some conditions choose rows: of a state, a method or a day, `only` takes those that are to be paid. Others are a
*clause*, which changes what a row pays (a territory, a deduction, a cap): to choose rows by it would pay them as if it
stood nowhere, so that `only` is refused there. What is told to write instead never pays more than the clause does.
"""

import re
from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from enum import StrEnum
from operator import add
from typing import Any, Final, NamedTuple

import numpy as np
import numpy.typing as npt

from schemas.issues import Issue, IssueCode, make_issue
from schemas.layouts.answers import REMARK, CellsOf, ColumnAnswer, IgnoredWhile, answer_yaml, columns_yaml
from schemas.layouts.drafting import yaml_scalar
from schemas.layouts.headers import HeaderMatch, is_about_the_amount
from schemas.layouts.layout import Layout, fold
from schemas.messages import Listed, Message
from schemas.parsing.identities import find_identity, read_column
from schemas.raw_table import RawTable, column_letter
from schemas.sheet_cells import CellKind
from schemas.values.reading import BLANKS, says_nothing, without_accents
from schemas.words import vocabulary

Mask = npt.NDArray[np.bool_]


class Condition(StrEnum):
    """Why a column that is not read may bear on a payment."""

    STATE = "state"
    METHOD = "method"
    PAYER = "payer"
    CURRENCY = "currency"
    DUE = "due"
    DEDUCTION = "deduction"
    CAP = "cap"
    SCOPE = "scope"
    TERM = "term"
    PARTS = "parts"
    AMOUNTS = "amounts"
    ANSWERS = "answers"
    NAMELESS = "nameless"
    DIFFERENCE = "difference"


@dataclass(frozen=True, slots=True)
class UnreadColumn:
    """A column of a file that is not read, and in which something stands.

    Attributes:
        position: From 0, column A.
        header: As written; its letter where it has none.
        condition: Why it may bear on a payment; None where nothing says so.
        table: What kind of table it stands in, see `schemas.layouts.layout.Layout`.
        texts: Its distinct texts with how often each stands there, where they are few and name nobody.
        is_asked: Whether the job chooses rows by it all the same, with `only`; it may then be a column that is read.
        kind: What its cells are.
        was: What they were when the job answered it, where that is something else.
        is_answered: Whether the job says what it is, or the layout of a statement that it may have others.
        is_explained: Whether the amount is made up of it in every row, or it says nothing that is not so anyway.
        parts_rows: Whether it, and no reference, tells the rows of each payee apart who has several.
        may_be: Which terms of deals it may be, of those that our tables have and no header of its own is.
    """

    position: int
    header: str
    condition: Condition | None
    table: str
    texts: tuple[tuple[str, int], ...] = ()
    is_asked: bool = False
    is_answered: bool = False
    is_explained: bool = False
    kind: CellsOf = CellsOf.TEXT
    was: str = ""
    parts_rows: bool = False
    may_be: tuple[str, ...] = ()

    @property
    def is_clause(self) -> bool:
        """Whether it changes what a row pays, so that no rows are chosen by it; of deals, a currency does that too."""
        choosing = _STATES_OF_DEALS if self.table in _DEALS else _CHOOSING
        return self.condition is not None and self.condition not in choosing

    @property
    def code(self) -> IssueCode | None:
        """The code under which it holds its table; None where it holds nothing."""
        if self.is_asked:
            return IssueCode.COLUMN_CLAUSE
        if self.condition:
            return IssueCode.COLUMN_CONDITION
        return None if self.is_answered or self.is_explained else IssueCode.COLUMN_UNANSWERED

    @property
    def proposal(self) -> ColumnAnswer | None:
        """The answer that is proposed for it; None where nothing is asked, or a person has to think."""
        if self.code is not IssueCode.COLUMN_UNANSWERED or (self.table == "royalty_lines" and self.kind in HELD_KINDS):
            return None
        if self.parts_rows:
            return REFERENCE
        words = [word for word in words_of(self.header) if word not in _BETWEEN]
        is_about_people = bool(words) and all(_begins([word], _ABOUT_PEOPLE_FIRST) for word in words)
        return IgnoredWhile(self.kind) if is_about_people or self.table != "payments" else REMARK

    @property
    def remedy(self) -> Message:
        """What to write, so that the table is used and pays nobody more than what stands in the column would."""
        if self.is_clause and self.may_be and not self.is_asked:
            ours = Listed(tuple(map(_ours, self.may_be)))
            answer = f"columns: {columns_yaml({self.header: self.may_be[0]})}"
            facts = {"where": where_answered(self.table), "answer": answer, "columns": ours}
            return Message("condition.remedy.term", **facts, otherwise=Message("condition.remedy.deal"))
        if self.is_clause:
            return Message("condition.remedy.deal" if self.table in _DEALS else "condition.remedy.amount")
        header = yaml_scalar(self.header)
        where = where_answered(self.table)
        ignore = f"columns: {columns_yaml({self.header: IgnoredWhile(self.kind)})}"
        if self.condition is Condition.NAMELESS:
            return Message("condition.remedy.nameless", where=where, ignore=ignore)
        to_pay = next((text for text, _ in self.texts if self._may_be_paid(text)), None)
        if to_pay is None:
            return Message("condition.remedy.texts", where=where, only=f"columns: {{{header}: {{only: [...]}}}}")
        only = f"columns: {{{header}: {answer_yaml((to_pay,))}}}"
        if self.condition is Condition.DUE:  # what is due another day is due all the same
            return Message("condition.remedy.due", where=where, only=only, ignore=ignore)
        return Message("condition.remedy.only", where=where, only=only)

    def _may_be_paid(self, text: str) -> bool:
        """Whether a text says of its rows that they are to be paid, and not merely what they are."""
        if self.condition in {Condition.DUE, Condition.DIFFERENCE}:
            return True
        return self.condition is not None and fold(text) in _TO_PAY.get(self.condition, ())


def unread_columns(raw: RawTable, layout: Layout, match: HeaderMatch, among: Mask | None = None) -> list[UnreadColumn]:
    """Find the columns that are not read, and clauses by which the job chooses rows, in order.

    Args:
        among: The rows that are lines; None looks at all.
    """
    asked, remarks = set(map(fold, layout.only)), set(map(fold, layout.remarks))
    looked_at = {fold(rule.column) for rule in (*layout.leave_out, layout.sign) if rule}
    kinds_before = {fold(header): kind for header, kind in layout.ignored_kinds.items()}
    read = {*match.positions.values(), *match.ignored}
    read |= {position for positions in match.duplicates.values() for position in positions}
    found = []
    for position, header in enumerate(raw.headers):
        is_asked = bool(header.strip()) and fold(header) in asked
        if is_asked and layout.table in _DEALS and position in match.positions.values():
            found.append(UnreadColumn(position, header.strip(), Condition.SCOPE, layout.table, is_asked=True))
        was = kinds_before.get(fold(header or column_letter(position)), "")
        if (position in read and not was) or (header.strip() and fold(header) in looked_at):
            continue
        if layout.table == "royalty_lines" and header.strip() and not _keeps_back(header):
            if not is_asked and fold(header) not in remarks:  # asked about once the whole file is read
                found.append(UnreadColumn(position, header.strip(), None, layout.table, is_answered=True, was=was))
            continue
        cells = raw.cells[position] if among is None else raw.cells[position][among]
        counts = Counter(text.strip(BLANKS) for text in cells[cells != ""].tolist())
        counts.pop("", None)
        if not counts and not header.strip():
            continue
        kinds = raw.kinds_of(position) if among is None else raw.kinds_of(position)[among]
        kind = KindCounts.of(counts).kind
        if was and (not counts or kind == was):
            continue
        is_remark = fold(header or column_letter(position)) in remarks
        spoken, texts = _spoken(header, layout), _Texts(counts, kinds)
        condition = None if is_remark else _condition(header, spoken, texts, layout)
        shown = tuple(counts.most_common()) if condition and are_tellable(counts) else ()
        name = header.strip() or column_letter(position)
        is_other = _is_another_amount(header, layout) or _adds_nothing(spoken, texts)
        is_nothing = not counts or (is_other and not is_remark)
        column = UnreadColumn(
            position, name, condition, layout.table, shown, is_asked, is_remark, is_nothing, kind, was
        )
        column = replace(column, may_be=_terms_of(header, layout.table, match.positions))
        found += [column] if column.is_clause or not is_asked else []
    return found


def _terms_of(header: str, table: str, read: Collection[str]) -> tuple[str, ...]:
    """Return the terms of deals that a header speaks of, of those that a table has and no header of it is."""
    return tuple(name for name in _TERMS.get(table, ()) if name not in read and _speaks_of(words_of(header), name))


def _speaks_of(words: Sequence[str], term: str) -> bool:
    return term in _FIRST_OF_TERMS and _begins(words, _FIRST_OF_TERMS[term])


# What a column of a statement holds that a person has to think about.
HELD_KINDS: Final = frozenset({CellsOf.MONEY, CellsOf.YES_NO})
_STATES_OF_DEALS: Final = frozenset({Condition.STATE, Condition.ANSWERS, Condition.NAMELESS})
_CHOOSING: Final = _STATES_OF_DEALS | {
    Condition.METHOD,
    Condition.PAYER,
    Condition.CURRENCY,
    Condition.DUE,
    Condition.DIFFERENCE,
}


def told_apart(unread: Sequence[UnreadColumn], raw: RawTable, alike: Sequence[Sequence[int]]) -> list[UnreadColumn]:
    """Take remarks for conditions by which alone rows differ that are the same thing otherwise.

    Args:
        alike: Physical rows that would be the same thing, group by group.
    """
    cells = {column.position: raw.cells[column.position] for column in unread if column.condition is None}
    deciding = {
        position
        for position, texts in cells.items()
        if not texts.is_unique and any(len(set(texts.loc[list(rows)])) > 1 for rows in alike)
    }
    return [replace(col, condition=Condition.DIFFERENCE) if col.position in deciding else col for col in unread]


REFERENCE: Final = "reference"


def rows_of_one_payee(raw: RawTable, layout: Layout, match: HeaderMatch) -> list[list[int]]:
    """Return the physical rows of each payee who has several payments; none where a column is their reference."""
    position = match.positions.get("tax_id")
    if layout.table != "payments" or position is None or "reference" in match.positions:
        return []
    written = raw.cells[position].str.replace(NO_DIGITS, "", regex=True)
    several = written[(written != "") & written.duplicated(keep=False)]
    return [rows.tolist() for rows in several.groupby(several).groups.values()]


NO_DIGITS: Final = r"[^0-9A-Za-z]"


def parting(unread: Sequence[UnreadColumn], raw: RawTable, alike: Sequence[Sequence[int]]) -> list[UnreadColumn]:
    """Mark the first column that tells apart all payments of one payee that no reference does: a show, a date, a role.

    A remark does not: one payment that was written down twice may have two of them.

    Args:
        alike: Physical rows of one payee, payee by payee.
    """
    for column in unread if alike else ():
        if _begins(words_of(column.header), _PARTS_NOTHING_FIRST):
            continue
        if column.condition is None and not column.is_asked and column.kind in {CellsOf.TEXT, CellsOf.DATE}:
            references = raw.cells[column.position].map(fold)
            groups = [references.loc[list(rows)].tolist() for rows in alike]
            if all("" not in texts and len(set(texts)) == len(texts) for texts in groups):
                return [replace(other, parts_rows=other is column) for other in unread]
    return [*unread]


def issues_of_parting(unread: Sequence[UnreadColumn], raw: RawTable, alike: Sequence[Sequence[int]]) -> list[Issue]:
    """Offer the column that parts rows as their reference, where it has been answered otherwise."""
    return [
        make_issue(
            IssueCode.COLUMN_PARTS_ROWS,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(column.position)}{raw.header_row}",
            row=raw.header_row,
            column=column.header,
            rows=", ".join(map(str, alike[0])),
            where=where_answered(column.table),
            answer=f"columns: {columns_yaml({column.header: REFERENCE})}",
        )
        for column in unread
        if column.parts_rows and column.code is None
    ]


# What a column of numbers may be that arithmetic explains.
_OF_NUMBERS: Final = frozenset({Condition.PARTS, Condition.DEDUCTION, Condition.AMOUNTS})


def explained(
    unread: Sequence[UnreadColumn], raw: RawTable, amounts: Mapping[int, Decimal], position: int
) -> tuple[list[UnreadColumn], Message | None]:
    """Take columns of numbers for explained that make up the amount behind them in every row.

    Args:
        amounts: Physical row -> its amount, of rows that have one.
        position: Of the column of amounts.

    Returns:
        The columns, and how the amount comes about; None where nothing is explained.
    """
    rows = list(amounts)
    columns = [
        numbers
        for column in unread
        if (column.condition in _OF_NUMBERS or _is_of_numbers(column)) and column.position < position
        for numbers in [read_column(raw, column.position, rows, is_taken_off=column.condition is Condition.DEDUCTION)]
        if numbers is not None
    ]
    names = {column.position: column.header for column in unread}
    found = find_identity(list(amounts.values()), columns, names) if columns else None
    if found is None:
        return list(unread), None
    told = Message("table.identity", column=raw.headers[position].strip(), parts=found.written)
    return [
        replace(column, condition=None, is_explained=True) if column.position in found.positions else column
        for column in unread
    ], told


def _is_of_numbers(column: UnreadColumn) -> bool:
    """Tell whether a column may be a part of the amount though its header speaks of nothing, or might have been it."""
    return column.condition is None and (column.kind in _NUMBERS or is_about_the_amount(column.header))


_NUMBERS: Final = frozenset({CellsOf.MONEY, CellsOf.WHOLE_NUMBER})


def issues_of(unread: Sequence[UnreadColumn], raw: RawTable) -> list[Issue]:
    """Tell of columns that are not read, at their headers: each condition by itself, all without an answer at once."""
    unanswered = [column for column in unread if column.code is IssueCode.COLUMN_UNANSWERED]
    told = [(column, column.code, _facts(column)) for column in unread if column.code and column not in unanswered]
    told += [(unanswered[0], IssueCode.COLUMN_UNANSWERED, _facts_of_all(unanswered))] if unanswered else []
    return [
        make_issue(
            code,
            file=raw.file.name,
            sheet=raw.sheet,
            cell=f"{column_letter(column.position)}{raw.header_row}",
            row=raw.header_row,
            column=column.header,
            **facts,
        )
        for column, code, facts in told
    ]


def _facts(column: UnreadColumn) -> dict[str, Any]:
    is_told = column.texts and column.table != "royalty_lines"
    return {
        "what": Message(f"condition.{column.condition}"),
        "texts": quoted(column.texts) if is_told else Message("condition.texts"),
        "remedy": column.remedy,
    }


def _facts_of_all(unanswered: Sequence[UnreadColumn]) -> dict[str, Any]:
    return {
        "columns": Listed(tuple(map(_named, unanswered))),
        "where": where_answered(unanswered[0].table),
        "answers": f"columns: {columns_yaml({column.header: column.proposal or REMARK for column in unanswered})}",
        "others": Message("answers.of_rows"),
    }


def _ours(name: str) -> Message:
    return Message("condition.ours", name=name, column=Message(f"model.column.{name}"))


def _named(column: UnreadColumn) -> Message | str:
    if not column.was:
        return column.header
    was, now = Message(f"cells.{column.was}"), Message(f"cells.{column.kind}")
    return Message("column.of_another_kind", column=column.header, was=was, now=now)


def where_answered(table: str, sender: str = "") -> Message:
    """Say where the headers of a table are answered: in the job, or of a known sender's statement for all jobs."""
    if sender:
        return Message("condition.house")
    is_other = table not in {"payments", "royalty_lines"}
    return Message("condition.beside" if is_other else "condition.source", table=table)


def not_used(unread: Sequence[tuple[str, str]]) -> list[Message]:
    """Say in the line on a file which of its columns are not read.

    Args:
        unread: Header of each, and what stands there where that is told.
    """
    columns = [
        Message("table.not_used.texts", column=header, texts=texts)
        if texts
        else Message("table.not_used.column", column=header)
        for header, texts in unread[:_MOST_COLUMNS]
    ]
    if more := len(unread) - len(columns):
        columns.append(Message("error.more_assets", count=more))
    return [Message("table.not_used", columns=Listed(tuple(columns)))] if columns else []


_MOST_COLUMNS: Final = 12


def quoted(texts: Sequence[tuple[str, int]]) -> str:
    """Return texts with how often each stands there, the most frequent first."""
    return ", ".join(f"{count} {text}" for text, count in texts)


_WORDS: Final = vocabulary("conditions")
_DEALS: Final = frozenset({"shares", "costs", "advances", "opening", "taxes", "invoices"})
MONTHS: Final[Sequence[str]] = _WORDS["months"]
_OF_MONTHS: Final = re.compile(
    rf"(?:{'|'.join(MONTHS)})(?:\s*(?:de\s*)?\d{{2,4}})?"
    r"|\d{1,2}\s*(?:a|o|ª|º)?\s*(?:parcela|quinzena|semana)|(?:parcela|quinzena|semana)\s*\d{1,2}"
    r"|(?:0?[1-9]|1[0-2])\s\d{4}|\d{4}\s(?:0?[1-9]|1[0-2])"
)


def _texts(name: str) -> frozenset[str]:
    return frozenset(map(fold, _WORDS[name]))


_STATES: Final = _texts("states")
YES_OR_NO: Final = _texts("answers")
_METHODS: Final = _texts("methods")
_AS_WE_PAY: Final = _texts("as_we_pay")
_HOME: Final = _texts("home_currency")
_EVERYWHERE: Final = _texts("everywhere")
_TO_PAY: Final[Mapping[Condition, frozenset[str]]] = {
    Condition.STATE: _texts("to_pay"),
    Condition.METHOD: _AS_WE_PAY,
    Condition.CURRENCY: _HOME,
}
IS_MONEY: Final = re.compile(
    r"-?\(?(?:R\$|US\$|\$|€|£|BRL|USD|EUR)\s?-?[0-9][0-9.,]*\)?|"
    r"-?\(?[0-9]{1,3}(?:[.,]?[0-9]{3})*[.,][0-9]{2}\)?|[0-9.,]+\s?%"
)
_NOUGHT: Final = re.compile(r"[-–—]*(?:R\$|US\$|\$|€)?\s?[-–—]*0*(?:[.,]0+)?\s?%?")
_NO_MONEY: Final = re.compile(r"[-–—]+|(?:R\$|US\$|\$|€)?\s?[-–—]*0*[.,]0+|(?:R\$|US\$|\$|€)\s?[-–—]*0*")
_MOST_TEXTS: Final = 6
_LONGEST_TEXT: Final = 24
FEWEST_COUNTED: Final = 3


class _Texts(NamedTuple):
    """The distinct texts of a column, and what kinds of cells hold them."""

    counts: Mapping[str, int]
    kinds: npt.NDArray[np.int8]

    def all(self, holds: Callable[[str], object]) -> bool:
        return all(map(holds, self.counts))


def _spoken(header: str, layout: Layout) -> Condition | None:
    """Return the condition that a header speaks of."""
    if layout.table == "royalty_lines" or not header.strip():
        return Condition.DEDUCTION if _keeps_back(header) else Condition.NAMELESS
    return _spoken_of(words_of(header), layout)


def _condition(header: str, spoken: Condition | None, texts: _Texts, layout: Layout) -> Condition | None:
    """Tell why a column may bear on a payment; None where nothing says so."""
    if not texts.counts or _adds_nothing(spoken, texts) or _is_another_amount(header, layout):
        return None
    if spoken:
        is_about = _IS_ABOUT_PEOPLE.get(spoken)
        return None if is_about and texts.all(is_about) else spoken
    return _by_its_cells(texts, layout.table, is_remark=is_beside(header))


def _is_another_amount(header: str, layout: Layout) -> bool:
    """Tell whether a header is one of several amounts, of which the job has chosen another."""
    return "amount" in layout.exact and is_about_the_amount(header)


def _adds_nothing(spoken: Condition | None, texts: _Texts) -> bool:
    """Tell whether a column is of noughts, or says of each row what is done anyway, or no more than its number."""
    if not texts.counts:
        return False
    harmless = _HARMLESS[spoken]
    numbers = spoken in {None, Condition.NAMELESS} and texts.all(_COUNT.fullmatch) and _numbers_rows(texts)
    return texts.all(harmless) or numbers


# In a statement: what the label or the state keeps, of which the sender's own amount may say nothing.
_KEPT_BACK: Final = re.compile(r"\b(?:retenc|retid|withh)|\bd[oa] (?:selo|gravadora|editora)\b")


def _keeps_back(header: str) -> bool:
    """Tell whether a header of a statement speaks of what a label or the state keeps of a line."""
    return _KEPT_BACK.search(" ".join(words_of(header))) is not None


# What under a header that speaks of a condition says where people live, or their number at an office: Estado, PIS.
_IS_ABOUT_PEOPLE: Final[Mapping[Condition, Callable[[str], object]]] = {
    Condition.STATE: lambda text: text.casefold() in _WORDS["states_of_brazil"],
    Condition.DEDUCTION: re.compile(r"[0-9]{9,14}|[0-9]{3}\.[0-9]{5}\.[0-9]{2}-[0-9]").fullmatch,
}


def is_no_money(text: str) -> bool:
    """Tell whether a text is a dash, or an amount of nothing with its centavos; a bare 0 may be a no."""
    return _NO_MONEY.fullmatch(text) is not None


def _is_nought(text: str) -> bool:
    """Tell whether a text is nought, a dash, or a word for nothing."""
    is_nothing = bool(says_nothing(text, is_name=False)) and fold(text) not in YES_OR_NO
    return is_nothing or _NOUGHT.fullmatch(text) is not None


# What may stand under a header that speaks of a condition, or of none, and is done anyway.
_HARMLESS: Final[Mapping[Condition | None, Callable[[str], bool]]] = {
    **dict.fromkeys((None, *Condition), is_no_money),
    Condition.DEDUCTION: _is_nought,
    Condition.CAP: _is_nought,
    Condition.PARTS: _is_nought,
    Condition.METHOD: lambda text: fold(text) in _AS_WE_PAY,
    Condition.CURRENCY: lambda text: fold(text) in _HOME,
    Condition.SCOPE: lambda text: fold(text) in _EVERYWHERE,
}


def _spoken_of(words: Sequence[str], layout: Layout) -> Condition | None:
    """Return the condition that a header speaks of by its words."""
    if any(word in _WORDS["of_paying"] for word in words):
        if any(word in _WORDS["ways"] for word in words):
            return Condition.METHOD
        if any(word in _WORDS["days"] for word in words):
            return Condition.DUE
    if _OF_MONTHS.fullmatch(" ".join(words)):
        return Condition.PARTS
    if layout.table in _DEALS and _begins(words, _FIRST[Condition.SCOPE]):
        return Condition.SCOPE
    spoken = (condition for condition, first in _FIRST.items() if _begins(words, first))
    found = next((condition for condition in spoken if condition is not Condition.SCOPE), None)
    is_term = found is None and any(_speaks_of(words, name) for name in _TERMS.get(layout.table, ()))
    return Condition.TERM if is_term else found


def _by_its_cells(texts: _Texts, table: str, *, is_remark: bool) -> Condition | None:
    """Return the condition that the cells of a column speak of under a header that says nothing."""
    folded = [fold(text) for text in texts.counts]
    if any(text in _STATES for text in folded):
        return Condition.STATE
    if any(text in _METHODS for text in folded):
        return Condition.METHOD
    if is_remark:
        return None
    if all(text in YES_OR_NO for text in folded) or bool((texts.kinds == CellKind.BOOL).any()):
        return Condition.ANSWERS
    is_number = table == "payments" and texts.all(_COUNT.fullmatch)
    return Condition.AMOUNTS if is_number or _mostly_money(texts) else None


def _numbers_rows(texts: _Texts) -> bool:
    """Tell whether numbers count the rows from 0 or 1, one by one; a few may be answers."""
    numbers = [int(text) for text in texts.counts]
    counted = list(range(numbers[0], numbers[0] + len(numbers)))
    return (
        len(numbers) >= FEWEST_COUNTED
        and set(texts.counts.values()) == {1}
        and numbers[0] in {0, 1}
        and numbers == counted
    )


class KindCounts(NamedTuple):
    """How many of a column's distinct texts are of a kind; those of several parts of it may be added up."""

    texts: int = 0
    answers: int = 0
    days: int = 0
    whole: int = 0
    money: int = 0

    @classmethod
    def of(cls, texts: Collection[str]) -> "KindCounts":
        return cls(
            len(texts),
            sum(fold(text) in YES_OR_NO for text in texts),
            sum(bool(_DAY.fullmatch(text)) for text in texts),
            sum(text.isdecimal() for text in texts),
            sum(is_money_or_fraction(text) for text in texts),
        )

    def plus(self, other: "KindCounts") -> "KindCounts":
        return KindCounts(*map(add, self, other))

    @property
    def kind(self) -> CellsOf:
        """What the cells are, by what is written in them alone."""
        kinds = {CellsOf.YES_NO: self.answers, CellsOf.DATE: self.days, CellsOf.WHOLE_NUMBER: self.whole}
        if self.texts and (whole := next((kind for kind, count in kinds.items() if count == self.texts), None)):
            return whole
        return CellsOf.MONEY if self.money and 2 * self.money >= self.texts else CellsOf.TEXT


def is_money_or_fraction(text: str) -> bool:
    return bool(IS_MONEY.fullmatch(text) or IS_FRACTION.fullmatch(text))


def _mostly_money(texts: _Texts) -> bool:
    """Tell whether most cells are amounts or percentages; whole numbers without a mark may be codes."""
    numbers = bool((texts.kinds == CellKind.NUMBER).any())
    looks = [bool(IS_MONEY.fullmatch(text) or (numbers and IS_FRACTION.fullmatch(text))) for text in texts.counts]
    return 2 * sum(looks) >= len(looks)


_COUNT: Final = re.compile(r"-?[0-9]{1,5}")  # longer ones may be codes, documents, telephones
# With points a day needs its year: 5.10 is a number.
_DAY: Final = re.compile(
    r"(?:[0-9]{1,4}[-/][0-9]{1,2}(?:[-/][0-9]{2,4})?|[0-9]{1,2}\.[0-9]{1,2}\.[0-9]{2,4})(?:[ T][0-9:.]+)?"
)
IS_FRACTION: Final = re.compile(r"-?[0-9]+\.[0-9]+")


def words_of(header: str) -> list[str]:
    """Return a header's words, in small letters without accents."""
    return re.findall(r"[a-z0-9]+", without_accents(header))


class _First(NamedTuple):
    """Words, of which those of five letters or more stand for all that begin so, shorter ones for themselves alone."""

    whole: frozenset[str]
    begun: tuple[str, ...]


def _first(words: Sequence[str]) -> _First:
    return _First(frozenset(words), tuple(word for word in words if len(word) >= _STEM))


_STEM: Final = 5
# What rows of deals may say beside who gets how much; see `schemas.tables`.
_TERMS: Final[Mapping[str, tuple[str, ...]]] = {
    "shares": (
        *("territory", "income", "platform", "format", "tier_from", "tier_to", "cap", "base", "contract"),
        *("reserve", "given_back", "valid_from", "valid_to"),
    ),
    "costs": ("territory", "income", "platform", "format", "cap", "date", "tax_id"),
    "advances": ("contract", "isrc", "release", "artist", "recoup", "kind", "date"),
}
_FIRST_OF_TERMS: Final = {name: _first(words) for name, words in _WORDS["terms"].items()}
_FIRST: Final = {Condition(name): _first(words) for name, words in _WORDS["speak_of"].items()}
_REMARKS_FIRST: Final = _first([*_WORDS["about_people"], *_WORDS["about_payments"], *_WORDS["remarks"]])
_PARTS_NOTHING_FIRST: Final = _first(_WORDS["remarks"])
_ABOUT_PEOPLE_FIRST: Final = _first(_WORDS["about_people"])
_BETWEEN: Final = frozenset({"de", "do", "da", "del", "of", "e", "and", "y"})


def _begins(words: Sequence[str], first: _First) -> bool:
    return any(word in first.whole or word.startswith(first.begun) for word in words)


def is_beside(header: str) -> bool:
    """Tell whether a header speaks of what people write beside payments: telephones, cities, shows, roles."""
    return _begins(words_of(header), _REMARKS_FIRST)


def are_tellable(counts: Mapping[str, int]) -> bool:
    """Tell whether texts are few, short, and words that name nobody."""
    return len(counts) <= _MOST_TEXTS and all(_names_nobody(text) for text in counts)


def _names_nobody(text: str) -> bool:
    folded = fold(text)
    known = folded in _STATES | YES_OR_NO | _METHODS | _AS_WE_PAY | _HOME
    short = len(text) <= _LONGEST_TEXT
    return short and (known or bool(_SHORT_VALUE.fullmatch(text)))


# Amounts with their centavos, percentages, dates, instalments, codes of countries and currencies. Bare numbers may be
# accounts, branches, banks and phones.
_SHORT_VALUE: Final = re.compile(
    r"[A-Z]{2,3}|(?:R\$ ?)?-?[0-9]{1,3}(?:\.?[0-9]{3}){0,2},[0-9]{2}|[0-9]{1,3}(?:[.,][0-9]{1,2})? ?%|"
    r"[0-9]{1,2}/[0-9]{1,2}(?:/[0-9]{2}|/[0-9]{4})?|[0-9]{4}-[0-9]{2}-[0-9]{2}"
)
