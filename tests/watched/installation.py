"""A whole installation on loopback: a Prefect server, the deployments, and a worker that runs them."""

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, TypeVar
from uuid import UUID

import httpx
from prefect.client.orchestration import SyncPrefectClient, get_client
from prefect.client.schemas.filters import ArtifactFilter, ArtifactFilterFlowRunId
from prefect.client.schemas.objects import Artifact, FlowRun
from prefect.settings import PREFECT_API_URL, temporary_settings

ROOT = Path(__file__).parents[2]
BIN = Path(sys.executable).parent
START_S = 180.0
RUN_S = 180.0

T = TypeVar("T")


def free_port() -> int:
    """Find a port that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def wait_for(what: str, ask: Callable[[], T | None], within_s: float) -> T:
    """Ask until there is an answer; a server that is too busy to give one is asked again."""
    until = time.monotonic() + within_s
    while time.monotonic() < until:
        with suppress(httpx.TimeoutException):
            answer = ask()
            if answer is not None:
                return answer
        time.sleep(0.25)
    raise AssertionError(f"{what}: not within {within_s:.0f} s")


class Installation:
    """What a person has in front of them: the server's API, and a worker behind it.

    Attributes:
        home: Folder of the server, its database and the logs.
        url: Of the API.
    """

    def __init__(self, home: Path, environment: Mapping[str, str]) -> None:
        self.home = home
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}/api"
        self._environment = dict(environment) | {
            "PREFECT_HOME": str(home),
            "PREFECT_API_URL": self.url,
            "PREFECT_SERVER_ANALYTICS_ENABLED": "false",
            "PREFECT_SERVER_UI_ENABLED": "false",  # its pages are copied at each start, and nobody looks at them
            "PREFECT_SERVER_ALLOW_EPHEMERAL_MODE": "false",
            "PREFECT_CLI_WRAP_LINES": "false",
        }
        self._started: list[subprocess.Popen[bytes]] = []
        self._server: subprocess.Popen[bytes] | None = None

    def start_server(self) -> None:
        """Start a Prefect server, and wait until it answers."""
        served = ("prefect", "server", "start", "--host", "127.0.0.1", "--port", str(self.port))
        self._server = self._start("server", *served)
        wait_for("the Prefect server", self._healthy, START_S)

    def _healthy(self) -> bool | None:
        try:
            return httpx.get(f"{self.url}/health", timeout=5).is_success or None
        except httpx.HTTPError:
            return None

    def deploy(self) -> None:
        """Do what the README says: make pool, deployments and automations."""
        self.run("repasse", "deploy")

    def start_worker(self) -> None:
        """Start a worker that takes runs a moment after they are due."""
        seconds = {"PREFECT_WORKER_QUERY_SECONDS": "1", "PREFECT_WORKER_PREFETCH_SECONDS": "1"}
        self._start("worker", "prefect", "worker", "start", "--pool", "repasse", more=seconds)

    def run(self, *command: str, code: int = 0) -> str:
        """Run a command of the installation to its end."""
        done = subprocess.run(
            [str(BIN / command[0]), *command[1:]],
            cwd=ROOT,
            env=self._environment,
            capture_output=True,
            text=True,
            timeout=START_S,
            check=False,
        )
        assert done.returncode == code, done.stdout[-2000:] + done.stderr[-2000:]
        return done.stdout

    def execute(self, run_id: UUID) -> subprocess.Popen[bytes]:
        """Execute a flow run as a worker's child process does."""
        return self._start("execute", "prefect", "flow-run", "execute", str(run_id))

    def _start(self, log: str, *command: str, more: Mapping[str, str] | None = None) -> subprocess.Popen[bytes]:
        with (self.home / f"{log}.log").open("ab") as written:
            process = subprocess.Popen(
                [str(BIN / command[0]), *command[1:]],
                cwd=ROOT,
                env=self._environment | dict(more or {}),
                stdout=written,
                stderr=written,
                start_new_session=True,
            )
        self._started.append(process)
        return process

    def kill(self, process: subprocess.Popen[bytes] | None = None) -> None:
        """Kill one of the processes that were started here, and its children; the server when none is named."""
        victim = process or self._server
        if victim is not None and victim.poll() is None:
            os.killpg(victim.pid, signal.SIGKILL)
            victim.wait(30)

    def stop(self) -> None:
        """End everything that was started here."""
        for process in reversed(self._started):
            self.kill(process)
        self._started.clear()

    @contextmanager
    def client(self) -> Iterator[SyncPrefectClient]:
        """Speak to the server's API, as the UI does."""
        with temporary_settings({PREFECT_API_URL: self.url}), get_client(sync_client=True) as client:
            yield client

    def ask(self, method: str, path: str, document: object = None) -> Any:
        """Ask the server's API for what the client has no method for."""
        answer = httpx.request(method, f"{self.url}{path}", json=document, timeout=60)
        answer.raise_for_status()
        return answer.json() if answer.content else None

    def begin(self, deployment: str, parameters: dict[str, Any] | None = None) -> UUID:
        """Ask for a run of a deployment, as the form in the UI does."""
        with self.client() as client:
            found = client.read_deployment_by_name(deployment)
            return client.create_flow_run_from_deployment(found.id, parameters=parameters or {}).id

    def end_of(self, run_id: UUID, within_s: float = RUN_S) -> FlowRun:
        """Wait for a run's final state."""

        def ended() -> FlowRun | None:
            run = client.read_flow_run(run_id)
            return run if run.state is not None and run.state.is_final() else None

        with self.client() as client:  # one for all questions: to make one takes longer than to ask with it
            return wait_for(f"the end of {run_id}", ended, within_s)

    def artifacts(self, run_id: UUID) -> dict[str, Artifact]:
        """Return what a run shows, by key."""
        of_run = ArtifactFilter(flow_run_id=ArtifactFilterFlowRunId(any_=[run_id]))
        with self.client() as client:
            return {
                artifact.key or "": artifact for artifact in client.read_artifacts(artifact_filter=of_run, limit=200)
            }

    def events(self, name: str, count: int) -> list[dict[str, Any]]:
        """Return the events of a name, once there are so many."""
        asked = {"filter": {"event": {"name": [name]}}, "limit": 50}

        def found() -> list[dict[str, Any]] | None:
            events: list[dict[str, Any]] = self.ask("POST", "/events/filter", asked)["events"]
            return events if len(events) >= count else None

        return wait_for(name, found, 60)

    def task_runs(self, run_id: UUID) -> int:
        """Count the tasks of a run."""
        asked = {"flow_runs": {"id": {"any_": [str(run_id)]}}}
        counted: int = self.ask("POST", "/task_runs/count", asked)
        return counted

    def dump(self) -> str:
        """Return everything the server's database holds, as SQL."""
        with sqlite3.connect(f"file:{self.home / 'prefect.db'}?mode=ro", uri=True) as connection:
            return "\n".join(connection.iterdump())
