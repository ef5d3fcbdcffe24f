"""Writing a run's outputs, and again after each later poll: workbook, CSV, summary, corrections, statements."""

from dataclasses import dataclass, replace
from pathlib import Path

import pandas as pd

from flows.books.restated import restated_before
from flows.books.rules.reconcile import (
    closing_codes,
    ended_otherwise,
    recorded_decisions,
    report_lines,
    state_name,
    summarise_batches,
    withheld_otherwise,
)
from flows.intake.rules.inputs import input_totals, line_sums
from flows.payables.corrections import write_run_corrections
from flows.payables.draft import Draft
from flows.payables.rules.deals import terms_of_deals
from flows.payables.rules.exchange_rate import codes_of, with_rates
from flows.payables.rules.left_out import mark_repeated
from flows.payables.rules.places import count_rows, is_duplicate, place_rows, reconcile, total_up
from flows.payables.rules.returned import returned_cents, with_what_came_back
from flows.payables.waits import waits_of_run
from flows.reports.report_list import inferred_payments
from flows.royalties.rules.statements import (
    StatementTables,
    compose_statements,
    heading_of,
    stand_of_advances,
)
from flows.royalties.rules.terms import languages_of, minimums_of
from flows.run import Run
from flows.views.columns import TAKEN_BACK
from io_adapters.ledger.ledger import Ledger
from io_adapters.ledger.run_record import CHECKS, RunRecord, read_record, save_record
from io_adapters.outputs.run_folder import write_outputs
from io_adapters.outputs.statements.folder import write_statements
from schemas.errors import BrokenInvariant, ExitCode, worst
from schemas.messages import Message
from schemas.obligation import Obligations, submissions_of
from schemas.parsing.row_accounting import RowRuns
from schemas.payee_statement import StatementBasis, StatementHeading
from schemas.plan import HOME_CURRENCY, Place
from schemas.reconciliation import Reconciliation, RecordedDecision, ReportLine, Summary
from schemas.submission import UNTOLD, Submission, SubmissionState
from schemas.tables.model import DataFrame, records
from schemas.values.money import SignedSums
from schemas.wire import SplitReport, parse_json

FOLDER = "statements"


def basis_of(run: Run, drafted: Draft) -> StatementBasis:
    """Gather what statements need to know of a run beside its tables."""
    advances = stand_of_advances(drafted.inputs.advances, drafted.payables.royalties.recouped, drafted.snapshot.history)
    payees = drafted.inputs.terms
    return StatementBasis(_heading_of(run, drafted), advances, languages_of(payees), minimums_of(payees))


def _heading_of(run: Run, drafted: Draft) -> StatementHeading:
    quotes = (quote for statement in drafted.inputs.statements for quote in statement.quotes)
    return heading_of(run.job, run.request.period, quotes)


def write_payee_statements(run: Run, record: RunRecord, reconciliation: Reconciliation, run_id: str) -> None:
    """Write the statements of a run, this one or an earlier one; what cannot be written is told, and changes nothing.

    The money has gone out by then and the books are written: a full disk must not make a paid run look like a failed
    one.

    Args:
        record: What the ledger keeps of the run they are of.
    """
    try:
        run.outputs += statements_of(record, reconciliation, run_id, run.ledger)
    except OSError as error:
        run.messages.append(Message("cli.statements.failed", run=run_id, reason=type(error).__name__))


def statements_of(record: RunRecord, reconciliation: Reconciliation, run_id: str, ledger: Ledger) -> list[Path]:
    """Write the statements of a run whose reports the service knows; before that nobody has anything to be told.

    Of a run that sends nothing, those it took something back from are told.

    Returns:
        Where they are, by name; nothing when the job wants none.

    Raises:
        OSError: the folder cannot be written.
    """
    basis = record.statements
    whose: frozenset[str] | None = None
    if not any(batch.split_id for batch in reconciliation.summary.batches):
        whose = frozenset(taken.tax_id for taken in ledger.views.ask(TAKEN_BACK, run=run_id))
    if basis is None or whose == frozenset():
        return []
    names = submissions_of(reconciliation.obligations)
    back, named = ledger.returns.of_reports(names), ledger.submissions.with_ids(names)
    obligations = with_what_came_back(reconciliation.obligations, back, Place.DUPLICATE)
    tables = StatementTables(record.earnings, record.territories, record.balances, obligations)
    statements = compose_statements(
        basis,
        tables,
        run_id=run_id,
        submissions={submission.id: submission for submission in named},
        whose=whose,
        restated=restated_before(ledger, run_id),
    )
    return sorted(write_statements(statements, Path(record.folder) / FOLDER))


def write(run: Run, drafted: Draft | None) -> None:
    """Write the outputs of a run that has got as far as working things out, and keep its record in the ledger.

    Args:
        drafted: What it worked out; None when it did not get that far.
    """
    if drafted is None:
        return
    record = record_of(run, drafted)
    save_record(run.ledger, run.id, record)
    reconciliation = reconciliation_of(record, run.id, run.ledger)
    run.codes = {ExitCode(reconciliation.summary.exit_code)}
    folder = Path(record.folder)
    run.outputs = write_outputs(reconciliation, folder, record.formats)
    run.outputs += write_run_corrections(run, drafted.intake, folder)
    run.summary = reconciliation.summary
    write_payee_statements(run, record, reconciliation, run.id)


def record_of(run: Run, drafted: Draft) -> RunRecord:
    """Gather what a reconciliation needs from a run."""
    payables, inputs, job, plan = drafted.payables, drafted.inputs, run.job, drafted.plan
    before = drafted.intake.used_before
    return RunRecord(
        job=job.job,
        period=run.request.period.label,
        currency=job.currency,
        payer=job.payer.tax_id,
        payer_name=job.payer.name,
        language=job.outputs.language,
        folder=str(run.output_folder),
        formats=job.outputs.formats,
        plan_digest=plan.digest if plan and plan.batches else None,
        in_cents=input_totals(inputs, drafted.snapshot.history.carried_in) + returned_cents(payables.obligations),
        obligations=payables.obligations,
        balances=payables.balances,
        earnings=payables.earnings,
        territories=payables.territories,
        rows=mark_repeated(inputs.rows, before.repeated, before.renamed),
        checks=pd.DataFrame(list(drafted.checks.rows), columns=list(CHECKS)),
        check_counts=drafted.checks.counts,
        issues=tuple(run.issues),
        decisions=inputs.decisions,
        discrepancies=tuple(run.discrepancies),
        codes=tuple(sorted(run.codes)),
        statements=basis_of(run, drafted) if job.outputs.statements else None,
        quotes=_heading_of(run, drafted).quotes,
        ways=payables.royalties.ways,
        line_sums=line_sums(inputs.statements),
        deals=tuple(terms_of_deals(inputs)),
        natures={row["tax_id"]: row["nature"] for row in records(drafted.inputs.taxes) if row["nature"]},
    )


@dataclass(frozen=True, slots=True)
class Followed:
    """What ledger and service say by now of what claims a run's obligations.

    Attributes:
        reports: The last report of each that has one, by submission id.
        own: What the run sent, or what is planned, in the order of the batches.
        unfinished: What of earlier runs still keeps its payments from being done.
        decided: Ids of those that people have explained, payment by payment.
    """

    submissions: dict[str, Submission]
    reports: dict[str, SplitReport]
    own: list[Submission]
    unfinished: list[Submission]
    decided: set[str]


def reconciliation_of(record: RunRecord, run_id: str, ledger: Ledger) -> Reconciliation:
    """Hold a run's record against what the ledger and the reports say by now.

    Raises:
        BrokenInvariant: centavos or rows do not add up, or the journal says otherwise than the record of reports.
    """
    followed = follow(record.obligations, run_id, ledger)
    if ledger.journal.disagreeing(followed.submissions) or ledger.returns.disagreeing(followed.submissions):
        raise BrokenInvariant("the journal says otherwise of a report than the record of reports does")
    placed = place(record.obligations, followed, run_id, ledger)
    rows = place_rows(record.rows, placed)
    summary = _summarise(record, run_id, ledger, followed, placed, rows)
    reports, recorded = _reports_and_decisions(ledger, followed, placed, summary)
    found = Reconciliation(
        summary=summary,
        payer_name=record.payer_name,
        language=record.language,
        obligations=placed,
        payees=record.balances,
        earnings=record.earnings,
        rows=rows,
        checks=record.checks,
        issues=record.issues,
        decisions=record.decisions,
        reports=reports,
        recorded=recorded,
    )
    code = ExitCode(summary.exit_code)
    return replace(found, waits=waits_of_run(ledger, run_id, summary.state, code))


def _reports_and_decisions(
    ledger: Ledger, followed: Followed, placed: Obligations, summary: Summary
) -> tuple[tuple[ReportLine, ...], tuple[RecordedDecision, ...]]:
    """Gather each report with its moments and approvals, and people's decisions on plans and payments."""
    submissions = followed.submissions.values()
    on_plans = ledger.approvals.decisions_on(submission.plan_digest for submission in submissions)
    exchanges = {batch.report_id: batch.exchange for batch in summary.batches if batch.exchange}
    ended_at = ledger.submissions.ended_at(followed.submissions)
    keys = [obligation.key for obligation in placed if obligation.key]
    decisions = [*ledger.decisions.on_rows(keys).values(), *ledger.decisions.on_reports(keys).values()]
    return (
        report_lines(submissions, followed.reports, ended_at, on_plans, exchanges),
        recorded_decisions(on_plans, decisions, placed),
    )


def follow(obligations: Obligations, run_id: str, ledger: Ledger) -> Followed:
    """Gather what ledger and service say by now of what claims a run's obligations."""
    named = ledger.submissions.with_ids(submissions_of(obligations))
    submissions = {submission.id: submission for submission in named}
    snapshots = ledger.reports.latest(list(submissions))
    own = [
        submission for submission in named if submission.run_id == run_id or submission.state is SubmissionState.PLANNED
    ]
    untold = {submission.id for submission in named if submission.state in UNTOLD}
    return Followed(
        submissions=submissions,
        reports={name: SplitReport.model_validate(parse_json(seen.document)) for name, seen in snapshots.items()},
        own=sorted(own, key=lambda submission: (submission.plan_digest, submission.batch_number)),
        unfinished=[other for other in named if other not in own and not is_duplicate(other, run_id)],
        decided=untold - ledger.decisions.undecided(untold),
    )


def place(obligations: Obligations, followed: Followed, run_id: str, ledger: Ledger) -> Obligations:
    """Give a run's obligations, or some of them, the places they have by now."""
    decisions = ledger.decisions.on_reports([obligation.key for obligation in obligations])
    placed = reconcile(
        obligations,
        followed.submissions,
        run_id,
        reports=followed.reports,
        decisions=decisions,
        inferred=inferred_payments(ledger, followed.submissions.values()),
    )
    return with_what_came_back(placed, ledger.returns.of_reports(followed.submissions))


def _summarise(  # what a summary is made of, each from another step
    record: RunRecord,
    run_id: str,
    ledger: Ledger,
    followed: Followed,
    placed: Obligations,
    rows: DataFrame[RowRuns],
) -> Summary:
    own, decided = followed.own, followed.decided
    ended = ended_otherwise([submission for submission in own if submission.id not in decided])
    discrepancies = [*record.discrepancies, *withheld_otherwise(placed, own, followed.reports), *ended]
    rates = ledger.exchange_updates.of_reports(followed.submissions) if record.currency != HOME_CURRENCY else {}
    sent, ever_sent = [*own, *followed.unfinished], ledger.submissions.ever_sent(record.job)
    codes = closing_codes(record.codes, sent, discrepancies, ever_sent=ever_sent, decided=decided)
    code = worst(codes | codes_of(rates.values()))
    issues = SignedSums.counted(issue.code.value for issue in record.issues)
    return Summary(
        run=run_id,
        job=record.job,
        period=record.period,
        plan_digest=record.plan_digest,
        currency=record.currency,
        state=state_name(code, sent=bool(own)),
        exit_code=int(code),
        totals_cents=total_up(placed, record.in_cents, followed.submissions, followed.reports, run_id),
        batches=with_rates(summarise_batches(own), rates),
        rows=count_rows(rows),
        account_checks=record.check_counts,
        issues=dict(sorted(issues.items())),
        discrepancies=discrepancies,
    )


def rewrite(run: Run) -> None:
    """Write the outputs of every run that was looked at again, where it wrote them first."""
    for run_id in sorted(run.touched):
        record = read_record(run.ledger, run_id)
        if record is None:
            continue
        own = {submission.report_id for submission in run.ledger.submissions.list(run_id=run_id, bodies=False)}
        seen = [
            discrepancy
            for discrepancy in run.discrepancies
            if discrepancy.report_id in own and discrepancy not in record.discrepancies
        ]
        record = record.with_discrepancies(seen)
        run.ledger.runs.keep_discrepancies(run_id, [discrepancy.model_dump(exclude={"why"}) for discrepancy in seen])
        reconciliation = reconciliation_of(record, run_id, run.ledger)
        summary = reconciliation.summary
        run.ledger.runs.finish(run_id, summary.state, summary.exit_code, summary.to_json())
        run.outputs += write_outputs(reconciliation, Path(record.folder), record.formats)
        write_payee_statements(run, record, reconciliation, run_id)
        if summary.exit_code == ExitCode.DISCREPANCIES:
            run.codes.add(ExitCode.DISCREPANCIES)
        run.show(Message("cli.run.rewritten", run=run_id, state=summary.state))
