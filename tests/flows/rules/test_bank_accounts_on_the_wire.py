"""A bank account is asked about and paid to in the same words."""

import json

import pytest

from flows.payables.rules.account_checks import accounts_to_pay
from tests.spec.office import Office, inputs
from tests.spec.tables import CPF, payments

ACCOUNT = {
    "pix_key": "",
    "pix_key_type": "",
    "bank_code": "001",
    "psp_id": "00000000",
    "agency": "0042",
    "account": "12351X",
    "account_type": "checking_account",
}
ON_THE_WIRE = {
    "bankCode": "001",
    "pspId": "00000000",
    "agency": "0042",
    "account": "12351X",
    "accountType": "checking_account",
}


def worked_out(**columns):
    office = Office()
    came_in = inputs(payments=payments("| payee | amount |\n| ana | 1.00 |").assign(**ACCOUNT, **columns))
    return office, office.compute_payables(came_in)


@pytest.mark.parametrize(("account_holder", "name"), [("", "Ana"), ("Ana Produções Ltda", "Ana Produções Ltda")])
def test_an_account_is_paid_and_checked_under_its_holder_or_else_its_payee(account_holder, name):
    office, payables = worked_out(account_holder=account_holder)
    (batch,) = office.plan(payables).batches
    assert json.loads(batch.content)["payments"][0]["bankAccount"] == ON_THE_WIRE | {"name": name}
    (asked,) = accounts_to_pay(payables.obligations, ownership=False)
    assert asked.request.model_dump(exclude_none=True) == ON_THE_WIRE | {
        "name": name,
        "taxId": CPF["ana"],
        "validateOwnership": False,
    }
    assert payables.obligations[0].holder == name


def test_the_holder_s_name_is_no_part_of_the_destination():
    _, plain = worked_out()
    _, named = worked_out(account_holder="ANA PRODUÇÕES")
    assert [owed.destination for owed in plain.obligations] == [owed.destination for owed in named.obligations]


def test_what_a_row_brings_beyond_the_payee_travels_with_its_payment():
    office, payables = worked_out(
        artist_name="Ana Lua",
        percentage="33.3333",
        contact_id="c-1",
        anticipation_id="a-1",
        parent_id="p-1",
        parent_name="Editora",
        original_tax_id=CPF["bia"],
        original_name="Bia",
        advance=True,
        email="ana@example.com",
    )
    (batch,) = office.plan(payables).batches
    entry = json.loads(batch.content, parse_float=str)["payments"][0]
    assert {name: entry[name] for name in entry.keys() - {"taxId", "name", "amount", "finalAmount", "bankAccount"}} == {
        "artistName": "Ana Lua",
        "percentage": "33.3333",
        "contactId": "c-1",
        "anticipationId": "a-1",
        "parentId": "p-1",
        "parentName": "Editora",
        "originalTaxId": CPF["bia"],
        "originalName": "Bia",
        "advance": True,
        "isWithhold": False,
        "email": "ana@example.com",
        "extPaymentId": batch.payments[0].obligation_key,
    }
