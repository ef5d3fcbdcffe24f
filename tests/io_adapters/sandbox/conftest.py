"""A sandbox on a real socket, and the bodies its tests send. All people are synthetic."""

import time
from collections.abc import Callable, Iterator
from typing import Any

import httpx
import pytest

from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from tests.sandboxes import opened_sandbox

Body = dict[str, Any]
Plant = Callable[..., None]


@pytest.fixture
def sandbox() -> Iterator[EmbeddedSandbox]:
    with opened_sandbox(SandboxSettings()) as running:
        yield running


@pytest.fixture
def service(sandbox: EmbeddedSandbox) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.url, headers={"Authorization": sandbox.api_key}, timeout=60) as client:
        yield client


@pytest.fixture
def control(sandbox: EmbeddedSandbox) -> Iterator[httpx.Client]:
    with httpx.Client(base_url=sandbox.control_url, timeout=60) as client:
        yield client


@pytest.fixture
def behave(control: httpx.Client) -> Callable[..., None]:
    def change(**changes: object) -> None:
        control.post("/settings", json=changes).raise_for_status()

    return change


@pytest.fixture
def plant(control: httpx.Client) -> Plant:
    def plant_fault(endpoint: str, kind: str, **fields: object) -> None:
        control.post("/faults", json={"endpoint": endpoint, "kind": kind, **fields}).raise_for_status()

    return plant_fault


@pytest.fixture
def audit(control: httpx.Client) -> Callable[[], Any]:
    return lambda: control.get("/audit").raise_for_status().json()


@pytest.fixture
def payment() -> Callable[..., Body]:
    def make(reference: str = "p-1", amount: float = 10.10, **fields: object) -> Body:
        key = {"pixKeyType": "email", "pixKey": f"{reference}@example.com"}
        entry = {"taxId": "52998224725", "name": "Ana Exemplo", "amount": amount, "finalAmount": amount}
        return entry | {"bankAccount": key, "extPaymentId": reference} | fields

    return make


@pytest.fixture
def split_body(payment: Callable[..., Body]) -> Callable[..., Body]:
    def make(*entries: Body, owner: float = 0, **fields: object) -> Body:
        payments = list(entries) or [payment()]
        total = round(sum(entry["finalAmount"] for entry in payments) + owner, 2)
        body = {"taxId": "12ABC34501DE35", "amount": total, "ownerAmount": owner, "payments": payments}
        period = {"dateStart": "2026-10-01", "dateEnd": "2026-10-31"}
        return body | period | {"reportId": "rp-1", "paymentBatchName": "lote rp-1"} | fields

    return make


@pytest.fixture
def create(service: httpx.Client, split_body: Callable[..., Body]) -> Callable[..., Body]:
    def post(*entries: Body, **fields: Any) -> Body:
        answer = service.post("/split", json=split_body(*entries, **fields))
        assert answer.status_code == 200, answer.json()
        report: Body = answer.json()
        return report

    return post


@pytest.fixture
def fetch(service: httpx.Client) -> Callable[[Body], Body]:
    def get(report: Body) -> Body:
        answer: Body = service.get(f"/split/{report['_id']}/get").raise_for_status().json()
        return answer

    return get


@pytest.fixture
def eventually() -> Callable[[Callable[[], bool]], None]:
    def wait(condition: Callable[[], bool]) -> None:
        deadline = time.monotonic() + 60
        while not condition():
            assert time.monotonic() < deadline, "it did not happen within a minute"
            time.sleep(0.02)

    return wait
