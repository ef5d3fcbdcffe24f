"""What is recorded in Prefect after which stage; from what the run has at hand."""

from collections.abc import Mapping

from flows.stages.document import RunDocument
from flows.stages.route import PAYOUT, SETTLE
from flows.stages.run import Run
from flows.watched.events import events_of
from flows.watched.page_words import page_word
from flows.watched.pages import outputs_page, plan_page, problems_table, problems_title, reconciliation_page
from flows.watched.recorder import Recorder
from schemas.exit_codes import ExitCode
from schemas.plan import Place
from schemas.reconciliation import Summary


def tell_after(stage: str, run: Run, recorder: Recorder, codes_before: Mapping[str, int | None]) -> None:
    """Record what a stage has found; anything that can be read again later is recorded once, at its last word.

    Args:
        stage: Name of the stage that has ended, well or not.
        run: As it stands now.
        recorder: Where records go.
        codes_before: How runs stood before they were looked at again; what is no news calls nobody.
    """
    if run.asked is not None:
        _tell_payout(stage, run, recorder)
    elif stage == SETTLE.last.__name__:
        _tell_settlement(run, recorder, codes_before)


def _tell_payout(stage: str, run: Run, recorder: Recorder) -> None:
    job, period, language = run.job.job, run.order.period.label, run.language
    if stage == PAYOUT.stages[0].__name__:
        recorder.tag(f"job:{job}", f"period:{period}", f"run:{run.id}")
    if stage == "approve":
        _tell_plan(run, recorder)
    if stage != PAYOUT.last.__name__:
        return
    if run.issues:
        title = problems_title(job, period, len(run.issues), language)
        recorder.table(f"problems-{job}", problems_table(run.issues), title)
    if run.summary is not None:
        title = page_word(language, "reconciliation", job=job, period=period)
        recorder.markdown(f"reconciliation-{job}", reconciliation_page(run.summary, language), title)
    if run.outputs:
        title = page_word(language, "outputs", job=job, period=period)
        recorder.markdown(f"outputs-{job}", outputs_page(job, period, run.outputs, language), title)
    payload: dict[str, str | int] = {"run": run.id, "job": job, "period": period}
    if run.plan is not None and run.plan.batches:
        payload |= {"digest": run.plan.digest, "payments": run.plan.payees, "total_cents": run.plan.total_cents}
    for event in events_of(run.codes, run_id=run.id, job=job, period=period, payload=payload):
        recorder.event(event)


def _tell_plan(run: Run, recorder: Recorder) -> None:
    if run.plan is None:
        return
    sums = run.require_worked().obligations.groupby("place")["amount_cents"].sum()
    unpaid = {Place(str(place)): int(cents) for place, cents in sums.items() if place != Place.PLANNED.value}
    waits = ExitCode.APPROVAL_WANTED in run.codes
    page = plan_page(run.plan, unpaid, run.checks, run.language, waits=waits)
    title = page_word(run.language, "plan", job=run.job.job, period=run.order.period.label)
    recorder.markdown(f"plan-{run.job.job}", page, title)


def _tell_settlement(run: Run, recorder: Recorder, codes_before: Mapping[str, int | None]) -> None:
    """Record the reconciliation, as it stands now, of every run that was looked at again."""
    for run_id in sorted(run.touched):
        stored, document = run.ledger.runs.get(run_id), run.ledger.runs.document(run_id)
        if stored is None or stored.summary_json is None or document is None:
            continue
        summary = Summary.model_validate_json(stored.summary_json)
        language = RunDocument.from_bytes(document).language
        recorder.tag(f"job:{summary.job}", f"period:{summary.period}")
        title = page_word(language, "reconciliation", job=summary.job, period=summary.period)
        recorder.markdown(f"reconciliation-{summary.job}", reconciliation_page(summary, language), title)
        codes = set() if codes_before.get(run_id) == summary.exit_code else {ExitCode(summary.exit_code)}
        payload: dict[str, str | int] = {"run": run_id, "job": summary.job, "period": summary.period}
        for event in events_of(codes, run_id=run_id, job=summary.job, period=summary.period, payload=payload):
            recorder.event(event)
