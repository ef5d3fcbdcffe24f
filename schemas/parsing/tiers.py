"""Cells of deals that hold an amount, units, or, as people also write in columns of tiers, a day."""

import re
from collections.abc import Sequence
from typing import Final, Literal

from schemas.issues import IssueCode
from schemas.parsing.amounts import UNIT_WORD, ExactAmount, payable_amounts
from schemas.parsing.cells import ColumnReader
from schemas.parsing.dates import DateStyle, dates
from schemas.sheet_cells import CellKind
from schemas.values.reading import Reading
from schemas.values.tier_bounds import IN_UNITS, RETROACTIVE

_RETROACTIVE: Final = re.compile(r"[\s,;(]+(?:retroativ[oa]|retroactiv[oa]|retroactive)\)?$", re.IGNORECASE)
_UNITS: Final = re.compile(rf"([0-9]{{1,15}}|[1-9][0-9]{{0,2}}(?:[.,][0-9]{{3}})+) *{UNIT_WORD}", re.IGNORECASE)
_THOUSANDS: Final = re.compile(r"(?:R\$ *)?([1-9][0-9]{0,2}(?:([.,])[0-9]{3})(?:\2[0-9]{3})*)")
_DIGITS: Final = re.compile(r"[0-9]+(?:\.0)?")


def tier_bounds(
    distinct: Sequence[tuple[str, CellKind]], decimal: Literal["auto", ",", "."], style: DateStyle, *, currency: str
) -> ColumnReader:
    """Read amounts ("100000"), units ("5000 un") and days (ISO); behind the first two perhaps "retroactive".

    Digits alone that may be a day are one where others are, an amount where others are, and else refused. Three digits
    behind a mark are thousands: an amount has two decimals at the most.
    """
    days = dates(distinct, style)
    alone = [(_alone(text), kind) for text, kind in distinct]
    amounts = payable_amounts(alone, decimal, currency=currency, zero_allowed=True)

    def is_day(text: str, kind: CellKind) -> bool:
        found = days.read(text, kind)
        return found.value is not None or found.code is IssueCode.DATE_AMBIGUOUS

    may_be_days = {text for text, kind in distinct if _DIGITS.fullmatch(text) and is_day(text, kind)}
    others = {is_day(text, kind) for text, kind in distinct if text not in may_be_days}

    def read(text: str, kind: CellKind) -> Reading[str]:
        if text in may_be_days and len(others) != 1:
            return Reading(None, IssueCode.SHARE_TIER)
        if others == {True} if text in may_be_days else is_day(text, kind):
            return days.read(text, kind)
        number = _alone(text)
        found = _number(number, amounts.read(number, kind), is_typed=kind != CellKind.NUMBER)
        if found.value is None:
            return found
        return Reading(found.value + (RETROACTIVE if number != text else ""))

    return ColumnReader(read, days.decision or amounts.decision, days.deciding or amounts.deciding)


def _number(text: str, amount: Reading[ExactAmount], *, is_typed: bool) -> Reading[str]:
    if units := _UNITS.fullmatch(text):
        return Reading(f"{int(re.sub('[.,]', '', units[1]))}{IN_UNITS}")
    if is_typed and (thousands := _THOUSANDS.fullmatch(text)):
        return Reading(re.sub("[.,]", "", thousands[1]))
    if amount.value is not None and amount.code is None:
        return Reading(f"{amount.value.value.normalize():f}")
    is_amount = amount.code not in {None, IssueCode.AMOUNT_FORMAT}
    return Reading(None, amount.code if is_amount else IssueCode.SHARE_TIER, amount.facts)


def _alone(text: str) -> str:
    return _RETROACTIVE.sub("", text)
