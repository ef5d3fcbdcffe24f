"""The contacts sync as a Prefect flow: a preview, and its calls only when asked for."""

from typing import Literal

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows.address_book.sync import ContactsReport, sync_job_contacts
from flows.prefect_ui.artifacts import contacts_page, name_of_job
from flows.prefect_ui.deployments import require_closed_server, use_stored_credentials
from flows.prefect_ui.states import RunLogProgress, refused_state, state_of, watching
from flows.run_request import job_of_folder, require_job_of_folder
from flows.settings import read_settings
from schemas.errors import ExitCode, RepasseError
from schemas.job import Outputs
from schemas.messages import render


def _name() -> str:
    return f"contacts {name_of_job(str(flow_run.parameters.get('job', '')))}"


@flow(name="contacts", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def contacts(job: str, mode: Literal["preview", "apply"] = "preview") -> State[None]:
    """Bring the service's address book in step with a job's payees. Nothing is ever deleted; safe to repeat.

    Args:
        job: Name of a job of the folder REPASSE_JOBS.
        mode: preview shows what would be done and calls nothing; apply does it.
    """
    found: list[ContactsReport] = []
    with watching() as watch:

        def body() -> State[None]:
            found.append(
                sync_job_contacts(job_of_folder(job, read_settings()), apply=mode == "apply", progress=RunLogProgress())
            )
            return _state_of(found[-1])

        try:
            require_closed_server()
            use_stored_credentials()
            if watch.is_alone:
                require_job_of_folder(job_of_folder(job, read_settings()), (), read_settings())
            watch.as_task("contacts", f"contacts {mode}", body, Outputs().language)
        except RepasseError as error:
            return refused_state(error, is_alone=watch.is_alone)
        (report,) = found
        page = contacts_page(report.job, report.sync.counts, report.language, applied=report.sync.applied)
        title = render("prefect.contacts", report.language, job=report.job)
        watch.recorder.tag(f"job:{report.job}")
        watch.recorder.markdown(f"contacts-{report.job}", page, title)
        return _state_of(report)


def _state_of(report: ContactsReport) -> State[None]:
    counts = report.sync.counts
    text = ", ".join(f"{name}: {count}" for name, count in sorted(counts.items())) or "nothing to do"
    # Rows with problems are no news here: nobody is paid.
    code = ExitCode.DONE if report.exit_code is ExitCode.ROWS_HELD else report.exit_code
    done = "synced" if report.sync.applied else "preview"
    return state_of(code, done if code is ExitCode.DONE else code.name.lower(), text)
