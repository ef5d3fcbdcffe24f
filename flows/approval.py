"""Approval as a Prefect flow: the form in the Prefect UI records a decision on a plan, then starts the rest."""

from typing import Annotated, Final, Literal

from prefect import flow
from prefect.client.orchestration import get_client
from prefect.client.schemas.filters import FlowRunFilter, FlowRunFilterTags
from prefect.client.schemas.objects import State
from prefect.runtime import flow_run
from prefect.states import Completed, Failed
from pydantic import Field

from flows.approvals.approve import Recorded, record_decision
from flows.house_ledger import open_ledger_of, utc_now
from flows.launch import launcher_for
from flows.prefect_ui.deployments import ANSWER_S, require_closed_server
from flows.prefect_ui.states import language_of
from flows.run_options import RunOptions
from flows.settings import Settings, read_settings
from schemas.approval import APPROVING
from schemas.errors import NotLaunched, RepasseError
from schemas.job import Outputs
from schemas.messages import Listed, Message, render

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
            outcome = record_decision(
                ledger, digest, decision, name=name, total=total, seen=seen, why=why, now=utc_now()
            )
            language = language_of(ledger, outcome.plan.run_id)
        if decision == "reject":
            return Completed(name="Rejected", message=render(_rejected(outcome), language))
        return _go_on(settings, outcome, language)
    except RepasseError as error:
        return Failed(name="DecisionRefused", message=render(error.content, _LANGUAGE))


def _rejected(outcome: Recorded) -> Message:
    """Say what a no has withdrawn, and what was sent before it."""
    groups = outcome.rejection.groups if outcome.rejection else {}
    counts = [Listed((Message(f"desk.fate.{what}"), len(batches)), ": ") for what, batches in groups.items() if batches]
    plan = outcome.plan
    facts = {"plan": plan.digest, "job": plan.job, "period": plan.period}
    return Message("prefect.approve.rejected", **facts, batches=Listed(tuple(counts)))


def _go_on(settings: Settings, outcome: Recorded, language: str) -> State[None]:
    """Start the payout again when the plan has every word it needs, as far as that is known before it runs."""
    plan = outcome.plan
    recorded = "prefect.approve.again" if outcome.again else "prefect.approve.recorded"
    message = Message(recorded, plan=plan.digest[:_SHORT], job=plan.job, period=plan.period)
    if outcome.missing:
        more = Message("prefect.approve.more", count=outcome.missing)
        return Completed(name="Approved", message=_together(language, message, more))
    if outcome.job_file is None:
        return Failed(name="NotLaunched", message=_together(language, message, Message("prefect.approve.no_job")))
    try:
        key = f"approve {outcome.plan.digest} {flow_run.id}"
        options = RunOptions(_files_of(outcome), by=APPROVING, period=outcome.plan.period)
        launcher_for(settings).payout(outcome.job_file, options, key=key)
    except NotLaunched as error:
        return Failed(name="NotLaunched", message=_together(language, message, error.content))
    return Completed(name="Approved", message=_together(language, message, Message("prefect.approve.started")))


def _together(language: str, *messages: Message | Listed) -> str:
    return render(Listed(messages, "; "), language)


def _files_of(outcome: Recorded) -> list[str]:
    """Return the files that the run which made the plan was given by hand; none where the job named them.

    The ledger knows which bytes a plan was made of, not where they lay: Prefect knows what the run was started with.
    """
    run_of_plan = FlowRunFilter(tags=FlowRunFilterTags(all_=[f"run:{outcome.plan.run_id}"]))
    try:
        with get_client(sync_client=True, httpx_settings={"timeout": ANSWER_S}) as client:
            found = client.read_flow_runs(flow_run_filter=run_of_plan, limit=1)
    except Exception as error:
        raise NotLaunched(Message("error.prefect_silent", kind=type(error).__name__)) from error
    return list(found[0].parameters.get("files") or []) if found else []
