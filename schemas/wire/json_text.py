"""JSON with exact numbers, the same bytes on every machine."""

import json
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Any, Final

# How far a sum of the service may be from ours before it is another one, in centavos.
HALF_A_CENTAVO: Final = Decimal("0.5")


def amount_from_cents(cents: int) -> Decimal:
    """Return centavos as the exact two-place decimal the wire carries.

    >>> amount_from_cents(123456)
    Decimal('1234.56')
    """
    return Decimal(cents).scaleb(-2)


def cents_of(amount: Decimal) -> int:
    """Return the centavos an amount of the service is nearest to: a service may add in doubles.

    >>> cents_of(Decimal("300.00000000000006")), cents_of(Decimal("7.4999999999"))
    (30000, 750)
    """
    return int((amount * 100).to_integral_value())


def says_cents(amount: Decimal, cents: int) -> bool:
    """Whether an amount of the service is so many centavos, give or take half a centavo.

    >>> says_cents(Decimal("300.00000000000006"), 30000), says_cents(Decimal("300.01"), 30000)
    (True, False)
    """
    return abs(amount * 100 - cents) <= HALF_A_CENTAVO


_write_plain: Final = json.JSONEncoder(ensure_ascii=False).encode  # json.dumps would make an encoder for every word


def canonical_json(value: Any) -> bytes:  # noqa: ANN401
    """Write JSON with sorted keys, no blanks, UTF-8, and exact decimals.

    The same value gives the same bytes on every machine: digests and stored bodies rest on it.

    Raises:
        TypeError: a value that JSON has no exact form for; floats are among them.
    """
    return _write(value).encode()


def _write(value: Any) -> str:  # noqa: ANN401
    if type(value) is str:  # most of a document; everything else may take its time
        return encode_basestring(value)
    match value:
        case str() | None | bool() | int():
            return _write_plain(value)
        case Decimal():
            if not value.is_finite():
                raise TypeError("JSON has no form for NaN or infinity")
            return format(value, "f")
        case dict():
            return "{" + ",".join(f"{encode_basestring(str(key))}:{_write(value[key])}" for key in sorted(value)) + "}"
        case list() | tuple():
            return "[" + ",".join(map(_write, value)) + "]"
        case _:
            raise TypeError(f"no exact JSON form for {type(value).__name__}")


def parse_json(body: bytes) -> Any:  # noqa: ANN401
    """Read JSON with numbers as int and exact Decimal, never float; NaN and infinity read as the words they are.

    Raises:
        ValueError: it is not JSON, or nothing a computer should try to hold.
    """
    try:
        return json.loads(body, parse_float=Decimal, parse_constant=str)
    except (ValueError, ArithmeticError, RecursionError):
        raise ValueError("not readable as JSON") from None  # the cause carries the document along
