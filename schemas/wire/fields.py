"""What requests and responses have in common: strict writing, tolerant reading."""

import json
import re
from collections.abc import Mapping
from decimal import Decimal
from typing import Annotated, Any, Self

from pydantic import (
    BaseModel,
    BeforeValidator,
    ConfigDict,
    ModelWrapValidatorHandler,
    PrivateAttr,
    model_validator,
)


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
    """Return a request as plain values, without what is unset."""
    return request.model_dump(exclude_none=True)
