"""The JSON of webhook registration as the interface describes it."""

from typing import Annotated, Any, Final

from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema
from pydantic_core import PydanticCustomError, Url
from pydantic_core import ValidationError as CoreError

from io_adapters.sandbox.models import Body

LONGEST_URL: Final = 2083
_SCHEMA: Final[dict[str, Any]] = {
    "type": "string",
    "format": "uri",
    "minLength": 1,
    "maxLength": LONGEST_URL,
    "pattern": r"^https?://[A-Za-z0-9]",
}


def _reachable(text: str) -> str:
    try:
        url = Url(text)
    except (CoreError, ValueError):
        url = None
    if url is None or url.scheme not in {"http", "https"} or not url.host:
        raise PydanticCustomError("url_parsing", "Input should be a valid http or https URL")
    return text


WebhookUrl = Annotated[
    str, Field(min_length=1, max_length=LONGEST_URL), AfterValidator(_reachable), WithJsonSchema(_SCHEMA)
]


class WebhookCreation(Body):
    """Body of POST /webhooks."""

    webhook_url: WebhookUrl


class Webhook(BaseModel):
    """What the service says of a registration."""

    id: str | None
    webhook_url: str | None
    active: bool | None
    created_at: str | None
