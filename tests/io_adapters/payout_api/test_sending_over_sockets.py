"""What one POST /split proves when the network or the service misbehaves; over real sockets."""

import signal
import socket
import threading

import pytest

from schemas.submission import Outcome
from tests.io_adapters.payout_api.raw_server import API_KEY, REPORT_JSON, RawServer, reply, reset

BODY = b'{"amount":30.10,"reportId":"rp-1"}'
OK = reply("200 OK", REPORT_JSON)
DOCUMENTED = b'{"detail":[{"loc":["body","payments",3,"taxId"],"msg":"12345678909 is wrong","type":"value_error"}]}'


LONGER_THAN_ANY_TEST_S = 3600


def send(api, body=BODY, deadline_s=1.0, was_in_doubt=False, before_connect=lambda: None):
    return api.create_report(
        body, report_id="rp-1", was_in_doubt=was_in_doubt, deadline_s=deadline_s, before_connect=before_connect
    )


def read_then(*chunks, pause_s=0.0, end=None):
    """Read the whole request, send the chunks, and end: None closes, otherwise what is called."""

    def behave(server: RawServer, conn: socket.socket) -> None:
        server.read_request(conn)
        for chunk in chunks:
            conn.sendall(chunk)
            if server.over.wait(pause_s):
                return
        if end is not None:
            end(server, conn)

    return behave


def _wait_for_exchanges_to_end():
    for thread in threading.enumerate():
        if thread.name == "split-api-exchange":
            thread.join(2)
            assert not thread.is_alive()


def hang(server: RawServer, conn: socket.socket) -> None:
    server.over.wait(30)


def test_a_report_is_sent_byte_for_byte_with_the_raw_key_and_accepted(serve, open_api):
    server = serve(OK)
    body = '{"z":1,"amount":30.10,  "reportId":"rp-1","name":"São"}'.encode()
    answer = send(open_api(server.url), body)
    assert (answer.outcome, answer.http_status, answer.report.id) == (Outcome.ACCEPTED, 200, "65f0")
    assert answer.body == REPORT_JSON
    head, _, sent = server.requests[0].partition(b"\r\n\r\n")
    lines = head.lower().split(b"\r\n")
    assert sent == body
    assert head.startswith(b"POST /external/split HTTP/1.1\r\n")
    assert f"authorization: {API_KEY}".encode() in lines
    assert b"content-type: application/json" in lines
    assert b"connection: close" in lines
    assert any(line.startswith(b"user-agent: repasse/") for line in lines)


def test_a_refused_connection_proves_that_nothing_was_sent(open_api):
    with socket.create_server(("127.0.0.1", 0)) as unused:
        port = unused.getsockname()[1]
    answer = send(open_api(f"http://127.0.0.1:{port}"))
    assert (answer.outcome, answer.http_status) == (Outcome.NOT_SENT, None)
    assert str(answer.reason).startswith("the service could not be reached: ")


def test_a_name_that_does_not_exist_proves_that_nothing_was_sent(open_api, monkeypatch):
    def unknown(*_args, **_kwargs):
        raise socket.gaierror(socket.EAI_NONAME, "Name or service not known")

    monkeypatch.setattr(socket, "getaddrinfo", unknown)
    assert send(open_api("http://pay.example")).outcome is Outcome.NOT_SENT


def test_a_name_found_after_the_deadline_is_sent_nothing_any_more(serve, open_api, monkeypatch):
    server, found = serve(OK), threading.Event()
    look_up = socket.getaddrinfo

    def slowly(*args, **kwargs):
        found.wait()  # until the answer is there: whoever waited for the name would wait for ever
        return look_up(*args, **kwargs)

    monkeypatch.setattr(socket, "getaddrinfo", slowly)
    answer = send(open_api(server.url), deadline_s=0.5)
    assert answer.outcome is Outcome.IN_DOUBT
    found.set()
    _wait_for_exchanges_to_end()
    server.wait_until_idle()
    assert (server.connections, server.requests) == (1, [])


def test_an_interrupt_ends_the_exchange_at_once_and_is_passed_on(serve, open_api):
    server = serve(read_then(end=hang))
    main = threading.main_thread().ident
    threading.Timer(0.3, signal.pthread_kill, (main, signal.SIGINT)).start()
    with pytest.raises(KeyboardInterrupt):
        send(open_api(server.url), deadline_s=LONGER_THAN_ANY_TEST_S)
    _wait_for_exchanges_to_end()
    assert server.connections == 1


def test_a_host_that_speaks_no_tls_proves_that_nothing_was_sent(serve, open_api):
    server = serve(lambda _server, conn: conn.sendall(b"what is this\r\n"))
    answer = send(open_api(server.url.replace("http:", "https:")))
    assert (answer.outcome, server.posts) == (Outcome.NOT_SENT, 0)


def test_a_host_that_never_finishes_tls_proves_that_nothing_was_sent(serve, open_api):
    server = serve(hang)
    answer = send(open_api(server.url.replace("http:", "https:")))
    assert (answer.outcome, str(answer.reason)) == (Outcome.NOT_SENT, "the service could not be reached")


def test_a_connection_closed_before_anything_is_read_is_in_doubt(serve, open_api):
    server = serve(lambda _server, _conn: None)
    assert send(open_api(server.url)).outcome is Outcome.IN_DOUBT


def test_a_reset_in_the_middle_of_the_body_is_in_doubt(serve, open_api):
    def behave(_server, conn):
        conn.recv(1000)
        reset(conn)

    server = serve(behave)
    answer = send(open_api(server.url), b" " * 3_000_000)
    assert answer.outcome is Outcome.IN_DOUBT
    assert server.connections == 1


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(read_then(), id="closed"),
        pytest.param(read_then(end=lambda _server, conn: reset(conn)), id="reset"),
        pytest.param(read_then(OK[:7]), id="cut in the status line"),
        pytest.param(read_then(OK[:40]), id="cut in the headers"),
        pytest.param(read_then(OK[:-5]), id="cut in the body"),
        pytest.param(read_then(b"HTTP/1.1 200 OK\r\n\r\n" + REPORT_JSON[:-1]), id="cut without a length"),
        pytest.param(read_then(b"\x00\xff garbage\r\n\r\n"), id="not HTTP"),
        pytest.param(read_then(reply("200 OK", REPORT_JSON, "Content-Encoding: gzip")), id="bad gzip"),
    ],
)
def test_after_the_whole_request_was_read_any_broken_answer_is_in_doubt(serve, open_api, behave):
    server = serve(behave)
    assert send(open_api(server.url)).outcome is Outcome.IN_DOUBT
    assert (server.connections, server.posts) == (1, 1)


def test_what_was_read_of_a_cut_answer_is_kept(serve, open_api):
    answer = send(open_api(serve(read_then(OK[:-5])).url))
    assert (answer.http_status, answer.body) == (200, REPORT_JSON[:-5])
    assert str(answer.reason) == "HTTP 200, then the connection broke before the whole answer was there"


@pytest.mark.parametrize(
    "behave",
    [
        pytest.param(hang, id="reads nothing"),
        pytest.param(read_then(end=hang), id="never answers"),
        pytest.param(read_then(b"HTTP/1.1 200 OK\r\n", end=hang), id="stops in the headers"),
        pytest.param(read_then(*(bytes([b]) for b in OK), pause_s=0.1), id="drips"),
        pytest.param(read_then(OK[:-20], *(bytes([b]) for b in OK[-20:]), pause_s=0.4), id="drips the body"),
        pytest.param(read_then(*([b"HTTP/1.1 102 Processing\r\n\r\n"] * 100), pause_s=0.1), id="is always processing"),
    ],
)
def test_no_answer_outlives_the_deadline(serve, open_api, behave):
    server = serve(behave)
    api = open_api(server.url, timeout_s=LONGER_THAN_ANY_TEST_S)
    answer = send(api, b" " * 20_000_000, deadline_s=1.0)
    assert answer.outcome is Outcome.IN_DOUBT
    assert str(answer.reason).endswith("no answer came in time")
    assert server.connections == 1


def test_an_answer_that_took_its_time_within_the_deadline_is_accepted(serve, open_api):
    server = serve(read_then(OK[:10], OK[10:60], OK[60:], pause_s=0.3))
    assert send(open_api(server.url), deadline_s=5).outcome is Outcome.ACCEPTED


def test_the_exchange_leaves_no_thread_and_no_connection_behind(serve, open_api):
    server = serve(read_then(end=hang))
    send(open_api(server.url), deadline_s=0.3)
    _wait_for_exchanges_to_end()


@pytest.mark.parametrize("status", ["301 M", "302 F", "303 S", "307 T", "308 P"])
def test_a_redirect_is_not_followed_and_is_in_doubt(serve, open_api, status):
    elsewhere = serve(OK)
    server = serve(reply(status, b"", f"Location: {elsewhere.url}/split"))
    answer = send(open_api(server.url))
    assert answer.outcome is Outcome.IN_DOUBT
    assert (server.posts, elsewhere.connections) == (1, 0)
    assert "127.0.0.1" in str(answer.reason)


@pytest.mark.parametrize("status", [400, 401, 403, 404, 405, 408, 409, 413, 415, 418, 425, 429, 500, 502, 503, 504])
def test_every_undocumented_refusal_is_in_doubt_and_sent_once(serve, open_api, status):
    server = serve(reply(f"{status} X", b"<html>12345678909</html>", "Retry-After: 0"))
    answer = send(open_api(server.url))
    assert (answer.outcome, answer.http_status) == (Outcome.IN_DOUBT, status)
    assert "12345678909" not in str(answer.reason) + repr(answer)
    assert (server.connections, server.posts) == (1, 1)


def test_a_documented_422_is_a_refusal_that_names_the_places(serve, open_api):
    answer = send(open_api(serve(reply("422 X", DOCUMENTED)).url))
    assert answer.outcome is Outcome.REFUSED
    assert [(e.loc, e.type) for e in answer.validation_errors] == [(("body", "payments", 3, "taxId"), "value_error")]
    assert "12345678909" not in str(answer.reason) + repr(answer)


def test_each_report_has_a_connection_of_its_own(serve, open_api):
    server = serve(OK)
    api = open_api(server.url)
    assert [send(api).outcome for _ in range(3)] == [Outcome.ACCEPTED] * 3
    assert server.connections == 3


def test_a_report_does_not_ride_on_a_connection_left_open_by_a_listing(serve, open_api):
    def keep_alive(server, conn):
        while server.read_request(conn):
            conn.sendall(reply("200 OK", b"[]") if server.requests[-1].startswith(b"GET ") else OK)

    server = serve(keep_alive)
    api = open_api(server.url)
    api.list_reports()
    assert server.connections == 1
    assert send(api).outcome is Outcome.ACCEPTED
    assert server.connections == 2


def test_the_last_look_before_connecting_can_still_stop_the_sending(serve, open_api):
    server = serve(OK)

    def changed_my_mind():
        raise LookupError("the row is no longer ours")

    with pytest.raises(LookupError):
        send(open_api(server.url), before_connect=changed_my_mind)
    assert server.connections == 0


def test_proxies_of_the_environment_are_not_used(serve, open_api, monkeypatch):
    proxy, server = serve(OK), serve(OK)
    for name in ("http_proxy", "https_proxy", "all_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        monkeypatch.setenv(name, f"http://127.0.0.1:{proxy.port}")
    for name in ("no_proxy", "NO_PROXY"):
        monkeypatch.delenv(name, raising=False)
    assert send(open_api(server.url)).outcome is Outcome.ACCEPTED
    assert proxy.connections == 0


def test_netrc_does_not_replace_the_key(serve, open_api, monkeypatch, tmp_path):
    netrc = tmp_path / "netrc"
    netrc.write_text("machine 127.0.0.1 login someone password else\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("NETRC", str(netrc))
    server = serve(OK)
    send(open_api(server.url))
    assert f"authorization: {API_KEY}\r\n".encode() in server.requests[0].lower()


def test_an_answer_without_end_is_cut_and_in_doubt(serve, open_api):
    def flood(server, conn):
        server.read_request(conn)
        conn.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not server.over.is_set():
            conn.sendall(b" " * 1_000_000)

    answer = send(open_api(serve(flood).url), deadline_s=20)
    assert (answer.outcome, str(answer.reason)) == (Outcome.IN_DOUBT, "HTTP 200, then the answer is too long")
    assert len(answer.body) <= 4_000_000
