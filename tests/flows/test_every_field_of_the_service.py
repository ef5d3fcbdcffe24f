"""Each field of each request and answer of the service is set or shown somewhere: none is dead.

A field of an answer is planted with a value of its own at the stand-in, and looked for where people are told; one of a
request is set by what people write. Held constant: one house, a terminal. Varied: what is asked for, and who answers.
"""

import json
import re
from decimal import Decimal
from pathlib import Path

import pytest

from io_adapters.outputs.service_reports import REPORT_FIELDS
from schemas import wire
from tests.flows.address_book import AddressBook
from tests.flows.jobs import payment, people
from tests.flows.oracle import CHECK

ANA, BIA = people(2)
pytestmark = pytest.mark.long
# Of each field of a report: a value that stands nowhere else.
CANARIES = {
    "paymentBatchName": "Lote canário",
    "splitDate": "2026-10-31T11:22:33.444+00:00",
    "fee": 0.0123,
    "feeAmount": 7.89,
    "feePaid": True,
    "taxId": "11444777000161",
    "batchId": "batch-canary",
    "reportId": "report-canary",
    "extId": "ext-canary",
    "status": "PROCESSING",
    "logo": "https://logo.example/canary.png",
    "origin": "origin-canary",
    "currency": "EUR",
    "exchangeOrderId": "order-canary",
    "pixQrCodeId": "qr-canary",
    "pixQrCodePayload": "payload-canary",
    "exchangeRate": 5.4321,
    "showExchangeData": False,
    "date": "2026-10-30T01:02:03.004+00:00",
    "pendingPayments": 31,
    "withholdPayments": 32,
    "donePayments": 33,
    "pendingAmount": 41.11,
    "withholdAmount": 42.22,
    "irAmount": 43.33,
    "paidAmount": 44.44,
    "totalAmount": 45.55,
}


def fields_of(model):
    return {field.alias or name for name, field in model.model_fields.items()}


def test_the_list_of_fields_that_people_are_shown_is_the_interfaces():
    assert {name if name != "id" else "_id" for name in REPORT_FIELDS} == fields_of(wire.SplitReport)
    assert set(CANARIES) | {"_id"} == fields_of(wire.SplitReport)


def test_all_that_the_service_says_of_a_report_is_shown_and_what_it_adds_too(label, service):
    label.payments(payment(ANA, "10,00"))
    label.run()
    split_id = service.reports[0]["split_id"]
    service.force(**CANARIES)
    document = label.ask("reports", split_id)["reports"][0]
    assert {name: document[name] for name in CANARIES if isinstance(CANARIES[name], str | bool)} == {
        name: told for name, told in CANARIES.items() if isinstance(told, str | bool)
    }
    numbers = {name: told for name, told in CANARIES.items() if not isinstance(told, str | bool)}
    assert {name: Decimal(str(document[name])) for name in numbers} == {n: Decimal(str(t)) for n, t in numbers.items()}
    printed = label.say("reports", split_id).output
    texts = [told for told in CANARIES.values() if isinstance(told, str)]
    assert [text for text in [split_id, *texts] if text not in printed] == []
    for number in numbers.values():
        assert f"{number:,}".rstrip("0").rstrip(".") in printed.replace(",", ""), number


@pytest.mark.parametrize(("status", "shown"), [(None, 2), ("DONE", 1), ("ERROR", 1), ("EXCLUDED", 0)])
def test_the_services_list_is_shown_whole_or_by_status_with_whose_each_is(label, service, status, shown):
    label.payments(payment(ANA, "10,00"))
    label.run()
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    service.behave(failing_payees=[BIA.tax_id])
    label.run()
    words = ["--status", status] if status else []
    listed = label.ask("reports", *words)["reports"]
    assert len(listed) == shown
    printed = label.say("reports", *words).output
    assert all(report["reportId"] in printed for report in listed)
    assert ("aurora" in printed) == bool(shown)


def test_a_report_that_nobody_knows_and_a_status_that_is_none_are_refused(label, service):
    assert "ERROR" in label.say("reports", "--status", "feito", code=2).output
    assert "no-such" in label.say("reports", "no-such", code=2).output


def test_accounts_of_contacts_are_shown_with_bank_branch_kind_and_day_and_whose_they_are_masked(label, service):
    book = AddressBook(service)
    known = book.add(ANA.name, ANA.tax_id, ANA.email)
    bank = {"pspId": "00000000", "bankCode": "001", "agency": "1234", "account": "98765-4"}
    account = book.give_account(known["id"], **bank, accountType="checking_account")
    book.give_account(known["id"], pixKey="outra@example.com", pixKeyType="email")
    label.payments(payment(ANA, "10,00"))
    label.say("contacts", "sync", label.job, "--apply")
    (contact,) = label.ask("contacts", "list")["contacts"]
    assert set(contact) == {
        *("contact_id", "name", "tax_id", "email", "accounts", "favorite", "tax_id_manager", "has_bank_account"),
        *("state", "told_at"),
    }
    first, second = contact["accounts"]
    assert set(first) == set(wire.ContactAccount.model_fields)
    assert (first["id"], first["bank_code"], first["agency"]) == (account["id"], "001", "1234")
    assert first["account_type"] == "checking_account"
    assert second["pix_key_type"] == "email"
    printed = label.say("contacts", "list").output
    assert {"1234", "001", "checking_account", account["id"]} <= set(printed.split())
    for secret in ("98765", "outra@example.com", ANA.tax_id, ANA.email):
        assert secret not in printed + json.dumps(contact)


def test_one_contact_is_created_and_changed_by_hand_and_asked_about_by_nothing_else(label, service):
    book = AddressBook(service)
    said = label.type("contacts", "set", "--json", typed=f"{ANA.tax_id}\n{ANA.name}\n{ANA.email}\n")
    assert json.loads(said.stdout)["result"] == "created"
    said = label.type("contacts", "set", "--json", typed=f"{ANA.tax_id}\n{ANA.name}\nnova@example.com\n")
    assert json.loads(said.stdout)["result"] == "email_changed"
    said = label.type("contacts", "set", "--json", typed=f"{ANA.tax_id}\n{ANA.name}\nnova@example.com\n")
    assert json.loads(said.stdout)["result"] == "kept"
    (contact,) = book.contacts
    assert contact["email"] == "nova@example.com"
    assert [act["kind"] for act in label.ask("acts")["acts"]].count("change_contacts") == 3
    assert label.type("contacts", "set", typed=f"{ANA.tax_id}\nAna\nno address\n").exit_code == 2


@pytest.mark.parametrize(("answer", "asked"), [("y\n", 1), ("n\n", 0), ("", 0)])
def test_one_account_is_checked_by_hand_after_its_price_is_said(label, service, answer, asked):
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    said = label.type("contacts", "check", label.job, ANA.name, typed=answer)
    assert "R$ 0.36" in said.output
    assert service.calls(CHECK) == asked
    assert said.exit_code == (0 if asked else 2)
    assert service.checks_cost_cents == 36 * asked


def test_an_answer_that_counts_still_is_told_for_nothing_and_a_bad_account_is_told_as_one(label, service):
    service.behave(invalid_accounts=[BIA.destination.pix_key])
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    assert label.ask("contacts", "check", label.job, ANA.name, "--yes")["cost_cents"] == 36
    assert label.ask("contacts", "check", label.job, ANA.name) == label.ask("contacts", "check", label.job, ANA.name)
    assert service.checks == 1
    assert label.ask("contacts", "check", label.job, ANA.tax_id, "--yes", "--again")["result"] == "valid"
    assert service.checks == 2
    assert label.ask("contacts", "check", label.job, BIA.name, "--yes", code=15)["result"] == "invalid"
    label.say("contacts", "check", label.job, "Ninguém", "--yes", code=2)
    with label.ledger() as ledger:
        assert sum(ledger.journal.balances().values()) == 0
    assert label.ask("status", code=0)["waits"] == []


def test_a_qr_code_takes_every_field_that_the_interface_names(label, service, tmp_path):
    payer = tmp_path / "payer.txt"
    payer.write_text(f"{ANA.name}\n{ANA.tax_id}\n", encoding="utf-8")
    words = ("--key", "123e4567-e89b-42d3-a456-426614174000", "--key-type", "random_key", "--expires-s", "60")
    words += ("--conciliation-id", "rec1", "--type", "static", "--occurrence", "single", "--message", "Outubro")
    document = label.ask("funding", "qrcode", "--amount", "10,00", *words, "--payer", payer, "--note", "nota=17")
    assert service.qr_codes == [1000]
    assert document["problems"] == []
    payer.write_text("nobody\n", encoding="utf-8")
    label.say("funding", "qrcode", "--amount", "10,00", *words, "--payer", payer, code=2)


ROOT = Path(wire.__file__).parents[2]
# Read whole from an answer, and shown so: no line of the product names each of them.
SHOWN_WHOLE = {wire.ContactAccount, wire.Institution}


def product_text():
    """The product's code, without the declarations of the interface and the stand-in, which name every field."""
    paths = [path for room in ("flows", "schemas", "io_adapters") for path in (ROOT / room).rglob("*.py")]
    own = [path for path in paths if not {"sandbox", "wire"} & set(path.parts)]
    return "\n".join(path.read_text(encoding="utf-8") for path in own)


def models():
    named = (getattr(wire, name) for name in wire.__all__)
    return [found for found in named if isinstance(found, type) and issubclass(found, wire.Request | wire.Response)]


def test_each_field_of_each_request_and_answer_is_named_where_it_is_set_or_read():
    text = product_text()
    assert {wire.SplitRequest, wire.PaymentEntry, wire.SplitReport, wire.QrCodeRequest} <= set(models())
    dead = {
        f"{model.__name__}.{name}"
        for model in models()
        if model not in SHOWN_WHOLE
        for name in model.model_fields
        if not re.search(rf"\b{name}\b", text)
    }
    # What a key is described by changes no payment, and no sheet has a column of it: it is never sent.
    assert dead == {"BankAccountData.pixDescription", "AccountValidation.pixDescription"}
