"""Listing, fetching, checking accounts and setting rates: what the client asks and how it takes the answers."""

import email.utils
import json
import threading
import time
from collections import Counter
from decimal import Decimal

import httpx
import pytest
from pydantic import SecretStr

from io_adapters.payout_api.assumptions import Assumptions
from io_adapters.payout_api.client import SplitApi
from io_adapters.payout_api.errors import NotThere
from schemas.errors import ConfigurationError, NotSent
from schemas.plan import ExchangeTerms
from schemas.submission import Outcome
from schemas.wire import AccountValidation, SplitReport, parse_json
from tests.io_adapters.payout_api.raw_server import API_KEY, reply

STATUSES = ["PENDING", "DONE", "ERROR", "EXCLUDED", "PROCESSING", "CLOSED"]
PIX = AccountValidation(pixKey="ana@example.com", pixKeyType="email", taxId="12345678909")
RATE = ExchangeTerms("USD", Decimal("5.43120"), "EX-1", show_exchange_data=True)


def listing(*reports):
    return httpx.Response(200, content=json.dumps(reports))


def test_amounts_of_reports_are_exact_decimals(talk):
    api, _ = talk(httpx.Response(200, content=b'[{"_id":"a","totalAmount":0.1,"paidAmount":1e2,"fee":7,"x":0.30}]'))
    (report,) = api.list_reports()
    assert (
        repr((report.totalAmount, report.paidAmount, report.fee)) == "(Decimal('0.1'), Decimal('1E+2'), Decimal('7'))"
    )
    assert repr(report.model_extra) == "{'x': Decimal('0.30')}"


def test_a_field_of_an_unexpected_type_reads_as_none_and_is_kept():
    raw = {"_id": "a", "totalAmount": 10.5, "donePayments": "3", "feePaid": 1, "status": ["DONE"], "taxId": None}
    report = SplitReport.model_validate(raw | {"pendingPayments": Decimal("2.5"), "paidAmount": Decimal("1e999")})
    assert (report.totalAmount, report.donePayments, report.feePaid, report.status) == (None, None, None, None)
    assert set(report.unreadable) == {
        "totalAmount", "donePayments", "feePaid", "status", "pendingPayments", "paidAmount",
    }  # fmt: skip
    assert report.unreadable["status"] == ["DONE"]


def test_what_a_service_said_can_be_written_down_and_read_back():
    said = b'{"_id":"a","fee":1e2,"totalAmount":0.10,"x":[1.5,"\\ud800"],"status":7,"irAmount":1e999999}'
    report = SplitReport.model_validate(parse_json(said))
    again = SplitReport.model_validate(parse_json(report.document()))
    assert (again.id, again.fee, again.totalAmount, again.status) == ("a", 100, Decimal("0.10"), None)
    assert again.unreadable == {"status": 7, "irAmount": "1E+999999"}
    assert again.document() == report.document()


def test_one_status_can_be_asked_for(talk):
    api, service = talk(listing())
    assert api.list_reports("DONE") == ()
    assert str(service.asked[0].url) == "https://pay.example/external/split?status=DONE"


def test_all_reports_are_those_of_every_way_of_asking_each_once_as_read_last(talk):
    def answer(request):
        status = request.url.params.get("status")
        return listing(
            *([{"_id": "a", "status": "PENDING"}] if status is None else []),
            *([{"_id": "a", "status": "DONE"}, {"_id": "b"}] if status == "DONE" else []),
        )

    api, service = talk(answer)
    assert [(r.id, r.status) for r in api.list_all_reports()] == [("a", "DONE"), ("b", None)]
    assert Counter(r.url.params.get("status") for r in service.asked) == Counter([None, *STATUSES])


def test_the_lists_of_all_reports_are_asked_for_at_the_same_time(talk):
    all_are_asked = threading.Barrier(1 + len(STATUSES), timeout=60)

    def answer(_request):
        all_are_asked.wait()
        return listing()

    api, _ = talk(answer, timeout_s=60)
    assert api.list_all_reports() == ()


def test_two_reports_without_an_id_stay_two(talk):
    api, _ = talk(listing({"reportId": "rp-1"}, {"reportId": "rp-1"}))
    assert len(api.list_all_reports()) == 2


@pytest.mark.parametrize("failing", STATUSES)
def test_one_failed_listing_makes_all_of_them_no_information(talk, failing):
    api, _ = talk(lambda request: httpx.Response(500 if request.url.params.get("status") == failing else 200, json=[]))
    with pytest.raises(NotSent, match="HTTP 500"):
        api.list_all_reports()


@pytest.mark.parametrize("body", [b"{}", b"null", b"[1]", b'[{"_id":"a"},null]', b'[{"_id":"a"}', b"<html>", b""])
def test_a_listing_that_is_not_one_is_no_information(talk, body):
    with pytest.raises(NotSent):
        talk(httpx.Response(200, content=body))[0].list_reports()


@pytest.mark.parametrize("status", [408, 425, 429, 500, 502, 503, 504])
def test_a_question_is_asked_again_when_the_service_is_busy(talk, status):
    api, service = talk(httpx.Response(status), httpx.Response(status), listing({"_id": "a"}))
    assert [report.id for report in api.list_reports()] == ["a"]
    assert len(service.asked) == 3


def test_a_question_is_asked_three_times_at_most(talk):
    api, service = talk(httpx.Response(503))
    with pytest.raises(NotSent, match="HTTP 503"):
        api.list_reports()
    assert len(service.asked) == 3


def test_retry_after_is_honoured_up_to_half_a_minute(talk):
    pauses = []
    later = email.utils.formatdate(time.time() + 11, usegmt=True)
    busy = [httpx.Response(429, headers={"Retry-After": asked}) for asked in ("7", "86400", later, "soon")]
    for first in range(0, 4, 2):
        api, _ = talk(*busy[first : first + 2], listing(), pause=pauses.append, timeout_s=60)
        api.list_reports()
    assert pauses[:2] == pytest.approx([7.0, 30.0], abs=0.5)
    assert 8 < pauses[2] <= 11
    assert 0 < pauses[3] < 2


@pytest.mark.parametrize("asked", ["Mon, 01 Jan 99999999999 00:00:00 GMT", "9" * 400, "-5", "Mon, 99 Foo", "²", ""])
def test_a_retry_after_that_makes_no_sense_harms_nothing(talk, asked):
    busy = httpx.Response(429, headers=[(b"Retry-After", asked.encode())])
    api, service = talk(busy, listing(), pause=lambda _seconds: None, timeout_s=60)
    assert api.list_reports() == ()
    assert len(service.asked) == 2


def test_a_pause_longer_than_the_time_left_ends_the_asking(talk):
    pauses = []
    api, service = talk(httpx.Response(429, headers={"Retry-After": "29"}), pause=pauses.append)
    with pytest.raises(NotSent):
        api.list_reports()
    assert (pauses, len(service.asked)) == ([], 1)


@pytest.mark.parametrize("status", [401, 403])
def test_a_refused_key_is_said_once_and_never_printed(talk, status):
    api, service = talk(httpx.Response(status, text=API_KEY))
    with pytest.raises(NotSent, match="refused the API key") as caught:
        api.list_reports()
    assert API_KEY not in str(caught.getrepr(showlocals=False))
    assert len(service.asked) == 1


@pytest.mark.parametrize("status", [301, 307, 400, 405, 410])
def test_any_other_refusal_is_not_asked_again(talk, status):
    api, service = talk(httpx.Response(status, headers={"Location": "https://elsewhere.example/"}))
    with pytest.raises(NotSent, match=f"HTTP {status}"):
        api.list_reports()
    assert len(service.asked) == 1


def test_a_dripping_listing_ends(serve, open_api):
    def drip(server, conn):
        server.read_request(conn)
        conn.sendall(b"HTTP/1.1 200 OK\r\n\r\n[")
        while not server.over.wait(0.02):
            conn.sendall(b" ")

    with pytest.raises(NotSent, match="no answer came in time"):
        open_api(serve(drip).url, timeout_s=0.1).list_reports()


def test_a_cut_listing_is_asked_for_again(serve, open_api):
    def cut_at_first(server, conn):
        server.read_request(conn)
        whole = reply("200 OK", b'[{"_id":"a"}]', "Connection: close")
        conn.sendall(whole if len(server.requests) > 1 else whole[:-3])

    assert [r.id for r in open_api(serve(cut_at_first).url).list_reports()] == ["a"]


def test_a_report_is_fetched_by_its_id_and_no_other_is_taken_for_it(talk):
    api, service = talk(httpx.Response(200, json={"_id": "a/b"}), httpx.Response(200, json={"_id": "other"}))
    assert api.get_report("a/b").id == "a/b"
    assert service.asked[0].url.raw_path == b"/external/split/a%2Fb/get"
    with pytest.raises(NotSent, match="another report"):
        api.get_report("a/b")


def test_a_missing_report_is_told_apart_from_no_answer(talk):
    api, _ = talk(httpx.Response(404))
    assert api.find_report("a") is None
    with pytest.raises(NotThere):
        api.get_report("a")
    with pytest.raises(NotSent, match="HTTP 503"):
        talk(httpx.Response(503))[0].find_report("a")


@pytest.mark.parametrize("split_id", ["", ".", "..", " "])
def test_an_id_that_would_name_another_path_is_not_asked_for(talk, split_id):
    api, service = talk(httpx.Response(200, json={}))
    with pytest.raises(ValueError, match="no report"):
        api.get_report(split_id)
    assert service.asked == []


@pytest.mark.parametrize(("valid", "message"), [(True, "ok"), (False, "conta\u202e inexistente\n")])
def test_an_account_check_gives_the_verdict(talk, valid, message):
    api, service = talk(httpx.Response(200, json={"valid": valid, "message": message}))
    answer = api.validate_account(PIX)
    assert (answer.valid, answer.message, answer.sent) == (valid, " ".join(message.replace("\u202e", "").split()), True)
    assert json.loads(service.asked[0].content) == {
        "pixKey": "ana@example.com", "pixKeyType": "email", "taxId": "12345678909", "validateOwnership": True,
    }  # fmt: skip
    assert service.asked[0].url.path == "/external/validate/account"


@pytest.mark.parametrize(
    "answer",
    [httpx.Response(s) for s in (200, 204, 302, 400, 401, 429, 500)]
    + [httpx.Response(200, json=body) for body in ([], {}, {"valid": None}, {"valid": "true"}, {"valid": 1})]
    + [httpx.Response(422, json={"detail": "x"})],
)
def test_an_account_check_without_a_verdict_counts_as_spent_and_is_not_repeated(talk, answer):
    api, service = talk(answer)
    checked = api.validate_account(PIX)
    assert (checked.valid, checked.sent, len(service.asked)) == (None, True, 1)


@pytest.mark.parametrize(("error", "sent"), [(httpx.ConnectTimeout, False), (httpx.ReadTimeout, True)])
def test_an_account_check_that_never_left_is_not_counted(talk, error, sent):
    def fail(_request):
        raise error("x")

    api, service = talk(fail)
    assert (api.validate_account(PIX).sent, len(service.asked)) == (sent, 1)


def test_an_account_check_refused_as_documented_names_the_fields_and_costs_nothing(talk):
    detail = [{"loc": ["body", "pixKey"], "msg": "ana@example.com is wrong", "type": "value_error"}]
    checked = talk(httpx.Response(422, json={"detail": detail}))[0].validate_account(PIX)
    assert (checked.valid, checked.sent) == (None, False)
    assert "body.pixKey" in checked.message
    assert "ana@" not in checked.message


@pytest.mark.parametrize(
    ("request_", "missing"),
    [
        (AccountValidation(taxId="1"), "pixKey or account"),
        (AccountValidation(pixKey="x", taxId="1"), "pixKeyType"),
        (AccountValidation(pixKey="x", pixKeyType="email"), "taxId"),
        *(
            (
                AccountValidation(
                    **{
                        "account": "1", "agency": "1", "pspId": "1", "accountType": "checking_account",
                        "name": "A", "bankCode": "1", "taxId": "1",
                    }
                    | {field: None}
                ),
                field,
            )
            for field in ("agency", "pspId", "accountType", "name", "bankCode")
        ),
    ],
)  # fmt: skip
def test_an_account_check_that_breaks_a_documented_rule_is_never_paid_for(talk, request_, missing):
    api, service = talk(httpx.Response(200, json={"valid": True}))
    with pytest.raises(ValueError, match=missing):
        api.validate_account(request_)
    assert service.asked == []


def set_rate(api, *, was_in_doubt=False, before_connect=lambda: None):
    return api.update_exchange_rate(
        "a", RATE.body, was_in_doubt=was_in_doubt, deadline_s=5, before_connect=before_connect
    )


def test_an_exchange_rate_is_sent_digit_for_digit(talk):
    api, service = talk(httpx.Response(200, json={"_id": "a"}))
    assert set_rate(api).outcome is Outcome.ACCEPTED
    assert service.asked[0].content == b'{"currency":"USD","orderId":"EX-1","rate":5.4312,"showExchangeData":true}'
    assert service.asked[0].url.path == "/external/split/a/update_exchange_rate"


@pytest.mark.parametrize("answer", [{"json": {"_id": "a"}}, {"json": {}}, {"content": b""}, {"status_code": 204}])
def test_any_success_that_is_not_about_another_report_says_that_the_rate_is_set(talk, answer):
    api, _ = talk(httpx.Response(**{"status_code": 200} | answer))
    assert set_rate(api).outcome is Outcome.ACCEPTED


REFUSAL = {"detail": [{"loc": ["body", "rate"], "msg": "", "type": "x"}]}


@pytest.mark.parametrize(
    ("answer", "outcome"),
    [
        (httpx.Response(200, json={"_id": "b"}), Outcome.IN_DOUBT),
        (httpx.Response(200, json=[]), Outcome.IN_DOUBT),
        (httpx.Response(200, content=b"null"), Outcome.IN_DOUBT),
        (httpx.Response(200, content=b'{"_id": "a'), Outcome.IN_DOUBT),
        (httpx.Response(302), Outcome.IN_DOUBT),
        (httpx.Response(404), Outcome.IN_DOUBT),
        (httpx.Response(503), Outcome.IN_DOUBT),
        (httpx.Response(422, json=REFUSAL), Outcome.REFUSED),
        (httpx.Response(422, json={"detail": "rate"}), Outcome.IN_DOUBT),
    ],
)
def test_an_exchange_rate_not_proven_set_is_not_called_set(talk, answer, outcome):
    api, service = talk(answer)
    assert set_rate(api).outcome is outcome
    assert len(service.asked) == 1


def test_a_refused_copy_of_an_exchange_rate_that_was_in_doubt_proves_nothing_of_the_first(talk):
    api, _ = talk(httpx.Response(422, json=REFUSAL))
    assert set_rate(api, was_in_doubt=True).outcome is Outcome.IN_DOUBT


def test_an_exchange_rate_whose_last_look_fails_is_not_sent(talk):
    def late():
        raise NotSent("late")

    api, service = talk(httpx.Response(200, json={"_id": "a"}))
    with pytest.raises(NotSent, match="late"):
        set_rate(api, before_connect=late)
    assert service.asked == []


def test_an_interrupt_is_never_taken_for_an_answer(talk):
    def interrupt(_request):
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        talk(interrupt)[0].create_report(
            b"{}", report_id="rp-1", was_in_doubt=False, deadline_s=1, before_connect=lambda: None
        )


@pytest.mark.parametrize(
    "url",
    [
        "",
        "pay.example",
        "ftp://pay.example",
        "https://",
        "https://u:p@pay.example",
        "https://pay.example?x=1",
        "https://pay.example/#a",
        "https://[::1",
        "file:///etc/passwd",
    ],
)
def test_an_address_that_cannot_be_meant_is_refused_before_anything_is_sent(open_api, url):
    with pytest.raises(ConfigurationError, match="REPASSE_API_URL") as caught:
        open_api(url)
    assert "u:p" not in str(caught.value)


def test_the_key_is_in_no_text_about_the_client(talk):
    api, _ = talk(httpx.Response(500))
    assert API_KEY not in repr(api) + repr(vars(api)) + repr(vars(api._connections))
    with pytest.raises(NotSent) as caught:
        api.list_reports()
    assert API_KEY not in str(caught.getrepr(showlocals=True))


@pytest.mark.parametrize("key", ["", " ", "two words", "line\nbreak", "chave-é"])
def test_a_key_that_cannot_be_a_header_is_refused_without_printing_it(key):
    with pytest.raises(ConfigurationError, match="REPASSE_API_KEY") as caught:
        SplitApi("https://pay.example", SecretStr(key), timeout_s=1, assumptions=Assumptions())
    assert not key.strip() or key not in str(caught.value)
