"""status and runs: what is on record."""

import datetime as dt
from collections import Counter
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table

from flows.opening import open_ledger_of, utc_now
from flows.payables.rules.exchange_rate import codes_of
from flows.reconciliation.waits import gather_waits
from flows.settings import read_settings
from flows.terminal.printing import console_for, show_summary
from flows.terminal.waits import show_waits, wait_document
from io_adapters.ledger.ledger import Ledger
from schemas.errors import ConfigurationError
from schemas.exchange_update import UNSETTLED, ExchangeUpdate
from schemas.exit_codes import ExitCode, worst
from schemas.reconciliation import Summary
from schemas.submission import LIKENESS, OPEN, UNTOLD, Submission, SubmissionState
from schemas.values.money import format_cents

Result = tuple[ExitCode, dict[str, Any]]
S = SubmissionState

_WAITS = {
    "in_doubt": ({S.IN_DOUBT, S.SENDING}, ExitCode.IN_DOUBT, "the service's list, and then a person"),
    "planned": ({S.PLANNED}, ExitCode.APPROVAL_WANTED, "approval"),
    "approved": ({S.APPROVED, S.NOT_SENT}, ExitCode.NOT_SENT, "the next run"),
    "open": (set(OPEN), ExitCode.STILL_OPEN, "the service"),
    "undetermined": (set(UNTOLD), ExitCode.DISCREPANCIES, "a person's decision"),
}


def show_status(run_id: str | None, *, as_json: bool) -> Result:
    """Tell how one run stands, or what waits for whom over all jobs."""
    console = console_for(as_json=as_json)
    with open_ledger_of(read_settings(), create=False) as ledger:
        if run_id is not None:
            return _show_run(ledger, run_id, console)
        return _show_waiting(ledger, console)


def _show_run(ledger: Ledger, run_id: str, console: Console) -> Result:
    run = ledger.runs.get(run_id)
    if run is None:
        raise ConfigurationError(f"there is no run {run_id}; `repasse runs` lists them")
    if run.summary_json is None:
        console.print(f"run {run.run_id} of {run.job} {run.period}: {run.state}, started {_local(run.started_at)}")
        return ExitCode(run.exit_code or 0), {"run": run.run_id, "state": run.state}
    summary = Summary.model_validate_json(run.summary_json)
    show_summary(console, summary, "pt-BR")
    return ExitCode(summary.exit_code), summary.model_dump(mode="json", by_alias=True)


def _show_waiting(ledger: Ledger, console: Console) -> Result:
    states = {state for group, _, _ in _WAITS.values() for state in group}
    waiting = ledger.submissions.list(states=states, bodies=False)
    undecided = ledger.decisions.undecided(one.id for one in waiting if one.state in UNTOLD)
    waiting = [one for one in waiting if one.state not in UNTOLD or one.id in undecided]
    codes, document = set[ExitCode](), dict[str, Any]()
    hold, freeze = ledger.hold.current(), ledger.freeze.current()
    if hold:
        codes.add(ExitCode.NOT_SENT)
        console.print(f"sending is on hold by {hold.by} since {_local(hold.put_at)}: {hold.why}", soft_wrap=True)
    if freeze:
        codes.add(ExitCode.FROZEN)
        console.print(f"sending is frozen since {_local(freeze.frozen_at)}: {freeze.reason}", soft_wrap=True)
        console.print(f"  waits for two people to accept: {', '.join(freeze.tags)}", soft_wrap=True)
    for name, (group, code, for_whom) in _WAITS.items():
        mine = [one for one in waiting if one.state in group]
        document[name] = [_told(one) for one in mine]
        if not mine:
            continue
        codes.add(code)
        console.print(f"[bold]{name.replace('_', ' ')}[/bold], waits for {for_whom}:")
        for one in mine:
            amount = format_cents(one.amount_cents, "pt-BR")
            linked = "  (its report was found by likeness)" if one.linked_by == LIKENESS else ""
            line = f"  {one.job} {one.period}  {one.report_id}  {one.payments} payments  {amount}{linked}"
            if one.state is S.PLANNED and (said := ledger.approvals.standing(one.plan_digest, utc_now())):
                line += f"  (approved by {', '.join(approval.by for approval in said)}; the next run looks)"
            console.print(f"{line}\n    {one.reason}" if one.reason else line, soft_wrap=True, markup=False)
        if name == "planned":
            _show_how_to_approve(mine, ledger, console)
    waits = gather_waits(ledger, utc_now())
    show_waits(console, waits)
    codes |= {wait.code for wait in waits}
    document["open"] = [wait_document(wait) for wait in waits]
    rates = _show_rates(ledger, console)
    codes |= codes_of(rates)
    document["exchange_rates"] = [_rate_told(rate) for rate in rates]
    if not codes:
        console.print("nothing waits for anybody")
    document["hold"] = hold.why if hold else None
    document["freeze"] = {"reason": freeze.reason, "tags": list(freeze.tags)} if freeze else None
    return worst(codes), document


def _show_how_to_approve(planned: Sequence[Submission], ledger: Ledger, console: Console) -> None:
    """Print for each plan that waits how it is approved: a plan is all its batches together."""
    totals = Counter[tuple[str, str]]()
    for batch in planned:
        totals[batch.plan_digest, batch.job] += batch.amount_cents
    for (digest, job), cents in totals.items():
        total = format_cents(cents, "pt-BR")
        how = f"repasse approve {digest} --by NAME --total {total}"
        if ledger.decision_rules.wants_signed_in(job):
            how = f"plan {digest}, {total}: in the desk alone, by people who signed in"
        console.print(f"  {how}", soft_wrap=True, markup=False)


def _show_rates(ledger: Ledger, console: Console) -> list[ExchangeUpdate]:
    rates = [update for update in ledger.exchange_updates.list(states=UNSETTLED) if codes_of([update])]
    if rates:
        console.print("[bold]exchange rates[/bold], wait for the service, or for a person:")
    for rate in rates:
        facts = f"{rate.terms.currency} {rate.terms.plain_rate}  {rate.state.value}"
        line = f"  {rate.job} {rate.period}  {rate.id}  of {rate.report_id}  {facts}"
        console.print(f"{line}\n    {rate.reason}" if rate.reason else line, soft_wrap=True, markup=False)
    return rates


def _told(one: Submission) -> dict[str, Any]:
    return {
        "job": one.job,
        "period": one.period,
        "report_id": one.report_id,
        "plan_digest": one.plan_digest,
        "state": one.state.value,
        "payments": one.payments,
        "amount_cents": one.amount_cents,
        "run": one.run_id,
        "reason": one.reason,
        "linked_by": one.linked_by,
    }


def _rate_told(one: ExchangeUpdate) -> dict[str, Any]:
    return {
        "job": one.job,
        "period": one.period,
        "update_id": one.id,
        "report_id": one.report_id,
        "split_id": one.split_id,
        "currency": one.terms.currency,
        "rate": one.terms.plain_rate,
        "state": one.state.value,
        "run": one.run_id,
        "reason": one.reason,
    }


def list_runs(*, as_json: bool) -> Result:
    """List the latest runs, newest first."""
    console = console_for(as_json=as_json)
    with open_ledger_of(read_settings(), create=False) as ledger:
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
