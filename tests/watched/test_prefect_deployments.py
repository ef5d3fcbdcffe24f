"""The deployments as people use them: a night, a form, a payout that goes on; all of it real."""

import datetime as dt
import json
import os
import re
import shutil
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from uuid import UUID

import pytest
from openpyxl import load_workbook
from prefect.client.schemas.actions import DeploymentUpdate, WorkPoolUpdate
from prefect.client.schemas.objects import FlowRun, StateType
from prefect.exceptions import PrefectHTTPStatusError
from prefect.server.events.schemas.automations import EventTrigger, Posture
from prefect.server.events.schemas.events import ReceivedEvent, Resource
from prefect.states import Pending

from flows.house_ledger import open_ledger_of
from flows.prefect_ui.artifacts import APPROVAL_WANTED
from flows.run_request import names_of_jobs
from flows.settings import read_settings
from io_adapters.ledger.leases import Owner
from io_adapters.ledger.ledger import Ledger
from io_adapters.sandbox import EmbeddedSandbox, SandboxSettings
from schemas.job import BRASILIA
from schemas.submission import SubmissionState
from tests.flows.jobs import payment, people
from tests.flows.label import Label
from tests.flows.oracle import CREATE, LIST, Oracle
from tests.watched.conftest import SAMPLES
from tests.watched.installation import RUN_S, Installation, wait_for

pytestmark = [pytest.mark.long, pytest.mark.timeout(600)]

PRIVATE = ("CPF/CNPJ", "CPF", "E-mail", "Chave Pix", "Conta")


@dataclass
class Office:
    """An installation, the folder of its jobs, and the service it pays through."""

    prefect: Installation
    jobs: Path
    service: Oracle
    environment: dict[str, str]
    runs: dict[str, FlowRun] = field(default_factory=dict)

    def ledger(self) -> Ledger:
        return open_ledger_of(read_settings(self.environment))

    def digest(self, job: str) -> tuple[str, int]:
        """Return the plan of a job that waits: digest and total."""
        with self.ledger() as ledger:
            (one,) = {
                submission.plan_digest
                for submission in ledger.submissions.list(job=job, states={SubmissionState.PLANNED}, bodies=False)
            }
            return one, ledger.plans.get(one).total_cents


@pytest.fixture(scope="module")
def office(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Office]:
    folder = tmp_path_factory.mktemp("office")
    jobs = folder / "jobs"
    shutil.copytree(SAMPLES / "payments", jobs / "payments", ignore=shutil.ignore_patterns("out"))
    shutil.copytree(SAMPLES / "broken", jobs / "broken", ignore=shutil.ignore_patterns("out"))
    (jobs / "wrong.yaml").write_text("job: wrong\nperiod: tomorrow\n")
    late = Label(folder / "jobs" / "late")
    late.declare(job="late", period="previous_month", sources=[{"files": "pay-{period}.xlsx", "layout": "payments"}])
    with EmbeddedSandbox(settings=SandboxSettings(processing_after_s=0, done_after_s=0)) as sandbox:
        service = Oracle(sandbox)
        environment = {
            **{name: value for name, value in os.environ.items() if not name.startswith(("REPASSE_", "PREFECT_"))},
            "REPASSE_HOME": str(folder / "home"),
            "REPASSE_JOBS": str(jobs),
            "REPASSE_API_URL": service.url,
            "REPASSE_API_KEY": service.api_key,
        }
        home = folder / "prefect"
        home.mkdir()
        installation = Installation(home, environment)
        try:
            installation.start_server()
            installation.deploy()
            installation.start_worker()
            yield Office(installation, jobs, service, environment)
        finally:
            installation.stop()
            service.close()


def run(office: Office, deployment: str, **parameters: object) -> FlowRun:
    return office.prefect.end_of(office.prefect.begin(deployment, dict(parameters)))


@pytest.fixture(scope="module")
def night(office: Office) -> FlowRun:
    """The first night: one job has payments, one a sheet full of mistakes, one no file yet, one no sense."""
    return run(office, "nightly/nightly")


@pytest.fixture(scope="module")
def approved(office: Office, night: FlowRun) -> tuple[FlowRun, FlowRun]:
    """A person's yes in the form, and the payout it starts."""
    digest, total_cents = office.digest("aurora-payments")
    total = f"{total_cents // 100},{total_cents % 100:02d}"
    form = run(office, "approve/approve", digest=digest, total=total, name="Ana Lima", decision="approve")
    started = office.prefect.ask("POST", "/flow_runs/filter", {"flows": {"name": {"any_": ["payout"]}}, "limit": 5})
    assert len(started) == 1, form.state.message
    return form, office.prefect.end_of(UUID(started[0]["id"]))


def test_the_deployments_are_those_people_were_promised(office: Office):
    found = {one["name"]: one for one in office.prefect.ask("POST", "/deployments/filter", {})}
    assert set(found) == {"nightly", "payout", "settle", "approve", "contacts"}
    (schedule,) = found["nightly"]["schedules"]
    assert schedule["schedule"] == {"cron": "30 2 * * *", "timezone": "America/Sao_Paulo", "day_or": True}
    form = found["approve"]["parameter_openapi_schema"]
    assert form["properties"]["decision"]["enum"] == ["approve", "reject"]
    assert all("description" in field for field in form["properties"].values())
    assert not any("key" in name for one in found.values() for name in one["parameter_openapi_schema"]["properties"])


@pytest.mark.parametrize(("deployment", "also"), [("payout", []), ("contacts", []), ("settle", [""])])
def test_forms_offer_the_jobs_that_there_are(office: Office, night: FlowRun, deployment: str, also: list[str]):
    """Also one that was made since the forms were: the night has brought them up to date."""
    found = {one["name"]: one for one in office.prefect.ask("POST", "/deployments/filter", {})}
    offered = found[deployment]["parameter_openapi_schema"]["properties"]["job"]["enum"]
    assert offered[: len(also)] == also
    assert set(offered) - {""} == set(names_of_jobs(read_settings(office.environment)))
    assert "aurora-payments" in offered


def test_the_form_of_a_payout_offers_months(office: Office):
    found = {one["name"]: one for one in office.prefect.ask("POST", "/deployments/filter", {})}
    offered = found["payout"]["parameter_openapi_schema"]["properties"]["period"]["enum"]
    assert offered[:2] == ["", f"{dt.datetime.now(BRASILIA):%Y-%m}"]
    assert offered[1:] == sorted(offered[1:], reverse=True)
    assert "hash" in found["payout"]["description"], "and says how a file is named there"


def three_reports(office: Office, name: str, *amounts: str) -> Label:
    """Write a job of three payments in three reports, apart from those of the night."""
    (office.jobs / "by-hand").mkdir(exist_ok=True)
    label = Label(office.jobs / "by-hand" / name)
    label.declare(job=name, rules={"max_payments_per_batch": 1})
    rows = zip(people(3), amounts, strict=True)
    label.payments(*(payment(who, amount, name) for who, amount in rows))
    return label


def test_a_night_runs_what_is_due_and_tells_of_every_job(office: Office, night: FlowRun):
    page = str(office.prefect.artifacts(night.id)["nightly"].data)
    lines = {line.split("|")[1].strip(): line for line in page.splitlines() if line.startswith("| ")}
    assert "espera aprovação" in lines["aurora-payments"]
    assert "espera aprovação" in lines["aurora-broken"], "the rows that are right"
    assert "ainda não chegaram" in lines["late"]
    assert "não pôde começar" in lines["wrong.yaml"]
    assert (night.state.type.value, night.state.name) == ("FAILED", "Configuration"), "one job makes no sense"
    assert {"job:aurora-payments", "job:aurora-broken"} <= set(night.tags)
    assert office.service.posts == 0


def test_a_plan_that_waits_is_shown_with_its_totals_and_somebody_is_called(office: Office, night: FlowRun):
    digest, _ = office.digest("aurora-payments")
    page = str(office.prefect.artifacts(night.id)["plan-aurora-payments"].data)
    assert digest in page
    assert re.search(r"R\$ [\d.]+,\d\d", page)
    called = {event["resource"]["repasse.job"]: event["payload"] for event in office.prefect.events(APPROVAL_WANTED, 2)}
    assert called["aurora-payments"]["digest"] == digest
    assert set(called["aurora-payments"]) == {"run", "job", "period", "digest", "payments", "total_cents"}


def test_problems_are_a_table_of_masked_values(office: Office, night: FlowRun):
    rows = json.loads(str(office.prefect.artifacts(night.id)["problems-aurora-broken"].data))
    assert {"TAXID_CHECK", "AMOUNT_FORMAT"} & {row["regra"] for row in rows}
    wanted = {"arquivo", "célula", "o que está errado", "o que seria certo", "valor"}
    assert all(set(row) >= wanted for row in rows), "told in the job's language"


def test_progress_of_checks_is_shown(office: Office, night: FlowRun):
    shown = [
        artifact for key, artifact in office.prefect.artifacts(night.id).items() if key.startswith("account-checks")
    ]
    assert [artifact.data for artifact in shown] == [100, 100], "of both jobs that were run"


def test_another_total_is_no_approval(office: Office, night: FlowRun):
    digest, _ = office.digest("aurora-payments")
    refused = run(office, "approve/approve", digest=digest, total="1,00", name="Ana Lima", decision="approve")
    assert refused.state.type.value == "FAILED"
    assert "nada foi registrado" in refused.state.message
    with pytest.raises(Exception, match=r"409|422"):
        office.prefect.begin("approve/approve", {"digest": digest, "total": "1", "name": "Ana", "decision": "maybe"})


def test_the_form_starts_the_rest_and_people_are_paid_once(office: Office, approved: tuple[FlowRun, FlowRun]):
    form, payout = approved
    assert (form.state.name, payout.state.name) in {("Approved", "Settled"), ("Approved", "RowsHeld")}
    assert payout.name.startswith("payout aurora-payments 20")
    assert {"job:aurora-payments"} <= set(payout.tags)
    assert any(tag.startswith("period:") for tag in payout.tags)
    paid = office.service.paid
    assert len(paid) == len(set(office.service.paid_for)) > 0
    shown = office.prefect.artifacts(payout.id)
    assert "Conciliação" in str(shown["reconciliation-aurora-payments"].data)
    assert "reconciliation.xlsx" in str(shown["outputs-aurora-payments"].data)


def test_what_has_been_done_is_not_done_again(office: Office, approved: tuple[FlowRun, FlowRun]):
    posts, lists = office.service.posts, office.service.calls(LIST)
    idle = run(office, "settle/settle")
    assert (idle.state.type.value, idle.state.name) == ("COMPLETED", "NothingOpen")
    assert office.service.calls(LIST) == lists, "the service is not asked when nothing is open"
    again = office.prefect.begin("payout/payout", {"job": str(office.jobs / "payments" / "job.yaml")})
    night = office.prefect.begin("nightly/nightly")
    assert office.prefect.end_of(again).state.name in {"NothingToPay", "RowsHeld"}
    page = str(office.prefect.artifacts(office.prefect.end_of(night).id)["nightly"].data)
    assert page.count("nada de novo") == 2
    assert office.service.posts == posts


def test_the_same_run_executed_by_two_processes_at_once_pays_once(office: Office):
    label = three_reports(office, "twice", "10,00", "20,00", "30,00")
    office.service.plant(CREATE, "hang", seconds=1.0, times=None)
    before = office.service.posts
    with office.prefect.client() as client:
        deployment = client.read_deployment_by_name("payout/payout")
        parameters = {"job": str(label.job), "yes": True}
        pending = client.create_flow_run_from_deployment(deployment.id, parameters=parameters, state=Pending())
    both = [office.prefect.execute(pending.id) for _ in range(2)]
    for process in both:
        process.wait(RUN_S)
    office.service.clear()
    told = office.prefect.end_of(pending.id)
    assert office.service.posts == before + 3
    with office.ledger() as ledger:
        states = [submission.state for submission in ledger.submissions.list(job="twice", bodies=False)]
    assert states == [SubmissionState.PAID] * 3
    assert told.state.name in {"Settled", "NothingToPay"}, told.state.message


def test_setting_a_server_up_again_keeps_what_its_admin_has_changed(office: Office):
    """A pause, limits, parameters, the pool, an automation that is switched off; all else is there once."""
    with office.prefect.client() as client:
        payout, settle = (client.read_deployment_by_name(f"{name}/{name}") for name in ("payout", "settle"))
        assert settle.global_concurrency_limit.limit == 1
        assert settle.concurrency_options.collision_strategy.value == "CANCEL_NEW"
        changed = DeploymentUpdate(paused=True, concurrency_limit=3, parameters={"job": "x.yaml"}, description="ours")
        client.update_deployment(payout.id, changed)
        client.update_work_pool("repasse", WorkPoolUpdate(concurrency_limit=7))
        (late,) = client.read_automations_by_name("Repasse: a run is late, or has crashed")
        client.pause_automation(late.id)
    assert "deploy" not in office.prefect.run("repasse", "deploy", "--json").split("made")[1]
    with office.prefect.client() as client:
        again = client.read_deployment_by_name("payout/payout")
        assert (again.paused, again.global_concurrency_limit.limit) == (True, 3)
        assert (again.parameters, again.entrypoint) == ({"job": "x.yaml"}, "flows.payout.payout")
        assert again.description != "ours", "what goes with the program is brought up to date"
        assert client.read_work_pool("repasse").concurrency_limit == 7
        assert not client.read_automations_by_name(late.name)[0].enabled
        client.update_deployment(payout.id, DeploymentUpdate(paused=False, concurrency_limit=None, parameters={}))
    found = office.prefect.ask("POST", "/automations/filter", {})
    assert len(found) == len({one["name"] for one in found}) == 6
    assert {action["type"] for one in found for action in one["actions"]} == {"change-flow-run-state", "do-nothing"}


def test_the_automation_that_expects_a_night_knows_one_by_what_the_server_says_of_it(office: Office):
    """And takes no other run for one, and none that failed, as those of this office do: one of its jobs is wrong."""
    (declared,) = [one for one in office.prefect.ask("POST", "/automations/filter", {}) if "night" in one["name"]]
    trigger = EventTrigger.model_validate(declared["trigger"])
    assert (trigger.posture, trigger.within) == (Posture.Proactive, dt.timedelta(hours=26))
    ended = {
        str(office.prefect.begin(f"{name}/{name}", {})): kind
        for name, kind in (("nightly", "FAILED"), ("settle", "COMPLETED"))
    }
    for run_id in ended:
        office.prefect.end_of(UUID(run_id))

    def ends() -> dict[str, ReceivedEvent] | None:
        ids = [f"prefect.flow-run.{run_id}" for run_id in ended]
        asked = {"filter": {"any_resource": {"id": ids}, "event": {"prefix": ["prefect.flow-run."]}}}
        told = map(ReceivedEvent.model_validate, office.prefect.ask("POST", "/events/filter", asked)["events"])
        found = {event.resource.id.rpartition(".")[2]: event for event in told if kind_of(event) in ended.values()}
        return found if found.keys() == ended.keys() else None

    def kind_of(event: ReceivedEvent) -> str:
        return event.resource.get("prefect.state-type") or ""

    events = wait_for("the ends of both", ends, RUN_S)
    night, settled = (events[run_id] for run_id in ended)
    assert not any(map(trigger.covers, (night, settled)))
    labels = {**night.resource.root, "prefect.state-type": "COMPLETED"}
    assert trigger.covers(night.model_copy(update={"resource": Resource(labels)})), "one that ended well"


@pytest.mark.parametrize(
    ("held", "deployment", "name"),
    [("held", "payout/payout", "AnotherRun"), (":nightly", "nightly/nightly", "AnotherNight")],
)
def test_what_another_has_at_hand_is_left_to_it_and_nothing_has_failed(office: Office, held, deployment, name):
    label = Label(office.jobs / "held")
    label.declare(job="held", sources=[{"files": "payments.xlsx", "layout": "payments"}])
    me = Owner.current("somebody-else")
    with office.ledger() as ledger:
        ledger.leases.take(held, me, 600.0)
        try:
            ended = run(office, deployment, **({"job": str(label.job)} if held == "held" else {}))
        finally:
            ledger.leases.release(held, me)
            shutil.rmtree(label.folder)
    assert (ended.state.type, ended.state.name) == (StateType.CANCELLED, name)


def test_the_servers_database_holds_nothing_personal(office: Office, approved: tuple[FlowRun, FlowRun]):
    everything = office.prefect.dump()
    assert "aurora-payments" in everything, "the server's database is what was searched"
    canaries = set[str]()
    for book in office.jobs.glob("*/*.xlsx"):
        for sheet in load_workbook(book, read_only=True).worksheets:
            headers, *rows = [[str(cell or "") for cell in row] for row in sheet.iter_rows(values_only=True)] or [[]]
            columns = [headers.index(name) for name in PRIVATE if name in headers]
            canaries |= {row[at] for row in rows for at in columns if at < len(row)}
    canaries |= {re.sub(r"[.\-/]", "", value) for value in canaries} | {office.service.api_key}
    # Short account numbers could stand in any hash; what is left is unmistakable.
    found = [value for value in canaries if len(value) > 7 and len(set(value)) > 3 and value in everything]
    assert len(canaries) > 50
    assert len(found) == 0, f"{len(found)} private values were found in what Prefect keeps"


def test_a_prefect_that_dies_while_money_is_sent_stops_nothing(office: Office):
    label = three_reports(office, "alone", "11,00", "21,00", "31,00")  # what looks paid before needs a word
    office.service.plant(CREATE, "hang", seconds=2.0, times=None)
    before = office.service.posts
    begun = office.prefect.begin("payout/payout", {"job": str(label.job), "yes": True})
    wait_for("the first report", lambda: office.service.posts > before or None, RUN_S)
    office.prefect.kill()
    with office.ledger() as ledger:
        wait_for("the payments", lambda: ended(ledger, "alone"), RUN_S)
    office.service.clear()
    assert office.service.posts == before + 3
    books = label.folder / "out/alone"
    wait_for("the books, written without Prefect", lambda: list(books.glob("*/*/summary.json")) or None, RUN_S)
    office.prefect.start_server()
    again = run(office, "payout/payout", job=str(label.job), yes=True)
    assert again.state.name == "NothingToPay"
    assert office.service.posts == before + 3
    assert office.prefect.end_of(begun).state.name == "Settled", "the run tells its end to a server that is back"


def ended(ledger: Ledger, job: str) -> bool | None:
    """Whether all reports of a job have been paid."""
    states = [submission.state for submission in ledger.submissions.list(job=job, bodies=False)]
    return (len(states) == 3 and set(states) == {SubmissionState.PAID}) or None


def test_from_prefect_only_jobs_of_the_folder_are_paid_on_files_that_lie_there(office: Office, tmp_path: Path):
    posts = office.service.posts
    elsewhere = Label(tmp_path / "elsewhere")
    elsewhere.declare(job="elsewhere", approval={"above": "100000.00"})
    elsewhere.payments(payment(people(1)[0], "10,00"))
    link = office.jobs / "by-hand" / "link.yaml"
    link.parent.mkdir(exist_ok=True)
    link.symlink_to(elsewhere.job)
    for job in (elsewhere.job, link):
        ended = run(office, "payout/payout", job=str(job), yes=True, by="Ana Lima")
        assert ended.state.name == "Configuration", ended.state.message
    inside = str(office.jobs / "payments" / "job.yaml")
    ended = run(office, "payout/payout", job=inside, files=[str(elsewhere.folder / "payments.xlsx")], yes=True)
    assert ended.state.name == "Configuration"
    assert office.service.posts == posts


def test_nobody_gives_a_run_a_command_or_an_environment(office: Office, tmp_path: Path):
    stolen = tmp_path / "stolen"
    job = {"job": str(office.jobs / "payments" / "job.yaml")}
    for given in ({"command": f"sh -c 'env > {stolen}'"}, {"env": {"REPASSE_POLICY": "", "BASH_ENV": str(stolen)}}):
        with office.prefect.client() as client:
            found = client.read_deployment_by_name("payout/payout")
            with suppress(PrefectHTTPStatusError):  # the server may refuse it at once
                asked = client.create_flow_run_from_deployment(found.id, parameters=job, job_variables=given)
                office.prefect.end_of(asked.id)
    assert not stolen.exists()
