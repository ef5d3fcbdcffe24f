"""What an amount as people and spreadsheets write it means: sign, currency, decimal mark, digits.

Only ASCII digits pass; the text is matched before `Decimal` ever sees it, which would take "1_000", "NaN" or "１２".
"""

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import Final, Literal

from schemas.reading import BLANKS

DecimalMark = Literal[",", "."]

_TYPOGRAPHY: Final = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "\u2212": "-"})
_SYMBOLS: Final = {"R$": "BRL", "US$": "USD", "U$": "USD", "€": "EUR", "£": "GBP", "$": "$"}
_AMOUNT: Final = re.compile(
    r"(?P<open>\()? *(?P<sign>[-+])? *(?P<symbol>R\$|US\$|U\$|\$|€|£|[A-Z]{3})? *(?P<sign2>[-+])? *"
    r"(?P<digits>[0-9][0-9.,]*)(?P<exponent>[eE][-+]?[0-9]{1,2})? *(?P<code>[A-Z]{3})? *(?P<trailing>-)?(?P<close>\))?"
)
_ACCOUNTING_ZERO: Final = re.compile(r"(?P<symbol>R\$|US\$|\$|€|£) *-")
# (pattern, the decimal mark it proves, whether it reads two ways)
_SHAPES: Final[tuple[tuple[re.Pattern[str], DecimalMark | None, bool], ...]] = (
    (re.compile(r"[0-9]+"), None, False),
    (re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}"), None, True),
    (re.compile(r"[0-9]+\.[0-9]+"), ".", False),
    (re.compile(r"[0-9]+,[0-9]+"), ",", False),
    (re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:\.[0-9]{3}|,[0-9]+)"), ",", False),
    (re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:,[0-9]{3}|\.[0-9]+)"), ".", False),
)
_SCIENTIFIC_DIGITS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LONGEST: Final = 60  # characters; more is no amount, and Decimal's exponent could be made to explode


@dataclass(frozen=True, slots=True)
class AmountText:
    """An amount taken apart, before a decimal mark is decided where the text leaves it open.

    Attributes:
        negative: A leading or trailing minus, or accounting parentheses.
        currency: ISO code of the symbol or code beside it; "$" for the sign that names no currency; "" for none.
        digits: Digits and marks, unsigned.
        exponent: "E-5" of scientific notation; "".
        mark: The decimal mark the text itself proves; None when it proves none.
        ambiguous: Whether it reads as thousands and as decimals alike ("1.234").
    """

    negative: bool
    currency: str
    digits: str
    exponent: str
    mark: DecimalMark | None
    ambiguous: bool

    def value(self, mark: DecimalMark) -> Decimal | None:
        """Return the exact value under a decimal mark; None when the text cannot be written so.

        Only an ambiguous text lets `mark` choose; a text that proves the other mark is refused.
        """
        if self.mark is not None and self.mark != mark:
            return None
        plain = self.digits.replace("." if mark == "," else ",", "").replace(",", ".")
        number = Decimal(plain + self.exponent)
        return number.copy_negate() if self.negative and number else number


def read_amount_text(text: str) -> AmountText | None:
    """Take an amount apart; None when it is not an amount.

    >>> read_amount_text("R$ 1.234,56").value(",")
    Decimal('1234.56')
    >>> read_amount_text("(12,30)").value(",")
    Decimal('-12.30')
    >>> read_amount_text("1.234").ambiguous, read_amount_text("1_000")
    (True, None)
    """
    text = text.translate(_TYPOGRAPHY).strip(BLANKS)
    if len(text) > _LONGEST:
        return None
    if zero := _ACCOUNTING_ZERO.fullmatch(text):
        return AmountText(
            negative=False, currency=_SYMBOLS[zero["symbol"]], digits="0", exponent="", mark=None, ambiguous=False
        )
    found = _AMOUNT.fullmatch(text)
    if found is None or bool(found["open"]) != bool(found["close"]):
        return None
    signs = [found["sign"], found["sign2"], found["trailing"], found["open"]]
    if sum(map(bool, signs)) > 1 or (found["symbol"] and found["code"]):
        return None
    digits, exponent = found["digits"], found["exponent"] or ""
    shape = next((shape for shape in _SHAPES if shape[0].fullmatch(digits)), None)
    if shape is None or (exponent and not _SCIENTIFIC_DIGITS.fullmatch(digits)):
        return None
    _, mark, ambiguous = (shape[0], ".", False) if exponent else shape
    written = found["symbol"] or found["code"] or ""
    return AmountText(
        negative=any(sign in {"-", "("} for sign in signs),
        currency=_SYMBOLS.get(written, written),
        digits=digits,
        exponent=exponent,
        mark=mark,
        ambiguous=ambiguous,
    )
