"""Settlement as a Prefect flow: looks once at everything that is open or in doubt."""

from prefect import flow
from prefect.client.schemas.objects import State

from flows.launch import run_settle
from flows.watching import speaking_to_prefect, told_state, watch


@flow(name="settle", retries=0, persist_result=False, log_prints=False)
def settle(job: str | None = None) -> State[None]:
    """Look up what is in doubt, set the exchange rates left over, follow open reports, and write their outputs again.

    Creates no report.

    Args:
        job: Name of one job; all jobs when empty.
    """
    with speaking_to_prefect():
        return told_state(run_settle(job, watch=watch))
