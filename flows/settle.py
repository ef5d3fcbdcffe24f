"""Settlement as a Prefect flow: one poll of everything that is open or in doubt."""

from dataclasses import replace

from prefect import flow, get_run_logger
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed

from flows.books.alerts import alert_of_overdue_nights
from flows.house_ledger import open_ledger_of, utc_now
from flows.nights.due import NIGHTLY
from flows.prefect_ui.deployments import require_closed_server, use_stored_credentials
from flows.prefect_ui.states import language_of, refused_state, state_of_report, watching
from flows.runner import nothing_is_open, run_settle
from flows.settings import read_settings
from schemas.errors import RepasseError
from schemas.job import Outputs
from schemas.messages import render


def _name() -> str:
    return f"settle {flow_run.parameters.get('job') or 'all jobs'}"


@flow(name="settle", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def settle(job: str = "") -> State[None]:
    """Look up what is in doubt, set the exchange rates left over, follow open reports, and write their outputs again.

    Creates no report. Ends at once, without a call to the service, where the ledger says that nothing is open.
    """
    with watching() as watch:
        try:
            require_closed_server()
            alert_of_overdue_nights(read_settings(), NIGHTLY, utc_now(), get_run_logger().warning)
            if watch.is_alone and nothing_is_open(job or None):
                return Completed(name="NothingOpen", message=render("prefect.nothing_open", Outputs().language))
            use_stored_credentials()
            report = run_settle(job or None, watch=watch)
            with open_ledger_of(read_settings()) as ledger:
                last = ledger.runs.latest(job) if job else None
                language = language_of(ledger, last.run_id if last else "")
            return state_of_report(replace(report, language=language))
        except RepasseError as error:
            return refused_state(error, is_alone=watch.is_alone)
