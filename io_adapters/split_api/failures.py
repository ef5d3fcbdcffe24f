"""Which failures of a request prove that nothing was sent, and which prove nothing."""

from typing import Final

import httpx

from io_adapters.split_api.exchange import DeadlinePassed, ReplyTooLarge

# Raised before the first byte of the request leaves: looking the name up, TCP, TLS. Exactly these, no subclass of them.
NOT_SENT: Final[frozenset[type[Exception]]] = frozenset(
    {httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout, httpx.InvalidURL, httpx.UnsupportedProtocol}
)

# These come both when the service read nothing and when it read, and obeyed, all of it. Listed so that a new one of
# httpx is noticed and thought about; what is in neither list is in doubt all the same.
IN_DOUBT: Final[frozenset[type[Exception]]] = frozenset(
    {
        httpx.CloseError,
        httpx.CookieConflict,
        httpx.DecodingError,
        httpx.HTTPError,
        httpx.HTTPStatusError,
        httpx.LocalProtocolError,
        httpx.NetworkError,
        httpx.ProtocolError,
        httpx.ProxyError,
        httpx.ReadError,
        httpx.ReadTimeout,
        httpx.RemoteProtocolError,
        httpx.RequestError,
        httpx.RequestNotRead,
        httpx.ResponseNotRead,
        httpx.StreamClosed,
        httpx.StreamConsumed,
        httpx.StreamError,
        httpx.TimeoutException,
        httpx.TooManyRedirects,
        httpx.TransportError,
        httpx.WriteError,
        httpx.WriteTimeout,
        DeadlinePassed,
        ReplyTooLarge,
    }
)
