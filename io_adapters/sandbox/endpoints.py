"""The endpoints of the service that the sandbox serves, by the names under which they are counted and disturbed."""

from enum import StrEnum

from starlette.routing import compile_path


class Endpoint(StrEnum):
    """Method and path below the prefix, as the interface writes them."""

    CREATE_SPLIT = "POST /split"
    LIST_SPLITS = "GET /split"
    GET_SPLIT = "GET /split/{split_id}/get"
    UPDATE_EXCHANGE_RATE = "POST /split/{split_id}/update_exchange_rate"
    VALIDATE_ACCOUNT = "POST /validate/account"

    @property
    def method(self) -> str:
        """The HTTP method."""
        return self.split(" ")[0]

    @property
    def path(self) -> str:
        """The path template below the prefix."""
        return self.split(" ")[1]


_PATTERNS = {endpoint: compile_path(endpoint.path)[0] for endpoint in Endpoint}


def endpoint_at(method: str, path: str) -> Endpoint | None:
    """Return the endpoint that a method and a path below the prefix mean; None when the service has none there.

    >>> endpoint_at("GET", "/split/4f/get")
    <Endpoint.GET_SPLIT: 'GET /split/{split_id}/get'>
    """
    for endpoint, pattern in _PATTERNS.items():
        if endpoint.method == method and pattern.match(path):
            return endpoint
    return None
