"""Webhook registration: POST /webhooks. What is delivered to the address is not shown, so there is no model of it."""

from typing import Annotated, Final

from pydantic import Field

from schemas.wire.fields import Flag, Request, Response, Text

LONGEST_URL: Final = 2083


class WebhookCreate(Request):
    """Body of POST /webhooks."""

    webhook_url: Annotated[str, Field(min_length=1, max_length=LONGEST_URL)]


class Webhook(Response):
    """What the service says of a registration."""

    id: Text = None
    webhook_url: Text = None
    active: Flag = None
    created_at: Text = None
