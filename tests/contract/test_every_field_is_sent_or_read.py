"""Every field of the interface is sent or read by a case, nothing else is sent, and the models hold exactly these."""

from collections import defaultdict

import pytest
from pydantic import BaseModel

from schemas import wire
from tests.contract.cases import CASES
from tests.contract.interface import ASKED, READ, REFUSAL, SENT, fields_in
from tests.contract.worlds import WORLDS, Recorder

REQUESTS = {
    "PUT /contacts": wire.ContactEmailUpdate,
    "POST /contacts": wire.ContactCreate,
    "DELETE /contacts": wire.ContactDelete,
    "DELETE /contacts/accounts": wire.AccountDelete,
    "POST /create_pix_qrcode": wire.QrCodeRequest,
    "POST /validate/account": wire.AccountValidation,
    "POST /split": wire.SplitRequest,
    "POST /split/{split_id}/update_exchange_rate": wire.ExchangeRateUpdate,
    "POST /webhooks": wire.WebhookCreate,
}
ANSWERS = {
    "PUT /contacts": wire.Contact,
    "POST /contacts": wire.Contact,
    "POST /contacts/accounts_favorite": wire.ContactAccount,
    "GET /pix/financial_institutions": wire.InstitutionPage,
    "POST /create_pix_qrcode": wire.QrCode,
    "POST /validate/account": wire.AccountVerdict,
    "POST /split": wire.SplitReport,
    "GET /split/{split_id}/get": wire.SplitReport,
    "GET /split": wire.SplitReport,
    "POST /split/{split_id}/update_exchange_rate": wire.SplitReport,
    "POST /webhooks": wire.Webhook,
}
_NOT_SHOWN = {"payments[].products", "payments[].platforms", "payments[].details"}  # the shape of their elements


@pytest.fixture(scope="module")
def calls():
    recorder = Recorder(carry=None)
    for open_world in WORLDS.values():
        for run in CASES.values():
            with open_world(recorder) as world:
                run(world)
    return recorder.calls


def by_endpoint(calls, fields):
    found = defaultdict(set)
    for call in calls:
        found[call.endpoint] |= fields(call)
    return found


def test_every_endpoint_is_called_and_no_other(calls):
    assert {call.endpoint for call in calls} == set(SENT)


@pytest.mark.parametrize("endpoint", SENT)
def test_every_field_of_a_request_is_sent_and_no_other(calls, endpoint):
    sent = by_endpoint(calls, lambda call: fields_in(call.sent))[endpoint]
    assert {field for field in sent if not any(field.startswith(one + "[].") for one in _NOT_SHOWN)} == set(
        SENT[endpoint]
    )
    assert by_endpoint(calls, lambda call: set(call.query))[endpoint] == set(ASKED.get(endpoint, []))


@pytest.mark.parametrize("endpoint", READ)
def test_every_field_of_an_answer_is_read(calls, endpoint):
    read = set()
    for call in calls:
        if call.endpoint == endpoint and call.status < 300:
            for document in call.answered if isinstance(call.answered, list) else [call.answered]:
                within = "[]" if isinstance(call.answered, list) else ""
                read |= values_in(ANSWERS[endpoint].model_validate(document), within)
    assert read >= set(READ[endpoint])


def test_every_field_of_a_refusal_comes_back(calls):
    said = set()
    for call in calls:
        said |= fields_in(call.answered) if call.status == 422 else set()
    assert said == set(REFUSAL)


@pytest.mark.parametrize(("models", "table"), [(REQUESTS, SENT), (ANSWERS, READ)], ids=["sent", "read"])
def test_the_models_hold_exactly_the_fields_of_the_interface(models, table):
    for endpoint, model in models.items():
        assert fields_of(model) == {field.removeprefix("[].") for field in table[endpoint]}, endpoint


def test_a_field_is_found_in_a_document_only_where_it_holds_something():
    assert fields_in({"a": None, "b": [{"c": 0}, {"d": False}], "e": {}}) == {"b", "b[].c", "b[].d", "e"}


def values_in(model, within=""):
    """The fields that a model has read something from, by their names on the wire."""
    found = set()
    for name, field in type(model).model_fields.items():
        value = getattr(model, name)
        path = ".".join(filter(None, [within, field.alias or name]))
        if value is not None:
            found.add(path)
        for part in value if isinstance(value, tuple) else [value]:
            if isinstance(part, BaseModel):
                found |= values_in(part, path + ("[]" if isinstance(value, tuple) else ""))
    return found


def fields_of(model, within=""):
    """The fields that a model can hold."""
    found = set()
    for name, field in model.model_fields.items():
        path = ".".join(filter(None, [within, field.alias or name]))
        found.add(path)
        for inner, is_list in inner_models(field.annotation):
            found |= fields_of(inner, path + ("[]" if is_list else ""))
    return found


def inner_models(annotation, *, is_list=False):
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation, is_list
    for part in getattr(annotation, "__args__", ()):
        yield from inner_models(part, is_list=is_list or getattr(annotation, "__origin__", None) is tuple)
