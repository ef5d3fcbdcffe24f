"""Which column of a statement is money: by what stands below a header, and by what the header says.

Words propose; what a person received decides, see `schemas.parsing.column_sums`.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

from schemas.layouts.headers import usual_columns
from schemas.layouts.layout import Layout, fold
from schemas.sheet_cells import HeadRow, View
from schemas.values.money import read_amount_text
from schemas.words import vocabulary

_WORDS: Final = vocabulary("money")
_WEIGHTS: Final[dict[re.Pattern[str], int]] = {re.compile(words): value for words, value in _WORDS["weights"].items()}
_MONEY: Final = re.compile(_WORDS["money"])
_NO_SUM: Final = re.compile(_WORDS["no_sum"])
_PART: Final = re.compile(_WORDS["part"])
_CODE: Final = re.compile(r"\b(?:id|code|number|c[oó]digo|n[uú]mero|n[ºo°])\b|#", re.IGNORECASE)
_CURRENCY: Final = re.compile(
    r"\b(USD|EUR|BRL|GBP|ARS|MXN|CLP|COP|CAD|JPY|CHF)\b|(US\$|\$US)|(R\$)|(€)|(£)", re.IGNORECASE
)
_SIGNS: Final = ("USD", "BRL", "EUR", "GBP")
ISO_CODE: Final = re.compile(r"USD|EUR|BRL|GBP|ARS|MXN|CLP|COP|CAD|AUD|JPY|CHF|SEK|NOK|DKK|NZD|PLN|TRY|ZAR|INR|PEN|UYU")
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
    weight = sum(weight for words, weight in _WEIGHTS.items() if words.search(folded)) + bool(currency_in(header))
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


_CODE_DIGITS: Final = 8


def is_number(text: str) -> bool:
    """Tell whether a text is an amount, a count or a percentage."""
    return read_amount_text(text.removesuffix("%")) is not None


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


_IS_PART: Final = re.compile(r"0?[.,][0-9]+|1(?:[.,]0+)?|[0-9]{1,2}|100").fullmatch


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
