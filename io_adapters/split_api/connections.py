"""How the payout service is reached: its address, the key, and what may never happen on the way."""

import contextlib
import re
import ssl
from collections.abc import Iterator
from functools import cache
from importlib.metadata import version
from typing import Final
from urllib.parse import quote

import httpx
from pydantic import SecretStr

from io_adapters.split_api.excerpt import safe_excerpt
from schemas.errors import ConfigurationError

IDLE_S: Final = 5.0


class Connections:
    """Opens HTTP clients for one address and key.

    HTTP/1.1 only, certificates verified, no redirect, no retry, and nothing of the environment: no proxy, no `.netrc`
    (which would replace the key), no other set of certificates.
    """

    def __init__(self, base_url: str, api_key: SecretStr, transport: httpx.BaseTransport | None) -> None:
        """Check address and key; nothing is sent.

        Raises:
            ConfigurationError: an address or key that cannot be used.
        """
        self._base_url = _checked_url(base_url)
        self._headers = httpx.Headers(  # which never shows Authorization
            {
                "Authorization": _checked_key(api_key),
                "Accept": "application/json",
                "Accept-Encoding": "identity",
                "User-Agent": f"repasse/{version('repasse')}",
            }
        )
        self._key = api_key
        self._transport = transport

    def open(self, time_s: float, *, idle_s: float = IDLE_S) -> httpx.Client:
        """Open a client whose single operations (write, read) take at most `time_s` seconds.

        A connection that has been idle for `idle_s` seconds is not used again.
        """
        # Connecting has a limit of its own, well within the whole: a host that does not answer is then known not to
        # have been sent anything, where the deadline of the whole would leave a doubt.
        return httpx.Client(
            base_url=self._base_url,
            headers=self._headers,
            timeout=httpx.Timeout(time_s, connect=min(10.0, time_s / 3)),
            transport=self._transport,
            verify=_certificates(),
            trust_env=False,
            follow_redirects=False,
            limits=httpx.Limits(keepalive_expiry=idle_s),
        )

    def excerpt(self, body: bytes) -> str:
        """Return what may be told of an unexpected reply, led by a colon; "" when nothing may."""
        told = safe_excerpt(body, secret=self._key.get_secret_value())
        return f": {told}" if told else ""

    @contextlib.contextmanager
    def fresh(self, time_s: float) -> Iterator[httpx.Client]:
        """Open a client for one request; that it closes badly says nothing of the answer read before."""
        client = self.open(time_s)
        try:
            yield client
        finally:
            with contextlib.suppress(Exception):
                client.close()


@cache
def _certificates() -> ssl.SSLContext:
    """Load the certificates that are trusted; it takes longer than many a request, and they are the same for all."""
    return httpx.create_ssl_context(trust_env=False)


def path_part(split_id: str) -> str:
    """Escape an id for a path.

    Raises:
        ValueError: it is empty or dots alone, and would name another path.
    """
    if not split_id.strip(". "):
        raise ValueError("an empty id names no report")
    return quote(split_id, safe="")


def _checked_url(base_url: str) -> httpx.URL:
    try:
        url = httpx.URL(base_url)
    except httpx.InvalidURL:
        raise ConfigurationError("REPASSE_API_URL is not an address") from None
    if url.scheme not in {"http", "https"} or not url.host:
        raise ConfigurationError("REPASSE_API_URL must begin with https:// (or http://) and name a host")
    if url.userinfo or url.query or url.fragment:
        raise ConfigurationError("REPASSE_API_URL must hold no user, password, query or fragment")
    return url


def _checked_key(api_key: SecretStr) -> str:
    # The HTTP library would print a key that cannot be a header.
    if not re.fullmatch(r"[!-~]+", api_key.get_secret_value()):
        raise ConfigurationError("REPASSE_API_KEY is empty or holds blanks or characters that no key has")
    return api_key.get_secret_value()
