"""Totals that a file states itself: how their rows are known, and what their amounts may mean."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Final

from schemas.layouts.layout import fold
from schemas.sheet_cells import CellKind
from schemas.values.money import DecimalMark, read_amount_text
from schemas.values.reading import BLANKS

_BREAK: Final = re.compile(r"[\s:=]+")
_CENTAVOS: Final = 2
# A spreadsheet keeps 15 digits of a number; what it adds up bears the noise of binary arithmetic besides.
_KEPT: Final = Context(prec=15, rounding=ROUND_HALF_EVEN)
_NOISE: Final = Decimal("1e-11")
_MOST_NOISE: Final = Decimal("0.004")


@dataclass(frozen=True, slots=True)
class StatedTotal:
    """A total as the file states it.

    Attributes:
        row: Physical row.
        position: Column of the cell that states it, from 0.
        text: The amount, or the number of lines, as written; "" when the row states none.
        kind: What the cell held.
        counts: Whether it is the number of lines rather than their sum.
        currency: As written in the row's own column of currencies.
    """

    row: int
    position: int
    text: str
    kind: CellKind
    counts: bool = False
    currency: str = ""


@dataclass(frozen=True, slots=True)
class Stated:
    """What a total's amount means.

    Attributes:
        value: Exact.
        tolerance: How far from it the lines' sum may be: half of its last decimal, of the centavo at most.
        currency: ISO code beside the amount; "" for none.
    """

    value: Decimal
    tolerance: Decimal
    currency: str

    @property
    def decimals(self) -> int:
        """With how many decimals it is told, centavos at least."""
        return max(_CENTAVOS, _decimals(self.value))

    def agrees(self, total: Decimal) -> bool:
        """Tell whether a sum is this total."""
        return abs(total - self.value) <= self.tolerance


class TotalWords:
    """The words with which rows of totals, or a control block, begin.

    Attributes:
        beginning: Regular expression, for Arrow and Python alike, of the first letters of all of them, capitals aside;
            it also lets texts through that are none of them.
    """

    def __init__(self, words: Iterable[str]) -> None:
        self._words = frozenset(map(fold, words))
        accented = r"[^\x00-\x7f]"
        beginnings = {"".join(rf"[\W_]*(?:{re.escape(mark)}|{accented})" for mark in word[:3]) for word in self._words}
        self.beginning = "|".join(sorted(beginnings))

    def begin(self, text: str) -> bool:
        """Tell whether a text is one of the words, or one followed by an amount.

        >>> words = TotalWords(["Total geral", "TOTAL"])
        >>> words.begin("Total geral:"), words.begin("Total: R$ 12.345,00"), words.begin("Total eclipse")
        (True, True, False)
        """
        return self._split(text) is not None

    def word(self, text: str) -> str:
        """Return the word, folded, with which a text begins; "" for none."""
        return (self._split(text) or ("", ""))[0]

    def amount(self, text: str) -> str:
        """Return the amount behind the word; "" for none."""
        return (self._split(text) or ("", ""))[1]

    def _split(self, text: str) -> tuple[str, str] | None:
        if (word := fold(text)) in self._words:
            return word, ""
        for found in _BREAK.finditer(text):
            word, amount = fold(text[: found.start()]), text[found.end() :]
            if word in self._words and read_amount_text(amount) is not None:
                return word, amount
        return None


def readings(text: str, kind: CellKind, mark: DecimalMark | None) -> tuple[Stated, ...]:
    """Return what an amount may mean: nothing, one value, or two when it reads as thousands and as decimals alike.

    Args:
        text: As written.
        kind: What the cell held.
        mark: The decimal mark decided for the column; None when nothing decided it.
    """
    amount = read_amount_text(text.strip(BLANKS)) if kind in {CellKind.TEXT, CellKind.NUMBER} else None
    if amount is None:
        return ()
    marks: tuple[DecimalMark, ...] = (amount.mark or ".",)
    if kind == CellKind.TEXT and amount.ambiguous:
        marks = (mark,) if mark else (",", ".")
    values = [value for one in marks if (value := amount.value(one)) is not None]
    currency = amount.currency.replace("$", "")
    return tuple(_number(value) if kind == CellKind.NUMBER else _written(value, currency) for value in values)


def _written(value: Decimal, currency: str) -> Stated:
    return Stated(value, Decimal(5).scaleb(-1 - max(_CENTAVOS, _decimals(value))), currency)


def _number(value: Decimal) -> Stated:
    kept = _written(_KEPT.plus(value).normalize(), "")
    return Stated(kept.value, max(kept.tolerance, min(_MOST_NOISE, abs(value) * _NOISE)), "")


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0
