"""What people read when a job file is gone, a run was killed, the ledger is busy, or the service is away."""

import json
import re
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from hashlib import sha256
from pathlib import Path

import pytest

from flows.house_ledger import open_ledger_of
from flows.settings import read_settings
from schemas.approval import Role
from schemas.errors import ExitCode, NotLaunched
from schemas.messages import Message, catalogue_in
from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.jobs import declare, payment, people, write_sheet

FOUND = "O que foi reconhecido"
pytestmark = pytest.mark.long


def looked_at(who, job, files=()):
    look = who.bring(job, files)
    who.wait_for(look, FOUND)
    return look


def launch(who, look, **how):
    nonce = re.search(r'name="launch" value="([^"]+)"', who.get(look))[1]
    return who.post(f"{look}/launch", at=look, launch=nonce, **how)


BROKEN = [
    b"",
    b"\0\x01\x02",
    b"\xff\xfe\xfa",
    b"- a\n- b\n",
    b"job: [",
    b"job: &a [*a]\n",
    b"[" * 1_500,
    b"a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n",
    b"job: <script>alert(1)</script>\n",
]


@pytest.mark.parametrize("content", BROKEN, ids=range(len(BROKEN)))
def test_a_job_file_that_is_broken_is_shown_as_broken_and_hides_no_other(admin, job, content):
    (job.parent.parent / "other.yaml").write_bytes(content)
    page = admin.get("/")
    assert "aurora" in page
    assert "other.yaml" in page
    (address,) = re.findall(r'href="(/jobs/\w+)">other.yaml', page)
    page = admin.get(address)
    assert "O arquivo do job tem erros" in page
    assert "<script>alert" not in page


@pytest.mark.journey
def test_a_job_file_that_vanishes_is_told_on_every_page_that_needs_it(admin, job, the_job, desk):
    look = looked_at(admin, the_job)
    job.unlink()
    assert "Nenhum job" in words_of(admin.get("/"))
    admin.get(the_job, code=404)
    assert "esse job não existe" in launch(admin, look, code=422)


@pytest.mark.journey
def test_a_job_file_that_becomes_a_folder_is_no_job(admin, job, the_job):
    job.unlink()
    job.mkdir()
    admin.get("/")
    admin.get(the_job, code=404)


BAD_SHEETS = {
    "empty.xlsx": b"",
    "empty.csv": b"",
    "text.xlsx": b"Nome;Valor\n",
    "encrypted.xlsx": b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 4_000,
    "noise.csv": bytes(range(256)) * 40,
    "cut.zip": b"PK\x03\x04",
}


@pytest.mark.parametrize("name", BAD_SHEETS)
def test_a_sheet_nobody_can_read_is_a_page_in_words(admin, the_job, tmp_path, name):
    sheet = tmp_path / name
    sheet.write_bytes(BAD_SHEETS[name])
    look = looked_at(admin, the_job, [sheet])
    page = words_of(admin.get(look))
    assert name in page
    assert "Iniciar a execução" not in page
    assert "fault" not in page


def test_a_look_that_failed_is_taken_again_once_the_files_are_there(admin, job, the_job, tmp_path):
    sheet = job.parent / "payments.xlsx"
    content = sheet.read_bytes()
    sheet.unlink()
    look = looked_at(admin, the_job)
    assert "payments.xlsx" in words_of(admin.get(look))
    sheet.write_bytes(content)
    assert "30,00" in words_of(admin.get(looked_at(admin, the_job)))


def test_what_was_looked_at_in_one_month_is_run_for_that_month_in_the_next(admin, job, desk, clock, launcher):
    write_sheet(job.parent / "payments-any.xlsx", [payment(people(1)[0], "10,00")])
    sources = [{"files": "payments*.xlsx", "layout": "payments"}]
    declare(job, period="previous_month", sources=[{**sources[0], "files": "{period}.xlsx"}])
    (line,) = desk.jobs.list()
    month = line.period
    (job.parent / "payments-any.xlsx").rename(job.parent / f"{month}.xlsx")
    look = looked_at(admin, f"/jobs/{line.token}")
    started = []
    launcher.payout = lambda _job, options, **_: started.append(options.period)
    clock.move(days=32)
    admin.sign_in("Ana Lima")
    assert desk.jobs.list()[0].period != month
    launch(admin, look, does=None)
    assert started == [month]


KILLED = """
import os, signal, sys
from flows.settings import read_settings
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.runner import opened_run
from pathlib import Path
request = read_run_request(Path(sys.argv[1]), RunOptions(by="Ana Lima"))
with opened_run("payout", request, read_settings(), QuietProgress()) as run:
    print(run.id, flush=True)
    os.kill(os.getpid(), signal.SIGKILL)
"""


@pytest.mark.usefixtures("service")
def test_a_run_that_was_killed_says_so_and_lets_one_go_on(admin, job, launcher):
    child = [sys.executable, "-c", KILLED, str(job)]
    done = subprocess.run(child, check=False, capture_output=True, text=True, timeout=60)
    assert done.returncode == -signal.SIGKILL, done.stderr
    run = f"/runs/{done.stdout.strip()}"
    page = admin.get(run)
    assert "interrompida" in words_of(page)
    assert 'data-running="no"' in page
    assert "interrompida" in words_of(admin.get("/"))
    assert "interrompida" in words_of(admin.get("/runs"))
    after = admin.follow(admin.post(f"{run}/go-on", at=run))
    assert "espera aprovação" in words_of(admin.get(after))
    assert "interrompida" in words_of(admin.get(run))


@pytest.mark.usefixtures("service")
def test_a_run_that_goes_on_is_not_called_interrupted(admin, job):
    waits = KILLED.replace("os.kill(os.getpid(), signal.SIGKILL)", "sys.stdin.read()")
    with subprocess.Popen(
        [sys.executable, "-c", waits, str(job)], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    ) as child:
        run = f"/runs/{child.stdout.readline().strip()}"
        page = admin.get(run)
        child.stdin.close()
        child.wait(20)
    assert 'data-running="yes"' in page
    assert "em andamento" in words_of(page)
    assert 'data-running="no"' in admin.get(run)


def test_a_launch_that_found_the_job_busy_can_be_tried_again(admin, the_job, launcher, environment):
    look, started = looked_at(admin, the_job), []
    launcher.payout = lambda *_, key, **__: started.append(key)
    first = launch(admin, look, does=None)
    nonce_again = {"does": None, "launch": re.search(r'name="launch" value="([^"]+)"', admin.get(look))[1]}
    second = admin.post(f"{look}/launch", at=look, **nonce_again)
    assert admin.post(f"{look}/launch", at=look, **nonce_again) == second != first  # pressed twice, started once
    said(environment, second, "aurora is held by a run")
    assert "held by a run" in words_of(admin.get(second))
    third = admin.post(f"{look}/launch", at=look, **nonce_again)
    assert third not in {first, second}
    assert started == [path.rpartition("/")[2] for path in (first, second, third)]


def said(environment: Path, launched: str, words: str) -> None:
    """Leave what a child says that could not begin, where children leave it."""
    folder = environment / "home" / "launched"
    folder.mkdir(exist_ok=True)
    name = sha256(launched.rpartition("/")[2].encode()).hexdigest()[:32]
    (folder / f"{name}.log").write_text(json.dumps({"exit_code": 30, "error": words}, indent=1))


@pytest.mark.usefixtures("service")
def test_a_plan_with_all_its_words_that_is_not_sent_yet_says_so_and_the_total_begins_it(
    admin, job, the_job, launcher, environment, service
):
    declare(job, approval={"other_than_preparer": False})
    run = admin.follow(launch(admin, looked_at(admin, the_job)))
    plan = re.search(r'href="(/plans/sha256:[0-9a-f]{64})"', admin.get(run))[1]
    runs_here = launcher.payout
    launcher.payout = lambda *_, **__: None  # the child finds the job busy
    said(environment, admin.post(f"{plan}/approve", at=plan, total="30,00"), "aurora is held by a run")
    page = words_of(admin.get(plan))
    assert "tem todas as aprovações" in page
    assert "Falta 1 aprovação" not in page
    assert "o envio ainda não começou" in words_of(admin.get("/"))
    launcher.payout = runs_here
    assert "Concluído." in words_of(admin.get(admin.follow(admin.post(f"{plan}/approve", at=plan, total="30,00"))))
    assert service.paid == [1000, 2000]


@pytest.mark.usefixtures("service")
def test_a_plan_whose_job_file_is_gone_says_who_is_missing_cannot_be_known(admin, job, the_job):
    declare(job, approval={"other_than_preparer": False})
    run = admin.follow(launch(admin, looked_at(admin, the_job)))
    plan = re.search(r'href="(/plans/sha256:[0-9a-f]{64})"', admin.get(run))[1]
    content = job.read_bytes()
    job.write_bytes(b"job: [")
    page = words_of(admin.get(plan))
    assert "não pode ser lido agora" in page
    assert "de 0 pessoa" not in page
    assert admin.post(f"{plan}/approve", at=plan, total="30,00") == plan
    job.unlink()
    admin.get(plan)
    admin.get("/")
    job.write_bytes(content)
    assert "tem todas as aprovações" in words_of(admin.get(plan))


@pytest.fixture
def impatient(monkeypatch):
    """Wait for a moment where one would wait for ten seconds."""
    monkeypatch.setattr("io_adapters.ledger.engine.BUSY_TIMEOUT_S", 0.3)


def test_pages_are_read_and_words_are_refused_in_words_while_another_program_has_the_ledger(
    impatient, admin, environment, clock
):
    with closing(sqlite3.connect(environment / "home" / "ledger.db", isolation_level=None)) as other:
        token = admin.token("/doubts")
        clock.move(minutes=5)  # the session's last use would be written down
        other.execute("BEGIN IMMEDIATE")
        assert "O que espera" in words_of(admin.get("/"))
        assert "0.3" in admin.post("/sending/hold", token=token, why="odd", code=422)
        other.execute("ROLLBACK")
    admin.post("/sending/hold", at="/doubts", why="odd")


@pytest.mark.usefixtures("service")
def test_outputs_that_are_gone_and_folders_that_lead_elsewhere_are_not_offered(admin, the_job, job):
    run = admin.follow(launch(admin, looked_at(admin, the_job)))
    folder = next((job.parent / "out").rglob("summary.json")).parent
    (folder / "statements").symlink_to("/etc")
    assert "demonstrativos" not in words_of(admin.get(run))
    assert "passwd" not in admin.get(f"{run}/statements")
    link = re.search(r'href="([^"]+)" download>summary.json', admin.get(run))[1]
    (folder / "summary.json").unlink()
    assert admin.http.get(link).status_code == 404
    assert "summary.json" not in admin.get(run)


def test_moments_are_told_by_the_clock_of_brasilia_and_the_page_says_so(admin):
    with open_ledger_of(read_settings()) as ledger:
        run = ledger.runs.begin("r1", "aurora", "2026-10", "payout", "Ana Lima", "job.yaml")
    page = admin.get("/runs")
    local = f"{run.started_at.hour - 3:02d}:" if run.started_at.hour >= 3 else f"{run.started_at.hour + 21:02d}:"
    shown = re.search(r"<time[^>]*>\d\d/\d\d/\d{4} (\d\d:)", page)[1]
    assert shown == local
    assert "Horários de Brasília (UTC−3)" in words_of(page)


def test_every_way_a_run_ends_has_its_words():
    assert all(f"desk.exit.{int(code)}" in catalogue_in("en") for code in ExitCode)


def test_every_end_that_leaves_something_to_do_says_what():
    ends = set(ExitCode) - {ExitCode.DONE, ExitCode.USAGE, ExitCode.APPROVAL_WANTED}
    assert [code for code in ends if f"desk.todo.{int(code)}" not in catalogue_in("pt-BR")] == []


def test_what_waits_is_a_place_and_not_a_list_of_questions(admin):
    assert "Dúvidas" not in words_of(admin.get("/doubts"))
    assert "Em dúvida" in words_of(admin.get("/doubts"))


@pytest.mark.usefixtures("service")
def test_looking_at_the_service_now_says_that_it_was_asked(admin):
    page = words_of(admin.get(admin.post("/settle", at="/doubts")))
    assert "está sendo consultado" in page
    assert "está sendo" not in words_of(admin.get("/?done=<script>"))


@pytest.mark.parametrize("role", list(Role))
def test_somebody_with_one_role_sees_every_page(at_desk, role):
    one = at_desk("somebody", role)
    for page in ("/", "/runs", "/doubts"):
        one.get(page)


@pytest.mark.usefixtures("service")
def test_a_yes_whose_run_cannot_be_started_is_on_record_and_its_page_says_what_is_wrong(ana, bia, the_job, launcher):
    def nobody_there(*_: object, **__: object) -> None:
        raise NotLaunched(Message("error.not_launched", why="no worker"))

    plan = plan_of(bia, prepare(ana, the_job))
    launcher.payout = nobody_there
    told = bia.post(f"{plan}/approve", at=plan, code=422, total="30,00")
    assert "no worker" in told
    assert "Onde está cada centavo" in told, "it is the plan's own page"
    assert "Bia Reis" in words_of(bia.get(plan)).split("espera aprovação")[-1]
