"""Many account checks at a time: each is asked once, over connections used again; late ones are broken off."""

import socket
import threading
import time

import httpx
import pytest

from io_adapters.payout_api.account_checks import check_body
from schemas.wire import AccountValidation
from tests.io_adapters.payout_api.raw_server import reply

PIX = AccountValidation(pixKey="ana@example.com", pixKeyType="email", taxId="12345678909")
VALID = b'{"valid":true,"message":"ok"}'


class Connections:
    """Answers every request on as many connections as are opened; counts both."""

    def __init__(self, answer, *, requests_each=None):
        self.opened, self.requests = 0, 0
        self._answer, self._each = answer, requests_each
        self._lock = threading.Lock()

    def __call__(self, server, conn):
        with self._lock:
            self.opened += 1
        left = self._each
        while (left is None or left > 0) and server.read_request(conn):
            with self._lock:
                self.requests += 1
                number = self.requests
            left = None if left is None else left - 1
            if not self._answer(conn, number):
                return


def says(data):
    def answer(conn, _number):
        conn.sendall(data)
        return True

    return answer


def ask(api, count, at_a_time=4, give_up_after=5):
    """Ask about so many accounts; returns the answers by name."""
    answers = {}
    with api.account_calls(at_a_time=at_a_time, give_up_after=give_up_after) as calls:
        calls.begin((str(number), check_body(PIX)) for number in range(count))
        while len(answers) < count:
            answers |= dict(calls.answers())
    return answers


def test_lines_use_their_connections_again(serve, open_api):
    service = Connections(says(reply(200, VALID)))
    answers = ask(open_api(serve(service).url), 40)
    assert all(answer.valid for answer in answers.values())
    assert service.requests == 40
    assert service.opened <= 4


def test_a_connection_that_the_service_closes_meanwhile_proves_nothing_and_nothing_is_asked_again(serve, open_api):
    def cut(conn, number):
        if number % 2:
            conn.sendall(reply(200, VALID))
            return True
        conn.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, b"\x01\x00\x00\x00\x00\x00\x00\x00")
        return False

    service = Connections(cut)
    answers = ask(open_api(serve(service).url), 10, at_a_time=1, give_up_after=99)
    assert service.requests == 10
    assert [answers[str(number)].valid for number in range(10)] == [True, None] * 5
    assert all(answer.sent for answer in answers.values())


def test_a_reply_that_drips_is_broken_off_at_the_deadline(serve, open_api):
    def drip(conn, _number):
        for byte in reply(200, VALID):
            conn.sendall(bytes([byte]))
            time.sleep(0.1)
        return False

    answers = ask(open_api(serve(Connections(drip)).url, timeout_s=0.5), 2)
    assert {(answer.valid, answer.sent) for answer in answers.values()} == {(None, True)}
    assert all("no answer came in time" in answer.message for answer in answers.values())


def test_nobody_there_costs_nothing(open_api):
    with socket.socket() as nobody:
        nobody.bind(("127.0.0.1", 0))
        url = f"http://127.0.0.1:{nobody.getsockname()[1]}"
        answers = ask(open_api(url), 8)
    assert all((answer.valid, answer.sent) == (None, False) for answer in answers.values())


def test_after_some_calls_in_a_row_without_an_answer_nothing_more_begins(serve, open_api):
    service = Connections(says(reply(200, b"<html></html>")))
    answers = ask(open_api(serve(service).url), 30, at_a_time=2, give_up_after=5)
    assert 5 <= service.requests <= 6
    assert sum(answer.sent for answer in answers.values()) == service.requests


def test_a_refusal_as_documented_is_an_answer(open_api):
    detail = {"detail": [{"loc": ["body", "pixKey"], "msg": "no", "type": "value_error"}]}
    transport = httpx.MockTransport(lambda _request: httpx.Response(422, json=detail))
    answers = ask(open_api("https://pay.example", transport=transport), 20, at_a_time=1)
    assert {(answer.valid, answer.sent, answer.refused) for answer in answers.values()} == {(None, False, True)}


def test_what_has_not_begun_is_given_back_and_never_sent(serve, open_api):
    going = threading.Event()

    def hold(conn, _number):
        going.wait(5)
        conn.sendall(reply(200, VALID))
        return True

    service = Connections(hold)
    with open_api(serve(service).url, timeout_s=5).account_calls(at_a_time=2, give_up_after=5) as calls:
        calls.begin((str(number), check_body(PIX)) for number in range(9))
        while service.requests < 2:
            time.sleep(0.01)
        back = calls.give_back()
        going.set()
        answers = {}
        while len(answers) < 2:
            answers |= dict(calls.answers())
    assert len(back) == 7
    assert set(back) | set(answers) == {str(number) for number in range(9)}
    assert service.requests == 2


def test_leaving_breaks_off_what_is_under_way(serve, open_api):
    left = threading.Event()
    service = Connections(lambda _conn, _number: left.wait())
    with open_api(serve(service).url, timeout_s=600).account_calls(at_a_time=3, give_up_after=5) as calls:
        calls.begin((str(number), check_body(PIX)) for number in range(3))
        while service.requests < 3:
            time.sleep(0.01)
    left.set()  # nobody was answered, and nobody was waited for


def test_a_request_that_breaks_a_documented_rule_is_refused_before_any_is_sent(open_api):
    asked = []
    transport = httpx.MockTransport(lambda request: asked.append(request) or httpx.Response(200, content=VALID))
    api = open_api("https://pay.example", transport=transport)
    asked_about = {"good": PIX, "bad": AccountValidation(pixKey="x", taxId="1")}
    with api.account_calls(at_a_time=2, give_up_after=5) as calls, pytest.raises(ValueError, match="pixKeyType"):
        calls.begin([(name, check_body(request)) for name, request in asked_about.items()])
    assert asked == []


def test_what_waited_for_its_turn_too_long_is_never_sent(serve, open_api):
    service = Connections(says(reply(200, VALID)))
    api = open_api(serve(service).url)
    with api.account_calls(at_a_time=1, give_up_after=5, may_send=lambda name: name != "late") as calls:
        calls.begin((name, check_body(PIX)) for name in ("early", "late", "next"))
        answers = {}
        while len(answers) < 3:
            answers |= dict(calls.answers())
    assert {name: answer.sent for name, answer in answers.items()} == {"early": True, "late": False, "next": True}
    assert service.requests == 2


def test_the_jobs_pace_holds_for_checks_too(open_api):
    pauses = []
    transport = httpx.MockTransport(lambda _request: httpx.Response(200, content=VALID))
    api = open_api("https://pay.example", transport=transport, requests_per_s=2, pause=pauses.append)
    ask(api, 5, at_a_time=1)
    assert max(pauses) > 1


class FullService:
    """A listening socket with a short queue, and one clerk: connections are taken one by one, for one request each."""

    def __init__(self, seconds_each, port=0):
        self.requests = 0
        self._each_s = seconds_each
        self._socket = socket.create_server(("127.0.0.1", port), backlog=1)
        self.url = f"http://127.0.0.1:{self._socket.getsockname()[1]}"
        self._thread = threading.Thread(target=self._serve, daemon=True)

    def __enter__(self):
        self._thread.start()
        return self

    def __exit__(self, *_):
        self._socket.shutdown(socket.SHUT_RDWR)
        self._socket.close()
        self._thread.join(10)

    def _serve(self):
        while True:
            try:
                conn, _ = self._socket.accept()
            except OSError:
                return
            with conn:
                conn.settimeout(5)
                data = b""
                while b"\r\n\r\n" not in data or len(data.split(b"\r\n\r\n", 1)[1]) < length_of(data):
                    if not (read := conn.recv(4096)):
                        break
                    data += read
                else:
                    self.requests += 1
                    time.sleep(self._each_s)
                    conn.sendall(reply(200, VALID, "Connection: close"))


def length_of(data):
    head = data.split(b"\r\n\r\n", 1)[0].lower()
    return int(head.split(b"content-length:")[1].split()[0])


def test_a_service_with_a_short_queue_is_asked_more_gently_until_all_are_answered(open_api):
    """Fifty lines come at once; those that find no connection were never sent, and try again, fewer and later."""
    with FullService(0.005) as service:
        answers = ask(open_api(service.url, timeout_s=6), 200, at_a_time=50, give_up_after=30)
        unsent = [answer for answer in answers.values() if not answer.sent]
        assert unsent == []
        # A connection may also be lost half open, and the more of them the busier the machine is.
        assert sum(answer.valid is True for answer in answers.values()) >= 150
        assert service.requests <= 200


def test_a_service_that_is_away_for_a_moment_is_asked_again_and_about_nobody_twice(open_api):
    with socket.socket() as down:
        down.bind(("127.0.0.1", 0))
        port = down.getsockname()[1]
    started = []

    def come_up():
        started.append(FullService(0.0, port).__enter__())

    coming = threading.Timer(0.4, come_up)
    coming.start()
    answers = ask(open_api(f"http://127.0.0.1:{port}", timeout_s=6), 12, at_a_time=2)
    coming.join()
    (service,) = started
    service.__exit__()
    assert all(answer.valid for answer in answers.values())
    assert service.requests == 12
