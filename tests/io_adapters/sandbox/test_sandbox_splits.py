"""Split reports behave as the interface says, and where it is silent, as the sandbox's assumptions say."""

import re

import httpx
import pytest

INTERFACE_FIELDS = {
    "_id",
    "paymentBatchName",
    "splitDate",
    "fee",
    "feeAmount",
    "feePaid",
    "taxId",
    "batchId",
    "reportId",
    "extId",
    "status",
    "logo",
    "origin",
    "currency",
    "exchangeOrderId",
    "pixQrCodeId",
    "pixQrCodePayload",
    "exchangeRate",
    "showExchangeData",
    "date",
    "pendingPayments",
    "withholdPayments",
    "donePayments",
    "pendingAmount",
    "withholdAmount",
    "irAmount",
    "paidAmount",
    "totalAmount",
}
JSON = {"content-type": "application/json"}
STATUSES = ["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]


def places(answer):
    assert answer.status_code == 422, answer.text
    return [".".join(map(str, found["loc"])) for found in answer.json()["detail"]]


def test_a_new_report_is_pending_and_answers_every_field_of_the_interface(create):
    report = create()
    assert set(report) == INTERFACE_FIELDS
    assert report["status"] == "PENDING"
    assert report["reportId"] == "rp-1"
    assert report["paymentBatchName"] == "lote rp-1"
    assert report["currency"] == "BRL"
    assert report["pendingPayments"] == 1
    assert report["batchId"] is None


def test_a_report_can_be_fetched_and_listed_under_the_id_it_was_given(create, fetch, service):
    report = create()
    assert fetch(report)["_id"] == report["_id"]
    assert [listed["_id"] for listed in service.get("/split").json()] == [report["_id"]]


def test_an_unknown_report_is_not_found(service):
    assert service.get("/split/000000000000000000000000/get").status_code == 404
    answer = service.post("/split/000000000000000000000000/update_exchange_rate", json={"currency": "USD", "rate": 5})
    assert answer.status_code == 404


def test_a_report_goes_from_pending_over_processing_to_done_as_time_passes(create, fetch, behave):
    behave(processing_after_s=60, done_after_s=120)
    report = create()
    assert fetch(report)["status"] == "PENDING"
    behave(processing_after_s=0)
    assert fetch(report)["status"] == "PROCESSING"
    behave(done_after_s=0)
    assert fetch(report)["status"] == "DONE"


def test_by_default_a_report_is_done_within_a_second(create, fetch, eventually):
    report = create()
    eventually(lambda: fetch(report)["status"] == "PROCESSING")
    eventually(lambda: fetch(report)["status"] == "DONE")


def test_money_comes_back_to_the_centavo_with_two_decimals(create, service, payment, behave):
    behave(done_after_s=0)
    report = create(payment("a", 1234567890.10), payment("b", 0.07), owner=0.20)
    text = service.get(f"/split/{report['_id']}/get").text
    assert re.search(r'"totalAmount":1234567890\.37[,}]', text)
    assert re.search(r'"paidAmount":1234567890\.17[,}]', text)
    assert re.search(r'"irAmount":0\.00[,}]', text)


def test_an_amount_no_float_can_hold_is_kept_exactly(service, split_body):
    body = httpx.Request("POST", "/", json=split_body()).content.replace(b"10.1,", b"9007199254740.99,")
    answer = service.post("/split", content=body.replace(b"10.1}", b"9007199254740.99}"), headers=JSON)
    assert '"totalAmount":9007199254740.99' in answer.text


def test_withheld_payments_are_counted_and_never_paid(create, fetch, payment, behave):
    behave(done_after_s=0)
    report = fetch(create(payment("a", 10), payment("b", 2.5, isWithhold=True)))
    assert (report["withholdPayments"], report["withholdAmount"]) == (1, 2.5)
    assert (report["donePayments"], report["paidAmount"], report["pendingPayments"]) == (1, 10, 0)
    assert report["status"] == "DONE"


def test_income_tax_is_withheld_from_people_and_not_from_companies(create, fetch, payment, behave):
    behave(done_after_s=0, income_tax_rate="0.275")
    company = payment("b", 100, taxId="12ABC34501DE35")
    report = fetch(create(payment("a", 100), company))
    assert (report["irAmount"], report["paidAmount"], report["donePayments"]) == (27.5, 172.5, 2)


def test_the_fee_is_the_configured_part_of_the_amount(create, fetch, payment, behave):
    behave(fee_rate="0.015", done_after_s=0)
    report = fetch(create(payment(amount=200)))
    assert (report["fee"], report["feeAmount"], report["feePaid"]) == (0.015, 3, True)


def test_a_report_whose_every_payee_fails_ends_as_error_with_nothing_paid(create, fetch, behave):
    behave(done_after_s=0, failing_payees=["529.982.247-25"])
    report = fetch(create())
    assert (report["status"], report["donePayments"], report["paidAmount"]) == ("ERROR", 0, 0)


@pytest.mark.parametrize("status", ["DONE", "ERROR"])
def test_a_report_with_one_failing_payee_is_partly_done(create, fetch, payment, behave, status):
    behave(done_after_s=0, failing_payees=["b@example.com"], partial_ends_as=status)
    report = fetch(create(payment("a", 10), payment("b", 5)))
    assert (report["status"], report["donePayments"], report["paidAmount"]) == (status, 1, 10)
    assert (report["pendingPayments"], report["pendingAmount"]) == (1, 5)


def test_a_foreign_report_waits_for_its_exchange_rate(create, fetch, service, behave):
    behave(done_after_s=0)
    report = create(currency="USD")
    assert fetch(report)["status"] == "PENDING"
    body = {"currency": "USD", "rate": 5.4312, "showExchangeData": True, "orderId": "EX-1"}
    rated = service.post(f"/split/{report['_id']}/update_exchange_rate", json=body).raise_for_status().json()
    assert (rated["exchangeRate"], rated["exchangeOrderId"], rated["showExchangeData"]) == (5.4312, "EX-1", True)
    assert fetch(report)["status"] == "DONE"


def test_an_exchange_rate_must_be_positive_and_in_the_currency_of_the_report(create, service, behave):
    path = f"/split/{create(currency='USD')['_id']}/update_exchange_rate"
    assert places(service.post(path, json={})) == ["body.currency", "body.rate"]
    assert places(service.post(path, json={"currency": "EUR", "rate": 0})) == ["body.rate", "body.currency"]
    behave(strict_exchange_rate=False)
    assert service.post(path, json={"orderId": "EX-2"}).json()["exchangeOrderId"] == "EX-2"


@pytest.mark.parametrize("status", STATUSES)
def test_the_list_can_be_filtered_by_each_status(create, service, control, status):
    create()
    wanted = create()
    control.post(f"/reports/{wanted['_id']}", json={"status": status})
    others = {report["_id"] for other in STATUSES if other != status for report in listed(service, other)}
    assert wanted["_id"] in {report["_id"] for report in listed(service, status)}
    assert wanted["_id"] not in others


def listed(service, status):
    return service.get("/split", params={"status": status}).raise_for_status().json()


def test_a_status_the_interface_does_not_name_is_no_filter(service):
    assert places(service.get("/split", params={"status": "LOST"})) == ["query.status"]


@pytest.mark.parametrize("field", ["taxId", "amount", "dateStart", "dateEnd", "payments"])
def test_a_report_without_a_required_field_is_refused(service, split_body, field):
    body = split_body()
    del body[field]
    assert places(service.post("/split", json=body)) == [f"body.{field}"]


@pytest.mark.parametrize(
    ("change", "place"),
    [
        ({"amount": "10.10"}, "body.amount"),
        ({"amount": True}, "body.amount"),
        ({"amount": 1e300}, "body.amount"),
        ({"dateStart": "01/10/2026"}, "body.dateStart"),
        ({"payments": {}}, "body.payments"),
        ({"taxId": None}, "body.taxId"),
        ({"ownerAmount": 0.001}, "body.ownerAmount"),
        ({"ammount": 1}, "body.ammount"),
    ],
)
def test_a_field_of_the_wrong_kind_is_refused_at_its_place(service, split_body, audit, change, place):
    assert place in places(service.post("/split", json=split_body() | change))
    assert audit()["creates"] == []


def test_a_problem_inside_a_payment_names_the_payment(service, split_body, payment):
    bad = payment("b", bankAccount={"pixKeyType": "CPF", "pixkey": "x"})
    answer = service.post("/split", json=split_body(payment("a"), bad))
    assert places(answer) == ["body.payments.1.bankAccount.pixKeyType"]


def test_a_refusal_has_the_documented_shape_and_never_repeats_the_value(service, split_body, payment):
    private = "segredo-do-favorecido"
    entry = payment(bankAccount={"accountType": private, "pixKeyType": private}, advance=private, amount=1) | {
        "amount": private
    }
    answer = service.post("/split", json=split_body(entry) | {"dateEnd": private, "payments": [entry, private]})
    assert answer.status_code == 422
    assert all(sorted(found) == ["loc", "msg", "type"] for found in answer.json()["detail"])
    assert private not in answer.text


@pytest.mark.parametrize(
    "body", [b"", b"{", b"[]", b'{"amount": NaN}', b'"\\ud800"', b"\xff", b"[" * 100_000, b"9" * 9_999]
)
def test_a_body_that_is_no_readable_document_is_refused_and_nothing_breaks(service, body):
    answer = service.post("/split", content=body, headers=JSON)
    assert places(answer)


def test_payments_and_owner_must_add_up_to_the_amount_unless_told_otherwise(service, split_body, behave):
    body = split_body() | {"amount": 10.11}
    assert places(service.post("/split", json=body)) == ["body.amount"]
    behave(sums_must_match=False)
    assert service.post("/split", json=body).status_code == 200


def test_a_second_report_of_one_report_id_is_let_in_unless_told_otherwise(create, service, split_body, behave, audit):
    create()
    create()
    behave(unique_report_id=True)
    assert places(service.post("/split", json=split_body())) == ["body.reportId"]
    assert len(audit()["creates"]) == 2


def test_other_choices_of_the_sandbox_can_be_switched_off(service, split_body, payment, behave):
    behave(whole_centavos=False, known_fields_only=False)
    body = split_body(payment(amount=1.005), unheard_of=1)
    assert service.post("/split", json=body | {"amount": 1.0}).json()["totalAmount"] == 1


def test_neither_report_id_nor_name_is_repeated_when_told_so(create, behave):
    behave(echo_report_id=False, echo_name=False)
    report = create()
    assert (report["reportId"], report["paymentBatchName"]) == (None, None)


def test_a_new_report_can_be_kept_out_of_the_list_for_a_while(create, service, fetch, behave):
    behave(listing_delay_s=60)
    report = create()
    assert service.get("/split").json() == []
    assert fetch(report)["_id"] == report["_id"]


@pytest.mark.parametrize("key", [None, "Bearer sandbox-key", "sandbox-ke", "sandbox-key2"])
def test_only_the_exact_key_is_let_in(sandbox, split_body, audit, key):
    headers = {} if key is None else {"Authorization": key}
    answers = [
        httpx.post(f"{sandbox.url}/split", json=split_body(), headers=headers),
        httpx.get(f"{sandbox.url}/split", headers=headers),
        httpx.post(f"{sandbox.url}/validate/account", json={}, headers=headers),
    ]
    assert [answer.status_code for answer in answers] == [401] * 3
    assert all(list(answer.json()) == ["detail"] for answer in answers)
    assert audit()["creates"] == []
