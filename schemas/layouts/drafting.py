"""Drafting a layout from a sheet that none reads, and naming the known one that a sheet comes near."""

import json
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Final

from schemas.layouts.headers import match_headers
from schemas.layouts.layout import Layout, fold
from schemas.layouts.recognise import (
    Fit,
    MoneyColumn,
    SourceTable,
    Vocabulary,
    candidates,
    currency_in,
    date_order,
    decimal_mark,
    find_header,
    has_open_dates,
    is_money,
    is_number,
    money_weight,
    speaks_of_money,
    variants,
)
from schemas.messages import render
from schemas.sheet_cells import HeadRow, View

_PLAIN: Final = re.compile(r"[A-Za-zÀ-ÿ][\wÀ-ÿ /()$%'-]*[\w)]")
_WORDS_OF_YAML: Final = frozenset({"yes", "no", "on", "off", "true", "false", "null", "y", "n"})


def yaml_scalar(text: str) -> str:
    """Write a text as YAML that can stand in a list or in a comment, whatever it holds."""
    if _PLAIN.fullmatch(text) and text.casefold() not in _WORDS_OF_YAML:
        return text
    return json.dumps(text, ensure_ascii=not text.isprintable())


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


_MOST_CANDIDATES: Final = 3


def money_candidates(views: Sequence[View], known: Sequence[Layout]) -> list[MoneyColumn]:
    """Return the columns that may be the money, the likeliest first: a person tells by their sums which one it is."""
    guess = guess_table(views, known)
    if guess is None:
        return []
    texts = guess.header.texts
    rest = [
        p for p in (*guess.decoys, *guess.unknown) if is_money(guess.samples[p], texts[p]) and speaks_of_money(texts[p])
    ]
    rest.sort(key=lambda position: -money_weight(texts[position]))
    first = [guess.columns["amount"], *guess.rivals.get("amount", ())] if "amount" in guess.columns else []
    currency = guess.columns.get("currency")
    return [MoneyColumn(guess.view, guess.header, p, currency) for p in [*first, *rest][:_MOST_CANDIDATES]]


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


def draft_layout(views: Sequence[View], known: Sequence[Layout], name: str, *, language: str = "en") -> str:
    """Write a layout for a file, as well as its first rows let it be guessed.

    Returns:
        YAML that reads as a layout; with an amount among its columns whenever a column looks like money.
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
        lines += _Draft(guess, known, name, language).lines()
    return "\n".join(lines) + "\n"


_ISO_CODE: Final = re.compile(r"USD|EUR|BRL|GBP|ARS|MXN|CLP|COP|CAD|AUD|JPY|CHF|SEK|NOK|DKK|NZD")
_LIKE_A_PERIOD: Final = re.compile(
    r"[0-9]{4}[-/.][0-9]{1,2}([-/.][0-9]{1,2})?|[0-9]{1,2}[-/.]([0-9]{1,2}[-/.])?[0-9]{4}|"
    r"[^\W\d_]{3,9}\.?[ /-](de )?[0-9]{4}"
)
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
    def __init__(self, guess: Guess, known: Sequence[Layout], name: str, language: str) -> None:
        self._guess = guess
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
        yield f"# {self._text('draft.header_row', row=guess.header.row)}"
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
        yield "columns:" + ("" if guess.columns else " {}")
        for column, position in guess.columns.items():
            others = ", ".join(map(self._header, guess.rivals.get(column, ())))
            if column == "amount":
                others = ", ".join(filter(None, (others, *map(self._header, self._money()))))
                word = self._text("draft.money", others=others) if others else self._text("draft.only_money")
            else:
                word = self._text("draft.rivals", others=others) if others else self._text("draft.column")
            yield f"  {column}: [{self._header(position)}]    # {word}"
        if "amount" not in guess.columns:
            yield f"  # amount: {self._text('draft.no_amount')}"

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
                if "currency" not in guess.columns and _ISO_CODE.fullmatch(text):
                    found.setdefault("currency", label)
                if "period" not in guess.columns and not months and _LIKE_A_PERIOD.fullmatch(text):
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
        if comments:
            yield "ignored:"
            yield from (f"  - {self._header(position)}    # {comments[position]}" for position in sorted(comments))
        unknown = [position for position in guess.unknown if position not in comments]
        if unknown:
            yield f"# {self._text('draft.unknown')}"
            yield from (f"#  - {self._header(position)}" for position in unknown)

    def _conventions(self) -> Iterator[str]:
        guess = self._guess
        amounts = guess.samples.get(guess.columns.get("amount", -1), ())
        mark = (
            decimal_mark(amounts) if guess.view.sheet is None else None
        )  # a sheet's numbers have no mark of their own
        if mark:
            yield f'decimal: "{mark}"    # {self._text("draft.decimal")}'
        periods = (*guess.samples.get(guess.columns.get("period", -1), ()), *self._days)
        if order := date_order(periods):
            yield f"dates: {order}    # {self._text('draft.dates')}"
        elif has_open_dates(periods):
            yield f"# dates: {self._text('draft.dates_open')}"
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


_DESTINATION: Final = frozenset({"pix_key", "pix_key_type", "account", "agency", "bank_code"})
_OF_LINES: Final = frozenset({"isrc", "upc", "title", "platform", "units", "release"})


@dataclass(frozen=True, slots=True)
class Possibility:
    """One thing a file could be.

    Attributes:
        open_columns: Canonical column that nothing decides -> headers that could be it, in the file's order.
    """

    layout: Layout
    fits: tuple[Fit, ...]
    open_columns: dict[str, tuple[str, ...]]
    is_variant: bool = False

    @property
    def sheets(self) -> tuple[str, ...]:
        """Sheets of which a person has to say which is meant; none, where there is one alone or all are read."""
        names = tuple(fit.view.sheet for fit in self.fits if fit.view.sheet is not None)
        return names if len(names) > 1 and not self.layout.sheets else ()


# What one table of a file could be, the likeliest first.
Possibilities = tuple[Possibility, ...]


def identify(views: Sequence[View], known: Iterable[Layout]) -> tuple[Possibilities, ...]:
    """Return what each table of a file could be; nothing, where no layout speaks of it.

    Sheets that are alike are one table, of which a person has to say which sheet is meant.
    """
    layouts = list(known)
    senders = candidates(views, [layout for layout in layouts if not layout.recognise.nothing_else])
    if senders:
        return (tuple(Possibility(fit.layout, _fits(views, fit.layout), {}) for fit in senders),)
    own = {layout.layout: layout for layout in layouts if layout.recognise.nothing_else}
    shown = [view for view in views if view.visible]
    alike: dict[tuple[str, ...], list[View]] = {}
    for part in [shown] if any(view.sheet is None for view in shown) else [[view] for view in shown]:
        if names := _names(part, own):
            alike.setdefault(names, []).extend(part)
    return tuple(tuple(_possibility(part, own[name]) for name in names) for names, part in alike.items())


def variants_of(views: Sequence[View], known: Iterable[Layout]) -> Possibilities:
    """Return the senders' statements that an unknown file is nearly one of; a person says whether it is."""
    senders = [layout for layout in known if not layout.recognise.nothing_else and layout.table == "royalty_lines"]
    shown = [view for view in views if view.visible]
    return tuple(replace(_possibility(shown, layout), is_variant=True) for layout in variants(shown, senders))


def as_table(views: Sequence[View], known: Iterable[Layout], name: str) -> Possibilities:
    """Return a file as what a person says it is; nothing, where there is no such layout."""
    shown = [view for view in views if view.visible]
    return tuple(_possibility(shown, layout) for layout in known if layout.layout == name)


def _names(views: Sequence[View], own: dict[str, Layout]) -> tuple[str, ...]:
    payments, advances = _claimed(views, own["payments"]), _claimed(views, own["advances"])
    if {"tax_id", "share"} <= _claimed(views, own["shares"]):
        return ("shares",)
    if {"tax_id", "kind", "period", "amount"} <= _claimed(views, own["opening"]):
        return ("opening",)
    has_money = "amount" in payments | advances or _money(views, own["payments"])
    if "tax_id" in payments and has_money:
        return _paid_or_advanced(payments, advances)
    if {"tax_id", "name"} <= payments:
        return ("payees",)
    lines = _claimed(views, own["royalties"])
    if "amount" in lines and len(lines & _OF_LINES) > 1:
        return ("royalties",)
    return ("payments",) if _DESTINATION & payments and has_money else ()


def _paid_or_advanced(payments: frozenset[str], advances: frozenset[str]) -> tuple[str, ...]:
    if _DESTINATION & payments:
        return ("payments",)
    if "amount" in advances - payments:
        return ("advances",)
    return ("advances", "payments") if {"date", "isrc"} & advances else ("payments", "advances")


def _claimed(views: Sequence[View], layout: Layout) -> frozenset[str]:
    return max((fit.match.claimed for fit in _rows(views, layout)), key=len, default=frozenset())


def _rows(views: Sequence[View], layout: Layout) -> list[Fit]:
    """Return every row as if it were the header; where all required columns are there, the header that is found."""
    found = [fit for view in views if (fit := find_header(view, layout))]
    if found:
        return found
    return [Fit(layout, view, head, match_headers(head.texts, layout)) for view in views for head in view.head]


def _fits(views: Sequence[View], layout: Layout) -> tuple[Fit, ...]:
    return tuple(fit for view in views if (view.visible or layout.sheets) and (fit := find_header(view, layout)))


def _possibility(views: Sequence[View], layout: Layout) -> Possibility:
    fits = _fits(views, layout) or (max(_rows(views, layout), key=lambda fit: fit.match.claims),)
    fit = fits[0]
    headers = fit.header.texts
    open_columns = {
        column: tuple(headers[position].strip() for position in positions)
        for column, positions in fit.match.duplicates.items()
    }
    for column in fit.match.missing:
        positions = _money_columns(fit) if column == "amount" else fit.match.unknown
        open_columns[column] = tuple(headers[position].strip() for position in positions)
    return Possibility(layout, fits, open_columns)


def _money(views: Sequence[View], layout: Layout) -> bool:
    """Tell whether a table whose amount nobody named has columns that could be it."""
    rows = [fit for fit in _rows(views, layout) if "tax_id" in fit.match.claimed or _DESTINATION & fit.match.claimed]
    return any(_money_columns(fit) for fit in rows)


def _money_columns(fit: Fit) -> list[int]:
    below = [head for head in fit.view.head if head.row > fit.header.row][:_SAMPLE_ROWS]
    return [position for position in fit.match.unknown if is_money(_texts(below, position))]


def _texts(rows: Sequence[HeadRow], position: int) -> list[str]:
    return [text for row in rows if len(row.texts) > position and (text := row.texts[position].strip())]
