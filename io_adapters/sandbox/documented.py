"""Answers beside 200 and 422, for the OpenAPI page. None is shown by the interface: all are the sandbox's own."""

from typing import Any, Final

from pydantic import BaseModel

Answers = dict[int | str, dict[str, Any]]


class Refusal(BaseModel):
    """Why a request was turned away, in words."""

    detail: str


NOT_LET_IN: Final[Answers] = {401: {"model": Refusal, "description": "The Authorization header is not the API key"}}
NOT_FOUND: Final[Answers] = {404: {"model": Refusal, "description": "There is no such thing"}}
NOTHING: Final[Answers] = {204: {"description": "Deleted, where the sandbox is told to answer nothing"}}
CONFLICT: Final[Answers] = {409: {"model": Refusal, "description": "There is one already"}}
