"""What the Prefect UI shows is so: no green bar over a doubt, figures in words, links that lead somewhere."""

import asyncio
import re
import shutil
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun, TaskRun

from flows.payout import payout
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from tests.flows.oracle import CREATE, LIST, Oracle
from tests.watched.conftest import SAMPLES

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]
DESK = "https://repasse.example.com"


@pytest.fixture
def service(payments_job: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Oracle]:
    """The stand-in service with its faults, and a desk that people can be led to."""
    with EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0)) as sandbox:
        monkeypatch.setenv("REPASSE_API_URL", sandbox.url)
        monkeypatch.setenv("REPASSE_API_KEY", sandbox.api_key)
        monkeypatch.setenv("REPASSE_DESK_URL", DESK)
        oracle = Oracle(sandbox)
        yield oracle
        oracle.close()


def newest(tasks_wanted: int) -> tuple[FlowRun, dict[str, TaskRun], str]:
    """Return the newest flow run, its tasks by stage, and everything its artifacts say."""

    async def ask() -> tuple[FlowRun, dict[str, TaskRun], str]:
        async with get_client() as client:
            run = max(await client.read_flow_runs(), key=lambda found: found.created)
            tasks = [task for task in await client.read_task_runs() if task.flow_run_id == run.id]
            pages = [page for page in await client.read_artifacts() if page.flow_run_id == run.id]
            told = "\n".join(f"{page.description}\n{page.data}" for page in pages)
            return run, {task.name.rsplit(" ", 1)[-1]: task for task in tasks}, told

    until = time.monotonic() + 30
    while True:
        run, tasks, told = asyncio.run(ask())
        if len([task for task in tasks.values() if task.end_time]) >= tasks_wanted or time.monotonic() > until:
            return run, tasks, told
        time.sleep(0.2)


def test_a_task_that_leaves_a_doubt_is_not_green_and_the_run_says_how_much(payments_job: Path, service: Oracle):
    service.plant(CREATE, "reset", when="before")
    state = payout(str(payments_job), yes=True, return_state=True)
    run, tasks, _ = newest(10)
    assert (tasks["send"].state.type.value, tasks["send"].state.name) == ("FAILED", "InDoubt")
    assert "em dúvida" in tasks["send"].state.message
    assert tasks["read"].state.type.value == "COMPLETED"
    assert (state.type.value, state.name) == ("FAILED", "InDoubt")
    assert re.search(r"Em dúvida R\$ [\d.]+,\d\d", run.state.message)
    assert f"{DESK}/runs/" in run.state.message


def test_each_stage_says_what_it_came_to_and_which_ones_it_goes_on_from(payments_job: Path, service: Oracle):
    payout(str(payments_job), yes=True, return_state=True)
    _, tasks, _ = newest(10)
    said = {name: task.state.message or "" for name, task in tasks.items()}
    assert re.fullmatch(r"\d+ linhas: \d+ usadas, 0 retidas", said["read"]), said["read"]
    assert re.fullmatch(r"a pagar \d+ · R\$ [\d.]+,\d\d; retido 0 · R\$ 0,00", said["draft"]), said["draft"]
    assert re.fullmatch(r"\d+ pagamentos em \d+ lotes?, R\$ [\d.]+,\d\d \(plano \w+\)", said["freeze_plan"])
    assert re.fullmatch(r"\d+ relatórios? aceitos?", said["send"]), said["send"]
    assert re.match(r"Pago R\$ [\d.]+,\d\d", said["write"]), said["write"]
    names = {task.id: name for name, task in tasks.items()}
    goes_on_from = {
        name: {names[found.id] for found in task.task_inputs.get("wait_for", [])} for name, task in tasks.items()
    }
    assert goes_on_from["draft"] == {"read"}
    assert goes_on_from["recover"] == {"draft"}
    assert goes_on_from["freeze_plan"] <= {"check_accounts", "recover"}
    assert goes_on_from["approve"] == {"freeze_plan"}
    assert goes_on_from["read"] == set()


def test_a_run_that_cannot_reach_the_service_is_red_where_it_stopped(payments_job: Path, service: Oracle):
    service.plant(LIST, "status", status=503, times=None, when="before")
    payout(str(payments_job), yes=True, return_state=True)
    _, tasks, _ = newest(4)
    assert sorted(tasks) == ["draft", "read", "recover", "write"]
    assert (tasks["recover"].state.type.value, tasks["recover"].state.name) == ("FAILED", "NotSent")
    assert "HTTP 503" in tasks["recover"].state.message


def test_pages_lead_to_the_desk_and_never_to_a_file(payments_job: Path, service: Oracle):
    payout(str(payments_job), return_state=True)
    run, _, told = newest(10)
    assert "file://" not in told
    (digest,) = set(re.findall(r"sha256:[0-9a-f]{64}", told))
    assert f"[Abrir na mesa]({DESK}/plans/{digest})" in told
    assert f"]({DESK}/runs/" in told
    assert f"{DESK}/plans/{digest}" in run.state.message


def test_without_a_desk_no_page_pretends_to_lead_there(payments_job: Path, service: Oracle, monkeypatch):
    monkeypatch.delenv("REPASSE_DESK_URL")
    payout(str(payments_job), return_state=True)
    _, _, told = newest(10)
    assert "reconciliation.xlsx" in told
    assert "](" not in told


def test_where_people_have_to_sign_in_no_page_names_a_command_that_would_be_refused(
    payments_job: Path, service: Oracle
):
    text = payments_job.read_text(encoding="utf-8")
    payments_job.write_text(f"{text}\napproval: {{identities: signed_in}}\n", encoding="utf-8")
    payout(str(payments_job), return_state=True)
    run, _, told = newest(10)
    for text in (told, run.state.message):
        assert "repasse approve" not in text
        assert "quem entrou com a própria senha" in text


def test_problems_are_told_in_the_jobs_language_headers_included(tmp_path: Path, service: Oracle):
    shutil.copytree(SAMPLES / "broken", tmp_path / "broken", ignore=shutil.ignore_patterns("out"))
    payout(str(tmp_path / "broken" / "job.yaml"), return_state=True)
    _, _, told = newest(4)
    assert '"o que está errado"' in told
    assert '"gravidade": "erro"' in told.lower()
    assert "what is wrong" not in told


def test_what_a_report_waits_for_is_shown_without_its_code_and_is_no_failure(payments_job: Path, service: Oracle):
    service.behave(funding="pix")
    state = payout(str(payments_job), yes=True, return_state=True)
    run, _, told = newest(10)
    assert service.awaits
    assert set(service.awaits) == {"money"}
    assert (state.type.value, run.state.name) == ("COMPLETED", "Settling")
    assert "a sua confirmação de quem recebe" in told
    assert "000201" not in told
    assert "SANDBOX" not in told
