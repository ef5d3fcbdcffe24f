"""Receiving the service's webhook deliveries: they are not believed, but make open reports be polled."""

from io_adapters.webhooks.receiver import PATH, Debouncer, KnownTokens, MadeToken, Poll, make_token, sha256_of
from io_adapters.webhooks.serving import Door, open_door

__all__ = ["PATH", "Debouncer", "Door", "KnownTokens", "MadeToken", "Poll", "make_token", "open_door", "sha256_of"]
