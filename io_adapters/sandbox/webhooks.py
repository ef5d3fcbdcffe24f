"""Registration of webhooks."""

import datetime as dt

from fastapi import APIRouter, Response

from io_adapters.sandbox.context import Running
from io_adapters.sandbox.counting import Endpoint
from io_adapters.sandbox.models import ExactRoute, SandboxWebhook, WebhookCreation, exact_answer
from io_adapters.sandbox.validation import refuse_if_any, unknown_fields

router = APIRouter(route_class=ExactRoute, tags=["Webhooks"])


@router.post(Endpoint.REGISTER_WEBHOOK.path, response_model=SandboxWebhook)
def register_webhook(body: WebhookCreation, sandbox: Running) -> Response:
    """Register a URL that is told of events; it is told of each status a report moves to from now on."""
    refuse_if_any(unknown_fields(body) if sandbox.behaviour.known_fields_only else [])
    registered = sandbox.watch.register(body.webhook_url)
    return exact_answer(
        {
            "id": registered.id,
            "webhook_url": registered.webhook_url,
            "active": registered.active,
            "created_at": dt.datetime.fromtimestamp(registered.created_at, dt.UTC).isoformat(timespec="milliseconds"),
        }
    )
