"""The desk's records: users, sessions, attempts to sign in, uploads, launches, first decisions."""

import datetime as dt
import json
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any, Final

from sqlalchemy import Connection, Row, delete, func, insert, or_, select, update

from io_adapters.ledger.acts import acts_where, record_act
from io_adapters.ledger.authors import bring
from io_adapters.ledger.desk_tables import (
    desk_attempts,
    desk_launches,
    desk_sessions,
    desk_uploads,
    desk_users,
    job_versions,
)
from io_adapters.ledger.engine import Database, Seal
from io_adapters.ledger.tables import acts, run_inputs
from schemas.acts import Act, ActKind
from schemas.approval import DeskUser, FirstDecision, Language, Launch, Role, Upload, is_name
from schemas.errors import AnotherRun, DecisionRefused
from schemas.messages import Message
from schemas.values.names import same_person


class DeskUsers:
    """The record of users. Whoever is disabled stays in it: their name stands beside what they have said."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def add(
        self,
        name: str,
        roles: Iterable[Role],
        password_hash: str,
        language: Language = "pt-BR",
        *,
        by: str = "",
    ) -> DeskUser:
        """Let somebody sign in.

        Args:
            by: Who lets them; "" where a terminal does not say.

        Raises:
            DecisionRefused: it is no name, or somebody is called so already, however written; or there is no role.
        """
        shown, wanted = " ".join(name.split()), _some(roles)
        if not is_name(shown):
            raise DecisionRefused(Message("error.user_name"))
        with self._db.writing() as connection:
            key = same_person(shown)
            if connection.scalar(select(desk_users.c.key).where(desk_users.c.key == key)) is not None:
                raise DecisionRefused(Message("error.user_there"))
            values = {"key": key, "name": shown, "roles": _written(wanted), "password_hash": password_hash}
            now = self._db.now()
            connection.execute(insert(desk_users).values(**values, language=language, created_at=now))
            _seal_user(connection, key, self._db.seal)
            record_act(connection, self._db.seal, Act(ActKind.ADD_USER, by, shown, "", now, {"roles": values["roles"]}))
        return DeskUser(key, shown, wanted, password_hash, language, disabled=False)

    def get(self, name: str) -> DeskUser | None:
        """Return a user, disabled or not; None when nobody is called so."""
        with self._db.reading() as connection:
            row = connection.execute(select(desk_users).where(desk_users.c.key == same_person(name))).one_or_none()
        return None if row is None else user_of(row, self._db.seal)

    def list(self) -> list[DeskUser]:
        with self._db.reading() as connection:
            rows = connection.execute(select(desk_users).order_by(desk_users.c.key)).all()
        return [user_of(row, self._db.seal) for row in rows]

    def change_password(self, name: str, password_hash: str, *, by: str = "") -> None:
        """Give a user another password; every session of theirs ends.

        Raises:
            DecisionRefused: nobody is called so.
        """
        self._change(name, "password", by, password_hash=password_hash)

    def disable(self, name: str, *, by: str = "") -> None:
        """Keep a user out from this moment on; every session of theirs ends.

        Raises:
            DecisionRefused: nobody is called so.
        """
        self._change(name, "disabled", by, disabled_at=self._db.now())

    def enable(self, name: str, *, by: str = "") -> None:
        """Let a disabled user sign in again, with the password and the roles they had.

        Raises:
            DecisionRefused: nobody is called so.
        """
        self._change(name, "enabled", by, disabled_at=None)

    def change_roles(self, name: str, roles: Iterable[Role], *, by: str = "") -> None:
        """Give a user other roles in place of those they have; every session of theirs ends.

        Raises:
            DecisionRefused: nobody is called so, or there is no role.
        """
        written = _written(_some(roles))
        self._change(name, f"roles {written}", by, roles=written)

    def link(self, name: str, documents: Iterable[str], *, by: str = "") -> None:
        """Say under which tax ids a user is paid themselves, in place of what was said before; none for nobody.

        Raises:
            DecisionRefused: nobody is called so.
        """
        written = " ".join(sorted(set(documents)))
        self._change(name, f"documents {len(written.split())}", by, documents=written)

    def set_language(self, key: str, language: Language) -> None:
        with self._db.writing() as connection:
            connection.execute(update(desk_users).where(desk_users.c.key == key).values(language=language))

    def _change(self, name: str, what: str, by: str, **values: object) -> None:
        key = same_person(name)
        with self._db.writing() as connection:
            if connection.execute(update(desk_users).where(desk_users.c.key == key).values(**values)).rowcount != 1:
                raise DecisionRefused(Message("error.no_user"))
            _seal_user(connection, key, self._db.seal)
            connection.execute(delete(desk_sessions).where(desk_sessions.c.user_key == key))
            act = Act(ActKind.CHANGE_USER, by, " ".join(name.split()), "", self._db.now(), {"what": what})
            record_act(connection, self._db.seal, act)


def _some(roles: Iterable[Role]) -> frozenset[Role]:
    wanted = frozenset(roles)
    if not wanted:
        raise DecisionRefused(Message("error.user_role"))
    return wanted


def user_of(row: Row[Any], seal: Seal) -> DeskUser:
    """Read a user from a row of `desk_users`; one that was written past the program may not sign in."""
    roles = frozenset(map(Role, row.roles.split()))
    disabled = row.disabled_at is not None or not seal.is_of(row.seal, *_user_facts(row))
    documents = frozenset(row.documents.split())
    return DeskUser(row.key, row.name, roles, row.password_hash, row.language, disabled=disabled, documents=documents)


def _user_facts(row: Row[Any]) -> tuple[object, ...]:
    return ("user", row.key, row.name, row.roles, row.password_hash, row.disabled_at is None, row.documents)


def _seal_user(connection: Connection, key: str, seal: Seal) -> None:
    row = connection.execute(select(desk_users).where(desk_users.c.key == key)).one()
    connection.execute(update(desk_users).where(desk_users.c.key == key).values(seal=seal.of(*_user_facts(row))))


def _written(roles: Iterable[Role]) -> str:
    return " ".join(sorted(role.value for role in roles))


# Seeing somebody again is written down at most this often.
_SEEN_EVERY: Final = dt.timedelta(seconds=60)
_KEPT: Final = dt.timedelta(days=1)


class DeskSessions:
    def __init__(self, database: Database) -> None:
        self._db = database

    def start(self, token: str, user: DeskUser, absolute: dt.timedelta) -> bool:
        """Begin a session; those that ended long ago are forgotten."""
        with self._db.writing() as connection:
            now = self._db.now()
            connection.execute(delete(desk_sessions).where(desk_sessions.c.started_at < now - absolute))
            same = (desk_users.c.key == user.key) & (desk_users.c.password_hash == user.password_hash)
            if connection.scalar(select(desk_users.c.key).where(same, desk_users.c.disabled_at.is_(None))) is None:
                return False
            row = {"token_seal": self._name(token), "user_key": user.key, "started_at": now, "seen_at": now}
            connection.execute(insert(desk_sessions).values(**row))
            record_act(connection, self._db.seal, Act(ActKind.SIGN_IN, user.name, "", "", now))
        return True

    def find(self, token: str, *, idle: dt.timedelta, absolute: dt.timedelta, seen: bool = True) -> DeskUser | None:
        """Return whose session it is; None when it ended, idled too long, or its user may no longer sign in."""
        now, name = self._db.now(), self._name(token)
        query = (
            select(desk_users, desk_sessions.c.seen_at)
            .join(desk_sessions, desk_sessions.c.user_key == desk_users.c.key)
            .where(
                desk_sessions.c.token_seal == name,
                desk_sessions.c.seen_at > now - idle,
                desk_sessions.c.started_at > now - absolute,
                desk_users.c.disabled_at.is_(None),
            )
        )
        with self._db.reading() as connection:
            row = connection.execute(query).one_or_none()
        if row is None:
            return None
        if seen and now - row.seen_at >= _SEEN_EVERY:
            # Whoever has the ledger for long does not keep people from looking.
            with suppress(AnotherRun), self._db.writing() as connection:
                this = desk_sessions.c.token_seal == name
                connection.execute(update(desk_sessions).where(this).values(seen_at=now))
        user = user_of(row, self._db.seal)
        return None if user.disabled else user

    def device_mark(self, user_key: str, device: str) -> str:
        return self._db.seal.of("device", user_key, device)

    def is_device_of(self, user_key: str, device: str, mark: str) -> bool:
        return self._db.seal.is_of(mark, "device", user_key, device)

    def end(self, token: str) -> None:
        this = desk_sessions.c.token_seal == self._name(token)
        named = select(desk_users.c.name).join(desk_sessions, desk_sessions.c.user_key == desk_users.c.key).where(this)
        with self._db.writing() as connection:
            name = connection.scalar(named)
            if connection.execute(delete(desk_sessions).where(this)).rowcount:
                record_act(connection, self._db.seal, Act(ActKind.SIGN_OUT, name or "", "", "", self._db.now()))

    def _name(self, token: str) -> str:
        return self._db.seal.of("session", token)


@dataclass(frozen=True, slots=True)
class AttemptLimits:
    """How often somebody may fail to sign in."""

    free: int
    per_name: int
    per_address: int
    within: dt.timedelta
    is_known_device: bool = False

    def wait_after(self, failures: int) -> dt.timedelta:
        """Return how long the next attempt has to wait after so many failures: half a minute, then twice as long."""
        if failures < self.free:
            return dt.timedelta(0)
        doubled: int = 2 ** min(failures - self.free, 16)
        return min(FIRST_WAIT * doubled, self.within)


FIRST_WAIT: Final = dt.timedelta(seconds=30)


class SignInAttempts:
    def __init__(self, database: Database) -> None:
        self._db = database

    def begin(self, name: str, address: str, limits: AttemptLimits) -> int | None:
        """Write an attempt down before it is judged, so that many at once count too.

        Failures from one address keep nobody out elsewhere: they are counted by name and address together, and each
        one more makes the wait longer. Only very many of a name, or of an address, count by themselves.
        """
        names, addresses = _hash(same_person(name)), _hash(address)
        a = desk_attempts.c
        of_name, of_address = a.name_sha256 == names, a.address_sha256 == addresses
        with self._db.writing() as connection:
            now = self._db.now()
            connection.execute(delete(desk_attempts).where(a.at < now - _KEPT))
            failed = select(
                func.count().filter(of_name & of_address).label("pair"),
                func.count().filter(of_name).label("name"),
                func.count().filter(of_address).label("address"),
            ).where(a.at > now - limits.within, a.succeeded.is_(False), or_(of_name, of_address))
            counts = connection.execute(failed).one()
            last = select(func.max(a.at)).where(of_name, of_address, a.succeeded.is_(False))
            waits = limits.wait_after(counts.pair)
            too_early = waits and (at := connection.scalar(last)) is not None and now < at + waits
            too_many = counts.name >= limits.per_name or counts.address >= limits.per_address
            if too_early or (too_many and not limits.is_known_device):
                return None
            row = {"name_sha256": names, "address_sha256": addresses, "at": now, "succeeded": False}
            written = connection.execute(insert(desk_attempts).values(**row))
            return int(written.inserted_primary_key[0]) if written.inserted_primary_key else None

    def refuse(self, user: DeskUser | None) -> None:
        """Write down that somebody was refused; a name that nobody has is not kept, since it may be a password."""
        with self._db.writing() as connection:
            act = Act(ActKind.SIGN_IN_REFUSED, user.name if user else "", "", "", self._db.now())
            record_act(connection, self._db.seal, act)

    def forget(self, name: str, *, by: str = "") -> None:
        """Let a name be tried again at once, from everywhere."""
        with self._db.writing() as connection:
            connection.execute(delete(desk_attempts).where(desk_attempts.c.name_sha256 == _hash(same_person(name))))
            unlocked = Act(ActKind.CHANGE_USER, by, " ".join(name.split()), "", self._db.now(), {"what": "unlocked"})
            record_act(connection, self._db.seal, unlocked)

    def succeed(self, attempt: int) -> None:
        with self._db.writing() as connection:
            connection.execute(update(desk_attempts).where(desk_attempts.c.id == attempt).values(succeeded=True))


def _hash(text: str) -> str:
    return sha256(text.encode()).hexdigest()


class DeskUploads:
    """Files people have uploaded; their bytes lie in the home folder."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, sha256: str, name: str, size_bytes: int, by: str) -> Upload:
        """Write an upload down; the same bytes under the same name are the same upload, whoever brings them.

        Everybody who brings them has a part in what is paid from them.
        """
        with self._db.writing() as connection:
            same = (desk_uploads.c.sha256 == sha256) & (desk_uploads.c.name == name)
            row = connection.execute(select(desk_uploads).where(same)).one_or_none()
            if row is None:
                values = {"sha256": sha256, "name": name, "size_bytes": size_bytes, "by": by, "at": self._db.now()}
                connection.execute(insert(desk_uploads).values(**values))
                row = connection.execute(select(desk_uploads).where(same)).one()
            bring(connection, self._db.seal, sha256, by, self._db.now())
        return Upload(*row)

    def unused(self) -> list[Upload]:
        on_months = select(acts.c.subject).where(acts.c.kind.in_([ActKind.HAND_IN.value, ActKind.WITHDRAW.value]))
        kept = (select(run_inputs.c.sha256), select(job_versions.c.sha256), on_months)
        c = desk_uploads.c
        query = select(desk_uploads).where(*(c.sha256.not_in(some) for some in kept)).order_by(c.at)
        with self._db.reading() as connection:
            return [Upload(*row) for row in connection.execute(query)]

    def forget(self, upload: Upload) -> None:
        """Forget an upload whose bytes are gone; who brought them stays on record."""
        c = desk_uploads.c
        with self._db.writing() as connection:
            connection.execute(delete(desk_uploads).where(c.sha256 == upload.sha256, c.name == upload.name))

    def find(self, sha256: str) -> list[Upload]:
        query = select(desk_uploads).where(desk_uploads.c.sha256 == sha256).order_by(desk_uploads.c.at)
        with self._db.reading() as connection:
            return [Upload(*row) for row in connection.execute(query)]


@dataclass(frozen=True, slots=True)
class JobVersion:
    """What a file of a job has said since somebody put it in its place.

    Attributes:
        sha256: Hex digest of its bytes, which lie among the uploads.
        by: Who put it there; "" for what was there before anybody did.
    """

    number: int
    job_file: str
    name: str
    sha256: str
    by: str
    at: dt.datetime


class JobVersions:
    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, job_file: str, name: str, before_sha256: str, sha256: str, by: str) -> None:
        """Write a new version of a file down; before the first one, what was there."""
        with self._db.writing() as connection:
            known = connection.scalar(
                select(job_versions.c.sha256)
                .where(job_versions.c.job_file == job_file, job_versions.c.name == name)
                .order_by(job_versions.c.id.desc())
                .limit(1)
            )
            values = {"job_file": job_file, "name": name, "at": self._db.now()}
            if before_sha256 and known != before_sha256:  # nobody said who put it there
                connection.execute(insert(job_versions).values(**values, sha256=before_sha256, by=""))
            connection.execute(insert(job_versions).values(**values, sha256=sha256, by=by))
            facts = {"job_file": Path(job_file).name}
            record_act(connection, self._db.seal, Act(ActKind.CHANGE_JOB, by, sha256, "", self._db.now(), facts))

    def list(self, job_file: str) -> list[JobVersion]:
        query = select(job_versions).where(job_versions.c.job_file == job_file).order_by(job_versions.c.id.desc())
        with self._db.reading() as connection:
            return [JobVersion(*row) for row in connection.execute(query)]


class DeskLaunches:
    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, key: str, job_file: str, files: tuple[str, ...], by: str, plan_digest: str | None) -> bool:
        """Write a launch down before it is made; False when that key is known already."""
        with self._db.writing() as connection:
            if connection.scalar(select(desk_launches.c.key).where(desk_launches.c.key == key)) is not None:
                return False
            values = {"key": key, "job_file": job_file, "files": json.dumps(files), "by": by}
            connection.execute(insert(desk_launches).values(**values, plan_digest=plan_digest, at=self._db.now()))
        return True

    def forget(self, key: str) -> None:
        """Take back a launch that could not be made, so that it can be tried again."""
        with self._db.writing() as connection:
            connection.execute(delete(desk_launches).where(desk_launches.c.key == key))

    def get(self, key: str) -> Launch | None:
        """Return one launch; None when it is unknown."""
        with self._db.reading() as connection:
            row = connection.execute(select(desk_launches).where(desk_launches.c.key == key)).one_or_none()
        return None if row is None else _launch_of(row)

    def of_job_file(self, job_file: str) -> list[Launch]:
        query = select(desk_launches).where(desk_launches.c.job_file == job_file).order_by(desk_launches.c.at.desc())
        with self._db.reading() as connection:
            return [_launch_of(row) for row in connection.execute(query)]


class FirstDecisions:
    """First words of what needs two people's: a reading of acts."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, kind: str, subject: str, by: str, evidence: str) -> None:
        """Write a first word down; it takes the place of an earlier one."""
        with self._db.writing() as connection:
            about = Act(ActKind.FIRST_WORD, by, subject, evidence, self._db.now(), {"on": kind})
            record_act(connection, self._db.seal, about)

    def pending(self, kind: str, subject: str) -> FirstDecision | None:
        """Return the first word that waits for a second; None when there is none, or when its matter has ended."""
        ends = _ENDS[kind]
        of_it = or_(acts.c.subject == subject, acts.c.kind == ActKind.UNFREEZE.value)  # which names no subject
        first: Act | None = None
        with self._db.reading() as connection:
            for act, is_sound in acts_where(connection, self._db.seal, (ActKind.FIRST_WORD, *ends), of_it):
                if act.kind in ends:
                    first = None
                elif is_sound and act.facts.get("on") == kind:
                    first = act
        return None if first is None else FirstDecision(kind, subject, first.by, first.why, first.at)


# What two people's words are on -> the acts after which nothing is left of a first one.
_ENDS: Final = {
    "absent": (ActKind.LINK, ActKind.TAKE_LINK_BACK, ActKind.DECLARE_ABSENT),
    "unlike": (ActKind.LINK, ActKind.TAKE_LINK_BACK),
    "rate": (),
    "receiver": (ActKind.CONFIRM_RECEIVER,),
    "freeze": (ActKind.UNFREEZE,),
    "return": (),  # its subject has a number that no other return has
}


def _launch_of(row: Row[Any]) -> Launch:
    return Launch(row.key, row.job_file, tuple(json.loads(row.files)), row.by, row.plan_digest, row.at)
