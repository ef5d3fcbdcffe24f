"""Drafting a layout from a statement that none reads: what its cells show, what its headers say, and what came in.

A draft is sound YAML, also once any of its commented settings are no longer comments.
"""

import json
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final, Literal, NamedTuple

from schemas.layouts.headers import usual_columns
from schemas.layouts.layout import Layout, fold
from schemas.layouts.money_column import ISO_CODE, currency_in, is_money, is_number, money_weight, speaks_of_money
from schemas.messages import Message, render
from schemas.sheet_cells import HeadRow, View
from schemas.values.money import DecimalMark, read_amount_text

_PLAIN: Final = re.compile(r"[A-Za-zÀ-ÿ][\wÀ-ÿ /()$%'-]*[\w)]")
_WORDS_OF_YAML: Final = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


def yaml_scalar(text: str) -> str:
    """Write a text as YAML that can stand in a list or in a comment, whatever it holds."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


SourceTable = Literal["payments", "royalty_lines"]

_READ_AS_AMOUNT: Final = 2
_NOT_READ: Final = 1


class Vocabulary:
    def __init__(self, known: Sequence[Layout], table: SourceTable) -> None:
        layouts = [layout for layout in known if layout.table == table]
        self._read: dict[str, Counter[str]] = {}
        for layout in layouts:
            for column, aliases in layout.columns.items():
                for alias in aliases:
                    self._read.setdefault(fold(alias), Counter())[column] += 1
        self._not_read = Counter(header for layout in layouts for header in set(map(fold, layout.not_columns)))
        columns = {column for layout in layouts for column in layout.columns}
        self._usual = usual_columns(table, columns)

    def claims(self, headers: Sequence[str], samples: Mapping[int, Sequence[str]]) -> dict[str, tuple[int, ...]]:
        """Return canonical column -> the positions that could be it, the likeliest first, then the leftmost."""
        weighed: dict[str, list[tuple[int, int]]] = {}
        for position, texts in samples.items():
            column, weight = self._column(headers[position])
            if column != "amount" and weight > 0:
                weighed.setdefault(column, []).append((weight, position))
            elif is_money(texts, headers[position]) and self._may_be_paid(headers[position], column):
                weighed.setdefault("amount", []).append((self._money(headers[position]), position))
        return {
            column: tuple(position for _, position in sorted(found, key=lambda pair: (-pair[0], pair[1])))
            for column, found in weighed.items()
        }

    def _column(self, header: str) -> tuple[str, int]:
        """Return the column that most layouts read a header as, or else the usual one, and by how many votes."""
        folded = fold(header)
        if votes := self._read.get(folded):
            column, count = votes.most_common(1)[0]
            return column, count - self._not_read[folded]
        usual = self._usual.get(folded, "")
        return usual, 1 if usual and not self._not_read[folded] else 0

    def _may_be_paid(self, header: str, column: str) -> bool:
        """Tell whether amounts below a header may be what is paid: never counts, codes or rates."""
        return speaks_of_money(header) and (column == "amount" or money_weight(header) > 0)

    def _money(self, header: str) -> int:
        folded = fold(header)
        read = self._read.get(folded, Counter[str]())["amount"]
        return money_weight(header) + _READ_AS_AMOUNT * read - _NOT_READ * self._not_read[folded]


_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/.]([0-9]{1,2})[-/.](?:[0-9]{4}|[0-9]{2})(?:[T ].*)?")
_MONTHS: Final = 12


def decimal_mark(texts: Iterable[str]) -> Literal[",", "."] | None:
    """Return the decimal mark that amounts prove; None for none, or both."""
    marks = {amount.mark for text in texts if (amount := read_amount_text(text)) and amount.mark}
    return marks.pop() if len(marks) == 1 else None


def date_order(texts: Iterable[str]) -> Literal["day_first", "month_first"] | None:
    """Tell what dates with the year last prove of their order; None for nothing, or both."""
    proven: set[Literal["day_first", "month_first"]] = set()
    for text in texts:
        if found := _YEAR_LAST.fullmatch(text):
            first, second = int(found[1]), int(found[2])
            if max(first, second) > _MONTHS:
                proven.add("day_first" if first > second else "month_first")
    return proven.pop() if len(proven) == 1 else None


def has_open_dates(texts: Iterable[str]) -> bool:
    return any(_YEAR_LAST.fullmatch(text) for text in texts)


_FEWEST_HEADERS: Final = 3
_SAMPLE_ROWS: Final = 25
_ONLY_IN_PAYMENTS: Final = frozenset({"tax_id", "pix_key", "account"})


@dataclass(frozen=True, slots=True)
class Guess:
    """A table as it seems to be. Positions count from 0, column A."""

    view: View
    header: HeadRow
    table: SourceTable
    columns: dict[str, int]
    rivals: dict[str, tuple[int, ...]]
    decoys: tuple[int, ...]
    unknown: tuple[int, ...]
    samples: dict[int, tuple[str, ...]]


class KnownMoney(NamedTuple):
    """The column that is the money: people said so, or what came in.

    Attributes:
        mark: Decimal mark of its texts; None where its cells show it.
        currency: As far as somebody said it; "" otherwise.
        why: For people.
    """

    position: int
    mark: DecimalMark | None
    currency: str
    why: Message


def guess_table(views: Sequence[View], known: Sequence[Layout]) -> Guess | None:
    """Guess what a file holds.

    Returns:
        The widest table that has a header and numbers below it, or None.
    """
    headed = [
        (view.visible, _filled(head), -head.row, view, at)
        for view in views
        for at, head in enumerate(view.head)
        if _is_header(head, view.head[at + 1 :])
    ]
    if not headed:
        return None
    *_, view, at = max(headed, key=lambda candidate: candidate[:3])
    return _understood(view, at, known)


def _filled(head: HeadRow) -> int:
    return len({fold(text) for text in head.texts if text.strip()})


def _is_header(head: HeadRow, below: Sequence[HeadRow]) -> bool:
    """Tell whether a row is several different words, and rows below it fill its columns, with numbers among them."""
    labels = [text for text in head.texts if text.strip()]
    if len(labels) < _FEWEST_HEADERS or _filled(head) < len(labels) - 1 or any(map(is_number, labels)):
        return False
    rows = [row for row in below[:_SAMPLE_ROWS] if any(map(str.strip, row.texts))]
    # A payee has either a Pix key or an account: half of a sheet of payments is blank.
    full = [row for row in rows if 3 * sum(bool(text.strip()) for text in row.texts) >= len(labels)]
    return 2 * len(full) > len(rows) and any(is_number(text) for row in full for text in row.texts)


def _understood(view: View, at: int, known: Sequence[Layout]) -> Guess:
    header = view.head[at]
    below = view.head[at + 1 : at + 1 + _SAMPLE_ROWS]
    samples = {position: _below(position, below) for position, text in enumerate(header.texts) if text.strip()}
    payments = Vocabulary(known, "payments").claims(header.texts, samples)
    table: SourceTable = "payments" if _ONLY_IN_PAYMENTS & payments.keys() else "royalty_lines"
    claims = payments if table == "payments" else Vocabulary(known, table).claims(header.texts, samples)
    taken = {position for ranked in claims.values() for position in ranked}
    if table == "royalty_lines":
        shown = _shown_by_cells({position: texts for position, texts in samples.items() if position not in taken})
        claims = {column: (position,) for column, position in shown.items()} | claims
        taken |= {claims[column][0] for column in shown}
    not_read = {fold(text) for layout in known for text in layout.not_columns}
    rest = [position for position in samples if position not in taken]
    decoys = tuple(position for position in rest if fold(header.texts[position]) in not_read)
    return Guess(
        view,
        header,
        table,
        columns={column: ranked[0] for column, ranked in claims.items()},
        rivals={column: ranked[1:] for column, ranked in claims.items() if len(ranked) > 1},
        decoys=decoys,
        unknown=tuple(position for position in rest if position not in decoys),
        samples=samples,
    )


_CELLS: Final[Mapping[str, re.Pattern[str]]] = {
    "isrc": re.compile(r"[A-Z]{2}-?[A-Z0-9]{3}-?[0-9]{2}-?[0-9]{5}"),
    "currency": ISO_CODE,
    "period": re.compile(
        r"(19|20)[0-9]{2}[-/](0?[1-9]|1[0-2])([-/][0-9]{1,2})?|([0-9]{1,2}[-/.])?[0-9]{1,2}[-/.](19|20)[0-9]{2}|"
        r"[^\W\d_]{3,9}\.?[ /-](de )?(19|20)[0-9]{2}"
    ),
}


def _shown_by_cells(samples: Mapping[int, Sequence[str]]) -> dict[str, int]:
    """Return the columns that are known by what stands below them, whatever they are called, the leftmost of each.

    One text that is none of it may be the label of a total.
    """
    found: dict[str, int] = {}
    for column, form in _CELLS.items():
        for position, texts in samples.items():
            others = sum(not form.fullmatch(text) or is_number(text) for text in texts)
            if texts and others <= (len(texts) > _FEW_TEXTS):
                found.setdefault(column, position)
    return found


_FEW_TEXTS: Final = 2


def _with_money(guess: Guess, position: int) -> Guess:
    """Take a column for the money, whatever it seemed to be."""
    before = [guess.columns["amount"], *guess.rivals.get("amount", ())] if "amount" in guess.columns else []
    columns = {column: at for column, at in guess.columns.items() if at != position} | {"amount": position}
    rivals = {column: tuple(at for at in several if at != position) for column, several in guess.rivals.items()}
    return replace(
        guess,
        columns=columns,
        rivals=rivals | {"amount": tuple(at for at in before if at != position)},
        decoys=tuple(at for at in guess.decoys if at != position),
        unknown=tuple(at for at in guess.unknown if at != position),
    )


def _below(position: int, rows: Sequence[HeadRow]) -> tuple[str, ...]:
    texts = (row.texts[position].strip() for row in rows if len(row.texts) > position)
    return tuple(dict.fromkeys(filter(None, texts)))


_DECIDING: Final = 4
_WANTED: Final = {
    "royalty_lines": ("period", "platform", "isrc", "amount", "currency"),
    "payments": ("tax_id", "amount"),
}
_TOTALS: Final = frozenset(
    map(fold, ("Total", "Totais", "Total geral", "Subtotal", "Soma", "Grand total", "Sum", "Totals", "Suma"))
)


def draft_layout(
    views: Sequence[View], known: Sequence[Layout], name: str, *, language: str = "en", money: KnownMoney | None = None
) -> str:
    """Write a layout for a file, as well as its first rows let it be guessed.

    Returns:
        YAML that reads as a layout; with an amount among its columns whenever a column is known to be the money, or
        looks like it.
    """
    guess = guess_table(views, known)
    lines = [*_comment(render("draft.head", language, name=name)), f"layout: {yaml_scalar(name)}"]
    if guess is None:
        lines += [
            f"title: {yaml_scalar(name)}",
            "table: royalty_lines",
            f"columns: {{}}    # {render('draft.nothing', language)}",
        ]
    else:
        guess = _with_money(guess, money.position) if money else guess
        lines += _Draft(guess, known, name, language, money).lines()
    return "\n".join(lines) + "\n"


_WENT_OUT: Final = re.compile("void|return|refund|revers|payout|chargeback|estorno|devol|cancel")
_FEW_WORDS: Final = 8
_YEAR: Final = re.compile("year|^ano|ano$|anio")
_MONTH: Final = re.compile("month|^mes|mes$")
_IS_YEAR: Final = re.compile("(19|20)[0-9]{2}").fullmatch
_IS_MONTH: Final = re.compile(r"0?[1-9]|1[0-2]|[^\W\d_]{3,9}").fullmatch


def _beside(head: HeadRow) -> list[tuple[str, str]]:
    cells = [text.strip() for text in head.texts if text.strip()]
    return list(pairwise(cells))


class _Draft:
    def __init__(
        self, guess: Guess, known: Sequence[Layout], name: str, language: str, money: KnownMoney | None
    ) -> None:
        self._guess = guess
        self._known_money = money
        self._known = known
        self._name = name
        self._language = language
        self._above: frozenset[str] = frozenset()
        self._days: tuple[str, ...] = ()

    def lines(self) -> Iterator[str]:
        guess = self._guess
        yield f"title: {yaml_scalar(self._name)}    # {self._text('draft.title')}"
        yield f"table: {guess.table}" + (f"    # {self._text('draft.table')}" if guess.table == "payments" else "")
        yield from self._recognise()
        if guess.view.sheet is not None:
            yield f"sheets: [{yaml_scalar(guess.view.sheet)}]    # {self._text('draft.sheet')}"
        yield f"# header_row: {guess.header.row}    # {self._text('draft.header_row')}"
        yield from self._preamble()
        yield from self._columns()
        required = [column for column in _WANTED[guess.table] if column in guess.columns]
        yield f"required: [{', '.join(required)}]"
        yield from self._ignored()
        yield from self._conventions()

    def _recognise(self) -> Iterator[str]:
        guess = self._guess
        everywhere = {fold(alias) for layout in self._known for aliases in layout.columns.values() for alias in aliases}
        everywhere |= {fold(header) for layout in self._known for header in layout.not_columns}
        own = sorted(
            (position for position in guess.samples if fold(guess.header.texts[position]) not in everywhere),
            key=lambda position: -len(guess.header.texts[position]),
        )
        first = [guess.columns["amount"]] if "amount" in guess.columns else []
        rest = [guess.columns[column] for column in _WANTED[guess.table] if column in guess.columns]
        deciding = list(dict.fromkeys([*first, *own, *rest]))[:_DECIDING]
        yield "recognise:"
        yield f"  headers: [{', '.join(map(self._header, deciding))}]    # {self._text('draft.recognise')}"

    def _columns(self) -> Iterator[str]:
        guess = self._guess
        yield "columns:"
        for column, position in guess.columns.items():
            others = ", ".join(map(self._header, guess.rivals.get(column, ())))
            if column == "amount" and self._known_money:
                word = render(self._known_money.why, self._language)
            elif column == "amount":
                others = ", ".join(filter(None, (others, *map(self._header, self._money()))))
                word = self._text("draft.money", others=others) if others else self._text("draft.only_money")
            else:
                word = self._text("draft.rivals", others=others) if others else self._text("draft.column")
            yield f"  {column}: [{self._header(position)}]    # {word}"
        if "amount" not in guess.columns:
            numbers = [p for p, texts in guess.samples.items() if is_money(texts) and p not in guess.columns.values()]
            first = self._header(numbers[-1]) if numbers else '"..."'
            yield f"  # amount: [{first}]    # {self._text('draft.no_amount')}"

    def _preamble(self) -> Iterator[str]:
        guess = self._guess
        if guess.table != "royalty_lines":
            return
        if months := self._months():
            year, month = map(self._header, months)
            yield f"months: {{year: {year}, month: {month}}}    # {self._text('draft.months')}"
        above = [_beside(head) for head in guess.view.head if head.row < guess.header.row]
        found: dict[str, str] = {}
        for pairs in above:
            for label, text in pairs:
                if "currency" not in guess.columns and ISO_CODE.fullmatch(text):
                    found.setdefault("currency", label)
                if "period" not in guess.columns and not months and _CELLS["period"].fullmatch(text):
                    self._days = (*self._days, text) if "period" not in found else self._days
                    found.setdefault("period", label)
        if found:
            labels = ", ".join(f"{column}: {{label: {yaml_scalar(label)}}}" for column, label in found.items())
            yield f"preamble: {{{labels}}}    # {self._text('draft.preamble')}"
        self._above = frozenset(found)

    def _months(self) -> tuple[int, int] | None:
        guess = self._guess
        texts = {position: fold(guess.header.texts[position]) for position in guess.samples}
        years = [p for p, text in texts.items() if _YEAR.search(text) and all(map(_IS_YEAR, guess.samples[p]))]
        months = [p for p, text in texts.items() if _MONTH.search(text) and all(map(_IS_MONTH, guess.samples[p]))]
        if len(years) != 1 or len(months) != 1:
            return None
        if guess.columns.get("period") in (*years, *months):
            del guess.columns["period"]
        return years[0], months[0]

    def _ignored(self) -> Iterator[str]:
        guess = self._guess
        money = self._money()
        comments = {position: self._text("draft.decoy") for position in guess.decoys}
        comments |= {
            position: self._text("draft.rival", column=column)
            for column, positions in guess.rivals.items()
            for position in positions
        }
        comments |= {position: self._text("draft.maybe_money") for position in money}
        unknown = [position for position in guess.unknown if position not in comments]
        if comments or unknown:
            yield "ignored:"
            yield from (f"  - {self._header(position)}    # {comments[position]}" for position in sorted(comments))
            word = self._text("draft.unknown")
            yield from (
                f"  # - {self._header(position)}" + ("" if at else f"    # {word}")
                for at, position in enumerate(unknown)
            )

    def _conventions(self) -> Iterator[str]:
        guess = self._guess
        amounts = guess.samples.get(guess.columns.get("amount", -1), ())
        mark = decimal_mark(amounts) if guess.view.sheet is None else None  # a sheet's numbers have none of their own
        mark = self._known_money.mark if self._known_money and self._known_money.mark else mark
        if mark:
            yield f'decimal: "{mark}"    # {self._text("draft.decimal")}'
        periods = (*guess.samples.get(guess.columns.get("period", -1), ()), *self._days)
        if order := date_order(periods):
            yield f"dates: {order}    # {self._text('draft.dates')}"
        elif has_open_dates(periods):
            yield f"# dates: day_first    # {self._text('draft.dates_open')}"
        if "currency" not in {*guess.columns, *self._above} and guess.table == "royalty_lines":
            yield self._currency()
        words = dict.fromkeys(text for texts in guess.samples.values() for text in texts if fold(text) in _TOTALS)
        if words:
            yield f"totals: [{', '.join(map(yaml_scalar, words))}]    # {self._text('draft.totals')}"
        else:
            yield f"# totals: [Total]    # {self._text('draft.no_totals')}"
        yield from self._ways()

    def _ways(self) -> Iterator[str]:
        guess = self._guess
        for position, texts in guess.samples.items():
            words = [text for text in texts if _WENT_OUT.search(fold(text))]
            if words and len(texts) <= _FEW_WORDS and position not in guess.columns.values():
                sign = f"{{column: {self._header(position)}, negative: [{', '.join(map(yaml_scalar, words))}]}}"
                left_out = f"{{column: {self._header(position)}, values: [{', '.join(map(yaml_scalar, words))}]}}"
                yield f"# sign: {sign}    # {self._text('draft.sign')}"
                yield f"# leave_out: [{left_out}]    # {self._text('draft.leave_out')}"

    def _currency(self) -> str:
        if self._known_money and self._known_money.currency:
            return f"currency: {self._known_money.currency}    # {self._text('draft.currency_came_in')}"
        position = self._guess.columns.get("amount")
        if position is not None and (currency := currency_in(self._guess.header.texts[position])):
            return f"currency: {currency}    # {self._text('draft.currency', header=self._header(position))}"
        return f"# currency: BRL    # {self._text('draft.no_currency')}"

    def _money(self) -> list[int]:
        guess = self._guess
        rest = sorted((*guess.decoys, *guess.unknown))
        numbers = [p for p in rest if guess.samples[p] and all(map(is_number, guess.samples[p]))]
        return [p for p in numbers if speaks_of_money(guess.header.texts[p])]

    def _header(self, position: int) -> str:
        return yaml_scalar(self._guess.header.texts[position].strip())

    def _text(self, key: str, **details: object) -> str:
        return render(key, self._language, **details)


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in text.splitlines()]
