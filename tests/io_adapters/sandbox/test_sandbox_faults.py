"""Planted faults reach the client as the real thing would, and the audit tells whether the effect took place."""

import httpx
import pytest

from io_adapters.sandbox.validation import Endpoint

CREATE = "POST /split"


def creates(audit):
    return len(audit()["creates"])


@pytest.mark.parametrize(("when", "effects"), [("before", 0), ("after", 1)])
@pytest.mark.parametrize("kind", ["drop", "reset", "cut_head"])
def test_a_broken_connection_is_an_error_for_the_client_whether_or_not_the_report_was_created(
    service, split_body, plant, audit, kind, when, effects
):
    plant(CREATE, kind, when=when)
    with pytest.raises((httpx.RemoteProtocolError, httpx.ReadError)):
        service.post("/split", json=split_body())
    assert creates(audit) == effects
    assert audit()["requests"][CREATE] == 1


def test_a_reset_connection_is_a_read_error(service, split_body, plant):
    plant(CREATE, "reset")
    with pytest.raises(httpx.ReadError):
        service.post("/split", json=split_body())


def test_a_large_request_can_be_dropped_after_it_was_read(service, split_body, payment, plant, audit):
    plant(CREATE, "drop")
    with pytest.raises(httpx.RemoteProtocolError):
        service.post("/split", json=split_body(*(payment(f"p-{number}") for number in range(2_000))))
    assert creates(audit) == 1


@pytest.mark.parametrize("method", ["POST", "GET"])
def test_an_answer_cut_in_its_body_never_looks_complete(service, create, split_body, plant, method):
    create()
    plant(f"{method} /split", "cut")
    with pytest.raises(httpx.RemoteProtocolError, match="without sending complete message body"):
        service.request(method, "/split", json=split_body() if method == "POST" else None)


@pytest.mark.parametrize("when", ["before", "after"])
@pytest.mark.parametrize(
    ("kind", "met"),
    [("html", (502, "<html>")), ("garbage", (200, '{"_id"')), ("empty", (200, "")), ("redirect", (307, ""))],
)
def test_wrong_answers_arrive_with_or_without_the_effect(service, split_body, plant, audit, kind, met, when):
    plant(CREATE, kind, when=when)
    answer = service.post("/split", json=split_body())
    assert (answer.status_code, answer.text[:6]) == met
    assert creates(audit) == (1 if when == "after" else 0)


def test_a_planted_status_carries_the_planted_body(service, split_body, plant, audit):
    detail = [{"loc": ["body", "taxId"], "msg": "no", "type": "value_error"}]
    plant(CREATE, "status", when="before", status=422, body={"detail": detail})
    plant(CREATE, "status", call=2, status=429, body="slow down")
    refused = service.post("/split", json=split_body())
    assert (refused.status_code, refused.json()) == (422, {"detail": detail})
    slowed = service.post("/split", json=split_body())
    assert (slowed.status_code, slowed.text) == (429, "slow down")
    assert creates(audit) == 1


def test_another_report_id_can_be_answered_while_the_rest_is_true(service, split_body, plant, audit):
    plant(CREATE, "wrong_report_id", when="before")
    answer = service.post("/split", json=split_body())
    assert answer.json()["reportId"] == "another-report"
    assert '"totalAmount":10.10' in answer.text
    assert audit()["creates"][0]["reportId"] == "rp-1"


@pytest.mark.parametrize("when", ["before", "after"])
def test_a_hanging_service_has_its_effect_though_the_client_gave_up(
    service, split_body, plant, audit, eventually, when
):
    plant(CREATE, "hang", when=when, seconds=1.5)
    with pytest.raises(httpx.ReadTimeout):
        service.post("/split", json=split_body(), timeout=0.2)
    assert creates(audit) == (when == "after")
    eventually(lambda: creates(audit) == 1)


def test_a_slow_service_answers_truly_in_the_end(service, split_body, plant):
    plant(CREATE, "hang", seconds=0.2)
    assert service.post("/split", json=split_body()).json()["reportId"] == "rp-1"


def test_an_effect_can_come_after_its_answer(service, split_body, plant, audit, eventually):
    plant(CREATE, "late", seconds=1.5)
    assert service.post("/split", json=split_body()).status_code == 504
    assert creates(audit) == 0
    eventually(lambda: creates(audit) == 1)


def test_an_answer_can_drip(service, split_body, plant):
    plant(CREATE, "drip", seconds=0)
    assert service.post("/split", json=split_body()).json()["status"] == "PENDING"


def test_only_the_planted_calls_of_the_planted_endpoint_go_wrong(service, create, split_body, plant):
    plant(CREATE, "status", call=2, times=2)
    statuses = [service.post("/split", json=split_body()).status_code for _ in range(4)]
    assert statuses == [200, 500, 500, 200]
    assert service.get("/split").status_code == 200


def test_faults_without_an_end_last_until_they_are_cleared(service, plant, control):
    plant("GET /split", "html", times=None)
    assert [service.get("/split").status_code for _ in range(3)] == [502] * 3
    control.delete("/faults")
    assert service.get("/split").status_code == 200


@pytest.mark.parametrize("endpoint", list(Endpoint))
def test_every_endpoint_can_be_disturbed(service, plant, audit, endpoint):
    path = endpoint.path.replace("{split_id}", "0")
    plant(endpoint, "html", call=2)
    answers = [service.request(endpoint.method, path, json={}) for _ in range(3)]
    assert answers[1].status_code == 502
    assert [answer.status_code for answer in answers].count(502) == 1
    assert audit()["requests"] == {endpoint: 3}


@pytest.mark.parametrize(("when", "effects"), [("before", 0), ("after", 1)])
def test_other_effects_can_come_before_or_never_too(service, plant, audit, when, effects):
    contact = {"name": "Ana Exemplo", "tax_id": "52998224725", "email": "ana@example.com"}
    bodies = {"/contacts": contact, "/create_pix_qrcode": {"pix_key": "52998224725"}}
    bodies |= {"/validate/account": {"pixKeyType": "email", "pixKey": "ana@example.com", "taxId": "52998224725"}}
    bodies |= {"/webhooks": {"webhook_url": "http://192.0.2.1/"}}
    for path, body in bodies.items():
        plant(f"POST {path}", "drop", when=when)
        with pytest.raises(httpx.RemoteProtocolError):
            service.post(path, json=body)
    told = audit()
    assert [len(told[kind]) for kind in ("contacts", "qr_codes", "account_checks", "webhooks")] == [effects] * 4


@pytest.mark.parametrize(
    "fault", [{"endpoint": "POST /spilt", "kind": "drop"}, {"endpoint": CREATE, "kind": "explode"}]
)
def test_a_misspelt_fault_is_refused_rather_than_never_met(control, fault):
    assert control.post("/faults", json=fault).status_code == 422
