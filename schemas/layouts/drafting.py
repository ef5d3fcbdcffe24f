"""Drafting a layout from a file nobody has declared, for a person to finish: every guess says that it is one."""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from schemas.layouts.layout import Layout, fold
from schemas.layouts.recognise import (
    SourceTable,
    Vocabulary,
    currency_in,
    date_order,
    decimal_mark,
    has_open_dates,
    is_number,
    money_weight,
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
    """A table as it seems to be. Positions count from 0, column A.

    Attributes:
        view: Where it is.
        header: Its header row.
        table: What its rows seem to be.
        columns: Canonical column -> position.
        rivals: Canonical column -> other positions that could be it, the likeliest first.
        decoys: Positions of headers that known layouts deliberately do not read.
        unknown: Positions of headers that say nothing.
        samples: Position -> the distinct texts below its header, in order.
    """

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

    Args:
        views: Its sheets, or its text under each delimiter.
        known: Layouts to learn headers from.

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


_TELLING: Final = 4
_WANTED: Final = {
    "royalty_lines": ("period", "platform", "isrc", "amount", "currency"),
    "payments": ("tax_id", "amount"),
}
_TOTALS: Final = frozenset(
    map(fold, ("Total", "Totais", "Total geral", "Subtotal", "Soma", "Grand total", "Sum", "Totals", "Suma"))
)


def draft_layout(views: Sequence[View], known: Sequence[Layout], name: str, *, language: str = "en") -> str:
    """Write a layout for a file, as well as its first rows let it be guessed.

    Args:
        views: The file's sheets, or its text under each delimiter.
        known: Layouts to learn from what senders call their columns, and which of them are not the money.
        name: The new layout's name: small letters, digits and hyphens.
        language: Of the comments.

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


class _Draft:
    """The lines of one draft below its name."""

    def __init__(self, guess: Guess, known: Sequence[Layout], name: str, language: str) -> None:
        self._guess = guess
        self._known = known
        self._name = name
        self._language = language

    def lines(self) -> Iterator[str]:
        guess = self._guess
        yield f"title: {yaml_scalar(self._name)}    # {self._text('draft.title')}"
        yield f"table: {guess.table}" + (f"    # {self._text('draft.table')}" if guess.table == "payments" else "")
        yield from self._recognise()
        if guess.view.sheet is not None:
            yield f"sheets: [{yaml_scalar(guess.view.sheet)}]    # {self._text('draft.sheet')}"
        yield f"# {self._text('draft.header_row', row=guess.header.row)}"
        yield from self._columns()
        required = [column for column in _WANTED[guess.table] if column in guess.columns]
        yield f"required: [{', '.join(required)}]"
        yield from self._ignored()
        yield from self._conventions()

    def _recognise(self) -> Iterator[str]:
        """Choose headers that no known layout has, the money's own first."""
        guess = self._guess
        everywhere = {fold(alias) for layout in self._known for aliases in layout.columns.values() for alias in aliases}
        everywhere |= {fold(header) for layout in self._known for header in layout.not_columns}
        own = sorted(
            (position for position in guess.samples if fold(guess.header.texts[position]) not in everywhere),
            key=lambda position: -len(guess.header.texts[position]),
        )
        first = [guess.columns["amount"]] if "amount" in guess.columns else []
        rest = [guess.columns[column] for column in _WANTED[guess.table] if column in guess.columns]
        telling = list(dict.fromkeys([*first, *own, *rest]))[:_TELLING]
        yield "recognise:"
        yield f"  headers: [{', '.join(map(self._header, telling))}]    # {self._text('draft.recognise')}"

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
        periods = guess.samples.get(guess.columns.get("period", -1), ())
        if order := date_order(periods):
            yield f"dates: {order}    # {self._text('draft.dates')}"
        elif has_open_dates(periods):
            yield f"# dates: {self._text('draft.dates_open')}"
        if "currency" not in guess.columns and guess.table == "royalty_lines":
            yield self._currency()
        words = dict.fromkeys(text for texts in guess.samples.values() for text in texts if fold(text) in _TOTALS)
        if words:
            yield f"totals: [{', '.join(map(yaml_scalar, words))}]    # {self._text('draft.totals')}"

    def _currency(self) -> str:
        position = self._guess.columns.get("amount")
        if position is not None and (currency := currency_in(self._guess.header.texts[position])):
            return f"currency: {currency}    # {self._text('draft.currency', header=self._header(position))}"
        return f"# currency: BRL    # {self._text('draft.no_currency')}"

    def _money(self) -> list[int]:
        """Return positions of numbers that are not read and speak of money, whichever way."""
        guess = self._guess
        rest = sorted((*guess.decoys, *guess.unknown))
        numbers = [p for p in rest if guess.samples[p] and all(map(is_number, guess.samples[p]))]
        return [p for p in numbers if money_weight(guess.header.texts[p])]

    def _header(self, position: int) -> str:
        return yaml_scalar(self._guess.header.texts[position].strip())

    def _text(self, key: str, **details: object) -> str:
        return render(key, self._language, **details)


def _comment(text: str) -> list[str]:
    return [f"# {line}" for line in text.splitlines()]
