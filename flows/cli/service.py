"""The payout service by hand: contacts, institutions, webhook, qrcode, exchange-rate."""

from typing import Annotated

import typer

from flows.cli.contacts import contacts_app, institutions
from flows.cli.ending import AsJson, finish

webhook_app = typer.Typer(help="Be told by the service when something moves.", rich_markup_mode=None)


def add_to(app: typer.Typer) -> None:
    """Put these commands on the command line."""
    app.add_typer(contacts_app, name="contacts")
    app.command()(institutions)
    app.add_typer(webhook_app, name="webhook")
    app.command("exchange-rate")(exchange_rate)
    app.command()(qrcode)


@webhook_app.command("register")
def webhook_register(
    base_url: Annotated[
        str, typer.Argument(metavar="URL-BASE", envvar="REPASSE_WEBHOOK_URL", help="Leads to `webhook listen`.")
    ],
    replace: Annotated[bool, typer.Option("--replace", help="Take no more deliveries to earlier URLs.")] = False,
    as_json: AsJson = False,
) -> None:
    """Give the service an https URL with a secret path.

    The path is kept as a hash and never shown.
    """
    from flows.commands.webhook import register  # noqa: PLC0415

    finish(lambda: register(base_url, replace=replace, as_json=as_json), as_json=as_json)


@webhook_app.command("listen")
def webhook_listen(
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="Address to listen on; meant behind a proxy that speaks TLS.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(metavar="PORT", help="Port to listen on; 0 takes a free one.")] = 8091,
    every_s: Annotated[
        float, typer.Option(metavar="SECONDS", min=1, help="Least time from one look to the next.")
    ] = 30.0,
) -> None:
    """Take deliveries, and have open reports looked at.

    However many come, and whatever they say: nothing in them is believed.
    """
    from flows.commands.webhook_listen import listen  # noqa: PLC0415

    listen(host, port, every_s)


@webhook_app.command("list")
def webhook_list(as_json: AsJson = False) -> None:
    """List the URLs given to the service, without their path."""
    from flows.commands.webhook import list_webhooks  # noqa: PLC0415

    finish(lambda: list_webhooks(as_json=as_json), as_json=as_json)


@webhook_app.command("retire")
def webhook_retire(
    number: Annotated[int, typer.Argument(help="As `webhook list` numbers it.")], as_json: AsJson = False
) -> None:
    """Take no more deliveries to a URL."""
    from flows.commands.webhook import retire  # noqa: PLC0415

    finish(lambda: retire(number, as_json=as_json), as_json=as_json)


def exchange_rate(  # options of a command
    report: Annotated[str, typer.Argument(help="A report of this ledger: rp-..., or the service's id.")],
    rate: Annotated[str, typer.Option(metavar="RATE", help="What one unit of its currency is worth in BRL.")],
    by: Annotated[list[str], typer.Option(metavar="NAME", help="Who says so; twice for a rate no plan has.")],
    order_id: Annotated[str | None, typer.Option(metavar="X", help="The exchange order at the bank.")] = None,
    hide: Annotated[bool, typer.Option("--hide", help="Do not show payees the exchange.")] = False,
    as_json: AsJson = False,
) -> None:
    """Set the exchange rate of one report, once.

    Of a report in a foreign currency; the service then pays it.
    """
    from flows.commands.exchange_rate import set_exchange_rate  # noqa: PLC0415

    finish(
        lambda: set_exchange_rate(report, rate=rate, order_id=order_id, hide=hide, by=by, as_json=as_json),
        as_json=as_json,
    )


def qrcode(  # options of a command
    amount: Annotated[str, typer.Option(metavar="AMOUNT", help="To be received, such as 10,00.")],
    key: Annotated[str, typer.Option(metavar="KEY", help="Receiver's Pix key; - asks, @FILE reads it.")],
    key_type: Annotated[str, typer.Option(metavar="TYPE", help="cpf, cnpj, phone_number, email, random_key.")],
    expires_s: Annotated[
        int | None, typer.Option(metavar="SECONDS", min=1, help="How long it is valid; the service's day without.")
    ] = None,
    conciliation_id: Annotated[str | None, typer.Option(metavar="ID", help="The receiver's own reference.")] = None,
    as_json: AsJson = False,
) -> None:
    """Ask for a Pix QR code, check it, and print its text.

    The endpoint is one that the service calls deprecated; the text is the one to copy and paste.
    """
    from flows.commands.qrcode import ask_qr_code  # noqa: PLC0415

    finish(
        lambda: ask_qr_code(
            amount, key=key, key_type=key_type, expires_s=expires_s, conciliation_id=conciliation_id, as_json=as_json
        ),
        as_json=as_json,
    )
