"""The record of what people did: append-only, each act chained to the one before, sealed, written with its effect."""

import datetime as dt
import json
import os
import time
from collections.abc import Collection, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, Row, Select, insert, select, true

from io_adapters.ledger.claims import raise_epoch
from io_adapters.ledger.engine import AFTER_COMMIT, Database, Seal, database_of
from io_adapters.ledger.tables import acts
from schemas.acts import BEAR_ON_PLANS, BEGINNING, Act, ActKind, RecordedAct, chained, first_broken
from schemas.errors import DecisionRefused, SendingFrozen
from schemas.messages import Message
from schemas.values.names import different_people


def record_act(connection: Connection, seal: Seal, act: Act) -> int:
    """Write an act down, in the transaction of its effect, and return its number.

    Where it bears on what is payable, looks at the ledger from before no longer stand.
    """
    if act.kind in BEAR_ON_PLANS:
        raise_epoch(connection)
    is_end_there = database_of(connection).is_end_there(connection)
    previous = _last_sealed(connection, seal)
    sha256 = chained(previous, act)
    values = {"kind": act.kind.value, "by": act.by, "subject": act.subject, "why": act.why, "at": act.at}
    values |= {"facts_json": json.dumps(dict(act.facts), ensure_ascii=False, sort_keys=True)}
    values |= {"previous": previous, "sha256": sha256, "seal": seal.of("act", sha256)}
    written = connection.execute(insert(acts).values(values))
    number = int(written.inserted_primary_key[0]) if written.inserted_primary_key else 0
    if is_end_there:  # else it stays missed
        connection.info[AFTER_COMMIT] = (number, sha256)
    return number


def _last_sealed(connection: Connection, seal: Seal) -> str:
    """Return the hash of the last act under this key, past what somebody added; else of the last one."""
    query = select(acts.c.sha256, acts.c.seal).order_by(acts.c.id.desc()).limit(_MOST_ADDED)
    rows = connection.execute(query).all()
    sealed = (row.sha256 for row in rows if seal.is_of(row.seal, "act", row.sha256))
    return next(sealed, rows[0].sha256 if rows else BEGINNING)


_MOST_ADDED: Final = 100


def sound_acts(connection: Connection, seal: Seal, numbers: Collection[int]) -> dict[int, Act]:
    """Return those acts that the program wrote, by number; what somebody else has written or changed is none."""
    read = _read(connection, select(acts).where(acts.c.id.in_(list(numbers))))
    return {recorded.number: recorded.act for row, recorded in read if _is_sound(row, recorded, seal)}


def acts_of(connection: Connection, seal: Seal, kinds: Collection[ActKind]) -> list[tuple[Act, bool]]:
    """Return the acts of some kinds, the first first, each with whether the program wrote it."""
    return acts_where(connection, seal, kinds, true())


def acts_where(
    connection: Connection, seal: Seal, kinds: Collection[ActKind], which: ColumnElement[bool]
) -> list[tuple[Act, bool]]:
    """Return the acts of some kinds that a condition holds of, as `acts_of` does."""
    query = select(acts).where(acts.c.kind.in_([kind.value for kind in kinds]), which).order_by(acts.c.id)
    return [(recorded.act, _is_sound(row, recorded, seal)) for row, recorded in _read(connection, query)]


def _is_sound(row: Row[Any], recorded: RecordedAct, seal: Seal) -> bool:
    return recorded.sha256 == chained(recorded.previous, recorded.act) and seal.is_of(row.seal, "act", recorded.sha256)


class ChainHead:
    """The end of the chain as this machine saw it last, sealed, in a file: an end that is cut off is missed.

    Args:
        path: The file; nothing is kept where there is none.
    """

    def __init__(self, path: Path | None, seal: Seal) -> None:
        self._path, self._seal = path, seal
        self._read_at_s, self._verified = -_READ_AGAIN_AFTER_S, _Verified(0, BEGINNING)

    def keep(self, number: int, sha256: str) -> None:
        """Remember an end that has just been written; a later one stays."""
        if self._path is None or self._number() >= number:
            return
        made = self._path.with_name(f"{self._path.name}.{os.getpid()}")
        sealed = {"number": number, "sha256": sha256, "seal": self._seal.of("head of acts", number, sha256)}
        with suppress(OSError):  # a folder that cannot be written keeps nobody from acting
            made.write_text(json.dumps(sealed), encoding="ascii")
            made.replace(self._path)

    def forget(self) -> None:
        """Let the present end be the one to remember, on two people's word."""
        self._read_at_s = -_READ_AGAIN_AFTER_S
        if self._path is not None:
            self._path.unlink(missing_ok=True)

    def is_there(self, connection: Connection) -> bool:
        """Whether the end that this machine has seen is still in the ledger."""
        try:
            seen = self.seen()
        except (ValueError, KeyError, TypeError):
            return False
        return seen is None or connection.scalar(select(acts.c.sha256).where(acts.c.id == seen[0])) == seen[1]

    def require_whole(self, connection: Connection) -> None:
        """Refuse to go on where an act is gone or is not what it was: it may have kept something back.

        What somebody added past the program is passed over. What was read within the last minute is not read again.

        Raises:
            SendingFrozen: an act is gone or was changed, or the file beside the ledger is not what was written.
        """
        if self._path is None:
            return
        if time.monotonic() - self._read_at_s > _READ_AGAIN_AFTER_S:
            self._read_at_s, self._verified = time.monotonic(), _Verified(0, BEGINNING)
        query = select(acts).where(acts.c.id > self._verified.number).order_by(acts.c.id)
        read = _read(connection, query)
        sealed = [recorded for row, recorded in read if _is_sound(row, recorded, self._seal)]
        vouched = max((recorded.number for recorded in sealed if recorded.act.kind is ActKind.SEAL_AGAIN), default=0)
        known = {recorded.sha256 for _, recorded in read if recorded.number < vouched}
        for recorded in sealed:
            if recorded.previous != self._verified.sha256 and recorded.previous not in known:
                raise SendingFrozen(Message("error.acts_broken", number=recorded.number))
            self._verified = _Verified(recorded.number, recorded.sha256)
        if (read and not self._verified.number) or not self.is_there(connection):
            raise SendingFrozen(Message("error.acts_broken", number=self._verified.number + 1))

    def seen(self) -> tuple[int, str] | None:
        """Return number and hash of the end; None where none was kept.

        Raises:
            ValueError: the file is not what was written.
        """
        if self._path is None or not self._path.exists():
            return None
        kept = json.loads(self._path.read_text(encoding="ascii"))
        number, sha256 = int(kept["number"]), str(kept["sha256"])
        if not self._seal.is_of(kept["seal"], "head of acts", number, sha256):
            raise ValueError("the head of acts is not sealed")
        return number, sha256

    def _number(self) -> int:
        with suppress(ValueError, KeyError, TypeError, OSError):
            seen = self.seen()
            return seen[0] if seen else 0
        return 0


class _Verified(NamedTuple):
    """Up to which act the chain was found whole."""

    number: int
    sha256: str


_READ_AGAIN_AFTER_S: Final = 60.0


class Acts:
    def __init__(self, database: Database, head: ChainHead) -> None:
        self._db = database
        self._head = head

    def record(self, *done: Act) -> None:
        """Write acts down whose record is their effect; all of them, or none."""
        with self._db.writing() as connection:
            for act in done:
                record_act(connection, self._db.seal, act)

    def on_months(self) -> list[Act]:
        """Return the acts on months and on the files handed in for them, the first first.

        One that nobody could have written is none, but for one by which a file counts no more.
        """
        kinds = [ActKind.OPEN_MONTH, ActKind.HAND_IN, ActKind.WITHDRAW]
        query = select(acts).where(acts.c.kind.in_([kind.value for kind in kinds])).order_by(acts.c.id)
        with self._db.reading() as connection:
            found = _read(connection, query)
            sound = {recorded.number for row, recorded in found if _is_sound(row, recorded, self._db.seal)}
            if len(sound) < len(found):
                sound |= self._vouched_for(connection)
        return [
            recorded.act for _, recorded in found if recorded.number in sound or recorded.act.kind is ActKind.WITHDRAW
        ]

    def _vouched_for(self, connection: Connection) -> set[int]:
        """Return the acts from before two people last sealed them again, where none of them was changed since."""
        every = _read(connection, select(acts).order_by(acts.c.id))
        sealed = [recorded for row, recorded in every if _is_sound(row, recorded, self._db.seal)]
        again = max((recorded.number for recorded in sealed if recorded.act.kind is ActKind.SEAL_AGAIN), default=0)
        before = [recorded for _, recorded in every if recorded.number <= again]
        return set() if first_broken(before) is not None else {recorded.number for recorded in before}

    def since(self, moment: dt.datetime | None = None) -> list[RecordedAct]:
        """Return all acts, or those since a moment, the first first."""
        query = select(acts).order_by(acts.c.id)
        with self._db.reading() as connection:
            found = _read(connection, query if moment is None else query.where(acts.c.at >= moment))
        return [recorded for _, recorded in found]

    def first_broken(self) -> int | None:
        """Return the number of the first act that somebody changed, took out or put in; None where nobody did.

        An end that this machine has seen, and that is there no more, is broken, too.
        """
        with self._db.reading() as connection:
            if (unreadable := _first_unreadable(connection)) is not None:
                read = _read(connection, select(acts).where(acts.c.id < unreadable).order_by(acts.c.id))
            else:
                read = _read(connection, select(acts).order_by(acts.c.id))
        found = [recorded for _, recorded in read]
        unsealed = self._unsealed(read)
        broken = [first_broken(found), min(unsealed, default=None), unreadable or self._cut_off(found)]
        return min((number for number in broken if number is not None), default=None)

    def seal_again(self, people: Sequence[str], why: str) -> None:
        """Take two people's word that the acts so far are as they were, after their key or their end was lost.

        They are on record then. What they said counts no more where a word needs its seal: it has to be said again.

        Raises:
            DecisionRefused: it is one person, there is no reason, all is sealed, or an act is not as it was.
        """
        if len(different_people(people)) < _TWO or not why.strip():
            raise DecisionRefused(Message("error.seal_two"))
        with self._db.writing() as connection:
            read = _read(connection, select(acts).order_by(acts.c.id))
            broken = first_broken(recorded for _, recorded in read)
            if broken is not None:
                raise DecisionRefused(Message("error.acts_broken", number=broken))
            cut_off = self._cut_off([recorded for _, recorded in read])
            if not self._unsealed(read) and cut_off is None:
                raise DecisionRefused(Message("error.seal_nothing"))
            self._head.forget()
            by = ", ".join(name.strip() for name in people)
            act = Act(ActKind.SEAL_AGAIN, by, read[-1][1].sha256, why.strip(), self._db.now())
            record_act(connection, self._db.seal, act)

    def _unsealed(self, read: Sequence[tuple[Row[Any], RecordedAct]]) -> list[int]:
        """Return the numbers of acts without their seal, since two people sealed what was before."""
        sealed = [recorded for row, recorded in read if self._db.seal.is_of(row.seal, "act", recorded.sha256)]
        again = max((recorded.number for recorded in sealed if recorded.act.kind is ActKind.SEAL_AGAIN), default=0)
        numbers = {recorded.number for recorded in sealed}
        return [recorded.number for _, recorded in read if recorded.number > again and recorded.number not in numbers]

    def _cut_off(self, found: Collection[RecordedAct]) -> int | None:
        try:
            seen = self._head.seen()
        except (ValueError, KeyError, TypeError):
            return _UNKNOWN
        there = {recorded.number: recorded.sha256 for recorded in found}
        return seen[0] if seen is not None and there.get(seen[0]) != seen[1] else None


_TWO: Final = 2
# Of a head that somebody wrote: which act it spoke of is not known.
_UNKNOWN: Final = 2**31


def _read(connection: Connection, query: Select[Any]) -> list[tuple[Row[Any], RecordedAct]]:
    """Read acts.

    Raises:
        SendingFrozen: one of them is not as anybody could have written it; what it said may have stopped something.
    """
    try:
        return [(row, _recorded(row)) for row in connection.execute(query)]
    except (ValueError, TypeError):
        raise SendingFrozen(Message("error.acts_broken", number=_first_unreadable(connection) or 0)) from None


def _first_unreadable(connection: Connection) -> int | None:
    """Return the number of the first act that cannot be read at all."""
    with suppress(ValueError, TypeError):
        for row in connection.execute(select(acts)):
            _recorded(row)
        return None
    for number in connection.scalars(select(acts.c.id).order_by(acts.c.id)).all():
        try:
            _recorded(connection.execute(select(acts).where(acts.c.id == number)).one())
        except (ValueError, TypeError):
            return int(number)
    return None


def _recorded(row: Row[Any]) -> RecordedAct:
    act = Act(ActKind(row.kind), row.by, row.subject, row.why, row.at, json.loads(row.facts_json))
    return RecordedAct(row.id, act, row.previous, row.sha256)
