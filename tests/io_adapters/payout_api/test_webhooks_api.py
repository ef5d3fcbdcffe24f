"""An address is registered once, and only one that notifications should go to."""

import json

import httpx
import pytest

from io_adapters.payout_api.errors import RefusedByService, RuleBroken, Unanswered

LONGEST = "https://h.example/".ljust(2083, "a")


@pytest.mark.parametrize(
    "url",
    [
        "https://hooks.example/in/3f9c",
        "https://hooks.example:8443/in?x=1",
        "https://[2001:db8::1]/in",
        "http://127.0.0.1:8900/in",
        "http://localhost/in",
        "http://[::1]:1/in",
        LONGEST,
    ],
)
def test_a_sound_address_is_registered_as_it_is(talk, url):
    answer = {"id": "w-1", "webhook_url": url, "active": True, "created_at": "2026-11-01T00:00:00Z"}
    api, service = talk(httpx.Response(200, json=answer))
    registered = api.webhooks.register(url)
    assert (registered.id, registered.webhook_url, registered.active) == ("w-1", url, True)
    (asked,) = service.asked
    assert (asked.method, asked.url.path, json.loads(asked.content)) == (
        "POST", "/external/webhooks", {"webhook_url": url},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("url", "rule"),
    [
        ("", "1 to 2083"),
        (LONGEST + "a", "1 to 2083"),
        ("http://hooks.example/secret-path", "https"),
        ("http://127.0.0.1.example/secret-path", "https"),
        ("http://10.0.0.1/secret-path", "https"),
        ("ftp://hooks.example/secret-path", "https"),
        ("//hooks.example/secret-path", "https"),
        ("https://user:secret-path@hooks.example/", "user"),
        ("https://@hooks.example/secret-path", "user"),
        ("https:///secret-path", "host"),
        ("https:secret-path", "host"),
        ("secret-path", "host"),
        ("https://hooks.example/secret-path #", "blanks"),
        ("https://hooks.example/secret-path#a", "fragment"),
        ("https://hooks.example\\@evil.example/secret-path", "not an address"),
        ("https://hooks.éxample/secret-path", "accents"),
        ("https://hooks.example:99999/secret-path", "not an address"),
        ("https://[::1/secret-path", "not an address"),
        ("https://hooks.example/secret-path\n", "blanks"),
    ],
)
def test_an_address_that_must_not_be_registered_is_refused_without_repeating_it(talk, url, rule):
    api, service = talk(httpx.Response(200, json={}))
    with pytest.raises(RuleBroken, match=rule) as caught:
        api.webhooks.register(url)
    assert "secret-path" not in str(caught.value)
    assert service.asked == []


def test_a_registration_that_may_have_happened_is_not_repeated(talk):
    api, service = talk(httpx.Response(502))
    with pytest.raises(Unanswered, match="HTTP 502"):
        api.webhooks.register("https://hooks.example/in")
    assert len(service.asked) == 1


def test_a_refusal_names_the_field(talk):
    detail = [{"loc": ["body", "webhook_url"], "msg": "too long", "type": "string_too_long"}]
    with pytest.raises(RefusedByService, match=r"body\.webhook_url"):
        talk(httpx.Response(422, json={"detail": detail}))[0].webhooks.register("https://hooks.example/in")
