"""The payout as a Prefect flow: the stages the command line walks, each as a task."""

from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows.prefect_ui.artifacts import name_of_job
from flows.prefect_ui.cluster import task_runner
from flows.prefect_ui.deployments import require_closed_server, use_stored_credentials
from flows.prefect_ui.states import refused_state, state_of_report, watching
from flows.run_request import require_job_of_folder
from flows.runner import RunOptions, run_payout
from flows.settings import jobs_folder, read_settings
from schemas.errors import RepasseError


def _name() -> str:
    return f"payout {name_of_job(str(flow_run.parameters.get('job', '')))}"


@flow(
    name="payout",
    flow_run_name=_name,
    task_runner=task_runner(),
    retries=0,
    persist_result=False,
    log_prints=False,
)
def payout(  # noqa: PLR0913, PLR0917  # a field of the form for every option
    job: str,
    files: tuple[str, ...] = (),
    yes: bool = False,
    by: str = "",
    again: tuple[str, ...] = (),
    period: str = "",
    one_more: bool = False,
    pix_types: bool = False,
) -> State[None]:
    """Pay what a job owes, once. Safe to start again at any moment: only what is left to do is done.

    A plan that needs a person's word ends the run in the state AwaitingApproval; the deployment "approve" takes it.

    Args:
        job: Path of the job file (YAML), as the worker sees it; one of the folder REPASSE_JOBS.
        files: Files to read instead of those the job names, each as PATH or SOURCE=PATH; empty reads the job's own.
        yes: Approve the plan that will be made, up to the job's limits, as the person named in "by".
        by: Name of whoever asks for the run; the worker's account when empty.
        again: Base names of files to pay although they were used before; always needs a person's approval.
        period: Month to run a job for `previous_month` for, such as 2026-10; that before the present one when empty.
        one_more: Send one batch although so many are in doubt that sending has stopped.
        pix_types: Take each Pix key without a type for what it shows, and keep that for the job.
    """
    with watching() as watch:
        try:
            require_closed_server()
            use_stored_credentials()
            if watch.is_alone:
                require_job_of_folder(Path(job), files, read_settings(), jobs_folder())
            options = RunOptions(files, yes, by or None, again, period or None, one_more, pix_types)
            return state_of_report(run_payout(Path(job), options, watch=watch))
        except RepasseError as error:
            return refused_state(error, is_alone=watch.is_alone)
