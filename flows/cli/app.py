"""The command line: everything a flow does, with one exit code per kind of outcome and one JSON document on request.

Commands import what they need when they run, so that help answers at once.
"""

import os
import sys
from pathlib import Path
from typing import Annotated

import typer

from flows.cli import desk as desk_commands
from flows.cli import service as service_commands
from flows.cli.ending import AsJson, By, echo_document_once, finish
from flows.cli.layouts import layouts_app
from schemas.errors import RepasseError
from schemas.exit_codes import ExitCode

app = typer.Typer(
    name="repasse",
    help="Pays many people their share of what came in, once, and proves it.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
)

JobFile = Annotated[Path, typer.Argument(metavar="JOB", help="The job file (YAML).", show_default=False)]
Period = Annotated[
    str | None, typer.Option(metavar="MONTH", help="Where the job says previous_month: another, such as 2026-10.")
]


def main() -> None:
    """Run the command line; the last line of defence against tracebacks."""
    try:
        app()
    except RepasseError as error:  # raised before a command could catch it
        typer.echo(f"repasse: {error.message}", err=True)
        sys.exit(int(error.exit_code))
    except SystemExit as end:
        if end.code == ExitCode.USAGE:
            # The words about usage went to standard error; programs get their document all the same.
            echo_document_once(ExitCode.USAGE, "usage: see --help")
        raise
    except Exception as bug:
        if os.environ.get("REPASSE_DEBUG"):
            raise
        # The text of an exception nobody foresaw may hold people's data; its name does not.
        words = f"this is a bug in Repasse: {type(bug).__name__}; REPASSE_DEBUG=1 shows where"
        typer.echo(f"repasse: {words}", err=True)
        echo_document_once(ExitCode.BUG, words)
        sys.exit(int(ExitCode.BUG))


@app.command()
def demo() -> None:
    """Walk the whole way on the sample data; no server, no key.

    The service is the embedded sandbox; all it writes is in the folder demo of the home folder.
    """
    from flows.demo import run_demo  # noqa: PLC0415

    raise typer.Exit(int(run_demo()))


@app.command()
def check(job: JobFile, as_json: AsJson = False) -> None:
    """Read and check a job's files offline.

    Writes a corrections workbook; touches no network and no ledger.
    """
    from flows.commands.payouts import check_job  # noqa: PLC0415

    finish(lambda: check_job(job, as_json=as_json), as_json=as_json)


@app.command()
def plan(
    job: JobFile,
    names: Annotated[bool, typer.Option("--names", help="With --json: a section that names payees.")] = False,
    period: Period = None,
    as_json: AsJson = False,
) -> None:
    """Show what would be paid, and what changed; changes nothing.

    To whom, why not, and what account checks would cost; writes plan.xlsx.
    """
    from flows.commands.payouts import plan_job  # noqa: PLC0415

    finish(lambda: plan_job(job, names=names, period=period, as_json=as_json), as_json=as_json)


@app.command()
def run(  # noqa: PLR0913, PLR0917  # options of a command
    job: JobFile,
    file: Annotated[list[str] | None, typer.Option(metavar="[SOURCE=]F", help="Read F instead of the job's.")] = None,
    yes: Annotated[bool, typer.Option("--yes", help="Approve the plan just made, up to the job's limits.")] = False,
    again: Annotated[list[str] | None, typer.Option(metavar="F", help="Pay file F though it was paid before.")] = None,
    by: Annotated[str | None, typer.Option(metavar="NAME", help="Who asks; the account it runs under without.")] = None,
    period: Period = None,
    one_more: Annotated[bool, typer.Option("--one-more", help="Send one batch though five are in doubt.")] = False,
    as_json: AsJson = False,
) -> None:
    """Pay what a job owes, once.

    Finishes what is stored, checks accounts, freezes the plan, and ends to wait for approval or goes on to the end.
    """
    from flows.commands.payouts import run_job  # noqa: PLC0415
    from flows.runner import RunOptions  # noqa: PLC0415

    options = RunOptions(file or [], yes=yes, by=by, again=again or [], period=period, one_more=one_more)
    finish(lambda: run_job(job, options, as_json=as_json), as_json=as_json)


@app.command()
def nightly(
    jobs: Annotated[Path | None, typer.Option(metavar="DIR", help="Folder of the jobs; REPASSE_JOBS without.")] = None,
    as_json: AsJson = False,
) -> None:
    """Settle, pay every job that is due, settle again.

    The jobs of a folder; what happens to one stops no other.
    """
    from flows.commands.nights import run_nightly  # noqa: PLC0415

    finish(lambda: run_nightly(jobs, as_json=as_json), as_json=as_json)


@app.command()
def approve(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="The plan's digest, as `run` printed it.")],
    by: By,
    total: Annotated[str, typer.Option(metavar="AMOUNT", help="The plan's total, typed.")],
    as_json: AsJson = False,
) -> None:
    """Record a person's yes to a plan; the next `run` sends it."""
    from flows.commands.words import approve_plan  # noqa: PLC0415

    finish(lambda: approve_plan(digest, by=by, total=total, as_json=as_json), as_json=as_json)


@app.command()
def reject(
    digest: Annotated[str, typer.Argument(metavar="DIGEST", help="The plan's digest.")],
    by: By,
    why: Annotated[str, typer.Option(metavar="TEXT", help="What is wrong with it.")],
    as_json: AsJson = False,
) -> None:
    """Record a person's no to a plan."""
    from flows.commands.words import reject_plan  # noqa: PLC0415

    finish(lambda: reject_plan(digest, by=by, why=why, as_json=as_json), as_json=as_json)


@app.command()
def settle(
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None, as_json: AsJson = False
) -> None:
    """Look again at what is open or in doubt.

    Looks submissions in doubt up, sets exchange rates left over, looks at open reports, writes outputs again.
    """
    from flows.commands.payouts import settle_jobs  # noqa: PLC0415

    finish(lambda: settle_jobs(job, as_json=as_json), as_json=as_json)


@app.command()
def status(
    run_id: Annotated[
        str | None, typer.Argument(metavar="RUN", help="One run; the standing of all jobs without.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Tell what happened and what waits for whom."""
    from flows.commands.records import show_status  # noqa: PLC0415

    finish(lambda: show_status(run_id, as_json=as_json), as_json=as_json)


@app.command()
def runs(as_json: AsJson = False) -> None:
    """List the latest runs."""
    from flows.commands.records import list_runs  # noqa: PLC0415

    finish(lambda: list_runs(as_json=as_json), as_json=as_json)


@app.command()
def trace(  # options of a command
    what: Annotated[str, typer.Argument(metavar="PAYEE-OR-PAYMENT", help="ob-..., rp-..., a tax id, or a name.")],
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None,
    period: Annotated[str | None, typer.Option(metavar="LABEL", help="Only this period.")] = None,
    job_file: Annotated[Path | None, typer.Option(metavar="JOB", help="Reads the job's statements again.")] = None,
    as_json: AsJson = False,
) -> None:
    """Follow a payee or a payment to file, row and report.

    Back to file and row, step by step, and forward to the report.
    """
    from flows.commands.trace import trace_payment  # noqa: PLC0415

    finish(lambda: trace_payment(what, job=job, period=period, job_file=job_file, as_json=as_json), as_json=as_json)


@app.command()
def hold(by: By, why: Annotated[str, typer.Option(metavar="TEXT", help="Why.")], as_json: AsJson = False) -> None:
    """Stop all sending, of every job, until `release`."""
    from flows.commands.words import hold_sending  # noqa: PLC0415

    finish(lambda: hold_sending(by=by, why=why, as_json=as_json), as_json=as_json)


@app.command()
def release(by: By, as_json: AsJson = False) -> None:
    """Let sending go on after `hold`."""
    from flows.commands.words import release_sending  # noqa: PLC0415

    finish(lambda: release_sending(by=by, as_json=as_json), as_json=as_json)


@app.command()
def resolve(  # options of a command
    subject: Annotated[
        list[str], typer.Argument(metavar="WHAT", help="What is in doubt, as `status` names it (rp-..., xr-...).")
    ],
    report: Annotated[str | None, typer.Option(metavar="ID", help="It is this report of the service.")] = None,
    absent: Annotated[bool, typer.Option("--absent", help="The service never received it (two people).")] = False,
    unlink: Annotated[
        bool, typer.Option("--unlink", help="What was linked by likeness is not it (two people).")
    ] = False,
    by: Annotated[list[str] | None, typer.Option(metavar="NAME", help="Who says so; twice without --report.")] = None,
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What they rely on.")] = "",
    as_json: AsJson = False,
) -> None:
    """Take people's word on what is in doubt.

    Of several submissions, or rates, all are declared absent on the same evidence, or none.
    """
    from flows.commands.people import resolve_doubts, take_links_back  # noqa: PLC0415

    people = by or []
    if unlink and (absent or report is not None):
        raise typer.BadParameter("say one of --report ID, --absent, --unlink")
    if unlink:
        finish(lambda: take_links_back(subject, by=people, evidence=evidence, as_json=as_json), as_json=as_json)
    finish(
        lambda: resolve_doubts(subject, report=report, absent=absent, by=people, evidence=evidence, as_json=as_json),
        as_json=as_json,
    )


@app.command()
def decide(  # options of a command
    obligation: Annotated[list[str], typer.Argument(metavar="OBLIGATION", help="As the workbook names them (ob-...).")],
    by: By,
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What the word relies on.")],
    pay: Annotated[bool, typer.Option("--pay", help="Not paid, or more is owed: the next run may pay.")] = False,
    paid: Annotated[bool, typer.Option("--paid", help="Paid, by the report or outside.")] = False,
    drop: Annotated[bool, typer.Option("--drop", help="Nobody is to be paid for it.")] = False,
    as_json: AsJson = False,
) -> None:
    """Take a person's word on what a payment came to.

    On conflicts, on partial and excluded reports, on payments made outside.
    """
    from flows.commands.people import decide_obligations  # noqa: PLC0415
    from schemas.approval import DecisionKind  # noqa: PLC0415

    said = [kind for kind, given in zip(DecisionKind, (pay, paid, drop), strict=True) if given]
    if len(said) != 1:
        raise typer.BadParameter("say one of --pay, --paid, --drop")
    finish(lambda: decide_obligations(obligation, said[0], by=by, evidence=evidence, as_json=as_json), as_json=as_json)


@app.command()
def unfreeze(
    accept: Annotated[list[str], typer.Option(metavar="TAG", help="What froze sending; every tag by name.")],
    by: Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; two people.")],
    evidence: Annotated[str, typer.Option(metavar="TEXT", help="What they both saw.")],
    as_json: AsJson = False,
) -> None:
    """Let sending go on after ledger and service disagreed."""
    from flows.commands.people import unfreeze_sending  # noqa: PLC0415

    finish(lambda: unfreeze_sending(accept, by=by, evidence=evidence, as_json=as_json), as_json=as_json)


@app.command()
def sandbox(
    host: Annotated[str, typer.Option(metavar="ADDRESS", help="Address to listen on.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="Port to listen on; 0 takes a free one.")] = 8090,
    database: Annotated[
        Path | None, typer.Option(metavar="FILE", help="File of its state; sandbox.db in the home folder.")
    ] = None,
) -> None:
    """Serve the stand-in payout service; no money moves."""
    from flows.commands.serving import serve_sandbox  # noqa: PLC0415

    serve_sandbox(host, port, database)


@app.command()
def doctor(
    accept_key: Annotated[bool, typer.Option("--accept-key", help="Let the ledger know the new API key.")] = False,
    by: Annotated[str, typer.Option(metavar="NAME", help="Who accepts it.")] = "",
    probe: Annotated[bool, typer.Option("--probe", help="Find out on staging what the interface leaves open.")] = False,
    staging: Annotated[bool, typer.Option("--staging", help="With --probe: the service is staging.")] = False,
    probe_file: Annotated[
        Path | None, typer.Option(metavar="F", help="With --probe: payer, payee, account (YAML); may cost centavos.")
    ] = None,
    yes_probe: Annotated[
        str | None, typer.Option(metavar="HOST", help="With --probe: go on without asking; the service's host.")
    ] = None,
    as_json: AsJson = False,
) -> None:
    """Say what is wrong with environment, ledger and service."""
    from flows.commands.doctor import examine  # noqa: PLC0415

    if probe:
        from flows.commands.probe import probe_service  # noqa: PLC0415

        finish(
            lambda: probe_service(staging=staging, yes_probe=yes_probe, parties_file=probe_file, as_json=as_json),
            as_json=as_json,
        )
    finish(lambda: examine(accept_key=accept_key, by=by, as_json=as_json), as_json=as_json)


@app.command()
def schema(
    what: Annotated[str, typer.Argument(metavar="WHAT", help="job or layout", show_default=True)] = "job",
) -> None:
    """Print the JSON Schema of a job or a layout, for editors."""
    from flows.commands.layouts import print_schema  # noqa: PLC0415

    raise typer.Exit(int(print_schema(what)))


@app.command()
def up() -> None:
    """Start Prefect, a worker, the sandbox and the desk, to try.

    A Prefect server, a worker with the deployments, the sandbox and the desk, on loopback, with sample jobs;
    Ctrl-C ends all of it.
    """
    from flows.commands.serving import serve_everything  # noqa: PLC0415

    serve_everything()


app.add_typer(layouts_app, name="layouts")
service_commands.add_to(app)
desk_commands.add_to(app)
