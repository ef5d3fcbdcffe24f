"""A webhook is registered once, at an address of the desk that nobody can guess."""

import pytest

from schemas.errors import ExitCode

REGISTER = "POST /webhooks"
pytestmark = pytest.mark.long


@pytest.mark.journey
def test_the_service_is_told_a_secret_that_nobody_else_is(label, service):
    output = label.say("desk", "webhook", "register", "https://hooks.example/in/").output
    (url,) = service.webhook_urls
    assert url.startswith("https://hooks.example/in/hooks/")
    token = url.rpartition("/")[2]
    assert len(token) == 32
    assert token not in output
    assert token not in str(label.ask("desk", "webhook", "list"))
    home = label.folder.parent / "home"
    assert not [path for path in home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


def test_registering_anew_can_retire_what_was_registered_before(label, service):
    label.say("desk", "webhook", "register", "https://hooks.example")
    label.say("desk", "webhook", "register", "https://hooks.example")
    label.say("desk", "webhook", "register", "https://hooks.example", "--replace")
    states = [webhook["state"] for webhook in label.ask("desk", "webhook", "list")["webhooks"]]
    assert states == ["retired", "retired", "registered"]
    assert len(set(service.webhook_urls)) == 3


@pytest.mark.parametrize(
    "base",
    [
        "http://hooks.example", "ftp://hooks.example", "hooks.example", "https://", "https://a:b@hooks.example",
        "https://hooks.example?a=1", "https://hooks.example#a", "https://hóoks.example", "https://hooks.example/a b",
        "https://hooks.example:port", "https://[", "https://hooks.example/" + "a" * 2031,
    ],
)  # fmt: skip
def test_a_base_that_cannot_be_meant_is_refused_before_anything_is_sent(label, service, base):
    label.ask("desk", "webhook", "register", base, code=2)
    assert service.calls(REGISTER) == 0


def test_plain_http_is_for_a_service_on_this_machine_alone(label, service, monkeypatch):
    label.say("desk", "webhook", "register", "http://127.0.0.1:9")
    monkeypatch.setenv("REPASSE_API_URL", "https://pay.example/external")
    label.ask("desk", "webhook", "register", "http://127.0.0.1:9", code=2)


def test_the_longest_url_the_service_takes_is_taken(label, service):
    label.say("desk", "webhook", "register", "https://hooks.example/" + "a" * (2083 - 22 - 7 - 32))
    assert len(service.webhook_urls[0]) == 2083


@pytest.mark.parametrize(
    ("fault", "code", "kept"),
    [
        ({"kind": "drop", "when": "after"}, ExitCode.IN_DOUBT, "no answer known"),
        ({"kind": "status", "when": "before", "status": 500}, ExitCode.IN_DOUBT, "no answer known"),
        (
            {
                "kind": "status", "when": "before", "status": 422,
                "body": {"detail": [{"loc": ["body", "webhook_url"], "msg": "no", "type": "value_error"}]},
            },
            ExitCode.REFUSED, "retired",
        ),
    ],
    ids=["lost", "an error", "refused"],
)  # fmt: skip
def test_a_registration_is_kept_unless_it_certainly_did_not_happen(label, service, fault, code, kept):
    service.plant(REGISTER, **fault)
    label.ask("desk", "webhook", "register", "https://hooks.example", code=code)
    assert [webhook["state"] for webhook in label.ask("desk", "webhook", "list")["webhooks"]] == [kept]
