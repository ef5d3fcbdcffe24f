"""What the service told beside reports: its own address, contacts, institutions, webhooks, and what probes found."""

import base64
import datetime as dt
import hashlib
import json
import secrets
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import Connection, Row, delete, func, insert, select, update

from io_adapters.ledger.directory_tables import contacts, findings, institution_reads, institutions, webhooks
from io_adapters.ledger.engine import Database, chunks
from io_adapters.ledger.outbox import Outbox, next_numbers, write_attempts
from io_adapters.ledger.tables import accepted_keys, attempts, meta
from schemas.attempt import TRANSITIONS, AttemptKind, AttemptState, ProbeAttempt
from schemas.contact_book import ContactState, KnownContact
from schemas.errors import ConfigurationError
from schemas.wire import Contact, ContactAccount, Institution

_ONLY_ROW = 1


@dataclass(frozen=True, slots=True)
class Binding:
    """What the ledger is bound to.

    Attributes:
        tag: Six characters that mark this ledger's reports in the service.
        url: Base URL of the service; None until first use.
        key_fingerprint: Fingerprint of the API key; None until first use.
    """

    tag: str
    url: str | None
    key_fingerprint: str | None


class ServiceBinding:
    """Keeps play money and real money, and two accounts, apart."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def ensure_tag(self) -> str:
        """Return the ledger's tag, which is drawn at random when the ledger is new."""
        with self._db.reading() as connection:
            tag = connection.scalar(select(meta.c.tag))
        if tag is not None:
            return str(tag)
        with self._db.writing() as connection:
            tag = connection.scalar(select(meta.c.tag))
            if tag is None:
                tag = base64.b32encode(secrets.token_bytes(5)).decode().lower()[:6]
                connection.execute(insert(meta).values(only_row=_ONLY_ROW, tag=tag, created_at=self._db.now()))
        return str(tag)

    def current(self) -> Binding:
        """Return what the ledger is bound to."""
        with self._db.reading() as connection:
            row = connection.execute(select(meta.c.tag, meta.c.service_url, meta.c.key_fingerprint)).one()
        return Binding(*row)

    def bind_or_check(self, url: str, key_fingerprint: str) -> None:
        """Bind the ledger on first use; afterwards refuse any other service, and any key nobody accepted.

        Raises:
            ConfigurationError: the ledger belongs to another service, or the key is new.
        """
        with self._db.writing() as connection:
            bound = connection.execute(select(meta.c.service_url, meta.c.key_fingerprint)).one()
            if bound.service_url is None:
                connection.execute(update(meta).values(service_url=url, key_fingerprint=key_fingerprint))
                return
        if bound.service_url != url:
            raise ConfigurationError(
                f"this ledger belongs to {bound.service_url}, not to {url}: "
                "use another REPASSE_HOME or REPASSE_LEDGER_URL for another service"
            )
        if bound.key_fingerprint != key_fingerprint:
            raise ConfigurationError(
                "the API key is not the one this ledger was used with; if it was renewed for the same account, "
                "accept it with: repasse doctor --accept-key --by NAME"
            )

    def accept_key(self, key_fingerprint: str, by: str) -> None:
        """Take a renewed API key for the bound one, on a person's word, which is kept for good."""
        with self._db.writing() as connection:
            connection.execute(update(meta).values(key_fingerprint=key_fingerprint))
            connection.execute(
                insert(accepted_keys).values(
                    key_fingerprint=key_fingerprint, accepted_by=by, accepted_at=self._db.now()
                )
            )


Accounts = tuple[ContactAccount, ...]


class Contacts:
    """The record of contacts, one per taxpayer."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def of(self, tax_ids: Iterable[str]) -> dict[str, KnownContact]:
        """Return those of these taxpayers that are remembered, gone ones included."""
        with self._db.reading() as connection:
            return {
                row.tax_id: _known_of(row)
                for some in chunks(tax_ids)
                for row in connection.execute(select(contacts).where(contacts.c.tax_id.in_(some)))
            }

    def all(self) -> dict[str, KnownContact]:
        """Return everything that is remembered, by tax id."""
        with self._db.reading() as connection:
            rows = connection.execute(select(contacts).order_by(contacts.c.tax_id)).all()
        return {row.tax_id: _known_of(row) for row in rows}

    def ids(self, tax_ids: Iterable[str]) -> dict[str, str]:
        """Return the contact ids of those of these taxpayers whose contact the service told."""
        return {
            tax_id: contact.contact_id
            for tax_id, contact in self.of(tax_ids).items()
            if contact.contact_id is not None and contact.state is ContactState.KNOWN
        }

    def by_id(self, contact_id: str) -> KnownContact | None:
        """Return the contact with an id of the service; None where none is remembered."""
        with self._db.reading() as connection:
            row = connection.execute(select(contacts).where(contacts.c.contact_id == contact_id)).first()
        return None if row is None else _known_of(row)

    def with_account(self, account_id: str) -> KnownContact | None:
        """Return the contact that has an account; None where none is remembered."""
        with self._db.reading() as connection:
            rows = connection.execute(select(contacts).where(contacts.c.accounts != "[]")).all()
        owners = (_known_of(row) for row in rows)
        return next((owner for owner in owners if any(account.id == account_id for account in owner.accounts)), None)

    def begin(self, tax_id: str) -> None:
        """Write down that a contact is about to be created, before it is."""
        with self._db.writing() as connection:
            fresh = {"state": ContactState.CREATING.value, "asked_at": self._db.now()}
            _write(connection, tax_id, fresh | {"contact_id": None, "accounts": "[]", "favorite_account_id": None})

    def not_begun(self, tax_id: str) -> None:
        """Take back `begin`: the call certainly never left, or was refused."""
        this = (contacts.c.tax_id == tax_id) & (contacts.c.state == ContactState.CREATING.value)
        with self._db.writing() as connection:
            connection.execute(delete(contacts).where(this))

    def told(self, tax_id: str, answer: Contact, *, asked_email: str) -> KnownContact:
        """Keep what the service answered about a taxpayer's contact.

        Args:
            tax_id: Whose contact it is.
            answer: The service's words; what they leave out stays as it was remembered.
            asked_email: The e-mail that was asked for, and taken when the answer names none.
        """
        with self._db.writing() as connection:
            found = connection.execute(select(contacts).where(contacts.c.tax_id == tax_id)).one_or_none()
            before = None if found is None else _known_of(found)
            accounts = answer.accounts
            if accounts is None:
                accounts = () if before is None else before.accounts
            values = {
                "contact_id": answer.id or (before.contact_id if before else None),
                "name": answer.name or (before.name if before else None),
                "email": answer.email or asked_email,
                "state": ContactState.KNOWN.value,
                "told_at": self._db.now(),
            }
            _write(connection, tax_id, values | _of_accounts(accounts))
            row = connection.execute(select(contacts).where(contacts.c.tax_id == tax_id)).one()
        return _known_of(row)

    def gone(self, tax_id: str) -> None:
        """Keep that a contact was, or may have been, deleted: its id is used no more, and a sync looks for it first."""
        self._change_state(tax_id, ContactState.KNOWN, ContactState.GONE)

    def still_there(self, tax_id: str) -> None:
        """Take back `gone`: it certainly was not deleted."""
        self._change_state(tax_id, ContactState.GONE, ContactState.KNOWN)

    def favorite(self, tax_id: str, account_id: str) -> None:
        """Keep that one account of a contact is its favorite, and no other."""
        self._change_accounts(
            tax_id,
            lambda accounts: tuple(a.model_copy(update={"is_favorite": a.id == account_id}) for a in accounts),
        )

    def account_gone(self, tax_id: str, account_id: str) -> None:
        """Keep that one account of a contact was deleted."""
        self._change_accounts(tax_id, lambda accounts: tuple(a for a in accounts if a.id != account_id))

    def _change_state(self, tax_id: str, before: ContactState, after: ContactState) -> None:
        this = (contacts.c.tax_id == tax_id) & (contacts.c.state == before.value)
        with self._db.writing() as connection:
            connection.execute(update(contacts).where(this).values(state=after.value))

    def _change_accounts(self, tax_id: str, change: Callable[[Accounts], Accounts]) -> None:
        with self._db.writing() as connection:
            row = connection.execute(select(contacts).where(contacts.c.tax_id == tax_id)).one_or_none()
            if row is None:
                return
            values = _of_accounts(change(_known_of(row).accounts))
            connection.execute(update(contacts).where(contacts.c.tax_id == tax_id).values(**values))


def _write(connection: Connection, tax_id: str, values: dict[str, Any]) -> None:
    changed = connection.execute(update(contacts).where(contacts.c.tax_id == tax_id).values(**values)).rowcount
    if not changed:
        connection.execute(insert(contacts).values(tax_id=tax_id, **values))


def _of_accounts(accounts: Accounts) -> dict[str, Any]:
    favorite = next((account.id for account in accounts if account.is_favorite), None)
    documents = [json.loads(account.document()) for account in accounts]
    return {"accounts": json.dumps(documents, sort_keys=True), "favorite_account_id": favorite}


def _known_of(row: Row[Any]) -> KnownContact:
    accounts = tuple(ContactAccount.model_validate(account) for account in json.loads(row.accounts))
    return KnownContact(
        row.tax_id,
        row.contact_id,
        row.name,
        row.email,
        accounts,
        row.favorite_account_id,
        ContactState(row.state),
        row.asked_at,
        row.told_at,
    )


_ISPB_DIGITS = 8
_FIELDS = {
    "code": "compe_number",
    "name": "name",
    "is_active": "is_active",
    "is_compe_participant": "is_compe_participant",
    "str_start_date": "str_start_date",
    "created_at": "created_at",
}


class Institutions:
    """The last list that was read as a whole."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def all(self) -> Mapping[str, Institution]:
        """Return the institutions by ISPB (8 digits); empty where no list was ever read."""
        with self._db.reading() as connection:
            rows = connection.execute(select(institutions).order_by(institutions.c.ispb)).all()
        return {
            row.ispb: Institution(
                ispb_number=row.ispb, **{wire: getattr(row, column) for column, wire in _FIELDS.items()}
            )
            for row in rows
        }

    def read_at(self) -> dt.datetime | None:
        """Return when the list was read (UTC); None where it never was."""
        with self._db.reading() as connection:
            return connection.scalar(select(institution_reads.c.read_at))

    def replace(self, listed: Iterable[Institution], at: dt.datetime) -> None:
        """Keep a list that was read to its end, in place of the former.

        Args:
            listed: As the service told them. One without an ISPB cannot be looked up and is left out; of two with the
                same ISPB the active one counts.
            at: When it was read.
        """
        by_ispb: dict[str, Institution] = {}
        for institution in listed:
            ispb = _ispb_of(institution)
            if ispb and (ispb not in by_ispb or not by_ispb[ispb].is_active):
                by_ispb[ispb] = institution
        rows = [
            {"ispb": ispb, "seen_at": at} | {column: getattr(one, wire) for column, wire in _FIELDS.items()}
            for ispb, one in by_ispb.items()
        ]
        with self._db.writing() as connection:
            connection.execute(delete(institutions))
            if rows:
                connection.execute(insert(institutions), rows)
            connection.execute(delete(institution_reads))
            connection.execute(insert(institution_reads).values(only_row=_ONLY_ROW, read_at=at))


def _ispb_of(institution: Institution) -> str:
    """Return the ISPB with the zeros a sender may have lost: it has eight digits by definition."""
    text = (institution.ispb_number or "").strip()
    return text.zfill(_ISPB_DIGITS) if text.isdecimal() else text


@dataclass(frozen=True, slots=True)
class KeptWebhook:
    """One URL that was given, or was about to be given, to the service.

    Attributes:
        id: The ledger's number of it.
        webhook_id: The service's id; None where it told none, or never answered.
        base_url: The URL without its unguessable last part.
        active: What the service said; None where it did not.
        asked_at: When it was about to be registered (UTC).
        registered_at: When the service answered (UTC); None when no answer is known.
        retired_at: Since when deliveries to it are no longer taken (UTC).
    """

    id: int
    webhook_id: str | None
    base_url: str
    active: bool | None
    asked_at: dt.datetime
    registered_at: dt.datetime | None
    retired_at: dt.datetime | None


class Webhooks:
    """The record of webhooks."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, base_url: str, token: str) -> int:
        """Write down that a URL is about to be registered, so that its deliveries are taken even if no answer comes.

        Args:
            base_url: The URL without its unguessable part.
            token: The unguessable part; only its hash is kept.

        Returns:
            The ledger's number of it.
        """
        row = insert(webhooks).values(base_url=base_url, token_sha256=_hash(token), asked_at=self._db.now())
        with self._db.writing() as connection:
            return int(connection.execute(row.returning(webhooks.c.id)).scalar_one())

    def registered(self, number: int, webhook_id: str | None, *, active: bool | None) -> None:
        """Keep the service's answer to a registration."""
        values = {"webhook_id": webhook_id, "active": active, "registered_at": self._db.now()}
        with self._db.writing() as connection:
            connection.execute(update(webhooks).where(webhooks.c.id == number).values(**values))

    def retire(self, number: int) -> None:
        """Take no more deliveries to a URL; the service cannot be told to stop."""
        with self._db.writing() as connection:
            connection.execute(
                update(webhooks)
                .where(webhooks.c.id == number, webhooks.c.retired_at.is_(None))
                .values(retired_at=self._db.now())
            )

    def knows(self, token: str) -> bool:
        """Say whether deliveries with this unguessable part are to be taken."""
        query = select(webhooks.c.id).where(webhooks.c.token_sha256 == _hash(token), webhooks.c.retired_at.is_(None))
        with self._db.reading() as connection:
            return connection.scalar(query) is not None

    def token_hashes(self) -> frozenset[str]:
        """Return the SHA-256 (hexadecimal) of every unguessable part in use, for a receiver that asks no database."""
        query = select(webhooks.c.token_sha256).where(webhooks.c.retired_at.is_(None))
        with self._db.reading() as connection:
            return frozenset(connection.scalars(query))

    def all(self) -> list[KeptWebhook]:
        """Return all of them, oldest first."""
        with self._db.reading() as connection:
            rows = connection.execute(select(webhooks).order_by(webhooks.c.id)).all()
        return [_kept_of(row) for row in rows]


def _hash(token: str) -> str:
    return hashlib.sha256(token.encode()).hexdigest()


def _kept_of(row: Row[Any]) -> KeptWebhook:
    return KeptWebhook(
        row.id, row.webhook_id, row.base_url, row.active, row.asked_at, row.registered_at, row.retired_at
    )


@dataclass(frozen=True, slots=True)
class Finding:
    """One thing that was seen.

    Attributes:
        name: Of the question, for instance "echoes_report_id".
        value: What was seen; nothing personal.
        service_url: Of the service it was seen on.
        seen_at: When (UTC).
    """

    name: str
    value: str
    service_url: str
    seen_at: dt.datetime


class Findings:
    """The history of findings."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, name: str, value: str, url: str) -> None:
        """Keep what was seen on a service now."""
        with self._db.writing() as connection:
            connection.execute(insert(findings).values(name=name, value=value, service_url=url, seen_at=self._db.now()))

    def latest(self, url: str | None = None) -> dict[str, Finding]:
        """Return the last finding of each name, of one service or of whichever was probed last."""
        last = select(func.max(findings.c.id)).group_by(findings.c.name)
        if url is not None:
            last = last.where(findings.c.service_url == url)
        query = select(findings).where(findings.c.id.in_(last)).order_by(findings.c.name)
        with self._db.reading() as connection:
            rows = connection.execute(query).all()
        return {row.name: Finding(row.name, row.value, row.service_url, row.seen_at) for row in rows}

    def history(self, name: str) -> list[Finding]:
        """Return every finding of one name, oldest first."""
        with self._db.reading() as connection:
            rows = connection.execute(select(findings).where(findings.c.name == name).order_by(findings.c.id)).all()
        return [Finding(row.name, row.value, row.service_url, row.seen_at) for row in rows]


class Probes(Outbox[ProbeAttempt]):
    """The record of the reports that probes make. None is ever made again: a doubt about one is left as it is."""

    _states = AttemptState
    _kind = AttemptKind.PROBE
    _transitions = TRANSITIONS

    def write(self, report_id: str, body: bytes, run_id: str) -> ProbeAttempt:
        """Write down that a probe is about to make a report.

        Args:
            report_id: What it is called in the service.
            body: The exact bytes to send; the same name may be sent twice, to see whether the service takes it twice.
            run_id: The probe.
        """
        with self._db.writing() as connection:
            number = next_numbers(connection, self._kind, [report_id]).get(report_id, 1)
            row = {"id": f"{report_id}/{number}", "subject": report_id, "number": number, "body": body}
            row |= {"state": AttemptState.APPROVED.value, "run_id": run_id, "was_in_doubt": False, "reason": ""}
            write_attempts(connection, self._kind, [row], at=self._db.now(), by=run_id)
            return self._read(connection, str(row["id"]))

    def _read(self, connection: Connection, attempt_id: str) -> ProbeAttempt:
        columns = (attempts.c[name] for name in ProbeAttempt.__dataclass_fields__)
        row = connection.execute(select(*columns).where(attempts.c.id == attempt_id)).one()
        return ProbeAttempt(row.id, AttemptState(row.state), bytes(row.body), row.run_id, row.was_in_doubt)

    def _try_move(self, connection: Connection, before: ProbeAttempt, after: str, **values: Any) -> bool:  # noqa: ANN401
        values.pop("split_id", None)  # the service's id of a centavo's report is in the answer, which is kept
        return super()._try_move(connection, before, after, **values)
