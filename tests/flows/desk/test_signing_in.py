"""Who gets in, for how long, and who does not."""

from dataclasses import replace

import pytest

from flows.desk.guard import DeskSettings
from flows.desk.sign_in import hash_password, is_password_of
from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.errors import DecisionRefused
from tests.flows.desk.office import ORIGIN, PASSWORD, Browser, hashed, words_of

PAGES = (
    "/",
    "/runs",
    "/doubts",
    "/jobs/x",
    "/previews/x",
    "/plans/abcdef12",
    "/runs/x",
    "/launches/x",
    "/runs/x/files/y",
)
ACTS = ("/plans/abcdef12/approve", "/plans/abcdef12/reject", "/jobs/x/preview", "/previews/x/launch", "/doubts/link")
ACTS += ("/doubts/absent", "/doubts/decide", "/sending/hold", "/sending/release", "/sending/unfreeze", "/settle")
ACTS += ("/runs/x/go-on", "/sign-out")


@pytest.mark.parametrize("path", PAGES)
def test_a_page_asks_whoever_is_not_signed_in_to_sign_in(browser, path):
    answer = browser.http.get(path)
    assert answer.status_code == 303
    assert answer.headers["location"] == f"/sign-in?after={path}"


@pytest.mark.parametrize("path", ACTS)
def test_nothing_is_done_for_whoever_is_not_signed_in(browser, path):
    assert browser.http.post(path, data={"total": "30,00"}, headers={"Origin": ORIGIN}).status_code == 401


def test_name_and_password_open_the_desk(browser, add):
    add("Ana Lima")
    assert browser.sign_in("  ana LIMA ") == "/"
    assert "Ana Lima" in words_of(browser.get("/"))


def test_after_signing_in_one_is_where_one_wanted_to_be(browser, add):
    add("ana")
    where = browser.post("/sign-in", at="/sign-in", name="ana", password=PASSWORD, after="/runs")
    assert where == "/runs"


@pytest.mark.parametrize("after", ["//evil.example/x", "https://evil.example", "/\\evil.example", "/sign-out", "x"])
def test_signing_in_leads_nowhere_else(browser, add, after):
    add("ana")
    assert browser.post("/sign-in", at="/sign-in", name="ana", password=PASSWORD, after=after) == "/"


def test_a_wrong_password_an_unknown_name_and_a_disabled_user_hear_the_same(browser, add, desk):
    add("ana")
    add("bia")
    desk.ledger.desk_users.disable("bia")
    said = {
        browser.sign_in(name, password, code=401)
        for name, password in (("ana", "wrong password"), ("nobody", PASSWORD), ("bia", PASSWORD), ("ana", "x" * 300))
    }
    assert len(said) == 1


def test_an_unknown_name_costs_a_password_check_too(monkeypatch):
    verified = []
    hasher = type("Counting", (), {"verify": lambda _, kept, given: verified.append(kept) or True})()
    monkeypatch.setattr("flows.desk.sign_in._HASHER", hasher)
    assert not is_password_of(None, "whatever")
    assert len(verified) == 1


@pytest.mark.parametrize("password", ["short", "x" * 201])
def test_a_password_is_neither_short_nor_endless(password):
    with pytest.raises(DecisionRefused):
        hash_password(password, "Ana Lima")


def test_passwords_are_kept_as_argon2id(browser, add, desk):
    add("ana")
    assert desk.ledger.desk_users.get("ana").password_hash.startswith("$argon2id$")


def test_after_five_failures_even_the_right_password_is_refused_and_a_restart_forgets_nothing(desk, settings, add):
    add("ana")
    first = Browser(desk, settings)
    for _ in range(5):
        first.sign_in("ana", "wrong password", code=401)
    first.sign_in("ana", code=429)
    Browser(desk, settings).sign_in("ANA", code=429)  # another application on the same ledger


def test_the_limit_ends_after_its_window(browser, add, clock):
    add("ana")
    for _ in range(5):
        browser.sign_in("ana", "wrong password", code=401)
    browser.sign_in("ana", code=429)
    clock.move(minutes=16)
    browser.sign_in("ana")


def test_signing_in_is_no_failure(browser, add):
    add("ana")
    for _ in range(7):
        browser.sign_in("ana")


def test_one_address_cannot_try_many_names(desk, settings, add):
    add("ana")
    assert settings.attempts_per_address == 200
    browser = Browser(desk, replace(settings, attempts_per_address=4))
    for number in range(4):
        browser.sign_in(f"name {number}", code=401)
    browser.sign_in("ana", code=429)


def test_a_session_ends_after_half_an_hour_without_use(at_desk, clock):
    ana = at_desk("ana")
    clock.move(minutes=29)
    ana.get("/")
    clock.move(minutes=29)
    ana.get("/")
    clock.move(minutes=31)
    ana.get("/", code=303)


def test_a_session_ends_after_twelve_hours_however_busy(at_desk, clock):
    ana = at_desk("ana")
    for _ in range(25):
        clock.move(minutes=29)
        if clock.later.total_seconds() < 12 * 3600:
            ana.get("/")
    ana.get("/", code=303)


def test_signing_out_ends_the_session_for_good(at_desk):
    ana = at_desk("ana")
    cookies = dict(ana.http.cookies)
    assert ana.post("/sign-out") == "/sign-in"
    ana.http.cookies.update(cookies)
    ana.get("/", code=303)


@pytest.mark.parametrize("what", ["disable", "change_password"])
def test_a_disabled_user_and_one_with_a_new_password_lose_their_sessions_at_once(at_desk, desk, what):
    ana = at_desk("ana")
    users = desk.ledger.desk_users
    users.disable("ana") if what == "disable" else users.change_password("ana", hashed())
    ana.get("/", code=303)


def test_signing_in_gives_a_new_session_that_was_never_there_before(browser, add):
    add("ana")
    browser.http.cookies.set("repasse-session", "planted", domain="127.0.0.1")
    browser.sign_in("ana")
    (given,) = {cookie.value for cookie in browser.http.cookies.jar if cookie.name == "repasse-session"} - {"planted"}
    browser.http.cookies.clear()
    browser.http.cookies.set("repasse-session", "planted", domain="127.0.0.1")
    browser.get("/", code=303)
    browser.http.cookies.clear()
    browser.http.cookies.set("repasse-session", given, domain="127.0.0.1")
    browser.get("/")


def test_the_ledger_knows_a_session_by_its_hash_alone(at_desk, environment):
    token = at_desk("ana").http.cookies["repasse-session"]
    written = b"".join(path.read_bytes() for path in (environment / "home").glob("ledger.db*"))
    assert token.encode() not in written
    assert PASSWORD.encode() not in written


def test_cookies_are_out_of_reach_of_scripts_and_other_sites(browser, add):
    add("ana")
    token = browser.token("/sign-in")
    form = {"token": token, "name": "ana", "password": PASSWORD}
    answer = browser.http.post("/sign-in", data=form, headers={"Origin": ORIGIN})
    (session,) = [text for text in answer.headers.get_list("set-cookie") if "session" in text]
    assert "HttpOnly" in session
    assert "SameSite=strict" in session
    assert "Secure" not in session


def test_over_https_cookies_are_secure_and_bound_to_the_host(desk, settings, add):
    add("ana")
    safe = DeskSettings(uploads=settings.uploads, https=True)
    one = Browser(desk, safe)
    one.http.base_url = "https://127.0.0.1"
    page = one.http.get("/sign-in")
    (cookie,) = page.headers.get_list("set-cookie")
    assert cookie.startswith("__Host-repasse-visit=")
    assert "Secure" in cookie
    assert page.headers["strict-transport-security"] == "max-age=31536000"


def test_two_writings_of_a_name_are_one_user(add):
    add("José da Silva")
    with pytest.raises(DecisionRefused):
        add("  JOSÉ  DA SILVA")


def test_a_user_needs_a_role_and_a_name():
    with open_ledger_of(read_settings(), create=False) as ledger:
        for name, roles in (("ana", ()), ("", ("approver",)), ("a, b", ("approver",)), ("x" * 65, ("approver",))):
            with pytest.raises(DecisionRefused):
                ledger.desk_users.add(name, roles, "hash")


def test_failures_of_somebody_else_keep_nobody_out_of_the_browser_they_use(desk, settings, add, browser):
    add("ana")
    browser.sign_in("ana")
    browser.post("/sign-out")
    stranger = Browser(desk, replace(settings, attempts_per_name=8, attempts_per_address=8))
    for _ in range(5):
        stranger.sign_in("ana", "wrong password", code=401)
    stranger.sign_in("ana", code=429)
    browser.sign_in("ana")


def test_a_device_of_one_user_is_no_key_to_another_and_its_own_failures_count(desk, settings, add, browser):
    for name in ("ana", "bia"):
        add(name)
    browser.sign_in("ana")
    browser.post("/sign-out")
    for _ in range(5):
        browser.sign_in("bia", "wrong password", code=401)
    browser.sign_in("bia", code=429)
    for _ in range(5):
        browser.sign_in("ana", "wrong password", code=401)
    browser.sign_in("ana", code=429)


def test_each_failure_more_makes_the_wait_twice_as_long(browser, add, clock):
    add("ana")
    for _ in range(5):
        browser.sign_in("ana", "wrong password", code=401)
    for seconds in (30, 60, 120):
        browser.sign_in("ana", "wrong password", code=429)
        clock.move(seconds=seconds + 1)
        browser.sign_in("ana", "wrong password", code=401)
    clock.move(seconds=100)
    browser.sign_in("ana", code=429)


def test_whoever_looks_after_the_installation_lets_somebody_try_again_at_once(browser, add, desk):
    add("ana")
    for _ in range(5):
        browser.sign_in("ana", "wrong password", code=401)
    browser.sign_in("ana", code=429)
    desk.ledger.sign_in_attempts.forget("A.N.A")
    browser.sign_in("ana")


GUESSED = (
    "aaaaaaaaaa",
    "Ana Lima Ana",
    "analima2026",
    "1234567890",
    "abcdefghij",
    "senha123456",
    "9876543210",
    "abababab",
)


@pytest.mark.parametrize("guessed", [*GUESSED, "ababababab", "Senha!2026x"])
def test_a_password_that_is_guessed_at_once_is_refused(guessed):
    with pytest.raises(DecisionRefused, match="guessed"):
        hash_password(guessed, "Ana Lima")


def test_people_change_their_own_password_and_other_sessions_of_theirs_end(desk, settings, add, browser):
    add("ana")
    other = Browser(desk, settings)
    for one in (browser, other):
        one.sign_in("ana")
    new = "other horse battery"

    def change(code: int, now: str, to: str, again: str) -> str:
        return browser.post("/password", at="/password", code=code, password=now, new=to, again=again)

    assert "não é a sua senha" in change(422, "not mine at all", new, new)
    assert "adivinhada" in change(422, PASSWORD, "a" * 12, "a" * 12)
    assert "duas formas" in change(422, PASSWORD, new, f"{new}s")
    change(303, PASSWORD, new, new)
    assert "Sua senha foi mudada" in browser.get("/?done=password")
    other.get("/", code=303)
    other.sign_in("ana", code=401)
    other.sign_in("ana", new)
