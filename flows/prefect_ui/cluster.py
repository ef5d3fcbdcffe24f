"""Reading the files of a job on a Dask cluster: one task a file, by Prefect's own task runner for it.

REPASSE_DASK names the scheduler. Its workers run the same Repasse, and reach the files by the same paths or URLs and
Prefect by the same PREFECT_API_URL. A worker that dies costs time alone: its files are read again by another.
"""

from collections.abc import Callable, Sequence
from importlib.metadata import version
from typing import Any, Final

from prefect import task
from prefect.cache_policies import NO_CACHE
from prefect.context import FlowRunContext
from prefect.task_runners import TaskRunner, ThreadPoolTaskRunner

from flows.runner import describe_bug
from flows.settings import read_settings
from schemas.errors import ConfigurationError, RepasseError
from schemas.messages import Message

_WORKERS_WITHIN_S: Final = 60


def task_runner() -> TaskRunner[Any]:
    """Return the runner of a flow's tasks: of the cluster that the environment names, or of this process."""
    try:
        if address := read_settings().dask:
            from prefect_dask.task_runners import DaskTaskRunner  # noqa: PLC0415 - of the extra [dask], and slow to import

            return DaskTaskRunner(address=address)
    except (ConfigurationError, ImportError):  # told by `map_files`, where there is a run to tell it
        pass
    return ThreadPoolTaskRunner()


def map_files(work: Callable[[Any], Any], files: Sequence[Any]) -> Sequence[Any]:
    """Call a function of a module with each file as a task of the present flow run, on the cluster.

    Raises:
        ConfigurationError: the extra is not installed, the cluster does not answer or has no workers, loses one after
            the other over the same file, or runs another version.
    """
    address, context = read_settings().dask, FlowRunContext.get()
    runner: Any = context.task_runner if context else None
    if runner is None or isinstance(runner, ThreadPoolTaskRunner):
        raise ConfigurationError(Message("error.dask_not_installed"))
    try:
        runner.client.wait_for_workers(1, timeout=_WORKERS_WITHIN_S)
        futures = [read_file.submit(work, file) for file in files]
        outcomes = [future.result() for future in futures]
    except Exception as lost:  # noqa: BLE001 - whatever Dask and Prefect raise of a cluster that is not there, or not whole
        facts = {"address": address, "reason": type(lost).__name__}
        raise ConfigurationError(Message("error.dask_lost", **facts)) from None
    for there, _, error in outcomes:
        if there != version("repasse"):
            raise ConfigurationError(Message("error.dask_versions", here=version("repasse"), there=there))
        if error is not None:
            raise error
    return [made for _, made, _ in outcomes]


@task(name="read file", cache_policy=NO_CACHE, persist_result=False, retries=0)
def read_file(work: Callable[[Any], Any], file: Any) -> tuple[str, Any, RepasseError | None]:  # noqa: ANN401
    """Read a file on a worker; a task that failed would show its exception, whose text may be anybody's."""
    try:
        return version("repasse"), work(file), None
    except Exception as error:  # noqa: BLE001 - raised again where the run is
        return version("repasse"), None, RepasseError(describe_bug(error))
