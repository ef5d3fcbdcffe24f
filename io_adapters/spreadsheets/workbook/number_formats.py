"""Number formats, as far as they change what a person sees: percentages, and leading zeros."""

import operator
import re
from collections import defaultdict
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Final, NamedTuple

_PART: Final = re.compile(r'"[^"]*"|[\\_*].|\[[^\]]*\]|.', re.DOTALL)
_CONDITION: Final = re.compile(r"\[(<=|>=|<>|<|>|=)([0-9]{1,15})\]")
# Colours, and a language without a currency; what else stands in brackets counts time or names a currency.
_HARMLESS_BRACKET: Final = re.compile(r"\[(?:[A-Za-z]{3,}[0-9]{0,2}|\$-[0-9A-Fa-f]+)\]")
_TIME_BRACKET: Final = re.compile(r"\[(?:h+|m+|s+)\]", re.IGNORECASE)
_COMPARE: Final[dict[str, Callable[[int, int], bool]]] = {
    "<=": operator.le, ">=": operator.ge, "<>": operator.ne, "<": operator.lt, ">": operator.gt, "=": operator.eq,
}  # fmt: skip
_BARE_MARKS: Final = frozenset("-/ ()+:")
_MOST_DIGITS: Final = 20


class _Section(NamedTuple):
    """One of the up to four parts of a format.

    Attributes:
        applies: Whether it is meant for a number; None for one without a condition.
        digits: How many digits it shows at the least; 0 for one that shows anything but a row of digits.
    """

    applies: Callable[[int], bool] | None
    digits: int


class Mask(NamedTuple):
    """A format that shows whole numbers with zeros before them, such as `00000000000`."""

    sections: tuple[_Section, ...]

    def digits(self, number: int) -> int:
        """Return how many digits a number from 0 on is shown with at the least; 0 where the format does not say.

        >>> mask_of('[<=99999999999]000"."000"."000-00;00"."000"."000"/"0000-00').digits(10**12)
        14
        """
        conditional = any(section.applies for section in self.sections)
        if conditional:
            fitting = (section for section in self.sections[:3] if section.applies is None or section.applies(number))
            return next(fitting, _Section(None, 0)).digits
        which = 2 if number == 0 and len(self.sections) > 2 else 0
        return self.sections[which].digits


def mask_of(code: str) -> Mask | None:
    """Read a format code; None when no part of it is a row of zeros.

    >>> mask_of("00000000000").digits(191), mask_of("0.00"), mask_of("#,##0"), mask_of("0")
    (11, None, None, None)
    """
    sections: list[list[str]] = [[]]
    for part in _PART.findall(code):
        if part == ";":
            sections.append([])
        else:
            sections[-1].append(part)
    read = tuple(map(_section, sections))
    return Mask(read) if any(section.digits for section in read) else None


def _section(parts: list[str]) -> _Section:
    condition = next((found for part in parts if (found := _CONDITION.fullmatch(part))), None)
    applies = None
    if condition:
        compare, bound = _COMPARE[condition[1]], int(condition[2])
        applies = lambda number: compare(number, bound)  # noqa: E731
    shown = "".join(map(_shown, parts))
    # A comma between zeros groups them; behind the last one it would divide by a thousand.
    digits = shown.count("0") if re.fullmatch(r"-*0(?:[-0,]*0)?-*", shown) else 0
    return _Section(applies, digits if 1 < digits <= _MOST_DIGITS else 0)


def _shown(part: str) -> str:
    """Return what a part of a section stands for: "0" a digit, "," the groups of thousands, "-" any mark, "?" else."""
    if part in {"0", ","}:
        return part
    if part in _BARE_MARKS:
        return "-"
    if part[0] in {'"', "\\", "_", "*"} and len(part) > 1:
        return "?" if any(mark.isdigit() for mark in part) else "-"
    if _CONDITION.fullmatch(part) or (_HARMLESS_BRACKET.fullmatch(part) and not _TIME_BRACKET.fullmatch(part)):
        return ""
    return "?"


def shows_percent(code: str) -> bool:
    """Tell whether a format shows 0.5 as 50%."""
    return "%" in re.sub(r'"[^"]*"|\\.', "", code)


_CURRENCY: Final = re.compile(r"\[\$([^\]-]+)")
_FOREIGN: Final = re.compile(r"\$|€|£|¥|\b(?:USD|EUR|GBP|ARS|MXN|CLP|CAD|CHF|JPY)\b")
_SCALED: Final = re.compile(r"[0#?],+(?![0#?,])")


def shows_otherwise(code: str) -> bool:
    """Tell whether a format shows a number in a foreign currency, or as thousandths of itself.

    >>> [shows_otherwise(code) for code in ('[$$-409]#,##0.00', '"US$ "0.00', '[$R$-416]#,##0.00', '"R$" 0.00', '0.0,')]
    [True, True, False, False, True]
    """
    written = "".join(part.strip('"').lstrip("\\") for part in _PART.findall(code) if part[0] in '"\\$€£¥')
    written += " ".join(_CURRENCY.findall(code))
    bare = re.sub(r'"[^"]*"|\\.|\[[^\]]*\]', "", code)
    return _FOREIGN.search(written.replace("R$", "").replace("BRL", "")) is not None or _SCALED.search(bare) is not None


@dataclass(frozen=True, slots=True)
class CellStyles:
    """The cell styles of a workbook under which a number is not seen as it is stored, or a text is crossed out.

    Attributes:
        percent: Those that show it as a percentage.
        masks: Those that show zeros before it.
        otherwise: Those that show it in a foreign currency, or as thousandths of itself.
        struck: Those that strike through what stands in the cell.
    """

    percent: frozenset[int] = frozenset()
    masks: Mapping[int, Mask] = field(default_factory=dict)
    otherwise: frozenset[int] = frozenset()
    struck: frozenset[int] = frozenset()

    def masks_by_digits(self) -> dict[int, list[int]]:
        """Return the most digits that a mask shows -> its styles: longer numbers are seen as they are stored."""
        found = defaultdict[int, list[int]](list)
        for style, mask in self.masks.items():
            found[max(section.digits for section in mask.sections)].append(style)
        return found
