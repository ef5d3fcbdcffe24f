"""Webhooks are registered as the interface says; the sandbox calls nobody."""

import pytest

ELSEWHERE = "http://192.0.2.1/hook"  # a network for documentation: nobody is there


@pytest.fixture
def register(service):
    def post(url):
        return service.post("/webhooks", json={"webhook_url": url}).raise_for_status().json()

    return post


def test_a_registration_answers_every_field_of_the_interface(register, audit):
    told = register(ELSEWHERE)
    assert set(told) == {"id", "webhook_url", "active", "created_at"}
    assert (told["webhook_url"], told["active"]) == (ELSEWHERE, True)
    (kept,) = audit()["webhooks"]
    assert (kept["id"], kept["webhook_url"]) == (told["id"], ELSEWHERE)


def test_each_registration_counts_even_of_the_same_url(register, audit):
    assert register(ELSEWHERE)["id"] != register(ELSEWHERE)["id"]
    assert len(audit()["webhooks"]) == 2


@pytest.mark.parametrize("url", ["", "x" * 2084, "ftp://127.0.0.1/", "hook", "http://", None, 1])
def test_what_is_no_url_of_1_to_2083_characters_is_refused(service, audit, url):
    answer = service.post("/webhooks", json={"webhook_url": url})
    assert answer.status_code == 422
    assert [found["loc"] for found in answer.json()["detail"]] == [["body", "webhook_url"]]
    assert audit()["webhooks"] == []


def test_a_url_of_2083_characters_is_registered(register):
    url = "https://example.com/"
    assert register(url.ljust(2083, "x"))["active"] is True
