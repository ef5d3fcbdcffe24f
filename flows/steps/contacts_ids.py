"""The contact ids of payments: a row's own, else that of the contact with the very same tax id, else none."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final

import pandas as pd

from flows.steps.inputs import Inputs
from schemas.tables.frames import records

_NOT_ON_THE_WIRE: Final = "owner"


@dataclass(frozen=True, slots=True)
class IdConflict:
    """A row that names another contact than the one known for its tax id."""

    file: str
    sheet: str
    row: int


def fill_contact_ids(obligations: pd.DataFrame, ids: Mapping[str, str]) -> pd.DataFrame:
    """Give payments without a contact id that of their payee's contact.

    The id is part of what is sent, so of the plan's digest: a sync between plan and approval makes another plan, which
    wants its own approval. What was approved before is sent as it was.

    Args:
        obligations: What is owed, shape of `Obligations`; a row's own contact id stays.
        ids: Exact tax id -> contact id, of the contacts the service told.
    """
    if not ids:
        return obligations
    blank = (obligations["contact_id"] == "") & (obligations["kind"] != _NOT_ON_THE_WIRE)
    known = obligations["tax_id"].map(lambda tax_id: ids.get(tax_id, "")).astype(obligations["contact_id"].dtype)
    return obligations.assign(contact_id=obligations["contact_id"].where(~blank, known))


def conflicting_ids(inputs: Inputs, ids: Mapping[str, str]) -> tuple[IdConflict, ...]:
    """Find the rows, of payments and of payees, whose own contact id is not the one known for their tax id."""
    if not ids:
        return ()
    found = []
    for table in (inputs.payments, inputs.payees):
        for row in records(table[["file", "sheet", "row", "tax_id", "contact_id"]]):
            own = row["contact_id"]
            if own and ids.get(row["tax_id"], own) != own:
                found.append(IdConflict(row["file"], row["sheet"], int(row["row"])))
    return tuple(found)
