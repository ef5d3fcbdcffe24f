"""Columns of amounts and percentages, read exactly in the decimal mark that the layout declares or cells prove."""

import re
from collections.abc import Sequence
from decimal import ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from schemas.issues import IssueCode
from schemas.parsing.cells import ColumnReader, DecidingCells, ParsingDecision
from schemas.sheet_cells import CellKind
from schemas.values.millionths import OF_PRICE, WHOLE
from schemas.values.money import AmountText, DecimalMark, read_amount_text
from schemas.values.reading import Reading

_EXACT: Final = Context(prec=120, rounding=ROUND_HALF_EVEN)
_LINE_DECIMALS: Final = 18
_LARGEST_LINE: Final = Decimal(10) ** 13  # ten million lines of it add up to 38 digits, 18 of them decimals
_LARGEST_PAYABLE: Final = Decimal(10) ** 13
_ARTEFACT: Final = Decimal("1e-9")  # 0.30000000000000004 is what binary arithmetic makes of 0.30


class ExactAmount(NamedTuple):
    """An amount and the currency written beside it: ISO code, "$" for the bare sign, "" for none."""

    value: Decimal
    currency: str


class AmountColumn:
    """What a column of amounts has in common: its texts taken apart, and its decimal mark.

    A layout that declares its mark knows what the sender writes, not who has opened the file since: a column of which
    every telling cell proves the other mark was saved again in another country, and is read so; where some prove the
    one and some the other, none of its texts is believed. Below a declared mark the other one alone never marks
    thousands.

    Attributes:
        mark: None when nothing decides it, or its cells contradict one another.
    """

    def __init__(
        self, distinct: Sequence[tuple[str, CellKind]], decimal: Literal["auto", ",", "."], *, scientific: bool
    ) -> None:
        self._declared: DecimalMark | None = None if decimal == "auto" else decimal
        self._scientific = scientific and decimal == "."
        self._parts: dict[str, AmountText | None] = {text: read_amount_text(text) for text, _ in distinct}
        # A numeric cell is always written with a point, so it proves nothing about what people typed.
        proofs: dict[DecimalMark, tuple[str, CellKind]] = {}
        self._typed = False
        for text, kind in distinct:
            if kind == CellKind.TEXT and (part := self._parts[text]):
                self._typed |= part.ambiguous or part.mark is not None
                if part.mark and not part.exponent:
                    proofs.setdefault(part.mark, (text, kind))
        self.deciding: DecidingCells = tuple(proofs.values())
        self.saved_again = self._declared is not None and any(mark != self._declared for mark in proofs)
        self.mixed = self.saved_again and len(proofs) > 1
        self.mark = next(iter(proofs)) if len(proofs) == 1 else None if self.mixed else self._declared

    @property
    def decision(self) -> ParsingDecision | None:
        """The decimal mark, where there are typed amounts that bear one."""
        if self.mark is None or not self._typed:
            return None
        return ParsingDecision.DECIMAL_COMMA if self.mark == "," else ParsingDecision.DECIMAL_POINT

    def exact(self, text: str, kind: CellKind) -> Reading[ExactAmount]:
        """Read one cell of the column, whatever its sign and number of decimals."""
        if kind in {CellKind.BOOL, CellKind.DATE} or text.endswith("%"):
            return Reading(None, IssueCode.AMOUNT_TYPE)
        amount = self._parts[text]
        if amount is None or (amount.exponent and kind != CellKind.NUMBER and not self._scientific):
            return Reading(None, IssueCode.AMOUNT_FORMAT)
        mark = self._mark_of(amount, kind)
        if isinstance(mark, IssueCode):
            return Reading(None, mark)
        value = amount.value(mark)
        return Reading(None, IssueCode.AMOUNT_FORMAT) if value is None else Reading(ExactAmount(value, amount.currency))

    def _mark_of(self, amount: AmountText, kind: CellKind) -> DecimalMark | IssueCode:
        """Say which mark a cell is read by, or why by none."""
        if kind == CellKind.NUMBER:
            return "."
        if self.mixed:
            return IssueCode.AMOUNT_MARKS
        if self._declared and not amount.exponent:
            if amount.mark not in {None, self.mark}:
                return IssueCode.AMOUNT_FORMAT
            if amount.ambiguous and str(self.mark) not in amount.digits:
                return IssueCode.AMOUNT_AMBIGUOUS
        mark = self.mark if amount.ambiguous else amount.mark or "."
        return mark or IssueCode.AMOUNT_AMBIGUOUS


def line_amounts(distinct: Sequence[tuple[str, CellKind]], decimal: Literal["auto", ",", "."]) -> ColumnReader:
    """Read statement lines: any sign, up to 18 decimals, scientific where the layout's mark is the point.

    Values are `ExactAmount`.
    """
    column = AmountColumn(distinct, decimal, scientific=True)

    def read(text: str, kind: CellKind) -> Reading[ExactAmount]:
        reading = column.exact(text, kind)
        if reading.value is None:
            return reading
        value, currency = reading.value
        if abs(value) >= _LARGEST_LINE:
            return Reading(None, IssueCode.AMOUNT_FORMAT)
        if _decimals(value) > _LINE_DECIMALS:
            if kind != CellKind.NUMBER:
                return Reading(None, IssueCode.AMOUNT_DECIMALS, {"limit": _LINE_DECIMALS})
            # A numeric cell has 17 significant digits at most: what is beyond 18 decimals is the float's own noise.
            value = value.quantize(Decimal((0, (1,), -_LINE_DECIMALS)), context=_EXACT)
        return Reading(ExactAmount(value, currency))

    return ColumnReader(read, column.decision, column.deciding)


def prices(distinct: Sequence[tuple[str, CellKind]], decimal: Literal["auto", ",", "."]) -> ColumnReader:
    """Read prices of one unit: nothing or more, up to 18 decimals. Values are `ExactAmount`."""
    amounts = line_amounts(distinct, decimal)

    def read(text: str, kind: CellKind) -> Reading[ExactAmount]:
        reading = amounts.read(text, kind)
        is_below = reading.value is not None and reading.value.value < 0
        return Reading(None, IssueCode.AMOUNT_NOT_POSITIVE) if is_below else reading

    return ColumnReader(read, amounts.decision, amounts.deciding)


def price_text(price: Decimal) -> str:
    """Write a price as lines keep it."""
    return f"{price.normalize():f}"


def payable_amounts(
    distinct: Sequence[tuple[str, CellKind]],
    decimal: Literal["auto", ",", "."],
    *,
    currency: str,
    zero_allowed: bool = False,
    signed: bool = False,
) -> ColumnReader:
    """Read amounts to be paid: above zero, unless signed, at most two decimals, in the currency expected.

    Values are `ExactAmount`, given also with AMOUNT_DECIMALS and AMOUNT_NOT_POSITIVE, so that what is held has a sum.
    """
    column = AmountColumn(distinct, decimal, scientific=False)

    def read(text: str, kind: CellKind) -> Reading[ExactAmount]:
        reading = column.exact(text, kind)
        if reading.value is None:
            return reading
        value, written = reading.value
        if kind == CellKind.TEXT and _PADDED.fullmatch(text):
            return Reading(None, IssueCode.AMOUNT_ZEROS)
        if abs(value) >= _LARGEST_PAYABLE:
            return Reading(None, IssueCode.AMOUNT_FORMAT)
        if written not in {"", currency}:
            return Reading(None, IssueCode.AMOUNT_CURRENCY, {"found": written, "expected": currency})
        rounded = value.quantize(Decimal("0.01"), context=_EXACT)
        if abs(value - rounded) > _ARTEFACT:
            return Reading(ExactAmount(value, written), IssueCode.AMOUNT_DECIMALS, {"limit": 2})
        sound = rounded > 0 or (zero_allowed and rounded == 0) or (signed and rounded < 0)
        return Reading(ExactAmount(rounded, written), None if sound else IssueCode.AMOUNT_NOT_POSITIVE)

    return ColumnReader(read, column.decision, column.deciding)


def _decimals(value: Decimal) -> int:
    exponent = value.as_tuple().exponent
    return -exponent if isinstance(exponent, int) else 0


# As bank files have it: whole centavos behind zeros.
_PADDED: Final = re.compile(r"0[0-9]{2,}")
_EXACT_PERCENT: Final = Context(prec=60)
_PERCENT: Final = re.compile(r"(-?[0-9]{1,6})(?:[.,]([0-9]{1,25}))? *(%)?")
PER_UNIT: Final = "@"
UNIT_WORD: Final = r"(?:un|unid|unidades?|c[oó]pias?|units?|copy|copies)\.?"
_A_UNIT: Final = re.compile(
    rf"(?:R\$ *)?([0-9]{{1,6}})(?:[.,]([0-9]{{1,12}}))? *(?:/|por|per) *{UNIT_WORD}", re.IGNORECASE
)
_OF_THE_PRICE: Final = re.compile(
    r"([0-9.,]+ *%) *(?:do|sobre o|of the|of|del|sobre el) +(?:preço|preco|price|precio)", re.IGNORECASE
)
_FRACTION: Final = re.compile(r"([0-9]{1,6}) */ *([0-9]{1,6})")
_STEP: Final = Decimal("0.0001")
_ALL: Final = Decimal(100)


def shares(distinct: Sequence[tuple[str, CellKind]]) -> ColumnReader:
    """Read shares; values are millionths as `schemas.values.millionths` keeps them: of a percentage, or of 1/3.

    Of money a unit ("0,10/un") it is the exact amount behind `PER_UNIT`; of a part of the price ("10 % do preço") the
    millionths behind both `PER_UNIT` and `OF_PRICE`.

    A column in which nothing is above 1 and nothing bears a % sign may hold fractions of one (a spreadsheet's "50 %"
    is the number 0.5): its cells are refused, since nobody can tell 0.5 % from a half. So is what is up to 1 without a
    sign where others bear it.
    """
    scale_proven = any(_proves_scale(text) for text, _ in distinct)
    some_signed = any("%" in text for text, _ in distinct)

    def read(text: str, _kind: CellKind) -> Reading[str]:
        if (found := _no_percentage(text)) is not None:
            return found
        percent = _exact_percent(text)
        if percent is None:
            return Reading(None, IssueCode.PERCENT_FORMAT)
        if not 0 <= percent <= 100:
            return Reading(None, IssueCode.PERCENT_RANGE)
        # Of nothing, a share is for some lines, beside shares of others: a rule of the row's.
        is_doubtful = not scale_proven or (some_signed and percent <= 1 and "%" not in text)
        if percent and is_doubtful:
            return Reading(None, IssueCode.PERCENT_FORMAT)
        return Reading(str(int(percent.scaleb(4, _EXACT_PERCENT))))

    return ColumnReader(read)


def _no_percentage(text: str) -> Reading[str] | None:
    """Read a fraction, money a unit or a part of the price; None where the text is neither."""
    if fraction := _FRACTION.fullmatch(text):
        return _fraction(int(fraction[1]), int(fraction[2]))
    if unit := _A_UNIT.fullmatch(text):
        return _a_unit(Decimal(f"{unit[1]}.{unit[2] or 0}"))
    of_price = _OF_THE_PRICE.fullmatch(text)
    return _of_the_price(_exact_percent(of_price[1])) if of_price else None


def releases(text: str) -> str | None:
    """Read in how many parts a reserve is given back: "50%, 50%" -> "500000,500000"; None where they miss 100 %.

    >>> releases("50%, 50%"), releases("100"), releases("40%; 60%"), releases("50%, 40%")
    ('500000,500000', '1000000', '400000,600000', None)
    """
    parts = [_exact_percent(part.strip()) for part in re.split(r"[,;|]\s+|[;|]|(?<=%)\s*,\s*", text.strip())]
    known = [part for part in parts if part is not None and part >= 0]
    if len(known) < len(parts) or sum(known) != _ALL:
        return None
    return ",".join(str(int(part.scaleb(4, _EXACT_PERCENT))) for part in known)


def _fraction(of: int, whole: int) -> Reading[str]:
    is_part = 0 < of <= whole
    return Reading(str(Fraction(of * WHOLE, whole))) if is_part else Reading(None, IssueCode.PERCENT_RANGE)


def _a_unit(amount: Decimal) -> Reading[str]:
    return Reading(f"{PER_UNIT}{amount.normalize():f}") if amount else Reading(None, IssueCode.PERCENT_RANGE)


def _of_the_price(percent: Decimal | None) -> Reading[str]:
    if percent is None:
        return Reading(None, IssueCode.PERCENT_FORMAT)
    is_part = 0 < percent <= _ALL
    part = f"{PER_UNIT}{OF_PRICE}{percent.scaleb(4, _EXACT_PERCENT):.0f}"
    return Reading(part) if is_part else Reading(None, IssueCode.PERCENT_RANGE)


def percentages(_distinct: Sequence[tuple[str, CellKind]]) -> ColumnReader:
    """Read percentages that only inform; values are exact decimal texts such as "33.3333"."""

    def read(text: str, _kind: CellKind) -> Reading[str]:
        percent = _exact_percent(text)
        if percent is None:
            return Reading(None, IssueCode.PERCENT_FORMAT)
        if not 0 <= percent <= 100:
            return Reading(None, IssueCode.PERCENT_RANGE)
        return Reading(format(percent.normalize(_EXACT_PERCENT), "f"))

    return ColumnReader(read)


def _proves_scale(text: str) -> bool:
    found = _PERCENT.fullmatch(text)
    percent = _exact_percent(text)
    return found is not None and percent is not None and (percent > 1 or found[3] is not None)


def _exact_percent(text: str) -> Decimal | None:
    """Return the percentage, free of a float's own noise; None when it is none or has more than four decimals."""
    found = _PERCENT.fullmatch(text)
    if found is None:
        return None
    percent = Decimal(f"{found[1]}.{found[2] or 0}")
    rounded = percent.quantize(_STEP, context=_EXACT_PERCENT)
    return rounded if abs(percent - rounded) <= _ARTEFACT else None
