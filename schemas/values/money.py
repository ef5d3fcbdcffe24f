"""Money in integer centavos: reading what people write, writing, rounding and sharing out exactly. No float."""

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from math import lcm
from typing import Final, Literal, TypeVar

from schemas.values.reading import BLANKS

DecimalMark = Literal[",", "."]
Key = TypeVar("Key", bound=Hashable)

_TYPOGRAPHY: Final = str.maketrans({"\u00a0": " ", "\u202f": " ", "\u2007": " ", "\u2212": "-"})
_SYMBOLS: Final = {"R$": "BRL", "US$": "USD", "U$": "USD", "€": "EUR", "£": "GBP", "$": "$"}
_AMOUNT: Final = re.compile(
    r"(?P<open>\()? *(?P<sign>[-+])? *(?P<symbol>R\$|US\$|U\$|\$|€|£|[A-Z]{3})? *(?P<sign2>[-+])? *"
    r"(?P<digits>[0-9][0-9.,]*|[.,][0-9]+)"
    r"(?P<exponent>[eE][-+]?[0-9]{1,2})? *(?P<code>[A-Z]{3})? *(?P<trailing>-)?(?P<close>\))?"
)
_ACCOUNTING_ZERO: Final = re.compile(r"(?P<symbol>R\$|US\$|\$|€|£) *-")
# (pattern, the decimal mark it proves, whether it reads two ways)
_SHAPES: Final[tuple[tuple[re.Pattern[str], DecimalMark | None, bool], ...]] = (
    (re.compile(r"[0-9]+"), None, False),
    (re.compile(r"[1-9][0-9]{0,2}[.,][0-9]{3}"), None, True),
    (re.compile(r"[0-9]*\.[0-9]+"), ".", False),
    (re.compile(r"[0-9]*,[0-9]+"), ",", False),
    (re.compile(r"[1-9][0-9]{0,2}(?:\.[0-9]{3})+(?:\.[0-9]{3}|,[0-9]+)"), ",", False),
    (re.compile(r"[1-9][0-9]{0,2}(?:,[0-9]{3})+(?:,[0-9]{3}|\.[0-9]+)"), ".", False),
)
# Thousands apart, 1 234,56 or 1'234.56, where the decimals show that it is one number.
_APART: Final = re.compile(r"(?<![0-9.,])[1-9][0-9]{0,2}(?:[ '][0-9]{3})+(?=[.,][0-9]{1,2}(?![0-9.,]))")
_SCIENTIFIC_DIGITS: Final = re.compile(r"[0-9]+(?:\.[0-9]+)?")
_LONGEST: Final = 60  # characters; more is no amount, and Decimal's exponent could be made to explode


@dataclass(frozen=True, slots=True)
class AmountText:
    """An amount taken apart, before a decimal mark is decided where the text leaves it open.

    Attributes:
        currency: ISO code of the symbol or code beside it; "$" for the sign that names no currency; "" for none.
        exponent: "E-5" of scientific notation; "".
        mark: The decimal mark the text itself proves; None when it proves none.
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
    >>> read_amount_text("R$ 1 234,56").value(","), read_amount_text("12 345")
    (Decimal('1234.56'), None)
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
    found = _AMOUNT.fullmatch(_APART.sub(lambda number: re.sub("[ ']", "", number[0]), text))
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


_PLAIN: Final = re.compile(r"(-?)([0-9]{1,15})(?:\.([0-9]{2}))?")


def parse_plain_amount(text: str) -> int:
    """Read "1234.56" or "1234" as centavos.

    Raises:
        ValueError: any other form; the message does not repeat the text.

    >>> parse_plain_amount("1234.56"), parse_plain_amount("50")
    (123456, 5000)
    """
    found = _PLAIN.fullmatch(text)
    if found is None:
        raise ValueError('an amount is written with a decimal point and two decimals, such as "1234.56", or as "1234"')
    cents = int(found[2]) * 100 + int(found[3] or 0)
    return -cents if found[1] else cents


def parse_amount(text: str) -> int:
    """Read an amount as a person types it: "1.234,56", "1234,56", "1234.56", "R$ 1.234,56".

    Returns:
        Centavos.

    Raises:
        ValueError: not an amount, more than two decimals, or "1.234", which reads two ways.

    >>> parse_amount("R$ 1.234,56"), parse_amount("1,234.56")
    (123456, 123456)
    """
    amount = read_amount_text(text)
    if amount is None or amount.exponent:
        raise ValueError("this is not an amount; write it like 1234.56 or 1.234,56")
    if amount.ambiguous:
        raise ValueError("this amount reads two ways; write the centavos too, like 50.00 or 50,00")
    value = amount.value(amount.mark or ".")
    if value is None or (Fraction(value) * 100).denominator != 1:
        raise ValueError("an amount has at most two decimals")
    return int(Fraction(value) * 100)


def format_cents(cents: int, language: str) -> str:
    """Write centavos with separators, without a currency.

    >>> format_cents(123456, "pt-BR"), format_cents(-123456, "en")
    ('1.234,56', '-1,234.56')
    """
    units, rest = divmod(abs(cents), 100)
    written = f"{'-' if cents < 0 else ''}{units:,}.{rest:02d}"
    return written.translate(str.maketrans(",.", ".,")) if language == "pt-BR" else written


def exact_text(value: Decimal) -> str:
    """Write an exact decimal without exponent and without trailing zeros."""
    text = format(value, "f")
    return text.rstrip("0").rstrip(".") if "." in text else text


def round_half_even_cents(exact_cents: Fraction) -> int:
    """Round an exact number of centavos, a tie to the even one.

    >>> round_half_even_cents(Fraction(5, 2)), round_half_even_cents(Fraction(7, 2))
    (2, 4)
    """
    return round(exact_cents)


def allocate(total_cents: int, weights: Sequence[int | Fraction]) -> tuple[int, ...]:
    """Share out a total by largest remainder, so that the parts add up to it.

    A tie goes to the earlier position; a negative total is the mirror of the positive one.

    Args:
        weights: One per part, exact, not negative, not all zero.

    Returns:
        One part per weight, in centavos; the sum is total_cents.

    Raises:
        ValueError: no weights, a negative one, or all zero.

    >>> allocate(100, [1, 1, 1])
    (34, 33, 33)
    >>> allocate(-100, [1, 1, 1])
    (-34, -33, -33)
    >>> allocate(999, [0, 50, 50])
    (0, 500, 499)
    """
    whole = sum(map(Fraction, weights), Fraction(0))
    if not weights or min(weights) < 0 or whole == 0:
        raise ValueError("weights must be given, none negative and not all zero")
    sign = -1 if total_cents < 0 else 1
    parts = round_parts([abs(total_cents) * Fraction(weight) / whole for weight in weights])
    return tuple(sign * part for part in parts)


def round_parts(parts: Sequence[Fraction]) -> tuple[int, ...]:
    """Round exact parts to centavos so that they add up to their rounded sum.

    Each part is floored; the centavos then missing from the half-even rounded sum go to the largest fractional parts.
    A tie goes to the earlier position, which gets the centavo more of what is owed and, mirrored, of what is owed back:
    the parts of -x are the parts of x with the other sign.

    Args:
        parts: Exact centavos; may be negative.

    >>> round_parts([Fraction(1, 3), Fraction(1, 3), Fraction(1, 3)])
    (1, 0, 0)
    >>> round_parts([Fraction(-1, 2), Fraction(3, 2)])
    (0, 1)
    >>> round_parts([Fraction(-1, 3), Fraction(-1, 3), Fraction(-1, 3)])
    (-1, 0, 0)
    """
    whole = lcm(*(part.denominator for part in parts))
    exact = [part.numerator * (whole // part.denominator) for part in parts]
    total = sum(exact)
    floors = [part // whole for part in exact]
    missing = round_half_even_cents(Fraction(total, whole)) - sum(floors)
    # What is owed and what is owed back mirror each other; where both make up nothing, the first part says which it is.
    owed_back = next((part < 0 for part in (total, *exact) if part), False)
    positions = range(len(parts) - 1, -1, -1) if owed_back else range(len(parts))
    by_remainder = sorted(positions, key=lambda position: floors[position] * whole - exact[position])
    for position in by_remainder[:missing]:
        floors[position] += 1
    return tuple(floors)


class SignedSums(dict[Key, int]):
    """Sums of centavos, or counts, by key; what is not there is 0, and a sum below it stays.

    Money is not held in `collections.Counter`: its operators drop every sum that is not above zero.

    >>> sums = SignedSums({"paid": 300, "held": 5})
    >>> sums.add({"held": -308})
    >>> sums, sums["open"], sums.total()
    ({'paid': 300, 'held': -303}, 0, -3)
    """

    def __missing__(self, key: Key) -> int:
        return 0

    @classmethod
    def counted(cls, keys: Iterable[Key]) -> "SignedSums[Key]":
        counts: SignedSums[Key] = cls()
        for key in keys:
            counts[key] += 1
        return counts

    def add(self, more: Mapping[Key, int]) -> None:
        for key, amount in more.items():
            self[key] += amount

    def total(self) -> int:
        return sum(self.values())
