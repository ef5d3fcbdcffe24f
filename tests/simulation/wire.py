"""The product's own client, speaking to a simulated service."""

import copy
from collections.abc import Callable
from typing import Any, Final

import httpx
from pydantic import SecretStr

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.client import SplitApi
from tests.simulation.behaviours import PATIENCE_S, URL
from tests.simulation.points import Point, Points
from tests.simulation.service import Service


class _Wire(httpx.BaseTransport):
    """Carries the requests of whichever process speaks to whichever service."""

    service: Service
    points: Points

    def handle_request(self, request: httpx.Request) -> httpx.Response:
        request.read()
        points = self.points
        self.service.after_effect = lambda: points.reach(Point.AFTER_EFFECT)
        return self.service.handle(request)


_WIRE: Final = _Wire()
_API: Final = SplitApi(
    URL,
    SecretStr("key"),
    timeout_s=PATIENCE_S,
    assumptions=Assumptions(),
    transport=_WIRE,
    pause=lambda _: None,
)


def client_of(service: Service, points: Points) -> SplitApi:
    """A client of the service that bears a process's points; making a real one anew reads all certificates."""
    api = copy.copy(_API)

    def speaking(method: Callable[..., Any]) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            _WIRE.service, _WIRE.points = service, points
            return method(*given, **named)

        return call

    def create_report(body: bytes, *, before_connect: Callable[[], None], **named: Any) -> Any:
        def last_look() -> None:
            before_connect()
            points.reach(Point.BEFORE_CONNECTING)
            _WIRE.service, _WIRE.points = service, points

        return _API.create_report(body, before_connect=last_look, **named)

    for name in ("list_reports", "list_all_reports", "find_report", "get_report"):
        setattr(api, name, speaking(getattr(_API, name)))
    api.create_report = create_report  # type: ignore[method-assign]
    return api
