"""Approval as a Prefect flow: the form in the Prefect UI records a decision on a plan, then starts the rest."""

from pathlib import Path
from typing import Annotated, Final, Literal, NoReturn

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed, Failed
from pydantic import Field

from flows.acts.act import House, Word
from flows.acts.forms import Approve, Reject
from flows.acts.perform import perform
from flows.house_ledger import open_ledger_of, utc_now
from flows.launch import launcher_for
from flows.prefect_ui.deployments import ANSWER_S, require_closed_server
from flows.prefect_ui.states import language_of
from flows.run import SYSTEM_CLOCK
from flows.run_options import RunOptions
from flows.settings import Settings, read_settings
from io_adapters.ledger.approvals_missing import approvals_missing
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.plans import StoredPlan
from io_adapters.spreadsheets.declarations import read_job
from schemas.approval import APPROVING
from schemas.errors import NotLaunched, RepasseError
from schemas.job import Outputs
from schemas.messages import Listed, Message, render
from schemas.values.names import different_people, same_person

_LANGUAGE: Final = Outputs().language
_SHORT: Final = 19  # "sha256:" and twelve digits tell a plan from all others

# Prefect takes what a form says of a field from the docstring, and its limits from here.
Digest = Annotated[str, Field(pattern=r"^\s*(sha256:)?[0-9a-fA-F]{8,64}\s*$")]
Total = Annotated[str, Field(min_length=1, max_length=40)]
Name = Annotated[str, Field(min_length=2, max_length=120)]
Why = Annotated[str, Field(max_length=1000)]
Seen = Annotated[int, Field(ge=0)]


def _name() -> str:
    parameters = flow_run.parameters
    return f"{parameters.get('decision', 'approve')} {str(parameters.get('digest', '')).strip()[:_SHORT]}"


@flow(name="approve", flow_run_name=_name, retries=0, persist_result=False, log_prints=False)
def approve(
    digest: Digest, total: Total, name: Name, decision: Literal["approve", "reject"], why: Why = "", seen: Seen = 0
) -> State[None]:
    """Approve or reject a plan that waits.

    The word is bound to the plan's digest and total, and is good for seven days. Then the payout is started again: it
    sends what has every word it needs, and nothing else. Nobody's word here is proof of who they are: whoever reaches
    this form may type any name. Jobs with "identities: signed_in" are approved at the desk alone; where the job says
    "other_than_preparer: true", or needs two people, whoever prepared the plan does not count.

    Args:
        digest: The plan, as the run that awaits approval shows it: "sha256:" and its digits, eight of them at least.
        total: The plan's total, typed: "1.234,56". Another total than the plan's is refused.
        name: Who decides; it is kept in the ledger.
        decision: approve lets the plan go out; reject voids it, and withdraws what of it was not sent.
        why: What is wrong with the plan; needed for a rejection.
        seen: How many texts the plan lists to be looked at before approving, once you have; 0 where there are none.
    """
    try:
        require_closed_server()
        settings = read_settings()
        with open_ledger_of(settings) as ledger:
            house, word = House(ledger, SYSTEM_CLOCK, _asks_nothing), Word((name,))
            plan = ledger.plans.get(digest)
            language = language_of(ledger, plan.run_id)
            if decision == "reject":
                done = perform(house, word, Reject(digest, why))
                return Completed(name="Rejected", message=render(Listed(done.lines, "; "), language))
            again = plan.approved_at is not None and _has_approved(ledger, plan, name)
            if not again:
                perform(house, word, Approve(digest, total, seen))
            job_file = _job_file_of(ledger, plan)
            missing = 0 if again or job_file is None else _missing(ledger, plan, job_file)
        return _go_on(settings, plan, job_file, language, missing=missing, again=again)
    except RepasseError as error:
        return Failed(name="DecisionRefused", message=render(error.content, _LANGUAGE))


def _asks_nothing() -> NoReturn:
    raise RuntimeError("a word on a plan asks the service for nothing")


def _has_approved(ledger: Ledger, plan: StoredPlan, name: str) -> bool:
    return same_person(name) in different_people(approval.by for approval in ledger.approvals.given(plan.digest))


def _missing(ledger: Ledger, plan: StoredPlan, job_file: Path) -> int:
    """Return how many more people must say yes, as far as that is known before the run."""
    try:
        return approvals_missing(ledger, read_job(job_file).job, plan, utc_now())
    except RepasseError:  # the run itself will say what is wrong with the job
        return 0


def _go_on(
    settings: Settings, plan: StoredPlan, job_file: Path | None, language: str, *, missing: int, again: bool
) -> State[None]:
    """Start the payout again when the plan has every word it needs."""
    recorded = "prefect.approve.again" if again else "prefect.approve.recorded"
    message = Message(recorded, plan=plan.digest[:_SHORT], job=plan.job, period=plan.period)
    if missing:
        more = Message("prefect.approve.more", count=missing)
        return Completed(name="Approved", message=_together(language, message, more))
    if job_file is None:
        return Failed(name="NotLaunched", message=_together(language, message, Message("prefect.approve.no_job")))
    try:
        key = f"approve {plan.digest} {flow_run.id}"
        options = RunOptions(_files_of(plan), by=APPROVING, period=plan.period)
        launcher_for(settings).payout(job_file, options, key=key)
    except NotLaunched as error:
        return Failed(name="NotLaunched", message=_together(language, message, error.content))
    return Completed(name="Approved", message=_together(language, message, Message("prefect.approve.started")))


def _job_file_of(ledger: Ledger, plan: StoredPlan) -> Path | None:
    """Return the job file from which a plan was made; None when it is not there any more."""
    run = ledger.runs.get(plan.run_id)
    return Path(run.job_file) if run is not None and Path(run.job_file).is_file() else None


def _together(language: str, *messages: Message | Listed) -> str:
    return render(Listed(messages, "; "), language)


def _files_of(plan: StoredPlan) -> list[str]:
    """Return the files that the run which made the plan was given by hand; none where the job named them.

    The ledger knows which bytes a plan was made of, not where they lay: Prefect knows what the run was started with.
    """
    run_of_plan = FlowRunFilter(tags=FlowRunFilterTags(all_=[f"run:{plan.run_id}"]))
    try:
        with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
            found = client.read_flow_runs(flow_run_filter=run_of_plan, limit=1)
    except Exception as error:
        raise NotLaunched(Message("error.prefect_silent", kind=type(error).__name__)) from error
    return list(found[0].parameters.get("files") or []) if found else []
