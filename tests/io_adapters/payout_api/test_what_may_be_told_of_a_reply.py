"""Of an unexpected reply its status is told and nothing of its body; of a documented 422, the places at fault."""

import json

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import SecretStr

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.client import SplitApi
from schemas.errors import RepasseError
from tests.contacts import create_contact
from tests.io_adapters.payout_api.raw_server import API_KEY

PERSONAL = st.sampled_from(
    ["52998224725", "529.982.247-25", "5 2 9 9 8 2 2 4 7 2 5", "12.ABC.345/01DE-35", "+5511987654321",
     "ana@example.com", "Maria Souza", "José Conceição", "D'Ávila", "Zé", API_KEY, API_KEY.upper()]
)  # fmt: skip
AROUND = st.text(max_size=20) | st.sampled_from(
    ["no contact with tax_id ", "Conta ", "<b>error</b>: ", '"', "\\", "é "]
)
FORMS = st.sampled_from(
    [
        lambda text: text.encode(errors="replace"),
        lambda text: json.dumps({"detail": text}).encode(),
        lambda text: json.dumps({"detail": [{"msg": text, "type": text}]}).encode(),
        lambda text: json.dumps({text: {"a": [1, text]}}, ensure_ascii=False).encode(errors="replace"),
        lambda text: f"<html><body class='x'>{text}</body></html>".encode(errors="replace"),
        lambda text: text.encode("utf-16", errors="replace"),
    ]
)
STATUSES = st.sampled_from([302, 400, 401, 403, 404, 409, 418, 422, 429, 500, 502, 503])


def all_that_is_told(status: int, body: bytes) -> list[str]:
    """Ask for a list, set a rate, create a contact and a report, each answered alike; return what is said of it."""
    transport = httpx.MockTransport(lambda _: httpx.Response(status, content=body, headers={"Retry-After": "0"}))
    settings = {"timeout_s": 1.0, "assumptions": Assumptions(), "pause": lambda _s: None, "transport": transport}
    with SplitApi("https://pay.example", SecretStr(API_KEY), **settings) as api:
        once = {"was_in_doubt": False, "deadline_s": 5.0, "before_connect": lambda: None}
        told = [str(api.create_report(b"{}", report_id="rp-1", **once).reason)]
        told.append(str(api.update_exchange_rate("sp-1", b"{}", **once).reason))
        for call in (api.list_reports, lambda: create_contact(api.contacts, "Ana", "52998224725", "a@example.com")):
            with pytest.raises(RepasseError) as caught:
                call()
            told.append(str(caught.value))
    return told


@given(STATUSES, AROUND, PERSONAL, AROUND, FORMS)
def test_whatever_a_reply_says_the_same_is_told_of_it_as_if_it_said_nothing(status, before, value, after, form):
    told = all_that_is_told(status, form(before + value + after))
    assert told == all_that_is_told(status, b"")
    assert all(value.casefold() not in said.casefold() for said in told)


@given(STATUSES, st.binary(max_size=300))
def test_bytes_of_any_kind_tell_no_more(status, body):
    assert all_that_is_told(status, body) == all_that_is_told(status, b"")


@pytest.mark.parametrize("status", [302, 400, 409, 429, 500, 503])
def test_the_status_is_told(status):
    assert all(f"HTTP {status}" in said for said in all_that_is_told(status, b'{"error": "database unavailable"}'))


def test_of_a_documented_refusal_the_places_are_told_and_neither_words_nor_values():
    fault = {
        "loc": ["body", "payments", 3, "taxId"],
        "msg": "52998224725 of Maria Souza is wrong",
        "type": "value_error",
    }
    told = all_that_is_told(422, json.dumps({"detail": [fault | {"input": API_KEY}]}).encode())
    assert all("422" in said for said in told)
    assert all("body.payments.3.taxId" in said for said in told[2:])
    assert not any(word in said for said in told for word in ("52998224725", "Maria", "Souza", "wrong", API_KEY))
