"""The payout as a Prefect flow: the stages the command line walks, each as a task."""

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows.prefect_ui.artifacts import name_of_job
from flows.prefect_ui.cluster import task_runner
from flows.prefect_ui.deployments import require_closed_server, use_stored_credentials
from flows.prefect_ui.states import refused_state, state_of_report, watching
from flows.run_options import RunOptions, taking_options
from flows.run_request import job_of_folder, require_job_of_folder
from flows.runner import run_payout
from flows.settings import read_settings
from schemas.errors import RepasseError


def _name() -> str:
    return f"payout {name_of_job(str(flow_run.parameters.get('job', '')), str(flow_run.parameters.get('period', '')))}"


@flow(
    name="payout",
    flow_run_name=_name,
    task_runner=task_runner(),
    retries=0,
    persist_result=False,
    log_prints=False,
)
@taking_options
def payout(job: str, options: RunOptions) -> State[None]:
    """Pay what a job owes, once. Safe to start again at any moment: only what is left to do is done.

    A plan that needs a person's word ends the run in the state AwaitingApproval; the deployment "approve" takes it.

    Args:
        job: Name of a job of the folder REPASSE_JOBS.
    """
    with watching() as watch:
        try:
            require_closed_server()
            use_stored_credentials()
            path, asked = watch.asked or (job_of_folder(job, read_settings()), options)
            if watch.is_alone:
                require_job_of_folder(path, asked.files, read_settings())
            return state_of_report(run_payout(path, asked, watch=watch))
        except RepasseError as error:
            return refused_state(error, is_alone=watch.is_alone)
