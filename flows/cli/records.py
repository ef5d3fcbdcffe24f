"""status, runs, acts, explain: what is on record."""

import datetime as dt
import json
from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.ending import (
    AsJson,
    Result,
    as_day,
    as_month,
    console_for,
    in_brazil,
    opened_ledger,
    print_text,
    suffix_of,
    terminal_language,
)
from schemas.errors import ConfigurationError, ExitCode, worst
from schemas.messages import Listed, Message, Money, Said, catalogue_in, render, state_text
from schemas.readers import shown

if TYPE_CHECKING:
    from rich.console import Console

    from io_adapters.ledger.ledger import Ledger
    from schemas.exchange_update import ExchangeUpdate
    from schemas.funding import ReportFunding
    from schemas.submission import Submission


def status(
    run_id: Annotated[
        str | None, typer.Argument(metavar="RUN", help="One run; without, what waits in all jobs.")
    ] = None,
    as_json: AsJson = False,
) -> Result:
    """Show what happened and what is pending."""
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
        facts = {"run": run.run_id, "job": run.job, "period": run.period, "at": in_brazil(run.started_at)}
        print_text(console, "cli.status.run", state=Message(f"state.{run.state}"), **facts)
        return ExitCode(run.exit_code or 0), {"run": run.run_id, "state": run.state}
    summary = Summary.model_validate_json(run.summary_json)
    show_summary(console, summary, "pt-BR")
    return ExitCode(summary.exit_code), summary.model_dump(mode="json", by_alias=True)


def _show_waiting(ledger: "Ledger", console: "Console") -> Result:
    from flows.cli.funding import funding_document
    from flows.cli.printing import show_waits, wait_document
    from flows.house_ledger import utc_now
    from flows.nights.due import last_night
    from flows.payables.rules.exchange_rate import codes_of
    from flows.payables.waits import gather_waits
    from flows.reports.funding import unsettled_fundings
    from schemas.submission import OPEN, UNTOLD
    from schemas.submission import SubmissionState as State

    groups = {
        "in_doubt": ({State.IN_DOUBT, State.SENDING}, ExitCode.IN_DOUBT),
        "planned": ({State.PLANNED}, ExitCode.APPROVAL_WANTED),
        "approved": ({State.APPROVED, State.NOT_SENT}, ExitCode.NOT_SENT),
        "open": (set(OPEN), ExitCode.STILL_OPEN),
        "undetermined": (set(UNTOLD), ExitCode.DISCREPANCIES),
    }
    states = {state for group, _ in groups.values() for state in group}
    waiting = ledger.submissions.list(states=states, bodies=False)
    undecided = ledger.decisions.undecided(batch.id for batch in waiting if batch.state in UNTOLD)
    waiting = [batch for batch in waiting if batch.state not in UNTOLD or batch.id in undecided]
    fundings = {stands.report.id: stands for stands in unsettled_fundings(ledger)}
    codes = {stands.state.exit_code for stands in fundings.values()} - {ExitCode.DONE}
    document: dict[str, Any] = {"funding": [funding_document(stands) for stands in fundings.values()]}
    stopped, of_stops = _show_stops(ledger, console)
    codes |= stopped
    for name, (group, code) in groups.items():
        mine = [batch for batch in waiting if batch.state in group]
        document[name] = [_submission_document(batch) for batch in mine]
        if not mine:
            continue
        codes.add(code)
        print_text(console, f"cli.status.{name}")
        for batch in mine:
            _show_batch(batch, ledger, console)
            if batch.id in fundings:
                told = render(fundings.pop(batch.id).told, terminal_language())
                console.print(f"    {told}", soft_wrap=True, markup=False)
        _show_way_on(name, mine, ledger, console)
    _show_unsettled(fundings.values(), console)
    waits = gather_waits(ledger, utc_now())
    show_waits(console, waits, terminal_language())
    codes |= {wait.code for wait in waits}
    document["waits"] = [wait_document(wait) for wait in waits]
    night = last_night(ledger, utc_now())
    if night is not None:
        console.print(render(night, terminal_language()), soft_wrap=True, markup=False)
    document["last_night"] = render(night, "en") if night else None
    rates = _show_rates(ledger, console)
    codes |= codes_of(rates)
    document["exchange_rates"] = [_rate_document(rate) for rate in rates]
    if not codes:
        print_text(console, "cli.status.nothing")
    return worst(codes), document | of_stops


def _show_stops(ledger: "Ledger", console: "Console") -> tuple[set[ExitCode], dict[str, Any]]:
    """Show what stops all sending."""
    codes, hold, freeze = set[ExitCode](), ledger.hold.current(), ledger.freeze.current()
    if hold:
        codes.add(ExitCode.NOT_SENT)
        print_text(console, "cli.status.hold", by=hold.by, at=in_brazil(hold.put_at), why=hold.why)
    if freeze:
        codes.add(ExitCode.FROZEN)
        facts = {"at": in_brazil(freeze.frozen_at), "why": freeze.reason, "tags": " --accept ".join(freeze.tags)}
        print_text(console, "cli.status.frozen", **facts)
    told = {"reason": str(freeze.reason), "tags": list(freeze.tags)} if freeze else None
    return codes, {"hold": hold.why if hold else None, "freeze": told}


def _show_unsettled(fundings: "Collection[ReportFunding]", console: "Console") -> None:
    """Show the reports that have paid everybody, and whose fee or funding is not settled."""
    if fundings:
        print_text(console, "cli.status.funding")
    for stands in fundings:
        console.print(f"  {render(stands.line, terminal_language())}", soft_wrap=True, markup=False)
    if fundings:
        print_text(console, "cli.status.funding.how")


def _show_way_on(group: str, batches: "Sequence[Submission]", ledger: "Ledger", console: "Console") -> None:
    """Say what people can do now about reports that stand alike."""
    from flows.payables.waits import commands_of

    match group:
        case "planned":
            _show_how_to_approve(batches, ledger, console)
        case "approved":
            for command in commands_of(ledger, (batch.run_id for batch in batches)):
                console.print(f"  {shown(command)}", soft_wrap=True, markup=False)
        case "open":
            print_text(console, "cli.status.open.how")
            print_text(console, "cli.status.funding.how")
        case _:
            _show_how_to_decide(group, batches, ledger, console)


def _show_how_to_decide(group: str, batches: "Sequence[Submission]", ledger: "Ledger", console: "Console") -> None:
    """Say what people can do now, once for each job: decisions count at the desk alone where they have to sign in."""
    from flows.acts.payments import words_on_reports

    for job in dict.fromkeys(batch.job for batch in batches):
        in_desk = ledger.decision_rules.wants_signed_in(job)
        if in_desk:
            print_text(console, "cli.status.decided_in_desk")
        elif group == "in_doubt":
            print_text(console, "cli.status.in_doubt.how")
        else:
            words = [f"--{word}" for word in words_on_reports(ledger)]
            print_text(console, "cli.status.undetermined.how", words=Listed(tuple(words), ", "))


def _show_batch(batch: "Submission", ledger: "Ledger", console: "Console") -> None:
    from flows.house_ledger import utc_now
    from schemas.submission import LIKENESS, SubmissionState

    facts: dict[str, object] = {"job": batch.job, "period": batch.period, "report": batch.report_id}
    payments = Message("count.payments", count=batch.payments)
    print_text(console, "cli.status.batch", payments=payments, total=Money(batch.amount_cents), **facts)
    if batch.linked_by == LIKENESS:
        print_text(console, "cli.status.likeness")
    if batch.state is SubmissionState.PLANNED:
        approvals = ledger.approvals.valid(batch.plan_digest, utc_now())
        if approvals:
            print_text(console, "cli.status.approved_by", people=", ".join(approval.by for approval in approvals))
    if batch.reason:
        console.print(f"    {render(batch.reason, terminal_language())}", soft_wrap=True, markup=False)


def _show_how_to_approve(planned: "Sequence[Submission]", ledger: "Ledger", console: "Console") -> None:
    """Print for each plan that waits how it is approved: a plan is all its batches together."""
    from flows.acts.approve import seen_option
    from schemas.plan import short_digest
    from schemas.values.money import format_cents

    totals = Counter[tuple[str, str]]()
    for batch in planned:
        totals[batch.plan_digest, batch.job] += batch.amount_cents
    for (digest, job), cents in totals.items():
        in_desk = ledger.decision_rules.wants_signed_in(job)
        key = "cli.status.in_desk" if in_desk else "cli.status.how"
        seen = seen_option(len(ledger.plan_views.texts_of(digest)))
        print_text(console, key, digest=short_digest(digest), total=format_cents(cents, "pt-BR"), seen=seen)
        if not in_desk:
            print_text(console, "cli.approval.typed_names")


def _show_rates(ledger: "Ledger", console: "Console") -> "list[ExchangeUpdate]":
    from flows.payables.rules.exchange_rate import codes_of
    from schemas.exchange_update import UNSETTLED

    rates = [update for update in ledger.exchange_updates.list(states=UNSETTLED) if codes_of([update])]
    if rates:
        print_text(console, "cli.status.rates")
    for rate in rates:
        language = terminal_language()
        facts = f"{rate.terms.currency} {rate.terms.plain_rate}  {state_text(rate.state.value, language)}"
        line = f"  {rate.job} {rate.period}  {rate.id}  {rate.report_id}  {facts}"
        reason = f"\n    {render(rate.reason, language)}" if rate.reason else ""
        console.print(f"{line}{reason}", soft_wrap=True, markup=False)
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
    from flows.cli.printing import show_grid
    from io_adapters.outputs.grid import Grid, GridColumn

    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        runs = ledger.runs.list()
    language = terminal_language()
    names = ("run", "job", "period", "state", "exit", "started", "took")
    columns = [GridColumn(render(f"cli.runs.{name}", language)) for name in names]
    rows = [
        (
            *(run.run_id, Said(run.job), run.period, state_text(run.state, language)),
            "" if run.exit_code is None else str(run.exit_code),
            f"{in_brazil(run.started_at):%Y-%m-%d %H:%M}",
            f"{(run.finished_at - run.started_at).total_seconds():.1f} s" if run.finished_at else "",
        )
        for run in runs
    ]
    none = () if rows else (render("cli.runs.none", language),)
    show_grid(console, Grid(render("cli.runs.title", language), columns, rows, none), language, most_rows=len(rows))
    listed = [
        {"run": r.run_id, "job": r.job, "period": r.period, "state": r.state, "exit_code": r.exit_code} for r in runs
    ]
    return ExitCode.DONE, {"runs": listed}


def acts(
    since: Annotated[str | None, typer.Option(metavar="DAY", help="From this day on, in Brazil.")] = None,
    lines: Annotated[bool, typer.Option("--lines", help="A JSON object a line, for what collects records.")] = False,
    as_json: AsJson = False,
) -> Result:
    """List what people did.

    Each act follows from the one before; `repasse doctor` says whether any was changed or taken out.
    """
    from flows.cli.printing import show_grid
    from io_adapters.outputs.acts import acts_grid
    from schemas.job import BRASILIA

    first = None if since is None else dt.datetime.combine(as_day(since), dt.time(), BRASILIA)
    with opened_ledger(create=False) as ledger:
        found = ledger.acts.since(first)
    if lines:
        for told in found:
            typer.echo(json.dumps(told.as_json(), ensure_ascii=False, sort_keys=True))
        return ExitCode.DONE, {}
    language = terminal_language()
    show_grid(console_for(as_json=as_json), acts_grid(found, catalogue_in(language)), language, most_rows=len(found))
    return ExitCode.DONE, {"acts": [told.as_json() for told in found]}


What = Annotated[str, typer.Argument(metavar="PAYEE-OR-PAYMENT", help="ob-..., rp-..., a tax id, or a name.")]
OfJob = Annotated[str | None, typer.Option("--job", metavar="NAME", help="Only this job.")]
OfPeriod = Annotated[str | None, typer.Option("--period", metavar="LABEL", help="Only this period.", callback=as_month)]


def explain(
    what: What,
    job: OfJob = None,
    period: OfPeriod = None,
    job_file: Annotated[Path | None, typer.Option(metavar="JOB", help="Reads statements again by it.")] = None,
    every_part: Annotated[
        bool, typer.Option("--all", help="Show every recording and row, not the first ones.")
    ] = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE", help="Write all of it to a .txt.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Explain a payment: back to rows, forward to its report.

    Sums to repeat by hand. The statements are read again by the job file of the last run, so that each part names its
    rows; where they are gone, as the run kept them.
    """
    from flows.books.explain import SHOWN_PARTS
    from flows.books.lines import recorded_order
    from flows.books.rules.trace import MOST_RANGES
    from flows.books.trace import trace
    from flows.cli.explanations import show_explanations, write_explanations
    from flows.run_request import read_run_request, require_known_job
    from flows.settings import Folders

    suffix_of(out, {".txt"})
    order = read_run_request(job_file) if job_file else None
    if order is not None and job not in {None, order.job.job}:
        raise ConfigurationError(Message("error.other_job", found=order.job.job, job=job))
    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        if job is not None and order is None:
            require_known_job(ledger, job, Folders().jobs)
        found = trace(
            ledger,
            what,
            job=order.job.job if order else job,
            period=period,
            order_of=lambda name: order or recorded_order(ledger, name),
            most_ranges=None if every_part or out is not None else MOST_RANGES,
        )
    if out is not None:
        write_explanations(console, found, out)
    return show_explanations(console, found, None if every_part else SHOWN_PARTS)
