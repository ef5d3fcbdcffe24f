"""The night as a Prefect flow."""

import datetime as dt
from typing import Final

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.states import Cancelled

from flows.nights.night import ANOTHER_NIGHT, folder_of_jobs, run_night
from flows.prefect_ui.artifacts import night_page
from flows.prefect_ui.deployments import offer_what_there_is, require_closed_server, use_stored_credentials
from flows.prefect_ui.states import refused_state, state_of, watching
from schemas.errors import ConfigurationError, ExitCode, RepasseError
from schemas.job import BRASILIA, Outputs
from schemas.messages import Listed, Message, render

_MOST_NAMED: Final = 10


def _name() -> str:
    return f"nightly {dt.datetime.now(BRASILIA):%Y-%m-%d}"


@flow(name="nightly", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def nightly(jobs: str = "") -> State[None]:
    """Settle what is open, pay every job that is due, settle again. What happens to one job stops no other.

    A job is due when what it reads has changed since it was last brought to an end, when its plan has been approved,
    and when something approved was left over.

    Args:
        jobs: Folder of the jobs, as the worker sees it; REPASSE_JOBS when empty, and no other where Prefect starts it.
    """
    with watching() as watch:
        try:
            require_closed_server()
            use_stored_credentials()
            folder = folder_of_jobs(jobs or None)
            if watch.is_alone and folder.resolve() != folder_of_jobs(None).resolve():
                raise ConfigurationError(Message("error.job_elsewhere", folder=str(folder_of_jobs(None))))
            report = run_night(folder, watch=watch)
            if report.state == ANOTHER_NIGHT:  # which no more ends a night than one that never began
                return Cancelled(name="AnotherNight", message=render(report.messages[0], Outputs().language))
        except RepasseError as error:
            return refused_state(error, is_alone=watch.is_alone)
        offer_what_there_is(get_run_logger().warning)
        language = Outputs().language
        watch.recorder.tag(*(f"job:{job.job}" for job in report.jobs if job.was_run))
        title = render("prefect.night", language, run=report.run_id)
        watch.recorder.markdown("nightly", night_page(report, language), title)
        bad = [job.job or job.file for job in report.jobs if job.exit_code is not ExitCode.DONE]
        ran = sum(job.was_run for job in report.jobs)
        messages = [Message("prefect.night.ran", ran=ran, count=len(report.jobs))]
        messages += [Message("prefect.night.look", jobs=", ".join(bad[:_MOST_NAMED]))] if bad else []
        message = render(Listed(tuple(messages), "; "), language)
        return state_of(report.exit_code, report.state, message)
