"""JSON in which a number stays the decimal it was written as, in both directions."""

import json
from collections.abc import Callable, Coroutine
from decimal import Decimal
from typing import Any, NoReturn

from fastapi import Request, Response
from fastapi.routing import APIRoute

from schemas.wire import canonical_json


def read_exact_json(body: bytes) -> Any:  # noqa: ANN401
    """Read a JSON document, numbers with a point as `Decimal`.

    Raises:
        json.JSONDecodeError: not JSON, or JSON that cannot be kept exactly (NaN, lone surrogates, absurd numbers).
    """
    try:
        value = json.loads(body, parse_float=Decimal, parse_constant=_refuse_constant)
        if b"\\ud" in body.lower():  # an escaped surrogate; alone it is no character and could not be written back
            json.dumps(value, ensure_ascii=False, default=str).encode()
    except json.JSONDecodeError:
        raise
    except (ValueError, ArithmeticError, RecursionError):
        raise json.JSONDecodeError("not a document that can be kept exactly", "", 0) from None
    return value


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(f"{name} is not JSON")


class ExactRequest(Request):
    """A request whose body is read by `read_exact_json`."""

    async def json(self) -> Any:  # noqa: ANN401
        """Return the body, numbers with a point as `Decimal`."""
        return read_exact_json(await self.body())


class ExactRoute(APIRoute):
    """A route that hands FastAPI an `ExactRequest`; with the usual one an amount would have passed through a float."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return FastAPI's own handler behind the exact request."""
        handle = super().get_route_handler()

        async def handle_exactly(request: Request) -> Response:
            return await handle(ExactRequest(request.scope, request.receive))

        return handle_exactly


def exact_answer(value: Any, status_code: int = 200) -> Response:  # noqa: ANN401
    """Return plain values, `Decimal` among them, as a JSON response."""
    return Response(canonical_json(value), status_code=status_code, media_type="application/json")
