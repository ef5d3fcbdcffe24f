"""The endpoints of the interface: how often each was called, and refusals in the one form it documents (422)."""

import json
import threading
from collections import Counter
from collections.abc import Sequence
from enum import StrEnum

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from sqlalchemy.dialects.sqlite import insert as upsert
from starlette.exceptions import HTTPException
from starlette.routing import compile_path

from io_adapters.sandbox.models import (
    Body,
)
from io_adapters.sandbox.tables import SandboxDatabase, requests

Location = tuple[str | int, ...]


class ValidationProblem(BaseModel):
    loc: list[str | int]
    msg: str
    type: str


class HTTPValidationError(BaseModel):
    detail: list[ValidationProblem]


def problem(loc: Location, msg: str, kind: str = "value_error") -> ValidationProblem:
    return ValidationProblem(loc=["body", *loc], msg=msg, type=kind)


def missing(field: str) -> ValidationProblem:
    return problem((field,), "Field required", "missing")


def refuse_if_any(problems: Sequence[ValidationProblem]) -> None:
    """Answer 422 when there are problems.

    Raises:
        RequestValidationError: there are some.
    """
    if problems:
        raise RequestValidationError([found.model_dump() for found in problems])


def unknown_fields(body: Body, loc: Location = ()) -> list[ValidationProblem]:
    found = [
        problem((*loc, name), "Extra inputs are not permitted", "extra_forbidden") for name in body.model_extra or ()
    ]
    for name in type(body).model_fields:
        value = getattr(body, name)
        if isinstance(value, Body):
            found += unknown_fields(value, (*loc, name))
        elif isinstance(value, list):
            for index, item in enumerate(value):
                if isinstance(item, Body):
                    found += unknown_fields(item, (*loc, name, index))
    return found


def unknown_queries(request: Request) -> list[ValidationProblem]:
    route = request.scope["route"]
    assert isinstance(route, APIRoute)  # noqa: S101 - narrows Starlette's untyped scope
    known = {parameter.alias for parameter in route.dependant.query_params}
    return [
        ValidationProblem(loc=["query", name], msg="Extra inputs are not permitted", type="extra_forbidden")
        for name in request.query_params
        if name not in known
    ]


async def answer_422(_: Request, error: Exception) -> Response:
    """Write a validation error with exactly `loc`, `msg` and `type`: pydantic's own carries the value along."""
    assert isinstance(error, RequestValidationError)  # noqa: S101 - registered for this type alone
    detail = [{key: found[key] for key in ("loc", "msg", "type")} for found in error.errors()]
    return Response(json.dumps({"detail": detail}), status_code=422, media_type="application/json")


async def answer_405(request: Request, error: Exception) -> Response:
    """Refuse a method, naming all that the path answers: the router knows those of one function at a time."""
    assert isinstance(error, HTTPException)  # noqa: S101 - registered for this type alone
    methods = methods_at(request.url.path.removeprefix(request.app.state.prefix))
    headers = {"Allow": ", ".join(methods)} if methods else error.headers
    body = json.dumps({"detail": "Method Not Allowed"})
    return Response(body, status_code=405, headers=headers, media_type="application/json")


class Endpoint(StrEnum):
    """Method and path below the prefix, as the interface writes them."""

    CREATE_CONTACT = "POST /contacts"
    UPDATE_CONTACT = "PUT /contacts"
    DELETE_CONTACT = "DELETE /contacts"
    DELETE_ACCOUNT = "DELETE /contacts/accounts"
    FAVORITE_ACCOUNT = "POST /contacts/accounts_favorite"
    LIST_INSTITUTIONS = "GET /pix/financial_institutions"
    CREATE_QR_CODE = "POST /create_pix_qrcode"
    VALIDATE_ACCOUNT = "POST /validate/account"
    CREATE_SPLIT = "POST /split"
    LIST_SPLITS = "GET /split"
    GET_SPLIT = "GET /split/{split_id}/get"
    UPDATE_EXCHANGE_RATE = "POST /split/{split_id}/update_exchange_rate"
    REGISTER_WEBHOOK = "POST /webhooks"

    @property
    def method(self) -> str:
        return self.split(" ")[0]

    @property
    def path(self) -> str:
        return self.split(" ")[1]


_FIXED: dict[str, Endpoint] = {str(endpoint): endpoint for endpoint in Endpoint if "{" not in endpoint}
_PATTERNS = {endpoint: compile_path(endpoint.path)[0] for endpoint in Endpoint if "{" in endpoint}


def endpoint_at(method: str, path: str) -> Endpoint | None:
    """Return the endpoint that a method and a path below the prefix mean; None when the service has none there.

    >>> endpoint_at("GET", "/split/4f/get")
    <Endpoint.GET_SPLIT: 'GET /split/{split_id}/get'>
    """
    fixed = _FIXED.get(f"{method} {path}")
    if fixed is not None:
        return fixed
    return next(
        (endpoint for endpoint, pattern in _PATTERNS.items() if endpoint.method == method and pattern.match(path)), None
    )


def methods_at(path: str) -> list[str]:
    """Return the methods that a path below the prefix answers, sorted; empty where the service has nothing.

    >>> methods_at("/contacts")
    ['DELETE', 'POST', 'PUT']
    """
    return sorted({endpoint.method for endpoint in Endpoint if endpoint_at(endpoint.method, path) is not None})


class RequestCounter:
    """Counts in memory and writes down now and then: a write for each call would cost more than most calls do.

    What was counted since the last `save` is lost with the process; effects are not, they are committed one by one.
    """

    def __init__(self, database: SandboxDatabase) -> None:
        self._database = database
        self._unsaved: Counter[str] = Counter()
        self._changing = threading.Lock()
        self._saving = threading.Lock()

    def count(self, endpoint: Endpoint) -> None:
        with self._changing:
            self._unsaved[endpoint] += 1

    def save(self) -> None:
        """Write down what was counted; when it returns, all of it is there, whoever wrote it."""
        with self._saving:
            with self._changing:
                counted, self._unsaved = self._unsaved, Counter()
            if not counted:
                return
            rows = [{"endpoint": str(endpoint), "count": count} for endpoint, count in counted.items()]
            first = upsert(requests)
            add = first.on_conflict_do_update(set_={"count": requests.c.count + first.excluded.count})
            with self._database.writing() as connection:
                connection.execute(add, rows)
