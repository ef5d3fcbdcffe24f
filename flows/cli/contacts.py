"""contacts and institutions: the service's address book and its list of banks, by hand."""

from pathlib import Path
from typing import Annotated

import typer

from flows.cli.ending import AsJson, finish

contacts_app = typer.Typer(
    help="Keep the service's address book in step with payees.", no_args_is_help=True, rich_markup_mode=None
)
Account = Annotated[str, typer.Argument(metavar="ACCOUNT", help="As `contacts list` names it.")]
Yes = Annotated[bool, typer.Option("--yes", help="Do not ask.")]


@contacts_app.command("sync")
def contacts_sync(
    job: Annotated[Path, typer.Argument(metavar="JOB", help="The job file (YAML).", show_default=False)],
    apply: Annotated[bool, typer.Option("--apply", help="Do it; without, only show what would be done.")] = False,
    ask_again: Annotated[bool, typer.Option("--ask-again", help="Ask for the accounts of every contact.")] = False,
    as_json: AsJson = False,
) -> None:
    """Show which contacts would be created or changed.

    --apply does it, and deletes nothing.
    """
    from flows.commands.contacts import sync_contacts  # noqa: PLC0415

    finish(lambda: sync_contacts(job, apply=apply, ask_again=ask_again, as_json=as_json), as_json=as_json)


@contacts_app.command("list")
def contacts_list(as_json: AsJson = False) -> None:
    """List the contacts that are on record, masked.

    The service itself cannot list them.
    """
    from flows.commands.contacts import list_contacts  # noqa: PLC0415

    finish(lambda: list_contacts(as_json=as_json), as_json=as_json)


@contacts_app.command("delete")
def contacts_delete(
    contact: Annotated[str | None, typer.Option("--id", metavar="CONTACT", help="The service's id.")] = None,
    ask_tax_id: Annotated[bool, typer.Option("--ask-tax-id", help="Ask for the CPF or CNPJ, unseen.")] = False,
    yes: Yes = False,
    as_json: AsJson = False,
) -> None:
    """Delete one contact from the service, after a question."""
    from flows.commands.contacts import delete_contact  # noqa: PLC0415

    finish(lambda: delete_contact(contact, ask_tax_id=ask_tax_id, yes=yes, as_json=as_json), as_json=as_json)


@contacts_app.command("delete-account")
def contacts_delete_account(account: Account, yes: Yes = False, as_json: AsJson = False) -> None:
    """Delete one account of a contact, after a question."""
    from flows.commands.contacts import delete_account  # noqa: PLC0415

    finish(lambda: delete_account(account, yes=yes, as_json=as_json), as_json=as_json)


@contacts_app.command("favorite")
def contacts_favorite(account: Account, as_json: AsJson = False) -> None:
    """Make one account its contact's favorite."""
    from flows.commands.contacts import mark_favorite  # noqa: PLC0415

    finish(lambda: mark_favorite(account, as_json=as_json), as_json=as_json)


def institutions(
    name: Annotated[str, typer.Option(metavar="TEXT", help="Part of the name, or a whole code or ISPB.")] = "",
    started_from: Annotated[
        str | None, typer.Option("--from", metavar="DAY", help="In operation since, earliest.")
    ] = None,
    started_to: Annotated[str | None, typer.Option("--to", metavar="DAY", help="In operation since, latest.")] = None,
    refresh: Annotated[bool, typer.Option("--refresh", help="Read the list from the service first.")] = False,
    as_json: AsJson = False,
) -> None:
    """List the institutions of Pix: code, ISPB, name.

    From the list kept of the service's.
    """
    from flows.commands.institutions import list_institutions  # noqa: PLC0415

    finish(
        lambda: list_institutions(
            name, started_from=started_from, started_to=started_to, refresh=refresh, as_json=as_json
        ),
        as_json=as_json,
    )
