"""What Prefect sees of a run, on a real Prefect server; it watches, and decides nothing."""

import asyncio
import time
from pathlib import Path

import pytest
from openpyxl import load_workbook
from prefect.client.orchestration import get_client
from prefect.client.schemas.objects import FlowRun

from flows.launch import start_payout
from flows.payout import payout
from flows.run import QuietProgress
from flows.run_options import RunOptions
from flows.runner import PAYOUT, run_payout
from flows.settle import settle
from schemas.errors import ConfigurationError, ExitCode
from tests.payments_job import write_payments_job
from tests.stages import stages_of

pytestmark = [pytest.mark.long, pytest.mark.usefixtures("prefect_database")]


def newest_run() -> tuple[FlowRun, list[str]]:
    """Ask the server for its newest flow run, and the names of its tasks once all have been recorded."""

    async def ask() -> tuple[FlowRun, list[str]]:
        async with get_client() as client:
            run = max(await client.read_flow_runs(), key=lambda one: one.created)
            tasks = await client.read_task_runs()
            return run, [task.name.rsplit(" ", 1)[-1] for task in tasks if task.flow_run_id == run.id]

    wanted = len(stages_of(PAYOUT))
    until = time.monotonic() + 30
    while True:
        run, tasks = asyncio.run(ask())
        if len(tasks) >= wanted or time.monotonic() > until:
            return run, tasks
        time.sleep(0.2)


def test_a_run_that_waits_for_a_word_has_ended_and_says_so(payments_job: Path):
    state = payout(str(payments_job), return_state=True)
    run, _ = newest_run()
    assert (state.type.value, state.name) == ("COMPLETED", "AwaitingApproval")
    assert run.state_name == "AwaitingApproval"
    assert "repasse approve " in run.state.message


@pytest.mark.parametrize("payees", [3, 60])
def test_each_stage_is_one_task_whatever_the_number_of_payees(payments_job: Path, tmp_path: Path, payees: int):
    many = write_payments_job(tmp_path / "many", payees, per_batch=20)
    payout(str(many.path), yes=True, return_state=True)
    run, tasks = newest_run()
    assert run.state_name == "Settled"
    assert sorted(tasks) == sorted(stages_of(PAYOUT))


def test_a_run_that_cannot_begin_fails_with_its_reason(tmp_path: Path, payments_job: Path, monkeypatch):
    monkeypatch.delenv("REPASSE_API_URL")
    state = payout(str(payments_job), yes=True, return_state=True)
    assert state.is_failed()
    assert "REPASSE_API_URL não está definida" in state.message


def test_the_flow_started_twice_pays_once(payments_job: Path):
    first = payout(str(payments_job), yes=True, return_state=True)
    again = payout(str(payments_job), yes=True, return_state=True)
    assert [first.name, again.name] == ["Settled", "NothingToPay"]


@pytest.mark.journey
def test_what_was_begun_under_prefect_goes_on_without_it(payments_job: Path):
    payout(str(payments_job), return_state=True)
    report = run_payout(payments_job, RunOptions(yes=True))
    assert report.exit_code is ExitCode.DONE
    assert report.summary is not None
    assert report.summary.account_checks.made == 0, "answers that were paid for under Prefect are kept in the ledger"


def test_settle_says_that_nothing_is_open(payments_job: Path):
    payout(str(payments_job), yes=True, return_state=True)
    assert settle(return_state=True).type.value == "COMPLETED"


def test_prefect_records_no_document_key_account_or_email(payments_job: Path, prefect_database: Path):
    sheet = load_workbook(payments_job.parent / "payments.xlsx")["Pagamentos"]
    headers = [cell.value for cell in sheet[1]]
    private = ("CPF/CNPJ", "E-mail", "Chave Pix", "Conta")
    canaries = {
        str(row[headers.index(name)].value) for row in sheet.iter_rows(min_row=2) for name in private if name in headers
    } - {"None"}
    plain = {value.replace(".", "").replace("-", "").replace("/", "") for value in canaries}
    payout(str(payments_job), yes=True, return_state=True)
    newest_run()
    recorded = b"".join(path.read_bytes() for path in prefect_database.parent.iterdir() if path.is_file())
    assert b"payout" in recorded, "the server's database is what was searched"
    # Short account numbers could stand in any hash; what is left is unmistakable.
    found = [value for value in canaries | plain if len(value) > 7 and value.encode() in recorded]
    assert len(found) == 0, f"{len(found)} private values were found in Prefect's files"


def test_the_command_line_under_prefect_tells_why_a_run_could_not_begin(payments_job: Path, monkeypatch):
    monkeypatch.delenv("REPASSE_API_URL")
    with pytest.raises(ConfigurationError, match="REPASSE_API_URL is not set"):
        start_payout(payments_job, RunOptions(yes=True), progress=QuietProgress(), watched=True)


def test_the_command_line_under_prefect_reports_like_one_without(payments_job: Path):
    report = start_payout(payments_job, RunOptions(yes=True), progress=QuietProgress(), watched=True)
    assert (report.exit_code, report.state) == (ExitCode.DONE, "done")
