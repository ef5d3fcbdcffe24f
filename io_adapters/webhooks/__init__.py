"""The door for the service's deliveries: hears that something moved, believes nothing, and has reports looked at."""

from io_adapters.webhooks.bell import Bell, Poll
from io_adapters.webhooks.known import KnownTokens
from io_adapters.webhooks.serving import Door, open_door
from io_adapters.webhooks.tokens import PATH, MadeToken, make_token, sha256_of

__all__ = ["PATH", "Bell", "Door", "KnownTokens", "MadeToken", "Poll", "make_token", "open_door", "sha256_of"]
