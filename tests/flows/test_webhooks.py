"""The service may say when something moves. We look, and believe what we see: never what was said."""

import contextlib
import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from urllib.parse import urlsplit

import httpx
import pytest
from typer.testing import CliRunner

from flows.cli import app
from flows.cli.service import poll_of
from flows.settings import read_settings
from io_adapters.ledger.tables import metadata
from schemas.errors import ExitCode, NotLaunched
from schemas.submission import OPEN
from tests.flows.books import places
from tests.flows.jobs import payment, people
from tests.flows.label import COMMAND, summary_of

ANA, BIA = people(2)
REGISTER = "POST /webhooks"
LIST = "GET /split"
SLOW = {"processing_after_s": 3600, "done_after_s": 3600}
pytestmark = pytest.mark.long


@pytest.fixture
def listeners():
    """The processes that listen."""
    return []


@pytest.fixture
def listen(label, listeners):
    """Start `repasse webhook listen` as people do; returns its base URL. It ends with the test."""
    with contextlib.ExitStack() as exits:

        def start(every_s=1, port=0):
            command = [*COMMAND, "webhook", "listen", "--port", str(port), "--every-s", str(every_s)]
            log = (label.folder / "listen.log").open("w+b")
            worker = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=log, text=True)
            exits.callback(end, worker, log)
            listeners.append(worker)
            told = worker.stdout.readline()
            return re.match(r"listening at (http://\S+?)/hooks/", told)[1]

        def end(worker, log):
            worker.send_signal(signal.SIGTERM)
            assert worker.wait(60) in {0, -signal.SIGTERM}
            worker.stdout.close()
            log.close()

        yield start


@pytest.fixture
def registered(service, label):
    """Register a base URL; returns the whole one, as the service was told it."""

    def start(base, *words):
        label.say("webhook", "register", base, *words)
        return service.webhook_urls[-1]

    return start


@pytest.fixture
def listening(listen, registered):
    """Register a URL of a free port, and listen at it; returns the URL."""

    def start(every_s=1):
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        url = registered(f"http://127.0.0.1:{port}")
        listen(every_s, port)
        return url

    return start


def open_report(label, service):
    service.behave(**SLOW)
    label.declare(settle={"every_s": "0.1", "for_s": "0.1"})
    label.payments(payment(ANA, "10,00"), payment(BIA, "20,00"))
    report = label.run()
    assert report.exit_code == ExitCode.STILL_OPEN
    return report


@pytest.mark.journey
def test_a_delivery_of_the_service_has_the_report_settled_in_the_books(label, service, listening, eventually):
    listening()
    report = open_report(label, service)
    assert places(summary_of(report)) == {"processing": 3000}
    service.force(status="DONE")
    eventually(lambda: places(summary_of(report)) == {"paid": 3000})


def test_a_forged_paid_moves_nothing_but_a_look(label, service, listening, eventually):
    report = open_report(label, service)
    url = listening()
    (batch,) = summary_of(report)["batches"]
    before = service.calls(LIST)
    forged = {"event": "split.done", "_id": batch["split_id"], "status": "DONE", "paidAmount": 30, "valid": True}
    assert httpx.post(url, json=forged, timeout=60).status_code == 204
    eventually(lambda: service.calls(LIST) > before)
    with label.ledger() as ledger:
        (submission,) = ledger.submissions.list()
    assert submission.state in OPEN
    assert places(summary_of(report)) == {"processing": 3000}


def test_a_burst_of_deliveries_is_one_look_now_and_one_after(label, service, listening, eventually):
    open_report(label, service)
    url = listening(every_s=4)
    looks_of_one_settle = count_of_a_settle(label, service)
    before = service.calls(LIST)
    with httpx.Client(timeout=60) as client:
        for _ in range(20):
            assert client.post(url, content=b"{").status_code == 204
    eventually(lambda: service.calls(LIST) >= before + 2 * looks_of_one_settle)
    time.sleep(5)
    assert service.calls(LIST) == before + 2 * looks_of_one_settle


def count_of_a_settle(label, service):
    before = service.calls(LIST)
    label.say("settle", code=ExitCode.STILL_OPEN)
    return service.calls(LIST) - before


def test_a_url_registered_while_we_listen_is_known_soon(label, service, listen, registered, eventually):
    base = listen()
    url = registered(base)
    eventually(lambda: httpx.post(url, timeout=60).status_code == 204)
    label.say("webhook", "retire", "1")
    eventually(lambda: httpx.post(url, timeout=60).status_code == 404)


@pytest.mark.journey
def test_the_service_is_told_a_secret_that_nobody_else_is(label, service):
    output = label.say("webhook", "register", "https://hooks.example/in/").output
    (url,) = service.webhook_urls
    assert url.startswith("https://hooks.example/in/hooks/")
    token = url.rpartition("/")[2]
    assert len(token) >= 43
    assert token not in output
    assert token not in str(label.ask("webhook", "list"))
    home = label.folder.parent / "home"
    assert not [path for path in home.rglob("*") if path.is_file() and token.encode() in path.read_bytes()]


def test_registering_anew_can_retire_what_was_registered_before(label, service):
    label.say("webhook", "register", "https://hooks.example")
    label.say("webhook", "register", "https://hooks.example")
    label.say("webhook", "register", "https://hooks.example", "--replace")
    states = [webhook["state"] for webhook in label.ask("webhook", "list")["webhooks"]]
    assert states == ["retired", "retired", "registered"]
    assert len(set(service.webhook_urls)) == 3


@pytest.mark.parametrize(
    "base",
    [
        "http://hooks.example", "ftp://hooks.example", "hooks.example", "https://", "https://a:b@hooks.example",
        "https://hooks.example?a=1", "https://hooks.example#a", "https://hóoks.example", "https://hooks.example/a b",
        "https://hooks.example:port", "https://[", "https://hooks.example/" + "a" * 2020,
    ],
)  # fmt: skip
def test_a_base_that_cannot_be_meant_is_refused_before_anything_is_sent(label, service, base):
    label.ask("webhook", "register", base, code=2)
    assert service.calls(REGISTER) == 0


def test_plain_http_is_for_a_service_on_this_machine_alone(label, service, monkeypatch):
    label.say("webhook", "register", "http://127.0.0.1:9")
    monkeypatch.setenv("REPASSE_API_URL", "https://pay.example/external")
    label.ask("webhook", "register", "http://127.0.0.1:9", code=2)


def test_the_longest_url_the_service_takes_is_taken(label, service):
    label.say("webhook", "register", "https://hooks.example/" + "a" * (2083 - 22 - 7 - 43))
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
    label.ask("webhook", "register", "https://hooks.example", code=code)
    assert [webhook["state"] for webhook in label.ask("webhook", "list")["webhooks"]] == [kept]


def test_what_the_listener_says_names_no_token_and_no_body(label, service, listening, eventually):
    report = open_report(label, service)
    url = listening()
    before = service.calls(LIST)
    httpx.post(url, content=b"SECRET-BODY", headers={"X": "SECRET-HEADER"}, timeout=60)
    eventually(lambda: service.calls(LIST) > before)
    said = (label.folder / "listen.log").read_text()
    assert "SECRET" not in said
    assert urlsplit(url).path not in said
    assert report.run_id


def cannot_listen(*words):
    done = CliRunner().invoke(app, ["webhook", "listen", *words])
    assert done.exit_code == ExitCode.CONFIGURATION
    return done.stderr


def test_a_port_that_is_taken_is_told(label):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"cannot listen on 127.0.0.1:{port}" in cannot_listen("--port", port)


@pytest.mark.parametrize("every_s", ["inf", "86401"])
def test_a_pause_that_nobody_can_mean_is_refused(label, every_s):
    assert "--every-s" in cannot_listen("--port", "0", "--every-s", every_s)


def test_without_a_service_nothing_listens(home):
    assert "REPASSE_API_URL" in cannot_listen("--port", "0")


LOAD = Path(__file__).parents[1] / "io_adapters" / "webhooks" / "load.py"


def books(label):
    """Everything the ledger holds, table by table, but for who has looked and when."""
    with label.ledger() as ledger, ledger._database.reading() as connection:
        tables = [table for table in metadata.sorted_tables if table.name not in {"service", "leases", "runs"}]
        held = {table.name: [row._asdict() for row in connection.execute(table.select())] for table in tables}
    for document in held["run_records"]:
        del document["saved_at"]  # a look writes the outputs again, the same
    return held


def memory_kb(pid):
    found = re.search(r"VmRSS:\s+(\d+) kB", Path(f"/proc/{pid}/status").read_text())
    return int(found[1])


def test_a_thousand_forged_deliveries_a_second_change_nothing(label, service, listening, listeners):
    open_report(label, service)
    looks_of_one_settle = count_of_a_settle(label, service)
    url = urlsplit(listening(every_s=60))
    before, looks, memory = books(label), service.calls(LIST), memory_kb(listeners[0].pid)
    load = [sys.executable, LOAD, str(url.port), url.path, "5000", "20", "1000"]
    told = json.loads(subprocess.run(load, capture_output=True, check=True, timeout=120).stdout)
    assert told["statuses"] == {"204": 5000}
    assert told["p99_ms"] < 2_000
    assert memory_kb(listeners[0].pid) - memory < 8_000
    stray = httpx.post(f"http://{url.netloc}/hooks/{'x' * 43}", content=b"x", timeout=60)
    assert stray.status_code == 404
    assert service.calls(LIST) - looks <= 2 * looks_of_one_settle
    assert books(label) == before


def test_where_prefect_watches_it_is_asked_and_its_absence_is_told(label, monkeypatch):
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    monkeypatch.setenv("PREFECT_API_URL", f"http://127.0.0.1:{port}/api")
    with pytest.raises(NotLaunched):
        poll_of(read_settings())(7)
