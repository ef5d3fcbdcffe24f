"""How far a run came, as its page tells it: from what each stage wrote down, never guessed from what it left behind."""

import re
import subprocess
import sys
from pathlib import Path

import pytest

from flows.desk.runs import STEPS
from flows.runner import PAYOUT
from tests.flows.desk.office import plan_of, prepare, words_of
from tests.flows.oracle import CREATE, LIST
from tests.stages import stages_of

pytestmark = pytest.mark.long


@pytest.fixture
def bia(at_desk):
    return at_desk("Bia Reis")


def steps_on(page: str) -> dict[str, str]:
    """Return the steps a page shows, each with how it stands there."""
    found = re.findall(r'<li class="(\w+)"[^>]*><span class="name">([^<]+)', page)
    return {name: where for where, name in found}


@pytest.mark.journey
def test_every_stage_of_a_payout_belongs_to_one_step():
    stages = [stage for names in STEPS.values() for stage in names]
    assert sorted(stages) == sorted(stages_of(PAYOUT))


@pytest.mark.journey
def test_a_run_that_waits_for_approval_says_so_and_that_nothing_was_sent(admin, the_job, service):
    shown = steps_on(admin.get(prepare(admin, the_job)))
    assert shown == {
        "Ler e calcular": "done",
        "Consultar o serviço": "done",
        "Verificar contas": "done",
        "Plano": "done",
        "Aprovação": "waiting",
        "Enviar": "skipped",
        "Acompanhar": "skipped",
        "Conciliar": "done",
    }
    assert service.posts == 0


def test_a_run_whose_plan_was_approved_leads_to_the_one_that_paid_it(admin, bia, the_job, service):
    first = prepare(admin, the_job)
    plan = plan_of(bia, first)
    second = bia.follow(bia.post(f"{plan}/approve", at=plan, total="30,00"))
    page = bia.get(first)
    assert f'<a href="{second}">A execução continuou' in page
    assert steps_on(page)["Aprovação"] == "done"
    assert set(steps_on(bia.get(second)).values()) == {"done"}
    assert f'<a href="{plan}">O plano</a>' in page
    assert service.paid == [1000, 2000]


def test_a_run_that_cannot_reach_the_service_shows_where_it_stopped_why_and_what_to_do(admin, the_job, service):
    service.plant(LIST, "status", status=503, times=None, when="before")
    page = admin.get(prepare(admin, the_job))
    shown, words = steps_on(page), words_of(page)
    assert shown["Ler e calcular"] == "done"
    assert shown["Consultar o serviço"] == "stopped"
    assert {shown[name] for name in ("Verificar contas", "Plano", "Aprovação", "Enviar", "Acompanhar")} == {"skipped"}
    assert shown["Conciliar"] == "done"
    assert "Parou em: Consultar o serviço" in words
    assert "HTTP 503" in words
    assert "O que fazer: Quando o serviço voltar a responder" in words
    assert "repasse " not in words


def test_a_batch_in_doubt_is_shown_at_the_sending_and_is_done_once_its_report_is_found(
    admin, bia, the_job, service, eventually
):
    plan = plan_of(bia, prepare(admin, the_job))
    service.plant(CREATE, "late", seconds=1.0)
    run = bia.follow(bia.post(f"{plan}/approve", at=plan, total="30,00"))
    page = bia.get(run)
    assert steps_on(page)["Enviar"] == "look"
    assert "página de dúvidas" in words_of(page)
    assert "repasse " not in words_of(page)
    eventually(lambda: bool(service.reports))
    bia.post("/settle", at="/")
    page = bia.get(run)
    assert set(steps_on(page).values()) == {"done"}
    assert "O que fazer" not in page
    assert service.paid == [1000, 2000]


STOPPED_WHILE_CHECKING = """
import sys
from pathlib import Path
from flows import runner
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.run_request import read_run_request
from flows.settings import read_settings

def check_accounts(run, drafted):
    print(run.id, flush=True)
    sys.stdin.read()
    raise SystemExit

runner.check_accounts = check_accounts
with runner.opened_run("payout", read_run_request(Path(sys.argv[1]), RunOptions(by="Ana Lima")), read_settings(),
                       QuietProgress()) as run:
    runner.walk(runner.PAYOUT, run)
"""


@pytest.mark.usefixtures("service")
def test_a_run_that_checks_accounts_is_shown_checking_accounts_and_for_how_long(admin, job: Path):
    with subprocess.Popen(
        [sys.executable, "-c", STOPPED_WHILE_CHECKING, str(job)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as child:
        run = f"/runs/{child.stdout.readline().strip()}"
        live = admin.get(f"{run}/live")
        child.kill()
        child.communicate(timeout=20)
    shown = steps_on(live)
    assert list(shown.values()) == ["done", "done", "now", "later", "later", "later", "later", "later"]
    assert shown["Verificar contas"] == "now"
    assert re.search(r"desde \d\d:\d\d:\d\d, há \d+ s", words_of(live))
    after = admin.get(run)
    assert steps_on(after)["Verificar contas"] == "stopped"
    assert "interrompida" in words_of(after)


def test_a_doubt_stays_told_at_its_step_in_both_languages(admin, bia, the_job, service):
    service.plant(LIST, "status", status=503, times=None, when="before")
    run = prepare(admin, the_job)
    admin.post("/language", at=run, language="en", after=run)
    words = words_of(admin.get(run))
    assert "Stopped at: Ask the service" in words
    assert "What to do: Once the service answers again" in words
