"""Webhooks are registered as the interface says, and told of status moves in the sandbox's own, marked way."""

import json
import queue
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import httpx
import pytest

from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings

ELSEWHERE = "http://192.0.2.1/hook"  # a network for documentation: nobody is there


class Listener:
    """A receiver of webhooks on loopback that keeps what it gets."""

    def __init__(self):
        self.got = queue.Queue()
        self.answers = []
        self.may_answer = threading.Event()
        self.may_answer.set()
        kept = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"]))
                kept.got.put((self.path, self.headers["Content-Type"], json.loads(body)))
                kept.may_answer.wait()
                self.send_response(kept.answers.pop(0) if kept.answers else 200)
                self.end_headers()

            def log_message(self, *_):
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self._server.server_port}/hook?key=1"
        threading.Thread(target=self._server.serve_forever, daemon=True).start()

    def next(self):
        return self.got.get(timeout=60)[2]

    def close(self):
        self.may_answer.set()
        self._server.shutdown()
        self._server.server_close()


@pytest.fixture
def listener():
    one = Listener()
    yield one
    one.close()


@pytest.fixture
def register(service):
    def post(url):
        return service.post("/webhooks", json={"webhook_url": url}).raise_for_status().json()

    return post


def outcomes(audit):
    return [(told["attempt"], told["outcome"]) for told in audit()["deliveries"]]


def test_a_registration_answers_every_field_of_the_interface(register, listener, audit):
    told = register(listener.url)
    assert set(told) == {"id", "webhook_url", "active", "created_at"}
    assert (told["webhook_url"], told["active"]) == (listener.url, True)
    (kept,) = audit()["webhooks"]
    assert (kept["id"], kept["webhook_url"]) == (told["id"], listener.url)


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


def test_every_move_of_a_report_is_delivered_and_marked_as_the_sandboxs_own(register, listener, create):
    registered = register(listener.url)
    report = create()
    first, second = listener.next(), listener.next()
    assert [first["previous_status"], first["status"]] == ["PENDING", "PROCESSING"]
    assert [second["previous_status"], second["status"]] == ["PROCESSING", "DONE"]
    for told in (first, second):
        assert (told["sandbox"], told["event"]) == (True, "split.status")
        assert (told["split_id"], told["report_id"]) == (report["_id"], "rp-1")
        assert told["webhook_id"] == registered["id"]
    assert first["delivery"] != second["delivery"]


def test_a_delivery_goes_to_the_whole_url_as_json_and_is_noted(register, listener, create, behave, audit, eventually):
    behave(done_after_s=0)
    register(listener.url)
    create()
    path, kind, told = listener.got.get(timeout=60)
    assert (path, kind) == ("/hook?key=1", "application/json")
    eventually(lambda: outcomes(audit) == [(1, "200")])
    (noted,) = audit()["deliveries"]
    assert (noted["delivery"], noted["split_id"], noted["status"]) == (told["delivery"], told["split_id"], "DONE")


def test_a_forced_status_is_delivered_after_the_end_too(register, listener, create, behave, control):
    behave(done_after_s=0)
    register(listener.url)
    report = create()
    assert listener.next()["status"] == "DONE"
    control.post(f"/reports/{report['_id']}", json={"status": "EXCLUDED"}).raise_for_status()
    told = listener.next()
    assert (told["previous_status"], told["status"]) == ("DONE", "EXCLUDED")


def test_nothing_is_told_of_what_moved_before_the_registration(register, listener, create, behave):
    behave(done_after_s=0)
    create()
    register(listener.url)
    later = create(reportId="rp-2")
    assert listener.next()["split_id"] == later["_id"]


def test_every_webhook_is_told(register, listener, create, behave):
    behave(done_after_s=0)
    ids = {register(listener.url)["id"], register(listener.url)["id"]}
    create()
    assert {listener.next()["webhook_id"], listener.next()["webhook_id"]} == ids


def test_a_delivery_that_fails_is_tried_three_times_and_no_more(register, listener, create, behave, audit, eventually):
    behave(done_after_s=0)
    listener.answers = [500, 302, 404]
    register(listener.url)
    create()
    eventually(lambda: outcomes(audit) == [(1, "500"), (2, "302"), (3, "404")])
    deliveries = [listener.next()["delivery"] for _ in range(3)]
    assert len(set(deliveries)) == 1
    create(reportId="rp-2")
    assert listener.next()["delivery"] not in deliveries


def test_a_delivery_that_succeeds_at_last_ends_there(register, listener, create, behave, audit, eventually):
    behave(done_after_s=0)
    listener.answers = [503]
    register(listener.url)
    create()
    eventually(lambda: outcomes(audit) == [(1, "503"), (2, "200")])


def test_nobody_at_the_url_is_noted(register, listener, create, behave, audit, eventually):
    behave(done_after_s=0)
    listener.close()
    register(listener.url)
    create()
    eventually(lambda: outcomes(audit) == [(attempt, "ConnectionRefusedError") for attempt in (1, 2, 3)])


@pytest.mark.parametrize("url", [ELSEWHERE, "https://example.com/hook", "http://[2001:db8::1]/"])
def test_no_other_machine_is_told_unless_the_settings_say_so(register, create, behave, audit, eventually, url):
    behave(done_after_s=0)
    register(url)
    create()
    eventually(lambda: outcomes(audit) == [(0, "not an address of this machine")])


def test_a_slow_receiver_holds_up_no_answer(service, register, listener, create, behave, split_body):
    behave(done_after_s=0)
    listener.may_answer.clear()
    register(listener.url)
    create()
    listener.next()
    for number in range(20):
        service.post("/split", json=split_body(reportId=f"rp-{number}")).raise_for_status()
    listener.may_answer.set()


def test_what_moved_while_the_sandbox_was_away_is_told_when_it_is_back(tmp_path, listener, split_body):
    settings = SandboxSettings(processing_after_s=0.5, done_after_s=0.5)
    headers = {"Authorization": settings.api_key}
    with EmbeddedSandbox(tmp_path / "sandbox.sqlite", settings) as sandbox:
        httpx.post(f"{sandbox.url}/webhooks", json={"webhook_url": listener.url}, headers=headers).raise_for_status()
        httpx.post(f"{sandbox.url}/split", json=split_body(), headers=headers).raise_for_status()
    assert listener.got.empty()
    with EmbeddedSandbox(tmp_path / "sandbox.sqlite", settings):
        assert listener.next()["status"] == "DONE"
