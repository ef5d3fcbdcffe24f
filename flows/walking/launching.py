"""Start a run from elsewhere - a form, the desk, a delivery of the service - without waiting for it.

Where a Prefect server watches, a deployment is asked to run; elsewhere a child process is `repasse run` or
`repasse settle`. A launch is a wish, not a record: what a run then does is what the ledger says is left to do, so one
that is lost is made up for by the next night, and one too many finds nothing to do.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from flows.settings import Settings
from flows.walking.children import ChildLauncher
from flows.walking.start import is_watched


class Launcher(Protocol):
    """Starts runs without waiting for their end."""

    def payout(self, job_path: Path, *, files: Sequence[str] = (), by: str, key: str, period: str = "") -> None:
        """Start a job's payout.

        Args:
            job_path: The job file.
            files: Files to read instead of those the job names, each as PATH or SOURCE=PATH.
            by: Who asks; prepares the plan.
            key: Names the launch: the same key again starts nothing. It carries the occasion, an approval and its
                number for instance, and nothing personal.
            period: Month to run a job for `previous_month` for; "" leaves it to the day.

        Raises:
            NotLaunched: it could not be started.
        """

    def settle(self, *, key: str) -> None:
        """Start one look at everything that is open or in doubt.

        Raises:
            NotLaunched: it could not be started.
        """


def launcher_for(settings: Settings) -> Launcher:
    """Choose by the environment: deployments where PREFECT_API_URL names a server, child processes elsewhere."""
    if is_watched():
        from flows.watched.deployments import DeploymentLauncher  # noqa: PLC0415  # Prefect takes a second to import

        return DeploymentLauncher()
    return ChildLauncher(settings)
