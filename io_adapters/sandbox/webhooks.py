"""Registration of webhooks; what is registered is kept, and never called."""

import datetime as dt
import uuid

import sqlalchemy as sa
from fastapi import APIRouter, Response

from io_adapters.sandbox.context import Running
from io_adapters.sandbox.models import ExactRoute, SandboxWebhook, WebhookCreation, exact_answer
from io_adapters.sandbox.tables import webhooks
from io_adapters.sandbox.validation import Endpoint, refuse_if_any, unknown_fields

router = APIRouter(route_class=ExactRoute, tags=["Webhooks"])


@router.post(Endpoint.REGISTER_WEBHOOK.path, response_model=SandboxWebhook)
def register_webhook(body: WebhookCreation, sandbox: Running) -> Response:
    """Register a URL; one that is registered already is registered once more."""
    refuse_if_any(unknown_fields(body) if sandbox.behaviour.known_fields_only else [])
    at_s = sandbox.clock()
    row = {"id": str(uuid.uuid4()), "webhook_url": body.webhook_url, "active": True, "created_at": at_s}
    with sandbox.database.writing() as connection:
        connection.execute(sa.insert(webhooks), row)
    moment = dt.datetime.fromtimestamp(at_s, dt.UTC).isoformat(timespec="milliseconds")
    return exact_answer(row | {"created_at": moment})
