"""desk: the web page for people, and who may sign in to it."""

import typer

desk_app = typer.Typer(help="Serve the web page where people check, approve and follow payouts.", rich_markup_mode=None)
user_app = typer.Typer(help="Who may sign in to the desk, and what they may do there.", rich_markup_mode=None)
desk_app.add_typer(user_app, name="user")


def add_to(app: typer.Typer) -> None:
    """Put these commands on the command line."""
    app.add_typer(desk_app, name="desk")
