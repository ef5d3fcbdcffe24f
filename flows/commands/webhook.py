"""webhook register, list, retire: the URLs with a secret path that the service was given."""

from typing import Any, Final
from urllib.parse import urlsplit

from flows.opening import open_ledger_of
from flows.runner import opened_service
from flows.settings import Settings, read_settings
from flows.terminal.printing import console_for
from io_adapters.payout_api.errors import Unanswered
from io_adapters.webhooks import PATH, make_token
from schemas.errors import DecisionRefused, RepasseError
from schemas.exit_codes import ExitCode

Result = tuple[ExitCode, dict[str, Any]]

LONGEST_URL: Final = 2083
LOOPBACK: Final = frozenset({"127.0.0.1", "localhost", "::1"})


def register(base_url: str, *, replace: bool, as_json: bool) -> Result:
    """Make a secret path under a base URL, keep its hash, and give the whole URL to the service.

    The hash is kept before the service is told: a registration whose answer was lost may have happened, and its
    deliveries are taken.

    Args:
        base_url: Where a proxy leads to `repasse webhook listen`, e.g. https://hooks.example.
        replace: Whether deliveries to URLs registered before are no longer taken.
        as_json: Whether standard output is kept for one document.

    Raises:
        DecisionRefused: no https URL, or one longer than the service takes; nothing was sent.
        Refused: the service does not take it.
        NotSent: certainly nothing was registered.
        Unanswered: whether it was registered is unknown.
    """
    settings = read_settings()
    base = checked_base(base_url, settings)
    token = make_token()
    with opened_service(settings) as service, open_ledger_of(settings) as ledger:
        if ledger.service.current().url:  # a key never goes to a service that is not the ledger's
            ledger.service.bind_or_check(service.url, service.key_fingerprint)
        before = [webhook.id for webhook in ledger.webhooks.all() if webhook.retired_at is None]
        number = ledger.webhooks.begin(base, token.text)
        try:
            answer = service.api.webhooks.register(token.url_at(base))
        except Unanswered:
            raise  # it may be registered: its deliveries are taken
        except RepasseError:
            ledger.webhooks.retire(number)
            raise
        ledger.service.bind_or_check(service.url, service.key_fingerprint)
        ledger.webhooks.registered(number, answer.id, active=answer.active)
        for one in before if replace else ():
            ledger.webhooks.retire(one)
    host = urlsplit(base).netloc
    # The whole URL is the service's alone: nobody else needs it, and who has it can ring.
    words = [f"registered {host} with a secret path below {PATH} (number {number})"]
    words += [f"  no longer taken: {', '.join(map(str, before))}"] if replace and before else []
    words += ["  the service says that it is not active"] if answer.active is False else []
    differs = answer.webhook_url not in {None, token.url_at(base)}
    words += ["  the service says that it registered another URL than the one it was given"] if differs else []
    console_for(as_json=as_json).print("\n".join(words), soft_wrap=True, markup=False)
    document = {"number": number, "webhook_id": answer.id, "host": host, "active": answer.active}
    return (ExitCode.DISCREPANCIES if differs else ExitCode.DONE), document


def checked_base(base_url: str, settings: Settings) -> str:
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
        raise DecisionRefused("this is not a URL; give one such as https://hooks.example") from None
    plain = not (parts.username or parts.password or parts.query or parts.fragment) and base.isascii()
    if not host or not plain or not base.isprintable() or " " in base:
        raise DecisionRefused("a webhook's base is scheme, host and path, such as https://hooks.example")
    if parts.scheme != "https" and not (parts.scheme == "http" and host in LOOPBACK and _is_local(settings)):
        raise DecisionRefused(
            "a webhook's URL must be https: its path is a secret (http only from sandbox to loopback)"
        )
    if len(make_token().url_at(base)) > LONGEST_URL:
        raise DecisionRefused(f"with its secret path the URL is longer than {LONGEST_URL} characters")
    return base


def _is_local(settings: Settings) -> bool:
    service = settings.require_service()
    return service.embedded or urlsplit(service.url).hostname in LOOPBACK


def list_webhooks(*, as_json: bool) -> Result:
    """List the URLs that were given to the service, without their secret part."""
    with open_ledger_of(read_settings(), create=False) as ledger:
        kept = ledger.webhooks.all()
    console = console_for(as_json=as_json)
    told = []
    for one in kept:
        state = "retired" if one.retired_at else "registered" if one.registered_at else "no answer known"
        console.print(
            f"{one.id:>3}  {one.asked_at:%Y-%m-%d %H:%M}  {state}  {one.base_url}", soft_wrap=True, markup=False
        )
        told.append({"number": one.id, "webhook_id": one.webhook_id, "base_url": one.base_url, "state": state})
    if not kept:
        console.print("no webhook was ever registered")
    return ExitCode.DONE, {"webhooks": told}


def retire(number: int, *, as_json: bool) -> Result:
    """Take no more deliveries to one URL; the interface has no way to tell the service."""
    with open_ledger_of(read_settings(), create=False) as ledger:
        if number not in {webhook.id for webhook in ledger.webhooks.all()}:
            raise DecisionRefused(f"there is no webhook {number}; `repasse webhook list` lists them")
        ledger.webhooks.retire(number)
    console_for(as_json=as_json).print(f"deliveries to webhook {number} are no longer taken")
    return ExitCode.DONE, {"number": number, "state": "retired"}
