"""Runs started by a Prefect server, with the service's credentials from a block."""

import os
from collections.abc import MutableMapping
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final
from urllib.parse import urlsplit

from prefect.blocks.core import Block
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.exceptions import ObjectNotFound
from prefect.settings import (
    PREFECT_API_AUTH_STRING,
    PREFECT_API_KEY,
    PREFECT_API_URL,
    PREFECT_CLIENT_CUSTOM_HEADERS,
    temporary_settings,
)
from pydantic import Field, SecretStr

from flows.run_options import RunOptions
from schemas.egress import is_loopback
from schemas.errors import ConfigurationError, NotLaunched
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
        self._ask(PAYOUT_DEPLOYMENT, {"job": str(job_path.absolute()), **asdict(options)}, key)

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
