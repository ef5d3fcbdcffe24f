"""check, plan, run, settle, nightly: the commands that walk stages."""

from collections import Counter
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.ending import AsJson, JobFile, Result, console_for, opened_ledger, plain_names, print_text
from flows.run_options import KeyTypes, Period, RunOptions, taking_options
from schemas.errors import ExitCode
from schemas.issues import IssueCode, Severity, errors_among
from schemas.messages import Message, render
from schemas.readers import people_read

if TYPE_CHECKING:
    from flows.nights.night import JobNight
    from flows.runner import RunReport

JobOrSheet = Annotated[Path, typer.Argument(metavar="JOB", help="The job file, or a spreadsheet.", show_default=False)]


def check(job: JobOrSheet, key_types: KeyTypes = False, as_json: AsJson = False) -> Result:
    """Read and check a job's files, or one spreadsheet, offline.

    Writes a corrections workbook of a job; of a spreadsheet, says what it would be. Touches no network and no ledger.
    """
    from io_adapters.spreadsheets.declarations import is_declaration

    if is_declaration(job.name):
        return _check_job(job, key_types=key_types, as_json=as_json)
    return _check_sheet(job, as_json=as_json)


def _check_job(job: Path, *, key_types: bool, as_json: bool) -> Result:
    from flows.cli.printing import progress_on, show_issues, show_messages
    from flows.payables.check import check_files
    from flows.run_request import read_run_request

    console = console_for(as_json=as_json)
    order = read_run_request(job, RunOptions(pix_types=key_types))
    with progress_on(console) as progress:
        checked, unsound = check_files(order, progress)
    language = order.job.outputs.language
    show_issues(console, checked.issues, str(checked.corrections or "--json"), language)
    rows = checked.rows
    severities = Counter(issue.severity for issue in checked.issues)
    errors, warnings = severities[Severity.ERROR], severities[Severity.WARNING]
    console.print(render("cli.rows", language, **rows.model_dump()))
    console.print(render("cli.check.issues", language, errors=errors, warnings=warnings))
    if shown := sum(issue.code is IssueCode.PIX_TYPE_PROPOSED for issue in checked.issues):
        console.print(render("cli.check.key_types", language, count=shown), soft_wrap=True, markup=False)
    if checked.corrections:
        console.print(render("cli.check.corrections", language, path=checked.corrections), soft_wrap=True)
    if checked.missing_shares:
        console.print(render("cli.check.missing_shares", language, path=checked.missing_shares), soft_wrap=True)
    code = ExitCode.ROWS_REFUSED if rows.held or errors else ExitCode.DONE
    if unsound:
        code = ExitCode.NO_SOUND_PLAN
        show_messages(console, [render(unsound, language)], code)
    document = {
        "issues": [issue.as_json(language) for issue in checked.issues] if as_json else [],
        "rows": rows.model_dump(),
        "corrections": str(checked.corrections) if checked.corrections else None,
        "missing_shares": str(checked.missing_shares) if checked.missing_shares else None,
        "error": render(unsound, language) if unsound else None,
    }
    return code, document


def _check_sheet(path: Path, *, as_json: bool) -> Result:
    """Say what a spreadsheet would be, how its columns are read, and what is wrong in it."""
    from flows.cli.printing import examined_document, show_examined, show_issues
    from flows.intake.examine import examine
    from schemas.errors import errors_in_language
    from schemas.job import Outputs

    language = Outputs().language
    console = console_for(as_json=as_json)
    with errors_in_language(language):
        tables = examine(path)
    for table in tables:
        if table.failure is not None:
            layout = table.possibilities[0].layout
            what = Message(f"new.is.{layout.table}", layout=layout.layout)
            console.print(render("examined.title", language, file=path.name, what=what), soft_wrap=True, markup=False)
            show_issues(console, table.failure.issues, "--json", language)
        for sheet in table.sheets:
            show_examined(console, sheet, language)
            show_issues(console, sheet.issues, "--json", language)
        if others := ", ".join(possibility.layout.layout for possibility in table.possibilities[1:]):
            console.print(render("examined.or", language, others=others))
    console.print(render("examined.next", language, path=path), soft_wrap=True, markup=False)
    issues = [issue for table in tables for sheet in table.sheets for issue in sheet.issues]
    failures = [table.failure for table in tables if table.failure is not None]
    issues += [issue for failure in failures for issue in failure.issues]
    is_held = any(sheet.rows.get("held") for table in tables for sheet in table.sheets)
    document = {
        "issues": [issue.as_json(language) for issue in issues],
        "tables": [examined_document(sheet, table) for table in tables for sheet in table.sheets],
    }
    if failures:
        return failures[0].exit_code, document
    return ExitCode.ROWS_REFUSED if is_held or errors_among(issues) else ExitCode.DONE, document


def plan(
    job: JobFile,
    period: Period = "",
    key_types: KeyTypes = False,
    as_json: AsJson = False,
) -> Result:
    """Show what would be paid, and what changed; changes nothing.

    To whom, why not, and what account checks would cost; writes plan.xlsx.
    """
    from flows.cli.plans import plan_document, show_plan
    from flows.cli.printing import progress_on, show_issues
    from flows.intake.read import read
    from flows.payables.draft import draft
    from flows.payables.preview import view_plan, write_plan
    from flows.payables.waits import waits_elsewhere
    from flows.run import opened_offline
    from flows.run_request import read_run_request
    from io_adapters.ledger.approvals_missing import rule_for

    console = console_for(as_json=as_json)
    order = read_run_request(job, RunOptions(period=period, pix_types=key_types))
    ledger = opened_ledger(create=False)
    with progress_on(console) as progress, opened_offline(order, progress, ledger) as run:
        view = view_plan(run, draft(run, read(run)))
        path, waits = write_plan(run, view), waits_elsewhere(run.ledger, view.job, view.period)
        takes_typed_names = rule_for(run.ledger, run.job).identities == "declared"
    show_issues(console, run.issues, "repasse check", order.job.outputs.language)
    show_plan(console, view, waits, path)
    if takes_typed_names:
        console.print(render("cli.approval.typed_names", view.language), soft_wrap=True, markup=False)
    document = plan_document(view, waits, names=people_read()) | {"workbook": str(path) if path else None}
    document["takes_typed_names"] = takes_typed_names
    return view.exit_code, document | {"issues": [issue.as_json(run.language) for issue in run.issues]}


@taking_options
def run(job: JobFile, options: RunOptions, as_json: AsJson = False) -> Result:
    """Pay what a job owes, once.

    Finishes what is stored, checks accounts, freezes the plan, and ends to wait for approval or goes on to the end.
    """
    from flows.cli.printing import progress_on
    from flows.launch import start_payout

    plain_names(options.by)
    with progress_on(console_for(as_json=as_json)) as progress:
        report = start_payout(job, options, progress=progress)
    show_report(report, as_json=as_json)
    if report.summary:
        return report.exit_code, report.summary.model_dump(mode="json", by_alias=True)
    issues = Counter(issue.code.value for issue in report.issues)
    return report.exit_code, {
        "run": report.run_id,
        "state": report.state,
        "issues": dict(sorted(issues.items())),
        "error": "\n".join(report.messages),
    }


def show_report(report: "RunReport", *, as_json: bool) -> None:
    """Print what a run came to, for people."""
    from flows.cli.printing import show_issues, show_messages, show_outputs, show_summary

    console = console_for(as_json=as_json)
    show_issues(console, report.issues, "corrections.xlsx", report.language)
    if report.summary:
        show_summary(console, report.summary, report.language)
    show_messages(console, report.messages, report.exit_code)
    show_outputs(console, report.outputs)


def settle(
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None, as_json: AsJson = False
) -> Result:
    """Poll open reports and what is in doubt.

    Looks submissions in doubt up, sets exchange rates left over, looks at open reports, writes outputs again.
    """
    from flows.cli.printing import progress_on, show_messages
    from flows.launch import start_settle

    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = start_settle(job, progress=progress)
    show_messages(console, report.messages or [render("cli.settle.nothing", "en")], report.exit_code)
    return report.exit_code, {"state": report.state, "messages": list(report.messages)}


def nightly(
    jobs: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the jobs; REPASSE_JOBS without.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Settle, pay every job that is due, settle again.

    The jobs of a folder; what happens to one stops no other.
    """
    from rich.markdown import Markdown

    from flows.cli.printing import progress_on
    from flows.launch import start_night
    from flows.prefect_ui.artifacts import night_page
    from schemas.job import Outputs

    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = start_night(str(jobs) if jobs else None, progress=progress)
    console.print(Markdown(night_page(report, Outputs().language)))
    return report.exit_code, {
        "run": report.run_id,
        "state": report.state,
        "messages": [render(message, Outputs().language) for message in report.messages],
        "jobs": [_night_document(job) for job in report.jobs],
    }


def deploy(as_json: AsJson = False) -> Result:
    """Set a Prefect server up: pool, deployments, automations.

    The server of PREFECT_API_URL. What is there stays as people have it: pauses, schedules, limits, automations.
    """
    from flows.prefect_ui.deployments import deploy as deploy_all

    console, made = console_for(as_json=as_json), deploy_all()
    print_text(console, "cli.deploy.made" if made else "cli.deploy.nothing", made="\n  ".join(made))
    return ExitCode.DONE, {"made": made}


def _night_document(night: "JobNight") -> dict[str, Any]:
    from schemas.job import Outputs

    return {
        "file": night.file,
        "job": night.job,
        "period": night.period,
        "why": night.why.value if night.why else None,
        "was_run": night.was_run,
        "run": night.run_id or None,
        "state": night.state,
        "exit_code": int(night.exit_code),
        "message": render(night.message, Outputs().language) if night.message else "",
    }
