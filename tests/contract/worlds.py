"""The services a case runs against, and what only a test may do to them."""

import contextlib
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any, Protocol

import httpx
from pydantic import SecretStr

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.client import SplitApi
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.wire import parse_json
from tests.contract.fake_service import KEY, PREFIX, FakeService
from tests.contract.interface import endpoint_of
from tests.sandboxes import opened_sandbox

ASSUMED = Assumptions(institutions_rows=7)
PATIENCE_S = 120  # of a machine that has other things to do


class World(Protocol):
    """A service and a client of it."""

    api: SplitApi

    def stranger(self) -> SplitApi:
        """A client with a key the service does not know."""

    def give_account(self, contact_id: str) -> str:
        """Give a contact an account, which no endpoint does; returns its id."""

    def call_invalid(self, account: str) -> None:
        """Let the service say of an account or key that it is not valid."""

    def force(self, split_id: str, fields: dict[str, Any]) -> None:
        """Let the service say this of a report."""

    def effects(self) -> dict[str, int]:
        """How often anything really happened, by kind."""


@dataclass(frozen=True)
class Call:
    """One request and its answer, as they were on the wire."""

    endpoint: str
    query: dict[str, str]
    sent: Any
    status: int
    answered: Any


@dataclass
class Recorder:
    """Carries requests on, and keeps them with their answers."""

    carry: Callable[[httpx.Request], httpx.Response]
    calls: list[Call] = field(default_factory=list)

    def __call__(self, request: httpx.Request) -> httpx.Response:
        response = self.carry(request)
        self.calls.append(
            Call(
                endpoint_of(request.method, request.url.path.removeprefix(PREFIX)),
                dict(request.url.params),
                parse_json(request.content) if request.content else None,
                response.status_code,
                parse_json(response.content) if response.content else None,
            )
        )
        return response


@dataclass
class FakeWorld:
    """The service in memory, behind a transport of httpx."""

    service: FakeService
    api: SplitApi
    transport: httpx.MockTransport

    def stranger(self) -> SplitApi:
        return _client("https://pay.example" + PREFIX, "another-key", self.transport)

    def give_account(self, contact_id: str) -> str:
        return self.service.give_account(contact_id)

    def call_invalid(self, account: str) -> None:
        self.service.invalid.add(account)

    def force(self, split_id: str, fields: dict[str, Any]) -> None:
        self.service.reports[split_id] |= fields

    def effects(self) -> dict[str, int]:
        return dict(self.service.effects)


@dataclass
class SandboxWorld:
    """The sandbox, served; the client speaks to it over sockets."""

    sandbox: EmbeddedSandbox
    api: SplitApi

    def stranger(self) -> SplitApi:
        return _client(self.sandbox.url, "another-key", None)

    def give_account(self, contact_id: str) -> str:
        account = {"pspId": "00000000", "bankCode": "001", "agency": "0001", "account": "123456"}
        account |= {"accountType": "checking_account", "pixKey": "ana@example.com", "pixKeyType": "email"}
        return str(self._control(f"/contacts/{contact_id}/accounts", account)["accounts"][-1]["id"])

    def call_invalid(self, account: str) -> None:
        self._control("/settings", {"invalid_accounts": [account]})

    def force(self, split_id: str, fields: dict[str, Any]) -> None:
        self._control(f"/reports/{split_id}", fields)

    def effects(self) -> dict[str, int]:
        audit = httpx.get(self.sandbox.control_url + "/audit", timeout=60).raise_for_status().json()
        kinds = ("contacts", "creates", "exchange_rates", "account_checks", "qr_codes", "webhooks")
        return {kind: len(audit[kind]) for kind in kinds if audit[kind]}

    def _control(self, path: str, document: dict[str, Any]) -> Any:
        body = json.dumps(document, default=float)
        headers = {"Content-Type": "application/json"}
        answer = httpx.post(self.sandbox.control_url + path, content=body, headers=headers, timeout=60)
        return answer.raise_for_status().json()


@contextlib.contextmanager
def fake_world(record: Recorder | None = None) -> Iterator[World]:
    """Open a service in memory."""
    service = FakeService()
    recorder = record or Recorder(service.handle)
    recorder.carry = service.handle
    transport = httpx.MockTransport(recorder)
    with _client("https://pay.example" + PREFIX, KEY, transport) as api:
        yield FakeWorld(service, api, transport)


@contextlib.contextmanager
def sandbox_world(record: Recorder | None = None) -> Iterator[World]:
    """Open a sandbox whose reports stand still; recorded, each request has a connection of its own."""
    settings = SandboxSettings(processing_after_s=3600, done_after_s=7200)
    with opened_sandbox(settings) as sandbox:
        if record is not None:
            record.carry = _over_a_socket
        transport = None if record is None else httpx.MockTransport(record)
        with _client(sandbox.url, sandbox.api_key, transport) as api:
            yield SandboxWorld(sandbox, api)


WORLDS = {"sandbox over a socket": sandbox_world, "fake transport": fake_world}


def _over_a_socket(request: httpx.Request) -> httpx.Response:
    with httpx.HTTPTransport() as transport:
        response = transport.handle_request(request)
        content = response.read()
        headers = [(n, v) for n, v in response.headers.items() if n not in {"content-encoding", "content-length"}]
        return httpx.Response(response.status_code, headers=headers, content=content)


def _client(url: str, key: str, transport: httpx.BaseTransport | None) -> SplitApi:
    return SplitApi(
        url, SecretStr(key), timeout_s=PATIENCE_S, assumptions=ASSUMED, transport=transport, pause=lambda _seconds: None
    )
