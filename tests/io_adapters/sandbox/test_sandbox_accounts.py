"""Account validation follows rules 1 to 4 of the interface, and each call that is made costs money."""

import pytest

PIX = {"pixKeyType": "email", "pixKey": "ana@example.com", "taxId": "52998224725"}
BANK = {
    "name": "Ana Exemplo",
    "bankCode": "001",
    "pspId": "00000000",
    "agency": "1234",
    "account": "567890",
    "accountType": "checking_account",
    "taxId": "52998224725",
}


def refused_at(answer):
    assert answer.status_code == 422, answer.text
    return sorted(".".join(map(str, found["loc"])) for found in answer.json()["detail"])


def without(body, *names):
    return {name: value for name, value in body.items() if name not in names}


@pytest.mark.parametrize("body", [PIX, BANK], ids=["pix key", "bank account"])
def test_a_complete_account_is_valid(service, body):
    answer = service.post("/validate/account", json=body)
    assert answer.status_code == 200
    assert answer.json() == {"valid": True, "message": "account is valid"}


@pytest.mark.parametrize("body", [{"taxId": "52998224725"}, PIX | {"pixKey": ""}, PIX | {"pixKey": None}])
def test_rule_1_a_pix_key_or_an_account_is_needed(service, body):
    assert refused_at(service.post("/validate/account", json=body)) == ["body"]


def test_rule_2_a_pix_key_needs_its_type(service):
    assert refused_at(service.post("/validate/account", json=without(PIX, "pixKeyType"))) == ["body.pixKeyType"]


@pytest.mark.parametrize("field", ["agency", "pspId", "accountType", "name", "bankCode"])
def test_rule_3_a_bank_account_needs_all_its_fields(service, field):
    assert refused_at(service.post("/validate/account", json=without(BANK, field))) == [f"body.{field}"]


def test_rule_4_ownership_needs_the_owner(service):
    assert refused_at(service.post("/validate/account", json=without(PIX, "taxId"))) == ["body.taxId"]
    unowned = without(PIX, "taxId") | {"validateOwnership": False}
    assert service.post("/validate/account", json=unowned).json()["valid"] is True


def test_all_broken_rules_are_told_at_once(service):
    body = without(BANK, "taxId", "agency", "name")
    assert refused_at(service.post("/validate/account", json=body)) == ["body.agency", "body.name", "body.taxId"]


@pytest.mark.parametrize("change", [{"pixKeyType": "CPF"}, {"accountType": "corrente"}])
def test_a_type_the_interface_does_not_name_is_refused(service, change):
    assert refused_at(service.post("/validate/account", json=PIX | change)) == [f"body.{next(iter(change))}"]


def test_a_document_as_key_must_be_the_owners(service):
    key = {"pixKeyType": "cpf", "pixKey": "111.444.777-35"}
    other = service.post("/validate/account", json=PIX | key).json()
    assert other["valid"] is False
    assert "not the owner" in other["message"]
    assert service.post("/validate/account", json=key | {"taxId": "11144477735"}).json()["valid"] is True
    assert service.post("/validate/account", json=PIX | key | {"validateOwnership": False}).json()["valid"] is True


@pytest.mark.parametrize("planted", ["ana@example.com", "529.982.247-25", "56789-0"])
def test_a_planted_account_is_invalid(service, behave, planted):
    behave(invalid_accounts=[planted])
    body = BANK if planted == "56789-0" else PIX
    assert service.post("/validate/account", json=body).json()["valid"] is False


def test_every_check_made_costs_a_centavo_and_the_fee_and_a_refused_one_nothing(service, behave, audit):
    behave(account_check_fee_cents=20)
    service.post("/validate/account", json=PIX)
    service.post("/validate/account", json=PIX)
    service.post("/validate/account", json=BANK)
    service.post("/validate/account", json={})
    told = audit()
    first, second, third = told["account_checks"]
    assert first["account"] == second["account"] != third["account"]
    assert told["account_checks_cost_cents"] == 3 * 21
    assert told["requests"] == {"POST /validate/account": 4}


def test_the_audit_does_not_hold_the_account(service, control):
    service.post("/validate/account", json=PIX)
    text = control.get("/audit").text
    assert PIX["pixKey"] not in text
    assert PIX["taxId"] not in text
