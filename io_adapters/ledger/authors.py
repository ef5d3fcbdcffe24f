"""Who has a part in which bytes: everybody who ever brought them, through whichever job or page.

A reading of acts. None of these people counts as the approver of a plan that rests on those bytes.
"""

import datetime as dt
from collections.abc import Collection, Iterable, Mapping
from typing import Final, NamedTuple

from sqlalchemy import ColumnElement, Connection, select

from io_adapters.ledger.acts import acts_where, record_act
from io_adapters.ledger.engine import Database, Seal, chunks, seal_of
from io_adapters.ledger.tables import acts, run_inputs
from schemas.acts import Act, ActKind
from schemas.values.names import same_person

_BROUGHT: Final = (ActKind.BRING, ActKind.RECEIVE)
# Facts of these acts: who had a part in what was changed, and whether whoever received it has one.
_CARRIED_ON: Final = "with"
_PART: Final = "part"
_NO_PART: Final = {_PART: "no"}


class Parts(NamedTuple):
    """What acts say of some bytes.

    Attributes:
        people: Who has a part in them, as `same_person` writes names; also by an act that nobody could have written.
        is_claimed: Whether somebody is known to have brought or received them.
    """

    people: frozenset[str] = frozenset()
    is_claimed: bool = False


class ContentAuthors:
    """Who has a part in which bytes."""

    def __init__(self, database: Database) -> None:
        self._db = database

    def record(self, sha256: str, by: str, *, carried_on_from: str = "") -> None:
        """Write down that somebody put some bytes somewhere; whoever had a part in those before keeps it."""
        with self._db.writing() as connection:
            before = _of(connection, carried_on_from).people if carried_on_from else frozenset()
            if not {same_person(by), *before} <= _of(connection, sha256).people:
                bring(connection, self._db.seal, sha256, by, self._db.now(), before)

    def receive(self, sha256s: Iterable[str], by: str, *, has_part: bool = True) -> None:
        """Take somebody's word that bytes have come to them, of those that nobody is known to have brought.

        Args:
            has_part: Whether they have a part in whatever rests on them from now on.
        """
        with self._db.writing() as connection:
            wanted = set(sha256s)
            unclaimed = wanted - {sha256 for sha256, parts in parts_in(connection, wanted).items() if parts.is_claimed}
            receive_bytes(connection, self._db.seal, unclaimed, by, self._db.now(), has_part=has_part)

    def of(self, sha256: str) -> frozenset[str]:
        with self._db.reading() as connection:
            return _of(connection, sha256).people

    def of_run(self, run_id: str) -> frozenset[str]:
        with self._db.reading() as connection:
            return authors_of_runs(connection, [run_id])


def bring(
    connection: Connection, seal: Seal, sha256: str, by: str, now: dt.datetime, carried_on: Collection[str] = ()
) -> None:
    facts = {_CARRIED_ON: " ".join(sorted(carried_on))} if carried_on else {}
    record_act(connection, seal, Act(ActKind.BRING, by, sha256, "", now, facts))


def receive_bytes(
    connection: Connection, seal: Seal, sha256s: Collection[str], by: str, now: dt.datetime, *, has_part: bool = True
) -> None:
    for digest in sorted(sha256s):
        record_act(connection, seal, Act(ActKind.RECEIVE, by, digest, "", now, {} if has_part else _NO_PART))


def authors_of_runs(connection: Connection, run_ids: Iterable[str], ended: Collection[str] = ()) -> frozenset[str]:
    """Return everybody who has a part in the bytes that some runs have read, as `same_person` writes them.

    Args:
        ended: Hashes of bytes that are nobody's any more.
    """
    read = select(run_inputs.c.sha256).where(run_inputs.c.run_id.in_(list(run_ids)))
    found = _parts_where(connection, acts.c.subject.in_(read))
    return frozenset(person for sha256, parts in found.items() if sha256 not in ended for person in parts.people)


def parts_in(connection: Connection, sha256s: Iterable[str]) -> dict[str, Parts]:
    """Return who has a part in which of some bytes; what no act speaks of is not among them."""
    found = dict[str, Parts]()
    for some in chunks(sha256s):
        found |= _parts_where(connection, acts.c.subject.in_(some))
    return found


def _of(connection: Connection, sha256: str) -> Parts:
    return _parts_where(connection, acts.c.subject == sha256).get(sha256, Parts())


def _parts_where(connection: Connection, which: ColumnElement[bool]) -> Mapping[str, Parts]:
    found = dict[str, Parts]()
    for act, is_sound in acts_where(connection, seal_of(connection), _BROUGHT, which):
        known = found.get(act.subject, Parts())
        theirs = set() if act.facts.get(_PART) == "no" and is_sound else {same_person(act.by)}
        theirs |= set(act.facts.get(_CARRIED_ON, "").split())
        found[act.subject] = Parts(known.people | theirs, known.is_claimed or is_sound)
    return found
