"""The deprecated QR code: asked for once, warned of once, and its text compared with what was asked for."""

import base64
import json
import warnings
from decimal import Decimal

import httpx
import pytest

from io_adapters.payout_api.errors import RuleBroken, Unanswered
from io_adapters.payout_api.queries import check_qr_code
from schemas.messages import Message, render
from schemas.values.brcode import BrCodeProblem, crc16
from schemas.wire import AdditionalData, QrCode, QrCodeRequest

HEAD = (
    "00020126370014br.gov.bcb.pix0115ana@example.com520400005303986540512.345802BR5903ANA6009SAO PAULO62070503***6304"
)
TEXT = HEAD + crc16(HEAD)
ASKED = QrCodeRequest(pix_key="ana@example.com", amount=Decimal("12.34"))


def code(**fields):
    return QrCode.model_validate(fields)


def b64(text, **_kwargs):
    return base64.b64encode(text.encode()).decode()


def test_a_code_is_asked_for_once_exactly_as_given(talk):
    api, service = talk(httpx.Response(200, json={"pix_key": "ana@example.com", "base_64": b64(TEXT)}))
    request = QrCodeRequest(
        amount=Decimal("10.00"), additional_data=(AdditionalData(key_name="a", value="b"),), expiration_seconds=60
    )
    with pytest.warns(DeprecationWarning, match="create_dynamic_pix_payment"):
        assert api.pix.create_qr_code(request).pix_key == "ana@example.com"
    (asked,) = service.asked
    assert (asked.method, asked.url.path) == ("POST", "/external/create_pix_qrcode")
    assert asked.content == (
        b'{"additional_data":[{"key_name":"a","value":"b"}],"amount":10.00,"expiration_seconds":60}'
    )


def test_the_warning_comes_once(talk):
    api, _ = talk(httpx.Response(200, json={}))
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(3):
            api.pix.create_qr_code(ASKED)
    assert [warning.category for warning in caught] == [DeprecationWarning]


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
@pytest.mark.parametrize("answer", [httpx.Response(500), httpx.Response(200, content=b"[]")])
def test_a_code_that_may_have_been_made_is_not_asked_for_again(talk, answer):
    api, service = talk(answer)
    with pytest.raises(Unanswered):
        api.pix.create_qr_code(ASKED)
    assert len(service.asked) == 1


@pytest.mark.parametrize(
    ("request_", "rule"),
    [
        (QrCodeRequest(amount=Decimal("1.5")), "two decimals"),
        (QrCodeRequest(amount=Decimal("1.500")), "two decimals"),
        (QrCodeRequest(amount=Decimal(1)), "two decimals"),
        (QrCodeRequest(amount=Decimal("0.00")), "above zero"),
        (QrCodeRequest(amount=Decimal("-1.00")), "above zero"),
        (QrCodeRequest(pix_key="a", expiration_seconds=0), "expiration_seconds"),
        (QrCodeRequest(additional_data=(AdditionalData(key_name=" ", value="x"),)), "key_name"),
        (QrCodeRequest(), "at least one field"),
    ],
)
def test_a_request_that_cannot_be_meant_is_told_before_anything_is_sent(talk, request_, rule):
    api, service = talk(httpx.Response(200, json={}))
    with pytest.raises(RuleBroken, match=rule):
        api.pix.create_qr_code(request_)
    assert service.asked == []


@pytest.mark.parametrize(
    ("holds", "base_64"),
    [
        ("any", TEXT),
        ("any", b64(TEXT)),
        ("any", b64(TEXT).rstrip("=")),
        ("any", "\n".join([b64(TEXT)[:76], b64(TEXT)[76:]])),
        ("text", TEXT),
        ("base64_of_text", b64(TEXT)),
    ],
)
def test_the_text_is_found_in_whichever_form_it_comes(holds, base_64):
    found = check_qr_code(ASKED, code(base_64=base_64), holds=holds)
    assert (found.payload, found.problems, found.differs, found.is_sound) == (TEXT, (), (), True)


@pytest.mark.parametrize(
    "base_64", [None, "", " ", b64("hello"), "not base64!", base64.b64encode(b"\x89PNG\r\n\x1a\n" + bytes(40)).decode()]
)
def test_a_picture_or_nothing_cannot_be_checked_and_that_is_said(base_64):
    found = check_qr_code(ASKED, code(base_64=base_64))
    assert (found.payload, found.is_sound) == (None, False)
    assert any("could not be checked" in str(message) for message in found.messages)
    assert any(
        "não puderam ser conferidos" in render(message, "pt-BR")
        for message in found.messages
        if isinstance(message, Message)
    )


def test_a_text_said_to_be_a_picture_is_not_looked_at():
    assert check_qr_code(ASKED, code(base_64=b64(TEXT)), holds="image").payload is None


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"pix_key": "eva@example.com"}, BrCodeProblem.KEY_DIFFERS),
        ({"amount": Decimal("12.35")}, BrCodeProblem.AMOUNT_DIFFERS),
    ],
)
def test_a_code_that_pays_somebody_else_or_another_amount_is_not_sound(changed, problem):
    found = check_qr_code(ASKED.model_copy(update=changed), code(base_64=TEXT))
    assert (found.problems, found.is_sound) == ((problem,), False)
    assert any("Do not use it" in str(message) for message in found.messages)


def test_an_answer_that_contradicts_the_request_is_not_sound():
    answer = {"base_64": TEXT, "amount": Decimal("12.35"), "pix_key": "eva@example.com"}
    found = check_qr_code(ASKED, code(**answer))
    assert (found.differs, found.is_sound) == (("amount", "pix_key"), False)
    assert check_qr_code(ASKED, code(base_64=TEXT, amount=Decimal("12.340"))).is_sound


def test_findings_start_with_the_deprecation_and_name_nobody():
    found = check_qr_code(ASKED, code(base_64=TEXT))
    assert render(found.messages[0], "pt-BR").startswith("O serviço desaconselha")
    assert "ana@" not in repr(found)


def test_the_client_checks_by_what_is_assumed_of_base_64(talk):
    api, _ = talk(httpx.Response(200))
    found = api.pix.check_qr_code(ASKED, code(base_64=b64(TEXT)))
    assert found.payload == TEXT
    assert json.dumps(found.problems) == "[]"
