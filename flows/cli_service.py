"""The payout service by hand: contacts, institutions, webhook, qrcode, exchange-rate."""

import typer

contacts_app = typer.Typer(help="Keep the service's address book in step with a job's payees.", rich_markup_mode=None)
webhook_app = typer.Typer(help="Be told by the service when something moves, instead of asking.", rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    """Put these commands on the command line."""
    app.add_typer(contacts_app, name="contacts")
    app.add_typer(webhook_app, name="webhook")
