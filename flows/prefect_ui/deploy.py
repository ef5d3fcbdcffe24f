"""What a Prefect server needs to run Repasse, made where it is missing: pool, block type, deployments, automations.

What is there already belongs to people: a pool, an automation, a pause, a schedule that was switched off or moved and a
limit stay as they are. Of a deployment only what goes with the program is brought up to date.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Final

from prefect import Flow
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate, WorkPoolCreate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions
from prefect.client.schemas.schedules import CronSchedule
from prefect.events import AutomationCore
from prefect.exceptions import ObjectNotFound
from prefect.settings import PREFECT_API_URL
from prefect.utilities.callables import parameter_schema
from ruamel.yaml import YAML

from flows.prefect_ui.deployments import ANSWER_S, RepasseCredentials, require_closed_server
from schemas.errors import ConfigurationError
from schemas.messages import Message

POOL: Final = "repasse"
_DECLARED: Final = Path(__file__).parent / "declared"


def deploy() -> list[str]:
    """Make what is missing on the server that the environment names, and bring deployments up to date.

    Runs are started in the present folder.

    Raises:
        ConfigurationError: there is no such server, or it answers whoever asks.
    """
    if not PREFECT_API_URL.value():
        raise ConfigurationError(Message("error.not_deployed", what="PREFECT_API_URL"))
    require_closed_server()
    try:
        with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
            made = [*_pool(client), *_deployments(client), *_automations(client)]
        RepasseCredentials.register_type_and_schema()
    except Exception as error:
        raise ConfigurationError(Message("error.not_deployed", what=type(error).__name__)) from error
    return made


def _pool(client: SyncPrefectClient) -> list[str]:
    try:
        client.read_work_pool(POOL)
    except ObjectNotFound:
        template = json.loads((_DECLARED / "work-pool.json").read_text(encoding="utf-8"))
        client.create_work_pool(WorkPoolCreate(name=POOL, type="process", base_job_template=template))
        return [f"work pool {POOL}"]
    return []


def _deployments(client: SyncPrefectClient) -> list[str]:
    made = []
    for declared in _read("deployments"):
        module, _, name = declared["entrypoint"].rpartition(".")
        flow: Flow[..., Any] = getattr(import_module(module), name)
        with_the_program: dict[str, Any] = {
            "entrypoint": declared["entrypoint"],
            "description": declared["description"],
            "parameter_openapi_schema": parameter_schema(flow).model_dump_for_openapi(),
            "pull_steps": [{"prefect.deployments.steps.set_working_directory": {"directory": str(Path.cwd())}}],
            "enforce_parameter_schema": True,
        }
        full_name = f"{flow.name}/{declared['name']}"
        try:
            known = client.read_deployment_by_name(full_name)
        except ObjectNotFound:
            _create(client, flow, declared, with_the_program)
            made.append(f"deployment {full_name}")
        else:
            client.update_deployment(known.id, DeploymentUpdate(**with_the_program))
    return made


def _create(
    client: SyncPrefectClient, flow: Flow[..., Any], declared: dict[str, Any], with_the_program: dict[str, Any]
) -> None:
    schedules = [
        DeploymentScheduleCreate(
            schedule=CronSchedule(cron=said["cron"], timezone=said["timezone"]), active=True, slug=said["slug"]
        )
        for said in declared.get("schedules", ())
    ]
    limit = declared.get("concurrency", {"limit": None, "strategy": "ENQUEUE"})
    client.create_deployment(
        client.create_flow(flow),
        declared["name"],
        schedules=schedules,
        concurrency_limit=limit["limit"],
        concurrency_options=ConcurrencyOptions(collision_strategy=ConcurrencyLimitStrategy(limit["strategy"])),
        parameters=declared.get("parameters", {}),
        work_pool_name=POOL,
        **with_the_program,
    )


def _automations(client: SyncPrefectClient) -> list[str]:
    declared = [AutomationCore.model_validate(automation) for automation in _read("automations")]
    missing = [automation for automation in declared if not client.read_automations_by_name(automation.name)]
    for automation in missing:
        client.create_automation(automation)
    return [f"automation {automation.name!r}" for automation in missing]


def _read(name: str) -> list[dict[str, Any]]:
    declared: list[dict[str, Any]] = YAML(typ="safe").load(_DECLARED / f"{name}.yaml")[name]
    return declared
