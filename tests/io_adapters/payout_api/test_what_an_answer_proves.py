"""What an answer to POST /split proves, case by case."""

import inspect
import json
import re

import httpx
import pytest

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.connection import IN_DOUBT, NOT_SENT, DeadlinePassed, ReplyTooLarge, fault_of
from io_adapters.payout_api.outcome import classify_exception, classify_response
from schemas.errors import ConfigurationError
from schemas.messages import render
from schemas.submission import Outcome

SENT = b'{"amount":30.10,"currency":"BRL","paymentBatchName":"Outubro rp-1","reportId":"rp-1","taxId":"11222333000181"}'


def judge(status, body, *, was_in_doubt=False, sent=SENT, headers=None, **more):
    data = body if isinstance(body, bytes) else json.dumps(body).encode()
    return classify_response(
        status, headers or {}, data, report_id="rp-1", was_in_doubt=was_in_doubt, sent=sent, **more
    )


def refusal(loc, msg="field required", kind="missing", **more):
    return {"detail": [{"loc": loc, "msg": msg, "type": kind, **more}]}


def test_every_exception_of_httpx_has_been_thought_about():
    exceptions = {value for value in vars(httpx).values() if inspect.isclass(value) and issubclass(value, Exception)}
    assert len(exceptions) >= 28
    assert exceptions <= NOT_SENT | IN_DOUBT
    assert not NOT_SENT & IN_DOUBT


def test_exactly_five_exceptions_prove_that_nothing_was_sent():
    proving = {e for e in NOT_SENT | IN_DOUBT if classify_exception(e.__new__(e)).outcome is Outcome.NOT_SENT}
    assert {e.__name__ for e in proving} == {
        "ConnectError", "ConnectTimeout", "PoolTimeout", "InvalidURL", "UnsupportedProtocol",
    }  # fmt: skip


class _LaterKindOfConnectError(httpx.ConnectError):
    pass


@pytest.mark.parametrize(
    "exc", [_LaterKindOfConnectError("x"), ValueError(), OSError(), DeadlinePassed(), KeyboardInterrupt()]
)
def test_an_exception_nobody_thought_about_is_in_doubt(exc):
    assert classify_exception(exc).outcome is Outcome.IN_DOUBT


def test_a_connect_error_after_a_status_line_is_in_doubt():
    assert classify_exception(httpx.ConnectError("x"), status=200).outcome is Outcome.IN_DOUBT


def test_the_text_of_later_exceptions_is_not_repeated():
    assert "12345678909" not in str(classify_exception(httpx.RemoteProtocolError("12345678909")).reason)


@pytest.mark.parametrize("status", [200, 201, 202, 299])
@pytest.mark.parametrize("report_id", ["rp-1", None])
def test_a_report_with_an_id_and_our_report_id_or_none_is_accepted(status, report_id):
    answer = judge(status, {"_id": "a", "reportId": report_id, "new": {"field": 1.5}})
    assert (answer.outcome, answer.mismatches, answer.report.id) == (Outcome.ACCEPTED, (), "a")


def test_a_key_given_twice_does_not_make_an_answer_unreadable():
    assert judge(200, b'{"_id":"a","status":"X","status":"PENDING"}').outcome is Outcome.ACCEPTED


@pytest.mark.parametrize(
    "body",
    [
        b"",
        b"null",
        b"[]",
        b'[{"_id":"a"}]',
        b'"a"',
        b"<html>",
        b"{}",
        b'{"_id":""}',
        b'{"_id":" "}',
        b'{"_id":null}',
        b'{"_id":1}',
        b'{"_id":{"$oid":"a"}}',
        b'{"id":"a"}',
        b'{"_id":"a"',
        b'{"_id":"a"}}',
        b'\xff{"_id":"a"}',
        b"[" * 100_000,
        b'{"_id":"a\\u0000"}',
        b'{"_id":"a","x":' + b"9" * 5000 + b"}",
    ],
    ids=lambda body: body[:20].decode(errors="replace"),
)
def test_success_without_a_readable_report_is_in_doubt(body):
    answer = judge(200, body)
    assert (answer.outcome, answer.report) == (Outcome.IN_DOUBT, None)
    assert answer.body == body


def test_an_echo_in_capitals_is_the_same_name():
    assert judge(200, {"_id": "a", "reportId": "RP-1"}).outcome is Outcome.ACCEPTED


@pytest.mark.parametrize("other", ["rp-2", "", "RP-11", 7, ["rp-1"], False])
def test_a_report_under_another_name_is_in_doubt_and_a_mismatch(other):
    answer = judge(200, {"_id": "a", "reportId": other})
    assert (answer.outcome, answer.mismatches) == (Outcome.IN_DOUBT, ("reportId",))
    assert answer.report is None


@pytest.mark.parametrize(
    ("change", "mismatches"),
    [
        ({"totalAmount": 30.11}, ("amount",)),
        ({"totalAmount": 30.1, "currency": "USD"}, ("currency",)),
        ({"taxId": "11222333000182"}, ("taxId",)),
        ({"paymentBatchName": "Setembro"}, ("paymentBatchName",)),
        ({"totalAmount": 0, "taxId": "x"}, ("amount", "taxId")),
        ({"totalAmount": 30.1, "taxId": "11.222.333/0001-81", "currency": "BRL"}, ()),
        ({"totalAmount": None, "currency": None}, ()),
    ],
)
def test_other_differences_are_told_but_the_report_is_there(change, mismatches):
    answer = judge(200, {"_id": "a", "reportId": "rp-1"} | change)
    assert (answer.outcome, answer.mismatches) == (Outcome.ACCEPTED, mismatches)


def test_a_body_sent_that_is_no_json_does_not_break_the_judgement():
    assert judge(200, {"_id": "a"}, sent=b"\xff").outcome is Outcome.ACCEPTED


def test_a_status_that_was_configured_out_does_not_accept():
    assert judge(202, {"_id": "a"}, assumed=Assumptions(create_statuses={200})).outcome is Outcome.IN_DOUBT
    wrong = Assumptions.model_construct(create_statuses={500})
    assert judge(500, {"_id": "a"}, assumed=wrong).outcome is Outcome.IN_DOUBT


@pytest.mark.parametrize("status", [401, 403, 405, 422, 429, 503])
def test_a_status_refuses_where_the_provider_says_so_and_nowhere_else(status):
    said = Assumptions.from_environment({"REPASSE_ASSUME_REFUSING_STATUSES": f"413, {status}"})
    answer = judge(status, b"<html>no</html>", assumed=said)
    assert (answer.outcome, answer.validation_errors) == (Outcome.REFUSED, ())
    assert judge(status, b"<html>no</html>").outcome is Outcome.IN_DOUBT
    assert judge(status, b"<html>no</html>", assumed=said, was_in_doubt=True).outcome is Outcome.IN_DOUBT
    assert judge(404, b"", assumed=said).outcome is Outcome.IN_DOUBT


@pytest.mark.parametrize("body", [b'{"error": "Report ID exists"}', b"duplicate report_id", b"RP-1 is there already"])
def test_a_refusing_status_that_speaks_of_the_report_s_id_refuses_nothing(body):
    said = Assumptions(refusing_statuses={409})
    assert judge(409, body, assumed=said).outcome is Outcome.IN_DOUBT


@pytest.mark.parametrize("statuses", ["200", "302", "600", "refused"])
def test_what_is_no_status_of_a_failure_never_refuses(statuses):
    with pytest.raises(ConfigurationError, match="REFUSING_STATUSES"):
        Assumptions.from_environment({"REPASSE_ASSUME_REFUSING_STATUSES": statuses})


def test_a_documented_refusal_is_a_refusal():
    answer = judge(422, refusal(["body", "payments", 0, "bankAccount", "pixKey"], input="12345678909", ctx={}))
    assert answer.outcome is Outcome.REFUSED
    assert answer.validation_errors[0].place == "body.payments.0.bankAccount.pixKey"


def test_a_refusal_of_bytes_that_were_in_doubt_is_in_doubt():
    answer = judge(422, refusal(["body", "amount"]), was_in_doubt=True)
    assert answer.outcome is Outcome.IN_DOUBT
    assert answer.validation_errors


@pytest.mark.parametrize(
    "body",
    [
        refusal(["body", "reportId"]),
        refusal(["body", "report_id"]),
        refusal(["body"], msg="Value error, reportId already exists"),
        refusal(["body"], msg="duplicate report id"),
        refusal(["body"], msg="RP-1 already exists"),
        refusal(["body"], kind="report_id_taken"),
        {"detail": [*refusal(["body", "amount"])["detail"], *refusal(["body", "reportId"])["detail"]]},
    ],
)
def test_a_refusal_that_speaks_of_the_report_id_is_in_doubt(body):
    assert judge(422, body).outcome is Outcome.IN_DOUBT


def test_a_refusal_that_repeats_the_request_is_still_a_refusal():
    assert judge(422, refusal(["body"], input={"reportId": "rp-1"})).outcome is Outcome.REFUSED


@pytest.mark.parametrize(
    "body",
    [
        {"detail": "taxId is wrong"},
        {"detail": []},
        {"detail": {}},
        {"detail": ["x"]},
        {"detail": [{"loc": ["body"], "msg": "x"}]},
        {"detail": [{"loc": "body", "msg": "x", "type": "y"}]},
        {"detail": [{"loc": [True], "msg": "x", "type": "y"}]},
        {"detail": [{"loc": [1.5], "msg": "x", "type": "y"}]},
        {"detail": [{"loc": [], "msg": None, "type": "y"}]},
        [],
        {},
        b"<html>",
        b"",
    ],
)
def test_a_422_that_is_not_the_documented_one_is_in_doubt(body):
    assert judge(422, body).outcome is Outcome.IN_DOUBT


@pytest.mark.parametrize("body", [{"_id": "a", "reportId": "rp-1"}, refusal(["body", "amount"])])
def test_no_other_status_proves_anything_whatever_its_body(body):
    others = [status for status in range(100, 1000) if not 200 <= status < 300 and status != 422]
    assert {judge(status, body).outcome for status in others} == {Outcome.IN_DOUBT}


def test_nothing_a_body_says_is_in_the_reason_or_the_repr():
    document = "12345678909"
    for answer in (
        judge(422, refusal(["body", document], msg=document, kind=document)),
        judge(200, {"_id": document, "reportId": document}),
        judge(302, b"", headers={"location": f"https://{document}@host.example/{document}?{document}"}),
        judge(500, document.encode()),
    ):
        assert document not in str(answer.reason)
        assert document not in repr(answer)


# What httpx raises while a request is on its way, and what ends one here.
ON_THE_WAY = (
    *(httpx.ReadError, httpx.ReadTimeout, httpx.WriteError, httpx.WriteTimeout, httpx.CloseError),
    *(httpx.RemoteProtocolError, httpx.LocalProtocolError, httpx.ProxyError, DeadlinePassed, ReplyTooLarge),
)


@pytest.mark.parametrize("kind", [*sorted(NOT_SENT, key=str), *ON_THE_WAY])
def test_what_broke_a_request_is_told_in_words_and_never_by_the_name_of_an_exception(kind):
    assert kind in NOT_SENT | IN_DOUBT
    told = fault_of(kind.__new__(kind))
    for language in ("en", "pt-BR"):
        assert not re.search(r"Error|Timeout|Passed|URL|Protocol|Large", render(told, language))
