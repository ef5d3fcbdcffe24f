"""What requests and responses have in common: strict writing, tolerant reading."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from json.encoder import encode_basestring
from typing import Annotated, Any, Final, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)

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


class Request(BaseModel):
    """A body we send: what is not named here cannot be sent. Errors name fields, and never show what stood there."""

    model_config = ConfigDict(extra="forbid", frozen=True, hide_input_in_errors=True)


def _text(value: Any) -> str | None:  # noqa: ANN401
    """Read a string; one that no database or file can hold (NUL, half a surrogate pair) is not one."""
    if not isinstance(value, str) or "\0" in value:
        return None
    try:
        value.encode()
    except UnicodeEncodeError:
        return None
    return value


def _flag(value: Any) -> bool | None:  # noqa: ANN401
    return value if isinstance(value, bool) else None


def _number(value: Any) -> Decimal | None:  # noqa: ANN401
    """Read an exact number; a float has already lost its digits, and is not one."""
    if isinstance(value, str) and re.fullmatch(r"-?[0-9]{1,30}(\.[0-9]{1,30})?(E[+-]?[0-9]{1,3})?", value):
        value = Decimal(value)
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return None
    number = Decimal(value)
    # Beyond any money: "1e999999999" is a short text whose digits would fill the memory.
    return number if number.is_finite() and (number.is_zero() or abs(number.adjusted()) <= 30) else None


def _count(value: Any) -> int | None:  # noqa: ANN401
    number = None if isinstance(value, str) else _number(value)
    return None if number is None or number != number.to_integral_value() else int(number)


Text = Annotated[str | None, BeforeValidator(_text)]
Flag = Annotated[bool | None, BeforeValidator(_flag)]
Number = Annotated[Decimal | None, BeforeValidator(_number)]
Count = Annotated[int | None, BeforeValidator(_count)]


class Response(BaseModel):
    """A body we read: nothing in it surprises us."""

    model_config = ConfigDict(extra="allow", frozen=True)

    _unreadable: dict[str, Any] = PrivateAttr(default_factory=dict)

    @property
    def unreadable(self) -> Mapping[str, Any]:
        """By wire name, the raw values that had an unexpected type and read as None."""
        return self._unreadable

    def document(self) -> bytes:
        """Write down what the service said, the unreadable included, as JSON that reads back as the same response.

        Never fails on what a service may say; exact numbers are written as text, which reads back as numbers.
        """
        return json.dumps(self.model_dump(by_alias=True) | self._unreadable, default=str, sort_keys=True).encode()

    @model_validator(mode="wrap")
    @classmethod
    def _keep_what_cannot_be_read(cls, data: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:  # noqa: ANN401
        response = handler(data)
        if isinstance(data, Mapping):
            for name, field in cls.model_fields.items():
                wire_name = field.alias or name
                if data.get(wire_name) is not None and getattr(response, name) is None:
                    response._unreadable[wire_name] = data[wire_name]  # noqa: SLF001 (our own, just made)
        return response


def body_of(request: Request) -> dict[str, Any]:
    return request.model_dump(exclude_none=True)
