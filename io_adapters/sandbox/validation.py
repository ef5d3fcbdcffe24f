"""Refusals in the one form the interface documents: 422 with `detail: [{loc, msg, type}]`, never the refused value."""

import json
from collections.abc import Sequence

from fastapi import Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel
from starlette.exceptions import HTTPException

from io_adapters.sandbox.counting import methods_at
from io_adapters.sandbox.models import (
    Body,
)

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
