"""check, plan, run, settle: the commands that walk stages."""

from collections import Counter
from pathlib import Path
from typing import Any

from flows.intake.read import read
from flows.opening import open_ledger_of
from flows.payables.draft import draft
from flows.reconciliation.preview import view_plan, write_plan
from flows.runner import SYSTEM_CLOCK, RunOptions, RunReport, opened_offline, read_run_request, why_unsound, write_check
from flows.settings import read_settings
from flows.start import start_payout, start_settle
from flows.terminal.plan import show_plan
from flows.terminal.plan_document import plan_document
from flows.terminal.printing import console_for, progress_on, show_issues, show_messages, show_outputs, show_summary
from flows.wording import say
from schemas.exit_codes import ExitCode
from schemas.issues import Severity

Result = tuple[ExitCode, dict[str, Any]]


def check_job(job: Path, *, as_json: bool) -> Result:
    """Read and check everything offline, and write the corrections workbook beside the outputs."""
    console = console_for(as_json=as_json)
    order = read_run_request(job)
    with progress_on(console) as progress, opened_offline(order, progress, SYSTEM_CLOCK) as run:
        read(run)
        checked = write_check(run)
        unsound = why_unsound(run)
    language = order.job.outputs.language
    show_issues(console, checked.issues, str(checked.corrections or "--json"), language)
    rows = checked.rows
    severities = Counter(issue.severity for issue in checked.issues)
    errors, warnings = severities[Severity.ERROR], severities[Severity.WARNING]
    console.print(say(language, "rows", **rows.model_dump()))
    console.print(say(language, "check.issues", errors=errors, warnings=warnings))
    if checked.corrections:
        console.print(say(language, "check.corrections", path=checked.corrections), soft_wrap=True)
    if checked.missing_shares:
        console.print(say(language, "check.missing_shares", path=checked.missing_shares), soft_wrap=True)
    code = ExitCode.ROWS_REFUSED if rows.held or errors else ExitCode.DONE
    if unsound:
        code = ExitCode.NO_SOUND_PLAN
        show_messages(console, [unsound], code)
    document = {
        "issues": [issue.as_json() for issue in checked.issues],
        "rows": rows.model_dump(),
        "corrections": str(checked.corrections) if checked.corrections else None,
        "missing_shares": str(checked.missing_shares) if checked.missing_shares else None,
        "error": unsound or None,
    }
    return code, document


def plan_job(job: Path, *, names: bool, as_json: bool, period: str | None = None) -> Result:
    """Show what would be paid, and write plan.xlsx; the ledger is only read, and the service is not asked."""
    console = console_for(as_json=as_json)
    order = read_run_request(job, period=period)
    ledger = open_ledger_of(read_settings(), create=False)
    with progress_on(console) as progress, opened_offline(order, progress, SYSTEM_CLOCK, ledger) as run:
        read(run)
        draft(run)
        view = view_plan(run)
        path = write_plan(run, view)
    show_issues(console, run.issues, "repasse check", order.job.outputs.language)
    show_plan(console, view, path)
    document = plan_document(view, names=names) | {"workbook": str(path) if path else None}
    return view.exit_code, document | {"issues": [issue.as_json() for issue in run.issues]}


def run_job(job: Path, options: RunOptions, *, as_json: bool) -> Result:
    """Run the payout and tell what it came to."""
    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = start_payout(job, options, progress=progress)
    tell_report(report, as_json=as_json)
    return report.exit_code, run_document(report)


def settle_jobs(job: str | None, *, as_json: bool) -> Result:
    """Look at everything that is open or in doubt."""
    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = start_settle(job, progress=progress)
    show_messages(console, report.messages or [say("en", "settle.nothing")], report.exit_code)
    return report.exit_code, {"state": report.state, "messages": list(report.messages)}


def tell_report(report: RunReport, *, as_json: bool) -> None:
    """Print a run for people."""
    console = console_for(as_json=as_json)
    show_issues(console, report.issues, "corrections.xlsx", report.language)
    if report.summary:
        show_summary(console, report.summary, report.language)
    show_messages(console, report.messages, report.exit_code)
    show_outputs(console, report.outputs)


def run_document(report: RunReport) -> dict[str, Any]:
    """Return what `run --json` prints: summary.json, or what there is of it when the run did not get that far."""
    if report.summary:
        return report.summary.model_dump(mode="json", by_alias=True)
    issues = Counter(issue.code.value for issue in report.issues)
    return {
        "run": report.run_id,
        "state": report.state,
        "issues": dict(sorted(issues.items())),
        "error": "\n".join(report.messages),
    }
