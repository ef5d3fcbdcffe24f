"""Obligations from flat columns and back, for tests that draw tables of them."""

from collections.abc import Iterable
from dataclasses import fields

import pandas as pd

from schemas.obligation import Obligation, Payee, SourceRow
from schemas.plan import Place
from schemas.reasons import reasons_of
from schemas.values.bank_account import DESTINATION_COLUMNS, BankAccount, PixKey, destination_of

PERSON = tuple(field.name for field in fields(Payee))
SOURCE = tuple(field.name for field in fields(SourceRow))
OWN = tuple(
    field.name for field in fields(Obligation) if field.name not in {"payee", "source", "account", "reasons", "place"}
)
COLUMNS = (*OWN, "place", "reason", *PERSON, *SOURCE, *DESTINATION_COLUMNS)


def obligation(**flat) -> Obligation:
    """Make an obligation of its columns: kind, `amount_cents`, place, reason, `tax_id`, file, `pix_key`, ..."""
    return Obligation(
        place=Place(flat["place"]),
        reasons=reasons_of(flat.get("reason", "")),
        payee=Payee(**{name: flat[name] for name in PERSON if name in flat}),
        source=SourceRow(**{name: flat[name] for name in SOURCE if name in flat}),
        account=destination_of(**{name: flat[name] for name in DESTINATION_COLUMNS if name in flat}),
        **{name: flat[name] for name in OWN if name in flat},
    )


def flat(owed: Obligation) -> dict[str, object]:
    """Take an obligation apart into columns; what is absent is ""."""
    where = dict.fromkeys(DESTINATION_COLUMNS, "")
    match owed.account:
        case PixKey(key, key_type):
            where |= {"pix_key": key, "pix_key_type": key_type}
        case BankAccount():
            where |= {name: getattr(owed.account, name) for name in DESTINATION_COLUMNS if not name.startswith("pix")}
    return {
        **{name: getattr(owed, name) for name in OWN},
        **{name: getattr(owed.payee, name) for name in PERSON},
        **{name: getattr(owed.source, name) for name in SOURCE},
        **where,
        "place": owed.place.value,
        "reason": owed.reason,
    }


def table_of(obligations: Iterable[Obligation]) -> pd.DataFrame:
    """Write obligations as a table, one row each."""
    return pd.DataFrame(list(map(flat, obligations)), columns=list(COLUMNS))
