"""The payout service by hand: webhook register, list, retire; exchange-rate; qrcode."""

import getpass
import secrets
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Final, get_args
from urllib.parse import urlsplit

import typer

from flows.cli.ending import (
    LOOPBACK,
    AsJson,
    Result,
    at_terminal,
    command,
    console_for,
    opened_ledger,
    print_text,
)
from schemas.acts import Act, ActKind
from schemas.errors import DecisionRefused, ExitCode, RepasseError, UnreadableFile
from schemas.messages import Message

if TYPE_CHECKING:
    from collections.abc import Sequence

    from flows.settings import Settings
    from io_adapters.ledger.ledger import Ledger
    from schemas.wire import AdditionalData

webhook_app = typer.Typer(help="Receive webhooks of the service.", rich_markup_mode=None)

LONGEST_URL: Final = 2083
TOKEN_BYTES: Final = 24
TOKEN_CHARACTERS: Final = 32  # as text that is safe in a URL
LONGEST_KEY_FILE: Final = 4096
PERSONAL: Final = frozenset({"cpf", "phone_number", "email"})


@command(webhook_app, "register")
def webhook_register(
    base_url: Annotated[str, typer.Argument(metavar="URL-BASE", help="Where the service reaches the desk.")],
    replace: Annotated[bool, typer.Option("--replace", help="Take no more deliveries to earlier URLs.")] = False,
    as_json: AsJson = False,
) -> Result:
    """Give the service an https URL with a secret path.

    The path is kept as a hash and never shown.
    """
    from flows.desk.guard import HOOKS
    from flows.house_ledger import open_ledger_of
    from flows.runner import opened_service
    from flows.settings import read_settings
    from io_adapters.payout_api.errors import Unanswered

    settings = read_settings()
    base = _checked_base(base_url, settings)
    token = secrets.token_urlsafe(TOKEN_BYTES)
    url = base + HOOKS + token
    with opened_service(settings) as service, open_ledger_of(settings) as ledger:
        if ledger.service.current().url:  # a key never goes to a service that is not the ledger's
            ledger.service.bind_or_check(service.url, service.key_fingerprint)
        before = [webhook.id for webhook in ledger.webhooks.all() if webhook.retired_at is None]
        # The hash is kept before the service is told: a registration whose answer was lost may have happened, and its
        # deliveries are taken.
        number = ledger.webhooks.begin(base, token)
        _record(ledger, number, "register")
        try:
            answer = service.api.webhooks.register(url)
        except Unanswered:
            raise  # it may be registered: its deliveries are taken
        except RepasseError:
            ledger.webhooks.retire(number)
            raise
        ledger.service.bind_or_check(service.url, service.key_fingerprint)
        ledger.webhooks.registered(number, answer.id, active=answer.active)
        for earlier in before if replace else ():
            ledger.webhooks.retire(earlier)
    host = urlsplit(base).netloc
    # The whole URL is the service's alone: nobody else needs it, and who has it can ring.
    lines = [f"registered {host} with a secret path below {HOOKS} (number {number})"]
    lines += [f"  no longer taken: {', '.join(map(str, before))}"] if replace and before else []
    lines += ["  the service says that it is not active"] if answer.active is False else []
    differs = answer.webhook_url not in {None, url}
    lines += ["  the service says that it registered another URL than the one it was given"] if differs else []
    console_for(as_json=as_json).print("\n".join(lines), soft_wrap=True, markup=False)
    document = {"number": number, "webhook_id": answer.id, "host": host, "active": answer.active}
    return (ExitCode.DISCREPANCIES if differs else ExitCode.DONE), document


def _record(ledger: "Ledger", number: int, what: str) -> None:
    from flows.house_ledger import utc_now

    ledger.acts.record(Act(ActKind.SET_WEBHOOK, at_terminal(), str(number), "", utc_now(), {"what": what}))


def _checked_base(base_url: str, settings: "Settings") -> str:
    """Return a base URL without a slash at its end.

    Raises:
        DecisionRefused: it is not https (http on loopback will do for a service on loopback), holds more than host and
            path, or gets longer than 2083 characters with the secret path.
    """
    base = base_url.strip().rstrip("/")
    try:
        parts = urlsplit(base)
        host, _ = parts.hostname, parts.port
    except ValueError:
        raise DecisionRefused(Message("error.no_url")) from None
    plain = not (parts.username or parts.password or parts.query or parts.fragment) and base.isascii()
    if not host or not plain or not base.isprintable() or " " in base:
        raise DecisionRefused(Message("error.webhook_base"))
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK and _is_local(settings)):
        raise DecisionRefused(Message("error.webhook_https"))
    from flows.desk.guard import HOOKS

    if len(base + HOOKS) + TOKEN_CHARACTERS > LONGEST_URL:
        raise DecisionRefused(Message("error.webhook_long", limit=LONGEST_URL))
    return base


def _is_local(settings: "Settings") -> bool:
    service = settings.require_service()
    return service.embedded or urlsplit(service.url).hostname in LOOPBACK


@command(webhook_app, "list")
def webhook_list(as_json: AsJson = False) -> Result:
    """List the URLs given to the service, without their path."""
    with opened_ledger(create=False) as ledger:
        kept = ledger.webhooks.all()
    console = console_for(as_json=as_json)
    document = []
    for webhook in kept:
        state = "retired" if webhook.retired_at else "registered" if webhook.registered_at else "no answer known"
        console.print(
            f"{webhook.id:>3}  {webhook.asked_at:%Y-%m-%d %H:%M}  {state}  {webhook.base_url}",
            soft_wrap=True,
            markup=False,
        )
        document.append(
            {"number": webhook.id, "webhook_id": webhook.webhook_id, "base_url": webhook.base_url, "state": state}
        )
    if not kept:
        print_text(console, "cli.webhook.none")
    return ExitCode.DONE, {"webhooks": document}


@command(webhook_app, "retire")
def webhook_retire(
    number: Annotated[int, typer.Argument(help="As `webhook list` numbers it.")], as_json: AsJson = False
) -> Result:
    """Take no more deliveries to a URL."""
    with opened_ledger(create=False) as ledger:
        if number not in {webhook.id for webhook in ledger.webhooks.all()}:
            raise DecisionRefused(Message("error.no_webhook", number=number))
        ledger.webhooks.retire(number)
        _record(ledger, number, "retire")
    print_text(console_for(as_json=as_json), "cli.webhook.retired", number=number)
    return ExitCode.DONE, {"number": number, "state": "retired"}


def qrcode(
    amount: Annotated[str, typer.Option(metavar="AMOUNT", help="To be received, such as 10,00.")],
    key: Annotated[str, typer.Option(metavar="KEY", help="Receiver's Pix key; - asks, @FILE reads it.")],
    key_type: Annotated[str, typer.Option(metavar="TYPE", help="cpf, cnpj, phone_number, email, random_key.")],
    expires_s: Annotated[
        int | None, typer.Option(metavar="SECONDS", min=1, help="How long it is valid; the service's day without.")
    ] = None,
    conciliation_id: Annotated[str | None, typer.Option(metavar="ID", help="The receiver's own reference.")] = None,
    kind: Annotated[str, typer.Option("--type", metavar="TYPE", help="static or dynamic.")] = "dynamic",
    occurrence: Annotated[str | None, typer.Option(metavar="TEXT", help="Occurrence type of the payment.")] = None,
    request_text: Annotated[str | None, typer.Option("--message", metavar="TEXT", help="What the payer reads.")] = None,
    payer: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Who is to pay: name, CPF or CNPJ, a line each.")
    ] = None,
    note: Annotated[list[str] | None, typer.Option(metavar="NAME=TEXT", help="Data beside it; repeat it.")] = None,
    as_json: AsJson = False,
) -> Result:
    """Ask for a Pix QR code, check it, and print its text.

    The endpoint is one that the service calls deprecated; the text is the one to copy and paste.
    """
    from flows.house_ledger import open_ledger_of
    from flows.runner import opened_service
    from flows.settings import read_settings
    from schemas.wire import QrCodeRequest, amount_from_cents

    request = QrCodeRequest(
        amount=amount_from_cents(_amount_cents(amount)),
        pix_key=_read_key(key, key_type),
        expiration_seconds=expires_s,
        receiver_conciliation_id=conciliation_id,
        qr_code_type=kind,
        occurrence_type=occurrence,
        payer_request=request_text,
        additional_data=_notes(note or ()) or None,
        **_payer_in(payer),
    )
    settings = read_settings()
    with opened_service(settings) as service, open_ledger_of(settings, create=False) as ledger:
        if ledger.service.current().url:  # a key never goes to a service that is not the ledger's
            ledger.service.bind_or_check(service.url, service.key_fingerprint)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # people are told below, in words for them
            code = service.api.pix.create_qr_code(request)
        found = service.api.pix.check_qr_code(request, code)
    lines = [str(message) for message in found.messages]
    sys.stderr.write("".join(f"{line}\n" for line in lines))
    sound = found.is_sound
    if sound and not as_json:
        console_for(as_json=False).out(found.payload, highlight=False)  # as it is: a line break would spoil it
    wrong = bool(found.differs) or any(not problem.leaves_open for problem in found.problems)
    document = {
        "deprecated": True,
        "payload": found.payload if sound else None,
        "qr_code_key": code.qr_code_key,
        "image": None if wrong else code.image,
        "problems": [problem.value for problem in found.problems],
        "differs": list(found.differs),
    }
    return (ExitCode.DISCREPANCIES if wrong else ExitCode.DONE), document


def _notes(given: "Sequence[str]") -> "tuple[AdditionalData, ...]":
    from schemas.wire import AdditionalData

    parted = [text.partition("=") for text in given]
    return tuple(AdditionalData(key_name=name.strip(), value=value) for name, _, value in parted)


def _payer_in(path: Path | None) -> dict[str, str]:
    """Read who is to pay from a file: no document or name stands among a process's arguments."""
    from schemas.values.tax_id import kind_of, parse_tax_id

    if path is None:
        return {}
    name, _, document = _text_of(path).strip().partition("\n")
    tax_id = parse_tax_id(document.strip()).value
    if not name.strip() or tax_id is None:
        raise DecisionRefused(Message("error.qr_payer"))
    person = "natural" if kind_of(tax_id) == "cpf" else "legal"
    return {"payer_name": name.strip(), "payer_document_number": tax_id, "payer_person_type": person}


def _amount_cents(text: str) -> int:
    from schemas.values.money import parse_amount

    try:
        cents = parse_amount(text)
    except ValueError as error:
        raise DecisionRefused(Message("error.amount", why=str(error))) from None
    if cents <= 0:
        raise DecisionRefused(Message("error.amount_zero"))
    return cents


def _read_key(given: str, key_type: str) -> str:
    from schemas.values.pix_key import read_pix_key, read_pix_key_type
    from schemas.wire import PixKeyType

    stated = read_pix_key_type(key_type).value
    if stated is None:
        raise DecisionRefused(Message("error.key_type", types=", ".join(get_args(PixKeyType))))
    if stated in PERSONAL and given != "-" and not given.startswith("@"):
        raise DecisionRefused(Message("error.key_personal"))
    key = read_pix_key(_given_key(given), stated).value
    if key is None:
        raise DecisionRefused(Message("error.key_no_pix", type=stated))
    return key


def _given_key(text: str) -> str:
    if text == "-":
        return getpass.getpass("Pix key: ") if sys.stdin.isatty() else sys.stdin.readline().strip()
    if not text.startswith("@"):
        return text
    return _text_of(Path(text[1:])).strip()


def _text_of(path: Path) -> str:
    try:
        with path.open(encoding="utf-8") as stream:
            return stream.read(LONGEST_KEY_FILE)
    except (OSError, UnicodeDecodeError):
        raise UnreadableFile(Message("error.key_file", path=str(path))) from None
