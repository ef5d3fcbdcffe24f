"""What somebody tries who wants in, wants more, or wants others to stumble."""

import os
import stat
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest
import uvicorn

from flows.desk import guard, uploads
from flows.desk.app import Desk, create_app
from flows.desk.guard import DeskSettings
from flows.desk.serving import Where, _config
from schemas.approval import Role
from tests.flows.desk.office import ORIGIN, PASSWORD, Browser, hashed, words_of


def job_page(desk: Desk) -> str:
    (line,) = desk.jobs.list()
    return f"/jobs/{line.token}"


@pytest.mark.parametrize("token", ["-", "", "0" * 64])
def test_a_form_of_a_browser_that_never_visited_does_nothing(browser, add, token):
    add("ana")
    form = {"token": token, "name": "ana", "password": PASSWORD, "language": "en"}
    for path in ("/sign-in", "/language"):
        answer = browser.http.post(path, data=form, headers={"Origin": ORIGIN})
        assert answer.status_code == 403
        assert "set-cookie" not in answer.headers


def test_signing_in_over_somebody_ends_their_session(at_desk, add):
    ana = at_desk("ana")
    add("bia")
    before = dict(ana.http.cookies)
    ana.sign_in("bia")
    ana.http.cookies.clear()
    ana.http.cookies.update(before)
    ana.get("/", code=303)


@pytest.mark.parametrize("meanwhile", ["disable", "password"])
def test_a_password_that_is_taken_away_while_it_is_judged_opens_nothing(desk, add, settings, meanwhile):
    add("ana")
    judged = desk.ledger.desk_users.get("ana")
    users = desk.ledger.desk_users
    users.disable("ana") if meanwhile == "disable" else users.change_password("ana", hashed())
    assert not desk.ledger.desk_sessions.start("token", judged, settings.absolute)
    assert desk.ledger.desk_sessions.find("token", idle=settings.idle, absolute=settings.absolute) is None


def test_a_page_that_asks_by_itself_does_not_keep_a_session_alive(at_desk, clock):
    ana = at_desk("ana")
    for _ in range(4):
        clock.move(minutes=9)
        answer = ana.http.get("/runs/x/live")
    assert answer.status_code == 401
    ana.get("/", code=303)


def test_a_user_who_was_disabled_says_nothing_more_with_a_page_they_had_open(at_desk, desk):
    ana = at_desk("ana")
    token = ana.token("/doubts")
    desk.ledger.desk_users.disable("ana")
    ana.post("/sending/hold", token=token, why="revenge", code=401)
    assert desk.unresolved.stop().hold == ""


def test_every_writing_of_a_name_shares_its_few_attempts(browser, add):
    add("Ana Lima")
    for name in ("ana lima", " ANA  LIMA ", "Ana\u200b Lima", "\uff21na Lima", "Ana\tLima"):
        browser.sign_in(name, "wrong password", code=401)
    browser.sign_in("Ana Lima", code=429)


def test_what_no_text_can_hold_is_no_address_and_no_word(at_desk, browser, add, desk):
    ana = at_desk("ana")
    for path in ("/plans/%00", "/runs/%00", "/previews/a%00b", "/launches/%00"):
        assert ana.http.get(path).status_code == 404
    ana.post("/sending/hold", at="/doubts", why="odd\0", code=400)
    add("bia")
    browser.post("/sign-in", at="/sign-in", name="bia\0", password=PASSWORD, code=400)


@pytest.mark.parametrize("host", ["localhost", "LocalHost:8400", "127.0.0.1:9", "[::1]", "[::1]:8400"])
def test_the_loopback_answers_to_each_of_its_names(browser, host):
    assert browser.http.get("/sign-in", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("host", ["evil.example", "127.0.0.1.evil.example", "localhost@evil.example", "[::2]", ""])
def test_any_other_name_is_refused_with_the_strict_headers(browser, host):
    answer = browser.http.get("/sign-in", headers={"Host": host})
    assert answer.status_code == 400
    assert answer.headers["content-security-policy"]


def test_over_https_a_form_of_a_page_in_the_clear_does_nothing(desk, settings, add):
    add("ana")
    one = Browser(desk, DeskSettings(uploads=settings.uploads, https=True))
    one.http.base_url = "https://127.0.0.1"
    form = {"token": one.token("/sign-in"), "name": "ana", "password": PASSWORD}
    assert one.http.post("/sign-in", data=form, headers={"Origin": ORIGIN}).status_code == 403
    assert one.http.post("/sign-in", data=form, headers={"Origin": "https://127.0.0.1"}).status_code == 303


NAMES = [
    "\u6625" * 200 + ".xlsx",
    "x" * 500,
    "<img src=x onerror=alert(1)>.xlsx",
    'a";\r\nSet-Cookie: x=1.xlsx',
    "\u202excod.xlsx",
]


@pytest.mark.parametrize("name", NAMES)
def test_no_name_of_a_file_breaks_a_page_or_a_disk(at_desk, desk, settings, name):
    ana, page = at_desk("ana"), job_page(desk)
    quoted = name.replace("\r", "%0D").replace("\n", "%0A").replace('"', "%22").encode()
    body = b"--b\r\nContent-Disposition: form-data; name=token\r\n\r\n" + ana.token(page).encode() + b"\r\n--b\r\n"
    body += b'Content-Disposition: form-data; name="file:payments"; filename="' + quoted + b'"\r\n\r\nNome\r\n--b--\r\n'
    headers = {"Origin": ORIGIN, "Content-Type": "multipart/form-data; boundary=b"}
    answer = ana.http.post(f"{page}/preview", content=body, headers=headers)
    assert answer.status_code == 303, words_of(answer.text)
    ana.wait_for(answer.headers["location"], "O que foi reconhecido")
    assert "<img src" not in ana.get(answer.headers["location"])
    (kept,) = [path for path in settings.uploads.rglob("*") if path.is_file()]
    assert kept.parent.parent == settings.uploads
    assert kept.name.isprintable()


def upload(who: Browser, page: str, body: bytes) -> httpx.Response:
    headers = {"Origin": ORIGIN, "Content-Type": "multipart/form-data; boundary=b"}
    return who.http.post(f"{page}/preview", content=body, headers=headers)


def test_a_form_that_swells_where_no_file_is_is_cut_off(at_desk, desk, settings):
    ana, page = at_desk("ana"), job_page(desk)
    long, many = b"X: " + b"x" * 10_000 + b"\r\n", b"".join(b"X-%d: y\r\n" % number for number in range(100))
    token = b"--b\r\nContent-Disposition: form-data; name=token\r\n\r\n" + ana.token(page).encode() + b"\r\n"
    for headers in (long, many):
        body = token + b"--b\r\n" + headers + b"Content-Disposition: form-data; name=a\r\n\r\nv\r\n--b--\r\n"
        assert upload(ana, page, body).status_code == 400
    parts = b"".join(b"--b\r\nContent-Disposition: form-data; name=a%d\r\n\r\n\r\n" % n for n in range(500))
    assert "arquivos demais" in words_of(upload(ana, page, token + parts + b"--b--\r\n").text)
    assert not list(settings.uploads.rglob("*"))


def test_a_disk_that_is_full_is_told_and_leaves_nothing(at_desk, desk, settings, job, monkeypatch):
    ana, page = at_desk("ana"), job_page(desk)

    def full(_stream: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    result = ana.bring(page, [job.parent / "payments.xlsx"], code=507)
    assert "disco está cheio" in result
    monkeypatch.undo()
    assert not [path for path in settings.uploads.rglob("*") if path.is_file()]


def test_what_an_upload_left_that_ended_with_the_desk_is_thrown_away(settings, clock):
    left = settings.uploads / uploads.INCOMING / "abc"
    left.parent.mkdir(parents=True)
    left.write_bytes(b"half a file")
    now = clock.as_clock().now()
    uploads.forget_unfinished(settings.uploads, now.replace(year=now.year - 1))
    assert left.exists()  # another desk may be writing it
    clock.move(days=1)
    uploads.forget_unfinished(settings.uploads, clock.as_clock().now())
    assert not left.exists()


def test_the_same_bytes_sent_by_many_at_once_are_kept_once(at_desk, desk, settings, job):
    ana, page, sheet = at_desk("ana"), job_page(desk), job.parent / "payments.xlsx"
    with ThreadPoolExecutor(4) as pool:
        looks = set(pool.map(lambda _: ana.bring(page, [sheet]), range(6)))
    assert len(looks) == 1
    kept = [path for path in settings.uploads.rglob("*") if path.is_file()]
    assert [path.read_bytes() for path in kept] == [sheet.read_bytes()]
    assert stat.S_IMODE(kept[0].parent.stat().st_mode) == 0o700


@pytest.mark.parametrize("token", ["..%2f..%2fjob.yaml", "%2e%2e", "../../etc/passwd", "x" * 5000])
def test_no_token_leads_out_of_the_jobs_folder(at_desk, token):
    ana = at_desk("ana")
    for page in ("/jobs/", "/previews/", "/launches/", "/static/"):
        assert ana.http.get(f"{page}{token}").status_code in {303, 404}


@pytest.fixture
def real(desk, tmp_path) -> Iterator[tuple]:
    """Serve the desk as the command does, with few attempts an address; says how when told so."""
    servers = []

    def serve(host: str = "127.0.0.1", *, behind_proxy: bool = False) -> str:
        settings = DeskSettings(uploads=tmp_path / "uploads", attempts_per_address=3)
        config = _config(create_app(desk, settings), Where(host, 0, behind_proxy=behind_proxy))
        config.host, config.port = host, 0
        server = uvicorn.Server(config)
        thread = threading.Thread(target=server.run, daemon=True)
        thread.start()
        servers.append((server, thread))
        while not server.started:
            assert thread.is_alive()
        port = server.servers[0].sockets[0].getsockname()[1]
        return f"http://[{host}]:{port}" if ":" in host else f"http://{host}:{port}"

    yield serve
    for server, thread in servers:
        server.should_exit = True
        thread.join(20)


def guesses(url: str, forwarded: list[str]) -> list[int]:
    codes = []
    with httpx.Client(base_url=url, timeout=60) as http:
        for number, address in enumerate(forwarded):
            page = http.get("/sign-in").text
            token = page.partition('name="token" value="')[2].partition('"')[0]
            form = {"token": token, "name": f"name {number}", "password": "wrong password"}
            headers = {"Origin": url, "X-Forwarded-For": address, "Forwarded": f"for={address}", "X-Real-IP": address}
            codes.append(http.post("/sign-in", data=form, headers=headers).status_code)
    return codes


def test_an_address_one_makes_up_gives_no_more_attempts(real):
    made_up = [f"198.51.100.{number}" for number in range(5)]
    assert guesses(real(), made_up) == [401, 401, 401, 429, 429]


def test_behind_a_proxy_only_what_the_proxy_adds_counts(real):
    url = real(behind_proxy=True)
    assert guesses(url, [f"198.51.100.{number}, 203.0.113.7" for number in range(4)]) == [401, 401, 401, 429]
    assert guesses(url, ["203.0.113.8"]) == [401]


def test_the_ipv6_loopback_is_served_too(real):
    if not Path("/proc/net/if_inet6").exists() or "lo" not in Path("/proc/net/if_inet6").read_text():
        pytest.skip("there is no IPv6 on this machine")
    assert guesses(real("::1"), ["x"]) == [401]


def test_who_sends_a_form_drop_by_drop_is_hung_up_on(real, monkeypatch):
    monkeypatch.setattr(guard, "FORM_WITHIN_S", 0.3)
    url = real()
    with httpx.Client(base_url=url, timeout=60) as http:
        kind = {"Origin": url, "Content-Type": "application/x-www-form-urlencoded"}
        assert http.post("/sign-in", content=drops(b"name=ana"), headers=kind).status_code == 408


def test_an_upload_that_falls_silent_leaves_nothing(real, add, desk, tmp_path, monkeypatch):
    monkeypatch.setattr(uploads, "SILENT_S", 0.3)
    add("ana", Role.PREPARER)
    url, page = real(), job_page(desk)
    with httpx.Client(base_url=url, timeout=60) as http:
        token = http.get("/sign-in").text.partition('name="token" value="')[2].partition('"')[0]
        http.post("/sign-in", data={"token": token, "name": "ana", "password": PASSWORD}, headers={"Origin": url})
        token = http.get(page).text.partition('name="token" value="')[2].partition('"')[0]
        body = b"--b\r\nContent-Disposition: form-data; name=token\r\n\r\n" + token.encode() + b"\r\n--b\r\n"
        body += b'Content-Disposition: form-data; name="file:payments"; filename="p.csv"\r\n\r\nNome;'
        kind = {"Origin": url, "Content-Type": "multipart/form-data; boundary=b"}
        answer = http.post(f"{page}/preview", content=drops(body), headers=kind)
    assert answer.status_code == 408
    assert "parou de chegar" in words_of(answer.text)
    assert not [path for path in (tmp_path / "uploads").rglob("*") if path.is_file()]


def drops(first: bytes) -> Iterator[bytes]:
    """Send a little, and then nothing for so long that everybody would have given up."""
    yield first
    threading.Event().wait(1.5)
    yield b"."
