"""Decisions as rows: a word that pays counts with its act alone, one that keeps something back counts as said."""

from collections.abc import Iterator
from typing import Any, Final

from sqlalchemy import Connection, Row, Select

from io_adapters.ledger.acts import sound_acts
from io_adapters.ledger.engine import seal_of
from schemas.acts import digest_of
from schemas.approval import Decision, DecisionKind

DECISION_FIELDS: Final = tuple(Decision.__dataclass_fields__)
# After these words something is paid that was not, or not so.
PAYS: Final = frozenset({DecisionKind.PAY, DecisionKind.DIFFERENCE})


def sound_decisions(connection: Connection, query: Select[Any]) -> Iterator[Decision]:
    """Read decisions; one without its act is none, but for one that keeps something from being paid."""
    rows = connection.execute(query).all()
    acts = sound_acts(connection, seal_of(connection), {row.act for row in rows}) if rows else {}
    for row in rows:
        decision = _decision_of(row)
        is_sound = row.act in acts and acts[row.act].facts.get("decision") == digest_of_decision(decision)
        if is_sound or decision.kind not in PAYS:
            yield decision


def digest_of_decision(decision: Decision) -> str:
    return digest_of(*(getattr(decision, name) for name in DECISION_FIELDS if name != "at"))


def _decision_of(row: Row[Any]) -> Decision:
    values = {name: getattr(row, name) for name in DECISION_FIELDS}
    return Decision(**values | {"kind": DecisionKind(row.kind)})
