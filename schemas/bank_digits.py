"""Check digits of bank accounts, for the banks whose rule is known.

The rules are unofficial and libraries disagree on some, so a mismatch is a reason to look, never to refuse.
"""

from collections.abc import Callable, Sequence
from typing import Final

_SANTANDER_WEIGHTS: Final = (9, 7, 3, 1, 0, 0, 9, 7, 1, 3, 1, 9, 7, 3)
_VERHOEFF_PRODUCT: Final = tuple(
    tuple((a + b) % 5 if a < 5 and b < 5 else 5 + (a + b) % 5 if a < 5 else 5 + (a - b) % 5 if b < 5 else (a - b) % 5
          for b in range(10))
    for a in range(10)
)  # fmt: skip  # the dihedral group of order 10
_VERHOEFF_SHIFT: Final = (1, 5, 7, 6, 2, 8, 3, 0, 9, 4)


def check_account_digit(bank_code: str, agency: str, account: str) -> bool | None:
    """Tell whether an account's last character is its check digit.

    Args:
        bank_code: Three digits.
        agency: Four digits, without a check digit of its own.
        account: Digits and the check character, glued; X and P stand for themselves.

    Returns:
        None when the bank's rule is not known or does not reach accounts of this length.

    >>> check_account_digit("341", "4313", "431290"), check_account_digit("341", "4313", "431291")
    (True, False)
    """
    number, digit = account[:-1], account[-1:]
    rule = _RULES.get(bank_code)
    if rule is None or not (number.isdecimal() and agency.isdecimal()):
        return None
    accepted = rule(agency, number)
    return None if accepted is None else digit in accepted


def _weighted(digits: str, weights: Sequence[int]) -> int:
    return sum(int(digit) * weight for digit, weight in zip(digits, weights, strict=True))


def _banco_do_brasil(_agency: str, number: str) -> str | None:
    if len(number) > 8:
        return None
    digit = 11 - _weighted(number.zfill(8), (9, 8, 7, 6, 5, 4, 3, 2)) % 11
    return {10: "X0", 11: "0"}.get(digit, str(digit))  # the central bank's key directory writes X as 0


def _bradesco(_agency: str, number: str) -> str | None:
    if len(number) > 7:
        return None
    remainder = _weighted(number.zfill(7), (2, 7, 6, 5, 4, 3, 2)) % 11
    return {0: "0", 1: "P0"}.get(remainder, str(11 - remainder))


def _itau(agency: str, number: str) -> str | None:
    if len(number) > 5:
        return None
    products = [int(d) * (2 - i % 2) for i, d in enumerate(agency + number.zfill(5))]
    return str(-sum(product // 10 + product % 10 for product in products) % 10)


def _santander(agency: str, number: str) -> str | None:
    if len(number) > 8:
        return None
    digits = agency + "00" + number.zfill(8)
    return str(-sum(int(d) * w % 10 for d, w in zip(digits, _SANTANDER_WEIGHTS, strict=True)) % 10)


def _caixa(agency: str, number: str) -> str | None:
    if len(number) != 11:  # operation and number; the newer 12-digit accounts follow another rule
        return None
    remainder = _weighted(agency + number, (8, 7, 6, 5, 4, 3, 2, 9, 8, 7, 6, 5, 4, 3, 2)) * 10 % 11
    return str(remainder % 10)


def _nubank(_agency: str, number: str) -> str:
    check = 0
    for position, digit in enumerate(reversed(number.lstrip("0")), start=1):
        shifted = int(digit)
        for _ in range(position % 8):
            shifted = _VERHOEFF_SHIFT[shifted]
        check = _VERHOEFF_PRODUCT[check][shifted]
    return str(_VERHOEFF_PRODUCT[check].index(0))


def _c6(_agency: str, number: str) -> str | None:
    if len(number) > 7:
        return None
    remainder = _weighted(number.zfill(7), (8, 7, 6, 5, 4, 3, 2)) % 11
    return "0" if remainder < 2 else str(11 - remainder)


def _banrisul(_agency: str, number: str) -> str | None:
    if len(number) > 9:
        return None
    remainder = _weighted(number.zfill(9), (3, 2, 4, 7, 6, 5, 4, 3, 2)) % 11
    return {0: "0", 1: "6"}.get(remainder, str(11 - remainder))


_RULES: Final[dict[str, Callable[[str, str], str | None]]] = {
    "001": _banco_do_brasil,
    "033": _santander,
    "041": _banrisul,
    "104": _caixa,
    "237": _bradesco,
    "260": _nubank,
    "336": _c6,
    "341": _itau,
}
