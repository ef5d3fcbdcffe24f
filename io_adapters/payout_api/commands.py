"""Calls that change something without moving money, each sent once: contacts, webhooks, QR codes."""

import ipaddress
import re
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, Final, TypeVar
from urllib.parse import urlsplit

from io_adapters.payout_api.assumptions import ANY_2XX, Assumptions
from io_adapters.payout_api.connection import Connections, RateLimiter, Reply, exchange
from io_adapters.payout_api.errors import (
    AlreadyThere,
    NotFound,
    RefusedByService,
    RuleBroken,
    Unanswered,
    places,
    read_validation_errors,
)
from io_adapters.payout_api.outcome import classify_exception, reason_for
from schemas.errors import NotSent, RepasseError
from schemas.messages import Message
from schemas.submission import Outcome
from schemas.values.tax_id import parse_tax_id
from schemas.wire import (
    AccountDelete,
    Contact,
    ContactAccount,
    ContactCreate,
    ContactDelete,
    ContactEmailUpdate,
    Request,
    Response,
    Webhook,
    WebhookCreate,
    body_of,
    canonical_json,
    parse_json,
)
from schemas.wire.contacts import LONGEST_URL

MAX_REPLY_BYTES: Final = 4_000_000
AnyResponse = TypeVar("AnyResponse", bound=Response)


@dataclass(frozen=True, slots=True)
class Statuses:
    """What the statuses of an answer are taken to mean."""

    done: Collection[int] = ANY_2XX
    missing: Collection[int] = ()
    existing: Collection[int] = ()


ANY_SUCCESS: Final = Statuses()


class Commands:
    """Sends requests that have an effect, each exactly once."""

    def __init__(self, connections: Connections, *, timeout_s: float, pace: RateLimiter) -> None:
        self._connections = connections
        self._timeout_s = timeout_s
        self._pace = pace

    def send_once(
        self,
        method: str,
        path: str,
        content: bytes | None,
        *,
        params: Mapping[str, str] | None = None,
        deadline_s: float,
    ) -> Reply:
        """Wait for one's place in the pace, then send one request as `send_at_once` does."""
        self._pace.wait()
        return self.send_at_once(method, path, content, params=params, deadline_s=deadline_s)

    def send_at_once(
        self,
        method: str,
        path: str,
        content: bytes | None,
        *,
        params: Mapping[str, str] | None = None,
        deadline_s: float,
        before_connect: Callable[[], None] = lambda: None,
    ) -> Reply:
        """Send one request over a fresh connection; `Reply.failure` says what went wrong on the wire."""
        kind = {} if content is None else {"Content-Type": "application/json"}
        with self._connections.fresh(deadline_s) as client:
            request = client.build_request(
                method, path, content=content, params=params, headers=kind | {"Connection": "close"}
            )
            before_connect()
            reply = exchange(client, request, deadline_s=deadline_s, max_bytes=MAX_REPLY_BYTES)
        self._pace.heed(reply)
        return reply

    def do(
        self,
        what: str,
        method: str,
        path: str,
        request: Request | None,
        *,
        params: Mapping[str, str] | None = None,
        statuses: Statuses = ANY_SUCCESS,
    ) -> Reply:
        """Send one request and return its reply, which is complete and of a status that says it is done.

        Raises:
            NotSent: certainly nothing was sent.
            Refused: 422 as documented.
            AlreadyThere: there is one already.
            NotFound: there is no such thing.
            Unanswered: anything else.
        """
        content = None if request is None else canonical_json(body_of(request))
        return self.judge(
            what, self.send_once(method, path, content, params=params, deadline_s=self._timeout_s), statuses
        )

    def judge(self, what: str, reply: Reply, statuses: Statuses) -> Reply:
        """Return a reply that is complete and says that it is done; arguments and exceptions are those of `do`."""
        if reply.failure is not None or reply.status is None:
            answer = classify_exception(reply.failure or RuntimeError(), status=reply.status)
            if answer.outcome is Outcome.NOT_SENT:
                raise NotSent(Message("service.not_sent", what=what, reason=answer.reason))
            raise Unanswered(Message("service.no_answer", what=what, reason=answer.reason), status=reply.status)
        if reply.status in statuses.done:
            return reply
        raise self._failure(what, reply, reply.status, statuses)

    def _failure(self, what: str, reply: Reply, status: int, statuses: Statuses) -> Exception:
        if status == 422 and (errors := read_validation_errors(reply.body)):
            return RefusedByService(Message("service.refused", what=what, places=places(errors)), errors)
        if status in statuses.existing:
            return AlreadyThere(Message("service.there", what=what, status=status), ())
        if status in statuses.missing:
            return NotFound(Message("service.not_there", what=what, status=status))
        reason = reason_for(status, reply.headers)
        return Unanswered(Message("service.unknown_outcome", what=what, reason=reason), status=status)


@dataclass(frozen=True, slots=True)
class CreationAnswer:
    """What the answer to creating a contact proves.

    Attributes:
        http_status: Status of the reply; None when none came.
        contact: What was created; None with any other outcome.
        failure: Why it was not, or may not have been; None where it was.
    """

    outcome: Outcome
    http_status: int | None
    body: bytes = field(repr=False)
    contact: Contact | None = field(default=None, repr=False)
    failure: RepasseError | None = None


def answer_in(reply: Reply, model: type[AnyResponse], what: str) -> AnyResponse:
    """Read the JSON object that a successful reply holds.

    Raises:
        Unanswered: it holds none; what was asked for has probably happened.
    """
    try:
        data: Any = parse_json(reply.body)
    except ValueError:
        data = None
    if not isinstance(data, dict):
        raise Unanswered(Message("service.unreadable", what=what, status=reply.status), status=reply.status)
    return model.model_validate(data)


class ContactsApi:
    """Creates, changes and deletes contacts, each call sent once.

    Creating one tells what its answer proves. The others raise RuleBroken (a rule of the interface is broken, nothing
    was sent), NotSent (certainly nothing was sent), Refused (422 as documented, nothing happened) or Unanswered (it may
    have happened); those that name something existing also NotFound (the service does not have it).
    """

    def __init__(self, commands: Commands, assumptions: Assumptions) -> None:
        self._commands = commands
        missing = assumptions.missing_statuses
        self._creating = Statuses(existing=assumptions.existing_statuses)
        self._changing = Statuses(missing=missing)
        self._deleting = Statuses(missing=missing, done=assumptions.deleting_answers)
        self._favorite = assumptions.favorite_account

    def create(
        self, body: bytes, *, tax_id: str, deadline_s: float, before_connect: Callable[[], None]
    ) -> CreationAnswer:
        """POST /contacts: once, over a fresh connection, exactly these bytes, without waiting for a place in the pace.

        Whether a second contact of one tax id is made, is refused, or is the first: not shown.

        Args:
            before_connect: Called immediately before connecting; if it raises, nothing is sent and it propagates.
        """
        what = "creating a contact"
        reply = self._commands.send_at_once(
            "POST", "/contacts", body, deadline_s=deadline_s, before_connect=before_connect
        )
        try:
            done = self._commands.judge(what, reply, self._creating)
            contact = _the_one_meant(answer_in(done, Contact, what), None, tax_id, what)
        except NotSent as failure:
            return CreationAnswer(Outcome.NOT_SENT, reply.status, reply.body, failure=failure)
        except RefusedByService as failure:
            return CreationAnswer(Outcome.REFUSED, reply.status, reply.body, failure=failure)
        except RepasseError as failure:
            return CreationAnswer(Outcome.IN_DOUBT, reply.status, reply.body, failure=failure)
        return CreationAnswer(Outcome.ACCEPTED, reply.status, reply.body, contact)

    def update_email(self, email: str, contact_id: str | None = None, tax_id: str | None = None) -> Contact:
        """PUT /contacts: change the e-mail of the contact that `contact_id` or `tax_id` names."""
        _need(email=email)
        _need_one(contact_id, tax_id)
        what = "changing a contact's e-mail"
        request = ContactEmailUpdate(email=email, contact_id=_given(contact_id), tax_id=_given(tax_id))
        contact = answer_in(
            self._commands.do(what, "PUT", "/contacts", request, statuses=self._changing), Contact, what
        )
        return _the_one_meant(contact, contact_id, tax_id, what)

    def delete(self, contact_id: str | None = None, tax_id: str | None = None) -> None:
        """DELETE /contacts: delete the contact that `contact_id` or `tax_id` names. What it answers is not shown."""
        _need_one(contact_id, tax_id)
        request = ContactDelete(contact_id=_given(contact_id), tax_id=_given(tax_id))
        self._delete("deleting a contact", "/contacts", request)

    def delete_account(self, account_id: str) -> None:
        """DELETE /contacts/accounts: delete one account of a contact. What it answers is not shown."""
        _need(account_id=account_id)
        request = AccountDelete(account_id=account_id)
        self._delete("deleting a contact's account", "/contacts/accounts", request)

    def mark_favorite(self, account_id: str) -> ContactAccount:
        """POST /contacts/accounts_favorite: make one account its contact's favorite; the id goes in the query."""
        _need(account_id=account_id)
        what = "marking a favorite account"
        params = {self._favorite: account_id}
        path = "/contacts/accounts_favorite"
        reply = self._commands.do(what, "POST", path, None, params=params, statuses=self._changing)
        account = answer_in(reply, ContactAccount, what)
        if account.id not in {None, account_id}:
            raise Unanswered(Message("service.other_account", what=what), status=reply.status)
        return account

    def _delete(self, what: str, path: str, request: Request) -> None:
        self._commands.do(what, "DELETE", path, request, statuses=self._deleting)


def contact_body(name: str, tax_id: str, email: str) -> bytes:
    """Write the body that creates a contact.

    Raises:
        RuleBroken: one of them is empty.
    """
    _need(name=name, tax_id=tax_id, email=email)
    return canonical_json(body_of(ContactCreate(name=name, tax_id=tax_id, email=email)))


def _need(**given: str) -> None:
    empty = [Message("rule.empty", field=name) for name, value in given.items() if not value.strip()]
    if empty:
        raise RuleBroken(*empty)


def _need_one(contact_id: str | None, tax_id: str | None) -> None:
    if _given(contact_id) is None and _given(tax_id) is None:
        raise RuleBroken(Message("rule.contact_named"))


def _given(value: str | None) -> str | None:
    return value if value is not None and value.strip() else None


def _the_one_meant(contact: Contact, contact_id: str | None, tax_id: str | None, what: str) -> Contact:
    """Take no contact for another; a tax id that cannot be read, masked perhaps, contradicts nothing."""
    ours, theirs = (parse_tax_id(tax_id_given or "").value for tax_id_given in (tax_id, contact.tax_id))
    other_document = ours and theirs and ours != theirs
    if other_document or (contact_id and contact.id not in {None, contact_id}):
        raise Unanswered(Message("service.other_contact", what=what))
    return contact


class WebhooksApi:
    def __init__(self, commands: Commands, assumptions: Assumptions) -> None:
        self._commands = commands
        self._registering = Statuses(existing=assumptions.existing_statuses)

    def register(self, url: str) -> Webhook:
        """POST /webhooks, once. Whether a URL registered twice is notified twice is not shown.

        Raises:
            RuleBroken: an address that cannot be registered; nothing was sent.
            NotSent: certainly nothing was sent.
            AlreadyThere: the service says that it is registered; a kind of Refused.
            Refused: 422 as documented.
            Unanswered: it may have been registered.
        """
        check_webhook_url(url)
        what = "registering a webhook"
        request = WebhookCreate(webhook_url=url)
        reply = self._commands.do(what, "POST", "/webhooks", request, statuses=self._registering)
        return answer_in(reply, Webhook, what)


def check_webhook_url(url: str) -> None:
    """Refuse an address that must not be registered, in words that do not repeat it: its path is a secret.

    Raises:
        RuleBroken: too short or long, not https, with a user or password, or with characters no address has.
    """
    if not 1 <= len(url) <= LONGEST_URL:
        raise RuleBroken(Message("rule.webhook_length", limit=LONGEST_URL))
    try:
        parts = urlsplit(url)
        host, _port, user = parts.hostname or "", parts.port, parts.username or parts.password
    except ValueError:
        raise RuleBroken(Message("rule.webhook_address")) from None
    if not re.fullmatch(r"[!-~]+", url) or "\\" in url or not host:
        raise RuleBroken(Message("rule.webhook_host"))
    if user is not None or "@" in parts.netloc:
        raise RuleBroken(Message("rule.webhook_user"))
    if parts.fragment:
        raise RuleBroken(Message("rule.webhook_fragment"))
    if parts.scheme != "https" and not (parts.scheme == "http" and _is_this_machine(host)):
        raise RuleBroken(Message("rule.webhook_https"))


def _is_this_machine(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost" or host.endswith(".localhost")
