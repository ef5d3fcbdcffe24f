"""The control plane tells what happened and changes what the service says."""

import contextlib
import threading

import httpx
import pytest

from io_adapters.sandbox.assumptions import SandboxSettings
from io_adapters.sandbox.serving import create_app
from io_adapters.sandbox.validation import Endpoint, RequestCounter


def test_the_audit_tells_every_report_as_it_was_received(create, payment, behave, audit):
    behave(echo_report_id=False)
    created = create(payment("a", 10.01), payment("b", 2, isWithhold=True), owner=0.99)
    (told,) = audit()["creates"]
    assert told["split_id"] == created["_id"]
    assert (told["reportId"], told["paymentBatchName"]) == ("rp-1", "lote rp-1")
    assert (told["amount_cents"], told["owner_cents"], told["currency"]) == (1300, 99, "BRL")
    assert told["extPaymentIds"] == ["a", "b"]
    assert told["payments"][1] == {"extPaymentId": "b", "final_amount_cents": 200, "withheld": True}


def test_the_audit_counts_every_call_refused_ones_included(service, create, fetch, audit):
    report = create()
    fetch(report)
    service.get("/split")
    service.get("/split", headers={"Authorization": "wrong"})
    service.post("/split", json={})
    service.post(f"/split/{report['_id']}/update_exchange_rate", json={"currency": "BRL", "rate": 1})
    told = audit()
    assert told["requests"] == {
        "POST /split": 2,
        "GET /split": 2,
        "GET /split/{split_id}/get": 1,
        "POST /split/{split_id}/update_exchange_rate": 1,
    }
    assert [(rate["split_id"], rate["rate"]) for rate in told["exchange_rates"]] == [(report["_id"], "1")]


def test_any_field_of_a_report_can_be_forced_null_included(create, fetch, control):
    report = create()
    forced = {"status": "DONE", "paidAmount": 12.34, "donePayments": None, "irAmount": 0.1}
    control.post(f"/reports/{report['_id']}", json=forced).raise_for_status()
    assert forced.items() <= fetch(report).items()
    control.post(f"/reports/{report['_id']}", json={"status": "NEVER_HEARD_OF"}).raise_for_status()
    assert fetch(report)["status"] == "NEVER_HEARD_OF"
    assert fetch(report)["donePayments"] == 0


def test_a_status_forced_to_done_pays_everything(create, fetch, control):
    report = create()
    control.post(f"/reports/{report['_id']}", json={"status": "DONE"})
    assert (fetch(report)["donePayments"], fetch(report)["paidAmount"]) == (1, 10.1)


def test_a_report_can_vanish_and_come_back(create, service, control):
    report = create()
    control.post(f"/reports/{report['_id']}", json={"vanished": True})
    assert service.get("/split").json() == []
    assert service.get(f"/split/{report['_id']}/get").status_code == 404
    control.post(f"/reports/{report['_id']}", json={})
    assert len(service.get("/split").json()) == 1


def test_forcing_what_does_not_exist_is_refused(create, control):
    assert control.post(f"/reports/{create()['_id']}", json={"paid": 1}).status_code == 422
    assert control.post("/reports/none", json={"status": "DONE"}).status_code == 404


def test_unknown_or_wrong_settings_are_refused_and_change_nothing(control, create):
    assert control.post("/settings", json={"echo": False}).status_code == 422
    assert control.post("/settings", json={"api_key": "mine"}).status_code == 422
    assert control.post("/settings", json={"echo_name": False, "done_after_s": -1}).status_code == 422
    assert create()["paymentBatchName"] == "lote rp-1"


def test_settings_answer_how_the_sandbox_behaves_now(control):
    answer = control.post("/settings", json={"fee_rate": 0.01, "done_after_s": 1.5}).json()
    assert (answer["fee_rate"], answer["done_after_s"], answer["processing_after_s"]) == ("0.01", 1.5, 0.3)


@pytest.fixture
def described(tmp_path):
    app = create_app(tmp_path / "sandbox.sqlite", SandboxSettings())
    try:
        yield app.openapi()
    finally:
        app.state.sandbox.close()


def test_every_endpoint_of_the_service_is_served_counted_and_described(described):
    served = {
        f"{method.upper()} {path.removeprefix('/external')}"
        for path, methods in described["paths"].items()
        if path.startswith("/external")
        for method in methods
    }
    assert served == set(Endpoint)


def test_the_description_promises_the_refusal_as_it_is(described):
    refusal = described["paths"]["/external/split"]["post"]["responses"]["422"]
    problem = described["components"]["schemas"]["ValidationProblem"]
    assert refusal["content"]["application/json"]["schema"]["$ref"].endswith("/HTTPValidationError")
    assert sorted(problem["properties"]) == sorted(problem["required"]) == ["loc", "msg", "type"]


@pytest.mark.parametrize("endpoint", list(Endpoint))
def test_every_endpoint_describes_how_it_turns_a_request_away(described, endpoint):
    answers = described["paths"][f"/external{endpoint.path}"][endpoint.method.lower()]["responses"]
    assert {"200", "401", "422"} <= set(answers)
    finds = endpoint in {
        Endpoint.UPDATE_CONTACT,
        Endpoint.DELETE_CONTACT,
        Endpoint.DELETE_ACCOUNT,
        Endpoint.FAVORITE_ACCOUNT,
        Endpoint.GET_SPLIT,
        Endpoint.UPDATE_EXCHANGE_RATE,
    }
    assert ("404" in answers) is finds


@pytest.mark.parametrize("endpoint", list(Endpoint))
def test_every_endpoint_lets_only_the_key_in_and_has_no_effect_otherwise(sandbox, audit, endpoint):
    url = sandbox.url + endpoint.path.replace("{split_id}", "0")
    for headers in ({}, {"Authorization": "Bearer sandbox-key"}):
        answer = httpx.request(endpoint.method, url, json={}, headers=headers)
        assert (answer.status_code, list(answer.json())) == (401, ["detail"])
    told = audit()
    assert told.pop("requests") == {endpoint: 2}
    assert not any(told.values())


def test_another_method_is_refused_naming_all_that_would_do(service):
    for path, methods in {"/split": "GET, POST", "/contacts": "DELETE, POST, PUT"}.items():
        answer = service.patch(path)
        assert (answer.status_code, answer.headers["Allow"]) == (405, methods)


async def _from_elsewhere(app):
    transport = httpx.ASGITransport(app, client=("192.0.2.1", 4711))
    async with httpx.AsyncClient(transport=transport, base_url="http://sandbox") as client:
        return await client.get("/_sandbox/audit")


def test_the_control_plane_answers_this_machine_alone(tmp_path):
    import asyncio

    app = create_app(tmp_path / "sandbox.sqlite", SandboxSettings())
    assert asyncio.run(_from_elsewhere(app)).status_code == 403
    app.state.sandbox.close()


def test_whoever_asks_for_the_audit_waits_for_counts_that_are_being_written():
    writing, may_write, returned = threading.Event(), threading.Event(), []

    class SlowDatabase:
        @contextlib.contextmanager
        def writing(self):
            writing.set()
            may_write.wait()
            yield self

        def execute(self, *_):
            returned.append("written")

    counter = RequestCounter(SlowDatabase())
    counter.count(Endpoint.LIST_SPLITS)
    now_and_then = threading.Thread(target=counter.save)
    now_and_then.start()
    writing.wait()
    asking = threading.Thread(target=lambda: (counter.save(), returned.append("audit")))
    asking.start()
    asking.join(0.2)
    may_write.set()
    for thread in (now_and_then, asking):
        thread.join()
    assert returned == ["written", "audit"]
