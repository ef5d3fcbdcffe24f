"""The address book: every change is sent once, and every failure says whether it may have happened."""

import json

import httpx
import pytest

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.errors import AlreadyThere, NotFound, RefusedByService, RuleBroken, Unanswered
from schemas.errors import ExitCode, NotSent, RepasseError
from schemas.wire import ContactCreate
from tests.contacts import create_contact
from tests.io_adapters.payout_api.raw_server import RawServer, reply, reset

CPF, OTHER_CPF, EMAIL = "52998224725", "11144477735", "ana@example.com"
REFUSAL = {"detail": [{"loc": ["body", "email"], "msg": f"{EMAIL} is wrong", "type": "value_error"}]}
CALLS = {
    "create": lambda contacts: create_contact(contacts, "Ana", CPF, EMAIL),
    "update_email": lambda contacts: contacts.update_email(EMAIL, tax_id=CPF),
    "delete": lambda contacts: contacts.delete("c-1"),
    "delete_account": lambda contacts: contacts.delete_account("k-1"),
    "mark_favorite": lambda contacts: contacts.mark_favorite("k-1"),
}
every_call = pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
of_existing = pytest.mark.parametrize("call", [c for n, c in CALLS.items() if n != "create"])


@every_call
def test_each_change_is_sent_once_whatever_comes_back(talk, call):
    for status in (400, 401, 403, 405, 408, 425, 429, 500, 502, 503, 504):
        api, service = talk(httpx.Response(status, headers={"Retry-After": "0"}))
        with pytest.raises(Unanswered, match=f"HTTP {status}") as caught:
            call(api.contacts)
        assert (len(service.asked), caught.value.status) == (1, status)
        assert caught.value.exit_code is ExitCode.IN_DOUBT


@every_call
def test_a_documented_refusal_names_the_fields_and_no_value(talk, call):
    api, service = talk(httpx.Response(422, json=REFUSAL))
    with pytest.raises(RefusedByService, match=r"refused it \(HTTP 422\) at body.email") as caught:
        call(api.contacts)
    assert [error.loc for error in caught.value.validation_errors] == [("body", "email")]
    assert EMAIL not in str(caught.value) + repr(caught.value.validation_errors)
    assert len(service.asked) == 1


@every_call
@pytest.mark.parametrize("body", [b"", b"{}", b'{"detail":[]}', b'{"detail":"wrong"}', b"<html>"])
def test_a_422_that_is_not_as_documented_proves_nothing(talk, call, body):
    with pytest.raises(Unanswered, match="HTTP 422"):
        call(talk(httpx.Response(422, content=body))[0].contacts)


@every_call
@pytest.mark.parametrize("error", [httpx.ConnectError, httpx.ConnectTimeout])
def test_what_never_left_is_known_not_to_have_happened(talk, call, error):
    def fail(_request):
        raise error(f"{CPF} {EMAIL}")

    with pytest.raises(NotSent, match="nothing was sent"):
        call(talk(fail)[0].contacts)


@every_call
@pytest.mark.parametrize("error", [httpx.ReadTimeout, httpx.RemoteProtocolError, RuntimeError])
def test_what_was_cut_short_may_have_happened(talk, call, error):
    def fail(_request):
        raise error(f"{CPF} {EMAIL}")

    with pytest.raises(Unanswered, match=r"no whole answer.*may have happened") as caught:
        call(talk(fail)[0].contacts)
    assert CPF not in str(caught.value)
    assert not isinstance(caught.value, NotSent)


@of_existing
def test_a_contact_the_service_does_not_have_is_told_apart(talk, call):
    with pytest.raises(NotFound, match=r"\(HTTP 404\)$"):
        call(talk(httpx.Response(404, json={"detail": "no such contact"}))[0].contacts)
    another = Assumptions(missing_statuses="400")
    with pytest.raises(NotFound):
        call(talk(httpx.Response(400), assumptions=another)[0].contacts)
    with pytest.raises(Unanswered):
        call(talk(httpx.Response(404), assumptions=another)[0].contacts)


def test_a_contact_that_is_there_already_was_not_made_again(talk):
    api, service = talk(httpx.Response(409, json={"detail": f"a contact of {CPF} exists"}))
    with pytest.raises(AlreadyThere, match=r"\(HTTP 409\)$") as caught:
        CALLS["create"](api.contacts)
    assert isinstance(caught.value, RefusedByService)
    assert (caught.value.validation_errors, len(service.asked)) == ((), 1)
    api, _ = talk(httpx.Response(409), assumptions=Assumptions(existing_statuses="400"))
    with pytest.raises(Unanswered):
        CALLS["create"](api.contacts)


def test_a_404_to_creating_says_nothing_about_a_contact(talk):
    with pytest.raises(Unanswered, match="HTTP 404"):
        CALLS["create"](talk(httpx.Response(404))[0].contacts)


@pytest.mark.parametrize("status", [200, 201, 202, 204])
@pytest.mark.parametrize("body", [b"", b"null", b"true", b'{"id":"c-1"}', b"deleted"])
def test_deleting_is_done_with_any_success_whatever_the_body(talk, status, body):
    api, service = talk(httpx.Response(status, content=body))
    api.contacts.delete(tax_id=CPF)
    api.contacts.delete_account("k-1")
    assert [(r.method, r.url.path, json.loads(r.content)) for r in service.asked] == [
        ("DELETE", "/external/contacts", {"tax_id": CPF}),
        ("DELETE", "/external/contacts/accounts", {"account_id": "k-1"}),
    ]


def test_which_success_means_deleted_is_a_setting(talk):
    api, _ = talk(httpx.Response(202), assumptions=Assumptions(deleting_answers="200,204"))
    with pytest.raises(Unanswered, match="HTTP 202"):
        api.contacts.delete("c-1")


@pytest.mark.parametrize("body", [b"", b"[]", b"null", b"<html>", b'{"id":'])
@pytest.mark.parametrize("name", ["create", "update_email", "mark_favorite"])
def test_a_success_that_cannot_be_read_may_have_happened(talk, name, body):
    with pytest.raises(Unanswered, match="HTTP 200 without a readable answer"):
        CALLS[name](talk(httpx.Response(200, content=body))[0].contacts)


def test_an_answer_about_somebody_else_is_not_taken(talk):
    other = httpx.Response(200, json={"id": "c-2", "tax_id": "111.444.777-35"})
    with pytest.raises(Unanswered, match="another contact"):
        create_contact(talk(other)[0].contacts, "Ana", CPF, EMAIL)
    with pytest.raises(Unanswered, match="another contact"):
        talk(other)[0].contacts.update_email(EMAIL, contact_id="c-1")
    with pytest.raises(Unanswered, match="another account"):
        talk(httpx.Response(200, json={"id": "k-2"}))[0].contacts.mark_favorite("k-1")


@pytest.mark.parametrize("told", [{}, {"tax_id": "529.982.247-25"}, {"tax_id": "***.982.247-**"}, {"id": None}])
def test_an_answer_that_leaves_out_or_writes_differently_contradicts_nothing(talk, told):
    api, _ = talk(httpx.Response(200, json=told))
    assert create_contact(api.contacts, "Ana", CPF, EMAIL).model_fields_set == set(told)


def test_a_favorite_is_marked_by_the_query_alone(talk):
    api, service = talk(
        httpx.Response(200, json={"id": "k&1", "is_favorite": True}),
        assumptions=Assumptions(favorite_account="accountId"),
    )
    assert api.contacts.mark_favorite("k&1").is_favorite is True
    (asked,) = service.asked
    assert (asked.method, asked.url.raw_path, asked.content) == (
        "POST", b"/external/contacts/accounts_favorite?accountId=k%261", b"",
    )  # fmt: skip
    assert "content-type" not in asked.headers


@pytest.mark.parametrize(
    ("call", "rule"),
    [
        (lambda c: c.update_email(EMAIL), "contact_id or tax_id is required"),
        (lambda c: c.update_email(EMAIL, " ", ""), "contact_id or tax_id is required"),
        (lambda c: c.update_email(" ", "c-1"), "email must not be empty"),
        (lambda c: c.delete(), "contact_id or tax_id is required"),
        (lambda c: c.delete("", " "), "contact_id or tax_id is required"),
        (lambda c: create_contact(c, "", CPF, ""), "name must not be empty; email must not be empty"),
        (lambda c: c.delete_account(" "), "account_id must not be empty"),
        (lambda c: c.mark_favorite(""), "account_id must not be empty"),
    ],
)
def test_a_broken_rule_is_told_before_anything_is_sent(talk, call, rule):
    api, service = talk(httpx.Response(200, json={}))
    with pytest.raises(RuleBroken, match=rule) as caught:
        call(api.contacts)
    assert isinstance(caught.value, RepasseError)
    assert isinstance(caught.value, ValueError)
    assert caught.value.exit_code is ExitCode.USAGE
    assert service.asked == []
    assert CPF not in str(caught.value)


def test_a_blank_name_for_a_contact_is_left_out(talk):
    api, service = talk(httpx.Response(200, json={}))
    api.contacts.delete(" ", CPF)
    assert json.loads(service.asked[0].content) == {"tax_id": CPF}


def test_a_body_that_cannot_be_written_is_told_without_what_stood_in_it():
    with pytest.raises(ValueError, match="tax_id") as caught:
        ContactCreate(name="Ana", tax_id=[CPF], email=EMAIL)
    assert CPF not in str(caught.value)


def test_over_a_socket_a_reset_connection_leaves_it_open_and_a_closed_port_does_not(serve, open_api):
    def hang_up(server: RawServer, conn):
        server.read_request(conn)
        reset(conn)

    server = serve(hang_up)
    api = open_api(server.url)
    with pytest.raises(Unanswered):
        create_contact(api.contacts, "Ana", CPF, EMAIL)
    assert len(server.requests) == 1
    server.close()
    with pytest.raises(NotSent, match="could not be reached"):
        create_contact(api.contacts, "Ana", CPF, EMAIL)


def test_over_a_socket_every_change_has_a_connection_of_its_own_and_the_key_as_it_is(serve, open_api):
    server = serve(reply("200 OK", b"{}", "Connection: close"))
    api = open_api(server.url)
    api.contacts.delete("c-1")
    api.contacts.update_email(EMAIL, "c-1")
    assert server.connections == 2
    assert [r.split(b" ", 1)[0] for r in server.requests] == [b"DELETE", b"PUT"]
    assert all(b"HTTP/1.1\r\n" in r and b"\r\nauthorization: key-canary-5f1d\r\n" in r.lower() for r in server.requests)
