"""The payout as a Prefect flow: the very stages the command line walks, each as a task."""

from pathlib import Path

from prefect import flow
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run

from flows.launch import run_payout
from flows.watching import speaking_to_prefect, told_state, watch


def _name() -> str:
    path = Path(str(flow_run.parameters.get("job", "job")))
    return f"payout {path.parent.name}/{path.name}"


@flow(name="payout", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def payout(
    job: str,
    files: list[str] | None = None,
    yes: bool = False,
    by: str | None = None,
    again: list[str] | None = None,
) -> State[None]:
    """Pay what a job owes, once.

    Args:
        job: Path of the job file.
        files: Files to read instead of those the job names, each as PATH or SOURCE=PATH.
        yes: Approve the plan that will be made, up to the job's limits.
        by: Who asks for the run; the account it runs under when empty.
        again: Files to pay although they were used before, under another job or period; needs a person's approval.
    """
    with speaking_to_prefect():
        return told_state(run_payout(Path(job), files or [], yes=yes, by=by, again=again or [], watch=watch))
