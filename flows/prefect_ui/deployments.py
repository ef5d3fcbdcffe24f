"""The deployments of a Prefect server: set up, asked for runs, and given credentials."""

import datetime as dt
import json
import os
from collections.abc import Callable, MutableMapping
from contextlib import suppress
from dataclasses import asdict
from importlib import import_module
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from prefect import Flow
from prefect.blocks.core import Block
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.actions import DeploymentScheduleCreate, DeploymentUpdate, WorkPoolCreate
from prefect.client.schemas.objects import ConcurrencyLimitStrategy, ConcurrencyOptions
from prefect.client.schemas.schedules import CronSchedule
from prefect.events import AutomationCore
from prefect.exceptions import ObjectNotFound
from prefect.settings import (
    PREFECT_API_AUTH_STRING,
    PREFECT_API_KEY,
    PREFECT_API_URL,
    PREFECT_CLIENT_CUSTOM_HEADERS,
    temporary_settings,
)
from prefect.utilities.callables import parameter_schema
from pydantic import Field, SecretStr
from ruamel.yaml import YAML

from flows.run_options import RunOptions
from flows.run_request import by_hash, declared_name, names_of_jobs
from flows.settings import read_settings
from schemas.egress import is_loopback
from schemas.errors import ConfigurationError, NotLaunched
from schemas.job import BRASILIA
from schemas.messages import Message

PAYOUT_DEPLOYMENT: Final = "payout/payout"
SETTLE_DEPLOYMENT: Final = "settle/settle"
ANSWER_S: Final = 10.0


def is_answering() -> bool:
    with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
        return client.api_healthcheck() is None


def require_closed_server() -> None:
    """Refuse a server that is not on loopback and answers whoever asks: it starts programs where the API key is.

    Raises:
        ConfigurationError: it is one.
    """
    host = urlsplit(PREFECT_API_URL.value() or "").hostname or ""
    if not host or is_loopback(host):
        return
    nobody: Any = {PREFECT_API_AUTH_STRING: None, PREFECT_API_KEY: None, PREFECT_CLIENT_CUSTOM_HEADERS: {}}
    with temporary_settings(nobody), get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
        try:
            client.read_flow_runs(limit=1)
        except Exception:  # noqa: BLE001  # it asks who that is, or is not there: then nothing is started by it
            return
    raise ConfigurationError(Message("error.prefect_open", host=host))


class DeploymentLauncher:
    """Asks the Prefect server to run a deployment; whichever worker is free takes it."""

    is_queued = True

    def payout(self, job_path: Path, options: RunOptions, *, key: str) -> None:
        """Ask for a run of the payout deployment; the server knows the key and makes one run of it."""
        asked = asdict(options) | {"files": [by_hash(text) for text in options.files]}
        self._ask(PAYOUT_DEPLOYMENT, {"job": declared_name(job_path) or str(job_path.absolute()), **asked}, key)

    def settle(self, *, key: str) -> None:
        self._ask(SETTLE_DEPLOYMENT, {}, key)

    def close(self) -> None: ...

    def _ask(self, deployment: str, parameters: dict[str, Any], key: str) -> None:
        require_closed_server()
        try:  # the synchronous client serves every caller, from within an event loop too
            with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
                _create_run(client, deployment, parameters, key)
        except ObjectNotFound:
            message = f"Prefect knows no deployment {deployment}: run `repasse deploy`"
            raise NotLaunched(Message("error.not_launched", why=message)) from None
        except Exception as error:
            what = type(error).__name__
            raise NotLaunched(Message("error.prefect_lost", what=what)) from error


def _create_run(client: SyncPrefectClient, deployment: str, parameters: dict[str, Any], key: str) -> None:
    found = client.read_deployment_by_name(deployment)
    client.create_flow_run_from_deployment(found.id, parameters=parameters, idempotency_key=key)


DEFAULT_NAME: Final = "repasse"


class RepasseCredentials(Block):
    """Where the payout service is, and the key that opens it."""

    _block_type_name = "Repasse credentials"
    _block_type_slug = "repasse-credentials"
    _description = "Address and API key of the payout service."

    base_url: str = Field(title="Base URL", description="With its prefix, such as https://host/external.")
    api_key: SecretStr = Field(title="API key", description="Sent in the header Authorization, as it is.")


def use_stored_credentials(environment: MutableMapping[str, str] = os.environ) -> None:
    """Take address and key from the block where the environment names neither; what the environment says counts.

    REPASSE_CREDENTIALS_BLOCK names the block; without it, "repasse" is used where there is one.

    Effects: sets REPASSE_API_URL and REPASSE_API_KEY of this process.

    Raises:
        ConfigurationError: the block that is named cannot be had.
    """
    if environment.get("REPASSE_API_URL") or environment.get("REPASSE_API_KEY"):
        return
    named = environment.get("REPASSE_CREDENTIALS_BLOCK", "")
    try:
        block = RepasseCredentials.load(named or DEFAULT_NAME)
    except ValueError:  # there is no such block
        if named:
            raise ConfigurationError(Message("error.no_block", name=named)) from None
        return
    except Exception as error:  # noqa: BLE001  # Prefect fails in many ways; what is missing then, settings will say
        if named:
            what = type(error).__name__
            raise ConfigurationError(Message("error.block", name=named, what=what)) from None
        return
    if not isinstance(block, RepasseCredentials):  # within an event loop Prefect answers with a promise
        raise TypeError("credentials are loaded outside of event loops")
    environment["REPASSE_API_URL"] = block.base_url
    environment["REPASSE_API_KEY"] = block.api_key.get_secret_value()


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
        flow = _flow_of(declared)
        with_the_program: dict[str, Any] = {
            "entrypoint": declared["entrypoint"],
            "description": declared["description"],
            "parameter_openapi_schema": _form_of(flow),
            "pull_steps": [{"prefect.deployments.steps.set_working_directory": {"directory": str(Path.cwd())}}],
            # What is offered is what there was when the form was made; the flow itself refuses what there is not.
            "enforce_parameter_schema": "job" not in parameter_schema(flow).properties,
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


def _form_of(flow: Flow[..., Any]) -> dict[str, Any]:
    """Return what a form asks for; jobs and months that there are are offered, where a folder of jobs is named."""
    form: dict[str, Any] = parameter_schema(flow).model_dump_for_openapi()
    jobs = names_of_jobs(read_settings())
    offers = {"job": jobs, "period": _months(dt.datetime.now(BRASILIA).date())}
    for name, choices in offers.items() if jobs else ():
        if field := form["properties"].get(name):
            is_wanted = name in form.get("required", ())
            field["enum"] = choices if is_wanted else list(dict.fromkeys(["", *choices]))
    return form


def _months(today: dt.date) -> list[str]:
    """Return the labels of this month and of those of more than a year before it, the latest first."""
    past = (today.year * 12 + today.month - 1 - back for back in range(_MONTHS_OFFERED))
    return [f"{month // 12}-{month % 12 + 1:02}" for month in past]


_MONTHS_OFFERED: Final = 15


def refresh_forms() -> None:
    """Let the forms offer the jobs and months of today; deployments that are not there stay so."""
    with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
        for declared in _read("deployments"):
            flow = _flow_of(declared)
            with suppress(ObjectNotFound):
                known = client.read_deployment_by_name(f"{flow.name}/{declared['name']}")
                client.update_deployment(known.id, DeploymentUpdate(parameter_openapi_schema=_form_of(flow)))


def offer_what_there_is(warn: Callable[..., None]) -> None:
    """Refresh the forms; a night whose Prefect does not take that is a night all the same."""
    try:
        refresh_forms()
    except Exception as error:  # noqa: BLE001  # Prefect fails in many ways
        warn("the forms could not be brought up to date (%s)", type(error).__name__)


def _flow_of(declared: dict[str, Any]) -> "Flow[..., Any]":
    module, _, name = declared["entrypoint"].rpartition(".")
    flow: Flow[..., Any] = getattr(import_module(module), name)
    return flow


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
