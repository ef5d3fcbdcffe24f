"""reports, funding: what the service says of its reports, and what they wait for that the payer has to do."""

from io import StringIO
from shlex import quote
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.acts.forms import ConfirmReceiver, Fund
from flows.cli.acts import command_of
from flows.cli.ending import (
    AsJson,
    Result,
    command,
    console_for,
    ended,
    opened_ledger,
    print_text,
    terminal_language,
)
from flows.cli.service import qrcode
from schemas.errors import DecisionRefused, ExitCode, worst
from schemas.messages import Message, Money
from schemas.readers import people_read

if TYPE_CHECKING:
    from rich.console import Console

    from schemas.funding import ReportFunding
    from schemas.wire import SplitReport

funding_app = typer.Typer(help="Show what reports cost and wait for; record what was paid.", rich_markup_mode=None)
command(funding_app)(command_of(Fund, "paid"))
command(funding_app)(command_of(ConfirmReceiver, "receiver"))
command(funding_app)(qrcode)


@funding_app.callback(invoke_without_command=True)
@ended
def funding(
    context: typer.Context,
    job: Annotated[str | None, typer.Option(metavar="NAME", help="Only this job.")] = None,
    qr: Annotated[bool, typer.Option("--qr", help="Draw the codes that are to be paid.")] = False,
    as_json: AsJson = False,
) -> Result | None:
    """Show what reports cost and wait for; record what was paid.

    As the service said it last: `settle` looks again.
    """
    if context.invoked_subcommand is not None:
        return None
    from flows.cli.printing import show_grid
    from flows.reports.funding import unsettled_fundings
    from io_adapters.outputs.service_reports import funding_grid
    from schemas.messages import catalogue_in

    console, language = console_for(as_json=as_json), terminal_language()
    with opened_ledger(create=False) as ledger:
        found = unsettled_fundings(ledger, job)
    if not found:
        print_text(console, "funding.none")
    show_grid(console, funding_grid(found, catalogue_in(language)), language, most_rows=len(found))
    for stands in found:
        _show_way_on(stands, console, draws=qr)
    document = {"reports": [funding_document(stands) for stands in found]}
    return worst(stands.state.exit_code for stands in found), document


def _show_way_on(stands: "ReportFunding", console: "Console", *, draws: bool) -> None:
    """Say what the payer has to do about a report; the text of a code stands on a line of its own, to be copied."""
    import segno

    from schemas.funding import WANTS_PAYER, FundingState

    if stands.state not in WANTS_PAYER:
        return
    facts = {"report": stands.report.report_id, "receiver": quote(stands.receiver), "sum": Money(stands.sum_cents)}
    console.print()
    print_text(console, "funding.line", job=stands.report.job, report=stands.report.report_id, stands=stands.told)
    if stands.state is FundingState.YOURS_TO_PAY and not people_read():
        print_text(console, "funding.way.hidden")
        return
    if stands.state is FundingState.YOURS_TO_PAY:
        console.out(stands.payload, highlight=False)
        if draws:
            drawn = StringIO()
            segno.make(stands.payload).terminal(drawn, compact=True)
            console.out(drawn.getvalue(), highlight=False)
    print_text(console, f"funding.way.{stands.state}", **facts)


def funding_document(stands: "ReportFunding") -> dict[str, Any]:
    """Return how a report stands as plain JSON values."""
    return {
        "report_id": stands.report.report_id,
        "job": stands.report.job,
        "period": stands.report.period,
        "funding": stands.state.value,
        "due_cents": stands.due_cents,
        "funded_cents": stands.funded_cents,
        "fee_cents": stands.fee_cents,
        "receiver": stands.receiver,
        "payload": stands.payload if people_read() else "",
    }


def reports(
    report: Annotated[
        str | None, typer.Argument(metavar="ID", help="One report, whole: rp-..., or the service's.")
    ] = None,
    status: Annotated[str | None, typer.Option(metavar="STATUS", help="Only those of a status of the service.")] = None,
    as_json: AsJson = False,
) -> Result:
    """List the service's reports, or show one whole.

    As the service tells of them now; nothing is recorded.
    """
    from flows.cli.printing import show_grid
    from flows.house_ledger import open_ledger_of
    from flows.runner import opened_service
    from flows.settings import read_settings
    from io_adapters.outputs.service_reports import report_grid, reports_grid
    from schemas.messages import catalogue_in

    settings, console, language = read_settings(), console_for(as_json=as_json), terminal_language()
    wanted = _status(status)
    with opened_service(settings) as service, open_ledger_of(settings, create=False) as ledger:
        if ledger.service.current().url:  # a key never goes to a service that is not the ledger's
            ledger.service.bind_or_check(service.url, service.key_fingerprint)
        known = [one for one in ledger.submissions.list(bodies=False) if one.split_id]
        ours = {one.split_id or "": one for one in known}
        if report is None:
            found = service.api.list_reports(wanted)
        else:
            split_id = next((one.split_id for one in known if one.report_id == report), None) or report
            name = ours[split_id].report_id if split_id in ours else split_id
            shown = service.api.find_report(service.path_id(split_id=split_id, report_id=name))
            if shown is None:
                raise DecisionRefused(Message("report.unknown", report=report))
            found = (shown,)
    labels = catalogue_in(language)
    grid = reports_grid(found, ours, labels) if report is None else report_grid(found[0], labels)
    show_grid(console, grid, language, most_rows=max(len(grid.rows), 1))
    return ExitCode.DONE, {"reports": [_report_document(one) for one in found]}


def _report_document(report: "SplitReport") -> dict[str, Any]:
    """Return all that the service says of a report, exact numbers as texts."""
    from schemas.wire import parse_json

    document: dict[str, Any] = parse_json(report.document())
    return document


def _status(text: str | None) -> Any:  # noqa: ANN401  # a word of the interface
    from typing import get_args

    from schemas.wire import ReportStatus

    known = get_args(ReportStatus)
    if text is not None and text.strip().upper() not in known:
        raise DecisionRefused(Message("report.no_status", known=", ".join(known)))
    return text.strip().upper() if text is not None else None
