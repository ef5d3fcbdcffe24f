"""contacts and institutions: the service's address book and its list of banks, by hand."""

import datetime as dt
import sys
from contextlib import ExitStack
from typing import TYPE_CHECKING, Annotated, Any

import typer

from flows.cli.ending import (
    AsJson,
    JobFile,
    Result,
    command,
    console_for,
    in_brazil,
    opened_ledger,
    print_text,
    terminal_language,
)
from schemas.errors import DecisionRefused, ExitCode
from schemas.messages import Message, Said, render

if TYPE_CHECKING:
    from rich.console import Console

    from flows.payables.institutions import InstitutionList
    from io_adapters.ledger.ledger import Ledger
    from schemas.contact_book import KnownContact
    from schemas.wire import Institution

contacts_app = typer.Typer(
    help="Synchronise the service's address book with payees.", no_args_is_help=True, rich_markup_mode=None
)
Account = Annotated[str, typer.Argument(metavar="ACCOUNT", help="As `contacts list` names it.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@command(contacts_app, "sync")
def contacts_sync(
    job: JobFile,
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without, only show what would be done.")] = False,
    ask_again: Annotated[bool, typer.Option("--ask-again", help="Ask for the accounts of every contact.")] = False,
    as_json: AsJson = False,
) -> Result:
    """Show which contacts would be created or changed.

    --apply does it, and deletes nothing.
    """
    from flows.address_book.sync import sync_job_contacts
    from flows.cli.contacts import contacts_document, show_sync
    from flows.cli.printing import progress_on

    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = sync_job_contacts(job, apply=apply, ask_again=ask_again, progress=progress)
    show_sync(console, report, job)
    return report.exit_code, contacts_document(report)


@command(contacts_app, "list")
def contacts_list(as_json: AsJson = False) -> Result:
    """List the contacts that are on record, masked.

    The service itself cannot list them.
    """
    from flows.cli.contacts import known_document, show_known

    console = console_for(as_json=as_json)
    with opened_ledger(create=False) as ledger:
        known = list(ledger.contacts.all().values())
    if known:
        show_known(console, known, terminal_language())
    else:
        console.print(render("contacts.none", terminal_language()), soft_wrap=True)
    return ExitCode.DONE, {"contacts": [known_document(contact) for contact in known]}


@command(contacts_app, "set")
def contacts_set(as_json: AsJson = False) -> Result:
    """Create one contact, or change its e-mail.

    Asks for CPF or CNPJ, name and e-mail; without a terminal, they are three lines of standard input.
    """
    from flows.address_book import sync
    from flows.cli.contacts import known_document
    from flows.run import QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings

    tax_id = _ask_tax_id()
    name, email = _ask_text("name"), _ask_text("e-mail")
    if not name or "@" not in email:
        raise DecisionRefused(Message("error.contact"))
    with opened_run("contacts", None, read_settings(), QuietProgress()) as run:
        outcome = sync.set_contact(run, tax_id, name, email)
        code = run.exit_code
    console = console_for(as_json=as_json)
    print_text(console, f"contacts.result.{outcome.result}")
    if outcome.message or outcome.name_differs:
        console.print(outcome.message or render("contacts.name_stays", terminal_language()), markup=False)
    known = known_document(outcome.known) if outcome.known else None
    return code, {"result": outcome.result.value, "contact": known}


@command(contacts_app, "check")
def contacts_check(
    job: JobFile,
    payee: Annotated[str, typer.Argument(metavar="PAYEE", help="Name, CPF or CNPJ, as the job has them.")],
    again: Annotated[bool, typer.Option("--again", help="Ask though there is an answer that counts.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> Result:
    """Check the account of one payee, its price said first.

    Of a payment that the job would make now; the answer is kept like any other.
    """
    from flows.account_checks.by_hand import account_of, check_by_hand
    from flows.cli.printing import progress_on
    from flows.run_request import read_run_request
    from flows.runner import opened_run
    from flows.settings import read_settings
    from schemas.messages import Money

    console, order = console_for(as_json=as_json), read_run_request(job)
    with progress_on(console) as progress, opened_run("check_account", order, read_settings(), progress) as run:
        asked = account_of(run, payee)
        if asked.verdict is None or again:
            cost = render("contacts.check.cost", terminal_language(), cost=Money(asked.cost_cents, "BRL"))
            _confirm(cost, yes=yes, refused="error.nothing_checked")
        verdict = check_by_hand(run, asked, again=again)
        run.codes.add(ExitCode.DONE if verdict.result == "valid" else ExitCode.ROWS_HELD)
        code, spent_cents = run.exit_code, run.ledger.checks.spent(run.id)
    print_text(console, f"contacts.check.{verdict.result}", said=verdict.message)
    return code, {"result": verdict.result.value, "message": verdict.message, "cost_cents": spent_cents}


@command(contacts_app, "delete")
def contacts_delete(
    contact: Annotated[str | None, typer.Option("--id", metavar="CONTACT", help="The service's id.")] = None,
    ask_tax_id: Annotated[bool, typer.Option("--ask-tax-id", help="Ask for the CPF or CNPJ, unseen.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> Result:
    """Delete one contact from the service, after a question."""
    from flows.address_book import sync
    from flows.run import QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings
    from schemas.contact_book import ContactState

    if (contact is None) == (not ask_tax_id):
        raise DecisionRefused(Message("error.id_or_ask"))
    tax_id = _ask_tax_id() if ask_tax_id else None
    with opened_run("contacts", None, read_settings(), QuietProgress()) as run:
        known = _find(run.ledger, contact, tax_id)
        who = f"contact {contact}" if contact else "the contact"
        _confirm(f"Delete {who}{_described(known, tax_id)} from the service? It cannot be undone.", yes=yes)
        named = contact or (known.contact_id if known and known.state is ContactState.KNOWN else None)
        sync.delete_contact(run, contact_id=named, tax_id=tax_id)
    print_text(console_for(as_json=as_json), "cli.deleted")
    return ExitCode.DONE, {"deleted": {"contact_id": named}}


@command(contacts_app, "delete-account")
def contacts_delete_account(account: Account, yes: Yes = False, as_json: AsJson = False) -> Result:
    """Delete one account of a contact, after a question."""
    from flows.address_book import sync
    from flows.run import QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings

    with opened_run("contacts", None, read_settings(), QuietProgress()) as run:
        owner = run.ledger.contacts.with_account(account)
        _confirm(f"Delete account {account}{_described(owner, None)}? It cannot be undone.", yes=yes)
        sync.delete_account(run, account)
    print_text(console_for(as_json=as_json), "cli.deleted")
    return ExitCode.DONE, {"deleted": {"account_id": account}}


@command(contacts_app, "favorite")
def contacts_favorite(account: Account, as_json: AsJson = False) -> Result:
    """Make one account its contact's favorite."""
    from flows.address_book import sync
    from flows.run import QuietProgress
    from flows.runner import opened_run
    from flows.settings import read_settings

    with opened_run("contacts", None, read_settings(), QuietProgress()) as run:
        sync.mark_favorite(run, account)
    print_text(console_for(as_json=as_json), "contacts.favorite.marked")
    return ExitCode.DONE, {"favorite": {"account_id": account}}


def _find(ledger: "Ledger", contact_id: str | None, tax_id: str | None) -> "KnownContact | None":
    return ledger.contacts.by_id(contact_id) if contact_id else ledger.contacts.of([tax_id or ""]).get(tax_id or "")


def _described(known: "KnownContact | None", tax_id: str | None) -> str:
    """Say of whom a question is, masked."""
    from schemas.values.masking import mask_name, mask_tax_id

    if known is None:
        return f" of {mask_tax_id(tax_id)}" if tax_id else ""
    name = f"{mask_name(known.name)}, " if known.name else ""
    return f" of {name}{mask_tax_id(known.tax_id)}"


def _confirm(question: str, *, yes: bool, refused: str = "error.nothing_deleted") -> None:
    if yes:
        return
    try:
        confirmed = typer.confirm(question, err=True)
    except typer.Abort:
        confirmed = False
    if not confirmed:
        raise DecisionRefused(Message(refused))


def _ask_text(what: str) -> str:
    """Ask for a text; a line of standard input where no terminal asks."""
    text = typer.prompt(what, err=True) if sys.stdin.isatty() else sys.stdin.readline()
    return " ".join(str(text).split())


def _ask_tax_id() -> str:
    """Ask for a tax id without showing it; taken from standard input where no terminal asks."""
    from schemas.values.tax_id import parse_tax_id

    asked = sys.stdin.isatty()
    text = typer.prompt("CPF or CNPJ", hide_input=True, err=True) if asked else sys.stdin.readline()
    value = parse_tax_id(str(text).strip()).value
    if value is None:
        raise DecisionRefused(Message("error.no_tax_id"))
    return value


def institutions(
    name: Annotated[str, typer.Option(metavar="TEXT", help="Part of the name, or a whole code or ISPB.")] = "",
    started_from: Annotated[
        str | None, typer.Option("--from", metavar="DAY", help="In operation since, earliest.")
    ] = None,
    started_to: Annotated[str | None, typer.Option("--to", metavar="DAY", help="In operation since, latest.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Read the list from the service first.")] = False,
    as_json: AsJson = False,
) -> Result:
    """List the institutions of Pix: code, ISPB, name.

    From the list kept of the service's.
    """
    from flows.house_ledger import open_ledger_of, utc_now
    from flows.payables.institutions import read_institutions
    from flows.payables.rules.institutions import find_institutions, is_usable
    from flows.runner import opened_service
    from flows.settings import read_settings

    console = console_for(as_json=as_json)
    first, last = _day(started_from), _day(started_to)
    settings = read_settings()
    with ExitStack() as exits:
        ledger = exits.enter_context(open_ledger_of(settings, create=refresh or settings.service is not None))
        asks = refresh or (settings.service is not None and not is_usable(ledger.institutions.read_at(), utc_now()))
        service = exits.enter_context(opened_service(settings)) if asks else None
        listed = read_institutions(ledger, service, utc_now(), refresh=refresh)
    found = find_institutions(listed.by_ispb.values(), name=name, started_from=first, started_to=last)
    _show(console, found, listed)
    code = ExitCode.NOT_SENT if listed.trouble else ExitCode.DONE
    return code, {
        "read_at": listed.read_at.isoformat() if listed.read_at else None,
        "trouble": render(listed.trouble, "en") if listed.trouble else None,
        "institutions": [{name: _public(told) for name, told in each.model_dump().items()} for each in found],
    }


def _public(told: Any) -> Any:  # noqa: ANN401  # JSON
    """Return what is said of a bank as it is: it is nobody's name."""
    return Said(told) if isinstance(told, str) else told


def _show(console: "Console", found: "list[Institution]", listed: "InstitutionList") -> None:
    from flows.cli.printing import show_grid
    from flows.payables.rules.institutions import USABLE_FOR
    from io_adapters.outputs.grid import Grid, GridColumn

    if listed.trouble:
        print_text(console, "institutions.trouble", reason=listed.trouble)
    if listed.too_old:
        print_text(console, "institutions.too_old", days=USABLE_FOR.days)
    if listed.read_at is None or listed.too_old:
        print_text(console, "institutions.none")
        return
    language = terminal_language()
    columns = [
        GridColumn(render(f"institutions.{name}", language)) for name in ("code", "ispb", "name", "active", "since")
    ]
    active = {True: render("output.yes", language), False: render("output.no", language), None: "?"}
    rows = [
        (
            *map(_public, (institution.compe_number, institution.ispb_number, institution.name)),
            active[institution.is_active],
            institution.str_start_date,
        )
        for institution in found
    ]
    grid = Grid(render("institutions.title", language), columns, rows)
    show_grid(console, grid, language, most_rows=len(rows))
    facts = {
        "shown": len(found),
        "count": len(listed.by_ispb),
        "read_at": in_brazil(listed.read_at),
    }
    print_text(console, "institutions.count", **facts)


def _day(text: str | None) -> dt.date | None:
    try:
        return dt.date.fromisoformat(text) if text else None
    except ValueError:
        raise DecisionRefused(Message("error.days")) from None
