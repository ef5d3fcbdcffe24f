"""Starts runs by asking a Prefect server to run a deployment."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.exceptions import ObjectNotFound

from flows.walking.children import NotLaunched

PAYOUT_DEPLOYMENT: Final = "payout/payout"
SETTLE_DEPLOYMENT: Final = "settle/settle"
ANSWER_S: Final = 10.0


def is_answering() -> bool:
    """Say whether the server that the environment names is there."""
    with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
        return client.api_healthcheck() is None


class DeploymentLauncher:
    """Asks the Prefect server to run a deployment; whichever worker is free takes it."""

    def payout(self, job_path: Path, *, files: Sequence[str] = (), by: str, key: str, period: str = "") -> None:
        """Ask for a run of the payout deployment; the server knows the key and makes one run of it."""
        parameters = {"job": str(job_path.absolute()), "files": list(files), "by": by, "period": period}
        self._ask(PAYOUT_DEPLOYMENT, parameters, key)

    def settle(self, *, key: str) -> None:
        """Ask for a run of the settle deployment."""
        self._ask(SETTLE_DEPLOYMENT, {}, key)

    def _ask(self, deployment: str, parameters: dict[str, Any], key: str) -> None:
        try:  # the synchronous client serves every caller, from within an event loop too
            with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
                _create_run(client, deployment, parameters, key)
        except ObjectNotFound:
            message = f"Prefect knows no deployment {deployment}: run `prefect --no-prompt deploy --all`"
            raise NotLaunched(f"the run was not started: {message}") from None
        except Exception as error:
            what = type(error).__name__
            raise NotLaunched(
                f"the run was not started: the Prefect server that PREFECT_API_URL names does not answer ({what}). "
                "Nothing was sent, and what was recorded stands; start the run again, or leave it to the night"
            ) from error


def _create_run(client: SyncPrefectClient, deployment: str, parameters: dict[str, Any], key: str) -> None:
    found = client.read_deployment_by_name(deployment)
    client.create_flow_run_from_deployment(found.id, parameters=parameters, idempotency_key=key)
