"""What every answer carries, and what no request can do."""

import re
import stat
from pathlib import Path

import pytest

from flows.desk import home
from flows.desk.app import HEADERS
from flows.desk.uploads import safe_name
from schemas.approval import Role
from schemas.messages import catalogue_in
from schemas.plan import Place
from schemas.submission import SubmissionState
from tests.flows.desk.office import ORIGIN, Browser, words_of

TEMPLATES = Path(__file__).parents[3] / "flows" / "desk" / "templates"


@pytest.mark.parametrize("path", ["/", "/sign-in", "/static/desk.css", "/static/none.css", "/no/such/page", "/runs/x"])
def test_every_answer_carries_the_strict_headers(at_desk, path):
    answer = at_desk("ana").http.get(path)
    for name, value in HEADERS.items():
        static = name == "Cache-Control" and path == "/static/desk.css"
        assert answer.headers[name] == ("private, max-age=300" if static else value)


def test_no_page_holds_a_script_a_style_or_an_event_of_its_own(at_desk, job):
    for template in TEMPLATES.glob("*.html"):
        text = template.read_text(encoding="utf-8")
        assert not re.search(r"<script(?![^>]*\ssrc=)|<style|\sstyle=|\son[a-z]+=|javascript:", text), template.name
    assert "unsafe" not in HEADERS["Content-Security-Policy"]


def test_a_name_no_one_gave_the_desk_is_not_answered(browser):
    assert browser.http.get("/sign-in", headers={"Host": "evil.example"}).status_code == 400


@pytest.mark.parametrize(
    "headers",
    [
        {},
        {"Origin": "http://evil.example"},
        {"Origin": "null"},
        {"Sec-Fetch-Site": "cross-site", "Origin": ORIGIN},
        {"Sec-Fetch-Site": "same-site"},
        {"Sec-Fetch-Site": "none"},
    ],
)
def test_a_form_from_anywhere_else_does_nothing(at_desk, desk, headers):
    ana = at_desk("ana")
    data = {"token": ana.token("/doubts"), "why": "an attack"}
    assert ana.http.post("/sending/hold", data=data, headers=headers).status_code == 403
    assert desk.unresolved.stop().hold == ""


@pytest.mark.parametrize("token", ["", "0" * 64, "é"])
def test_a_form_without_its_token_does_nothing(at_desk, desk, token):
    at_desk("ana").post("/sending/hold", token=token, why="an attack", code=403)
    assert desk.unresolved.stop().hold == ""


def test_the_token_of_another_session_does_nothing(at_desk, desk):
    ana, bia = at_desk("ana"), at_desk("bia")
    ana.post("/sending/hold", token=bia.token("/doubts"), why="an attack", code=403)
    assert desk.unresolved.stop().hold == ""


def test_the_right_token_from_a_page_of_ours_is_enough(at_desk, desk):
    ana = at_desk("ana")
    data = {"token": ana.token("/doubts"), "why": "something is odd"}
    assert ana.http.post("/sending/hold", data=data, headers={"Sec-Fetch-Site": "same-origin"}).status_code == 303
    assert desk.unresolved.stop().hold == "ana: something is odd"


def test_a_form_that_is_too_long_is_not_read(at_desk):
    at_desk("ana").post("/sending/hold", why="x" * 70_000, code=413)


@pytest.mark.parametrize(
    ("path", "role", "fields"),
    [
        ("/plans/abcdef1234/approve", Role.APPROVER, {"total": "30,00"}),
        ("/plans/abcdef1234/reject", Role.APPROVER, {"why": "no"}),
        ("/previews/x/launch", Role.PREPARER, {"launch": "x"}),
        ("/runs/x/go-on", Role.PREPARER, {}),
        ("/doubts/link", Role.RESOLVER, {"subject": "rp-x", "report": "y"}),
        ("/doubts/absent", Role.RESOLVER, {"subject": "rp-x", "evidence": "y"}),
        ("/doubts/decide", Role.RESOLVER, {"obligations": "ob-x", "kind": "pay", "evidence": "y"}),
        ("/sending/release", Role.RESOLVER, {}),
        ("/sending/unfreeze", Role.RESOLVER, {"evidence": "y"}),
    ],
)
def test_each_act_takes_its_role(at_desk, path, role, fields):
    others = [one for one in Role if one is not role]
    assert "papel" in at_desk("ana", *others).post(path, code=403, **fields)


def test_bringing_files_takes_the_role_to_prepare(at_desk, desk, job):
    (line,) = desk.jobs.list()
    approver = at_desk("ana", Role.APPROVER)
    assert "papel" in approver.bring(f"/jobs/{line.token}", [], code=403)


def files_under(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()] if folder.exists() else []


def test_an_upload_beyond_the_limit_is_told_so_and_leaves_nothing(at_desk, desk, settings, tmp_path):
    (line,) = desk.jobs.list()
    large = tmp_path / "payments.xlsx"
    large.write_bytes(b"x" * 1_200_000)
    result = at_desk("ana").bring(f"/jobs/{line.token}", [large], code=413)
    assert "limite é de 1 MB" in result
    assert files_under(settings.uploads) == []


def test_an_upload_that_does_not_tell_its_length_is_cut_off_too(at_desk, desk, settings):
    (line,) = desk.jobs.list()
    ana = at_desk("ana")
    token = ana.token(f"/jobs/{line.token}")

    def body():
        yield b'--b\r\nContent-Disposition: form-data; name="token"\r\n\r\n' + token.encode() + b"\r\n--b\r\n"
        yield b'Content-Disposition: form-data; name="file:payments"; filename="p.csv"\r\n\r\n'
        for _ in range(30):
            yield b"x" * 100_000

    headers = {"Origin": ORIGIN, "Content-Type": "multipart/form-data; boundary=b"}
    answer = ana.http.post(f"/jobs/{line.token}/preview", content=body(), headers=headers)
    assert answer.status_code == 413
    assert files_under(settings.uploads) == []


@pytest.mark.parametrize("where", ["without", "after", "wrong"])
def test_an_upload_without_its_token_before_it_leaves_nothing(at_desk, desk, settings, where):
    (line,) = desk.jobs.list()
    ana = at_desk("ana")
    token = ("token", (None, ana.token(f"/jobs/{line.token}") if where != "wrong" else "0" * 64))
    file = ("file:payments", ("p.csv", b"content"))
    parts = {"without": [file], "after": [file, token], "wrong": [token, file]}[where]
    answer = ana.http.post(f"/jobs/{line.token}/preview", files=parts, headers={"Origin": ORIGIN})
    assert answer.status_code == 403
    assert files_under(settings.uploads) == []


def test_uploads_are_kept_by_content_and_only_their_owner_reads_them(at_desk, desk, settings, job, tmp_path):
    (line,) = desk.jobs.list()
    ana, sheet = at_desk("ana"), job.parent / "payments.xlsx"
    ana.bring(f"/jobs/{line.token}", [sheet])
    other = tmp_path / "payments.xlsx"
    other.write_bytes(sheet.read_bytes() + b"\0")
    ana.bring(f"/jobs/{line.token}", [other])
    ana.bring(f"/jobs/{line.token}", [sheet])
    kept = files_under(settings.uploads)
    assert sorted(path.name for path in kept) == ["payments.xlsx", "payments.xlsx"]
    assert {path.read_bytes() for path in kept} == {sheet.read_bytes(), other.read_bytes()}
    assert {stat.S_IMODE(path.stat().st_mode) for path in kept} == {0o600}


@pytest.mark.parametrize(
    ("given", "safe"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\tmp\\pagamentos.xlsx", "pagamentos.xlsx"),
        ("..", "upload"),
        ("", "upload"),
        ("a=b\n.csv", "a_b_.csv"),
        (".hidden.csv", "hidden.csv"),
        ("x" * 400 + ".xlsx", "x" * 108 + ".xlsx"),
        ("março (2).xlsx", "março (2).xlsx"),
    ],
)
def test_a_files_name_is_only_a_name(given, safe):
    assert safe_name(given) == safe


def test_a_source_the_job_does_not_have_is_refused(at_desk, desk, job):
    (line,) = desk.jobs.list()
    at_desk("ana").bring(f"/jobs/{line.token}", [job.parent / "payments.xlsx"], source="--yes", code=400)


def test_every_word_a_page_wants_is_there():
    wanted = set()
    for template in TEMPLATES.glob("*.html"):
        wanted |= set(re.findall(r"""\bt\(["']([a-z_.]+)["'](?:\)|,)""", template.read_text(encoding="utf-8")))
    wanted |= {f"place.{place}" for place in Place} | {f"state.{state}" for state in SubmissionState}
    assert len(wanted) > 150
    assert sorted(id_ for id_ in wanted if id_ not in catalogue_in("en")) == []


def test_a_reader_chooses_the_language_and_it_stays_theirs(at_desk, desk, settings):
    ana = at_desk("ana")
    assert "O que espera" in words_of(ana.get("/"))
    ana.post("/language", language="en", after="/")
    assert "What waits" in words_of(ana.get("/"))
    again = Browser(desk, settings)
    again.sign_in("ana")
    assert "What waits" in words_of(again.get("/"))


def test_a_fault_of_the_program_tells_nothing_of_people(desk, settings, add, capfd, monkeypatch):
    def faulty(*_):
        raise LookupError("CPF 529.982.247-25 of Maria")

    monkeypatch.setattr(home, "what_waits", faulty)
    add("ana")
    browser = Browser(desk, settings)
    browser.sign_in("ana")
    answer = browser.http.get("/")
    told = answer.text + "".join(capfd.readouterr())
    assert answer.status_code == 500
    assert "LookupError" in told
    assert "529" not in told
    assert "Maria" not in told
