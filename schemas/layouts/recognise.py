"""Recognising which of several layouts a file has, and where in the file its table begins."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise, zip_longest
from typing import Final, Literal

from schemas.layouts.headers import GROUP_MARK, HeaderMatch, match_headers, usual_columns
from schemas.layouts.layout import Above, Layout, WrittenAs, fold
from schemas.messages import Message
from schemas.sheet_cells import HeadRow, View
from schemas.values.money import read_amount_text

# What a header says of money: what is left for the client counts for it, what comes before or beside against it.
_WEIGHTS: Final[tuple[tuple[re.Pattern[str], int], ...]] = tuple(
    (re.compile(words), weight)
    for words, weight in (
        ("net|liquid|neto", 4),
        ("apagar|payable|devido|due", 3),
        ("afterfees?|afterdeductions?|aposdescontos?|apostaxas?", 6),
        ("partner|client|payee|parceiro|cliente|selo|gravadora", 2),
        ("rateio|rendimento|repasse|payment|payout|pagamento|pago$|areceber|receivable", 3),
        ("final", 1),
        ("split", -1),
        ("royalt|direitos|regalia", 2),
        ("earn|revenue|receipts|receita|amount|valor|value|importe|montante|share|total", 1),
        ("extended", 1),
        ("gross|brut|retail|preco|price|unit|sale|venda", -4),
        ("rate(?!io)|percent|share.*in.*out|exchange|conversion|cambio|cotacao", -4),
        ("tax|imposto|vat|fee|taxa|tarifa|commission|comissao|deduc|discount|desconto|shipping|frete", -4),
        ("withh|reti|recoup|advance|adiant|balance|saldo|minimum|minimo|previous|anterior", -4),
        ("original|base|price", -2),
    )
)
# What counts things or weighs them against each other; no sum of it is money.
_NO_SUM: Final = re.compile(
    "stream|play|unit|quantit|qtd|view|(?<!ac)(?<!dis)count|execu|reprodu|tracks?$|rate(?!io)|percent|porcent|share.*inout|exchange"
    "|conversion|cambio|cotacao|price|preco|minutes|duration|year|^ano$|month|^mes$|date|data$|periodo|period"
)
_CODE: Final = re.compile(r"\b(?:id|code|number|c[oó]digo|n[uú]mero|n[ºo°])\b|#", re.IGNORECASE)
_CURRENCY: Final = re.compile(
    r"\b(USD|EUR|BRL|GBP|ARS|MXN|CLP|COP|CAD|JPY|CHF)\b|(US\$|\$US)|(R\$)|(€)|(£)", re.IGNORECASE
)
_SIGNS: Final = ("USD", "BRL", "EUR", "GBP")
_MONEY: Final = re.compile(
    "net$|^net|liquid|neto|apagar|payable|devido|royalt|direitos|regalia|earn|revenue|receipt|receita|amount|valor|importe"
    "|montante|total|gross|brut|fee|taxa|tarifa|comiss|commission|imposto|withh|balance|saldo|advance|adiant|cache|share$"
    "|rateio|rendimento|repasse|payment|payout|pagamento|pago$|areceber|receivable|value"
)
# "Partner Revenue : Auction" is a part of Partner Revenue.
_PART_OF: Final = re.compile(r"\w\s+[:/|>-]\s+\w")
_A_PART: Final = 2


def money_weight(header: str) -> int:
    """Weigh how much a header sounds like what is left to be paid to the client; 0 when it says nothing of money.

    >>> money_weight("Net Revenue") > money_weight("Gross Revenue"), money_weight("Artist")
    (True, 0)
    """
    if _CODE.search(header):
        return 0
    folded = fold(header)
    weight = sum(weight for words, weight in _WEIGHTS if words.search(folded)) + (1 if currency_in(header) else 0)
    return weight - _A_PART if _PART_OF.search(header) else weight


def speaks_of_money(header: str) -> bool:
    """Tell whether what stands below a header may be summed up as money, to be paid or not.

    >>> speaks_of_money("Gross Revenue"), speaks_of_money("Total Streams"), speaks_of_money("Exchange Rate")
    (True, False, False)
    """
    if "%" in header:
        return False
    return bool(_MONEY.search(fold(header))) and not _NO_SUM.search(fold(header)) and not _CODE.search(header)


def currency_in(header: str) -> str | None:
    """Return the currency that a header names.

    >>> currency_in("Earnings (USD)"), currency_in("Royalty ($US)"), currency_in("Valor (R$)"), currency_in("Price")
    ('USD', 'USD', 'BRL', None)
    """
    found = _CURRENCY.search(header)
    if found is None:
        return None
    code, *signs = found.groups()
    return code.upper() if code else next(name for sign, name in zip(signs, _SIGNS, strict=True) if sign)


_YEAR_LAST: Final = re.compile(r"([0-9]{1,2})[-/.]([0-9]{1,2})[-/.](?:[0-9]{4}|[0-9]{2})(?:[T ].*)?")
_CODE_DIGITS: Final = 8
_MONTHS: Final = 12


def is_number(text: str) -> bool:
    """Tell whether a text is an amount, a count or a percentage."""
    return read_amount_text(text.removesuffix("%")) is not None


def is_data(texts: Sequence[str]) -> bool:
    """Tell whether a row is somebody's data rather than headers; its texts are not to be repeated then."""
    return any("@" in text or is_number(text) or _DIGITS.search(text) for text in texts)


_DIGITS: Final = re.compile(r"(?:[0-9][-./() ]*){6}")
_MOST_SHOWN: Final = 8


def no_known_header(row: int, texts: Sequence[str]) -> Message:
    """Say that no header of a file is known, and what stands in the row that is likeliest one."""
    shown = [text.strip() for text in texts if text.strip()]
    if is_data(shown):
        return Message("file.no_header_but_data", row=row)
    more = ["..."] if len(shown) > _MOST_SHOWN else []
    return Message("file.no_header", row=row, headers=", ".join([*shown[:_MOST_SHOWN], *more]))


def is_money(texts: Sequence[str], header: str = "") -> bool:
    """Tell whether a column may hold amounts: numbers alone, no percentages, and not all of them long codes.

    Below a header that speaks of parts and says nothing else of money, numbers of which none is above one, or that are
    whole up to a hundred, are parts of a whole.
    """
    return (
        bool(texts)
        and all(map(is_number, texts))
        and not any(text.endswith("%") for text in texts)
        and not all(text.isdecimal() and len(text) >= _CODE_DIGITS for text in texts)
        and not (_PART.search(fold(header)) and money_weight(header) <= 1 and all(map(_IS_PART, texts)))
    )


_PART: Final = re.compile("share|split|part|quota|cota|fra[ct]")
_IS_PART: Final = re.compile(r"0?[.,][0-9]+|1(?:[.,]0+)?|[0-9]{1,2}|100").fullmatch


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


_WRITTEN_AS: Final[dict[str | None, WrittenAs]] = {
    "\t": "tab",
    ",": "comma",
    ";": "semicolon",
    "|": "bar",
    None: "sheet",
}


@dataclass(frozen=True, slots=True)
class Fit:
    """A layout's header found in a view."""

    layout: Layout
    view: View
    header: HeadRow
    match: HeaderMatch

    @property
    def known(self) -> int:
        """How many headers are columns of the layout."""
        return len(self.match.positions) + len(self.match.duplicates)


def find_header(view: View, layout: Layout) -> Fit | None:
    """Return the first row of a view that has every required header of a layout; None when no row has.

    Where people's own headers may stand in two rows, the two are taken together when more columns are known so.
    """
    if layout.headers:
        return _without_header(view, layout)
    before = 0
    for at, head in enumerate(view.head):
        if layout.header_row not in (None, head.row):
            continue
        alone = match_headers(head.texts, layout)
        fits = [Fit(layout, view, head, alone)]
        if layout.usual_headers and (alone.claims or before):
            around = view.head[max(at - 1, 0) : at + (1 if alone.missing else 2)]
            pairs = [_two_rows(above, below) for above, below in pairwise(around) if below.row == above.row + 1]
            fits += [Fit(layout, view, pair, match_headers(pair.texts, layout)) for pair in pairs]
        before = alone.claims
        whole = [fit for fit in fits if not fit.match.missing]
        if whole:
            return max(whole, key=lambda fit: fit.match.claims)
    return None


def _two_rows(above: HeadRow, below: HeadRow) -> HeadRow:
    """Put the titles of groups before the headers below them; a title reaches over the blank cells to its right."""
    texts = []
    group = ""
    for title, own in zip_longest(above.texts, below.texts, fillvalue=""):
        if title.strip():
            group = title.strip() if own.strip() else ""
        is_of_group = group and own.strip() and fold(group) != fold(own)
        texts.append(f"{group}{GROUP_MARK}{own.strip()}" if is_of_group else own if own.strip() else title)
    return HeadRow(below.row, tuple(texts))


def _without_header(view: View, layout: Layout) -> Fit | None:
    """Take the headers that a layout gives a file without any, where its first row has as many columns."""
    first = next(iter(view.head), None)
    if first is None or len(first.texts) != len(layout.headers):
        return None
    header = HeadRow(0, tuple(layout.headers))
    return Fit(layout, view, header, match_headers(header.texts, layout))


def preamble_of(fit: Fit) -> dict[str, tuple[str, int]]:
    """Return what a layout finds above the header: canonical column -> the text, and its physical row."""
    found: dict[str, tuple[str, int]] = {}
    for head in fit.view.head:
        if head.row >= fit.header.row:
            break
        for column, above in fit.layout.preamble.items():
            if column not in found and (text := _value_in(head.texts, above)):
                found[column] = (text, head.row)
    return found


def currency_of_amounts(fit: Fit) -> str | None:
    """Return the currency of statement lines that people name in the header of the amounts, and nowhere else."""
    layout, position = fit.layout, fit.match.positions.get("amount")
    is_open = layout.table == "royalty_lines" and layout.usual_headers and layout.currency is None
    if not is_open or position is None or "currency" in fit.match.claimed:
        return None
    return currency_in(fit.header.texts[position])


# What a value above the header may look like in a sentence; no declaration holds an expression of its own.
_SHAPES: Final[Mapping[str, re.Pattern[str]]] = {
    "currency": re.compile(r"\b[A-Z]{3}\b"),
    "month": re.compile(r"\b(?:(?:19|20)[0-9]{2}-[0-9]{2}|[0-9]{2}/(?:19|20)[0-9]{2})\b"),
    "day": re.compile(r"\b(?:(?:19|20)[0-9]{2}-[0-9]{2}-[0-9]{2}|[0-9]{2}/[0-9]{2}/(?:19|20)[0-9]{2})\b"),
}


def _value_in(texts: Sequence[str], above: Above) -> str:
    """Return the value that a row above the header holds; "" for none."""
    cells = [text.strip() for text in texts if text.strip()]
    if above.behind is not None and above.shape is not None:
        row, words = " ".join(cells), fold(above.behind)
        found = _SHAPES[above.shape].finditer(row)
        return next((value[0] for value in found if fold(row[: value.start()]).endswith(words)), "")
    at = next((n for n, text in enumerate(cells[:-1]) if fold(text) == fold(above.label or "")), None)
    return cells[at + 1] if at is not None else ""


def candidates(views: Sequence[View], layouts: Iterable[Layout]) -> list[Fit]:
    """Return, for each layout that recognises the file, its best fit: the most of its headers, in a visible sheet."""
    found = []
    for layout in layouts:
        fits = [fit for view in views if (fit := find_header(view, layout)) and _recognised(fit)]
        if fits:
            found.append(max(fits, key=lambda fit: (fit.view.visible, fit.known)))
    # What a sender's own headers tell goes before words that anybody uses.
    return [fit for fit in found if not fit.layout.recognise.nothing_else] or found


def missing_of_nearest(views: Sequence[View], layouts: Iterable[Layout]) -> tuple[Layout, tuple[str, ...]] | None:
    """Return the layout of which the most recognised headers are found in one row, and those that are not found."""
    found = [(layout, missing) for layout in layouts if (missing := _missing_of(layout, views)) is not None]
    return min(found, key=lambda pair: _part_of(*pair), default=None)


_MOST_MISSING: Final = 0.5
_MOST_VARIANTS: Final = 3


def variants(views: Sequence[View], layouts: Iterable[Layout]) -> list[Layout]:
    """Return the senders' layouts that a file is nearly of, the nearest first: a column more or less than they know.

    At least half of what they are recognised by stands in one row. Of what they need, a column may have a new name.
    """
    found = [(layout, missing) for layout in layouts if (missing := _missing_of(layout, views)) is not None]
    near = sorted((_part_of(*pair), pair[0].layout) for pair in found)
    named = {layout.layout: layout for layout, _ in found}
    return [named[name] for part, name in near if part <= _MOST_MISSING][:_MOST_VARIANTS]


def _part_of(layout: Layout, missing: Sequence[str]) -> float:
    return len(missing) / len(layout.recognise.headers)


def _missing_of(layout: Layout, views: Sequence[View]) -> tuple[str, ...] | None:
    """Return what the row with the most of a layout's telling headers lacks of them; None where no row has any."""
    rows = (_not_there(layout, head, match_headers(head.texts, layout)) for view in views for head in view.head)
    missing = min(rows, key=len, default=layout.recognise.headers)
    return tuple(missing) if len(missing) < len(layout.recognise.headers) else None


def _recognised(fit: Fit) -> bool:
    recognise = fit.layout.recognise
    there = {fold(text) for text in fit.header.texts}
    return (
        bool(recognise.headers)
        and not _not_there(fit.layout, fit.header, fit.match)
        and not any(fold(header) in there for header in recognise.absent)
        and (not recognise.written_as or _WRITTEN_AS.get(fit.view.delimiter) in recognise.written_as)
        and not (recognise.nothing_else and fit.match.unknown)
    )


def _not_there(layout: Layout, head: HeadRow, match: HeaderMatch) -> tuple[str, ...]:
    """Return the telling headers that a row has under none of their names."""
    there = {fold(text) for text in head.texts}
    column_of = {fold(alias): column for column, aliases in layout.columns.items() for alias in aliases}
    return tuple(
        header
        for header in layout.recognise.headers
        if fold(header) not in there and column_of.get(fold(header)) not in match.claimed
    )


@dataclass(frozen=True, slots=True)
class MoneyColumn:
    """A column of amounts in a view.

    Attributes:
        amount: Position of the column, from 0.
        currency: Position of the column that says their currencies; None for none.
    """

    view: View
    header: HeadRow
    amount: int
    currency: int | None

    @property
    def name(self) -> str:
        return self.header.texts[self.amount].strip()

    @property
    def layout(self) -> Layout:
        """A layout that reads the amounts and nothing else, to sum them up."""
        columns = {"amount": [self.name]}
        if self.currency is not None:
            columns["currency"] = [self.header.texts[self.currency]]
        return Layout(
            layout="money",
            title="money",
            table="royalty_lines",
            columns=columns,
            header_row=self.header.row,
            sheets=[self.view.sheet] if self.view.sheet is not None else [],
            currency=currency_in(self.name),
            totals=["Total", "Totais", "Total geral", "Subtotal", "Soma", "Grand total", "Sum"],
        )


def find_money(view: View) -> MoneyColumn | None:
    """Find the column of a view that most likely says what is to be paid; None where no column is of amounts.

    A header is a row of two words or more, and an amount stands below one that speaks of money: a cover, which has its
    words and numbers side by side, has no such column.
    """
    for at, head in enumerate(view.head):
        labels = [text for text in head.texts if text.strip() and not is_number(text.strip())]
        if len(labels) < 2:
            continue
        found = [
            (money_weight(text), -position)
            for position, text in enumerate(head.texts)
            if speaks_of_money(text) and is_money(_texts_below(view, at, position), text)
        ]
        if found:
            usual = usual_columns("royalty_lines", {"currency"})
            named = [position for position, text in enumerate(head.texts) if fold(text) in usual]
            return MoneyColumn(view, head, -max(found)[1], named[0] if len(named) == 1 else None)
    return None


_LOOKED_AT: Final = 25


def _texts_below(view: View, at: int, position: int) -> list[str]:
    rows = view.head[at + 1 : at + 1 + _LOOKED_AT]
    return [text for row in rows if len(row.texts) > position and (text := row.texts[position].strip())]
