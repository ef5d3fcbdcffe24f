"""contacts sync, list, delete, delete-account, favorite."""

import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import typer

from flows.address_book import sync
from flows.address_book.start import sync_job_contacts
from flows.contact_words import say
from flows.opening import open_ledger_of
from flows.runner import opened_run
from flows.settings import read_settings
from flows.terminal.contacts import show_known, show_sync
from flows.terminal.contacts_document import contacts_document, known_document
from flows.terminal.printing import QuietProgress, console_for, progress_on
from io_adapters.ledger.ledger import Ledger
from schemas.contact_book import ContactState, KnownContact
from schemas.errors import DecisionRefused
from schemas.exit_codes import ExitCode
from schemas.values.masking import mask_name, mask_tax_id
from schemas.values.tax_id import parse_tax_id

Result = tuple[ExitCode, dict[str, Any]]


def sync_contacts(job: Path, *, apply: bool, ask_again: bool, as_json: bool) -> Result:
    """Show what a sync would do, or do it."""
    console = console_for(as_json=as_json)
    with progress_on(console) as progress:
        report = sync_job_contacts(job, apply=apply, ask_again=ask_again, progress=progress)
    show_sync(console, report, job)
    return report.exit_code, contacts_document(report)


def list_contacts(*, as_json: bool) -> Result:
    """Show what is remembered of contacts, masked; the service has no way to list them."""
    console = console_for(as_json=as_json)
    with open_ledger_of(read_settings(), create=False) as ledger:
        known = list(ledger.contacts.all().values())
    if known:
        show_known(console, known)
    else:
        console.print(say("en", "none"), soft_wrap=True)
    return ExitCode.DONE, {"contacts": [known_document(one) for one in known]}


def delete_contact(contact_id: str | None, *, ask_tax_id: bool, yes: bool, as_json: bool) -> Result:
    """Delete one contact, after a question; a tax id is asked for, so that it stands in no history of commands."""
    if (contact_id is None) == (not ask_tax_id):
        raise DecisionRefused("say either --id CONTACT or --ask-tax-id")
    tax_id = _ask_tax_id() if ask_tax_id else None
    with _opened_run() as run:
        known = _find(run.ledger, contact_id, tax_id)
        who = f"contact {contact_id}" if contact_id else "the contact"
        _confirm(f"Delete {who}{_described(known, tax_id)} from the service? It cannot be undone.", yes=yes)
        named = contact_id or (known.contact_id if known and known.state is ContactState.KNOWN else None)
        sync.delete_contact(run, contact_id=named, tax_id=tax_id)
    console_for(as_json=as_json).print("deleted", soft_wrap=True)
    return ExitCode.DONE, {"deleted": {"contact_id": named}}


def delete_account(account_id: str, *, yes: bool, as_json: bool) -> Result:
    """Delete one account of a contact, after a question."""
    with _opened_run() as run:
        owner = run.ledger.contacts.with_account(account_id)
        _confirm(f"Delete account {account_id}{_described(owner, None)}? It cannot be undone.", yes=yes)
        sync.delete_account(run, account_id)
    console_for(as_json=as_json).print("deleted", soft_wrap=True)
    return ExitCode.DONE, {"deleted": {"account_id": account_id}}


def mark_favorite(account_id: str, *, as_json: bool) -> Result:
    """Make one account its contact's favorite."""
    with _opened_run() as run:
        sync.mark_favorite(run, account_id)
    console_for(as_json=as_json).print(say("en", "favorite.marked"), soft_wrap=True)
    return ExitCode.DONE, {"favorite": {"account_id": account_id}}


def _opened_run() -> Any:  # noqa: ANN401 - a context manager of a Run
    return opened_run("contacts", None, read_settings(), QuietProgress())


def _find(ledger: Ledger, contact_id: str | None, tax_id: str | None) -> KnownContact | None:
    return ledger.contacts.by_id(contact_id) if contact_id else ledger.contacts.of([tax_id or ""]).get(tax_id or "")


def _described(known: KnownContact | None, tax_id: str | None) -> str:
    """Say of whom a question is, masked."""
    if known is None:
        return f" of {mask_tax_id(tax_id)}" if tax_id else ""
    name = f"{mask_name(known.name)}, " if known.name else ""
    return f" of {name}{mask_tax_id(known.tax_id)}"


def _confirm(question: str, *, yes: bool, ask: Callable[..., bool] = typer.confirm) -> None:
    if yes:
        return
    try:
        said = ask(question, err=True)
    except typer.Abort:
        said = False
    if not said:
        raise DecisionRefused("nothing was deleted: nobody said yes (--yes says it beforehand)")


def _ask_tax_id() -> str:
    """Ask for a tax id without showing it; taken from standard input where no terminal asks."""
    asked = sys.stdin.isatty()
    text = typer.prompt("CPF or CNPJ", hide_input=True, err=True) if asked else sys.stdin.readline()
    value = parse_tax_id(str(text).strip()).value
    if value is None:
        raise DecisionRefused("this is no CPF or CNPJ")
    return value
