"""POST /webhooks: where the service sends its notifications. What it sends, how, and when is not shown."""

import ipaddress
import re
from urllib.parse import urlsplit

from io_adapters.split_api.assumptions import Assumptions
from io_adapters.split_api.errors import RuleBroken
from io_adapters.split_api.orders import Orders, Statuses, answer_in
from schemas.wire import Webhook, WebhookCreate
from schemas.wire.webhooks import LONGEST_URL


class WebhooksApi:
    """Registers addresses."""

    def __init__(self, orders: Orders, assumptions: Assumptions) -> None:
        """Prepare; nothing is sent yet."""
        self._orders = orders
        self._registering = Statuses(existing=assumptions.existing_statuses)

    def register(self, url: str) -> Webhook:
        """POST /webhooks, once. Whether a URL registered twice is notified twice is not shown.

        Args:
            url: https, or http on this machine (for a sandbox); 1 to 2083 characters.

        Raises:
            RuleBroken: an address that cannot be registered; nothing was sent.
            NotSent: certainly nothing was sent.
            AlreadyThere: the service says that it is registered; a kind of Refused.
            Refused: 422 as documented.
            Unanswered: it may have been registered.
        """
        check_webhook_url(url)
        what = "registering a webhook"
        request = WebhookCreate(webhook_url=url)
        reply = self._orders.do(what, "POST", "/webhooks", request, statuses=self._registering)
        return answer_in(reply, Webhook, what)


def check_webhook_url(url: str) -> None:
    """Refuse an address that must not be registered, in words that do not repeat it: its path is a secret.

    Raises:
        RuleBroken: too short or long, not https, with a user or password, or with characters no address has.
    """
    if not 1 <= len(url) <= LONGEST_URL:
        raise RuleBroken(f"webhook_url must have 1 to {LONGEST_URL} characters")
    try:
        parts = urlsplit(url)
        host, _port, user = parts.hostname or "", parts.port, parts.username or parts.password
    except ValueError:
        raise RuleBroken("webhook_url is not an address") from None
    if not re.fullmatch(r"[!-~]+", url) or "\\" in url or not host:
        raise RuleBroken("webhook_url is not an address: it needs a host, and holds no blanks or accents")
    if user is not None or "@" in parts.netloc:
        raise RuleBroken("webhook_url must hold no user or password")
    if parts.fragment:
        raise RuleBroken("webhook_url must hold no fragment (#): it would never arrive")
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_this_machine(host)):
        raise RuleBroken("webhook_url must begin with https:// (http:// only for localhost, as with the sandbox)")


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
