"""Values of the service's JSON that need more than a type: numbers kept exactly, dates."""

import datetime as dt
from decimal import Decimal
from typing import Annotated, Any, Final

from pydantic import AfterValidator, BeforeValidator, WithJsonSchema
from pydantic_core import PydanticCustomError

_DIGITS_BEFORE_POINT: Final = 13
_DIGITS_AFTER_POINT: Final = 400  # as many as any float has
_BEYOND: Final = 10**_DIGITS_BEFORE_POINT


def _number(value: Any) -> Any:  # noqa: ANN401
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        raise PydanticCustomError("number_type", "Input should be a valid number")
    number = Decimal(value)
    exponent = number.as_tuple().exponent
    if not isinstance(exponent, int) or exponent < -_DIGITS_AFTER_POINT or number.adjusted() >= _DIGITS_BEFORE_POINT:
        raise PydanticCustomError("number_range", "Input should have at most 13 digits before the point")
    return number


Number = Annotated[
    Decimal,
    BeforeValidator(_number),
    WithJsonSchema({"type": "number", "exclusiveMinimum": -_BEYOND, "exclusiveMaximum": _BEYOND}),
]
ToldNumber = Annotated[Decimal, WithJsonSchema({"type": "number"})]


def _whole(value: Any) -> Any:  # noqa: ANN401
    number = _number(value)
    if number != number.to_integral_value():
        raise PydanticCustomError("int_from_float", "Input should be a valid integer")
    return int(number)


Whole = Annotated[int, BeforeValidator(_whole)]  # 86400.0 is an integer too, where JSON is concerned


def _iso_8601(text: str) -> str:
    try:
        dt.datetime.fromisoformat(text)
    except ValueError:
        raise PydanticCustomError("datetime_parsing", "Input should be a date in ISO 8601") from None
    return text


IsoDate = Annotated[
    str,
    AfterValidator(_iso_8601),
    WithJsonSchema({"type": "string", "anyOf": [{"format": "date"}, {"format": "date-time"}]}),
]
