"""Write what a run came to: reconciliation, CSV, summary, corrections; and again after every later look."""

from dataclasses import replace
from pathlib import Path

import pandas as pd

from flows.stages.correctables import write_correctables
from flows.stages.document import RunDocument
from flows.stages.run import Run
from flows.stages.tell_payees import basis_of, tell_payees
from flows.stages.waits import waits_of_run
from flows.steps.count_in import count_in
from flows.steps.exchange_rate import codes_of, told_with_rates
from flows.steps.reconcile import (
    count_rows,
    ended_otherwise,
    is_duplicate,
    place_rows,
    reconcile,
    summarise_batches,
    total_up,
    withheld_otherwise,
)
from flows.steps.repeated import mark_repeated
from flows.steps.run_state import closing_codes, state_name
from flows.steps.waits import open_items
from io_adapters.ledger.ledger import Ledger
from io_adapters.outputs.run_folder import write_outputs
from schemas.exchange_terms import HOME_CURRENCY
from schemas.exit_codes import ExitCode, worst
from schemas.reconciliation import Reconciliation, Summary
from schemas.submission import UNTOLD, SubmissionState
from schemas.waits import OpenPeriod
from schemas.wire import SplitReport, parse_json

CHECKS = ("payee", "destination_masked", "result", "made", "reused", "cost_cents", "message")


def write(run: Run) -> None:
    """Write the outputs of a run that has got as far as working things out, and keep its document in the ledger."""
    if run.worked is None or run.inputs is None:
        return
    document = document_of(run)
    run.ledger.runs.save_document(run.id, document.to_bytes())
    reconciliation = reconciliation_of(document, run.id, run.ledger)
    run.codes = {ExitCode(reconciliation.summary.exit_code)}
    folder = Path(document.folder)
    run.outputs = write_outputs(reconciliation, folder, document.formats)
    run.outputs += write_correctables(run, folder)
    run.summary = reconciliation.summary
    run.left = left_open(document, reconciliation)
    tell_payees(run, document, reconciliation, run.id)


def left_open(document: RunDocument, reconciliation: Reconciliation) -> OpenPeriod:
    """Sum up what a run leaves open, for the ledger."""
    summary = reconciliation.summary
    where = (summary.job, summary.period, summary.run, summary.currency)
    items = open_items(reconciliation.obligations, reconciliation.rows)
    return OpenPeriod(*where, document.language, document.folder, items)


def document_of(run: Run) -> RunDocument:
    """Gather what a reconciliation needs from a run."""
    worked, inputs, job = run.require_worked(), run.require_inputs(), run.job
    carried_in = run.standing.history.carried_in if run.standing else {}
    return RunDocument(
        job=job.job,
        period=run.order.period.label,
        currency=job.currency,
        payer_name=job.payer.name,
        language=job.outputs.language,
        folder=str(output_folder(run)),
        formats=job.outputs.formats,
        plan_digest=run.plan.digest if run.plan and run.plan.batches else None,
        in_cents=count_in(inputs, carried_in),
        obligations=worked.obligations,
        balances=worked.balances,
        earnings=worked.earnings,
        territories=worked.territories,
        rows=mark_repeated(inputs.rows, run.used_before.repeated, run.used_before.renamed),
        checks=pd.DataFrame(run.check_rows, columns=list(CHECKS)),
        check_counts=run.checks,
        issues=tuple(run.issues),
        decisions=inputs.decisions,
        discrepancies=tuple(run.discrepancies),
        codes=tuple(sorted(run.codes)),
        statements=basis_of(run) if job.outputs.statements else None,
    )


def output_folder(run: Run) -> Path:
    """outputs.folder/<job>/<period>/<run>, relative to the job file."""
    base = run.order.folder / run.job.outputs.folder
    return (base / run.job.job / run.order.period.label / run.id).absolute()


def reconciliation_of(document: RunDocument, run_id: str, ledger: Ledger) -> Reconciliation:
    """Hold a run's document against what the ledger and the reports say by now.

    Raises:
        BrokenInvariant: centavos or rows do not add up.
    """
    named = set(document.obligations["submission_id"]) - {""}
    submissions = {one.id: one for one in ledger.submissions.with_ids(named)}
    snapshots = ledger.reports.latest(list(submissions))
    reports = {name: SplitReport.model_validate(parse_json(one.document)) for name, one in snapshots.items()}
    words = ledger.decisions.on_reports(document.obligations["key"])
    placed = reconcile(document.obligations, submissions, run_id, reports=reports, decisions=words)
    rows = place_rows(document.rows, placed)
    own = [one for one in submissions.values() if one.run_id == run_id or one.state is SubmissionState.PLANNED]
    own.sort(key=lambda one: (one.plan_digest, one.batch_number))
    ever_sent = ledger.submissions.ever_sent(document.job)
    unfinished = [one for one in submissions.values() if one not in own and not is_duplicate(one, run_id)]
    untold = {one.id for one in submissions.values() if one.state in UNTOLD}
    decided = untold - ledger.decisions.undecided(untold)
    followed = [*own, *unfinished]
    ended = ended_otherwise([one for one in own if one.id not in decided])
    discrepancies = [*document.discrepancies, *withheld_otherwise(placed, own, reports), *ended]
    rates = ledger.exchange_updates.of_reports(submissions) if document.currency != HOME_CURRENCY else {}
    codes = closing_codes(document.codes, followed, discrepancies, ever_sent=ever_sent, decided=decided)
    code = worst(codes | codes_of(rates.values()))
    issues = pd.Series([issue.code.value for issue in document.issues], dtype="str").value_counts().sort_index()
    summary = Summary(
        run=run_id,
        job=document.job,
        period=document.period,
        plan_digest=document.plan_digest,
        currency=document.currency,
        state=state_name(code, sent=bool(own)),
        exit_code=int(code),
        totals_cents=total_up(placed, document.in_cents, submissions, reports, run_id),
        batches=told_with_rates(summarise_batches(own), rates),
        rows=count_rows(rows),
        account_checks=document.check_counts,
        issues={str(name): int(count) for name, count in issues.items()},
        discrepancies=discrepancies,
    )
    found = Reconciliation(
        summary=summary,
        payer_name=document.payer_name,
        language=document.language,
        obligations=placed,
        payees=document.balances,
        earnings=document.earnings,
        rows=rows,
        checks=document.checks,
        issues=document.issues,
        decisions=document.decisions,
    )
    return replace(found, waits=waits_of_run(ledger, left_open(document, found), summary.state, code))
