"""Which contacts a job's payees make: one per taxpayer whose rows are sound, with name, e-mail and destination."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, Final

import pandas as pd

from flows.steps.inputs import Inputs
from schemas.destination import DESTINATION_COLUMNS, Destination, destination_of
from schemas.tables.frames import records
from schemas.words import fold_word

_TOLD: Final = ("name", "email")


class LeftOutBecause(StrEnum):
    """Why no contact is made of a payee.

    Attributes:
        ROW_PROBLEM: its row has problems; `repasse check` tells which.
        NO_NAME: no row says a name.
        NO_EMAIL: no row says an e-mail, and the service's contacts have one.
        ROWS_DIFFER: its rows say different names or e-mails, and no payees table settles it.
    """

    ROW_PROBLEM = "row_problem"
    NO_NAME = "no_name"
    NO_EMAIL = "no_email"
    ROWS_DIFFER = "rows_differ"


@dataclass(frozen=True, slots=True)
class SourceRow:
    """Where a payee stands, for people; row 0 where no single row is known."""

    file: str = ""
    sheet: str = ""
    row: int = 0


@dataclass(frozen=True, slots=True)
class WantedContact:
    """A contact as a job's rows describe it.

    Attributes:
        tax_id: Canonical CPF or CNPJ; the contact's identity.
        name: As the rows say it.
        email: As the rows say it.
        destination: Where the payee is paid; None where the rows say none, or several.
        place: The row that says so.
    """

    tax_id: str
    name: str
    email: str
    destination: Destination | None
    place: SourceRow


@dataclass(frozen=True, slots=True)
class LeftOut:
    """A payee of whom no contact is made, and why; `tax_id` is "" where it cannot be read."""

    tax_id: str
    because: LeftOutBecause
    place: SourceRow


@dataclass(frozen=True, slots=True)
class Wanted:
    """What a job's rows want of the address book, by tax id."""

    contacts: tuple[WantedContact, ...]
    left_out: tuple[LeftOut, ...]

    @property
    def tax_ids(self) -> frozenset[str]:
        """Everybody the rows name, those left out included."""
        return frozenset({one.tax_id for one in self.contacts} | {one.tax_id for one in self.left_out})


def wanted_contacts(inputs: Inputs) -> Wanted:
    """Gather a job's payees: the payees table says who somebody is; payments rows say it where it is silent.

    Args:
        inputs: What was read, after checks. Rows with problems make no contact; a payee with a sound row besides does.
    """
    rows: dict[str, list[Mapping[str, Any]]] = {}
    for row in records(inputs.payments):
        rows.setdefault(row["tax_id"], []).append(row)
    own = {row["tax_id"]: row for row in records(inputs.payees)}
    contacts, left_out = list[WantedContact](), _with_problems(inputs, own.keys() | rows.keys())
    for tax_id in sorted(own.keys() | rows.keys()):
        made = _contact(tax_id, own.get(tax_id), rows.get(tax_id, []))
        if isinstance(made, WantedContact):
            contacts.append(made)
        else:
            left_out.append(made)
    return Wanted(tuple(contacts), tuple(left_out))


def _contact(
    tax_id: str, own: Mapping[str, Any] | None, payments: Sequence[Mapping[str, Any]]
) -> WantedContact | LeftOut:
    place = _place_of(own or payments[0])
    told = {name: _said(name, own, payments) for name in _TOLD}
    if None in told.values():
        return LeftOut(tax_id, LeftOutBecause.ROWS_DIFFER, place)
    if not told["name"]:
        return LeftOut(tax_id, LeftOutBecause.NO_NAME, place)
    if not told["email"]:
        return LeftOut(tax_id, LeftOutBecause.NO_EMAIL, place)
    return WantedContact(tax_id, str(told["name"]), str(told["email"]), _destination([own, *payments]), place)


def _said(column: str, own: Mapping[str, Any] | None, payments: Iterable[Mapping[str, Any]]) -> str | None:
    """Return what the rows say of a payee; "" for nothing, None where payments rows disagree and nothing settles it."""
    if own is not None and own[column]:
        return str(own[column])
    said = {_folded(column, row[column]): str(row[column]) for row in payments if row[column]}
    if len(said) > 1:
        return None
    return next(iter(said.values()), "")


def _folded(column: str, text: str) -> str:
    """Fold what people spell in many ways: capitals and accents make nobody another."""
    return text.strip().casefold() if column == "email" else fold_word(text)


def _destination(rows: Iterable[Mapping[str, Any] | None]) -> Destination | None:
    """Return the one place a payee is paid at: the payees table's, else what all payments rows agree on."""
    own, *payments = [_read_destination(row) for row in rows]
    if own is not None:
        return own
    said = {one.fingerprint: one for one in payments if one is not None}
    return next(iter(said.values())) if len(said) == 1 else None


def _read_destination(row: Mapping[str, Any] | None) -> Destination | None:
    return None if row is None else destination_of(**{name: row[name] for name in DESTINATION_COLUMNS})


def _with_problems(inputs: Inputs, sound: Iterable[str]) -> list[LeftOut]:
    known, told = set(sound), list[LeftOut]()
    for row in records(inputs.held_payments[["file", "sheet", "row", "tax_id"]].astype(object)):
        tax_id = str(row["tax_id"])
        if tax_id not in known:
            told.append(LeftOut(tax_id, LeftOutBecause.ROW_PROBLEM, _place_of(row)))
        if tax_id:
            known.add(tax_id)
    told += [
        LeftOut(tax_id, LeftOutBecause.ROW_PROBLEM, SourceRow())
        for tax_id in sorted(inputs.payee_problems)
        if tax_id not in known
    ]
    return told


def _place_of(row: Mapping[str, Any]) -> SourceRow:
    return SourceRow(row["file"], row["sheet"] if not pd.isna(row["sheet"]) else "", int(row["row"]))
