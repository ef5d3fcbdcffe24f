"""Of an unexpected reply only words that name nobody are told; no document, key, e-mail or API key survives."""

import json
import re
import unicodedata
import uuid

import httpx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from io_adapters.payout_api.excerpt import safe_excerpt
from io_adapters.payout_api.excerpt_words import WORDS
from schemas.errors import NotSent
from schemas.values.tax_id import check_digits
from tests.io_adapters.payout_api.raw_server import API_KEY

cpfs = st.from_regex(r"[0-9]{9}", fullmatch=True).map(lambda body: body + check_digits(body))
cnpjs = st.from_regex(r"[0-9A-Z]{12}", fullmatch=True).map(lambda body: body + check_digits(body))
masked_cpfs = cpfs.map(lambda c: f"{c[:3]}.{c[3:6]}.{c[6:9]}-{c[9:]}")
spaced = cpfs.map(" ".join)
keys = st.uuids().map(str) | st.from_regex(r"\+55[1-9]{2}9[0-9]{8}", fullmatch=True)
emails = st.emails() | st.builds("{}@{}.{}".format, *[st.sampled_from(sorted(WORDS))] * 3)
names = st.sampled_from(["Maria Souza", "José Conceição", "D'Ávila", "Zé", "Ana-Lúcia Braga"])
personal = cpfs | cnpjs | masked_cpfs | spaced | keys | emails | names
api_keys = st.from_regex(r"[!-~]{4,40}", fullmatch=True) | st.lists(
    st.sampled_from(sorted(WORDS)), min_size=1, max_size=3
).map("-".join)
around = st.text(max_size=20) | st.sampled_from(
    ["no contact with tax_id ", "Conta ", "<b>error</b>: ", '"', "\\", "é "]
)
forms = st.sampled_from(
    [
        lambda text: text.encode(errors="replace"),
        lambda text: json.dumps({"detail": text}).encode(),
        lambda text: json.dumps({text: {"a": [1, text]}}, ensure_ascii=False).encode(errors="replace"),
        lambda text: f"<html><body class='x'>{text}</body></html>".encode(errors="replace"),
        lambda text: text.encode("utf-16", errors="replace"),
    ]
)


MIXED = [*"aAéø.-_ \u0301\u0430@1", "contact", "Not", "NOT", "Found", "não", "Maria"]


@given(around, personal, around, forms)
def test_nothing_personal_survives_in_any_place(before, value, after, form):
    told = safe_excerpt(form(before + value + after), secret=API_KEY)
    assert value not in told
    assert not re.search(r"[0-9@]", told)
    for word in re.findall(r"[^\W_]+", value):
        assert word.casefold() not in re.findall(r"[^\W_]+", told.casefold()) or _passes_alone(word)


def _passes_alone(word):
    return bool(safe_excerpt(word.encode(), secret=""))


@given(around, api_keys, around, forms)
def test_the_key_does_not_survive_in_any_place(before, key, after, form):
    told = safe_excerpt(form(before + key + after), secret=key)
    assert key.casefold() not in told.casefold()


@given(
    st.binary(max_size=300) | st.lists(st.sampled_from(MIXED), max_size=9).map(lambda parts: "".join(parts).encode())
)
def test_whatever_the_bytes_only_words_of_the_vocabulary_are_told(body):
    told = safe_excerpt(body, secret=API_KEY)
    assert len(told) <= 170
    plain = "".join(c for c in unicodedata.normalize("NFD", told) if unicodedata.category(c) != "Mn")
    assert not re.sub(r"[A-Za-z ._…-]", "", plain)
    assert all(part.lower() in WORDS for word in re.findall(r"[A-Za-z]+", plain) for part in _parts(word))


def _parts(word):
    return re.findall(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+", word)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (b'{"detail": "Not authenticated"}', "detail Not authenticated"),
        (b'{"error": "contact_not_found", "message": "No contact with tax_id 52998224725"}',
         "error contact_not_found message No contact with tax_id …"),
        (b"<html><head><title>502 Bad Gateway</title></head></html>", "… Bad Gateway"),
        ('{"mensagem": "Conta de Maria Souza não existe"}'.encode(), "mensagem Conta de … não existe"),
        (b'{"message": "N\\u00e3o autorizado"}', "message Não autorizado"),
        (b'{"code": "ContactNotFound", "trace": "' + str(uuid.UUID(int=7)).encode() + b'"}',
         "code ContactNotFound trace …"),
        (b"", ""),
        (b"52998224725 ana@example.com", ""),
        (b"\xff\xfe\x00", ""),
    ],
)  # fmt: skip
def test_words_of_errors_are_told(body, told):
    assert safe_excerpt(body, secret=API_KEY) == told


@pytest.mark.parametrize("text", ["error invalid-key not found", '{"error": "Invalid-KEY", "x": "not found"}'])
def test_a_key_made_of_words_that_pass_is_hidden_and_the_rest_told(text):
    assert safe_excerpt(text.encode(), secret="invalid" + "-key") == "error … not found"


def test_a_long_reply_is_cut():
    assert len(safe_excerpt(b"error not found " * 1000, secret=API_KEY)) < 170


def test_an_unexpected_answer_is_told_with_its_status_and_what_names_nobody(talk):
    body = {"error": "database unavailable", "for": "Maria Souza 52998224725", "key": API_KEY}
    api, _ = talk(httpx.Response(500, json=body))
    with pytest.raises(NotSent, match="HTTP 500: error database unavailable for … key …") as caught:
        api.list_reports()
    answer = api.create_report(b"{}", report_id="rp-1", was_in_doubt=False, deadline_s=5, before_connect=lambda: None)
    for told in (str(caught.value), answer.reason):
        assert "database unavailable" in told
        assert not re.search(f"Maria|Souza|52998224725|{API_KEY}", told)
