"""status, runs, trace, explain: what is on record."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.ending import AsJson, Result, console_for, opened_ledger
from schemas.errors import ConfigurationError
from schemas.exit_codes import ExitCode, worst
from schemas.messages import Message

if TYPE_CHECKING:
    from collections.abc import Callable

    from rich.console import Console

    from flows.run import RunRequest
    from flows.tracing.trace import Traced
    from io_adapters.ledger.ledger import Ledger
    from schemas.exchange_update import ExchangeUpdate
    from schemas.submission import Submission


def status(
    run_id: Annotated[
        str | None, typer.Argument(metavar="RUN", help="One run; the standing of all jobs without.")
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Tell what happened and what waits for whom."""
    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        return _show_waiting(ledger, console) if run_id is None else _show_run(ledger, run_id, console)


def _show_run(ledger: "Ledger", run_id: str, console: "Console") -> Result:
    from flows.cli.printing import show_summary
    from schemas.reconciliation import Summary

    run = ledger.runs.get(run_id)
    if run is None:
        raise ConfigurationError(Message("error.no_run", run=run_id))
    if run.summary_json is None:
        console.print(f"run {run.run_id} of {run.job} {run.period}: {run.state}, started {_local(run.started_at)}")
        return ExitCode(run.exit_code or 0), {"run": run.run_id, "state": run.state}
    summary = Summary.model_validate_json(run.summary_json)
    show_summary(console, summary, "pt-BR")
    return ExitCode(summary.exit_code), summary.model_dump(mode="json", by_alias=True)


def _show_waiting(ledger: "Ledger", console: "Console") -> Result:
    from flows.cli.printing import show_waits, wait_document
    from flows.payables.rules.exchange_rate import codes_of
    from flows.reconciliation.waits import gather_waits
    from flows.run import utc_now
    from schemas.submission import LIKENESS, OPEN, UNTOLD
    from schemas.submission import SubmissionState as State
    from schemas.values.money import format_cents

    groups = {
        "in_doubt": ({State.IN_DOUBT, State.SENDING}, ExitCode.IN_DOUBT, "the service's list, and then a person"),
        "planned": ({State.PLANNED}, ExitCode.APPROVAL_WANTED, "approval"),
        "approved": ({State.APPROVED, State.NOT_SENT}, ExitCode.NOT_SENT, "the next run"),
        "open": (set(OPEN), ExitCode.STILL_OPEN, "the service"),
        "undetermined": (set(UNTOLD), ExitCode.DISCREPANCIES, "a person's decision"),
    }
    states = {state for group, _, _ in groups.values() for state in group}
    waiting = ledger.submissions.list(states=states, bodies=False)
    undecided = ledger.decisions.undecided(batch.id for batch in waiting if batch.state in UNTOLD)
    waiting = [batch for batch in waiting if batch.state not in UNTOLD or batch.id in undecided]
    codes, document = set[ExitCode](), dict[str, Any]()
    hold, freeze = ledger.hold.current(), ledger.freeze.current()
    if hold:
        codes.add(ExitCode.NOT_SENT)
        console.print(f"sending is on hold by {hold.by} since {_local(hold.put_at)}: {hold.why}", soft_wrap=True)
    if freeze:
        codes.add(ExitCode.FROZEN)
        console.print(f"sending is frozen since {_local(freeze.frozen_at)}: {freeze.reason}", soft_wrap=True)
        console.print(f"  waits for two people to accept: {', '.join(freeze.tags)}", soft_wrap=True)
    for name, (group, code, for_whom) in groups.items():
        mine = [batch for batch in waiting if batch.state in group]
        document[name] = [_submission_document(batch) for batch in mine]
        if not mine:
            continue
        codes.add(code)
        console.print(f"[bold]{name.replace('_', ' ')}[/bold], waits for {for_whom}:")
        for batch in mine:
            amount = format_cents(batch.amount_cents, "pt-BR")
            linked = "  (its report was found by likeness)" if batch.linked_by == LIKENESS else ""
            line = f"  {batch.job} {batch.period}  {batch.report_id}  {batch.payments} payments  {amount}{linked}"
            if batch.state is State.PLANNED and (approvals := ledger.approvals.standing(batch.plan_digest, utc_now())):
                line += f"  (approved by {', '.join(approval.by for approval in approvals)}; the next run looks)"
            console.print(f"{line}\n    {batch.reason}" if batch.reason else line, soft_wrap=True, markup=False)
        if name == "planned":
            _show_how_to_approve(mine, ledger, console)
    waits = gather_waits(ledger, utc_now())
    show_waits(console, waits)
    codes |= {wait.code for wait in waits}
    document["open"] = [wait_document(wait) for wait in waits]
    rates = _show_rates(ledger, console)
    codes |= codes_of(rates)
    document["exchange_rates"] = [_rate_document(rate) for rate in rates]
    if not codes:
        console.print("nothing waits for anybody")
    document["hold"] = hold.why if hold else None
    document["freeze"] = {"reason": str(freeze.reason), "tags": list(freeze.tags)} if freeze else None
    return worst(codes), document


def _show_how_to_approve(planned: "Sequence[Submission]", ledger: "Ledger", console: "Console") -> None:
    """Print for each plan that waits how it is approved: a plan is all its batches together."""
    from schemas.values.money import format_cents

    totals = Counter[tuple[str, str]]()
    for batch in planned:
        totals[batch.plan_digest, batch.job] += batch.amount_cents
    for (digest, job), cents in totals.items():
        total = format_cents(cents, "pt-BR")
        how = f"repasse approve {digest} --by NAME --total {total}"
        if ledger.decision_rules.wants_signed_in(job):
            how = f"plan {digest}, {total}: in the desk alone, by people who signed in"
        console.print(f"  {how}", soft_wrap=True, markup=False)


def _show_rates(ledger: "Ledger", console: "Console") -> "list[ExchangeUpdate]":
    from flows.payables.rules.exchange_rate import codes_of
    from schemas.exchange_update import UNSETTLED

    rates = [update for update in ledger.exchange_updates.list(states=UNSETTLED) if codes_of([update])]
    if rates:
        console.print("[bold]exchange rates[/bold], wait for the service, or for a person:")
    for rate in rates:
        facts = f"{rate.terms.currency} {rate.terms.plain_rate}  {rate.state.value}"
        line = f"  {rate.job} {rate.period}  {rate.id}  of {rate.report_id}  {facts}"
        console.print(f"{line}\n    {rate.reason}" if rate.reason else line, soft_wrap=True, markup=False)
    return rates


def _submission_document(submission: "Submission") -> dict[str, Any]:
    return {
        "job": submission.job,
        "period": submission.period,
        "report_id": submission.report_id,
        "plan_digest": submission.plan_digest,
        "state": submission.state.value,
        "payments": submission.payments,
        "amount_cents": submission.amount_cents,
        "run": submission.run_id,
        "reason": str(submission.reason or ""),
        "linked_by": submission.linked_by,
    }


def _rate_document(update: "ExchangeUpdate") -> dict[str, Any]:
    return {
        "job": update.job,
        "period": update.period,
        "update_id": update.id,
        "report_id": update.report_id,
        "split_id": update.split_id,
        "currency": update.terms.currency,
        "rate": update.terms.plain_rate,
        "state": update.state.value,
        "run": update.run_id,
        "reason": str(update.reason or ""),
    }


def runs(as_json: AsJson = False) -> Result:
    """List the latest runs."""
    from rich.table import Table

    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        runs = ledger.runs.list()
    table = Table(show_edge=False, pad_edge=False)
    for name in ("run", "job", "period", "state", "exit", "started", "took"):
        table.add_column(name)
    for run in runs:
        took = f"{(run.finished_at - run.started_at).total_seconds():.1f} s" if run.finished_at else "-"
        code = "-" if run.exit_code is None else str(run.exit_code)
        table.add_row(run.run_id, run.job, run.period, run.state, code, _local(run.started_at), took)
    console.print(table if runs else "no runs yet")
    listed = [
        {"run": r.run_id, "job": r.job, "period": r.period, "state": r.state, "exit_code": r.exit_code} for r in runs
    ]
    return ExitCode.DONE, {"runs": listed}


def _local(at: dt.datetime) -> str:
    return f"{at.astimezone():%Y-%m-%d %H:%M}"


What = Annotated[str, typer.Argument(metavar="PAYEE-OR-PAYMENT", help="ob-..., rp-..., a tax id, or a name.")]
OfJob = Annotated[str | None, typer.Option("--job", metavar="NAME", help="Only this job.")]
OfPeriod = Annotated[str | None, typer.Option("--period", metavar="LABEL", help="Only this period.")]


def trace(
    what: What,
    job: OfJob = None,
    period: OfPeriod = None,
    job_file: Annotated[Path | None, typer.Option(metavar="JOB", help="Reads the job's statements again.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Follow a payee or a payment to file, row and report.

    Back to file and row, step by step, and forward to the report.
    """
    from flows.cli.trace import show_traces
    from flows.run import read_run_request

    order = read_run_request(job_file) if job_file else None
    if order is not None and job not in {None, order.job.job}:
        raise ConfigurationError(Message("error.other_job", found=order.job.job, job=job))
    with opened_ledger(create=False) as ledger:
        if order is None:
            found = _traced(ledger, what, job, period, lambda _job: None)
        else:
            found = _traced(ledger, what, order.job.job, period, lambda _job: order)
    return show_traces(console_for(as_json=as_json), found)


def explain(
    what: What,
    job: OfJob = None,
    period: OfPeriod = None,
    every_part: Annotated[bool, typer.Option("--all", help="Show every recording, not the first 20.")] = False,
    as_json: AsJson = False,
) -> Result:
    """Explain a payment as sums to repeat by hand.

    The statements are read again by the job file of the last run, so that each part names its rows.
    """
    from flows.cli.trace import show_explanations
    from flows.tracing.explain import SHOWN_PARTS
    from flows.tracing.lines import recorded_order

    with opened_ledger(create=False) as ledger:
        found = _traced(ledger, what, job, period, lambda name: recorded_order(ledger, name))
    return show_explanations(console_for(as_json=as_json), found, None if every_part else SHOWN_PARTS)


def _traced(
    ledger: "Ledger", what: str, job: str | None, period: str | None, order_of: "Callable[[str], RunRequest | None]"
) -> "Traced":
    from flows.due_jobs import require_known_job
    from flows.runner import jobs_folder
    from flows.tracing.trace import trace

    if job is not None and order_of(job) is None:
        require_known_job(ledger, job, jobs_folder())
    return trace(ledger, what, job=job, period=period, order_of=order_of)
